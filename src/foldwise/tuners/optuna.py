"""Searches that learn from scores, by Optuna: its Parzen estimators by name, any other sampler as an object."""

from __future__ import annotations

import copy
import importlib.util
import math
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from foldwise.errors import BadStudy, MissingExtra
from foldwise.spaces.parameter import Choice, Parameter, Range
from foldwise.spaces.point import Point, place_at, spread
from foldwise.spaces.space import Space
from foldwise.tuners.search import BATCH, Reported, Search, fresh
from foldwise.tuners.tuner import Limits

KEEP_STATE = ("CmaEsSampler", "NSGAIISampler", "NSGAIIISampler", "GridSampler")
BLOCK = "block"  # the axis of a conditional space; all others have a number before a dot


class Tpe(Search):
    """Tree-structured Parzen estimators, created at every call and given all scores: it has no memory of its own."""

    name = "tpe"
    is_seeded = True

    def check_installed(self) -> None:
        if importlib.util.find_spec("optuna") is None:
            raise MissingExtra(
                f"the tuner {self.name!r} needs the package optuna, which is not installed",
                "Run: pip install 'foldwise[optuna]'",
            )

    def ask(self, reported: Reported, space: Space, seed: int, count: int = BATCH) -> list[Point]:
        """At most so many new points; a reported score is NaN where the candidate failed."""
        if not reported:
            return fresh(spread(space, seed), (), count)
        with _quiet(), _one_thread(self.name):
            sampling = Sampling(self.sampler(seed % (2**31 - 1) + len(reported)), space, is_joint=self.is_joint)
            proposed = sampling.suggest(reported, count)
        known = {point for point, _ in reported}
        new = list(dict.fromkeys(point for point in proposed if point not in known))
        # a space with few values gives some of them twice: the even spread fills up
        return new + fresh(spread(space, seed), [*known, *new], count - len(new))

    is_joint = False

    def sampler(self, seed: int) -> Any:
        """A new sampler of Optuna."""
        from optuna.samplers import TPESampler

        return TPESampler(seed=seed, multivariate=True, group=True, constant_liar=True, n_startup_trials=1)


