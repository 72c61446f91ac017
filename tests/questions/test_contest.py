"""Who is compared with whom: not the baseline, and nobody that failed."""

from __future__ import annotations

import numpy as np
import pytest
from by_hand import Counted, method_of
from scipy import stats
from sklearn.linear_model import LinearRegression

import foldwise as fw
from foldwise import intervals
from foldwise.errors import FitsFailed
from foldwise.questions.contest import pair_level
from foldwise.stats.multiple import holm

LEARNERS = {"ols": LinearRegression(), "knn": Counted(3), "one": Counted(1)}


class Broken(LinearRegression):
    def fit(self, X, y, sample_weight=None):
        raise ValueError("not these rows")


@pytest.fixture(scope="module")
def folds(numbers):
    return fw.compare(LEARNERS, *numbers, outer=6, jobs=1)


def fold_losses(result, name):
    return np.array([fold["loss"] for fold in method_of(result, name)["folds"]])


def test_a_study_whose_methods_all_failed_raises_with_the_rest_of_its_answer(numbers, tmp_path):
    words = {"outer": 3, "jobs": 1, "store": tmp_path / "run"}
    with pytest.raises(FitsFailed, match=r"broken \(3 of 3 fits failed\)\. .*not these rows") as failed:
        fw.compare({"broken": Broken()}, *numbers, **words)
    for result in (failed.value.result, fw.load(tmp_path / "run")):
        answer = result.to_dict()
        assert (result.best, answer["winner"], answer["refit"], answer["not_told_apart"]) == (None, None, None, None)
        assert method_of(result, "baseline")["risk"] > 0
        assert "Nothing beats the baseline" not in repr(result)
        for ask in (result.candidate, result.search_curve):
            with pytest.raises(FitsFailed, match="none is the best"):
                ask()
    with pytest.raises(FitsFailed, match="none is the best"):
        failed.value.result.refit()


def test_the_baseline_answers_for_methods_that_failed_only_when_asked(numbers):
    result = fw.compare({"broken": Broken()}, *numbers, outer=3, jobs=1, on_failure="baseline")
    assert result.best == "baseline"
    assert "Every other method failed" in repr(result)
    assert result.to_dict()["not_told_apart"] == ["baseline"]


def test_a_method_that_failed_changes_no_number_of_the_others(numbers, folds):
    with_failed = fw.compare({**LEARNERS, "broken": Broken()}, *numbers, outer=6, jobs=1).to_dict()
    answer = folds.to_dict()
    assert [with_failed[key] for key in ("best", "winner", "not_told_apart")] == [
        answer[key] for key in ("best", "winner", "not_told_apart")
    ]
    for method in answer["methods"]:
        again = next(other for other in with_failed["methods"] if other["name"] == method["name"])
        assert {**again, "seconds": 0} == {**method, "seconds": 0}


def test_three_learners_pay_for_three_pairs_and_the_baseline_for_three_more(folds):
    names = list(LEARNERS)
    p = {}
    for family in ([(0, 1), (0, 2), (1, 2)], [(0, "baseline"), (1, "baseline"), (2, "baseline")]):
        pairs = [[names[place] if isinstance(place, int) else place for place in pair] for pair in family]
        raw = [folds.difference(one, other).p for one, other in pairs]
        for pair, value in zip(pairs, holm(raw).tolist(), strict=True):
            p |= {name: value for name in pair if folds.best in pair and name != folds.best}
    found = {method["name"]: method["p_holm"] for method in folds.to_dict()["methods"] if method["name"] in p}
    assert found == pytest.approx(p)


def test_which_methods_are_told_apart_goes_by_the_pairs_of_their_own_kind(numbers, folds):
    level = 1 - 0.05 / 3
    apart = set()
    for name in (*LEARNERS, "baseline"):
        if name != folds.best:
            values = fold_losses(folds, name) - fold_losses(folds, folds.best)
            reach = stats.t.ppf(0.5 + level / 2, 5) * np.sqrt(values.var(ddof=1) * (1 / 6 + 7 / 35))
            apart |= {name} if values.mean() - reach > 0 else set()
    told = set(folds.to_dict()["not_told_apart"])
    assert told == {*LEARNERS, "baseline"} - apart


@pytest.mark.parametrize(("learners", "pairs"), [(2, 1), (3, 3), (4, 6)])
def test_the_level_of_an_interval_is_shared_among_all_pairs_of_its_kind(numbers, learners, pairs):
    names = {f"k {k}": Counted(k) for k in range(1, learners + 1)}
    methods = fw.compare(names, *numbers, outer=4, jobs=1).methods
    one, other, baseline = methods[0], methods[1], methods[-1]
    assert pair_level(methods, one, other) == pytest.approx(1 - 0.05 / pairs)
    assert pair_level(methods, one, baseline) == pytest.approx(1 - 0.05 / learners)


def test_one_learner_beside_the_baseline_pays_for_nothing(numbers):
    result = fw.compare({"ols": LinearRegression()}, *numbers, outer=6, jobs=1)
    method, answer = method_of(result, "ols"), result.to_dict()
    assert (answer["best"], answer["winner"]["among"], answer["winner"]["bbc"]) == ("ols", 1, None)
    assert (method["low_simultaneous"], method["high_simultaneous"]) == (method["low"], method["high"])
    assert "for the best of" not in repr(result)
    baseline = method_of(result, "baseline")
    assert baseline["p_holm"] == baseline["p"]


def test_where_the_baseline_is_the_best_it_was_picked_among_all(numbers):
    X, _ = numbers
    noise = np.random.default_rng(1).normal(size=len(X))
    result = fw.compare({"one": Counted(1), "two": Counted(2)}, X, noise, outer=6, jobs=1)
    assert (result.best, result.to_dict()["winner"]["among"]) == ("baseline", 3)
    losses = fold_losses(result, "baseline")
    winner = result.to_dict()["winner"]
    assert 0.95 < winner["level"] <= 1 - 0.05 / 3
    assert winner["high_simultaneous"] == pytest.approx(intervals.corrected_t(losses, 7 / 35, winner["level"]).high)
