"""questions/usual_metrics.py, questions/metric_table.py: scikit-learn's numbers on the same predictions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import foldwise as fw


class Refusing(LinearRegression):
    """A learner whose fits fail."""

    def fit(self, X, y):
        raise ValueError("not today")


def classes(k, n=150):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, 3))
    strength = X[:, 0] + rng.normal(size=n)
    names = np.array(["ash", "birch", "cedar", "dogwood"])
    return X, names[np.searchsorted(np.quantile(strength, np.arange(1, k) / k), strength)]


def numbers(n=90):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, 3))
    return X, 20 + X[:, 0] + rng.normal(size=n)


def by_fold(table, measure):
    """The mean over folds of a metric of each fold's rows."""
    return np.mean([measure(part) for _, part in table.groupby(["repeat", "fold"])])


def of(result, method):
    table = result.predictions()
    own = result.metrics()
    own = own[own["method"] == method]
    whole = own[own["class"].isna()].set_index("metric")
    return table[table["method"] == method], own, whole


@pytest.mark.parametrize("is_weighted", [False, True])
def test_those_of_numbers_are_scikit_learns(is_weighted):
    X, y = numbers()
    weights = np.random.default_rng(0).exponential(size=len(y)) if is_weighted else None
    result = fw.compare({"k": KNeighborsRegressor(3)}, X, y, outer=4, repeats=2, weights=weights, jobs=1)
    table, _, found = of(result, "k")

    def mean(measure):
        return by_fold(table, lambda part: measure(part["truth"], part["prediction"], sample_weight=part.get("weight")))

    def pooled(measure):
        return measure(table["truth"], table["prediction"], sample_weight=table.get("weight"))

    assert found["value"].to_dict() == pytest.approx(
        {
            "rmse": np.sqrt(mean(metrics.mean_squared_error)),
            "mae": mean(metrics.mean_absolute_error),
            "mape": mean(metrics.mean_absolute_percentage_error),
            "median_absolute_error": pooled(metrics.median_absolute_error),
            "r2": pooled(metrics.r2_score),
        }
    )


@pytest.mark.few(2)
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("k", [2, 3])
def test_those_of_classes_are_scikit_learns(k, is_weighted):
    X, y = classes(k)
    weights = np.random.default_rng(0).exponential(size=len(y)) if is_weighted else None
    result = fw.compare({"bayes": GaussianNB()}, X, y, outer=5, weights=weights, jobs=1)
    table, own, found = of(result, "bayes")
    names = sorted(set(y))
    shares = [f"p_{name}" for name in names]
    last = names[-1]

    def mean(measure):
        return by_fold(table, measure)

    def ranked(measure):
        def one(part, name):
            return measure(part["truth"] == name, part[f"p_{name}"], sample_weight=part.get("weight"))

        return mean(lambda part: one(part, last) if k == 2 else np.mean([one(part, name) for name in names]))

    def log(part):
        return metrics.log_loss(part["truth"], part[shares], labels=names, sample_weight=part.get("weight"))

    def brier(part):
        said = part[shares[-1]] if k == 2 else part[shares].to_numpy()
        more = {"pos_label": last} if k == 2 else {"labels": names}
        return metrics.brier_score_loss(part["truth"], said, sample_weight=part.get("weight"), **more)

    truth, said, weight = table["truth"], table["prediction"], table.get("weight")
    expected = {
        "accuracy": mean(lambda p: metrics.accuracy_score(p["truth"], p["prediction"], sample_weight=p.get("weight"))),
        "log_loss": mean(log),
        "brier": mean(brier),
        "auc": ranked(metrics.roc_auc_score),
        "average_precision": ranked(metrics.average_precision_score),
        "mcc": metrics.matthews_corrcoef(truth, said, sample_weight=weight),
    }
    for kind in ("macro", "weighted"):
        both = metrics.precision_recall_fscore_support(truth, said, average=kind, sample_weight=weight)
        expected |= {f"{name}_{kind}": value for name, value in zip(("precision", "recall", "f1"), both, strict=False)}
    assert found["value"].drop("balanced_accuracy").to_dict() == pytest.approx(expected)
    each = metrics.precision_recall_fscore_support(truth, said, labels=names, sample_weight=weight)
    for name, values in zip(("precision", "recall", "f1"), each, strict=False):
        mine = own[(own["metric"] == name) & own["class"].notna()]
        assert mine["class"].tolist() == names
        np.testing.assert_allclose(mine["value"], values)


def test_balanced_accuracy_is_scikit_learns_where_folds_have_equal_numbers_of_each_class():
    X, y = classes(3)
    order = np.argsort(y, kind="stable")
    y = np.repeat(["ash", "birch", "cedar"], [60, 60, 30])
    result = fw.compare({"bayes": GaussianNB()}, X[order], y, outer=5, jobs=1)
    table, _, found = of(result, "bayes")

    truth = metrics.balanced_accuracy_score(table["truth"], table["prediction"])
    assert found.loc["balanced_accuracy", "value"] == pytest.approx(truth)


def test_intervals_are_those_that_a_study_of_that_loss_gives():
    X, y = classes(2)
    learners, words = {"bayes": GaussianNB()}, {"outer": 5, "jobs": 1}
    _, _, found = of(fw.compare(learners, X, y, **words), "bayes")
    kept = {"accuracy": "zero_one", "balanced_accuracy": "balanced_zero_one", "auc": "roc_auc"}
    for metric, loss in {**kept, "log_loss": "log", "brier": "brier"}.items():
        row = fw.compare(learners, X, y, loss=loss, **words).table().loc[0]
        ends = (1 - row["high"], 1 - row["low"]) if metric in kept else (row["low"], row["high"])
        assert (found.loc[metric, "low"], found.loc[metric, "high"]) == pytest.approx(ends)
        assert found.loc[metric, "interval"] == row["interval"]


