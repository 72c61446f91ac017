"""What a study rests on as data frames (api/result.py): the numbers of plain loops over its splits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge

import foldwise as fw
from foldwise.errors import BadStudy


@pytest.fixture(scope="module")
def result(numbers):
    learners = {"line": LinearRegression(), "ridge": fw.tune(Ridge(), alpha=[0.1, 10.0])}
    return fw.compare(learners, *numbers, outer=3, inner=2, loss=["squared", "absolute"], jobs=1)


def part(table, **where):
    for column, value in where.items():
        table = table[table[column] == value]
    return table


def test_losses_are_those_of_models_fitted_on_the_rows_of_the_splits(result, numbers):
    X, y = numbers
    losses, splits = result.losses(), part(result.splits(), level="outer")
    for fold in range(3):
        train, test = (part(splits, fold=fold, part=name)["row"].to_numpy() for name in ("train", "test"))
        predicted = LinearRegression().fit(X[train], y[train]).predict(X[test])
        found = part(losses, method="line", fold=fold)
        assert found["row"].tolist() == test.tolist()
        np.testing.assert_allclose(found["prediction"], predicted)
        np.testing.assert_allclose(found["loss"], (predicted - y[test]) ** 2)
        np.testing.assert_allclose(found["loss: absolute"], abs(predicted - y[test]))
    assert losses["own"].all()


def test_splits_are_those_of_both_levels_and_of_the_final_tuning(result):
    splits = result.splits()
    assert splits.groupby("level")["row"].size().to_dict() == {"outer": 3 * 42, "inner": 3 * 2 * 28, "final": 2 * 42}
    assert not part(splits, level="final")["fold"].notna().any()


def test_means_over_rows_are_the_other_risk_and_have_no_interval(result):
    by_row = result.losses().groupby("method")["loss"].mean()
    table = result.table(mean="rows").set_index("method")
    assert table.loc["line", "risk"] == pytest.approx(by_row["line"])
    assert "low" not in table
    assert result.table()["risk: absolute"].notna().all()
    with pytest.raises(BadStudy, match=r"no mean over 'row'\. Did you mean 'rows'"):
        result.table(mean="row")


def test_the_auto_row_has_a_mean_over_rows_too(numbers):
    learners = {"ridge": fw.tune(Ridge(), alpha=[0.1, 10.0]), "weak": fw.tune(Ridge(), alpha=[1e5, 1e6])}
    X, y = numbers
    found = fw.compare(learners, X[:40], y[:40], outer=3, inner=2, jobs=1)
    table = found.table(mean="rows").set_index("method")["risk"]
    assert table["auto"] == pytest.approx(table["ridge"])


def test_classes_have_their_own_names(classes):
    X, y = classes
    result = fw.compare({"log": LogisticRegression()}, X, np.array(["no", "yes"])[y], outer=3, jobs=1)
    assert set(result.losses()["prediction"]) == {"no", "yes"}


def test_choices_are_one_row_for_each_outer_fold(result):
    choices = part(result.choices(), method="ridge")
    assert choices["fold"].tolist() == [0, 1, 2]
    assert {candidate["alpha"] for candidate in choices["candidate"]} <= {0.1, 10.0}


def test_the_auto_row_has_every_loss_too(numbers):
    """With two tuned methods there is an auto row: its second loss is that of the picks of each fold."""
    learners = {"ridge": fw.tune(Ridge(), alpha=[0.1, 10.0]), "weak": fw.tune(Ridge(), alpha=[1e5, 1e6])}
    found = fw.compare(learners, *numbers, outer=3, inner=2, loss=["squared", "absolute"], jobs=1)
    rows = found.table().set_index("method")
    picks = [fold["candidate"]["method"] for fold in found.to_dict()["methods"][-1]["folds"]]
    losses = found.losses().set_index(["method", "fold"])["loss: absolute"]
    expected = np.mean([losses.loc[pick, fold].mean() for fold, pick in enumerate(picks)])
    assert rows.loc["auto", "risk: absolute"] == pytest.approx(expected, rel=1e-12)
