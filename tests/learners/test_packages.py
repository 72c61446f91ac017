"""Versions of the packages a learner stands on: noted in the store, compared before a fit, on nodes too."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import foldwise as fw
from foldwise.errors import BadStore, BadStudy
from foldwise.executors.cluster import node
from foldwise.learners import identity, packages
from foldwise.learners.identity import code_and_modules

CODE = """
from sklearn.base import BaseEstimator, RegressorMixin
class Mean(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        self.mean_ = float(y.mean())
        return self
    def predict(self, X):
        import numpy
        return numpy.full(len(X), self.mean_)
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Makes packages as an installer leaves them: `install("name", "1.0", requires=["other"])`."""
    site = tmp_path / "site-packages"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(identity, "_LIBRARY_FOLDERS", (*identity._LIBRARY_FOLDERS, str(site.resolve())))
    made: list[str] = []

    def make(name: str, version: str, *, code: str = CODE, requires: list[str] | None = None) -> None:
        made.append(name)
        (site / f"{name}.py").write_text(code)
        info = site / f"{name}.dist-info"
        info.mkdir(exist_ok=True)
        lines = [f"Requires-Dist: {line}" for line in requires or []]
        (info / "METADATA").write_text(
            "\n".join(["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *lines])
        )
        _forget()

    yield make
    for name in made:
        sys.modules.pop(name, None)
    _forget()


def _forget() -> None:
    importlib.invalidate_caches()
    for known in (packages._distributions, packages._required, packages._direct, packages._computes):
        known.cache_clear()


def found(estimator: Any) -> dict[str, str]:
    return packages.packages_of(code_and_modules(estimator)[1])


def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    return X, X[:, 0] + rng.normal(size=30)


def run(store: Path, *names: str) -> fw.Result:
    learners = {name: importlib.import_module(name).Mean() for name in names}
    return fw.compare({"ridge": Ridge(), **learners}, *data(), outer=3, jobs=1, isolate=False, store=store)


def test_learners_of_scikit_learn_note_nothing_more() -> None:
    assert found(make_pipeline(StandardScaler(), Ridge())) == {}


def test_the_package_of_a_learner_deep_inside_is_noted(install: Callable[..., None]) -> None:
    install("deepwood", "1.0")
    assert found(make_pipeline(StandardScaler(), importlib.import_module("deepwood").Mean())) == {"deepwood": "1.0"}


def test_what_a_package_stands_on_is_noted_unless_it_cannot_change_a_number(install: Callable[..., None]) -> None:
    install("deepwood", "1.0", requires=["woodmaths (>=1)", "woodbar", "matplotlib; extra == 'plot'", "gone>2"])
    install("woodmaths", "2.0", requires=["numpy"])
    install("woodbar", "3.0", requires=["click"])
    assert found(importlib.import_module("deepwood").Mean()) == {"deepwood": "1.0", "woodmaths": "2.0"}


def test_own_code_stands_on_what_it_imports_wherever_it_does(install: Callable[..., None]) -> None:
    install("deepwood", "1.0")
    install("woodmaths", "2.0", requires=["numpy"])
    deepwood = importlib.import_module("deepwood")

    class Own(RegressorMixin, BaseEstimator):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            import woodmaths

            self.inside_ = deepwood.Mean().fit(X, woodmaths.y)
            return self

    assert found(Own()) == {"deepwood": "1.0", "woodmaths": "2.0"}


def test_a_library_without_a_version_is_known_by_its_files(install: Callable[..., None], tmp_path: Path) -> None:
    install("deepwood", "1.0")
    (tmp_path / "site-packages" / "deepwood.dist-info" / "METADATA").unlink()
    (tmp_path / "site-packages" / "deepwood.dist-info").rmdir()
    _forget()
    before = found(importlib.import_module("deepwood").Mean())
    (tmp_path / "site-packages" / "deepwood.py").write_text(CODE.replace("mean()", "max()"))
    assert list(before) == ["deepwood"]
    assert found(importlib.import_module("deepwood").Mean()) != before


def test_another_version_is_refused_in_a_sentence(install: Callable[..., None], tmp_path: Path) -> None:
    install("deepwood", "1.0")
    assert run(tmp_path / "run", "deepwood").to_dict()["versions"]["deepwood"] == "1.0"
    install("deepwood", "1.1")

    with pytest.raises(
        BadStore, match=r"the version of deepwood was 1\.0 and is 1\.1\. Name another store, or go back"
    ):
        run(tmp_path / "run", "deepwood")


def test_learners_of_other_packages_keep_their_fits(install: Callable[..., None], tmp_path: Path) -> None:
    install("deepwood", "1.0")
    run(tmp_path / "run", "deepwood")
    install("deepwood", "1.1")
    install("newwood", "7.0")

    assert run(tmp_path / "run").fits_made == 0
    assert run(tmp_path / "run", "newwood").fits_made == 3
    with pytest.raises(BadStore, match=r"the version of deepwood was 1\.0"):  # remembered meanwhile
        run(tmp_path / "run", "deepwood")


def test_a_result_is_loaded_and_reported_without_its_learner(
    install: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("deepwood", "1.0")
    before = run(tmp_path / "run", "deepwood")
    install("deepwood", "9.9", code="raise ImportError('broken')")
    sys.modules.pop("deepwood")

    loaded = fw.load(tmp_path / "run")

    assert [method["risk"] for method in loaded.to_dict()["methods"]] == [
        method["risk"] for method in before.to_dict()["methods"]
    ]
    assert loaded.to_dict()["versions"] == before.to_dict()["versions"]
    assert "deepwood" in loaded.report(tmp_path / "page.html")


def test_a_node_with_another_version_or_none_is_refused(install: Callable[..., None]) -> None:
    install("deepwood", "1.0")
    node.check_versions((*node.versions().items(), ("deepwood", "1.0")))

    with pytest.raises(BadStudy, match=r"has deepwood 1\.0 instead of 1\.1, absentwood nothing instead of 2\.0"):
        node.check_versions((*node.versions().items(), ("deepwood", "1.1"), ("absentwood", "2.0")))


@pytest.mark.parametrize(("name", "package"), [("catboosted", "catboost"), ("neural_net", "torch")])
def test_our_own_learners_name_the_package_behind_them(name: str, package: str) -> None:
    module = importlib.import_module(f"foldwise.learners.estimators.{name}")
    assert package == module.NEEDS
    assert f"import {package}" in "".join(
        file.read_text() for file in Path(module.__file__ or "").parent.glob("*.py") if package in file.read_text()
    )
