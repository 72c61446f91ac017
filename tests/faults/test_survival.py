"""Faults in workers of the local executor cost only the fits they happen in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from survival import SurvivalContract

from foldwise.executors.local.local_executor import LocalExecutor
from foldwise.executors.options import RunOptions


class TestTheLocalExecutor(SurvivalContract):
    @pytest.fixture
    def survivor(self) -> Iterator[Callable[..., Any]]:
        made: list[LocalExecutor] = []

        def make(**limits: float) -> LocalExecutor:
            made.append(LocalExecutor(RunOptions(jobs=2, isolate=True, **limits)))
            return made[-1]

        yield make
        for executor in made:
            executor.close()

    @pytest.mark.slow
    def test_what_would_not_end_is_stopped_at_the_time_limit(self, survivor: Callable[..., Any]) -> None:
        super().test_what_would_not_end_is_stopped_at_the_time_limit(survivor)

    @pytest.mark.slow
    def test_what_would_take_all_memory_is_stopped_at_the_memory_limit(self, survivor: Callable[..., Any]) -> None:
        super().test_what_would_take_all_memory_is_stopped_at_the_memory_limit(survivor)
