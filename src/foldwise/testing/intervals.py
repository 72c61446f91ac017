"""What every interval must do, checked on made-up losses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.losses.loss import Loss
from foldwise.stats.evidence import Evidence
from foldwise.stats.interval_method import Ends, IntervalMethod

ROWS, FOLDS, LONG = 40, 5, 60  # LONG: of a series in time
LEVELS = (0.5, 0.8, 0.95, 0.99)
SCALE, SHIFT = 3.0, 10.0  # losses in other units
SQUARED = Loss("squared", lambda y, p: (y - p) ** 2)
BRIER = Loss("brier", lambda y, p: (y - p) ** 2, bounds=(0.0, 1.0))
ZERO_ONE = Loss("zero_one", lambda y, p: y != p, bounds=(0.0, 1.0))
AUC = Loss("roc_auc", lambda y, p, w: 0.5, bounds=(0.0, 1.0), is_per_row=False)
R2 = Loss("r2", lambda y, p, w: 0.5, is_per_row=False)


def check_interval(interval: IntervalMethod, *evidence: Evidence) -> None:
    """Raise AssertionError, with a sentence, where an interval does not do what it claims.

    It meets test sets, folds, random splits and the other schemes with several losses, some of them lacking what it
    may need; further `evidence` is met too. On each it either refuses with a sentence or gives ends that are finite,
    in order, the same every time, and wider at higher levels; and it keeps `ignores_order` and `is_affine`.

    `interval`: the one that is judged.

    `evidence`: of studies of your own.

    >>> from foldwise.stats.held_out import T
    >>> check_interval(T)
    >>> check_interval(replace(T, compute=lambda evidence, level: (1.0, 0.0)))
    Traceback (most recent call last):
    AssertionError: t, one test set, squared loss, level 0.5: the ends 1 and 0 are not in order
    """
    used = 0
    for made_up in (*made_up_evidence(), *evidence):
        at = f"{interval.name}, {made_up.scheme}, {made_up.loss.name} loss"
        if not _is_refused(interval, made_up, at):
            used += 1
            _check_ends(interval, made_up, at)
            if interval.ignores_order:
                _check_order(interval, made_up, at)
            if interval.is_affine:
                _check_affine(interval, made_up, at)
    assert used, f"{interval.name} refuses everything it was shown; give it evidence that it is made for"


def made_up_evidence() -> Iterator[Evidence]:
    """Losses of a made-up method under every scheme; then without spread, with few rows, with groups or weights."""
    groups, weights = np.arange(ROWS) // 4, np.linspace(0.5, 1.5, ROWS)
    for loss in (SQUARED, BRIER, ZERO_ONE, AUC, R2):
        yield _evidence(loss, "holdout", 1)
        yield _evidence(loss, "folds", FOLDS)
        yield _evidence(loss, "monte_carlo", FOLDS)
        yield _evidence(loss, "folds", FOLDS, repeats=3)
        yield _evidence(loss, "holdout", 1, groups=groups)
        for kind in ("time_holdout", "time", "bootstrap", "pairs"):
            rows = LONG if kind.startswith("time") else ROWS
            yield _evidence(loss, kind, 1 if kind == "time_holdout" else FOLDS, rows=rows)
        yield _evidence(loss, "loo", ROWS)
        yield _evidence(loss, "holdout", 1, rows=1)
        yield _evidence(loss, "folds", FOLDS, groups=groups)
        yield _evidence(loss, "folds", FOLDS, weights=weights)
        yield _evidence(loss, "holdout", 1, weights=weights)
        for folds in (1, FOLDS):
            yield _without_spread(_evidence(loss, "folds" if folds > 1 else "holdout", folds))


def _evidence(loss: Loss, kind: str, folds: int, *, rows: int = ROWS, repeats: int = 1, **more: Any) -> Evidence:
    draw = np.random.default_rng([rows, folds])
    tests = tuple(np.sort(part) for _ in range(repeats) for part in np.array_split(draw.permutation(rows), folds))
    losses = [draw.random(len(test)) for test in tests]
    if loss is ZERO_ONE:
        losses = [(part < 0.4).astype(float) for part in losses]
    weights = more.get("weights", np.ones(rows))
    return Evidence(
        fold_losses=np.array(
            [np.average(part, weights=weights[test]) for part, test in zip(losses, tests, strict=True)]
        ),
        row_losses=tuple(losses) if loss.is_per_row else None,
        test_rows=tests,
        train_counts=tuple(rows - len(test) for test in tests) if folds > 1 else (100,),
        kind=kind,
        is_partition=kind in ("folds", "loo"),
        repeats=repeats,
        folds=folds,
        loss=loss,
        rows=rows,
        truth=np.arange(rows) // 2 % 2,
        scores=tuple(draw.random(len(test)) for test in tests) if loss is AUC else None,
        **more,
    )


def _without_spread(evidence: Evidence) -> Evidence:
    losses = None if evidence.row_losses is None else tuple(np.full(len(part), 0.25) for part in evidence.row_losses)
    return replace(evidence, fold_losses=np.full(len(evidence.fold_losses), 0.25), row_losses=losses)


def _is_refused(interval: IntervalMethod, evidence: Evidence, at: str) -> bool:
    try:
        reason = interval.refuse(evidence)
    except Exception as error:
        raise AssertionError(f"{at}: refuse raised {type(error).__name__}: {error}") from error
    assert reason is None or (isinstance(reason, str) and len(reason.split()) > 2), (
        f"{at}: refuse gave {reason!r}, not None or a reason in words"
    )
    return reason is not None


def _ends(interval: IntervalMethod, evidence: Evidence, level: float, at: str) -> Ends:
    try:
        found = interval.ends(evidence, level)
    except Exception as error:
        raise AssertionError(f"{at}: not refused, yet compute raised {type(error).__name__}: {error}") from error
    assert math.isfinite(found.low), f"{at}: the ends {found.low:g} and {found.high:g} are not finite"
    assert math.isfinite(found.high), f"{at}: the ends {found.low:g} and {found.high:g} are not finite"
    assert found.low <= found.high, f"{at}: the ends {found.low:g} and {found.high:g} are not in order"
    return found


def _check_ends(interval: IntervalMethod, evidence: Evidence, at: str) -> None:
    """Finite and in order, the same when asked again, wider at higher levels; and the evidence is left as it was."""
    before = _copies(evidence)
    wide: Ends | None = None
    for level in LEVELS:
        found = _ends(interval, evidence, level, f"{at}, level {level:g}")
        assert found[:2] == _ends(interval, evidence, level, at)[:2], f"{at}: asked twice, it gives different ends"
        is_wider = wide is None or (_at_most(found.low, wide.low) and _at_most(wide.high, found.high))
        assert is_wider, f"{at}: at level {level:g} it is not as wide as at a lower level"
        wide = found
    same = all(np.array_equal(one, other) for one, other in zip(before, _copies(evidence), strict=True))
    assert same, f"{at}: compute changed the losses it was given"


def _check_order(interval: IntervalMethod, evidence: Evidence, at: str) -> None:
    """The splits in another order; the rows of a single test set."""
    turned = _rows_turned(evidence) if len(evidence.fold_losses) == 1 else _splits_turned(evidence)
    words = "the order of the splits changes the ends, so it must say ignores_order=False"
    _check_same(_ends(interval, evidence, 0.9, at), _ends(interval, turned, 0.9, at), f"{at}: {words}")


def _check_affine(interval: IntervalMethod, evidence: Evidence, at: str) -> None:
    if evidence.loss is ZERO_ONE or evidence.scores is not None:
        return  # a share or an area has no other units
    found, other = _ends(interval, evidence, 0.9, at), _ends(interval, _in_other_units(evidence), 0.9, at)
    moved = Ends(SCALE * found.low + SHIFT, SCALE * found.high + SHIFT)
    words = "losses in other units give another interval, so it must say is_affine=False"
    _check_same(moved, other, f"{at}: {words}")


def _check_same(one: Ends, other: Ends, words: str) -> None:
    assert np.allclose(one[:2], other[:2], rtol=1e-8, atol=1e-10), words


def _at_most(one: float, other: float) -> bool:
    return one <= other + 1e-10 * (1 + abs(other))


def _rows_turned(evidence: Evidence) -> Evidence:
    def turn(parts: tuple[FloatArray, ...] | None) -> tuple[FloatArray, ...] | None:
        return None if parts is None else (parts[0][::-1],)

    return replace(
        evidence,
        row_losses=turn(evidence.row_losses),
        scores=turn(evidence.scores),
        test_rows=(evidence.test_rows[0][::-1],),
    )


def _splits_turned(evidence: Evidence) -> Evidence:
    """The folds of every repeat in reverse."""
    order = np.arange(len(evidence.fold_losses)).reshape(evidence.repeats, -1)[:, ::-1].ravel()

    def turn(parts: Any) -> Any:
        return None if parts is None else tuple(parts[at] for at in order)

    return replace(
        evidence,
        fold_losses=evidence.fold_losses[order],
        row_losses=turn(evidence.row_losses),
        scores=turn(evidence.scores),
        test_rows=turn(evidence.test_rows),
        train_counts=turn(evidence.train_counts),
    )


def _in_other_units(evidence: Evidence) -> Evidence:
    def move(losses: Any) -> Any:
        return None if losses is None else SCALE * losses + SHIFT

    bounds = evidence.loss.bounds
    return replace(
        evidence,
        fold_losses=move(evidence.fold_losses),
        row_losses=None if evidence.row_losses is None else tuple(map(move, evidence.row_losses)),
        loss=replace(evidence.loss, bounds=None if bounds is None else (move(bounds[0]), move(bounds[1]))),
    )


def _copies(evidence: Evidence) -> list[FloatArray]:
    parts = (evidence.fold_losses, *(evidence.row_losses or ()))
    return [np.copy(part) for part in parts if part is not None]
