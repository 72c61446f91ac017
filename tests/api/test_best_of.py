"""The best of several learners (learners/combined.py): it picks a learner and its candidate on inner splits."""

from __future__ import annotations

import numpy as np
import pytest
from by_hand import Counted, grid, method_of, pairs_of, row_losses, score_table
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import ExtraTreeRegressor

import foldwise as fw
from foldwise.errors import BadLearner, BadSpace, BadStudy
from foldwise.executors.solver_choice import SolverChoice
from foldwise.executors.workload import workload_of
from foldwise.plans.fit import SharedBatch
from foldwise.plans.needed import needed
from foldwise.records.memory import MemoryStore
from foldwise.studies.reading import Reading

KS, ALPHAS = [1, 3, 6], [0.01, 1.0, 30.0]
LEARNERS = {"knn": Counted(), "ridge": Ridge(), "mean": Lasso(alpha=100.0)}
GRIDS = {"knn": grid("n_neighbors", KS), "ridge": grid("alpha", ALPHAS), "mean": [{}]}


def members():
    return {
        "knn": fw.tune(Counted(), n_neighbors=KS),
        "ridge": fw.tune(Ridge(), alpha=ALPHAS),
        "mean": Lasso(alpha=100.0),
    }


def picked(X, y, inner):
    """The member and the candidate with the smallest mean score, by plain loops."""
    means = {name: score_table(LEARNERS[name], GRIDS[name], X, y, inner).mean(axis=1) for name in LEARNERS}
    name = min(means, key=lambda name: means[name].min())
    return name, GRIDS[name][means[name].argmin()], means[name].min()


@pytest.mark.few(2)
@pytest.mark.parametrize(("outer", "inner"), [(6, 3), (7, "aligned"), (4, "dev"), (0.3, 0.25)])
def test_its_risk_is_that_of_a_loop_over_all_members_and_candidates(numbers, outer, inner):
    X, y = numbers
    result = fw.compare({"best": fw.best_of(members())}, X, y, outer=outer, inner=inner, jobs=1)
    method = method_of(result, "best")

    losses = []
    own = result.study.methods[0]
    for fold, pair, within in zip(method["folds"], pairs_of(result.study.outer), own.inner.splits, strict=True):
        name, candidate, score = picked(X, y, pairs_of(within))
        assert fold["candidate"] == {"method": name, **candidate}
        assert fold["selection_score"] == pytest.approx(score, rel=1e-12)
        losses.append(row_losses(LEARNERS[name], candidate, X, y, pair).mean())
        assert fold["loss"] == pytest.approx(losses[-1], rel=1e-12)
    assert method["risk"] == pytest.approx(np.mean(losses), rel=1e-12)
    name, candidate, score = picked(X, y, pairs_of(own.inner.final))
    assert result.candidate("best") == {"method": name, **candidate}
    assert method["selection_score"] == pytest.approx(score, rel=1e-12)


@pytest.mark.few(1)
@pytest.mark.parametrize("place", ["first", "last"])
def test_beside_its_members_it_takes_no_further_fit(numbers, place):
    rows = {name: spec for name, spec in members().items() if name != "mean"}
    Counted.made.clear()
    alone = fw.compare(rows, *numbers, outer=6, inner=3, jobs=1, solvers=False)
    made = len(Counted.made)
    Counted.made.clear()
    best = {"best": fw.best_of(rows)}
    both = fw.compare(
        best | rows if place == "first" else rows | best, *numbers, outer=6, inner=3, jobs=1, solvers=False
    )

    assert both.fits == both.fits_made == alone.fits
    assert len(Counted.made) == made
    for name in rows:
        assert method_of(both, name)["risk"] == method_of(alone, name)["risk"]
    auto = method_of(alone, "auto")
    assert [fold["loss"] for fold in method_of(both, "best")["folds"]] == [fold["loss"] for fold in auto["folds"]]
    assert method_of(both, "auto")["folds"] == auto["folds"]


def test_random_members_are_fitted_with_their_own_seeds(numbers):
    forest = fw.tune(RandomForestRegressor(n_estimators=5), max_depth=[2, 4])
    rows = {"stump": ExtraTreeRegressor(max_depth=1), "forest": forest}
    alone = fw.compare(rows, *numbers, outer=4, inner=3, jobs=1)
    best = fw.compare({"best": fw.best_of(rows)}, *numbers, outer=4, inner=3, jobs=1)

    for mine, theirs in zip(method_of(best, "best")["folds"], method_of(alone, "forest")["folds"], strict=True):
        assert mine["candidate"] == {"method": "forest", **theirs["candidate"]}
        assert mine["loss"] == theirs["loss"]
    np.testing.assert_array_equal(best.refit("best").predict(numbers[0]), alone.refit("forest").predict(numbers[0]))


