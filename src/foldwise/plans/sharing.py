"""Fits grouped into batches that are worth sending."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from foldwise.plans.fit import Batch, Fit

BATCH_SECONDS = 0.1


def make_batches(fits: Sequence[Fit], seconds: Mapping[int, float], *, workers: int = 1) -> list[Batch]:
    """Batches of about `BATCH_SECONDS` each, the methods with the longest fits first.

    `seconds` holds the measured time of one fit per method.
    """
    batches: list[Batch] = []
    for method in sorted({fit.method for fit in fits}, key=lambda at: (-seconds.get(at, 0.0), at)):
        own = [fit for fit in fits if fit.method == method]
        size = max(1, int(BATCH_SECONDS / max(seconds.get(method, 0.01), 1e-4)))
        size = max(1, min(size, -(-len(own) // (2 * workers))))
        batches += [tuple(own[start : start + size]) for start in range(0, len(own), size)]
    return batches
