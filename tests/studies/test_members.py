"""What the members of a blend predicted, against loops over the inner splits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw
from foldwise.studies.members import answered, as_columns, final_key, held_out, members_of, weights_of

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 2))
Y = X[:, 0] + 0.1 * rng.normal(size=30)
MEMBERS = {"ridge": Ridge(), "tree": DecisionTreeRegressor(max_depth=2, random_state=0)}


@pytest.fixture(scope="module")
def result():
    return fw.compare({"both": fw.blend(MEMBERS)}, X, Y, outer=3, inner=2, jobs=1)


def test_held_out_rows_are_predicted_by_models_without_them(result):
    reading = result.reading
    method = reading.study.methods[0]
    member = members_of(reading.study, method)[0]
    for stage in reading.study.stages(member):
        found = held_out(reading, method, stage)
        assert found.rows.tolist() == stage.split.train.tolist()
        expected = np.empty((30, 2))
        for at, learner in enumerate(MEMBERS.values()):
            for split in stage.inner:
                expected[split.test, at] = clone(learner).fit(X[split.train], Y[split.train]).predict(X[split.test])
        np.testing.assert_allclose(found.columns, expected[found.rows], rtol=1e-10)


def test_rows_to_judge_are_predicted_by_models_of_the_whole_training_set(result):
    reading = result.reading
    method = reading.study.methods[0]
    stage = reading.study.stages(method)[1]
    models = [clone(learner).fit(X[stage.split.train], Y[stage.split.train]) for learner in MEMBERS.values()]
    expected = np.column_stack([model.predict(X[stage.split.test]) for model in models])
    np.testing.assert_allclose(answered(reading, method, stage, stage.split.test), expected, rtol=1e-10)


def test_weights_are_kept_by_the_names_of_the_members(result):
    reading = result.reading
    method = reading.study.methods[0]
    found = weights_of(reading, method, reading.study.outer[0])
    assert list(found) == list(MEMBERS)
    assert sum(found.values()) == pytest.approx(1.0, abs=1e-5)
    assert reading.store.get(final_key(reading.study, method)) is not None


def test_probabilities_leave_out_the_first_class():
    assert as_columns(np.array([[0.2, 0.8], [0.6, 0.4]])).tolist() == [[0.8], [0.4]]
    assert as_columns(np.array([1, 2])).tolist() == [[1.0], [2.0]]


def test_a_blend_of_classes_takes_probabilities():
    labels = np.where(Y > 0, "yes", "no")
    blend = fw.blend({"one": LogisticRegression(C=0.1), "two": LogisticRegression()})
    reading = fw.compare({"both": blend}, X, labels, outer=3, inner=2, loss="log", jobs=1).reading
    assert {member.member_response for member in members_of(reading.study, reading.study.methods[0])} == {
        "predict_proba"
    }
