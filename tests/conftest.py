"""Settings that all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# Tests run side by side: threads inside each would only wait for one another. Set before NumPy is loaded.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# The first example pays for lazy imports, and a busy machine is not a bug: time is judged by benchmarks.
settings.register_profile("foldwise", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("foldwise")


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """The fits are tiny: BLAS threads would only wait for each other, also where NumPy was loaded before us."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield
