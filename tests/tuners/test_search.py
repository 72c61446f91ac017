"""Searches inside nested cross-validation: the same for any number of workers, resumable, and without leaks."""

from __future__ import annotations

import json
import os
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.svm import SVC, SVR

import foldwise as fw
from foldwise.errors import BadSpace, BadStudy
from foldwise.plans import proposing
from foldwise.records.sqlite import SqliteStore
from foldwise.studies.tuning_run import TuningRun
from foldwise.tuners.optuna import Tpe

PER_RUN = ("fits_made", "seconds")
rng = np.random.default_rng(5)
X = rng.normal(size=(60, 3))
Y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=60)
FOLDS = np.arange(60) % 3


def plain(result):
    answer = result.to_dict()
    for part in (answer, *answer["methods"]):
        for name in PER_RUN:
            del part[name]
    return json.dumps(answer)


def learners():
    return {
        "svr": fw.tune(SVR(), C=fw.log_range(0.01, 1000), gamma=fw.log_range(1e-3, 10)),
        "ridge": fw.tune(Ridge(), alpha=fw.log_range(1e-4, 1e4)),
    }


def ridge():
    return {"ridge": learners()["ridge"]}


def compare(target=Y, specs=None, ask=fw.compare, **words):
    words = {"outer": FOLDS, "inner": 3, "tuner": "tpe", "budget": 15, "jobs": 1, **words}
    return ask(learners() if specs is None else specs, X, target, **words)


def proposals(result, name="svr"):
    """What each tuning was told to try, in order."""
    method = next(method for method in result.study.methods if method.name == name)
    return {
        tuning: [tuple(method.candidates[at].items()) for at in method.proposals.of(tuning, method.tuner.limits)]
        for tuning in result.study.named_tunings(method)
    }


@pytest.fixture(scope="module")
def undisturbed():
    return compare()


def test_each_tuning_tries_its_own_candidates_from_a_common_start(undisturbed):
    tried = proposals(undisturbed)
    assert list(tried) == ["outer 0", "outer 1", "outer 2", "final"]
    assert all(len(set(candidates)) == 15 for candidates in tried.values())
    assert len({tuple(candidates[:10]) for candidates in tried.values()}) == 1
    assert len({tuple(candidates[10:]) for candidates in tried.values()}) == 4
    assert dict(tried["final"][0])["C"] == 1.0  # the learner's own value comes first


def test_the_choice_of_a_fold_is_what_plain_loops_find_among_its_candidates(undisturbed):
    folds = undisturbed.to_dict()["methods"][0]["folds"]
    for fold in range(3):
        train, test = np.flatnonzero(fold != FOLDS), np.flatnonzero(fold == FOLDS)
        inner = list(undisturbed.study.methods[0].inner.splits[fold])
        scores = []
        for candidate in proposals(undisturbed)[f"outer {fold}"]:
            models = [SVR(**dict(candidate)).fit(X[split.train], Y[split.train]) for split in inner]
            losses = [np.mean((m.predict(X[s.test]) - Y[s.test]) ** 2) for m, s in zip(models, inner, strict=True)]
            scores.append(np.mean(losses))
        best = dict(proposals(undisturbed)[f"outer {fold}"][int(np.argmin(scores))])
        assert folds[fold]["candidate"] == best
        assert folds[fold]["selection_score"] == pytest.approx(min(scores))
        model = SVR(**best).fit(X[train], Y[train])
        assert folds[fold]["loss"] == pytest.approx(np.mean((model.predict(X[test]) - Y[test]) ** 2))


def test_fits_are_counted_once_and_made_once(undisturbed):
    answer = undisturbed.to_dict()
    assert answer["fits"] == answer["fits_made"]
    method = answer["methods"][0]
    assert method["candidates"] == 15
    assert method["fits"] <= 15 * 3 * 4 + 3


@pytest.mark.slow
def test_two_workers_give_the_same_answer(undisturbed):
    assert plain(compare(jobs=2)) == plain(undisturbed)


@pytest.mark.few(1)
@pytest.mark.parametrize("after", [3, 20])
def test_an_interrupted_study_goes_on_to_the_same_answer(undisturbed, tmp_path, monkeypatch, after):
    add, left = SqliteStore.add, [after]

    def cut(store, records):
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        add(store, records)

    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "add", cut)
        with pytest.raises(KeyboardInterrupt):
            compare(store=tmp_path / "run")
    resumed = compare(store=tmp_path / "run")
    assert plain(resumed) == plain(undisturbed)
    assert 0 < resumed.to_dict()["fits_made"] < undisturbed.to_dict()["fits_made"]


