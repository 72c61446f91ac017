"""What every solver must do: answer as the plain loop does, and say the same every time it is asked."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
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
    """`estimators` are candidates that the solver takes, and `data` is a table that they can learn from."""

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
            for request, estimator, answer in _solved(solver, batch, data):
                if answer is not None:
                    answered += 1
                    expected = plain_answer(estimator, request, data, SEED)
                    assert_same(answer, expected, estimator, request, EXACT if solver.is_exact else ITERATIVE)
        assert answered, "it leaves every fit to the plain loop"

    def test_the_order_of_the_fits_changes_nothing(
        self, solver: Solver, estimators: Sequence[Any], data: Dataset
    ) -> None:
        for batch in _batches(solver, estimators, data):
            backward = [replace(request, estimators=request.estimators[::-1]) for request in batch[::-1]]
            answers, again = _solved(solver, batch, data), _solved(solver, backward, data)[::-1]
            for (request, estimator, answer), (_, _, other) in zip(answers, again, strict=True):
                if answer is not None and other is not None:
                    assert_same(answer, other, estimator, request, EXACT if solver.is_exact else ITERATIVE)

    def test_the_same_batch_gives_the_same_bits(self, solver: Solver, estimators: Sequence[Any], data: Dataset) -> None:
        for batch in _batches(solver, estimators, data):
            answers, again = (_solved(solver, batch, data) for _ in range(2))
            for (request, estimator, answer), (_, _, other) in zip(answers, again, strict=True):
                assert (answer is None) == (other is None), "asked again, it leaves other fits to the plain loop"
                if answer is not None and other is not None:
                    assert_same(answer, other, estimator, request, 0.0)

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
    >>> from foldwise.solvers.ridge import RidgeSolver
    >>> rng = np.random.default_rng(0)
    >>> check_solver(RidgeSolver(), [Ridge(0.1), Ridge(10.0)], rng.normal(size=(40, 3)), rng.normal(size=40))
    """
    keep(SolverContract(), f"solver {solver!r}", solver, estimators, make_dataset(X, y, weights=weights))


def plain_answer(estimator: Any, request: FitRequest, data: Dataset, seed: int = 0) -> Answer:
    """What the plain loop answers for one estimator of a request."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make_fitting(estimator).fit(data, request.train, seed)
        return respond(model, data, request.rows, request.responses)


def assert_same(answer: Answer, expected: Answer, estimator: Any, request: FitRequest, tolerance: float) -> None:
    """Same responses, same shapes, same types, same values; these relative to the largest."""
    asked = request.responses
    assert set(answer) == set(expected) == set(asked), f"it answers {sorted(answer)}, asked {asked}"
    for name, values in expected.items():
        found = answer[name]
        where = f"{name} of {estimator} on {request.train.size} rows"
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
    shares: dict[Hashable, list[Any]] = {}
    for seeded in (make_fitting(estimator).seeded(SEED) for estimator in estimators):
        shares.setdefault(solver.shares(seeded), []).append(seeded)
    for alike in shares.values():
        requests = [FitRequest(tuple(alike), train, rows, responses) for train, rows in _splits(data.rows)]
        yield from [[request] for request in requests] if solver.batch == "train" else [requests]


def _solved(
    solver: Solver, requests: Sequence[FitRequest], data: Dataset
) -> list[tuple[FitRequest, Any, Answer | None]]:
    """Every estimator of every request, in their order, with its answer if it has one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        all_answered = list(solver.solve(requests, data))
    answers: dict[tuple[int, int], Answer] = {}
    for number, places, responses in all_answered:
        for name, values in responses.items():
            assert len(values) == len(places), f"it gives {len(values)} {name} to {len(places)} fits"
        for at, place in enumerate(places):
            assert (number, place) not in answers, "it answers one fit twice"
            answers[number, place] = {name: values[at] for name, values in responses.items()}
    return [
        (request, estimator, answers.get((number, place)))
        for number, request in enumerate(requests)
        for place, estimator in enumerate(request.estimators)
    ]


def _state(batches: Sequence[Sequence[FitRequest]], data: Dataset) -> Hashable:
    """All that a solver could change."""
    table = data.X if isinstance(data.X, np.ndarray) else np.asarray(data.take(np.arange(data.rows)))
    requests = [request for batch in batches for request in batch]
    rows = tuple((r.train.tobytes(), r.rows.tobytes(), tuple(map(params_key, r.estimators))) for r in requests)
    return table.tobytes(), np.asarray(data.y).tobytes(), rows
