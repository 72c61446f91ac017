"""The lecture's example: k-NN, nested 8 x 5; its curve, and the bound of a dev set (questions/guarantee.py)."""

from __future__ import annotations

import json
import math
from inspect import signature
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import foldwise as fw
from foldwise.cli import app
from foldwise.errors import BadInterval

K_NN = KNeighborsRegressor()
# click 8.1 joins stderr to stdout unless told otherwise
APART: dict[str, Any] = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}


@pytest.fixture(scope="module")
def lecture() -> tuple[np.ndarray, np.ndarray]:
    """A smooth function of one variable, with noise."""
    rng = np.random.default_rng(8)
    x = rng.uniform(-3, 3, size=160)
    return x[:, None], np.sin(2 * x) + 0.4 * rng.normal(size=160)


@pytest.fixture(scope="module")
def in_python(lecture: Any) -> Any:
    return fw.compare({"k-nn": fw.tune(K_NN, n_neighbors=range(1, 31))}, *lecture, outer=8, inner=5, seed=4, jobs=1)


def on_the_command_line(lecture: Any, folder: Path, words: str) -> dict[str, Any]:
    file = folder / "lecture.csv"
    pd.DataFrame({"x": lecture[0][:, 0], "y": lecture[1]}).to_csv(file, index=False)
    ran = CliRunner(**APART).invoke(
        app, ["compare", str(file), "--target", "y", "--seed", "4", "--json", *words.split()]
    )
    assert ran.exit_code == 0, ran.output
    answer: dict[str, Any] = json.loads(ran.stdout)
    return answer


@pytest.mark.slow
def test_nested_eight_by_five_in_python_equals_the_naive_loops(lecture: Any, in_python: Any) -> None:
    candidates = [{"n_neighbors": k} for k in range(1, 31)]
    answer = naive.Loops(*lecture, naive.squared).nested(K_NN, candidates, *naive.splits_of(in_python))
    naive.assert_same(in_python, "k-nn", answer)


def test_nested_eight_by_five_on_the_command_line_has_the_same_numbers(
    lecture: Any, in_python: Any, tmp_path: Path
) -> None:
    """The built-in k-nn scales its columns, which moves no neighbour where there is one column."""
    words = "--learners k-nn --space k-nn.n_neighbors=1..30 --outer 8 --inner 5 --jobs 1"
    told, found = on_the_command_line(lecture, tmp_path, words)["methods"][0], in_python.to_dict()["methods"][0]
    assert [fold["candidate"] for fold in told["folds"]] == [fold["candidate"] for fold in found["folds"]]
    for name in ("loss", "selection_score"):
        expected = [fold[name] for fold in found["folds"]]
        np.testing.assert_allclose([fold[name] for fold in told["folds"]], expected, rtol=1e-10)
    for name in ("risk", "low", "high", "selection_score", "train_risk", "fits"):
        assert told[name] == pytest.approx(found[name], rel=1e-10)


@pytest.mark.few(1)
@pytest.mark.parametrize("jobs", [1, 2])
def test_python_and_the_command_line_give_the_same_bytes(lecture: Any, tmp_path: Path, jobs: int) -> None:
    words = f"--learners k-nn --space k-nn.n_neighbors=2,9 --outer 5 --jobs {jobs}"
    told = on_the_command_line(lecture, tmp_path, words)
    learner = fw.learner("k-nn", n_neighbors=[2, 9])
    found = fw.compare({"k-nn": learner}, str(tmp_path / "lecture.csv"), "y", outer=5, seed=4, jobs=1).to_dict()
    for answer in (told, found):
        for part in (answer, *answer["methods"]):
            part.pop("seconds")
    assert json.dumps(told) == json.dumps(found)


def test_the_curve_of_k_nn_has_growing_training_error_shrinking_gap_and_a_u_of_test_error(lecture: Any) -> None:
    curve = fw.curve(K_NN, *lecture, n_neighbors=range(1, 61), outer=8, jobs=1)
    train, test, gap = (np.array(part) for part in (curve.train, curve.test, curve.gap))
    assert train[0] == 0
    coarse = [0, 4, 14, 29, 59]
    assert (np.diff(train[coarse]) > 0).all()
    assert np.corrcoef(np.arange(60), train)[0, 1] > 0.9
    assert (np.diff(gap[[0, 2, 6, 14]]) < 0).all()
    lowest = int(np.argmin(test))
    assert 2 <= lowest <= 25
    assert test[0] > 1.3 * test[lowest] < test[-1]
    assert curve.best == lowest + 1
    sides = curve.table()["side"].tolist()
    assert (sides[0], sides[lowest], sides[-1]) == ("overfitting", "best", "underfitting")


