"""The auto row: outer losses of whichever method each fold's own inner cross-validation prefers."""

from __future__ import annotations

import numpy as np
import pytest
from by_hand import Counted, grid, method_of, pairs_of, row_losses, score_table
from sklearn.linear_model import Lasso, Ridge

import foldwise as fw
from foldwise import intervals
from foldwise.errors import BadStudy

KS, ALPHAS = [1, 3, 6], [0.01, 1.0, 30.0]
LEARNERS = {"knn": Counted(), "ridge": Ridge(), "lasso": Lasso()}
GRIDS = {"knn": grid("n_neighbors", KS), "ridge": grid("alpha", ALPHAS), "lasso": grid("alpha", [0.02, 0.3])}


def specs(names=("knn", "ridge", "lasso"), **words):
    spaces = {"knn": {"n_neighbors": KS}, "ridge": {"alpha": ALPHAS}, "lasso": {"alpha": [0.02, 0.3]}}
    return {name: fw.tune(LEARNERS[name], **spaces[name], **words) for name in names}


@pytest.fixture(scope="module")
def result(numbers):
    return fw.compare(specs(), *numbers, outer=6, inner=3, jobs=1)


@pytest.fixture(scope="module")
def by_loops(numbers, result):
    """Per outer split: the preferred method and its losses; and the smallest final score of every method."""
    X, y = numbers
    outer, inner = pairs_of(result.study.outer), result.study.methods[0].inner
    picks, losses, scores = [], [], []
    for pair, within in zip(outer, inner.splits, strict=True):
        means = {name: score_table(LEARNERS[name], GRIDS[name], X, y, pairs_of(within)).mean(1) for name in LEARNERS}
        name = min(means, key=lambda name: means[name].min())
        picks.append(name)
        scores.append(means[name].min())
        losses.append(row_losses(LEARNERS[name], GRIDS[name][means[name].argmin()], X, y, pair))
    final = {
        name: score_table(LEARNERS[name], GRIDS[name], X, y, pairs_of(inner.final)).mean(1).min() for name in LEARNERS
    }
    return picks, losses, scores, final


def test_its_losses_are_those_of_the_method_each_fold_prefers(result, by_loops):
    picks, losses, scores, final = by_loops
    auto = method_of(result, "auto")
    assert len(set(picks)) > 1, "the data should make folds disagree"
    assert [fold["candidate"]["method"] for fold in auto["folds"]] == picks
    np.testing.assert_allclose([fold["loss"] for fold in auto["folds"]], [part.mean() for part in losses], rtol=1e-10)
    np.testing.assert_allclose([fold["selection_score"] for fold in auto["folds"]], scores, rtol=1e-10)
    assert auto["risk"] == pytest.approx(np.mean([part.mean() for part in losses]))
    assert auto["selection_score"] == pytest.approx(min(final.values()))
    assert auto["agreement"] == pytest.approx(max(picks.count(name) for name in picks) / 6)


def test_its_interval_is_the_corrected_t_of_its_own_fold_losses(result):
    auto = method_of(result, "auto")
    truth = intervals.corrected_t([fold["loss"] for fold in auto["folds"]], 7 / 35)
    assert (auto["low"], auto["high"]) == pytest.approx((truth.low, truth.high))
    assert auto["target"] == (
        "tuning knn, lasso and ridge and taking the one that the inner splits prefer, at 35 training rows"
    )


def test_it_is_never_the_best_and_has_no_simultaneous_interval(result):
    answer = result.to_dict()
    assert answer["best"] != "auto"
    assert "auto" not in answer["not_told_apart"]
    assert answer["winner"]["name"] != "auto"
    assert method_of(result, "auto")["low_simultaneous"] is None


def test_it_takes_no_fit_of_its_own(numbers, result):
    answer = result.to_dict()
    auto = method_of(result, "auto")
    tuned = [method["fits"] for method in answer["methods"] if method["name"] in LEARNERS]
    assert auto["fits"] == sum(tuned)
    assert auto["fits_made"] == 0
    assert answer["fits"] == answer["fits_made"] == sum(tuned) + 6
    assert answer["fits"] == fw.plan(specs(), *numbers, outer=6, inner=3, pilot=False).fits


def test_refit_follows_the_rule_that_is_asked_for(result, by_loops):
    *_, final = by_loops
    preferred = min(final, key=final.get)
    answer = result.to_dict()
    smallest = min((method for method in answer["methods"] if method["name"] != "auto"), key=lambda m: m["risk"])
    assert answer["refit_inner"]["method"] == preferred
    assert answer["refit"]["method"] == smallest["name"] == result.best
    assert type(result.refit(pick="inner")) is type(result.refit(preferred))
    assert result.refit(pick="inner").get_params() == result.refit(preferred).get_params()
    assert type(result.refit()) is type(result.refit(pick="outer")) is type(result.refit(smallest["name"]))


def test_the_two_rules_can_differ(numbers):
    """Where inner and outer splits disagree, refit() and refit(pick="inner") hand over different methods."""
    X, y = numbers
    for seed in range(8):
        found = fw.compare(specs(("ridge", "lasso")), X, y, outer=3, inner=3, seed=seed, jobs=1).to_dict()
        if found["refit"]["method"] != found["refit_inner"]["method"]:
            return
    pytest.fail("inner and outer splits agreed for every seed")


def test_a_rule_and_a_name_are_not_mixed(result):
    with pytest.raises(BadStudy, match="a method is named or picked by a rule"):
        result.refit("ridge", pick="inner")
    with pytest.raises(BadStudy, match="pick='outer' or pick='inner'"):
        result.refit(pick="middle")


def test_methods_on_different_inner_splits_have_no_auto_row(numbers):
    mixed = {**specs(("knn",)), **specs(("ridge",), inner=4)}
    result = fw.compare(mixed, *numbers, outer=3, inner=3, jobs=1)
    assert [method["name"] for method in result.to_dict()["methods"]] == ["knn", "ridge", "baseline"]
    with pytest.raises(BadStudy, match="two or more methods tuned on the same inner splits"):
        result.refit(pick="inner")


@pytest.mark.parametrize("names", [("knn",), ()])
def test_one_tuned_method_has_no_auto_row(numbers, names):
    result = fw.compare({**specs(names), "fixed": Ridge()}, *numbers, outer=3, inner=3, jobs=1)
    assert result.to_dict()["refit_inner"] is None
    assert "auto" not in {method["name"] for method in result.to_dict()["methods"]}


def test_the_auto_row_survives_its_store(numbers, tmp_path):
    result = fw.compare(specs(("knn", "ridge")), *numbers, outer=3, inner=3, store=tmp_path / "run", jobs=1)
    loaded = fw.load(tmp_path / "run").to_dict()
    assert method_of(result, "auto")["folds"] == loaded["methods"][-1]["folds"]
    assert loaded["methods"][-1]["name"] == "auto"


def test_the_order_of_methods_changes_nothing(numbers, result):
    turned = fw.compare(dict(reversed(specs().items())), *numbers, outer=6, inner=3, jobs=1)
    for name in ("auto", *LEARNERS, "baseline"):
        one, other = method_of(result, name), method_of(turned, name)
        assert {k: v for k, v in one.items() if k != "seconds"} == {k: v for k, v in other.items() if k != "seconds"}
    for key in ("best", "winner", "refit", "refit_inner"):
        assert result.to_dict()[key] == turned.to_dict()[key]
    assert set(result.to_dict()["not_told_apart"]) == set(turned.to_dict()["not_told_apart"])
