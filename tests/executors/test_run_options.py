from __future__ import annotations

import numpy as np
import pytest

from foldwise.errors import BadStudy
from foldwise.executors.options import Limits, RunOptions


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"jobs": 0}, "jobs must be a whole number of at least 1, not 0"),
        ({"jobs": 1.5}, "jobs must be a whole number of at least 1, not 1.5"),
        ({"address": 8786}, "the address of a cluster must be a text, not 8786"),
        ({"isolate": "yes"}, "isolate must be True, False or None, not 'yes'"),
        ({"fit_timeout": -1}, "the time limit of a fit must be a positive number of seconds, not -1"),
        ({"fit_memory": "1 GB"}, "the memory limit of a fit must be a positive number of gigabytes, not '1 GB'"),
        ({"time_limit": 0}, "the time limit must be a positive number of seconds, not 0"),
        ({"time_limit": float("inf")}, "the time limit must be a positive number of seconds, not inf"),
    ],
)
def test_each_option_is_checked_with_one_sentence(words, says):
    with pytest.raises(BadStudy) as caught:
        RunOptions(**words)
    assert str(caught.value) == f"{says}."


def test_options_are_plain_values():
    options = RunOptions(jobs=np.int64(3), fit_timeout=2.5, fit_memory=1)
    assert (type(options.jobs), options.limits) == (int, Limits(2.5, 1))
    assert options == RunOptions(jobs=3, fit_timeout=2.5, fit_memory=1)
