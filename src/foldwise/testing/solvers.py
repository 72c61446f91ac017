"""What every solver must do: answer as the plain loop does, and say the same every time it is asked."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.data.dataset import Dataset, make_dataset
from foldwise.learners.model import make_fitting, respond, responses_of
from foldwise.solvers.finding import MEMBERS
from foldwise.solvers.solver import Answer, FitRequest, Solver
from foldwise.solvers.steps import params_key
from foldwise.testing.contract import keep

EXACT, ITERATIVE = 1e-10, 1e-6  # how near the plain loop a solver must come, relative to the largest value
SEED = 7


class SolverContract:
    """Give fixtures `solver`, `estimators` (candidates that it takes) and `data` (a Dataset).

    >>> import pytest
    >>> from sklearn.linear_model import Ridge
    >>> from foldwise.data.dataset import make_dataset
    >>> from foldwise.solvers.ridge.ridge import RidgeSolver
    >>> class TestMine(SolverContract):
    ...     @pytest.fixture
    ...     def solver(self):
    ...         return RidgeSolver()
    ...
    ...     @pytest.fixture
    ...     def estimators(self):
    ...         return [Ridge(0.1), Ridge(10.0)]
    ...
    ...     @pytest.fixture
    ...     def data(self):
    ...         return make_dataset([[0.1 * row] for row in range(30)], [0.3 * row for row in range(30)])
    """

    def test_it_has_the_members_of_a_solver(self, solver: Solver, estimators: Sequence[Any], data: Dataset) -> None:
        missing = [name for name in MEMBERS if not hasattr(solver, name)]
        assert not missing, f"it has no {missing[0]!r}"
        assert isinstance(solver.name, str)
        assert solver.batch in ("method", "train"), f"batch is {solver.batch!r}, not 'method' or 'train'"
        assert isinstance(solver.is_exact, bool)

    def test_it_takes_every_candidate(self, solver: Solver, estimators: Sequence[Any], data: Dataset) -> None:
        for estimator in estimators:
            assert solver.takes(estimator, data) is True, f"it does not take {estimator!r}"

    def test_it_takes_no_stranger(self, solver: Solver, estimators: Sequence[Any], data: Dataset) -> None:
        for estimator in estimators:
            own = type("Own", (type(estimator),), {"__init__": type(estimator).__init__})
            stranger = own(**estimator.get_params(deep=False))
            assert not solver.takes(stranger, data), "it takes a subclass, which may do something else"

    def test_equal_estimators_share_equal_values(
        self, solver: Solver, estimators: Sequence[Any], data: Dataset
    ) -> None:
        from sklearn.base import clone

        for estimator in estimators:
            assert isinstance(solver.shares(estimator), Hashable)
            assert solver.shares(estimator) == solver.shares(clone(estimator)), "a clone shares another value"

    def test_its_answers_are_those_of_the_plain_loop(
        self, solver: Solver, estimators: Sequence[Any], data: Dataset
    ) -> None:
        answered = 0
        for batch in _batches(solver, estimators, data):
            assert isinstance(solver.pays(batch, data), bool | np.bool_), "pays is neither True nor False"
            for fit, answer in zip(batch, _solved(solver, batch, data), strict=True):
                if answer is not None:
                    answered += 1
                    assert_same(answer, plain_answer(fit, data, SEED), fit, EXACT if solver.is_exact else ITERATIVE)
        assert answered, "it leaves every fit to the plain loop"

    def test_the_order_of_the_fits_changes_nothing(
        self, solver: Solver, estimators: Sequence[Any], data: Dataset
    ) -> None:
        for batch in _batches(solver, estimators, data):
            forward, back = _solved(solver, batch, data), _solved(solver, batch[::-1], data)[::-1]
            for fit, one, other in zip(batch, forward, back, strict=True):
                if one is not None and other is not None:
                    assert_same(one, other, fit, EXACT if solver.is_exact else ITERATIVE)

    def test_the_same_batch_gives_the_same_bits(self, solver: Solver, estimators: Sequence[Any], data: Dataset) -> None:
        for batch in _batches(solver, estimators, data):
            for fit, one, other in zip(batch, *(_solved(solver, batch, data) for _ in range(2)), strict=True):
                assert (one is None) == (other is None), "asked again, it leaves other fits to the plain loop"
                if one is not None and other is not None:
                    assert_same(one, other, fit, 0.0)

    def test_what_it_is_given_is_left_as_it_was(self, solver: Solver, estimators: Sequence[Any], data: Dataset) -> None:
        batches = list(_batches(solver, estimators, data))
        before = _state(batches, data)
        for batch in batches:
            solver.pays(batch, data)
            _solved(solver, batch, data)
        assert _state(batches, data) == before, "the data, the rows or the estimators were changed"

    def test_it_can_be_sent_to_workers(self, solver: Solver, estimators: Sequence[Any], data: Dataset) -> None:
        import cloudpickle

        there = cloudpickle.loads(cloudpickle.dumps(solver))
        assert there.takes(estimators[0], data)
        assert there.shares(estimators[0]) == solver.shares(estimators[0])


def check_solver(solver: Solver, estimators: Sequence[Any], X: Any, y: Any, *, weights: Any = None) -> None:
    """Raise AssertionError, with a sentence, where a solver does not do what a study needs.

    `estimators`: candidates that it takes; those of a solver that iterates with a tight tolerance, as the plain loop
    is held against them. `X`, `y` and `weights`: a table they can learn from, split at random in several ways.

    `solver`: the one that is judged.

    >>> from sklearn.linear_model import Ridge
    >>> from foldwise.solvers.ridge.ridge import RidgeSolver
    >>> rng = np.random.default_rng(0)
    >>> check_solver(RidgeSolver(), [Ridge(0.1), Ridge(10.0)], rng.normal(size=(40, 3)), rng.normal(size=40))
    """
    keep(SolverContract(), f"solver {solver!r}", solver, estimators, make_dataset(X, y, weights=weights))


def plain_answer(fit: FitRequest, data: Dataset, seed: int = 0) -> Answer:
    """What the plain loop answers for a fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make_fitting(fit.estimator).fit(data, fit.train, seed)
        return respond(model, data, fit.rows, fit.responses)


