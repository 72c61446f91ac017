"""Curves of search: what the first so many candidates came to, read from the records."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from by_hand import grid, pairs_of, score_table
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import foldwise as fw
from foldwise.errors import BadStudy
from foldwise.questions.search_curve import SearchSteps, _paired_p, _test_train_ratio
from foldwise.stats.comparison import paired
from foldwise.studies.tuning_run import Choice

KS = [9, 1, 6, 3, 4, 12]


class OneColumn(RegressorMixin, BaseEstimator):
    """A line through the origin along one column."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        one = X[:, self.column]
        self.slope_ = one @ y / (one @ one)
        return self

    def predict(self, X):
        return self.slope_ * X[:, self.column]


def compared(numbers, **words):
    spec = {"knn": fw.tune(KNeighborsRegressor(), n_neighbors=KS, **words.pop("own", {}))}
    return fw.compare(spec, *numbers, **{"outer": 5, "inner": 3, "jobs": 1, **words})


def by_hand(X, y, result):
    """Selection scores and outer losses of the best of the first t, fold by fold: [fold, t]."""
    selection, risks = [], []
    inner = result.study.methods[0].inner
    for pair, within in zip(pairs_of(result.study.outer), inner.splits, strict=True):
        means = score_table(KNeighborsRegressor(), grid("n_neighbors", KS), X, y, pairs_of(within)).mean(axis=1)
        outer = score_table(KNeighborsRegressor(), grid("n_neighbors", KS), X, y, [pair])[:, 0]
        selection.append([means[:t].min() for t in range(1, len(KS) + 1)])
        risks.append([outer[means[:t].argmin()] for t in range(1, len(KS) + 1)])
    return np.array(selection), np.array(risks)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "words", [{"optimism": True}, {"inner": "pairs"}, {"optimism": True, "outer": 7, "inner": "aligned"}]
)
def test_where_all_candidates_met_the_outer_splits_both_curves_are_those_of_loops(numbers, words):
    result = compared(numbers, **words)
    selection, risks = by_hand(*numbers, result)

    found = result.search_curve("knn")

    np.testing.assert_allclose(found.selection, selection.mean(axis=0), rtol=1e-10)
    np.testing.assert_allclose(found.spread, selection.std(axis=0, ddof=1), rtol=1e-8)
    np.testing.assert_allclose(found.outer, risks.mean(axis=0), rtol=1e-10)
    assert found.outer[-1] == pytest.approx(result.table().set_index("method")["risk"]["knn"])
    assert found.notes == ()
    assert found.tried == (1, 2, 3, 4, 5, 6)


def test_elsewhere_the_outer_risk_is_not_guessed(numbers):
    result = compared(numbers)
    selection, risks = by_hand(*numbers, result)
    found = result.search_curve()

    np.testing.assert_allclose(found.selection, selection.mean(axis=0), rtol=1e-10)
    known = np.isfinite(found.outer)
    assert known[-1]
    assert not known.all()
    np.testing.assert_allclose(np.array(found.outer)[known], risks.mean(axis=0)[known], rtol=1e-10)
    assert "optimism=True" in found.notes[0]
    assert found.to_dict()["points"][0]["risk"] is None
    json.dumps(found.to_dict(), allow_nan=False)


def gains_by_hand(X, y, result):
    """Scores of the best so far less those of the best of all, on all inner splits: [tried, split]."""
    gains = []
    for within in result.study.methods[0].inner.splits:
        table = score_table(KNeighborsRegressor(), grid("n_neighbors", KS), X, y, pairs_of(within))
        best = [table[:t].mean(axis=1).argmin() for t in range(1, len(KS) + 1)]
        gains.append(table[best] - table[best[-1]])
    return np.concatenate(gains, axis=1)


def test_it_says_after_how_many_candidates_no_further_gain_is_shown(numbers):
    result = compared(numbers)
    found = result.search_curve("knn")
    inner = result.study.methods[0].inner.splits
    ratio = np.mean([len(split.test) / len(split.train) for splits in inner for split in splits])
    expected = [paired(one, ratio).p if one.any() else 1.0 for one in gains_by_hand(*numbers, result)]

    np.testing.assert_allclose(found.p, expected, rtol=1e-8)
    assert found.enough == 1 + max((at + 1 for at, p in enumerate(expected) if p <= 0.05), default=0)
    assert f"no further gain of the search of knn is shown after {found.enough} of 6 candidates" in found.words
    assert found.words in repr(found)
    assert list(found.table()) == ["tried", "selection_score", "spread", "risk", "p"]


def test_where_the_outer_risks_are_known_the_difference_of_the_two_lists_counts_too(numbers):
    """The first candidate as a method of its own: its difference to all six is that of the curve, if it is clearer."""
    lists = {name: fw.tune(KNeighborsRegressor(), n_neighbors=ks) for name, ks in (("knn", KS), ("few", KS[:1]))}
    result = fw.compare(lists, *numbers, outer=5, inner="pairs", jobs=1)
    apart, found = result.difference("few", "knn"), result.search_curve("knn")
    method = result.study.methods[0]
    inner = _paired_p([result.reading.choice(method, at) for at in range(5)], 6, _test_train_ratio(method))
    assert found.p[0] == pytest.approx(min(inner[0], apart.p if apart.value > 0 else 1.0))


