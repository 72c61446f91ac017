"""A learner that fails somewhere has no risk, says so, and leaves the others alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import foldwise as fw
from foldwise.errors import FitsFailed

LABELS = np.repeat(np.arange(5), [10, 12, 15, 18, 23])  # training sizes tell the fold: 68, 66, 63, 60, 55
KS = [1, 2, 5]


class Fragile(KNeighborsRegressor):
    """Fails on training sets of one size, where it has the wrong number of neighbours: an error or a NaN."""

    def __init__(self, n_neighbors: int = 5, size: int = 0, way: str = "error", bad: int | None = None) -> None:
        super().__init__(n_neighbors)
        self.size = size
        self.way = way
        self.bad = bad

    def fit(self, X: Any, y: Any) -> Fragile:
        self.fails_ = len(X) == self.size and self.bad in (None, self.n_neighbors)
        if self.fails_ and self.way == "error":
            raise ValueError(f"cannot take {len(X)} rows")
        return super().fit(X, y)  # type: ignore[no-any-return]

    def predict(self, X: Any) -> Any:
        answer = super().predict(X)
        answer[: int(self.fails_)] = np.nan if self.way == "nan" else np.inf
        return answer


def methods_of(result: Any) -> dict[str, Any]:
    return {method["name"]: method for method in result.to_dict()["methods"]}


def plain_losses(curved: Any) -> list[float]:
    return naive.Loops(*curved, naive.squared).plain(KNeighborsRegressor(), naive.folds(LABELS))


@pytest.mark.parametrize(
    ("way", "words"),
    [("error", "cannot take 66 rows"), ("nan", "1 values that are NaN or infinite"), ("inf", "NaN or infinite")],
)
def test_a_fit_that_fails_in_one_fold_leaves_no_risk_and_the_others_theirs(curved: Any, way: str, words: str) -> None:
    learners = {"fragile": Fragile(size=66, way=way), "sound": KNeighborsRegressor()}
    result = fw.compare(learners, *curved, outer=LABELS, jobs=1)
    methods = methods_of(result)
    fragile, sound = methods["fragile"], methods["sound"]
    assert (fragile["status"], fragile["failed"], fragile["fits"]) == ("failed", 1, 5)
    for name in ("risk", "low", "high", "difference", "train_risk", "gap"):
        assert fragile[name] is None
    # What worked is shown, and not averaged.
    expected = plain_losses(curved)
    assert [fold["loss"] is None for fold in fragile["folds"]] == [False, True, False, False, False]
    np.testing.assert_allclose(
        [f["loss"] for f in fragile["folds"] if f["fold"] != 1], np.delete(expected, 1), rtol=1e-10
    )
    assert (sound["status"], sound["failed"]) == ("ok", 0)
    assert sound["risk"] == pytest.approx(np.mean(expected), rel=1e-10)
    assert result.best == "sound"
    assert any("fragile: 1 of 5 fits failed" in note and words in note for note in result.notes)


def test_a_study_in_which_all_fails_but_the_baseline_says_so(curved: Any) -> None:
    with pytest.raises(FitsFailed, match=r"fragile \(1 of 5 fits failed\).*cannot take 66 rows") as failed:
        fw.compare({"fragile": Fragile(size=66)}, *curved, outer=LABELS, jobs=1)
    assert failed.value.result.best is None
    with pytest.raises(FitsFailed, match=r"1 of 5 fits failed.*cannot take 66 rows"):
        fw.risk(Fragile(size=66), *curved, outer=LABELS, jobs=1)


def test_a_failure_while_tuning_leaves_no_risk(curved: Any) -> None:
    pair = 78 - 10 - 12  # trained without folds 0 and 1
    learners = {"fragile": fw.tune(Fragile(size=pair, bad=2), n_neighbors=KS), "sound": KNeighborsRegressor()}
    methods = methods_of(fw.compare(learners, *curved, outer=LABELS, inner="pairs", jobs=1))
    fragile = methods["fragile"]
    assert (fragile["status"], fragile["failed"], fragile["risk"]) == ("failed", 1, None)
    # Folds 0 and 1 could not choose; the other folds have their numbers.
    assert [fold["candidate"] is None for fold in fragile["folds"]] == [True, True, False, False, False]
    assert methods["sound"]["risk"] == pytest.approx(np.mean(plain_losses(curved)), rel=1e-10)


@pytest.mark.parametrize("way", ["error", "nan"])
def test_a_failing_candidate_may_be_dropped_where_it_fails(curved: Any, way: str) -> None:
    pair = 78 - 10 - 12
    learner = fw.tune(Fragile(size=pair, bad=5, way=way), n_neighbors=KS)
    words: dict[str, Any] = {"outer": LABELS, "inner": "pairs", "jobs": 1, "on_failure": "drop_candidate"}
    result = fw.compare({"fragile": learner}, *curved, **words)

    def judge(model: Any, X: Any, y: Any, weights: Any) -> float:
        is_bad = model.n_neighbors == 5 and model.n_samples_fit_ == pair
        return np.nan if is_bad else naive.squared(model, X, y)

    def choose(table: np.ndarray) -> int:
        return int(np.nanargmin(table.mean(axis=1)))

    loops, scheme = naive.Loops(*curved, judge), (naive.folds(LABELS), *naive.aligned(LABELS))
    answer = loops.nested(KNeighborsRegressor(), [{"n_neighbors": k} for k in KS], *scheme, choose=choose)
    method = methods_of(result)["fragile"]
    assert [fold["candidate"] for fold in method["folds"]] == answer.chosen
    assert 5 not in [candidate["n_neighbors"] for candidate in answer.chosen[:2]]
    assert 5 in [candidate["n_neighbors"] for candidate in answer.chosen[2:]]
    assert method["risk"] == pytest.approx(answer.risk, rel=1e-10)
    assert (method["status"], method["failed"]) == ("ok", 1)
    assert any("1 of" in note and "failed" in note for note in result.notes)


def test_a_dropped_candidate_does_not_save_an_outer_fit_that_fails(curved: Any, compare_anyway: Any) -> None:
    learner = fw.tune(Fragile(size=66), n_neighbors=[5])
    result = compare_anyway(
        {"fragile": learner}, *curved, outer=LABELS, inner="pairs", on_failure="drop_candidate", jobs=1
    )
    method = methods_of(result)["fragile"]
    assert (method["status"], method["risk"], method["failed"]) == ("failed", None, 1)


def test_a_failure_is_a_record_too_and_is_not_tried_again(curved: Any, tmp_path: Any, compare_anyway: Any) -> None:
    learners = {"fragile": Fragile(size=66)}
    first = compare_anyway(learners, *curved, outer=LABELS, jobs=1, store=tmp_path / "run")
    again = compare_anyway(learners, *curved, outer=LABELS, jobs=1, store=tmp_path / "run")
    assert (first.fits_made, again.fits_made) == (10, 0)
    assert methods_of(again)["fragile"]["failed"] == 1


@pytest.mark.parametrize("learner", [KNeighborsClassifier(3), GaussianNB()], ids=["k-nn", "bayes"])
def test_a_class_missing_from_a_training_part_keeps_its_probability_column(classed: Any, learner: Any) -> None:
    X, y = classed
    y = np.where(np.arange(84) < 9, "mid", np.where(y == "mid", "low", y))  # one class lives in fold 0 alone
    labels = np.arange(84) // 28
    result = fw.compare({"it": learner}, X, y, loss=["log", "brier", "zero_one"], outer=labels, jobs=1)
    classes = ["low", "mid", "top"]
    logs, briers = [], []
    for train, test in naive.folds(labels):
        model = naive.clone(learner).fit(X[train], y[train])
        table = np.zeros((len(test), 3))
        table[:, [classes.index(label) for label in model.classes_]] = model.predict_proba(X[test])
        truth = np.array([classes.index(label) for label in y[test]])
        logs.append(-np.log(np.clip(table[np.arange(len(test)), truth], 1e-15, 1)).mean())
        briers.append(((table - np.eye(3)[truth]) ** 2).sum(axis=1).mean())
    method = methods_of(result)["it"]
    assert method["status"] == "ok"
    np.testing.assert_allclose([fold["loss"] for fold in method["folds"]], logs, rtol=1e-10)
    assert method["losses"]["brier"]["value"] == pytest.approx(np.mean(briers), rel=1e-10)


@pytest.mark.parametrize("is_tuned", [False, True])
def test_a_measure_that_is_undefined_in_one_fold_leaves_no_risk(
    classed: Any, is_tuned: bool, compare_anyway: Any
) -> None:
    X, y = classed[0], np.arange(84) % 2
    y[:10] = 0  # fold 0 has one class, and an area under its curve does not exist
    labels = np.r_[np.zeros(10, int), 1 + np.arange(74) // 2 % 4]
    learner = KNeighborsClassifier()
    spec = fw.tune(learner, n_neighbors=[3, 7]) if is_tuned else learner
    result = compare_anyway({"it": spec}, X, y, loss=["roc_auc", "zero_one"], outer=labels, inner="pairs", jobs=1)
    method = methods_of(result)["it"]
    assert (method["status"], method["risk"], method["failed"]) == ("undefined", None, 0)
    assert any("it: the loss is undefined on some split" in note for note in result.notes)
    assert [fold["loss"] is None for fold in method["folds"]] == [True] + [is_tuned] * 4


def test_candidates_need_not_all_have_probabilities_where_the_loss_needs_none(tmp_path: Path) -> None:
    """Probabilities are kept for later questions where a candidate has them, and asked of no other."""
    X, y = load_breast_cancer(return_X_y=True)
    method = fw.tune(SGDClassifier(random_state=0), space={"loss": ["hinge", "log_loss"]})
    kwargs: dict[str, Any] = {"outer": 5, "inner": 3, "jobs": 1}
    kept = fw.compare({"sgd": method}, X[:120, :4], y[:120], store=tmp_path / "run", **kwargs)
    plain = fw.compare({"sgd": method}, X[:120, :4], y[:120], **kwargs)
    assert kept.methods[0].failures == []
    assert kept.methods[0].risk == plain.methods[0].risk
    with_probabilities = fw.tune(SGDClassifier(random_state=0), space={"loss": ["log_loss", "modified_huber"]})
    assert fw.compare({"sgd": with_probabilities}, X[:120, :4], y[:120], loss="log", **kwargs).methods[0].status == "ok"


class Moody(KNeighborsRegressor):
    """Fails while a file is there, on training sets of one size or on all."""

    def __init__(self, n_neighbors: int = 5, mood: str = "", size: int | None = None) -> None:
        super().__init__(n_neighbors)
        self.mood = mood
        self.size = size

    def fit(self, X: Any, y: Any) -> Moody:
        if Path(self.mood).exists() and self.size in (None, len(X)):
            raise OSError("not today")
        return super().fit(X, y)  # type: ignore[no-any-return]


def test_failed_fits_are_made_again_on_request_and_no_others(curved: Any, tmp_path: Any) -> None:
    mood = tmp_path / "mood"
    pair = 78 - 10 - 12
    learners = {"moody": fw.tune(Moody(mood=str(mood), size=pair), n_neighbors=KS), "sound": KNeighborsRegressor()}
    words: dict[str, Any] = {"outer": LABELS, "inner": "pairs", "jobs": 1, "store": tmp_path / "run"}
    mood.touch()
    failed = fw.compare(learners, *curved, **words)
    assert methods_of(failed)["moody"]["failed"] == len(KS)
    assert any("--retry-failed" in note for note in failed.notes)
    mood.unlink()
    assert fw.compare(learners, *curved, **words).fits_made == 0
    again = fw.compare(learners, *curved, **words, retry_failed=True)
    assert again.fits_made == len(KS) + 2  # and the outer fits of folds 0 and 1, which could not choose
    fresh = fw.compare(learners, *curved, **(words | {"store": tmp_path / "fresh"}))
    assert methods_of(again)["moody"]["folds"] == methods_of(fresh)["moody"]["folds"]
    assert fw.compare(learners, *curved, **words, retry_failed=True).fits_made == 0


def test_the_risk_of_a_learner_that_failed_can_be_asked_for_again(curved: Any, tmp_path: Any) -> None:
    mood = tmp_path / "mood"
    words: dict[str, Any] = {"outer": LABELS, "jobs": 1, "store": tmp_path / "run"}
    mood.touch()
    with pytest.raises(FitsFailed, match="5 of 5 fits failed"):
        fw.risk(Moody(mood=str(mood)), *curved, **words)
    mood.unlink()
    with pytest.raises(FitsFailed, match="5 of 5 fits failed"):
        fw.risk(Moody(mood=str(mood)), *curved, **words)
    assert fw.risk(Moody(mood=str(mood)), *curved, **words, retry_failed=True).value == np.mean(plain_losses(curved))


@pytest.mark.parametrize("response", ["predict", "predict_proba"])
def test_complex_answers_are_no_answers(classed: Any, response: str, compare_anyway: Any) -> None:
    class Imaginary(GaussianNB):
        def predict_proba(self, X: Any) -> Any:
            return super().predict_proba(X) + (0j if response == "predict_proba" else 0)

        def predict(self, X: Any) -> Any:
            return np.full(len(X), 1j) if response == "predict" else super().predict(X)

    result = compare_anyway({"it": Imaginary()}, *classed, loss="log", outer=3, jobs=1)
    assert methods_of(result)["it"]["status"] == "failed"
    assert any(f"{response} gave complex numbers" in note for note in result.notes)