def test_the_interval_of_the_rmse_is_the_root_of_that_of_the_squared_loss():
    X, y = numbers()
    result = fw.compare({"line": LinearRegression()}, X, y, outer=5, loss="absolute", jobs=1)
    squared = fw.compare({"line": LinearRegression()}, X, y, outer=5, jobs=1).table().loc[0]
    _, _, found = of(result, "line")

    row = found.loc["rmse"]
    assert [row["value"], row["low"], row["high"]] == pytest.approx(
        np.sqrt([squared["risk"], squared["low"], squared["high"]])
    )
    assert row["averaged"] == "root of the mean squared loss"
    absolute = result.table().loc[0]
    assert found.loc["mae", ["value", "low", "high"]].tolist() == absolute[["risk", "low", "high"]].tolist()


def test_an_interval_that_was_asked_for_is_that_of_its_metric():
    X, y = classes(2)
    result = fw.compare({"bayes": GaussianNB()}, X, y, outer=5, interval="bayle", jobs=1)
    _, _, found = of(result, "bayes")
    assert found.loc["accuracy", "interval"] == "Bayle"
    assert found.loc["brier", "interval"] == "corrected t"


def test_order_is_never_pooled_so_leave_one_out_has_no_auc():
    X, y = classes(2, n=30)
    _, _, found = of(fw.compare({"bayes": GaussianNB()}, X, y, outer="loo", jobs=1), "bayes")
    for name in ("auc", "average_precision"):
        assert np.isnan(found.loc[name, "value"])
        assert found.loc[name, "note"] == "some fold lacks a class, and folds are never pooled"
    assert found.loc["mcc", "value"] > 0


def test_a_response_that_the_learner_lacks_is_a_note_and_no_failure():
    X, y = classes(2)
    result = fw.compare({"ridge": RidgeClassifier()}, X, y, outer=4, jobs=1)
    _, _, found = of(result, "ridge")

    assert np.isnan(found.loc["log_loss", "value"])
    assert found.loc["log_loss", "note"] == "it gives no probabilities"
    assert "'roc_auc' among the losses keeps what it has" in found.loc["auc", "note"]
    assert result.table()["status"].tolist() == ["ok", "ok"]
    both = fw.compare({"ridge": RidgeClassifier()}, X, y, outer=4, loss=["zero_one", "roc_auc"], jobs=1)
    _, _, found = of(both, "ridge")
    assert found.loc["auc", "value"] == pytest.approx(1 - both.table()["risk: roc_auc"][0])
    assert found.loc["average_precision", "value"] > 0.5  # by the same decision values


def test_no_average_precision_has_an_interval_where_folds_fix_the_class_shares():
    X, y = classes(2)
    learners = {"bayes": GaussianNB()}
    _, _, found = of(fw.compare(learners, X, y, outer=5, jobs=1), "bayes")
    assert np.isnan(found.loc["average_precision", "low"])
    assert "stratified folds hold fixed" in found.loc["average_precision", "note"]
    _, _, loose = of(fw.compare(learners, X, y, outer=5, stratify=False, jobs=1), "bayes")
    assert loose.loc["average_precision", "interval"] == "corrected t"


def test_a_percentage_of_nothing_is_not_given():
    X, y = numbers()
    _, _, found = of(fw.compare({"line": LinearRegression()}, X, np.where(y > 21, 0, y), outer=4, jobs=1), "line")
    assert np.isnan(found.loc["mape", "value"])
    assert "the target is 0 in" in found.loc["mape", "note"]


def test_methods_whose_fits_failed_say_so():
    X, y = numbers(30)
    learners = {"k": Refusing(), "line": LinearRegression()}
    result = fw.compare(learners, X, y, outer=3, jobs=1)
    found = result.metrics()
    failed = found[found["method"] == "k"]
    assert failed["value"].isna().all()
    assert set(failed["note"]) == {"fits of it failed"}


def test_auto_has_those_of_its_picks_and_a_store_has_them_all(tmp_path):
    X, y = classes(3)
    learners = {
        "k": fw.tune(KNeighborsClassifier(), n_neighbors=[3, 15]),
        "far": fw.tune(KNeighborsClassifier(weights="distance"), n_neighbors=[5, 9]),
    }
    result = fw.compare(learners, X, y, outer=3, inner=3, jobs=1, store=tmp_path / "run")
    found = result.metrics().set_index(["method", "metric", "class"])["value"]

    accuracy = found.xs("accuracy", level="metric")
    risks = result.table().set_index("method")["risk"]
    assert {name[0]: 1 - value for name, value in accuracy.items()} == pytest.approx(risks.to_dict())
    pd.testing.assert_frame_equal(fw.load(tmp_path / "run").metrics(), result.metrics())
    assert result.fits_made == fw.load(tmp_path / "run").fits


def test_the_answer_has_them_as_plain_numbers_with_their_intervals():
    X, y = classes(2)
    result = fw.compare({"bayes": GaussianNB()}, X, y, outer=4, jobs=1)
    method, (_, own, found) = result.to_dict()["methods"][0], of(result, "bayes")

    assert {name: method["metrics"][name] for name in found.index} == found["value"].to_dict()
    assert method["metrics"]["balanced_zero_one"] == pytest.approx(1 - method["metrics"]["balanced_accuracy"])
    assert method["metric_intervals"]["accuracy"] == found.loc["accuracy", ["low", "high", "interval"]].to_dict()
    assert set(method["metric_intervals"]) == set(found.index[found["interval"].notna()])
    birch = own[own["class"] == "birch"].set_index("metric")["value"]
    assert method["class_metrics"]["birch"] == birch.to_dict()
