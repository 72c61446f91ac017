"""Pruning, racing, halving and hyperband: which looks they ask for, round after round.

A round is a list of looks; the next one is worked out when all of them have been scored.
So what is asked for depends on the scores alone, never on the order in which fits end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence

import numpy as np

from foldwise.arrays import BoolArray, FloatArray
from foldwise.tuners.field import Ask, Field, Look
from foldwise.tuners.pruning import bounds_that_hold, can_win, next_fit
from foldwise.tuners.schedule import Hyperband, Pruned, Racing, Schedule

RUNG_FOLDS = 2  # folds of a race that a rung counts for: its fits are scored on many rows, but trained on fewer

Climb = Generator[list[Ask], None, list[int]]  # rounds, and who is left in the end


def rounds(schedule: Schedule, field: Field) -> Iterator[list[Ask]]:
    """What a tuner asks for."""
    everyone = range(field.candidates)
    if isinstance(schedule, Pruned):
        return prune(field)
    if isinstance(schedule, Racing):
        return _race_by(field, everyone, schedule)
    if isinstance(schedule, Hyperband):
        return _then_race(field, hyperband(field, everyone, field.height))
    return _then_race(field, halve(field, everyone, field.height))


def prune(field: Field) -> Iterator[list[Ask]]:
    """All candidates on the first split, then one fit after another, of those that may still win."""
    scores = np.full((field.candidates, field.folds), np.nan)
    is_out = np.zeros(field.candidates, bool)
    while wishes := next_fit(scores, is_out, bounds=bounds_that_hold(field.bounds, scores)):
        yield [(candidate, Look(0, fold)) for candidate, fold in wishes]
        for candidate, fold in wishes:
            scores[candidate, fold] = field.score(candidate, Look(0, fold))
            is_out[candidate] |= bool(np.isnan(scores[candidate, fold]))


def halve(field: Field, entrants: Sequence[int], height: int) -> Climb:
    """All entrants on the lowest rung, the best of them on the next, and so on up to the full splits."""
    alive = list(entrants)
    for step, rung in enumerate(range(height, 0, -1), start=1):
        looks = [Look(rung, fold) for fold in range(field.looks)]
        yield [(candidate, look) for candidate in alive for look in looks]
        alive = best_of(field, alive, looks, most_left(len(entrants), RUNG_FOLDS * step))
    return alive


def hyperband(field: Field, entrants: Sequence[int], height: int) -> Climb:
    """Halvings side by side: most candidates begin on the lowest rung, a few on each of those above it.

    Few enough that most of those who reach the full splits have come up from the lowest rung.
    """
    mixed = [entrants[at] for at in field.mixed().tolist()]
    brackets: list[Climb] = []
    for start in range(height):
        size = max(1, most_left(len(entrants), RUNG_FOLDS * (height - start)) // (height + 1))
        brackets.append(halve(field, sorted(mixed[:size]), start))
        mixed = mixed[size:]
    return (yield from _side_by_side([*brackets, halve(field, sorted(mixed), height)]))


def race(
    field: Field, entrants: Sequence[int], *, level: float, most: Callable[[int], int], first: int = 1
) -> Iterator[list[Ask]]:
    """Fold after fold, without those that are worse than the best by a paired test, or that can win no more.

    Of the others the best go on, after k folds at most `most(k)`: ties would otherwise cost most of the fits.
    """
    alive = list(entrants)
    scores = np.full((field.candidates, field.folds), np.nan)
    for fold in range(field.folds):
        looks = [Look(0, at) for at in range(fold + 1)]
        yield [(candidate, looks[-1]) for candidate in alive]
        scores[alive, fold] = [field.score(candidate, looks[-1]) for candidate in alive]
        is_out = np.isnan(scores[:, : fold + 1]).any(axis=1)
        may_win = can_win(scores, is_out, bounds=bounds_that_hold(field.bounds, scores))
        alive = [candidate for candidate in alive if may_win[candidate]]
        if not alive:
            return  # none has a score on every fold, so that further fits could not make one the choice
        if fold + 1 >= first and len(alive) > 1:
            alive = _not_worse(field, alive, looks, level)
            alive = best_of(field, alive, looks, most(fold + 1))


def most_left(candidates: int, folds: int, *, cut: int = Racing.cut) -> int:
    """How many of the candidates go on at most after so many folds.

    >>> [most_left(36, folds) for folds in (1, 2, 3, 10)]
    [12, 6, 4, 2]
    """
    return math.ceil(candidates / (cut * folds)) if cut else candidates


def best_of(field: Field, alive: Sequence[int], looks: Sequence[Look], size: int) -> list[int]:
    """The candidates with the smallest mean score, in their own order; the first on ties, those without one last."""
    means = np.array([np.mean([field.score(candidate, look) for look in looks]) for candidate in alive])
    order = np.argsort(np.where(np.isnan(means), np.inf, means), kind="stable")
    return sorted(alive[at] for at in order[:size].tolist())


def is_above(differences: FloatArray, *, level: float) -> BoolArray:
    """Which rows of differences have a mean above 0 by the one-sided t test; equal ones by their sign.

    >>> is_above(np.array([[1.0, 1.2, 0.9], [0.5, -0.4, 0.1], [0.0, 0.0, 0.0]]), level=0.05).tolist()
    [True, False, False]
    """
    from scipy.stats import t

    count = differences.shape[1]
    if count < 2:
        return np.zeros(len(differences), bool)
    means, spreads = differences.mean(axis=1), differences.std(axis=1, ddof=1)
    reach = float(t.ppf(1 - level, count - 1)) * spreads / math.sqrt(count)
    return np.asarray((means > 0) & (means > reach))


def _then_race(field: Field, climb: Climb) -> Iterator[list[Ask]]:
    """Those who reach the full splits race there, as if every rung had been some folds of the race."""
    finalists = yield from climb
    before = RUNG_FOLDS * field.height
    yield from race(
        field, finalists, level=Racing.level, most=lambda folds: most_left(field.candidates, before + folds)
    )


def _race_by(field: Field, entrants: Sequence[int], options: Racing) -> Iterator[list[Ask]]:
    count, cut = len(entrants), options.cut
    return race(
        field,
        entrants,
        level=options.level,
        most=lambda folds: most_left(count, folds, cut=cut),
        first=options.first,
    )


def _side_by_side(climbs: Sequence[Climb]) -> Climb:
    """The rounds of several at once."""
    going, left = list(climbs), list[int]()
    while going:
        asks: list[Ask] = []
        for one in list(going):
            try:
                asks += next(one)
            except StopIteration as end:
                left += end.value
                going.remove(one)
        if asks:
            yield asks
    return sorted(left)


def _not_worse(field: Field, alive: Sequence[int], looks: Sequence[Look], level: float) -> list[int]:
    """Candidates that are not worse than the best so far: by their losses row by row, or else fold by fold."""
    scores = np.array([[field.score(candidate, look) for look in looks] for candidate in alive])
    losses = [[field.losses(candidate, look) for look in looks] for candidate in alive]
    if any(part is None for parts in losses for part in parts):
        table = scores if len(looks) >= 3 else scores[:, :0]  # a measure of whole folds has one number per fold
    else:
        table = np.array([np.concatenate([part for part in parts if part is not None]) for parts in losses])
    is_worse = is_above(table - table[int(np.argmin(scores.mean(axis=1)))], level=level)
    return [candidate for candidate, is_out in zip(alive, is_worse, strict=True) if not is_out]
