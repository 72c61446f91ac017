"""Every fault of the saboteur, in fit and in predict, on Dask and on Ray."""

from __future__ import annotations

from contextlib import ExitStack, closing

import pytest
from survival import SurvivalContract

from foldwise.executors.cluster.cluster_executor import DaskExecutor, RayExecutor
from foldwise.executors.options import RunOptions

pytestmark = pytest.mark.extras


class Survival(SurvivalContract):
    kind: type = DaskExecutor

    @pytest.fixture
    def survivor(self):
        with ExitStack() as held:
            yield lambda **limits: held.enter_context(closing(self.kind(RunOptions(jobs=2, **limits))))


class TestDaskSurvives(Survival):
    kind = DaskExecutor


class TestRaySurvives(Survival):
    kind = RayExecutor
