"""Fits grouped into batches that are worth sending."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from foldwise.plans.fit import Batch, Fit, SharedBatch

BATCH_SECONDS = 0.1


def make_batches(found: Iterable[Batch], seconds: Mapping[int, float], *, workers: int = 1) -> list[Batch]:
    """Batches of about `BATCH_SECONDS` each; fits that a solver shares stay in one batch.

    Methods stay in the order in which they came. `seconds` holds the measured time of one fit per method; one batch of
    each that was not measured yet comes first.
    """
    shared, plain = dict[int, list[Batch]](), dict[int, list[Fit]]()
    for batch in found:
        method = batch[0].method
        shared.setdefault(method, []).extend([batch] if isinstance(batch, SharedBatch) else [])
        plain.setdefault(method, []).extend([] if isinstance(batch, SharedBatch) else batch)
    batches = list[Batch]()
    for method, own in plain.items():
        batches += sorted(shared[method], key=lambda batch: -len(batch))
        size = max(1, int(BATCH_SECONDS / max(seconds.get(method, 0.01), 1e-4)))
        size = max(1, min(size, -(-len(own) // (2 * workers))))
        batches += [tuple(own[start : start + size]) for start in range(0, len(own), size)]
    return untimed_first(batches, seconds)


def untimed_first(batches: Sequence[Batch], seconds: Mapping[int, float]) -> list[Batch]:
    """The same batches, but one of every method that was not measured yet before all others."""
    first: dict[int, Batch] = {}
    for batch in batches:
        if batch[0].method not in seconds:
            first.setdefault(batch[0].method, batch)
    others = (batch for batch in batches if first.get(batch[0].method) is not batch)
    return [*first.values(), *others]