def test_what_was_asked_for_is_in_the_store_before_its_fits_and_counts_more_than_the_tuner(tmp_path, monkeypatch):
    def refuse(store, records):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "add", refuse)
        with pytest.raises(KeyboardInterrupt):
            compare(store=tmp_path / "run", budget=10, specs=ridge())
    whole = compare(store=tmp_path / "run", specs=ridge())
    monkeypatch.setattr(Tpe, "propose", None)  # another version might ask for something else: it is not asked
    monkeypatch.setattr(proposing, "first_points", None)
    assert plain(compare(store=tmp_path / "run", specs=ridge())) == plain(whole)


def test_a_larger_budget_goes_on_and_a_smaller_one_stops_on_the_way(undisturbed, tmp_path):
    small = compare(store=tmp_path / "run", budget=12)
    assert plain(compare(store=tmp_path / "run", budget=15)) == plain(undisturbed)
    again = compare(store=tmp_path / "run", budget=12)
    assert plain(again) == plain(small)
    assert again.to_dict()["fits_made"] == 0


def test_a_result_is_loaded_without_the_tuners_package(undisturbed, tmp_path, monkeypatch):
    compare(store=tmp_path / "run")
    for name in [name for name in sys.modules if name.partition(".")[0] == "optuna"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "optuna", None)
    loaded = fw.load(tmp_path / "run")
    assert plain(loaded) == plain(undisturbed)
    assert loaded.report()


def assert_fold_0_is_blind_to_its_test_rows():
    """The proposals for outer fold 0 must not change with the targets of its test rows."""
    poisoned = Y.copy()
    poisoned[FOLDS == 0] = rng.permutation(poisoned[FOLDS == 0]) * 10
    specs = {"svr": learners()["svr"]}
    honest, changed = compare(Y, specs), compare(poisoned, specs)
    assert proposals(honest)["outer 0"] == proposals(changed)["outer 0"]
    assert proposals(honest)["outer 1"] != proposals(changed)["outer 1"]


def test_nothing_passes_between_outer_folds():
    assert_fold_0_is_blind_to_its_test_rows()


def test_a_tuner_that_shares_one_study_between_outer_folds_is_caught(monkeypatch):
    honest = TuningRun.scores

    def shared(run, level=0):
        """All tunings are told what any of them has found."""
        every = [honest(one, level).mean(axis=1) for one in run.reading.runs(run.method)]
        count = min(map(len, every))
        told = honest(run, level).copy()
        told[:count] = np.mean([each[:count] for each in every], axis=0)[:, None]
        return told

    monkeypatch.setattr(TuningRun, "scores", shared)
    with pytest.raises(AssertionError):
        assert_fold_0_is_blind_to_its_test_rows()


def test_equal_learners_under_two_names_share_all_their_fits():
    tuned = ridge()["ridge"]
    answer = compare(specs={"one": tuned, "two": tuned}).to_dict()
    one, two = (method for method in answer["methods"] if method["name"] in ("one", "two"))
    assert one["risk"] == two["risk"]
    assert answer["fits"] == one["fits"] + 3  # and the baseline's


@pytest.mark.parametrize("inner", ["pairs", "aligned"])
def test_searches_run_on_every_inner_scheme(inner):
    answer = compare(specs=ridge(), outer=7, inner=inner, budget=11).to_dict()
    assert answer["methods"][0]["status"] == "ok"
    assert answer["fits"] == answer["fits_made"]
    assert (answer["methods"][0]["optimism"] is not None) == (inner == "pairs")


def test_a_conditional_space_with_a_solver_for_a_part_of_it():
    space = [
        {"kernel": ["rbf"], "gamma": fw.log_range(1e-3, 10), "C": fw.log_range(0.1, 100)},
        {"kernel": ["linear"], "C": fw.log_range(0.1, 100)},
    ]
    labels = np.where(Y > 0, "yes", "no")
    specs = {"svm": fw.tune(SVC(), space=space)}
    solved, looped = (
        compare(labels, specs, loss="zero_one", budget=12, solvers=solvers) for solvers in ("auto", False)
    )
    assert solved.to_dict()["methods"][0]["folds"] == looped.to_dict()["methods"][0]["folds"]
    assert {dict(candidate)["kernel"] for candidate in proposals(solved, "svm")["final"]} == {"rbf", "linear"}


