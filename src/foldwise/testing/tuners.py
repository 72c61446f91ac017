"""What every tuner must do: be pure, come to an end, and lead to a choice."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from foldwise.arrays import BoolArray, FloatArray, IntArray
from foldwise.spaces.parameter import float_range, int_range
from foldwise.spaces.point import Point, candidate_at
from foldwise.spaces.space import make_space
from foldwise.tuners.search import start_points
from foldwise.tuners.tuner import PROPOSE, Evaluate, Step, Tuner

SPACE = make_space({"a": float_range(0, 1), "k": int_range(1, 50)})
MOST_STEPS = 2_000


class GivenTuning:
    """A tuning whose losses are given: `rows[candidate][split]`, and `low[level - 1][candidate, split]` below."""

    def __init__(
        self,
        rows: Sequence[Sequence[FloatArray]],
        low: Sequence[FloatArray] = (),
        *,
        level_splits: int = 1,
        bounds: tuple[float, float] = (0.0, np.inf),
        seed: int = 0,
    ) -> None:
        self.rows, self.low, self.level_splits, self.bounds, self.seed = rows, low, level_splits, bounds, seed
        self.splits, self.levels, self.seconds = len(rows[0]), len(low), 0.0
        self.candidates, self.points = len(rows), list[Point]()
        self._is_seen = np.zeros((self.levels + 1, len(rows), self.splits), bool)

    def see(self, step: Sequence[Evaluate]) -> None:
        """Make the evaluations that a tuner asked for."""
        for candidates, splits, level in step:
            self._is_seen[level][np.ix_(list(candidates), list(splits))] = True

    def scores(self, level: int = 0) -> FloatArray:
        whole = np.array([[float(np.mean(part)) for part in parts] for parts in self.rows[: self.candidates]])
        truth = whole.reshape(self.candidates, self.splits) if level == 0 else self.low[level - 1]
        return np.where(self.is_seen(level), truth, np.nan)

    def is_seen(self, level: int = 0) -> BoolArray:
        return np.array(self._is_seen[level][: self.candidates])

    def losses(self, candidate: int, split: int) -> FloatArray | None:
        return self.rows[candidate][split]

    def shuffled(self) -> IntArray:
        return np.random.default_rng([self.seed, self.candidates]).permutation(self.candidates)

    def training_set(self, split: int, level: int = 0) -> str:
        return f"{split} at {level}"


def play(tuner: Tuner, seen: GivenTuning) -> Iterator[Sequence[Evaluate]]:
    """The evaluations of a tuner, step by step, each made before the next is asked for."""
    while not isinstance(step := tuner.next(seen), str):
        yield step
        seen.see(step)


def check_tuner(tuner: Tuner) -> None:
    """Hold a tuner to the protocol of `foldwise.tuners.tuner.Tuner`; raises AssertionError with what is wrong.

    `tuner`: the one that is judged.

    >>> from foldwise.tuners.racing import Racing
    >>> check_tuner(Racing())
    """
    assert tuner.name, "a tuner needs a name, by which studies and stores know it"
    assert str(tuner), "a tuner's text must not be empty"
    for seen in _examples(tuner):
        if tuner.is_listed:
            _check_listed(tuner, seen)
        else:
            _check_proposing(tuner, seen)


def _examples(tuner: Tuner) -> Iterator[GivenTuning]:
    """Many candidates and few, one split and several, ties, and candidates that fail."""
    rng = np.random.default_rng(0)
    for candidates, splits in ((12, 5), (3, 2), (1, 1), (40, 3)):
        gaps = rng.uniform(0, 1, candidates)
        rows = [[gap + rng.exponential(size=8) for _ in range(splits)] for gap in gaps]
        levels = tuner.most_levels(candidates, 400, 40)
        low = [rng.exponential(size=(candidates, splits)) + gaps[:, None] for _ in range(levels)]
        yield GivenTuning(rows, low)
        yield GivenTuning([[np.ones(4) for _ in range(splits)] for _ in range(candidates)], low)
        rows[0] = [np.full(8, np.nan) for _ in range(splits)]
        yield GivenTuning(rows, low)


def _check_listed(tuner: Tuner, seen: GivenTuning) -> None:
    asked = []
    for _ in range(MOST_STEPS):
        step = _pure_step(tuner, seen)
        assert step != PROPOSE, f"{tuner} asks for candidates; say is_listed = False"
        if isinstance(step, str):
            break
        _check_step(tuner, step, seen)
        asked += list(step)
        seen.see(step)
    else:
        raise AssertionError(f"{tuner} does not come to an end: it must give OVER when it has seen enough")
    evaluated = seen.is_seen()
    is_failing = [bool(np.isnan(np.concatenate(parts)).any()) for parts in seen.rows]
    assert evaluated.all(axis=1).any() or all(is_failing), f"{tuner} leaves no candidate to choose"
    if tuner.is_exhaustive:
        assert evaluated.all(), f"{tuner} leaves candidates out; say is_exhaustive = False"
    fits = sum(len(one.candidates) * len(one.splits) for one in asked)
    assert tuner.most_fits([seen]) >= min(fits, evaluated.size), f"{tuner}: most_fits is below what it asks for"


def _check_proposing(tuner: Tuner, seen: GivenTuning) -> None:
    """A search: its points are new, within the space, and the same for the same scores."""
    whole = seen.candidates
    seen.candidates = 0
    assert tuner.next(seen) == PROPOSE, f"{tuner} is not listed, so it must first ask for candidates"
    seen.points = start_points(SPACE, {}, 0)[:whole]
    seen.candidates = len(seen.points)
    step = _pure_step(tuner, seen)
    assert not isinstance(step, str), f"{tuner} must evaluate what it proposed"
    _check_step(tuner, step, seen)
    seen.see(step)
    if not seen.is_seen().all():
        return
    points = tuner.propose(seen, SPACE, 3)
    assert points == copy.deepcopy(tuner).propose(seen, SPACE, 3), f"{tuner} proposes other points for the same scores"
    assert not set(points) & set(seen.points), f"{tuner} proposes what was tried"
    for point in points:
        candidate_at(SPACE, point)


def _pure_step(tuner: Tuner, seen: GivenTuning) -> Step:
    """The next step, which must be the same when it is asked for again, also of a tuner that has seen nothing else."""
    step = tuner.next(seen)
    for again in (tuner.next(seen), copy.deepcopy(tuner).next(seen)):
        assert _plain(step) == _plain(again), f"{tuner} asks for something else when it is asked again: it must be pure"
    return step


def _plain(step: Step) -> Any:
    if isinstance(step, str):
        return step
    return [(list(one.candidates), list(one.splits), one.level) for one in step]


def _check_step(tuner: Tuner, step: Sequence[Evaluate], seen: GivenTuning) -> None:
    assert step, f"{tuner} gives an empty list: give OVER when there is nothing more to evaluate"
    fresh = 0
    for candidates, splits, level in step:
        assert 0 <= level <= seen.levels, f"{tuner} asks for level {level} of {seen.levels}"
        assert set(candidates) <= set(range(seen.candidates)), f"{tuner} asks for candidates that there are not"
        most = seen.splits if level == 0 else seen.level_splits
        assert set(splits) <= set(range(most)), f"{tuner} asks for splits that there are not"
        fresh += int((~seen.is_seen(level)[np.ix_(list(candidates), list(splits))]).sum())
    assert fresh, f"{tuner} asks again for evaluations it has: return OVER when there is nothing more to evaluate"
