"""Chunks of replications: the same numbers for any number of workers and beside any other work."""

from __future__ import annotations

import numpy as np
import pytest

from foldwise.errors import BadStudy
from foldwise.lab.replications import mean_error, replicate, replicate_all


def test_replications_come_in_the_order_of_their_chunks():
    def work(times, rng):
        return {"value": rng.random(times)}

    found = replicate(work, 70, key="a", seed=1)["value"]
    assert len(found) == 70
    assert np.array_equal(replicate(work, 50, key="a", seed=1)["value"], found[:50])
    both = replicate_all({"a": work, "b": work}, 70, seed=1)
    assert np.array_equal(both["a"]["value"], found)
    assert not np.array_equal(both["b"]["value"], found)


def test_the_error_of_a_mean_is_that_of_its_spread():
    values = np.array([1.0, 2.0, 4.0])
    assert mean_error(values) == pytest.approx(np.sqrt(values.var(ddof=1) / 3))
    assert np.isnan(mean_error(values[:1]))


def test_no_replications_are_refused():
    with pytest.raises(BadStudy, match="0 replications cannot be made"):
        replicate(lambda times, rng: {"value": rng.random(times)}, 0, key="a")
