"""Fits grouped into batches that are worth sending."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from foldwise.plans.fit import Batch, SharedBatch

BATCH_SECONDS = 0.1
_LEAST_SECONDS = 1e-4  # that a fit is taken to last


def in_order(found: Iterable[Batch], seconds: Mapping[int, float]) -> list[Batch]:
    """Methods in the order in which they came, of each the largest shared batches first.

    `seconds` holds the measured time of one fit per method; one batch of each that was not measured yet comes first.
    """
    methods = dict[int, list[Batch]]()
    for batch in found:
        methods.setdefault(batch[0].method, []).append(batch)
    ordered = [batch for own in methods.values() for batch in sorted(own, key=_size_if_shared, reverse=True)]
    return untimed_first(ordered, seconds)


def next_batch(waiting: deque[Batch], seconds: Mapping[int, float], *, workers: int = 1) -> Batch:
    """Take the next fits of one method that are worth sending together, about `BATCH_SECONDS` of them.

    Those of a method that was not measured yet go alone: a guess that is too short would keep one worker busy when the
    others have nothing left. Batches get smaller towards the end, so that the workers end together.
    """
    first = waiting.popleft()
    if isinstance(first, SharedBatch) or first[0].method not in seconds:
        return first
    most = BATCH_SECONDS / max(seconds[first[0].method], _LEAST_SECONDS)
    most = min(int(most), -(-(len(waiting) + 1) // (2 * workers)))
    batch = list(first)
    while waiting and len(batch) + len(waiting[0]) <= most and _is_alike(first, waiting[0]):
        batch += waiting.popleft()
    return tuple(batch)


def _size_if_shared(batch: Batch) -> int:
    return len(batch) if isinstance(batch, SharedBatch) else 0


def _is_alike(one: Batch, other: Batch) -> bool:
    return not isinstance(other, SharedBatch) and one[0].method == other[0].method


def untimed_first(batches: Sequence[Batch], seconds: Mapping[int, float]) -> list[Batch]:
    """The same batches, but one of every method that was not measured yet before all others."""
    first: dict[int, Batch] = {}
    for batch in batches:
        if batch[0].method not in seconds:
            first.setdefault(batch[0].method, batch)
    others = (batch for batch in batches if first.get(batch[0].method) is not batch)
    return [*first.values(), *others]