def test_solvers_answer_each_member_s_grid_in_one_pass(numbers):
    X, y = numbers
    best = fw.best_of({"ridge": fw.tune(Ridge(), alpha=ALPHAS), "k-nn": fw.learner("k-nn", n_neighbors=KS)})
    fast, slow = (fw.compare({"best": best}, X, y, outer=6, inner=3, jobs=1, solvers=spec) for spec in ("auto", False))
    runnable = fast.runnable
    batches = SolverChoice(workload_of(runnable)).batches(
        needed(runnable, Reading(runnable.study, MemoryStore()), methods=[0])
    )

    assert all(isinstance(batch, SharedBatch) for batch in batches)
    assert {
        runnable.learners[0].owner(runnable.study.methods[0].candidates[fit.candidate]).name
        for batch in batches
        for fit in batch
    } == {"ridge", "k-nn"}
    assert all(
        len({runnable.study.methods[0].candidates[fit.candidate]["method"] for fit in batch}) == 1 for batch in batches
    )
    assert method_of(fast, "best")["risk"] == pytest.approx(method_of(slow, "best")["risk"], rel=1e-10)


@pytest.mark.slow
def test_the_number_of_workers_does_not_matter(numbers):
    answers = [
        fw.compare({"best": fw.best_of(members())}, *numbers, outer=4, inner=3, jobs=jobs).to_dict() for jobs in (1, 2)
    ]
    for answer in answers:
        for method in (answer, *answer["methods"]):
            del method["seconds"]
    assert answers[0] == answers[1]


def test_it_is_resumed_and_read_from_its_store(numbers, tmp_path):
    words = {"outer": 4, "inner": 3, "jobs": 1, "store": tmp_path / "run"}
    first = fw.compare({"best": fw.best_of(members())}, *numbers, **words)
    again = fw.compare({"best": fw.best_of(members())}, *numbers, **words)
    read = fw.load(tmp_path / "run")

    assert again.fits_made == 0
    assert method_of(read, "best")["folds"] == method_of(first, "best")["folds"]
    assert read.candidate("best") == first.candidate("best")


def test_refit_gives_the_chosen_member_fitted(numbers):
    result = fw.compare({"best": fw.best_of(members())}, *numbers, outer=4, inner=3, jobs=1)
    chosen, model = result.candidate("best"), result.refit("best")
    assert type(model) is type(LEARNERS[chosen["method"]])
    parameters = {name: value for name, value in chosen.items() if name != "method"}
    by_hand = clone(LEARNERS[chosen["method"]]).set_params(**parameters).fit(*numbers)
    np.testing.assert_allclose(model.predict(numbers[0]), by_hand.predict(numbers[0]))


def test_classes_are_picked_among_by_their_probabilities(classes):
    X, y = classes
    rows = {"nb": GaussianNB(), "k-nn": fw.tune(KNeighborsClassifier(), n_neighbors=[3, 9])}
    result = fw.compare({"best": fw.best_of(rows)}, X, y, loss="brier", outer=4, inner=3, jobs=1)
    inner = result.study.methods[0].inner.final
    able = [GaussianNB(), KNeighborsClassifier(3), KNeighborsClassifier(9)]
    scores = [
        np.mean([((one.fit(X[a], y[a]).predict_proba(X[b])[:, 1] - y[b]) ** 2).mean() for a, b in pairs_of(inner)])
        for one in able
    ]
    names = [{"method": "nb"}, {"method": "k-nn", "n_neighbors": 3}, {"method": "k-nn", "n_neighbors": 9}]
    assert result.candidate("best") == names[int(np.argmin(scores))]


def test_on_its_own_it_is_an_estimator_like_grid_search_over_several(numbers):
    X, y = numbers
    rows = {"knn": fw.tune(KNeighborsRegressor(), n_neighbors=KS), "ridge": fw.tune(Ridge(), alpha=ALPHAS)}
    best = fw.best_of(rows, inner=fw.KFold(4))
    found = clone(best).fit(X, y)

    table = found.scores_
    folds = [column for column in table if column.startswith("fold ")]
    assert len(table) == 6
    assert found.selection_score_ == table[folds].mean(axis=1).min()
    row = table.loc[table["chosen"]].iloc[0]
    assert found.method_ == row["method"]
    assert found.candidate_ == {name: row[name] for name in found.candidate_}
    np.testing.assert_array_equal(found.predict(X), found.model_.predict(X))
    assert found.fits_ == 6 * 4 + 1
    assert best.get_params()["members"] is rows
    assert not hasattr(best, "model_")


