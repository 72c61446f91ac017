"""Linear and quadratic discriminants: covariances of all training parts, by what each leaves out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.batches import Group, by_rows, by_settings
from foldwise.solvers.class_scores import EPSILON, ClassPass, Scores
from foldwise.solvers.class_sums import ClassSums, class_means
from foldwise.solvers.frames import Frame, as_given, axes_of, levelled, whitened
from foldwise.solvers.fronts import is_kind, settings_without
from foldwise.solvers.pipeline import Scaling, numbers, scaled
from foldwise.solvers.solver import Answer, Job

LEAST = 1e-3  # drawn less than this towards a ball, rounding in the covariance shows in the ten digits promised


class DiscriminantSolver:
    """Answers LinearDiscriminantAnalysis or QuadraticDiscriminantAnalysis for dense tables of numbers."""

    unit: Literal["method", "train"] = "method"
    is_exact = True

    def __init__(self, name: str, kind: str, make: type[_DiscriminantPass]) -> None:
        self.name, self.kind, self._make = name, kind, make

    def takes(self, estimator: Any, data: Dataset) -> bool:
        known = scaled(estimator)
        if known is None or data.task == "regression" or not is_kind(known[1], self.kind):
            return False
        core = known[1]
        is_plain = core.priors is None and core.covariance_estimator is None and _is_number(core.tol)
        is_whole = getattr(core, "n_components", None) is None
        return is_plain and is_whole and self._make.knows(core) and numbers(data) is not None

    def shares(self, estimator: Any) -> Hashable:
        scaling, core = _known(estimator)
        return scaling, settings_without(core, "shrinkage", "reg_param"), self._make.is_free(core, scaling)

    def pays(self, jobs: Sequence[Job], data: Dataset) -> bool:
        """Covariances of the rows left out and their axes, against a fit per job; in multiplications."""
        n, d, classes = data.rows, data.columns, len(data.classes)
        scaling, core = _known(jobs[0].estimator)
        if d >= n - classes and self._make.is_free(core, scaling):
            return False
        groups = by_rows(jobs, range(len(jobs)))
        asked = sum(job.rows.size for job in jobs) * d * (d + classes)
        plain = sum(5e6 + 5.0 * job.train.size * d * min(d, job.train.size) for job in jobs) + asked
        rest = sum(min(abs(n - group.train.size), group.train.size) for group in groups)
        parts = len(groups) * (classes if self._make.is_by_class else 1)
        return 8e6 + 10 * n * d**2 + rest * d**2 + parts * (2e5 + 30 * d**3) + 2 * asked < plain

    def solve(self, jobs: Sequence[Job], data: Dataset) -> list[Answer | None]:
        answers: list[Answer | None] = [None] * len(jobs)
        for estimator, places in by_settings(self, jobs):
            one = self._make(estimator, jobs, data)
            for at, answer in one.solve(places) if one.frame is not None else ():
                answers[at] = answer
        return answers


@dataclass(frozen=True, eq=False)
class _Parts:
    """Training parts in a frame, as the model sees them."""

    counts: FloatArray  # parts x classes
    rows: FloatArray  # parts x asked rows x axes
    means: FloatArray  # parts x classes x axes
    zero: FloatArray  # parts x 1 x axes: the zero of the columns
    axes: FloatArray
    widths: FloatArray  # variances along the axes
    summed: FloatArray  # the largest that went through the sums: what their rounding is measured by
    is_sure: AnyArray


class _DiscriminantPass(ClassPass):
    """What both discriminants share: moments of the classes in a frame."""

    is_by_class = False

    def __init__(self, estimator: Any, jobs: Sequence[Job], data: Dataset) -> None:
        X = numbers(data)
        assert X is not None
        super().__init__(jobs, data, X.shape[1])
        self.scaling, self.core = _known(estimator)
        self.has_free_frame = self.is_free(self.core, self.scaling)
        self.frame = self.framed(X) if np.bincount(data.codes, minlength=self.classes).all() else None
        if self.frame is not None:
            self.middles = class_means(self.frame.table, data.codes, self.classes)
            self.about = self.frame.table - self.middles[data.codes]

    @staticmethod
    @abstractmethod
    def knows(core: Any) -> bool:
        """Are its settings among those answered?"""

    @staticmethod
    @abstractmethod
    def is_free(core: Any, scaling: Scaling) -> bool:
        """Is the answer the same in any coordinates?"""

    @abstractmethod
    def framed(self, X: FloatArray) -> Frame | None:
        """Coordinates to work in, if there are good ones."""

    def size(self, rows: int) -> int:
        return (self.width + rows) * self.width * (self.classes + 3)

    def parts(self, groups: Sequence[Group]) -> _Parts:
        assert self.frame is not None
        trains = [group.train for group in groups]
        sums, spread = ClassSums(self.data.codes, self.classes, trains), self._spread(trains)[:, None]
        counts, moved = sums.counts[..., None], sums.of(self.about)
        inner = sums.products(self.about, is_pooled=not self.is_by_class)
        outer = moved[..., None] * (moved / counts)[:, :, None]
        inner -= outer if self.is_by_class else outer.sum(axis=1, keepdims=True)
        size = counts if self.is_by_class else counts.sum(axis=1, keepdims=True)
        inner /= size[..., None] * (spread * spread.transpose(0, 2, 1))[:, None]
        means = self.middles + moved / counts
        origin = (means * counts).sum(axis=1, keepdims=True) / counts.sum(axis=1, keepdims=True)
        axes, widths, is_finite = axes_of(inner)
        summed = (self._squares() / (size * spread**2)).max(axis=2)
        rows = self.frame.table[np.stack([group.rows for group in groups])]
        return _Parts(
            sums.counts,
            (rows - origin) / spread,
            (means - origin) / spread,
            (self.frame.zero - origin) / spread,
            axes,
            widths,
            summed,
            np.asarray(is_finite.all(axis=1) & (sums.counts > 0).all(axis=1)),
        )

    def blur(self, parts: _Parts, widths: FloatArray) -> FloatArray:
        """How far off, relative to their size, scores along axes of these variances may be."""
        assert self.frame is not None
        narrow = widths.min(axis=2) / np.maximum(widths.max(axis=2), parts.summed)
        lost = (1 + self.frame.offset) / np.sqrt(narrow * self.frame.least)
        return np.asarray(EPSILON * (1 / narrow + lost))

    def _squares(self) -> FloatArray:
        """Sums of squares about the class means of all rows: by class, or of all."""
        squares, codes = self.about**2, self.data.codes
        if not self.is_by_class:
            return np.asarray(squares.sum(axis=0))
        return np.stack([squares[codes == code].sum(axis=0) for code in range(self.classes)])

    def _spread(self, trains: Sequence[Any]) -> FloatArray:
        """What the scaler of every part divides the axes by; unknown for columns that may be constant."""
        assert self.frame is not None
        table = self.frame.table
        if self.has_free_frame or not self.scaling.spreads:
            return np.ones((len(trains), table.shape[1]))
        sums = ClassSums(np.zeros(len(table), np.int64), 1, trains)
        both = sums.of(np.concatenate([table, table**2], axis=1))[:, 0] / sums.counts
        variances = both[:, table.shape[1] :] - both[:, : table.shape[1]] ** 2
        is_sure = variances > 1e-4 * (table**2).mean(axis=0)
        return np.where(is_sure, np.sqrt(np.abs(variances)), np.where(np.ptp(table, axis=0) == 0, 1.0, np.nan))


class _LinearPass(_DiscriminantPass):
    """Linear discriminants: one covariance for all classes."""

    @staticmethod
    def knows(core: Any) -> bool:
        if core.shrinkage is None:
            return core.solver in ("svd", "lsqr", "eigen")
        return core.solver in ("lsqr", "eigen") and _is_number(core.shrinkage) and LEAST <= core.shrinkage <= 1

    @staticmethod
    def is_free(core: Any, scaling: Scaling) -> bool:
        return core.shrinkage is None

    def framed(self, X: FloatArray) -> Frame | None:
        if not self.has_free_frame:
            return as_given(X, self.data.codes, self.classes)
        frame = whitened(X, self.data.codes, self.classes, float(self.core.tol) if self.core.solver == "svd" else 0.0)
        is_whole = frame is not None and frame.table.shape[1] == self.width
        return frame if is_whole or self.core.solver == "svd" else None

    def setting(self, estimator: Any) -> float:
        return float(_known(estimator)[1].shrinkage or 0.0)

    def scores(self, groups: Sequence[Group], settings: Sequence[float]) -> Iterator[Scores]:
        parts = self.parts(groups)
        for value in settings:
            middle = parts.widths.mean(axis=2, keepdims=True)
            yield self._scored(parts, (1 - value) * parts.widths + value * middle)

    def _scored(self, parts: _Parts, widths: FloatArray) -> Scores:
        """Scores by distances from the class means, along axes of these variances."""
        turned = parts.axes[:, 0] / np.sqrt(widths)
        rows, means, zero = parts.rows @ turned, parts.means @ turned, parts.zero @ turned
        values = rows @ means.transpose(0, 2, 1) - 0.5 * (means**2).sum(axis=2)[:, None]
        values += np.log(parts.counts / parts.counts.sum(axis=1, keepdims=True))[:, None]
        # scikit-learn's sums start from the mean of the training part, or from the zero of the columns
        start = 0.0 if self.core.solver == "svd" or self.scaling.means else zero
        far, size = _length(rows - start)[:, :, None], _length(means - start)[:, None]
        wrong = (self.blur(parts, widths) / self._own_digits())[..., None] * (1 + size) * (1 + far + size)
        is_sure = parts.is_sure & self._is_spanned(parts, means, widths)
        wrong = np.where(is_sure[:, None, None], wrong, np.nan)
        if isinstance(start, float):
            return Scores(values, wrong)
        common = 0.5 * (zero**2).sum(axis=2)[:, None] - rows @ zero.transpose(0, 2, 1)
        return Scores(values, wrong, common, wrong)

    def _own_digits(self) -> float:
        """What share of its digits scikit-learn keeps where it inverts the covariance of the columns."""
        assert self.frame is not None
        if self.core.solver == "svd" or not self.has_free_frame:
            return 1.0
        return self.frame.least / self.width if self.scaling.spreads else self.frame.narrow

    def _is_spanned(self, parts: _Parts, means: FloatArray, widths: FloatArray) -> AnyArray:
        """Does scikit-learn keep every direction, of the columns and of the class means?"""
        assert self.frame is not None
        if self.core.solver != "svd":
            return np.ones(len(means), bool)
        is_wide = widths.min(axis=(1, 2)) * self.frame.least > 4 * self.core.tol**2
        if self.classes == 2:
            return np.asarray(is_wide)
        apart = np.nan_to_num(means * np.sqrt(parts.counts)[..., None])
        found = np.linalg.svd(apart, compute_uv=False)
        last = min(self.classes - 1, means.shape[2]) - 1
        return np.asarray(is_wide & (found[:, last] > 2 * self.core.tol * found[:, 0]))


class _QuadraticPass(_DiscriminantPass):
    """Quadratic discriminants: a covariance for every class."""

    is_by_class = True

    @staticmethod
    def knows(core: Any) -> bool:
        if core.solver == "svd":
            return core.shrinkage is None and _is_number(core.reg_param) and core.reg_param <= 1
        is_drawn = _is_number(core.shrinkage) and LEAST <= core.shrinkage <= 1
        return core.solver == "eigen" and (core.shrinkage is None or is_drawn)

    @staticmethod
    def is_free(core: Any, scaling: Scaling) -> bool:
        return not _drawn(core) and not scaling.spreads

    def framed(self, X: FloatArray) -> Frame | None:
        return (levelled if self.has_free_frame else as_given)(X, self.data.codes, self.classes)

    def setting(self, estimator: Any) -> float:
        return _drawn(_known(estimator)[1])

    def scores(self, groups: Sequence[Group], settings: Sequence[float]) -> Iterator[Scores]:
        parts, is_svd = self.parts(groups), self.core.solver == "svd"
        # with the svd, a class of fewer rows than columns has no full set of axes
        is_sure = parts.is_sure & (parts.counts >= (max(self.width, 2) if is_svd else 2)).all(axis=1)
        for value in settings:
            towards = 1.0 if is_svd else parts.widths.mean(axis=2, keepdims=True)
            widths = (1 - value) * parts.widths + value * towards
            yield self._scored(parts, widths, is_sure & self._is_wide(parts, widths))

    def _scored(self, parts: _Parts, widths: FloatArray, is_sure: AnyArray) -> Scores:
        assert self.frame is not None
        values = np.empty((*parts.rows.shape[:2], self.classes))
        size = np.log(widths).sum(axis=2) + 2 * np.log(self.frame.units).sum()
        for code in range(self.classes):
            away = (parts.rows - parts.means[:, None, code]) @ (parts.axes[:, code] / np.sqrt(widths[:, code, None]))
            values[..., code] = -0.5 * ((away**2).sum(axis=2) + size[:, code, None])
        wrong = self.blur(parts, widths)[:, None] * (np.abs(values) + np.abs(size)[:, None] + self.width)
        values += np.log(parts.counts / parts.counts.sum(axis=1, keepdims=True))[:, None]
        return Scores(values, np.where(is_sure[:, None, None], wrong, np.nan))

    def _is_wide(self, parts: _Parts, widths: FloatArray) -> AnyArray:
        """Are all directions wider than scikit-learn's tolerance, in the columns it sees?"""
        assert self.frame is not None
        if self.has_free_frame:
            turned = parts.axes * self.frame.units[:, None] * np.sqrt(np.abs(widths))[:, :, None]
            widths = np.asarray(np.linalg.svd(turned, compute_uv=False) ** 2, np.float64)
        return np.asarray((widths.min(axis=2) > self.core.tol + 1e-9 * widths.max(axis=2)).all(axis=1))


SOLVERS = (
    DiscriminantSolver("linear discriminant", "LinearDiscriminantAnalysis", _LinearPass),
    DiscriminantSolver("quadratic discriminant", "QuadraticDiscriminantAnalysis", _QuadraticPass),
)


def _known(estimator: Any) -> tuple[Scaling, Any]:
    known = scaled(estimator)
    assert known is not None
    return known


def _drawn(core: Any) -> float:
    """By how much covariances are drawn towards a ball."""
    return float(core.reg_param if core.solver == "svd" else core.shrinkage or 0.0)


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, Real)
        and not isinstance(value, bool)
        and bool(np.isfinite(float(value)))
        and float(value) >= 0
    )


def _length(vectors: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt((vectors**2).sum(axis=2)))
