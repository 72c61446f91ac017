"""Searches that learn from scores, by Optuna: tree-structured Parzen estimators, Gaussian processes, CMA-ES."""

from __future__ import annotations

import importlib
import importlib.util
import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from foldwise.errors import MissingExtra
from foldwise.spaces.parameter import Choice, Parameter, Range
from foldwise.spaces.point import Point, place_at, spread
from foldwise.spaces.space import Space
from foldwise.tuners.search import BATCH, START, Reported, Search, fresh

BLOCK = "block"  # the axis of a conditional space; all others have a number before a dot


class OptunaTuner(Search):
    """One of Optuna's samplers, created at every call and given all scores: it has no memory of its own."""

    is_seeded = True
    packages: tuple[str, ...] = ("optuna",)
    extra = "optuna"

    def check_installed(self) -> None:
        for package in self.packages:
            if importlib.util.find_spec(package) is None:
                raise MissingExtra(
                    f"the tuner {self.name!r} needs the package {package}, which is not installed",
                    f"Run: pip install 'foldwise[{self.extra}]'",
                )

    def ask(self, reported: Reported, space: Space, seed: int, count: int = BATCH) -> list[Point]:
        """At most so many new points; a reported score is NaN where the candidate failed."""
        if not reported:
            return fresh(spread(space, seed), (), count)
        with _quiet(), _one_thread(self.name):
            asked = self.sample(Sampling(self.name, space, seed), reported, count)
        known = [point for point, _ in reported]
        new = list(dict.fromkeys(point for point in asked if point not in set(known)))
        # a space with few values gives some of them twice: the even spread fills up
        return new + fresh(spread(space, seed), [*known, *new], count - len(new))

    def sample(self, sampling: Sampling, reported: Reported, count: int) -> list[Point]:
        """Points by a sampler that is a function of all trials."""
        return sampling.suggest(reported, count)


class Tpe(OptunaTuner):
    """Tree-structured Parzen estimators."""

    name = "tpe"


class Gp(OptunaTuner):
    """A Gaussian process with the expected improvement."""

    name, packages, extra = "gp", ("optuna", "torch"), "optuna,torch"


class Cmaes(OptunaTuner):
    """Covariance matrix adaptation, which goes by generations."""

    name, packages = "cmaes", ("optuna", "cmaes")

    def sample(self, sampling: Sampling, reported: Reported, count: int) -> list[Point]:
        return sampling.replay(reported, count)


class Sampling:
    """A sampler of Optuna over one space."""

    def __init__(self, name: str, space: Space, seed: int) -> None:
        self.name, self.space, self.seed = name, space, seed

    def suggest(self, reported: Reported, n: int) -> list[Point]:
        """Points by a sampler that is a function of all trials."""
        study = self._study(self.seed + len(reported))
        for point, score in _filled(reported):
            study.add_trial(self._trial(point, score))
        return [self._point(study.ask()) for _ in range(n)]

    def replay(self, reported: Reported, n: int) -> list[Point]:
        """CMA-ES goes by generations: ask for the past ones again and tell their scores, then ask for the next."""
        study, scores = self._study(self.seed), dict(_filled(reported))
        for point, score in list(scores.items())[:START]:
            study.add_trial(self._trial(point, score))
        for _ in range(max(0, len(reported) - START) // BATCH):
            trials = [study.ask() for _ in range(BATCH)]
            points = [self._point(trial) for trial in trials]
            for trial, point in zip(trials, points, strict=True):
                self._tell(study, trial, scores.get(point))
        return [self._point(study.ask()) for _ in range(n)]

    def _tell(self, study: Any, trial: Any, score: float | None) -> None:
        from optuna.trial import TrialState

        if score is None:  # another version of Optuna had asked for other points: they are not its own
            study.tell(trial, state=TrialState.FAIL)
        else:
            study.tell(trial, score)

    def _study(self, seed: int) -> Any:
        import optuna
        from optuna import samplers

        seed %= 2**31 - 1
        sampler: Any
        if self.name == "tpe":
            sampler = samplers.TPESampler(
                seed=seed, multivariate=True, group=True, constant_liar=True, n_startup_trials=1
            )
        elif self.name == "gp":
            sampler = samplers.GPSampler(
                seed=seed, n_startup_trials=1, independent_sampler=samplers.RandomSampler(seed=seed)
            )
        else:
            sampler = samplers.CmaEsSampler(
                seed=seed,
                popsize=BATCH,
                n_startup_trials=1,
                independent_sampler=samplers.RandomSampler(seed=seed),
                warn_independent_sampling=False,
            )
        return optuna.create_study(sampler=sampler)

    def _trial(self, point: Point, score: float | None) -> Any:
        from optuna.trial import TrialState, create_trial

        known, values = self._distributions(point.block), self._values(point)
        state = TrialState.FAIL if score is None else TrialState.COMPLETE
        return create_trial(params=values, distributions=known, value=score, state=state)

    def _distributions(self, block: int) -> dict[str, Any]:
        """The axes that a point of this block lies on; those that are not conditional on it first."""
        blocks = {BLOCK: self._category(len(self.space.blocks))} if len(self.space.blocks) > 1 else {}
        axes = self._all_axes() if self._is_joint else self._axes(block)
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
        return blocks | own | (idle if self._is_joint else {})

    def _point(self, trial: Any) -> Point:
        """The point of a trial that is asked axis by axis."""
        blocks = len(self.space.blocks)
        block = int(_suggest(trial, BLOCK, self._category(blocks))) if blocks > 1 else 0
        asked = {
            axis: _suggest(trial, axis, each) for axis, each in self._distributions(block).items() if axis != BLOCK
        }
        return Point(block, tuple(asked[axis] for axis in self._axes(block)))

    @property
    def _is_joint(self) -> bool:
        """Gaussian processes and CMA-ES have no conditional axes: a point lies in the middle of those it has not."""
        return self.name != "tpe"

    def _category(self, count: int) -> Any:
        from optuna.distributions import CategoricalDistribution, IntDistribution

        # CMA-ES has no categories at all: it takes them for numbers
        return IntDistribution(0, count - 1) if self.name == "cmaes" else CategoricalDistribution(range(count))

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

    torch = importlib.import_module("torch") if name == "gp" else None
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
