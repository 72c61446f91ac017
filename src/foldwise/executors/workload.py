"""All that doing the fits of a study takes, and its form on disk for other processes."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from foldwise.data.dataset import Dataset
from foldwise.data.mapped import open_mapped, save
from foldwise.errors import BadLearner, BadStudy
from foldwise.plans.study import Study
from foldwise.recipes.learner import Learner

LEARNERS = "learners"


@dataclass(frozen=True, eq=False)
class Workload:
    """Data, learners and candidates, without the question they are asked for."""

    data: Dataset
    learners: tuple[Learner, ...]
    candidates: tuple[tuple[Mapping[str, Any], ...], ...]
    threads: int
    solvers: Literal["auto", "all", False] = "auto"
    estimators: tuple[tuple[Any, ...], ...] | None = None  # where they are made already

    def estimator(self, method: int, candidate: int) -> Any:
        """The estimator of a method at a candidate, not fitted and not to be touched."""
        if self.estimators is not None:
            return self.estimators[method][candidate]
        return self.learners[method].at(self.candidates[method][candidate])


def workload_of(study: Study) -> Workload:
    candidates = tuple(method.candidates for method in study.outline.methods)
    return Workload(study.data, study.learners, candidates, study.outline.threads, study.solvers, study.estimators)


def write_workload(work: Workload, folder: Path) -> None:
    """The data as arrays to be mapped, and the learners as bytes."""
    content = packed(work)
    try:
        save(work.data, folder)
        (folder / LEARNERS).write_bytes(content)
    except OSError as reason:
        free = shutil.disk_usage(folder).free / 1e6
        raise BadStudy(
            f"cannot write the data to the temporary folder {folder} ({reason.strerror or reason}; {free:.0f} MB free)",
            "Free some space there, or set TMPDIR to another folder",
        ) from reason


def open_workload(folder: Path) -> Workload:
    return unpacked((folder / LEARNERS).read_bytes(), open_mapped(folder))


def packed(work: Workload) -> bytes:
    """All but the data; learners defined in a script or a notebook go by value."""
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps((work.learners, work.candidates, work.threads, work.solvers)))
    except Exception as problem:
        culprit = next((name for name in map(_unpicklable, work.learners) if name), "a candidate")
        raise BadLearner(
            f"{culprit} cannot be sent to worker processes ({type(problem).__name__}: {problem})",
            "Make it from plain values, or use isolate=False",
        ) from problem


def unpacked(content: bytes, data: Dataset) -> Workload:
    import cloudpickle

    return Workload(data, *cloudpickle.loads(content))


def modules_of(work: Workload) -> list[str]:
    """The modules its learners come from, to be imported once for all workers."""
    found: dict[str, None] = {}
    for learner in work.learners:
        for value in (learner.estimator, *learner.estimator.get_params(deep=True).values()):
            found[type(value).__module__] = None
    return [name for name in found if name.partition(".")[0] not in ("builtins", "__main__")]


def _unpicklable(learner: Learner) -> str:
    """The learner, or its first parameter, that cannot be pickled; empty where all can be."""
    import cloudpickle

    for name, value in {**learner.estimator.get_params(deep=True), "": learner.estimator}.items():
        try:
            cloudpickle.dumps(value)
        except Exception:
            return f"the parameter {name} of {learner.name!r}" if name else f"the learner {learner.name!r}"
    return ""
