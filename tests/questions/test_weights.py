"""Row weights reach every number read from the records (questions/evidence.py): each against a loop of its own."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import balanced_accuracy_score, log_loss, roc_auc_score

import foldwise as fw
from foldwise.questions.predicted import predictions
from foldwise.questions.validation import validation_curves

ALPHAS = [0.01, 10.0, 1000.0]


def method_named(result, name):
    return next(method.method for method in result.methods if method.method.name == name)


def summary_of(result, name):
    return predictions(result.reading, method_named(result, name))


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(90, 3))
    return X, X[:, 0] + rng.normal(size=90), rng.exponential(size=90) ** 2


@pytest.fixture(scope="module")
def result(rows):
    X, y, weights = rows
    learners = {"tuned": fw.tune(Ridge(), alpha=ALPHAS), "plain": Ridge(alpha=500.0)}
    return fw.compare(
        learners,
        X,
        y,
        weights=weights,
        outer=4,
        inner=3,
        repeats=2,
        optimism=True,
        loss=["squared", "absolute"],
        jobs=1,
    )


def cut(result, level="outer"):
    """(repeat, fold, inner fold) -> training rows, test rows."""
    table = result.splits()
    table = table[table["level"] == level].fillna(-1)
    return {
        place: tuple(part.loc[part["part"] == side, "row"].to_numpy() for side in ("train", "test"))
        for place, part in table.groupby(["repeat", "fold", "inner_fold"])
    }


def squared(model, rows, at):
    X, y, weights = rows
    return np.average((y[at] - model.predict(X[at])) ** 2, weights=weights[at])


def fitted(rows, train, alpha):
    X, y, weights = rows
    return Ridge(alpha=alpha).fit(X[train], y[train], sample_weight=weights[train])


def chosen_alphas(result):
    found = result.choices()
    found = found[found["method"] == "tuned"]
    return {(row.repeat, row.fold): row.candidate["alpha"] for row in found.itertuples()}


def test_risks_training_risks_and_their_means_over_rows(result, rows):
    X, y, weights = rows
    test, train, sums, total = [], [], 0.0, 0.0
    for (repeat, fold, _), (inside, outside) in cut(result).items():
        model = fitted(rows, inside, chosen_alphas(result)[repeat, fold])
        test.append(squared(model, rows, outside))
        train.append(squared(model, rows, inside))
        sums += np.sum(weights[outside] * (y[outside] - model.predict(X[outside])) ** 2)
        total += weights[outside].sum()
    table = result.table().set_index("method")

    assert table.loc["tuned", "risk"] == pytest.approx(np.mean(test))
    assert table.loc["tuned", "train_risk"] == pytest.approx(np.mean(train))
    assert result.table(mean="rows").set_index("method").loc["tuned", "risk"] == pytest.approx(sums / total)


def test_further_losses_differences_and_the_baseline(result, rows):
    X, y, weights = rows
    absolute, difference, baseline = [], [], []
    for (repeat, fold, _), (inside, outside) in cut(result).items():
        one = fitted(rows, inside, chosen_alphas(result)[repeat, fold])
        absolute.append(np.average(np.abs(y[outside] - one.predict(X[outside])), weights=weights[outside]))
        difference.append(squared(one, rows, outside) - squared(fitted(rows, inside, 500.0), rows, outside))
        dummy = DummyRegressor().fit(X[inside], y[inside], sample_weight=weights[inside])
        baseline.append(squared(dummy, rows, outside))

    table = result.table().set_index("method")
    assert table.loc["tuned", "risk: absolute"] == pytest.approx(np.mean(absolute))
    assert result.difference("tuned", "plain").value == pytest.approx(np.mean(difference))
    assert table.loc["baseline", "risk"] == pytest.approx(np.mean(baseline))


def test_selection_scores_optimism_and_validation_curves(result, rows):
    def scores(splits):
        return np.array([[squared(fitted(rows, a, alpha), rows, b) for a, b in splits] for alpha in ALPHAS])

    table = result.table().set_index("method").loc["tuned"]
    final = scores(cut(result, "final").values()).mean(axis=1)
    outer = scores(cut(result).values()).mean(axis=1)
    assert table["selection_score"] == pytest.approx(final.min())
    assert table["optimism"] == pytest.approx(table["risk"] - outer.min())
    points = validation_curves(result.reading, method_named(result, "tuned"))[0]["points"]
    assert [point["test"] for point in points] == pytest.approx(outer.tolist())
    assert result.search_curve("tuned").outer[-1] == pytest.approx(table["risk"])


def test_single_rows_come_with_their_weights(result, rows):
    found = result.losses()
    assert (found["weight"] == rows[2][found["row"]]).all()


def test_residuals_by_tenths_of_the_predictions(result, rows):
    _, _, weights = rows
    found = result.losses()
    found = found[found["method"] == "plain"].sort_values("prediction", kind="stable").head(len(weights) * 2 // 10)
    first = summary_of(result, "plain")["bins"][0]
    left = (found["target"] - found["prediction"]).to_numpy(float)
    own = weights[found["row"]]
    assert first["mean"] == pytest.approx(np.average(left, weights=own))
    half = own[left <= first["median"]].sum() / own.sum()
    assert half >= 0.5 > half - own[left == first["median"]].sum() / own.sum()


def test_curves(rows):
    X, y, weights = rows
    options = {"outer": 3, "weights": weights, "jobs": 1}
    compared = fw.compare({"plain": Ridge()}, X, y, **options)
    for curve in (
        fw.curve(Ridge(), X, y, alpha=[1.0], **options),
        fw.learning_curve(Ridge(), X, y, sizes=(1.0,), **options),
    ):
        table = compared.table().set_index("method").loc["plain"]
        assert curve.test[0] == pytest.approx(table["risk"])
        assert curve.train[0] == pytest.approx(table["train_risk"])
    assert fw.risk(Ridge(), X, y, **options).value == pytest.approx(table["risk"])


@pytest.fixture(scope="module")
def classed(rows):
    X, y, weights = rows
    labels = (y > 0.5).astype(int)
    losses = ["log", "balanced_zero_one", "roc_auc", "zero_one"]
    return labels, fw.compare({"m": LogisticRegression()}, X, labels, weights=weights, outer=3, loss=losses, jobs=1)


def test_losses_of_classes(classed, rows):
    X, _, weights = rows
    y, result = classed
    found = {"log": [], "roc_auc": [], "zero_one": []}
    shares, said = np.zeros(len(y)), np.zeros(len(y), int)
    for inside, outside in cut(result).values():
        model = LogisticRegression().fit(X[inside], y[inside], sample_weight=weights[inside])
        shares[outside], said[outside] = model.predict_proba(X[outside])[:, 1], model.predict(X[outside])
        own = {"sample_weight": weights[outside]}
        found["log"].append(log_loss(y[outside], shares[outside], **own))
        found["roc_auc"].append(1 - roc_auc_score(y[outside], shares[outside], **own))
        found["zero_one"].append(np.average(y[outside] != said[outside], weights=weights[outside]))
    table = result.table().set_index("method").loc["m"]
    assert table["risk"] == pytest.approx(np.mean(found["log"]))
    for name in ("roc_auc", "zero_one"):
        assert table[f"risk: {name}"] == pytest.approx(np.mean(found[name]))
    rows_of = result.losses()
    rows_of = rows_of[rows_of["method"] == "m"]
    balanced = np.average(rows_of["loss: balanced_zero_one"], weights=rows_of["weight"])
    assert balanced == pytest.approx(1 - balanced_accuracy_score(y, said, sample_weight=weights))
    bins = summary_of(result, "m")["calibration"]["bins"]
    assert sum(part["rows"] for part in bins) == len(y)
    inside = (shares >= 0.2) & (shares < 0.3)
    expected = np.average(y[inside], weights=weights[inside])
    assert expected in [pytest.approx(part["so"]) for part in bins]


def test_a_measure_without_weights_says_so(rows):
    X, y, weights = rows

    def worst(y, prediction):
        return np.abs(y - prediction).max()

    result = fw.compare({"plain": Ridge()}, X, y, weights=weights, loss=worst, outer=3, jobs=1)
    assert any("without weights: it takes no sample_weight" in note for note in result.notes)


def test_a_test_set(rows):
    X, y, weights = rows
    model = fitted(rows, np.arange(60), 1.0)
    found = fw.test_risk(model, X[60:], y[60:], weights=weights[60:])
    assert found.value == pytest.approx(squared(model, rows, np.arange(60, 90)))


def test_a_benchmark(rows):
    X, y, weights = rows
    data = {"one": {"X": X, "y": y, "weights": weights}}
    found = fw.benchmark(data, {"plain": Ridge(), "soft": Ridge(alpha=99.0)}, outer=3, jobs=1)
    alone = fw.risk(Ridge(), X, y, outer=3, weights=weights, jobs=1).value
    assert alone in found.table()["risk"].tolist()
