"""Fits are counted by a learner that counts its own, and the answer says the same number."""

from __future__ import annotations

from typing import Any, ClassVar

import naive
import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline

import foldwise as fw


class Counting(KNeighborsRegressor):
    """A learner that counts its fits, by candidate."""

    made: ClassVar[list[int]] = []

    def fit(self, X: Any, y: Any) -> Counting:
        self.made.append(self.n_neighbors)
        return super().fit(X, y)  # type: ignore[no-any-return]


@pytest.fixture(autouse=True)
def _from_zero() -> None:
    Counting.made.clear()


KS = [1, 2, 4, 8]


def compare(curved: Any, **words: Any) -> Any:
    return fw.compare({"counting": fw.tune(Counting(), n_neighbors=KS)}, *curved, jobs=1, **words)


def assert_counted(result: Any, fits: int, baseline: int) -> None:
    answer = result.to_dict()
    assert len(Counting.made) == fits
    assert (answer["methods"][0]["fits"], answer["methods"][0]["fits_made"]) == (fits, fits)
    assert (result.fits, result.fits_made) == (fits + baseline, fits + baseline)


def assert_naive(result: Any, curved: Any, labels: np.ndarray) -> None:
    scheme = naive.folds(labels), *naive.aligned(labels)
    answer = naive.Loops(*curved, naive.squared).nested(
        KNeighborsRegressor(), [{"n_neighbors": k} for k in KS], *scheme
    )
    naive.assert_same(result, "counting", answer)


@pytest.mark.slow
def test_ten_by_nine_on_pairs_takes_55_fits_per_candidate_and_one_more_for_the_model(curved: Any) -> None:
    labels = np.arange(78) % 10
    result = compare(curved, outer=labels, inner="pairs")
    assert_counted(result, (45 + 10) * len(KS), baseline=10)
    assert all(Counting.made.count(k) == 55 for k in KS)
    result.refit("counting")
    assert len(Counting.made) == 55 * len(KS) + 1
    assert_naive(result, curved, labels)


def test_thirteen_by_four_on_lines_takes_13_fits_per_candidate_13_refits_and_the_model(curved: Any) -> None:
    labels = np.arange(78) % 13
    result = compare(curved, outer=labels, inner="aligned")
    assert_counted(result, 13 * len(KS) + 13, baseline=13)
    assert Counting.made.count(result.refit("counting").n_neighbors) >= 14
    assert len(Counting.made) == 13 * len(KS) + 13 + 1
    assert_naive(result, curved, labels)


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("words", "fits"),
    [
        ({"outer": 9, "inner": "lines"}, 12 * 4 + 9),
        ({"outer": 5, "inner": "pairs", "repeats": 2}, 2 * (10 + 5) * 4),
        ({"outer": 7, "inner": "lines", "repeats": 2}, 2 * (7 * 4 + 7)),
        ({"outer": 7, "inner": "lines", "optimism": True}, (7 + 7) * 4),
        ({"outer": 8, "inner": 5}, 8 * 5 * 4 + 8 + 5 * 4),
        ({"outer": 10, "inner": "dev"}, 10 * 4 + 10 + 4),
        ({"outer": 0.2, "inner": 0.25}, 4 + 1 + 4),
    ],
    ids=lambda value: " ".join(str(part) for part in value.values()) if isinstance(value, dict) else str(value),
)
def test_other_schemes_take_the_fits_their_arithmetic_says(curved: Any, words: dict[str, Any], fits: int) -> None:
    result = compare(curved, **words)
    splits = result.to_dict()["methods"][0]["folds"]
    assert_counted(result, fits, baseline=len(splits))


def test_the_plan_tells_the_fits_before_they_are_made(curved: Any) -> None:
    plan = fw.plan({"counting": fw.tune(Counting(), n_neighbors=KS)}, *curved, outer=13, pilot=False)
    assert Counting.made == []
    assert [method["fits"] for method in plan.methods] == [13 * len(KS) + 13, 13]


def test_an_untuned_learner_is_fitted_once_per_fold(curved: Any) -> None:
    result = fw.compare({"plain": Counting()}, *curved, outer=10, jobs=1)
    assert_counted(result, 10, baseline=10)


def test_several_losses_cost_no_further_fit(curved: Any) -> None:
    assert_counted(compare(curved, outer=7, loss=["squared", "absolute", "r2"]), 7 * 4 + 7, baseline=7)


def test_two_names_for_one_learner_share_their_fits(curved: Any) -> None:
    result = fw.compare({"one": Counting(3), "two": Counting(3)}, *curved, outer=7, jobs=1)
    assert len(Counting.made) == 7
    assert (result.fits, result.fits_made) == (14, 14)
    one, two, _ = result.to_dict()["methods"]
    assert one["folds"] == two["folds"]


def test_a_fixed_candidate_shares_the_fits_of_the_tuned_learner(curved: Any) -> None:
    learners = {"tuned": fw.tune(Counting(), n_neighbors=KS), "fixed": Counting(4)}
    result = fw.compare(learners, *curved, outer=5, inner="pairs", jobs=1)
    assert len(Counting.made) == (10 + 5) * len(KS)
    assert result.fits == (10 + 5) * len(KS) + 5


def test_a_tuned_learner_alone_takes_its_folds_and_one_fit(curved: Any) -> None:
    tuned = fw.tune(Counting(), n_neighbors=KS, inner=5).fit(*curved)
    assert len(Counting.made) == 5 * len(KS) + 1 == tuned.fits_


def test_learners_whose_seeds_differ_do_not_share_a_fit(curved: Any) -> None:
    """A step chosen by the space and the same step given: one setting, two families, so two seeds."""
    forest = RandomForestRegressor(3)
    given = Pipeline([("model", forest)])
    chosen = fw.tune(Pipeline([("model", KNeighborsRegressor())]), model=[forest])
    alone = fw.compare({"given": given}, *curved, outer=3, jobs=1).to_dict()["methods"][0]
    among = fw.compare({"chosen": chosen, "given": given}, *curved, outer=3, jobs=1).to_dict()["methods"]
    assert among[1]["folds"] == alone["folds"]
    assert among[0]["risk"] != among[1]["risk"]