def assert_same(answer: Answer, expected: Answer, fit: FitRequest, tolerance: float) -> None:
    """Same responses, same shapes, same types, same values; these relative to the largest."""
    assert set(answer) == set(expected) == set(fit.responses), f"it answers {sorted(answer)}, asked {fit.responses}"
    for name, values in expected.items():
        found = answer[name]
        where = f"{name} of {fit.estimator} on {fit.train.size} rows"
        assert found.shape == values.shape, f"{where}: shape {found.shape}, not {values.shape}"
        assert found.dtype == values.dtype, f"{where}: type {found.dtype}, not {values.dtype}"
        if values.dtype.kind == "f":
            scale = max(1.0, float(np.abs(values).max(initial=0.0)))
            apart = float(np.abs(found - values).max(initial=0.0))
            assert apart <= tolerance * scale, f"{where}: values differ by {apart:.2g}"
        else:
            assert np.array_equal(found, values), f"{where}: {int((found != values).sum())} classes differ"


def _splits(rows: int) -> Iterator[tuple[AnyArray, AnyArray]]:
    """Folds, a bootstrap, and a half that answers for rows of its own too."""
    rng = np.random.default_rng(SEED)
    label = rng.permutation(rows) % 4
    for fold in range(4):
        yield np.flatnonzero(label != fold), np.flatnonzero(label == fold)
    drawn = np.sort(rng.integers(0, rows, rows))
    yield drawn, np.setdiff1d(np.arange(rows), drawn)
    yield np.flatnonzero(label < 2), np.flatnonzero(label != 1)


def _batches(solver: Solver, estimators: Sequence[Any], data: Dataset) -> Iterator[list[FitRequest]]:
    """The fits of every estimator and split, as a study would ask for them."""
    responses = tuple(
        name for name in responses_of(estimators[0], data.task) if all(hasattr(e, name) for e in estimators)
    )
    batches: dict[Hashable, list[FitRequest]] = {}
    for at, (train, rows) in enumerate(_splits(data.rows)):
        for estimator in estimators:
            seeded = make_fitting(estimator).seeded(SEED)
            key = (solver.shares(seeded), at if solver.batch == "train" else None)
            batches.setdefault(key, []).append(FitRequest(seeded, train, rows, responses))
    yield from batches.values()


def _solved(solver: Solver, batch: Sequence[FitRequest], data: Dataset) -> list[Answer | None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = solver.solve(batch, data)
    assert len(answers) == len(batch), f"it gives {len(answers)} answers to {len(batch)} fits"
    return answers


def _state(batches: Sequence[Sequence[FitRequest]], data: Dataset) -> Hashable:
    """All that a solver could change."""
    table = data.X if isinstance(data.X, np.ndarray) else np.asarray(data.take(np.arange(data.rows)))
    fits = [fit for batch in batches for fit in batch]
    rows = tuple((fit.train.tobytes(), fit.rows.tobytes(), params_key(fit.estimator)) for fit in fits)
    return table.tobytes(), np.asarray(data.y).tobytes(), rows
