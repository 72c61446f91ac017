"""What a tuner is: from the scores so far it says which evaluations it wants next, and remembers nothing.

So a tuning is replayed from its records: after any interruption, on any number of workers, and
where a stored result is read, the same scores lead to the same evaluations and the same choice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np

from foldwise.arrays import BoolArray, FloatArray, IntArray
from foldwise.errors import BadStudy
from foldwise.shown import Shown, code_html
from foldwise.spaces.parameter import Parameter
from foldwise.spaces.point import Point
from foldwise.spaces.space import Space

if TYPE_CHECKING:
    from foldwise.losses.loss import Loss

ROWS = "rows"
PROPOSE: Literal["propose"] = "propose"  # it wants more candidates
OVER: Literal["over"] = "over"  # it has seen enough to choose


class Evaluate(NamedTuple):
    """Fits that are wanted: each of these candidates on each of these inner splits.

    Level 0 is the whole training part of a split; level k a part of it, or less of the learner's own resource.

    `candidates`, `splits`: their places in their lists.
    `level`: how much of the resource.

    >>> Evaluate(candidates=[0, 1], splits=range(5))
    Evaluate(candidates=[0, 1], splits=range(0, 5), level=0)
    """

    candidates: Sequence[int]
    splits: Sequence[int]
    level: int = 0

    def _repr_html_(self) -> str:
        return code_html(repr(self))


Step = Sequence[Evaluate] | Literal["propose", "over"]


class Seen(Protocol):
    """One tuning as a tuner sees it: what there is to evaluate, and the scores of what was evaluated."""

    @property
    def candidates(self) -> int:
        """How many there are so far, numbered from 0."""

    @property
    def splits(self) -> int:
        """How many inner splits there are."""

    @property
    def levels(self) -> int:
        """How many levels there are below the whole training parts."""

    @property
    def level_splits(self) -> int:
        """How many inner splits those levels use."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Between which numbers a score can be."""

    @property
    def seconds(self) -> float:
        """Seconds of the method's fits and proposals so far, estimated from this tuning's share."""

    @property
    def points(self) -> Sequence[Point]:
        """Where in the space each candidate is, of a tuner that proposes them."""

    def scores(self, level: int = 0) -> FloatArray:
        """`scores[candidate, split]`: NaN where there is none yet, or where the fit failed."""

    def is_seen(self, level: int = 0) -> BoolArray:
        """`is_seen[candidate, split]`: has it been evaluated, with or without success?"""

    def losses(self, candidate: int, split: int) -> FloatArray | None:
        """Losses row by row on a whole split, with the score as their mean; None where the loss has none."""

    def shuffled(self) -> IntArray:
        """The candidates in a random order that belongs to the study."""

    def training_set(self, split: int, level: int = 0) -> str:
        """A name for the training rows of an evaluation, the same wherever these rows are trained on."""


class Limits(NamedTuple):
    """How far a tuner that proposes candidates may go."""

    budget: int | None = None  # candidates of each tuning
    seconds: float | None = None  # of all fits and proposals of the method's tunings together
    stop: str | None = None  # "noise": when gains are smaller than the noise of the best score


