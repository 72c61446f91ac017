"""Settings that all tests share."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# The first example pays for lazy imports, and a busy machine is not a bug: time is judged by benchmarks.
settings.register_profile("foldwise", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("foldwise")