def test_scikit_learn_s_tools_take_it(numbers):
    X, y = numbers
    best = fw.best_of({"knn": fw.tune(KNeighborsRegressor(), n_neighbors=KS), "ridge": Ridge()})
    scores = cross_validate(make_pipeline(StandardScaler(), best), X, y, cv=KFold(3), error_score="raise")
    assert np.isfinite(scores["test_score"]).all()
    search = GridSearchCV(best, {"inner": [2, 3]}, cv=KFold(2), error_score="raise").fit(X, y)
    assert search.best_params_["inner"] in (2, 3)


def test_a_classifier_of_names_tells_its_classes(classes):
    found = fw.best_of(["k-nn", "naive-bayes"], inner=3).fit(*classes)
    assert found.method_ in ("k-nn", "naive-bayes")
    assert found.classes_.tolist() == [0, 1]
    assert found.predict_proba(classes[0]).shape == (60, 2)
    assert found.score(*classes) > 0.6


def test_text_names_members_of_the_study_or_built_in_ones(numbers):
    own = fw.learner("ridge", alpha=[1.0])
    result = fw.compare({"ridge": own, "best": "best-of(ridge+k-nn)"}, *numbers, outer=4, inner=3, jobs=1)
    candidates = result.study.methods[1].candidates
    assert [one for one in candidates if one["method"] == "ridge"] == [{"method": "ridge", "alpha": 1.0}]
    assert sum(one["method"] == "k-nn" for one in candidates) > 5


def test_among_equals_a_row_of_the_study_is_named_before_it(numbers):
    rows = {"z": fw.tune(Ridge(), alpha=ALPHAS), "mean": Lasso(alpha=100.0)}
    result = fw.compare({"a": fw.best_of(rows), **rows}, *numbers, outer=4, inner=3, jobs=1)
    assert method_of(result, "a")["risk"] == method_of(result, "z")["risk"]
    assert result.best == "z"


def test_racing_goes_through_the_candidates_of_all_members(numbers):
    rows = {"knn": fw.tune(KNeighborsRegressor(), n_neighbors=KS), "lasso": fw.tune(Lasso(), alpha=ALPHAS)}
    full = fw.compare({"best": fw.best_of(rows)}, *numbers, outer=4, inner=5, jobs=1, solvers=False)
    raced = fw.compare({"best": fw.best_of(rows, tuner="racing")}, *numbers, outer=4, inner=5, jobs=1, solvers=False)
    assert raced.fits < full.fits
    assert [fold["candidate"] for fold in method_of(raced, "best")["folds"]] == [
        fold["candidate"] for fold in method_of(full, "best")["folds"]
    ]


@pytest.mark.parametrize(
    ("spec", "words", "error", "message"),
    [
        (lambda: fw.best_of({"ridge": Ridge()}), {}, BadLearner, "two or more learners, not 1"),
        (lambda: fw.best_of("ridge"), {}, BadLearner, "several learners, not 'ridge'"),
        (lambda: fw.best_of(members()), {"rule": "one_se"}, BadStudy, "which have no order of simplicity"),
        (lambda: fw.best_of(members(), loss="absolute"), {}, BadLearner, "has its own loss"),
        (
            lambda: fw.best_of({"a": fw.tune(Ridge(), alpha=ALPHAS, inner=3), "b": Lasso()}),
            {},
            BadLearner,
            "member 'a' of 'best' has its own inner splits",
        ),
        (
            lambda: fw.best_of({"a": fw.best_of(members()), "b": Lasso()}),
            {},
            BadLearner,
            "member 'a' of 'best' is itself made of learners",
        ),
        (
            lambda: fw.best_of(
                {"a": fw.tune(Ridge(), alpha=fw.log_range(0.1, 10), tuner="tpe", budget=5), "b": Lasso()}
            ),
            {},
            BadStudy,
            r"those of its member 'a' are proposed during the search \(tpe\)",
        ),
        (
            lambda: fw.best_of({"a": fw.tune(Ridge(), alpha=ALPHAS, tuner="racing"), "b": Lasso()}),
            {},
            BadStudy,
            "member 'a' of 'best' has its own tuner 'racing'",
        ),
        (lambda: fw.best_of(["ridge", "no such"]), {}, BadLearner, "no built-in learner 'no such'"),
        (lambda: "best-of(ridge+)", {}, BadLearner, "has an empty name"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(numbers, spec, words, error, message):
    with pytest.raises(error, match=message):
        fw.compare({"best": spec()}, *numbers, outer=4, inner=3, jobs=1, **words)


def test_a_parameter_that_is_called_method_needs_its_full_name(classes):
    from sklearn.calibration import CalibratedClassifierCV

    calibrated = CalibratedClassifierCV(LogisticRegression())
    rows = {"a": fw.tune(calibrated, method=["sigmoid", "isotonic"]), "b": GaussianNB()}
    with pytest.raises(BadSpace, match="tunes a parameter called 'method'"):
        fw.compare({"best": fw.best_of(rows)}, *classes, outer=3, inner=3, jobs=1)
