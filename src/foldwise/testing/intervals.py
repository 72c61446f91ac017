"""What every interval must do, checked on made-up losses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
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
        yield _evidence(loss, "time_holdout", 1, rows=LONG)
        yield _evidence(loss, "time", FOLDS, rows=LONG)
        yield _evidence(loss, "bootstrap", FOLDS)
        yield _evidence(loss, "pairs", FOLDS)
        yield _evidence(loss, "loo", ROWS)
        yield _evidence(loss, "holdout", 1, rows=1)
        yield _evidence(loss, "folds", FOLDS, groups=groups)
        yield _evidence(loss, "folds", FOLDS, weights=weights)
        yield _evidence(loss, "holdout", 1, weights=weights)
        for even in (_evidence(loss, "holdout", 1), _evidence(loss, "folds", FOLDS)):
            yield _changed(even, lambda losses: np.full(len(losses), 0.25))


def _evidence(loss: Loss, kind: str, folds: int, *, rows: int = ROWS, repeats: int = 1, **more: Any) -> Evidence:
    draw = np.random.default_rng([rows, folds])
    tests = tuple(np.sort(part) for _ in range(repeats) for part in np.array_split(draw.permutation(rows), folds))
    losses = [draw.random(len(test)) for test in tests]
    if loss is ZERO_ONE:
        losses = [(part < 0.4).astype(float) for part in losses]
    weights = more.get("weights", np.ones(rows))
    means = [np.average(part, weights=weights[test]) for part, test in zip(losses, tests, strict=True)]
    return Evidence(
        fold_losses=np.array(means),
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


def _changed(evidence: Evidence, change: Callable[[FloatArray], FloatArray], **more: Any) -> Evidence:
    """The same evidence with other losses."""
    parts = None if evidence.row_losses is None else tuple(map(change, evidence.row_losses))
    return replace(evidence, fold_losses=change(evidence.fold_losses), row_losses=parts, **more)


def _is_refused(interval: IntervalMethod, evidence: Evidence, at: str) -> bool:
    try:
        reason = interval.refuse(evidence)
    except Exception as error:
        raise AssertionError(f"{at}: refuse raised {type(error).__name__}: {error}") from error
    is_reason = reason is None or (isinstance(reason, str) and len(reason.split()) > 2)
    assert is_reason, f"{at}: refuse gave {reason!r}, not None or a reason in words"
    return reason is not None


def _ends(interval: IntervalMethod, evidence: Evidence, level: float, at: str) -> Ends:
    try:
        found = interval.ends(evidence, level)
    except Exception as error:
        raise AssertionError(f"{at}: not refused, yet compute raised {type(error).__name__}: {error}") from error
    ends = f"{at}: the ends {found.low:g} and {found.high:g} are"
    assert np.isfinite(found[:2]).all(), f"{ends} not finite"
    assert found.low <= found.high, f"{ends} not in order"
    return found


def _check_ends(interval: IntervalMethod, evidence: Evidence, at: str) -> None:
    """Finite and in order, the same when asked again, wider at higher levels; and the evidence is left as it was."""
    before, inner = _copies(evidence), (math.inf, -math.inf)
    for level in LEVELS:
        low, high = _ends(interval, evidence, level, f"{at}, level {level:g}")[:2]
        assert (low, high) == _ends(interval, evidence, level, at)[:2], f"{at}: asked twice, it gives different ends"
        is_wider = low <= inner[0] + _slack(inner[0]) and high >= inner[1] - _slack(inner[1])
        assert is_wider, f"{at}: at level {level:g} it is not as wide as at a lower level"
        inner = low, high
    same = all(np.array_equal(part, copy) for part, copy in zip(_copies(evidence), before, strict=True))
    assert same, f"{at}: compute changed the losses it was given"


def _slack(end: float) -> float:
    return 1e-10 * (1 + abs(end)) if math.isfinite(end) else 0.0


def _check_order(interval: IntervalMethod, evidence: Evidence, at: str) -> None:
    """The splits of every repeat in reverse; the rows of a single test set."""
    if len(evidence.fold_losses) == 1:
        other = _turned(evidence, lambda parts: (parts[0][::-1],))
    else:
        order = np.arange(len(evidence.fold_losses)).reshape(evidence.repeats, -1)[:, ::-1].ravel()
        other = _turned(evidence, lambda parts: tuple(parts[at] for at in order))
        counts = tuple(evidence.train_counts[at] for at in order)
        other = replace(other, fold_losses=evidence.fold_losses[order], train_counts=counts)
    same = np.allclose(_ends(interval, evidence, 0.9, at)[:2], _ends(interval, other, 0.9, at)[:2], 1e-8, 1e-10)
    assert same, f"{at}: the order of the splits changes the ends, so it must say ignores_order=False"


def _turned(evidence: Evidence, turn: Callable[[Any], Any]) -> Evidence:
    changes: dict[str, Any] = {"test_rows": turn(evidence.test_rows)}
    for name, parts in {"row_losses": evidence.row_losses, "scores": evidence.scores}.items():
        changes[name] = None if parts is None else turn(parts)
    return replace(evidence, **changes)


def _check_affine(interval: IntervalMethod, evidence: Evidence, at: str) -> None:
    if evidence.loss is ZERO_ONE or evidence.scores is not None:
        return  # a share or an area has no other units

    def move(values: Any) -> Any:
        return SCALE * values + SHIFT

    bounds = evidence.loss.bounds and (move(evidence.loss.bounds[0]), move(evidence.loss.bounds[1]))
    other = _changed(evidence, move, loss=replace(evidence.loss, bounds=bounds))
    moved = move(np.array(_ends(interval, evidence, 0.9, at)[:2]))
    same = np.allclose(moved, _ends(interval, other, 0.9, at)[:2], 1e-8, 1e-10)
    assert same, f"{at}: losses in other units give another interval, so it must say is_affine=False"


def _copies(evidence: Evidence) -> list[FloatArray]:
    return [np.copy(part) for part in (evidence.fold_losses, *(evidence.row_losses or ()))]
