"""Built-in learners without probabilities calibrate themselves where a loss wants them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.errors import BadLearner, BadLoss
from foldwise.learners.catalogue import all_entries, builtin, is_installed
from foldwise.learners.estimators.calibrated import Calibrated, held_out_parts
from foldwise.losses.loss import make_losses

TWO = make_classification(120, 5, flip_y=0.1, random_state=0)
THREE = load_iris(return_X_y=True)


@pytest.mark.parametrize("estimator", [SVC(C=0.5), RidgeClassifier()], ids=["svm", "ridge"])
@pytest.mark.parametrize("rows", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_probabilities_are_those_of_scikit_learn(estimator, rows, is_weighted):
    X, y = rows
    weights = np.random.default_rng(1).uniform(0.5, 2, len(y)) if is_weighted else None
    theirs = CalibratedClassifierCV(clone(estimator), method="sigmoid", cv=StratifiedKFold(3), ensemble=False)
    theirs.fit(X, y, sample_weight=weights)

    ours = Calibrated(estimator).fit(X, y, sample_weight=weights)

    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-5)
    np.testing.assert_array_equal(ours.predict(X), ours.classes_[ours.predict_proba(X).argmax(axis=1)])


def test_a_study_of_log_loss_is_the_plain_loop_over_calibrated_learners():
    X, y = TWO
    result = fw.compare({"svm": fw.learner("svm", C=1.0, kernel="rbf", gamma=0.2)}, X, y, loss="log", outer=4)
    splits = result.splits()
    found = []
    for _, rows in splits.query("level == 'outer' and part == 'test'").groupby("fold"):
        test = rows["row"].to_numpy()
        train = np.setdiff1d(np.arange(len(y)), test)
        learner = CalibratedClassifierCV(SVC(gamma=0.2), method="sigmoid", cv=StratifiedKFold(3), ensemble=False)
        scaler = StandardScaler().fit(X[train])
        learner.fit(scaler.transform(X[train]), y[train])
        said = learner.predict_proba(scaler.transform(X[test]))
        found.append(-np.log(said[np.arange(len(test)), y[test]]).mean())
    assert_allclose([fold["loss"] for fold in result.to_dict()["methods"][0]["folds"]], found, atol=1e-4)


def test_groups_stay_whole_in_the_folds_of_the_sigmoid():
    rng = np.random.default_rng(0)
    groups, codes = np.repeat(np.arange(12), 5), rng.integers(0, 2, 60)
    parts = held_out_parts(codes, 3, groups)
    expected = list(StratifiedGroupKFold(3).split(np.zeros(60), codes, groups))
    for (train, test), (_, theirs) in zip(parts, expected, strict=True):
        assert not set(groups[train]) & set(groups[test])
        np.testing.assert_array_equal(test, theirs)


@pytest.mark.parametrize("groups", [None, np.zeros(5, int)])
def test_a_class_too_rare_for_folds_leaves_the_training_rows_themselves(groups):
    ((train, test),) = held_out_parts(np.array([0, 0, 0, 0, 1]), 3, groups)
    assert train.tolist() == test.tolist() == [0, 1, 2, 3, 4]


def test_groups_of_a_study_reach_the_sigmoid():
    X, y = TWO
    groups = np.arange(len(y)) // 4
    learner = fw.learner("ridge", alpha=1.0)
    result = fw.compare([learner], X, y, groups=groups, loss="log", outer=GroupKFold(3))
    train, test = next(iter(GroupKFold(3).split(X, y, groups)))
    model = Calibrated(RidgeClassifier()).fit(StandardScaler().fit_transform(X[train]), y[train], groups=groups[train])
    said = model.predict_proba(StandardScaler().fit(X[train]).transform(X[test]))
    by_hand = -np.log(said[np.arange(len(test)), y[test]]).mean()
    folds = [fold["loss"] for fold in result.to_dict()["methods"][0]["folds"]]
    assert min(abs(np.array(folds) - by_hand)) < 1e-8


@pytest.mark.parametrize("name", [e.name for e in all_entries() if "binary" in e.tasks and is_installed(e)])
@pytest.mark.parametrize("loss", ["log", "brier", "zero_one", "roc_auc"])
def test_every_built_in_classifier_answers_every_usual_loss(name, loss):
    data = make_dataset(*TWO)
    losses = make_losses(loss, data)
    made = builtin(name, data, losses=losses).estimator
    assert all(any(hasattr(made, need) for need in one.needs) for one in losses)


def test_without_such_a_loss_nothing_is_calibrated():
    data = make_dataset(*TWO)
    plain = [builtin(name, data, losses=make_losses("zero_one", data)).estimator for name in ("svm", "ridge")]
    assert not any("Calibrated" in repr(one) for one in plain)


def test_a_sample_of_many_rows_is_calibrated_within_the_sample():
    data = make_dataset(*TWO)
    made = builtin("svm", data, overrides={"max_rows": 50}, losses=make_losses("log", data))
    assert type(made.estimator.steps[-1][1].estimator).__name__ == "Calibrated"
    model = clone(made.estimator).set_params(learner__random_state=0).fit(*TWO)
    assert model.steps[-1][1].rows_ == 50
    assert_allclose(model.predict_proba(TWO[0]).sum(axis=1), 1.0)


def test_a_learner_that_cannot_answer_is_left_out_by_name():
    result = fw.compare(
        {"mine": LinearSVC(), "tree": fw.learner("tree", size="small")}, *TWO, loss="log", outer=3, inner=2
    )
    assert "mine" not in [method["name"] for method in result.to_dict()["methods"]]
    (note,) = [note["text"] for note in result.to_dict()["notes"] if note["code"] == "left out"]
    assert note == "mine is left out: the loss 'log' needs probabilities, which learner 'mine' does not give"


def test_the_only_learner_is_refused_where_it_cannot_answer():
    with pytest.raises(BadLoss, match="which learner 'mine' does not give"):
        fw.compare({"mine": make_pipeline(StandardScaler(), LinearSVC())}, *TWO, loss="log")


def test_a_learner_of_the_other_task_is_refused_whatever_stands_beside_it():
    from sklearn.linear_model import Ridge

    with pytest.raises(BadLearner, match="is a regressor, but the task is classification"):
        fw.compare({"mine": Ridge(), "tree": "tree"}, TWO[0], TWO[1], loss="log", task="classification")


def test_a_blend_with_a_member_that_cannot_answer_is_left_out():
    learners = {"both": fw.blend([LinearSVC(), "tree"]), "tree": fw.learner("tree", max_depth=3)}
    result = fw.compare(learners, *TWO, loss="log", outer=3, inner=2)
    assert [method["name"] for method in result.to_dict()["methods"]][:1] == ["tree"]
    assert any(note["text"].startswith("both is left out") for note in result.to_dict()["notes"])


@pytest.mark.parametrize("name", ["svm", "ridge"])
def test_a_calibrated_model_is_saved_and_loaded_without_trust(name, tmp_path):
    from foldwise.api.model_file import load_model, save_model

    data = make_dataset(*THREE)
    model = builtin(name, data, losses=make_losses("log", data)).estimator.fit(*THREE)
    loaded = load_model(save_model(tmp_path / "m.skops", model, data)).model
    np.testing.assert_array_equal(loaded.predict_proba(THREE[0]), model.predict_proba(THREE[0]))
