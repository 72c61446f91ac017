"""What every learner must do."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.base import clone

from foldwise.api.compare import compare
from foldwise.arrays import AnyArray
from foldwise.data.dataset import Dataset, make_dataset
from foldwise.learners.checks import task_of
from foldwise.learners.identity import identity_of
from foldwise.learners.model import make_fitting, respond, responses_of, seeded_world
from foldwise.losses.loss import make_losses
from foldwise.plans.methods import make_learners
from foldwise.testing.contract import keep


class LearnerContract:
    """`learner` is an estimator, `fw.tune(...)` or a name, and `data` a table that it can learn from."""

    def test_it_is_copied_as_it_is(self, learner: Any, data: Dataset) -> None:
        estimator = _estimator(learner, data)
        assert identity_of(clone(estimator)) == identity_of(estimator), "a clone has other parameters"

    def test_it_reaches_another_process_as_it_is(self, learner: Any, data: Dataset) -> None:
        estimator = _estimator(learner, data)
        sent = deepcopy(estimator)  # takes it apart and puts it together as sending it does
        assert identity_of(sent) == identity_of(estimator), "what arrives has other parameters"

    def test_a_fit_leaves_its_parameters_as_they_were(self, learner: Any, data: Dataset) -> None:
        fitting = make_fitting(_estimator(learner, data))
        before = identity_of(clone(fitting.seeded(1)))
        model = fitting.fit(data, np.arange(data.rows), seed=1)
        assert identity_of(clone(model)) == before, "fit changes them"

    def test_it_answers_every_row_with_what_it_offers(self, learner: Any, data: Dataset) -> None:
        # The answers are checked where they are read: their shape, known classes, and numbers that are finite.
        for name, answer in _answers(_estimator(learner, data), data, seed=1).items():
            assert len(answer) == data.rows, f"{name} has {len(answer)} answers for {data.rows} rows"
            if name == "predict_proba":
                np.testing.assert_allclose(answer.sum(axis=1), 1.0, atol=1e-6)

    def test_the_same_seed_gives_the_same_model(self, learner: Any, data: Dataset) -> None:
        estimator = _estimator(learner, data)
        first, again = (_answers(estimator, data, seed=1) for _ in range(2))
        for name in first:
            np.testing.assert_array_equal(first[name], again[name])

    def test_a_row_is_answered_the_same_in_any_company(self, learner: Any, data: Dataset) -> None:
        estimator = _estimator(learner, data)
        every, half = np.arange(data.rows), np.arange(0, data.rows, 2)
        whole, part = _answers(estimator, data, seed=1, rows=every), _answers(estimator, data, seed=1, rows=half)
        for name in whole:
            if name == "predict" and data.task != "regression":
                np.testing.assert_array_equal(whole[name][half], part[name])
            else:
                np.testing.assert_allclose(whole[name][half], part[name], rtol=1e-6, atol=1e-9)

    def test_it_can_be_compared(self, learner: Any, data: Dataset) -> None:
        result = compare({"mine": learner}, data, outer=0.3, inner=0.3, budget=3, jobs=1, progress=False)
        method = result.to_dict()["methods"][0]
        assert (method["status"], method["failed"]) == ("ok", 0), f"{method['failed']} of its fits failed"


def check_learner(learner: Any, X: Any = None, y: Any = None) -> None:
    """Raise AssertionError, with a sentence, where a learner does not do what a study needs.

    `learner`: an estimator, `fw.tune(...)` or a name. `X` and `y`: a table it can learn from; else a made-up one.

    >>> from sklearn.linear_model import Ridge
    >>> check_learner(Ridge())
    """
    data = _made_up(learner) if X is None else make_dataset(X, y)
    keep(LearnerContract(), f"learner {learner!r}", learner, data)


def _made_up(learner: Any) -> Dataset:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + 0.3 * rng.normal(size=60)
    hint = task_of(learner) if hasattr(learner, "get_params") else None
    return make_dataset(X, np.where(y > 0, "yes", "no") if hint == "classification" else y)


def _estimator(learner: Any, data: Dataset) -> Any:
    """What is fitted: the estimator of a name or of a tuned learner, at its own parameters."""
    return make_learners({"mine": learner}, data, make_losses(None, data))[0].estimator


def _answers(estimator: Any, data: Dataset, *, seed: int, rows: AnyArray | None = None) -> dict[str, AnyArray]:
    every = np.arange(data.rows)
    with seeded_world(seed):
        model = make_fitting(estimator).fit(data, every, seed)
        return respond(model, data, every if rows is None else rows, responses_of(estimator, data.task))
