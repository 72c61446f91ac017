"""Many replications of one piece of work, in chunks of fixed size: the same numbers for any number of workers."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from itertools import starmap
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadStudy

CHUNK = 50  # replications that share one stream of random numbers and one pass of linear algebra

Work = Callable[[int, np.random.Generator], Mapping[str, Any]]
Found = dict[str, Any]


def replicate(work: Work, replications: int, *, key: str, seed: int = 0, jobs: int | None = 1) -> Found:
    """The arrays `work(times, rng)` gives for `replications` replications, joined along their first axis."""
    return replicate_all({key: work}, replications, seed=seed, jobs=jobs)[key]


def replicate_all(
    works: Mapping[str, Work], replications: int, *, seed: int = 0, jobs: int | None = 1, chunk: int = CHUNK
) -> dict[str, Found]:
    """The same for many pieces of work in one flat queue; each chunk's stream is named by seed, key and place."""
    if replications < 1:
        raise BadStudy(f"{replications} replications cannot be made", "Ask for at least 1")
    sizes = [min(chunk, replications - start) for start in range(0, replications, chunk)]
    queue = [(works[key], size, seed, key, place) for key in works for place, size in enumerate(sizes)]
    found = _run(queue, jobs)
    parts = {key: found[place * len(sizes) : (place + 1) * len(sizes)] for place, key in enumerate(works)}
    return {key: _joined(chunks) for key, chunks in parts.items()}


def mean_error(values: FloatArray) -> float:
    """The standard error of a mean over replications."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def _run(queue: Sequence[tuple[Any, ...]], jobs: int | None) -> list[Mapping[str, Any]]:
    if jobs == 1 or len(queue) == 1:
        return list(starmap(_one, queue))
    from joblib import Parallel, delayed

    return list(Parallel(n_jobs=jobs or -1, batch_size=1)(delayed(_one)(*piece) for piece in queue))


def _one(work: Work, times: int, seed: int, key: str, place: int) -> Mapping[str, Any]:
    from threadpoolctl import threadpool_limits

    # matrices here are small and many: threads inside a product only get in the way, and change its last digits
    with threadpool_limits(1):
        return work(times, np.random.default_rng([seed, zlib.crc32(key.encode()), place]))


def _joined(chunks: Sequence[Mapping[str, Any]]) -> Found:
    return {name: np.concatenate([np.atleast_1d(chunk[name]) for chunk in chunks]) for name in chunks[0]}
