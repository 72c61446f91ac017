"""Fits grouped into batches that are worth sending."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from foldwise.plans.fit import Batch, Pass

BATCH_SECONDS = 0.1


def make_batches(units: Iterable[Batch], seconds: Mapping[int, float], *, workers: int = 1) -> list[Batch]:
    """Batches of about `BATCH_SECONDS` each, the longest first; a solver's pass is a batch as it is.

    `seconds` holds the measured time of one fit per method.
    """
    units = list(units)
    passes: list[Batch] = [unit for unit in units if isinstance(unit, Pass)]
    plain = [fit for unit in units if not isinstance(unit, Pass) for fit in unit]
    batches = sorted(passes, key=lambda unit: -len(unit) * seconds.get(unit[0].method, 0.0))
    for method in sorted({fit.method for fit in plain}, key=lambda at: (-seconds.get(at, 0.0), at)):
        own = [fit for fit in plain if fit.method == method]
        size = max(1, int(BATCH_SECONDS / max(seconds.get(method, 0.01), 1e-4)))
        size = max(1, min(size, -(-len(own) // (2 * workers))))
        batches += [tuple(own[start : start + size]) for start in range(0, len(own), size)]
    return batches
