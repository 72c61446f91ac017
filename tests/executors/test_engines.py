from __future__ import annotations

import numpy as np
import pytest

import foldwise as fw
from foldwise.errors import BadStudy
from foldwise.executors.engines import ENGINES, make_executor
from foldwise.executors.local.executor import LocalExecutor
from foldwise.executors.options import RunOptions
from foldwise.executors.stop import Stop


def test_an_engine_is_made_by_its_name_and_hears_of_the_end_of_the_run():
    stop = Stop()
    executor = make_executor(RunOptions(jobs=3), stop)
    assert isinstance(executor, LocalExecutor)
    assert (executor.jobs, executor.stop) == (3, stop)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"engine": "rays"}, "there is no engine 'rays'. Did you mean 'ray'?"),
        ({"engine": "local", "address": "tcp://head"}, "the local engine has no address, but 'tcp://head' was given"),
        ({"engine": "dask", "isolate": False}, "fits on dask always run in processes of their own. Leave isolate out"),
        ({"isolate": False, "fit_timeout": 1}, "limits of a fit need a process of its own, but isolate is False"),
        ({"engine": 7}, "engine must be a name or an executor, and 7 has no method run"),
        ({"engine": LocalExecutor(), "jobs": 2}, "jobs was given beside an executor of your own. Set jobs where you"),
    ],
)
def test_what_an_engine_cannot_do_is_said(words, says):
    with pytest.raises(BadStudy) as caught:
        make_executor(RunOptions(**words), Stop())
    assert str(caught.value).startswith(says)


class Counting(LocalExecutor):
    """An executor of a user's own."""

    fits = 0

    def run(self, runnable, fits):
        for records in super().run(runnable, fits):
            self.fits += len(records)
            yield records


def test_an_executor_of_ones_own_is_used_and_can_be_used_again():
    x = np.linspace(0, 1, 40)
    executor = Counting(RunOptions(jobs=1))
    words = {"outer": 4, "inner": 2}
    expected = fw.compare(["ridge:small"], x[:, None], np.sin(9 * x), **words)
    for _ in range(2):
        executor.fits = 0
        found = fw.compare(["ridge:small"], x[:, None], np.sin(9 * x), **words, engine=executor)
        assert executor.fits == found.to_dict()["fits_made"] > 0
        assert found.losses().equals(expected.losses())


def test_every_engine_of_the_table_is_a_class_that_takes_options():
    from importlib import import_module

    for place in ENGINES.values():
        module, _, name = place.partition(":")
        assert callable(getattr(import_module(module), name))
