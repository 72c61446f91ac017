"""Settings that all tests share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Tests run side by side: threads inside each would only wait for one another. Set before NumPy is loaded.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# The first example pays for lazy imports, and a busy machine is not a bug: time is judged by benchmarks.
settings.register_profile(
    "quick", max_examples=20, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("brief", settings.get_profile("quick"), max_examples=5)  # `make test-oldest`
settings.register_profile("long", settings.get_profile("quick"), max_examples=60)  # `make test-all`
settings.load_profile("quick")


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """The fits are tiny: BLAS threads would only wait for each other, also where NumPy was loaded before us."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield


@pytest.fixture
def arff(monkeypatch: pytest.MonkeyPatch) -> None:
    """liac-arff, or where it is not installed the copy of it that scikit-learn carries."""
    from importlib import import_module, util

    if util.find_spec("arff") is None:
        monkeypatch.setitem(sys.modules, "arff", import_module("sklearn.externals._arff"))


@pytest.fixture
def compare_anyway() -> Callable[..., Any]:
    """`fw.compare`, with the rest of the answer where every method failed."""
    import foldwise as fw
    from foldwise.errors import FitsFailed

    def ask(*given: Any, **options: Any) -> Any:
        try:
            return fw.compare(*given, **options)
        except FitsFailed as failed:
            return failed.result

    return ask


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Makes packages as an installer leaves them: `installed("package", "code", group={"name": "package:value"})`."""
    site, made = tmp_path / "site-packages", []
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def install(package: str, code: str, **groups: dict[str, str]) -> None:
        made.append(package)
        info = site / f"{package}-1.0.dist-info"
        info.mkdir()
        (site / f"{package}.py").write_text(code)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = []
        for group, entries in groups.items():
            lines += [f"[foldwise.{group}]", *(f"{name} = {value}" for name, value in entries.items())]
        (info / "entry_points.txt").write_text("\n".join(lines))

    yield install
    for package in made:
        sys.modules.pop(package, None)


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the cases of a test marked `few(n)` only n, from the first to the last, are not slow."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("few"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for found in cases.values():
        most = found[0].get_closest_marker("few").args[0]
        kept = {round(at * (len(found) - 1) / max(most - 1, 1)) for at in range(most)}
        for place, item in enumerate(found):
            if place not in kept:
                item.add_marker(pytest.mark.slow)