class Tuner(Shown):
    """The base of all tuners: one that scores every candidate of a list on every inner split.

    A tuner of your own has a `name` and overrides `next`, which gives the evaluations wanted after
    what was seen: a list of `Evaluate`, or `OVER`. It must be a pure function of what was seen.
    One that leaves candidates out says `is_exhaustive = False`. `foldwise.testing.check_tuner`
    holds it to this. The study chooses by its rule among the candidates that were scored on every
    whole split.

    >>> import foldwise as fw
    >>> class Half(fw.Tuner):
    ...     name = "half"  # scores the first half of the candidates
    ...     is_exhaustive = False
    ...     def next(self, seen):
    ...         if seen.is_seen().any():
    ...             return fw.OVER
    ...         return [fw.Evaluate(range((seen.candidates + 1) // 2), range(seen.splits))]
    >>> fw.testing.check_tuner(Half())
    >>> halved = fw.tune("k-nn", n_neighbors=[1, 5, 25, 50], tuner=Half())
    >>> fw.compare({"k-nn": halved}, "diabetes", outer=3, jobs=1).best
    'k-nn'
    """

    name: str = ""
    is_listed: bool = True  # are candidates listed before the first fit, the same for all tunings?
    is_exhaustive: bool = True  # is every candidate scored on every inner split?
    is_seeded: bool = False  # does every tuning draw by a seed of its own?
    takes_time: bool = False  # may its budget be a time?
    may_stop: bool = False  # may it end where gains are below the noise?
    resource: str = ROWS  # what lower levels have less of
    least: int | None = None  # of it, to begin with, where the user says so
    limits: Limits = Limits()

    def next(self, seen: Seen) -> Step:
        """The evaluations wanted after what was seen; `OVER` when there is enough to choose.

        `seen`: the scores so far.
        """
        return remaining(seen, [Evaluate(range(seen.candidates), range(seen.splits))])

    def propose(self, seen: Seen, space: Space, seed: int) -> list[Point]:
        """Further points of the space, where `next` asked for them; none: all of the space was tried.

        `seen`: the scores so far.
        `space`: where to look.
        `seed`: of its draws.
        """
        raise BadStudy(f"the tuner {self.name!r} proposes no candidates", "Let its next() give Evaluate or OVER")

    def check_installed(self) -> None:
        """Refuse a tuner whose packages are not there, before any fit."""

    def domain(self, parameter: Parameter) -> Parameter:
        """The values of a parameter that it may propose.

        `parameter`: one axis of a space.
        """
        return parameter

    def candidates(self, space: Space, budget: int | None, seed: int) -> list[dict[str, Any]]:
        """The list of candidates: the grid where the budget allows, else a draw that all learners share.

        `space`: where to look.
        `budget`: how many at most.
        `seed`: of the draw.
        """
        return space.grid() if budget is None or space.size <= budget else space.draw(budget, seed)

    def most_levels(self, candidates: int, amount: int, least: int) -> int:
        """How many levels there are below the whole, for so much of the resource and at least `least` to begin with.

        `candidates`: how many there are.
        `amount`: of the resource.
        `least`: what the first level has.
        """
        return 0

    def part(self, amount: int, level: int) -> int:
        """How much of an amount of the resource a level has.

        `amount`: of the resource.
        `level`: 0 is the whole.
        """
        return amount

    def share(self, level: int) -> float:
        """The same as a share of the whole.

        `level`: 0 is the whole.
        """
        return 1.0

    def check(self, who: str, loss: Loss, rule: str, *, optimism: bool) -> None:
        """Refuse what needs the scores of all candidates, where this tuner does not have them.

        `who`: the learner, in words.
        `loss`: that of the study.
        `rule`: by which the candidate is chosen.
        `optimism`: whether it was asked for.
        """
        if not self.is_exhaustive and optimism:
            raise BadStudy(
                "optimism needs all candidates on the outer splits", "Use tuner='grid', or leave optimism out"
            )
        if not self.is_exhaustive and rule != "best":
            raise BadStudy(f"the rule {rule!r} of {who!r} needs the scores of all candidates", "Use tuner='grid'")

    def most_fits(self, tunings: Sequence[Seen]) -> int:
        """How many fits these tunings of a method come to at most; those that several share count once.

        If all candidates tie, none is dropped before it must be.

        `tunings`: one for each outer split.
        """
        counts: Counter[tuple[str, int]] = Counter()
        for seen in tunings:
            for evaluate in worst_case(self, seen):
                for split in evaluate.splits:
                    counts[seen.training_set(split, evaluate.level), evaluate.level] += len(evaluate.candidates)
        most = max((seen.candidates for seen in tunings), default=0)
        return sum(min(count, most) for count in counts.values())

    def fewest_fits(self, tunings: Sequence[Seen]) -> int:
        """The same at least, where time may end them.

        `tunings`: one for each outer split.
        """
        return self.most_fits(tunings)

    def __str__(self) -> str:
        """Its name, with those of its options that are not the usual ones: this is what a store keeps."""
        if not is_dataclass(self):
            return self.name
        given = [f"{one.name}={getattr(self, one.name)}" for one in fields(self) if _is_unusual(self, one)]
        return self.name + (f"({', '.join(given)})" if given else "")


def remaining(seen: Seen, wanted: Sequence[Evaluate]) -> Step:
    """These evaluations, until all of them have been seen."""
    return OVER if has_seen(seen, wanted) else wanted


def has_seen(seen: Seen, wanted: Sequence[Evaluate]) -> bool:
    """Have all these evaluations been made?"""
    return all(bool(seen.is_seen(one.level)[np.ix_(list(one.candidates), list(one.splits))].all()) for one in wanted)


def worst_case(tuner: Tuner, seen: Seen) -> list[Evaluate]:
    """All that a tuner asks for where every candidate has the same score."""
    tied, asked = Tied(seen), list[Evaluate]()
    while not isinstance(step := tuner.next(tied), str):
        asked += step
        tied.see(step)
    return asked


class Tied:
    """A tuning of candidates that are all the same."""

    def __init__(self, seen: Seen) -> None:
        self.candidates, self.splits, self.bounds = seen.candidates, seen.splits, seen.bounds
        self.levels, self.level_splits, self.points = seen.levels, seen.level_splits, seen.points
        self.seconds, self._seen = 0.0, seen
        self._scores = np.full((seen.levels + 1, seen.candidates, seen.splits), np.nan)

    def see(self, asked: Sequence[Evaluate]) -> None:
        for candidates, splits, level in asked:
            self._scores[level][np.ix_(list(candidates), list(splits))] = 0.0

    def scores(self, level: int = 0) -> FloatArray:
        return np.asarray(self._scores[level])

    def is_seen(self, level: int = 0) -> BoolArray:
        return np.asarray(~np.isnan(self._scores[level]))

    def losses(self, candidate: int, split: int) -> FloatArray | None:
        return None

    def shuffled(self) -> IntArray:
        return self._seen.shuffled()

    def training_set(self, split: int, level: int = 0) -> str:
        return self._seen.training_set(split, level)


def _is_unusual(tuner: Tuner, option: Any) -> bool:
    return bool(getattr(tuner, option.name) != option.default)


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse an option that is no whole number, or too small."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise BadStudy(f"{name} must be a whole number of at least {least}, not {value!r}")