class Sampled(Tpe):
    """A search by any sampler of Optuna's, `tuner=optuna.samplers.GPSampler()`; a copy of it is seeded for every call.

    Conditional axes are joint ones for it: a point lies in the middle of those that it has not.
    """

    name = ""  # that of its sampler
    is_joint = True

    def __init__(self, sampler: Any, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self.given, self.name = sampler, f"optuna.{type(sampler).__name__}"
        if type(sampler).__name__ in KEEP_STATE:
            raise BadStudy(
                f"{type(sampler).__name__} keeps its state between trials, so a search by it cannot be resumed",
                "Use optuna.samplers.GPSampler() or TPESampler(), or tuner='tpe'",
            )

    def sampler(self, seed: int) -> Any:
        return _seeded(copy.deepcopy(self.given), seed)


def is_sampler(given: Any) -> bool:
    """Is it a sampler of Optuna's, which is a tuner here?"""
    return type(given).__module__.startswith("optuna.") and hasattr(given, "sample_relative")


def _seeded(sampler: Any, seed: int) -> Any:
    """The sampler, and those within it, with this seed."""
    for value in vars(sampler).values():
        if hasattr(value, "rng") and hasattr(value.rng, "seed"):
            value.rng.seed(seed)
        elif hasattr(value, "sample_relative"):
            _seeded(value, seed)
    return sampler


class Sampling:
    """A sampler of Optuna over one space."""

    def __init__(self, sampler: Any, space: Space, *, is_joint: bool) -> None:
        self.sampler, self.space, self.is_joint = sampler, space, is_joint

    def suggest(self, reported: Reported, n: int) -> list[Point]:
        """Points by a sampler that is a function of all trials."""
        import optuna

        study = optuna.create_study(sampler=self.sampler)
        for point, score in _filled(reported):
            study.add_trial(self._trial(point, score))
        return [self._point(study.ask()) for _ in range(n)]

    def _trial(self, point: Point, score: float | None) -> Any:
        from optuna.trial import TrialState, create_trial

        known, values = self._distributions(point.block), self._values(point)
        state = TrialState.FAIL if score is None else TrialState.COMPLETE
        return create_trial(params=values, distributions=known, value=score, state=state)

    def _distributions(self, block: int) -> dict[str, Any]:
        """The axes that a point of this block lies on; those that are not conditional on it first."""
        blocks = {BLOCK: self._category(len(self.space.blocks))} if len(self.space.blocks) > 1 else {}
        axes = self._all_axes() if self.is_joint else self._axes(block)
        return blocks | {axis: self._distribution(parameter) for axis, parameter in axes.items()}

    def _axes(self, block: int) -> dict[str, Parameter]:
        return {self._axis(block, name): parameter for name, parameter in self.space.blocks[block]}

    def _all_axes(self) -> dict[str, Parameter]:
        blocks = range(len(self.space.blocks))
        return {axis: parameter for block in blocks for axis, parameter in self._axes(block).items()}

    def _axis(self, block: int, name: str) -> str:
        """Blocks that have a parameter with the same values share what is learnt of it."""
        own = dict(self.space.blocks[block])[name]
        twins = [at for at, other in enumerate(self.space.blocks) if dict(other).get(name) == own]
        return f"{twins[0]}.{name}"

    def _values(self, point: Point) -> dict[str, Any]:
        blocks = {BLOCK: point.block} if len(self.space.blocks) > 1 else {}
        own = dict(zip(self._axes(point.block), point.at, strict=True))
        idle = {axis: place_at(parameter, 0.5) for axis, parameter in self._all_axes().items() if axis not in own}
        return blocks | own | (idle if self.is_joint else {})

    def _point(self, trial: Any) -> Point:
        """The point of a trial that is asked axis by axis."""
        blocks = len(self.space.blocks)
        block = int(_suggest(trial, BLOCK, self._category(blocks))) if blocks > 1 else 0
        asked = {
            axis: _suggest(trial, axis, each) for axis, each in self._distributions(block).items() if axis != BLOCK
        }
        return Point(block, tuple(asked[axis] for axis in self._axes(block)))

    def _category(self, count: int) -> Any:
        from optuna.distributions import CategoricalDistribution

        return CategoricalDistribution(range(count))

    def _distribution(self, parameter: Parameter) -> Any:
        from optuna.distributions import FloatDistribution, IntDistribution

        if isinstance(parameter, Choice):
            places = len(parameter.values)
            return IntDistribution(0, places - 1) if _is_ordered(parameter) else self._category(places)
        if not isinstance(parameter, Range):
            return FloatDistribution(0.0, 1.0)
        is_log = parameter.kind in ("log", "int_log")
        if parameter.is_whole:
            return IntDistribution(int(parameter.low), int(parameter.high), log=is_log)
        return FloatDistribution(parameter.low, parameter.high, log=is_log)


def _filled(reported: Reported) -> Iterator[tuple[Point, float | None]]:
    """Scores with the worst one in the place of those that failed."""
    finite = [score for _, score in reported if math.isfinite(score)]
    worst = max(finite) if finite else None
    return ((point, score if math.isfinite(score) else worst) for point, score in reported)


def _suggest(trial: Any, name: str, wanted: Any) -> float:
    from optuna.distributions import CategoricalDistribution, IntDistribution

    number: float
    if isinstance(wanted, CategoricalDistribution):
        number = trial.suggest_categorical(name, wanted.choices)
    elif isinstance(wanted, IntDistribution):
        number = trial.suggest_int(name, wanted.low, wanted.high, log=wanted.log)
    else:
        number = trial.suggest_float(name, wanted.low, wanted.high, log=wanted.log)
    return number


def _is_ordered(choice: Choice) -> bool:
    """Numbers that only grow, or only shrink, are near one another where their places are."""
    values = choice.values
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return False
    return list(values) in (sorted(values), sorted(values, reverse=True))


@contextmanager
def _one_thread(name: str) -> Iterator[None]:
    """Sums over several threads differ in their last digits, and so would what is asked for on another machine."""
    if name == "tpe":  # which has no linear algebra
        yield
        return
    from threadpoolctl import threadpool_limits

    torch = sys.modules.get("torch")
    threads = torch.get_num_threads() if torch else 0
    try:
        if torch:
            torch.set_num_threads(1)
        with threadpool_limits(limits=1):
            yield
    finally:
        if torch:
            torch.set_num_threads(threads)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without Optuna's log lines and its warnings of what is experimental."""
    import optuna

    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        optuna.logging.set_verbosity(level)
