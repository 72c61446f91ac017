"""Simulated problems with known truth: rows to draw, the best prediction, its risk, and the risk of any model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.errors import BadData, nearest
from foldwise.lab.models import Constant, Linear, LinearRule, Model, Neighbours

FEW_ROWS = 500
FRESH_ROWS = 4000  # rows a risk is averaged over where there is no formula; the noise itself is integrated out
SPAN = np.linspace(-8.0, 8.0, 401)  # standard normal quadrature: e^-32 is left out
DENSITY = np.exp(-(SPAN**2) / 2) / np.exp(-(SPAN**2) / 2).sum()


@dataclass(frozen=True)
class Problem:
    """A distribution of rows and targets; risks are squared (regression) or zero-one (classes 0, 1 and so on)."""

    name: str
    columns: int = 1
    task: str = "regression"

    @property
    def loss(self) -> str:
        """The loss of the problem's risks."""
        return "squared" if self.task == "regression" else "zero_one"

    @property
    def bayes(self) -> float:
        """The smallest risk any model can have."""
        raise BadData(f"the problem {self.name!r} does not know its Bayes risk")

    def draw(self, rows: int, rng: np.random.Generator, *, times: int | None = None) -> tuple[FloatArray, FloatArray]:
        """X[row, column] and y[row]; with `times`, as many independent replications along a first axis."""
        lead = () if times is None else (times,)
        X = self.rows(rng, (*lead, rows))
        return X, self.targets(X, rng)

    def rows(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        """Rows of a given shape; the columns come last."""
        return rng.standard_normal((*shape, self.columns))

    def targets(self, X: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Targets drawn for the rows."""
        mean = self.mean(X)
        if self.task == "regression":
            return mean + self.spread(X) * self.noise(rng, mean.shape)
        return np.asarray(rng.random(mean.shape) < mean, np.float64)

    def mean(self, X: FloatArray) -> FloatArray:
        """The regression function: the mean target given the row (the probability of class 1)."""
        raise BadData(f"the problem {self.name!r} has no regression function")

    def spread(self, X: FloatArray) -> FloatArray:
        """The standard deviation of the noise given the row."""
        return np.ones(X.shape[:-1])

    def noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        """Noise of variance 1."""
        return rng.standard_normal(shape)

    def groups(self, rows: int) -> IntArray | None:
        """The group of each row, where rows come in groups."""
        return None

    def losses(self, y: FloatArray, prediction: FloatArray) -> FloatArray:
        """The loss of each row."""
        return np.asarray((y - prediction) ** 2 if self.task == "regression" else y != prediction, np.float64)

    def nodes(self, rng: np.random.Generator, rows: int) -> FloatArray:
        """Rows over which a risk without a formula is averaged."""
        return self.rows(rng, (rows,))

    def risk(self, model: Model, rng: np.random.Generator, *, rows: int = FRESH_ROWS) -> FloatArray:
        """The true risk of each replication's model: by formula where there is one, else over many fresh rows."""
        # distances to every training row are expensive, and a mean over replications needs few nodes
        X = self.nodes(rng, min(rows, FEW_ROWS) if isinstance(model, Neighbours) and self.columns > 1 else rows)
        found, mean = model.predict(X), self.mean(X)
        if self.task == "regression":
            return np.asarray(self.bayes + ((found - mean) ** 2).mean(-1))
        return np.asarray(np.where(found > 0.5, 1 - mean, mean).mean(-1))


def _drawn_classes(shares: tuple[float, ...], rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    return np.asarray(np.searchsorted(np.cumsum(shares)[:-1], rng.random(shape), side="right"), np.float64)


@dataclass(frozen=True)
class LinearProblem(Problem):
    """Standard normal rows, y = X beta + noise; the noise may be heavy-tailed, or grow with the first column.

    `tails` are the degrees of freedom of t noise (None: normal); `growth` is the share of the noise variance that
    goes with the square of the first column. The noise variance is `variance` on average either way.
    """

    beta: tuple[float, ...] = ()
    variance: float = 1.0
    tails: int | None = None
    growth: float = 0.0

    @property
    def bayes(self) -> float:
        return self.variance

    @property
    def slopes(self) -> FloatArray:
        """beta with its zeros."""
        return np.concatenate([self.beta, np.zeros(self.columns - len(self.beta))])

    def mean(self, X: FloatArray) -> FloatArray:
        return np.asarray(X[..., : len(self.beta)] @ np.array(self.beta, np.float64))

    def spread(self, X: FloatArray) -> FloatArray:
        return np.asarray(np.sqrt(self.variance * (1 - self.growth + self.growth * X[..., 0] ** 2)))

    def noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        if self.tails is None:
            return rng.standard_normal(shape)
        return np.asarray(rng.standard_t(self.tails, shape) * math.sqrt((self.tails - 2) / self.tails))

    def risk(self, model: Model, rng: np.random.Generator, *, rows: int = FRESH_ROWS) -> FloatArray:
        if isinstance(model, Linear):
            away = ((model.slopes - self.slopes) ** 2).sum(-1)
            return np.asarray(self.bayes + model.intercept**2 + away)
        return super().risk(model, rng, rows=rows)


@dataclass(frozen=True)
class SmoothProblem(Problem):
    """The lecture's kind of example: x uniform on (0, 1), y a smooth wave plus noise."""

    sd: float = 0.3

    @property
    def bayes(self) -> float:
        return self.sd**2

    def rows(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        return rng.random((*shape, 1))

    def mean(self, X: FloatArray) -> FloatArray:
        return np.asarray(np.sin(2 * np.pi * X[..., 0]))

    def spread(self, X: FloatArray) -> FloatArray:
        return np.full(X.shape[:-1], self.sd)

    def nodes(self, rng: np.random.Generator, rows: int) -> FloatArray:
        # the midpoint rule needs far fewer rows than a random draw
        points = max(rows // 10, 100)
        return ((np.arange(points) + 0.5) / points)[:, None]


@dataclass(frozen=True)
class GroupedProblem(LinearProblem):
    """Groups of `size` rows that lie close together and share a random effect; the risk is that on a new group's row.

    `alike` is the correlation of a column within a group; every row is standard normal by itself.
    """

    size: int = 3
    effect: float = 1.0
    alike: float = 0.9

    @property
    def bayes(self) -> float:
        return self.variance + self.effect

    def groups(self, rows: int) -> IntArray:
        return np.arange(rows, dtype=np.int64) // self.size

    def rows(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        groups = self.groups(shape[-1])
        shared = rng.standard_normal((*shape[:-1], int(groups[-1]) + 1, self.columns))[..., groups, :]
        own = rng.standard_normal((*shape, self.columns))
        return np.asarray(math.sqrt(self.alike) * shared + math.sqrt(1 - self.alike) * own)

    def targets(self, X: FloatArray, rng: np.random.Generator) -> FloatArray:
        groups = self.groups(X.shape[-2])
        shared = rng.standard_normal((*X.shape[:-2], groups[-1] + 1)) * math.sqrt(self.effect)
        return super().targets(X, rng) + shared[..., groups]


@dataclass(frozen=True)
class LogisticProblem(Problem):
    """Standard normal rows and P(class 1) = 1 / (1 + exp(-X beta)); the Bayes error is an integral of one variable."""

    task: str = "binary"
    beta: tuple[float, ...] = (1.0,)

    @property
    def size(self) -> float:
        """The length of beta."""
        return float(np.linalg.norm(self.beta))

    @property
    def bayes(self) -> float:
        chance = 1 / (1 + np.exp(-np.abs(self.size * SPAN)))
        return float(((1 - chance) * DENSITY).sum())

    def mean(self, X: FloatArray) -> FloatArray:
        return np.asarray(1 / (1 + np.exp(-(X[..., : len(self.beta)] @ np.array(self.beta, np.float64)))))

    def risk(self, model: Model, rng: np.random.Generator, *, rows: int = FRESH_ROWS) -> FloatArray:
        if not isinstance(model, LinearRule):
            return super().risk(model, rng, rows=rows)
        along = model.slopes[..., : len(self.beta)] @ np.array(self.beta, np.float64) / (self.size or 1.0)
        across = np.sqrt(np.maximum((model.slopes**2).sum(-1) - along**2, 1e-24))
        above = _normal_cdf((model.intercept[..., None] + along[..., None] * SPAN) / across[..., None])
        # a rule without slopes has no edge: it predicts class 1 everywhere or nowhere
        flat = ~model.slopes.any(axis=-1, keepdims=True)
        above = np.where(flat, model.intercept[..., None] > 0, above)
        chance = 1 / (1 + np.exp(-self.size * SPAN))
        return np.asarray(((chance * (1 - above) + (1 - chance) * above) * DENSITY).sum(-1))


@dataclass(frozen=True)
class ClassesProblem(Problem):
    """Two normal classes whose means lie `shifts` apart in the first columns.

    Class 1 has the `share`, and its columns the standard deviation `wide`; `costs` are those of calling a 0 a 1, and a
    1 a 0. With `balanced` every data set has as many of either class.
    """

    task: str = "binary"
    shifts: tuple[float, ...] = (1.0,)
    balanced: bool = False
    share: float = 0.5
    wide: float = 1.0
    costs: tuple[float, float] = (1.0, 1.0)

    @property
    def loss(self) -> str:
        return "zero_one" if self.costs == (1.0, 1.0) else "cost"

    @property
    def bayes(self) -> float:
        if self.wide != 1:
            return super().bayes
        apart = float(np.linalg.norm(self.shifts))
        missed, alarm = self.share * self.costs[1], (1 - self.share) * self.costs[0]
        if apart == 0:
            return min(missed, alarm)
        cut = math.log(missed / alarm) / apart
        return float(missed * _normal_cdf(np.array(-cut - apart / 2)) + alarm * _normal_cdf(np.array(cut - apart / 2)))

    def losses(self, y: FloatArray, prediction: FloatArray) -> FloatArray:
        return np.where(y == prediction, 0.0, np.where(y == 1, self.costs[1], self.costs[0]))

    def draw(self, rows: int, rng: np.random.Generator, *, times: int | None = None) -> tuple[FloatArray, FloatArray]:
        lead = () if times is None else (times,)
        if self.balanced:
            y = rng.permuted(np.broadcast_to(np.arange(rows) % 2, (*lead, rows)), axis=-1).astype(np.float64)
        elif self.share == 0.5:
            y = rng.integers(0, 2, (*lead, rows)).astype(np.float64)
        else:
            y = _drawn_classes((1 - self.share, self.share), rng, (*lead, rows))
        X = rng.standard_normal((*lead, rows, self.columns))
        X *= np.where(y[..., None] == 1, self.wide, 1.0)
        X[..., : len(self.shifts)] += np.array(self.shifts) * (y[..., None] - 0.5)
        return X, y

    def rows(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        return self.draw(shape[-1], rng, times=shape[0] if len(shape) > 1 else None)[0]

    def mean(self, X: FloatArray) -> FloatArray:
        odds = self._along(X)
        if self.wide != 1:
            half = np.zeros(self.columns)
            half[: len(self.shifts)] = np.array(self.shifts) / 2
            ones, zeros = (((X - sign * half) ** 2).sum(-1) / 2 for sign in (1, -1))
            odds = zeros - ones / self.wide**2 - self.columns * math.log(self.wide)
        return np.asarray(1 / (1 + np.exp(-odds - math.log(self.share / (1 - self.share)))))

    def risk(self, model: Model, rng: np.random.Generator, *, rows: int = FRESH_ROWS) -> FloatArray:
        if isinstance(model, LinearRule):
            length = np.sqrt((model.slopes**2).sum(-1))
            half, scale = self._along(model.slopes) / 2, np.where(length > 0, length, 1e-12)
            ones = _normal_cdf(-(model.intercept + half) / (self.wide * scale))
            zeros = _normal_cdf((model.intercept - half) / scale)
        elif isinstance(model, Constant):
            ones, zeros = 1 - model.value, model.value
        else:
            X, y = self.draw(FEW_ROWS if self.columns > 1 else rows, rng)
            wrong = model.predict(X) != y
            ones, zeros = wrong[..., y == 1].mean(-1), wrong[..., y == 0].mean(-1)
        return np.asarray(self.share * self.costs[1] * ones + (1 - self.share) * self.costs[0] * zeros)

    def _along(self, X: FloatArray) -> FloatArray:
        return np.asarray(X[..., : len(self.shifts)] @ np.array(self.shifts, np.float64))


@dataclass(frozen=True)
class ManyClassesProblem(Problem):
    """Normal classes around points on a circle of the first two columns; the first classes have the larger shares."""

    task: str = "multiclass"
    shares: tuple[float, ...] = (0.6, 0.3, 0.1)
    radius: float = 1.5

    @property
    def centres(self) -> FloatArray:
        """The mean of each class: centre[class, column]."""
        angles = 2 * np.pi * np.arange(len(self.shares)) / len(self.shares)
        found = np.zeros((len(self.shares), self.columns))
        found[:, :2] = self.radius * np.column_stack([np.cos(angles), np.sin(angles)])
        return found

    def draw(self, rows: int, rng: np.random.Generator, *, times: int | None = None) -> tuple[FloatArray, FloatArray]:
        shape = (rows,) if times is None else (times, rows)
        y = _drawn_classes(self.shares, rng, shape)
        return self.centres[y.astype(int)] + rng.standard_normal((*shape, self.columns)), y

    def risk(self, model: Model, rng: np.random.Generator, *, rows: int = FRESH_ROWS) -> FloatArray:
        X, y = self.draw(rows, rng)
        wrong = model.predict(X) != y
        shares = enumerate(self.shares)  # known, so that only the error within a class is left to the draw
        return np.asarray(sum(share * wrong[..., y == code].mean(-1) for code, share in shares))


@dataclass(frozen=True)
class FriedmanProblem(Problem):
    """Ten uniform columns, five of them used: 10 sin(pi a b) + 20 (c - 1/2)^2 + 10 d + 5 e + noise (Friedman, 1991)."""

    @property
    def bayes(self) -> float:
        return 1.0

    def rows(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        return rng.random((*shape, self.columns))

    def mean(self, X: FloatArray) -> FloatArray:
        wave = 10 * np.sin(np.pi * X[..., 0] * X[..., 1])
        return np.asarray(wave + 20 * (X[..., 2] - 0.5) ** 2 + 10 * X[..., 3] + 5 * X[..., 4])


@dataclass(frozen=True)
class LatentProblem(Problem):
    """Six latent uniforms, each seen as ten noisy copies; three of them make y. Its Bayes risk is not known."""

    sd: float = 0.2
    copies: int = 10
    blur: float = 0.1

    def draw(self, rows: int, rng: np.random.Generator, *, times: int | None = None) -> tuple[FloatArray, FloatArray]:
        lead = () if times is None else (times,)
        latent = rng.random((*lead, rows, 6))
        y = self._signal(latent) + self.sd * rng.standard_normal((*lead, rows))
        return self._seen(latent, rng), y

    def risk(self, model: Model, rng: np.random.Generator, *, rows: int = FRESH_ROWS) -> FloatArray:
        # the target's mean is known given the latent numbers, which the model does not see
        latent = rng.random((rows, 6))
        found = model.predict(self._seen(latent, rng))
        return np.asarray(self.sd**2 + ((found - self._signal(latent)) ** 2).mean(-1))

    def _signal(self, latent: FloatArray) -> FloatArray:
        a, b, c = latent[..., 0], latent[..., 1], latent[..., 2]
        return np.asarray(0.25 * np.exp(4 * a) + 4 / (1 + np.exp(-20 * (b - 0.5))) + 3 * c)

    def _seen(self, latent: FloatArray, rng: np.random.Generator) -> FloatArray:
        seen = np.repeat(latent, self.copies, axis=-1)
        return np.asarray(seen + self.blur * rng.standard_normal(seen.shape))


@dataclass(frozen=True)
class BoundedProblem(Problem):
    """Targets between 0 and 1 that no column explains, judged by absolute loss: bounded, skewed, far from 0-1."""

    shape: tuple[float, float] = (1.0, 4.0)

    @property
    def loss(self) -> str:
        return "absolute"

    @property
    def bayes(self) -> float:
        from scipy.special import betaincinv

        return float(self._absolute(np.array(betaincinv(*self.shape, 0.5))))

    def mean(self, X: FloatArray) -> FloatArray:
        return np.full(X.shape[:-1], self.shape[0] / sum(self.shape))

    def targets(self, X: FloatArray, rng: np.random.Generator) -> FloatArray:
        return rng.beta(*self.shape, X.shape[:-1])

    def losses(self, y: FloatArray, prediction: FloatArray) -> FloatArray:
        return np.abs(y - prediction)

    def risk(self, model: Model, rng: np.random.Generator, *, rows: int = FRESH_ROWS) -> FloatArray:
        return np.asarray(self._absolute(model.predict(self.rows(rng, (rows,)))).mean(-1))

    def _absolute(self, at: FloatArray) -> FloatArray:
        """E |Y - c|, by the distribution function of Y and that of its size-biased form."""
        from scipy.special import betainc

        (a, b), at = self.shape, np.clip(at, 0, 1)
        centre = a / (a + b)
        return np.asarray(at * (2 * betainc(a, b, at) - 1) + centre - 2 * centre * betainc(a + 1, b, at))


def _normal_cdf(z: FloatArray) -> FloatArray:
    from scipy.special import ndtr

    return np.asarray(ndtr(z), np.float64)


PROBLEMS: Mapping[str, Problem] = {
    problem.name: problem
    for problem in (
        LinearProblem("linear", 5, beta=(1.0, -1.0, 0.5, 0.0, 0.25)),
        LinearProblem("noise", 20),
        LinearProblem("sparse", 100, beta=(1.0,) * 5),
        LinearProblem("heteroscedastic", 5, beta=(1.0, -1.0, 0.5), growth=0.5),
        LinearProblem("heavy-tailed", 5, beta=(1.0, -1.0, 0.5), tails=3),
        GroupedProblem("grouped", 5, beta=(1.0, -1.0, 0.5)),
        SmoothProblem("smooth"),
        LogisticProblem("logistic", 5, beta=(1.0, 1.0)),
        ClassesProblem("two classes", 5, shifts=(0.8, 0.8, 0.8)),
        ClassesProblem("noise classes", 10, shifts=(0.0,)),
        ClassesProblem("5% positive", 4, shifts=(1.2, 1.2), share=0.05),
        ClassesProblem("13% positive", 4, shifts=(1.0, 1.0), share=0.13),
        ClassesProblem("26% positive", 4, shifts=(0.8, 0.8), share=0.26),
        ClassesProblem("rare and hard", 4, shifts=(0.6, 0.6), share=0.13, wide=1.5),
        ClassesProblem("unequal costs", 4, shifts=(0.8, 0.8), share=0.26, costs=(1.0, 5.0)),
        ManyClassesProblem("three classes", 4),
        ManyClassesProblem("five classes", 4, shares=(0.5, 0.25, 0.15, 0.06, 0.04)),
        BoundedProblem("bounded"),
        LinearProblem("ridge", 50, beta=(0.3,) * 10),
        LogisticProblem("bates logistic", 20, beta=(1.0,)),
        LogisticProblem("sparse logistic", 1000, beta=(1.0, 1.0, 1.0, 1.0)),
        LinearProblem("bates regression 20", 20, beta=(1.0,) * 5),
        LinearProblem("bates regression 100", 100, beta=(1.0,) * 5),
        LogisticProblem("bates classes 20", 20, beta=(1.0,) * 5),
        LogisticProblem("bates classes 100", 100, beta=(1.0,) * 5),
        FriedmanProblem("friedman", 10),
        LatentProblem("latent", 60),
        LinearProblem("twins", 10, beta=(3.0, 1.0, -5.0, 3.0), variance=100.0),
    )
}


def find_problem(name: str, **changes: Any) -> Problem:
    """A problem of the table, with some of its numbers changed.

    `name`: one of `fw.lab.PROBLEMS`.
    `changes`: its fields, with other values.

    >>> round(find_problem("bates logistic").bayes, 3), find_problem("linear", variance=4.0).bayes
    (0.325, 4.0)
    """
    if name not in PROBLEMS:
        raise BadData(f"the lab has no problem {name!r}", nearest(name, PROBLEMS))
    return replace(PROBLEMS[name], **changes)
