"""What tuning gained: the same learner at its own default parameters, judged on the same outer splits."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

import foldwise as fw
from foldwise.api.result import Result
from foldwise.studies.reading import Reading

KS = [1, 5, 12]


class Counting(KNeighborsRegressor):
    """A learner that counts its fits, by candidate."""

    made: ClassVar[list[int]] = []

    def fit(self, X: Any, y: Any) -> Any:
        self.made.append(self.n_neighbors)
        return super().fit(X, y)


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(42, 3))
    return X, X[:, 0] + 0.5 * rng.normal(size=42)


@pytest.fixture(autouse=True)
def _from_zero():
    Counting.made.clear()


def compared(numbers, learner=None, **words):
    spec = {"knn": learner if learner is not None else fw.tune(Counting(), n_neighbors=[1, 2, 12])}
    return fw.compare(spec, *numbers, **{"outer": 5, "inner": 3, "jobs": 1, "defaults": True, **words})


def row(result, name="knn"):
    return next(method for method in result.to_dict()["methods"] if method["name"] == name)


def test_the_plan_counts_one_more_fit_per_outer_split_and_the_run_makes_them(numbers):
    words = {"outer": 5, "inner": 3}
    specs = {"knn": fw.tune(Counting(), n_neighbors=[1, 2, 12])}
    plain, plan = (fw.plan(specs, *numbers, **words, defaults=asked, pilot=False) for asked in (False, True))
    result = compared(numbers)
    assert plan.fits == plain.fits + 5 == result.fits == result.fits_made
    assert {"knn (default parameters)": 5}.items() <= {one["name"]: one["fits"] for one in plan.methods}.items()
    assert Counting.made.count(5) == 5
    assert (row(result)["fits"], row(result)["fits_made"]) == (len(Counting.made),) * 2


def test_the_plan_says_at_most_where_the_tuned_learner_may_choose_its_defaults(numbers):
    for ks, at_most in (([1, 2, 12], False), (KS, True)):
        specs = {"knn": fw.tune(KNeighborsRegressor(), n_neighbors=ks)}
        plan = fw.plan(specs, *numbers, outer=5, inner=3, defaults=True, jobs=1)
        (own,) = [one for one in plan.methods if one["name"] == "knn (default parameters)"]
        assert own["at_most"] == at_most
        assert own["seconds"] is not None


def test_no_other_number_depends_on_it(numbers):
    with_it, without = compared(numbers).to_dict(), compared(numbers, defaults=False).to_dict()
    own = ("tuning_gain", "fits", "fits_made", "seconds")
    for one, other in zip(with_it["methods"], without["methods"], strict=True):
        assert {key: one[key] for key in one if key not in own} == {key: other[key] for key in other if key not in own}
    assert [note for note in with_it["notes"] if note not in without["notes"]] == []


def test_the_gain_is_the_difference_to_an_untuned_row(numbers):
    result = compared(numbers)
    rows = {"knn": fw.tune(Counting(), n_neighbors=[1, 2, 12]), "plain": Counting()}
    both = fw.compare(rows, *numbers, outer=5, inner=3, jobs=1)
    apart, gain = both.difference("plain", "knn"), row(result)["tuning_gain"]
    assert (gain["value"], gain["low"], gain["high"]) == pytest.approx((apart.value, apart.low, apart.high))
    assert gain["default_risk"] == pytest.approx(row(both, "plain")["risk"])


def test_a_default_that_is_a_candidate_shares_its_fits(numbers):
    """On pairs every candidate is fitted on the outer training rows, so the defaults cost nothing."""
    spec = fw.tune(Counting(), n_neighbors=KS)
    result = compared(numbers, spec, inner="pairs")
    assert len(Counting.made) == (10 + 5) * len(KS) == row(result)["fits"]
    assert row(result)["tuning_gain"] is not None
    Counting.made.clear()
    folds = compared(numbers, spec)
    chosen = [fold["candidate"]["n_neighbors"] for fold in row(folds)["folds"]]
    assert Counting.made.count(5) == (5 * 3 + 3) + 5
    assert len(Counting.made) == len(set(folds.reading.store.keys())) - 5
    assert len(Counting.made) == (5 * 3 + 3) * len(KS) + 5 + 5 - chosen.count(5)


@pytest.mark.parametrize(("candidates", "is_judged"), [(19, False), (20, True)])
def test_unless_asked_it_is_done_where_there_are_many_candidates(numbers, candidates, is_judged):
    spec = fw.tune(Ridge(), alpha=fw.log_range(1e-3, 1e3, candidates))
    assert (row(compared(numbers, spec, defaults=None))["tuning_gain"] is not None) == is_judged
    assert row(compared(numbers, spec, defaults=False))["tuning_gain"] is None


def test_a_risk_of_its_own_and_blends_have_no_defaults(numbers):
    spec = fw.tune(Ridge(), alpha=fw.log_range(1e-3, 1e3, 30))
    assert fw.risk(spec, *numbers, outer=5, inner=3).fits == 5 * (3 * 30 + 1)
    assert row(compared(numbers, fw.blend({"a": spec, "b": Ridge(3.0)})))["tuning_gain"] is None


def test_a_store_goes_on_and_is_read_without_learners(numbers, tmp_path):
    first = compared(numbers, store=tmp_path / "run")
    assert compared(numbers, store=tmp_path / "run").fits_made == 0
    assert row(fw.load(tmp_path / "run"))["tuning_gain"] == row(first)["tuning_gain"]
    later = compared(numbers, defaults=False, store=tmp_path / "more")
    assert row(later)["tuning_gain"] is None
    assert compared(numbers, store=tmp_path / "more").fits_made == 5


def test_a_run_with_a_time_limit_does_them_last(numbers):
    specs = {name: fw.tune(Ridge(), alpha=[0.1, 10.0]) for name in ("one", "two")}
    result = fw.compare(specs, *numbers, outer=3, inner=3, jobs=1, defaults=True, time_limit=60, isolate=False)
    order = list(dict.fromkeys(record.learner for record in map(result.reading.store.get, result.reading.store.keys())))
    assert result.is_finished
    assert order.index("one (default parameters)") > order.index("one")
    assert row(result, "two")["tuning_gain"] is not None


class Fragile(Ridge):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if self.alpha == 1.0:
            raise ValueError("not at the default")
        return super().fit(X, y, sample_weight)


def test_a_run_that_stops_before_them_says_so(numbers, tmp_path):
    """All that a study without defaults left is there; those of the defaults are still to come."""
    compared(numbers, defaults=False, store=tmp_path / "run")
    whole = compared(numbers)
    store = fw.load(tmp_path / "run").reading.store
    result = Result(Reading(whole.study, store), made={}, seconds=0.0)
    assert not result.is_finished
    assert (row(result)["status"], row(result)["tuning_gain"]) == ("ok", None)
    assert any("its fits at default parameters are not finished" in note for note in result.notes)


def test_defaults_that_fail_cost_the_method_nothing(numbers):
    result = compared(numbers, fw.tune(Fragile(), alpha=[0.1, 10.0]))
    assert (row(result)["status"], row(result)["failed"], row(result)["tuning_gain"]) == ("ok", 0, None)
    (note,) = [note for note in result.notes if "default parameters failed" in note]
    assert note.endswith("5 of its fits at default parameters failed; first: ValueError: not at the default (in fit)")


def test_where_tuning_helps_much_it_is_said_everywhere():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = 10 * X[:, 0] + 0.1 * rng.normal(size=200)
    result = fw.compare({"ridge": fw.tune(Ridge(300.0), alpha=[1e-3, 1.0])}, X, y, outer=5, jobs=1, defaults=True)
    assert "ridge (default parameters) minus ridge: " in result.explain()
    json.dumps(result.to_dict(), allow_nan=False)


def null_claims(studies, seed):
    """Studies of coin tosses, where every learner has a risk of one half, in which tuning is said to help or harm."""
    rng, said = np.random.default_rng(seed), 0
    learners = {
        "k-nn": fw.tune(KNeighborsClassifier(), n_neighbors=range(1, 16)),
        "tree": fw.tune(DecisionTreeClassifier(random_state=0), max_depth=range(1, 6)),
    }
    for _ in range(studies):
        X, y = rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
        result = fw.compare(learners, X, y, outer=5, inner=3, jobs=1, defaults=True)
        gains = [row(result, name)["tuning_gain"] for name in learners]
        said += any(gain["low"] > 0 or gain["high"] < 0 for gain in gains)
    return said


def test_tuning_on_pure_noise_is_not_said_to_help():
    assert null_claims(3, seed=1) == 0


@pytest.mark.slow
def test_tuning_on_pure_noise_is_said_to_help_in_at_most_one_study_of_twenty():
    assert null_claims(150, seed=2) <= 0.05 * 150
