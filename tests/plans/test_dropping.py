"""Studies whose tuners drop candidates on the way: the same whatever runs them, with fewer fits."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.svm import SVC, SVR

import foldwise as fw
from foldwise.errors import BadSpace, BadStudy
from foldwise.records.sqlite import SqliteStore

TUNERS = ("racing", "halving(least=8)")
GRID = {"C": [0.01, 1.0, 100.0], "gamma": [0.01, 0.5, 20.0]}


class Fussy(SVR):
    """Refuses the largest C."""

    def fit(self, X, y, sample_weight=None):
        if self.C == 1000:
            raise ValueError("too large")
        return super().fit(X, y, sample_weight)


@pytest.fixture(scope="module")
def waves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    return X, np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=120)


def three(**more):
    return {tuner.partition("(")[0]: fw.tune(SVR(), tuner=tuner, **GRID) for tuner in TUNERS} | more


def plain(result):
    """All that must not depend on how a study was run."""
    found = result.to_dict()
    for part in (found, *found["methods"]):
        part.pop("fits_made"), part.pop("seconds")
    return found


def tuner_notes(result):
    return [note["text"] for note in result.to_dict()["notes"] if note["code"] == "tuner"]


@pytest.mark.slow
def test_workers_and_interruptions_change_nothing(waves, tmp_path):
    words = {"outer": 3, "inner": 4}
    alone = fw.compare(three(), *waves, **words, jobs=1, store=tmp_path / "run")
    assert plain(fw.compare(three(), *waves, **words, jobs=2)) == plain(alone)
    store = SqliteStore(tmp_path / "run")
    keys = sorted(store.keys())
    store.discard(keys[::2])
    store.close()
    again = fw.compare(three(), *waves, **words, jobs=1, store=tmp_path / "run")
    assert plain(again) == plain(alone)
    assert again.to_dict()["fits_made"] == len(keys[::2])
    assert plain(fw.load(tmp_path / "run")) == plain(alone)


def work_of(result):
    """The training rows of all that the tuner of the first method asked for, of those of its grid."""
    method, asked, grid = result.study.methods[0], {}, {}
    for run in result.reading.runs(method):
        for cells in run.asked:
            share = run.place.share(cells.split, cells.level) * len(run.inner[cells.split].train)
            asked |= dict.fromkeys(run.fit_keys([cells]), share)
        for split in run.inner:
            keys = result.study.keys(method, result.study.rows_name(split))
            grid |= dict.fromkeys(keys[: method.listed], split.train_rows)
    return sum(asked.values()) / sum(grid.values())


def test_racing_makes_less_than_half_of_the_fits_of_the_grid(waves):
    raced = fw.compare({"svr": fw.tune(SVR(), tuner="racing", **GRID)}, *waves, outer=3, inner=6, jobs=1)
    fits = raced.to_dict()["methods"][0]["fits"] - 3  # the one fit of each outer split belongs to no tuning
    assert fits < 4 * 6 * 9 / 2
    assert work_of(raced) == pytest.approx(fits / (4 * 6 * 9), abs=0.01)
    assert tuner_notes(raced) == []


def test_half_the_rows_are_half_the_work(waves):
    result = fw.compare({"svr": fw.tune(SVR(), tuner=fw.halving(factor=2, least=25), **GRID)}, *waves, outer=3, inner=3)
    # one rung of one look at half the rows, then two of nine candidates, one, and one on a fold each
    assert work_of(result) <= (9 * 0.5 + 2 + 1 + 1) / (9 * 3) + 0.01


@pytest.mark.slow
def test_trees_can_be_the_resource(waves):
    core = GradientBoostingRegressor(n_estimators=45, random_state=0)
    tuned = fw.tune(
        core, learning_rate=[0.001, 0.01, 0.1, 0.3], max_depth=[1, 3], tuner="halving(resource=n_estimators)"
    )
    result = fw.compare({"boosting": tuned}, *waves, outer=3, inner=3, jobs=1)
    method = result.reading.study.methods[0]
    assert [one["n_estimators"] for one in method.candidates[8:]] == [30] * 8
    assert result.to_dict()["methods"][0]["candidates"] == 8
    assert set(result.to_dict()["refit"]["candidate"]) == {"learning_rate", "max_depth"}
    assert result.refit().get_params()["n_estimators"] == 45
    assert work_of(result) < 0.7


def test_a_tuned_learner_alone_drops_too(waves):
    tuned = fw.tune(SVR(), tuner=fw.racing(level=0.2), inner=5, **GRID).fit(*waves)
    assert tuned.fits_ < 9 * 5
    assert len(tuned.scores_) == 9
    assert tuned.scores_["score"].min() == tuned.selection_score_


def test_whole_groups_and_the_latest_rows_are_trained_on(waves):
    X, y = waves
    groups = np.repeat(np.arange(24), 5)
    learner = {"svr": fw.tune(SVR(), tuner="halving(least=8)", **GRID)}
    grouped = fw.compare(learner, X, y, groups=groups, outer=3, inner=3, jobs=1)
    sets = grouped.reading.training_sets(grouped.study.methods[0]).values()
    for split, _ in sets:
        assert set(groups[split.train]).isdisjoint(groups[split.test])
    ordered = fw.compare(learner, X, y, time=np.arange(120)[::-1], outer=3, inner=3, jobs=1)
    sets = ordered.reading.training_sets(ordered.study.methods[0]).values()
    for split, _ in sets:
        np.testing.assert_array_equal(np.diff(split.train), 1)
        assert split.train.min() > split.test.max()  # earlier in time: the clock runs backwards here


def test_every_class_is_there_on_the_lowest_level():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 2))
    y = np.repeat(["a", "b", "c"], [100, 35, 15])
    result = fw.compare(
        {"svc": fw.tune(SVC(), tuner="halving(factor=3, least=12)", **GRID)}, X, y, outer=3, inner=3, jobs=1
    )
    sets = result.reading.training_sets(result.study.methods[0]).values()
    assert min(len(split.train) for split, _ in sets) < 40
    assert all(len(set(y[split.train])) == 3 for split, _ in sets)


def test_a_fit_that_fails_on_few_rows_only_loses_its_candidate_the_level(waves):
    X, y = waves
    learner = {"k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=[1, 3, 5, 9, 25, 40], tuner="halving(least=8)")}
    result = fw.compare(learner, X, y, outer=3, inner=3, jobs=1, solvers=False)
    assert result.to_dict()["methods"][0]["status"] == "ok"


def test_where_one_pass_answers_the_whole_grid_the_grid_is_used(waves):
    result = fw.compare({"ridge": fw.tune(Ridge(), alpha=[0.1, 1.0, 10.0], tuner="racing")}, *waves, outer=3, inner=3)
    reason = "ridge: a solver fits all candidates of a training set at once, so racing saves nothing"
    assert tuner_notes(result) == [f"{reason}: the whole grid was used"]
    one = fw.compare({"svr": fw.tune(SVR(), C=[1.0], tuner="racing")}, *waves, outer=3, inner=3)
    assert tuner_notes(one) == []  # nor is there anything to say of one candidate


@pytest.mark.parametrize("tuner", TUNERS)
def test_what_needs_all_scores_is_refused_by_every_tuner(waves, tuner):
    learner = {"svr": fw.tune(SVR(), tuner=tuner, simpler={"C": "low", "gamma": "low"}, **GRID)}
    with pytest.raises(BadStudy, match="'one_se' of 'svr'"):
        fw.compare(learner, *waves, outer=3, inner=2, rule="one_se")
    with pytest.raises(BadStudy, match="optimism needs all candidates"):
        fw.compare(learner, *waves, outer=3, inner=2, optimism=True)


@pytest.mark.few(1)
@pytest.mark.parametrize("tuner", TUNERS)
def test_the_simplest_of_those_that_were_left_is_not_the_simplest(waves, tuner):
    learner = {"svr": fw.tune(SVR(), tuner=tuner, simpler={"C": "low", "gamma": "low"}, **GRID)}
    result = fw.compare(learner, *waves, outer=3, inner=2, jobs=1)
    for ask in (result.refit, result.candidate):
        with pytest.raises(BadStudy, match="and rule='one_se'"):
            ask("svr", rule="one_se")


@pytest.mark.few(1)
@pytest.mark.parametrize("tuner", ["racing"])
@pytest.mark.parametrize("policy", ["fail", "drop_candidate"])
def test_no_optimism_is_worked_out_from_those_that_were_left(waves, tuner, policy):
    learner = {"svr": fw.tune(SVR(), tuner=tuner, **GRID)}
    answer = fw.compare(learner, *waves, outer=4, inner="pairs", jobs=1, on_failure=policy).to_dict()
    assert answer["methods"][0]["optimism"] is None
    assert [note["text"] for note in answer["notes"] if note["code"] == "optimism"] == [
        "optimism of svr is not given: it needs all candidates on the outer splits"
    ]


@pytest.mark.few(1)
@pytest.mark.parametrize("tuner", TUNERS)
def test_a_store_that_holds_the_whole_grid_changes_no_number(waves, tmp_path, tuner):
    words = {"outer": 3, "inner": 4, "jobs": 1}
    learner = {"svr": fw.tune(SVR(), tuner=tuner, **GRID)}
    alone = plain(fw.compare(learner, *waves, **words))
    fw.compare({"svr": fw.tune(SVR(), **GRID)}, *waves, **words, store=tmp_path / "run")
    beside = plain(fw.compare(learner, *waves, **words, store=tmp_path / "run"))
    assert {**beside, "notes": None} == {**alone, "notes": None}
    assert beside["methods"][0]["fits"] < 4 * 4 * 9  # of the grid


def test_where_every_candidate_fails_at_once_the_tuning_ends(waves, compare_anyway):
    learner = {"svr": fw.tune(Fussy(), C=[1000.0], gamma=[0.01, 0.5, 2.0], tuner="racing")}
    result = compare_anyway(learner, *waves, outer=3, inner=4, jobs=1, on_failure="drop_candidate")
    assert result.to_dict()["methods"][0]["status"] == "failed"
    assert result.to_dict()["methods"][0]["fits"] == 12  # of 48


def test_a_result_can_be_pickled_and_read_on(waves):
    result = fw.compare({"svr": fw.tune(SVR(), tuner="racing", **GRID)}, *waves, outer=3, inner=4, jobs=1)
    assert plain(pickle.loads(pickle.dumps(result))) == plain(result)


def test_a_resource_must_be_a_number_that_is_not_tuned(waves):
    boosting = GradientBoostingRegressor()
    both = fw.tune(boosting, n_estimators=[5, 50], tuner="halving(resource=n_estimators)")
    with pytest.raises(BadStudy, match="the resource 'n_estimators' of halving is also tuned by learner 'b'"):
        fw.compare({"b": both}, *waves, outer=3, inner=2, solvers=False)
    with pytest.raises(BadStudy, match="the resource 'gamma' of learner 'svr' is 'scale'"):
        fw.compare(
            {"svr": fw.tune(SVR(), C=[1.0, 2.0, 9.0], tuner="halving(resource=gamma)")}, *waves, outer=3, inner=2
        )
    with pytest.raises(
        BadSpace, match="halving cannot use its resource with learner 'b': the learner has no parameter"
    ):
        fw.compare(
            {"b": fw.tune(boosting, max_depth=[1, 2, 3], tuner="halving(resource=trees)")}, *waves, outer=3, inner=2
        )


def test_no_note_names_fits_that_would_be_refused(waves):
    """What drops candidates refuses optimism=True, so it is not recommended there."""
    result = fw.compare({"racing": three()["racing"]}, *waves, outer=3, inner=4, jobs=1)
    texts = [note["text"] for note in result.to_dict()["notes"] if note["code"] == "optimism"]
    assert texts == ["optimism of racing is not given: it needs all candidates on the outer splits"]


def test_the_plan_says_the_most_it_can_be(waves):
    words = {"outer": 3, "inner": 4, "jobs": 1}
    plan = fw.plan(three(), *waves, **words, pilot=False)
    most = {method["name"]: method["fits"] for method in plan.methods}
    made = {method["name"]: method["fits"] for method in fw.compare(three(), *waves, **words).to_dict()["methods"]}
    assert most["racing"] == 4 * (9 + 3 + 2 + 1) + 3
    assert all(made[name] <= most[name] for name in most)


def test_tunings_that_share_training_rows_may_keep_different_candidates_in_the_plan(waves):
    words = {"outer": 7, "inner": "aligned", "jobs": 1}
    most = {method["name"]: method["fits"] for method in fw.plan(three(), *waves, **words, pilot=False).methods}
    made = {method["name"]: method["fits"] for method in fw.compare(three(), *waves, **words).to_dict()["methods"]}
    assert all(made[name] <= most[name] for name in most)