def test_search_is_not_said_to_have_stopped_where_the_longer_list_is_better():
    """8 of 30 candidates lowered the score by less than its standard error, and yet the two lists differ (p = 0.02)."""
    X, y = load_diabetes(return_X_y=True)
    spec = {"k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=range(1, 31))}
    found = fw.compare(spec, X, y, outer=7, inner="pairs", jobs=1).search_curve("k-nn")
    assert found.p[7] < 0.04
    assert found.enough > 8


def test_a_small_gain_on_every_split_is_a_gain_however_noisy_the_scores_are():
    """The last candidate is better by 0.1 on all splits, while the scores differ between them by 2."""
    rng = np.random.default_rng(0)
    levels = 5 + 2 * rng.normal(size=(6, 5))
    gain = 0.1 + 0.02 * rng.normal(size=(6, 5))
    choices = [tuning(np.stack([one + 0.2, one, one - few])) for one, few in zip(levels, gain, strict=True)]
    p = _paired_p(choices, 3, 0.25)
    assert p[1] < 0.05
    assert curve(p).words == "the search of it was still helping at its last candidate, number 3"


def tuning(scores):
    return Choice(2, 0.0, scores, (0, 1, 2), 0, 0)


def curve(p):
    return SearchSteps("it", "squared", (3.0, 2.0, 1.9), (0.1,) * 3, (math.nan,) * 3, p)


@pytest.mark.slow
def test_candidates_that_are_all_the_same_are_seldom_said_to_help_to_the_end():
    """A parameter that does nothing but draw other columns of noise: one claim in 20 would be the level."""
    rng = np.random.default_rng(3)
    said = 0
    for _ in range(150):
        X, y = rng.normal(size=(60, 8)), rng.normal(size=60)
        spec = fw.tune(OneColumn(), column=range(8))
        found = fw.compare({"it": spec}, X, y, outer=5, inner=5, jobs=1).search_curve("it")
        said += found.enough == 8
    assert said <= 0.05 * 150


def test_a_search_that_helped_to_the_end_is_told(numbers):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = 10 * X[:, 0] + 0.01 * rng.normal(size=60)
    alphas = [1e6, 1e5, 1e-3]
    found = fw.compare({"ridge": fw.tune(Ridge(), alpha=alphas)}, X, y, outer=3, inner=3, jobs=1).search_curve("ridge")
    assert found.words == "the search of ridge was still helping at its last candidate, number 3"


def test_scores_without_noise_have_an_end_too():
    """Classes far apart are told apart without an error, so no score differs from fold to fold."""
    X, y = np.repeat([0.0, 9.0], 30)[:, None] + np.linspace(0, 1, 60)[:, None], np.repeat([0, 1], 30)
    for values, after in (([1, 3, 5], 1), ([32, 1, 3], 2)):
        spec = {"k-nn": fw.tune(KNeighborsClassifier(), n_neighbors=values)}
        curve = fw.compare(spec, X, y, outer=3, inner=5, jobs=1).search_curve("k-nn")
        assert curve.enough == after
        assert curve.words.endswith(f"after {after} of 3 candidates: the others did not lower the selection score")


def test_with_one_inner_split_the_outer_ones_are_paired(numbers):
    assert len(compared(numbers, inner="dev").search_curve("knn").p) == len(KS)
    alone = compared(numbers, outer=0.3, inner=0.3).search_curve("knn")
    assert alone.p is None
    assert alone.enough is None
    assert alone.words == "no gain of the search of knn can be tested: one split has nothing to pair"
    assert alone.to_dict()["points"][0]["p"] is None


def test_the_rule_of_the_study_chooses_on_the_way_too(numbers):
    result = compared(numbers, own={"rule": "one_se", "simpler": {"n_neighbors": "high"}}, optimism=True)
    found = result.search_curve("knn")
    assert found.outer[-1] == pytest.approx(result.table().set_index("method")["risk"]["knn"])


def test_a_search_that_asks_as_it_goes_is_shown_in_the_order_of_asking(numbers):
    spec = {"ridge": fw.tune(Ridge(), alpha=fw.log_range(1e-3, 1e3), tuner="tpe", budget=14)}
    result = fw.compare(spec, *numbers, outer=3, inner=2, jobs=1)
    found = result.search_curve("ridge")
    method, reading = result.study.methods[0], result.reading
    firsts = [reading.run(method, f"outer {at}").scores()[:1].mean() for at in range(3)]
    assert len(found.selection) == 14
    assert found.selection[0] == pytest.approx(np.mean(firsts))
    scores = [fold["selection_score"] for fold in result.to_dict()["methods"][0]["folds"]]
    assert found.selection[-1] == pytest.approx(np.mean(scores))
    assert [note.endswith("never fitted on the outer splits") for note in found.notes] == [True]  # and not: optimism


def test_it_is_read_from_a_store_without_learners(numbers, tmp_path):
    result = compared(numbers, store=tmp_path / "run")
    read = fw.load(tmp_path / "run").search_curve("knn")
    assert read.to_dict() == result.search_curve("knn").to_dict()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (lambda: LinearRegression(), "tries no candidates"),
        (lambda: fw.blend({"a": LinearRegression(), "b": Ridge()}), "tries no candidates"),
        (
            lambda: fw.tune(KNeighborsRegressor(), n_neighbors=KS, tuner="racing"),
            "drops candidates before they have a score",
        ),
    ],
)
def test_what_has_no_such_curve_is_refused(numbers, spec, message):
    result = fw.compare({"it": spec()}, *numbers, outer=3, inner=3, jobs=1, solvers=False)
    with pytest.raises(BadStudy, match=message):
        result.search_curve("it")
