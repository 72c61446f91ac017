"""Fits grouped into batches that are worth sending."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from foldwise.plans.fit import Batch, Fit, SharedBatch

BATCH_SECONDS = 0.1


def make_batches(found: Iterable[Batch], seconds: Mapping[int, float], *, workers: int = 1) -> list[Batch]:
    """Batches of about `BATCH_SECONDS` each, the longest first; fits that a solver shares stay in one batch.

    `seconds` holds the measured time of one fit per method.
    """
    shared, plain = list[Batch](), list[Fit]()
    for batch in found:
        if isinstance(batch, SharedBatch):
            shared.append(batch)
        else:
            plain += batch
    batches = sorted(shared, key=lambda batch: -len(batch) * seconds.get(batch[0].method, 0.0))
    for method in sorted({fit.method for fit in plain}, key=lambda at: (-seconds.get(at, 0.0), at)):
        own = [fit for fit in plain if fit.method == method]
        size = max(1, int(BATCH_SECONDS / max(seconds.get(method, 0.01), 1e-4)))
        size = max(1, min(size, -(-len(own) // (2 * workers))))
        batches += [tuple(own[start : start + size]) for start in range(0, len(own), size)]
    return batches
