"""All that doing the fits of a study takes, and its form on disk for other processes."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from foldwise.data.dataset import Dataset
from foldwise.data.mapped import open_mapped, save
from foldwise.errors import BadLearner, BadStudy
from foldwise.learners.learner import Learner
from foldwise.plans.fit import Fit
from foldwise.plans.runnable import RunnableStudy
from foldwise.solvers.solver import SolverOption
from foldwise.spaces.point import Point, candidate_at, spread

LEARNERS = "learners"
EXAMPLES = 32  # points of a space that is searched


@dataclass(frozen=True, eq=False)
class Workload:
    """Data, learners and candidates, without the question they are asked for."""

    data: Dataset
    learners: tuple[Learner, ...]
    candidates: tuple[Sequence[Mapping[str, Any]], ...]  # none of methods that find theirs on the way
    threads: int
    solvers: SolverOption = "auto"
    estimators: tuple[Sequence[Any], ...] | None = None  # where they are made already

    def estimator(self, fit: Fit) -> Any:
        """The estimator of a fit, not fitted and not to be touched."""
        learner = self.learners[fit.method]
        if fit.point is not None:
            assert learner.space is not None
            return learner.at(candidate_at(learner.space, Point(*fit.point)))
        if self.estimators is not None:
            return self.estimators[fit.method][fit.candidate]
        return learner.at(self.candidates[fit.method][fit.candidate])

    def examples(self, fit: Fit) -> list[Any]:
        """Its estimators, by which a solver is found; of a method that is still searching, a few from all its space."""
        method, learner = fit.method, self.learners[fit.method]
        if len(self.candidates[method]) and self.estimators is not None:
            return list(self.estimators[method])
        if len(self.candidates[method]) or learner.space is None:
            return [learner.at(candidate) for candidate in self.candidates[method]]
        few = islice(spread(learner.space, 0), EXAMPLES)
        return [learner.at(candidate_at(learner.space, point)) for point in few]


def workload_of(runnable: RunnableStudy) -> Workload:
    candidates = tuple(method.candidates for method in runnable.study.methods)
    return Workload(
        runnable.data, runnable.learners, candidates, runnable.study.threads, runnable.solvers, runnable.estimators
    )


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
            "Make it from plain values, or use engine='local' with isolate=False",
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