def test_the_curve_is_plain_cross_validation_at_every_value(lecture: Any) -> None:
    labels = np.arange(160) % 6
    curve = fw.curve(K_NN, *lecture, n_neighbors=[1, 7, 30], outer=labels, jobs=1)
    loops = naive.Loops(*lecture, naive.squared)
    for at, k in enumerate((1, 7, 30)):
        models = [loops.fit(K_NN, {"n_neighbors": k}, train) for train, _ in naive.folds(labels)]
        tests = [loops.loss(model, test) for model, (_, test) in zip(models, naive.folds(labels), strict=True)]
        trains = [loops.loss(model, train) for model, (train, _) in zip(models, naive.folds(labels), strict=True)]
        assert curve.test[at] == pytest.approx(np.mean(tests), rel=1e-10)
        assert curve.train[at] == pytest.approx(np.mean(trains), rel=1e-10, abs=1e-12)


def test_the_learning_curve_falls_with_more_rows(lecture: Any) -> None:
    curve = fw.learning_curve(KNeighborsRegressor(3), *lecture, sizes=[10, 40, 140], outer=8, jobs=1)
    assert curve.values == (10, 40, 140)
    assert curve.test[0] > curve.test[1] > curve.test[2]


def test_the_excess_bound_and_its_inverses_agree_with_the_formula() -> None:
    bound = math.sqrt(2 / 500 * math.log(2 * 30 / 0.05))
    assert fw.excess_bound(500, 30, 0.05) == pytest.approx(bound, rel=1e-12)
    assert fw.excess_bound(500, 30, 0.05, bounds=(-1, 3)) == pytest.approx(4 * bound, rel=1e-12)
    assert fw.dev_rows_needed(bound * (1 + 1e-12), 30, 0.05) == 500
    assert fw.dev_rows_needed(0.1, 30, 0.05) == math.ceil(2 / 0.1**2 * math.log(2 * 30 / 0.05))
    assert fw.candidates_allowed(500, bound * (1 + 1e-12), 0.05) == 30
    assert fw.candidates_allowed(500, 0.2, 0.05) == math.floor(0.05 / 2 * math.exp(500 * 0.2**2 / 2))


def test_the_guarantee_is_refused_for_an_unbounded_loss(lecture: Any) -> None:
    with pytest.raises(BadInterval, match="stated range"):
        fw.excess_bound(500, 30, 0.05, bounds=None)
    tuned = fw.tune(Ridge(), alpha=[0.1, 1.0], inner=0.25).fit(*lecture)
    assert tuned.guarantee_.excess is None
    assert "range" in tuned.guarantee_.reason


def test_a_tuned_learner_has_the_guarantee_of_its_development_set(lecture: Any) -> None:
    X, y = lecture
    tuned = fw.tune(KNeighborsClassifier(), n_neighbors=[1, 5, 9], inner=0.25).fit(X, y > 0)
    assert tuned.guarantee_.excess == pytest.approx(math.sqrt(2 / 40 * math.log(2 * 3 / 0.05)), rel=1e-12)
    assert "trained without the 40 dev rows" in tuned.guarantee_.words
    ranged = fw.tune(Ridge(), alpha=[0.1, 1.0], inner=0.25, loss="squared in [0, 9]").fit(X, y)
    assert ranged.guarantee_.excess == pytest.approx(9 * math.sqrt(2 / 40 * math.log(2 * 2 / 0.05)), rel=1e-12)


def test_a_tuned_learner_on_folds_has_no_guarantee_and_says_why(lecture: Any) -> None:
    X, y = lecture
    tuned = fw.tune(KNeighborsClassifier(), n_neighbors=[1, 5, 9], inner=5).fit(X, y > 0)
    assert tuned.guarantee_.excess is None
    assert "development set" in tuned.guarantee_.reason