def test_a_small_space_is_simply_tried_whole():
    result = compare(specs={"k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=range(1, 9))}, budget=10)
    grid = compare(specs={"k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=range(1, 9))}, tuner="grid", budget=None)
    assert result.to_dict()["methods"][0]["folds"] == grid.to_dict()["methods"][0]["folds"]
    assert "k-nn: its 8 candidates are within the budget of 10, so all are tried" in result.notes


def test_the_rule_of_one_standard_error_takes_the_simplest_of_a_tunings_own_candidates():
    specs = {"ridge": fw.tune(Ridge(), alpha=fw.log_range(1e-4, 1e4), simpler={"alpha": "high"})}
    result = compare(specs=specs, rule="one_se")
    choice = result.reading.final_choice(result.study.methods[0])
    scores, tried = choice.scores.mean(axis=1), proposals(result, "ridge")["final"]
    best = int(np.argmin(scores))
    reach = scores[best] + choice.scores[best].std(ddof=1) / np.sqrt(3)
    within = [dict(tried[at])["alpha"] for at in np.flatnonzero(scores <= reach)]
    assert result.candidate("ridge") == {"alpha": max(within)}
    with pytest.raises(BadSpace, match="no direction of simplicity"):
        compare(specs={"svr": learners()["svr"]}, rule="one_se")


def test_a_time_is_shared_by_methods_and_their_tunings():
    result = compare(budget="0.8 s")
    tried = [len(those) for name in ("svr", "ridge") for those in proposals(result, name).values()]
    assert min(tried) >= 10
    assert max(tried) < 300
    assert len([note for note in result.notes if "a budget of 0.4 s" in note]) == 2


def test_a_time_of_a_blend_is_shared_by_its_members():
    own = {"knn": fw.tune(KNeighborsRegressor(), n_neighbors=range(1, 9), budget=4), "plain": Ridge()}
    blend = fw.blend({**learners(), **own}, budget="0.2 s")
    result = compare(specs={"blend": blend}, budget=None)
    assert sorted(note for note in result.notes if "a budget of" in note) == sorted(
        note for note in result.notes if "a budget of 0.1 s" in note
    )
    assert len([note for note in result.notes if "a budget of 0.1 s" in note]) == 2


@pytest.mark.few(1)
@pytest.mark.parametrize("tuner", ["random", "grid", None])
def test_fixed_sequences_end_with_their_time_or_their_space(tuner):
    specs = {"k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=[1, 2, 3, 4, 5, 6, 7], weights=["uniform", "distance"])}
    tried = proposals(compare(specs=specs, tuner=tuner, budget="60 s"), "k-nn")
    assert all(len(candidates) == 14 for candidates in tried.values())
    assert len({tuple(candidates) for candidates in tried.values()}) == 1
    short = proposals(compare(specs=specs, tuner=tuner, budget="0.000001 s"), "k-nn")
    assert short["final"] == tried["final"][:10]


def test_a_search_stops_when_it_gains_less_than_the_noise():
    result = compare(specs=ridge(), budget=60, stop="noise")
    tried = [len(those) for those in proposals(result, "ridge").values()]
    assert 20 <= min(tried) <= max(tried) < 60
    assert any("stop at gains below the noise" in note for note in result.notes)
    for tuning, splits in result.study.named_tunings(method := result.study.methods[0]).items():
        scores = result.reading.run(method, tuning).scores()
        assert scores.shape == (len(method.proposals.of(tuning, method.tuner.limits)), len(splits))
        means, best = scores.mean(axis=1), scores[int(np.argmin(scores.mean(axis=1)))]
        assert means[:-10].min() - means.min() < best.std(ddof=1) / np.sqrt(3)


class Fragile(RegressorMixin, BaseEstimator):
    """Predicts `level`, and fails where it is above 1."""

    def __init__(self, level=0.0):
        self.level = level

    def fit(self, X, y):
        if self.level > 1:
            raise ValueError("too high")
        self.level_ = self.level
        return self

    def predict(self, X):
        return np.full(len(X), self.level_)


@pytest.mark.parametrize(("policy", "status"), [("fail", "failed"), ("drop_candidate", "ok"), ("baseline", "ok")])
def test_failed_fits_are_met_by_the_policy(policy, status, compare_anyway):
    specs = {"fragile": fw.tune(Fragile(), level=fw.float_range(-1, 2))}
    result = compare(specs=specs, ask=compare_anyway, on_failure=policy)
    answer = result.to_dict()
    assert answer["methods"][0]["status"] == status
    assert answer["finished"]
    tried = proposals(result, "fragile")
    assert all(len(candidates) == (10 if policy == "fail" else 15) for candidates in tried.values())
    if policy == "drop_candidate":
        assert all(fold["candidate"]["level"] <= 1 for fold in answer["methods"][0]["folds"])


class Blocked(Fragile):
    """Fails while a file is there."""

    def __init__(self, level=0.0, path=""):
        super().__init__(level)
        self.path = path

    def fit(self, X, y):
        if self.level > 1 and os.path.exists(self.path):
            raise ValueError("blocked")
        self.level_ = self.level
        return self


def test_a_search_goes_on_when_its_failed_fits_are_made_again(tmp_path, compare_anyway):
    obstacle = tmp_path / "obstacle"
    specs = {"blocked": fw.tune(Blocked(path=str(obstacle)), level=fw.float_range(-1, 2))}
    obstacle.touch()
    blocked = compare(specs=specs, ask=compare_anyway, store=tmp_path / "run")
    assert blocked.to_dict()["methods"][0]["status"] == "failed"
    obstacle.unlink()
    again = compare(specs=specs, store=tmp_path / "run", retry_failed=True)
    assert plain(again) == plain(compare(specs=specs))


def test_the_command_line_and_study_files_take_the_same_words(tmp_path, capsys):
    from foldwise import cli

    words = ["--outer", "3", "--inner", "2", "--tuner", "tpe", "--budget", "11", "--jobs", "1", "--json", "--quiet"]
    assert cli.run(["compare", "diabetes", "--learners", "ridge", *words]) == 0
    flags = json.loads(capsys.readouterr().out)
    file = tmp_path / "study.toml"
    file.write_text(
        'data = "diabetes"\nlearners = ["ridge"]\nouter = 3\ninner = 2\ntuner = "tpe"\nbudget = 11\njobs = 1\n'
    )
    assert cli.run(["compare", str(file), "--json", "--quiet", "--store", str(tmp_path / "run")]) == 0
    written = json.loads(capsys.readouterr().out)
    assert flags["methods"][0]["folds"] == written["methods"][0]["folds"]
    assert flags["methods"][0]["candidates"] == 11
    assert cli.run(["resume", str(tmp_path / "run"), "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["fits_made"] == 0
    assert cli.run(["compare", "diabetes", "--budget", "soon"]) == 2
    assert "a time such as '10 min'" in capsys.readouterr().err


def test_a_tuned_learner_searches_when_it_is_fitted_on_its_own():
    tuned = fw.tune(SVR(), C=fw.log_range(0.01, 1000), gamma=fw.log_range(1e-3, 10), tuner="tpe", budget=15)
    tuned.fit(X, Y)
    assert len(tuned.scores_) == 15
    assert tuned.scores_["score"].min() == tuned.selection_score_
    best = tuned.scores_.loc[tuned.scores_["score"].idxmin()]
    assert bool(best["chosen"])
    assert tuned.candidate_ == {"C": best["C"], "gamma": best["gamma"]}
    assert "found by looking" in str(
        fw.tune(SVC(), C=fw.log_range(0.1, 10), inner=0.3, tuner="tpe", budget=12).fit(X, Y > 0).guarantee_
    )


def test_the_delivered_model_has_the_final_tunings_candidate(undisturbed):
    candidate, model = undisturbed.candidate("svr"), undisturbed.refit("svr")
    assert {name: model.get_params()[name] for name in candidate} == candidate
    assert tuple(candidate.items()) in proposals(undisturbed)["final"]


def test_the_plan_tells_the_most_it_can_be(undisturbed):
    from foldwise.api.compare import plan

    planned = plan(learners(), X, Y, outer=FOLDS, inner=3, tuner="tpe", budget=15, pilot=False)
    assert all(
        method["fits"] >= made["fits"]
        for method, made in zip(planned.methods[:2], undisturbed.to_dict()["methods"], strict=False)
    )
    assert planned.methods[0]["at_most"]
    assert "svr: at most" in repr(planned)


def test_contradictions_are_refused_before_any_fit():
    with pytest.raises(BadStudy, match="search of 'svr'"):
        compare(optimism=True)
    with pytest.raises(BadStudy, match=r"no rule 'nose' to stop a search.*noise"):
        compare(stop="nose")
    with pytest.raises(BadStudy, match="stop='noise' needs a tuner that works in rounds"):
        compare(tuner="grid", budget=None, stop="noise")
    for tuner in ("racing", "grid", None):
        spec = {"svr": fw.tune(SVR(), C=[1, 2, 3], tuner=tuner, stop="noise")}
        with pytest.raises(BadStudy, match=f"stop='noise' of 'svr' needs a tuner .* and '{tuner or 'grid'}' does not"):
            fw.compare(spec, X, Y, outer=3, inner=2)
    with pytest.raises(BadStudy, match="the tuner 'racing' of 'svr' has no budget in time"):
        compare(tuner="racing", budget="1 min")
    with pytest.raises(BadSpace, match=r"the tuner 'tpee' is not known.*tpe"):
        compare(tuner="tpee")
