"""Curves: training error, test error and their gap, over a parameter or over the training-set size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from inspect import signature
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from foldwise.api.calls import call, check_parameters, one_learner
from foldwise.api.options import OPTIONS, CompareOptions, DataOptions
from foldwise.api.request import Request, request
from foldwise.api.running import Ran
from foldwise.arrays import FloatArray
from foldwise.blocks.numbers import less
from foldwise.data.dataset import Dataset
from foldwise.errors import BadStudy
from foldwise.learners.named import Named
from foldwise.learners.tuned import Tuned, tune
from foldwise.losses.loss import make_losses
from foldwise.plans.methods import make_learners
from foldwise.plans.runnable import make_study
from foldwise.questions.curves import curve_blocks, curve_figure
from foldwise.records.store import AnyStore
from foldwise.show.figures import draw
from foldwise.show.notebook import as_html, figure_html
from foldwise.show.terminal import as_text
from foldwise.splits.making import make_splits
from foldwise.splits.nesting import DEFAULT_INNER, study_splits
from foldwise.splits.split import Split, Splits
from foldwise.studies.measured import keep_curve
from foldwise.studies.plain import plain_candidate

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


TRAIN_ROWS = "train_rows"  # what a learning curve is over
OF_CURVES = [
    *DataOptions.__annotations__,
    *("loss", "outer", "seed"),
    *("jobs", "engine", "address", "isolate", "fit_timeout", "fit_memory", "fit_threads", "store", "progress"),
]


@dataclass(frozen=True, eq=False)
class Curve:
    """Training error, test error and gap at each value.

    `parameter`: what it is over.
    `values`: those that were tried.
    `train`, `test`: training and test error at each.
    `loss`, `loss_label`: the loss, and how it is written.
    `learner`: its name.
    `fits`, `fits_made`: fits it rests on, and those that were made now.
    `errors`: one standard error of each test error less the best one.

    >>> import foldwise as fw
    >>> curve = fw.curve("k-nn", "diabetes", n_neighbors=[1, 10, 100], outer=3, jobs=1)
    >>> curve.best, curve.to_dict()["parameter"]
    (10, 'n_neighbors')
    >>> curve.table().round(0)
       n_neighbors   train    test     gap          side
    0            1     0.0  6087.0  6087.0   overfitting
    1           10  2785.0  3327.0   542.0          best
    2          100  3696.0  3806.0   110.0  underfitting
    >>> figure = curve.plot()
    """

    parameter: str
    values: tuple[Any, ...]
    train: tuple[float, ...]
    test: tuple[float, ...]
    loss: str
    learner: str
    fits: int
    fits_made: int
    loss_label: str = ""
    errors: tuple[float, ...] = ()  # of each test error less the best one: one standard error over the same splits

    @property
    def gap(self) -> tuple[float, ...]:
        """Test error less training error."""
        return tuple(less(test, train) for test, train in zip(self.test, self.train, strict=True))

    @property
    def best(self) -> Any:
        """The value with the smallest test error, the first on ties; choosing by it makes that error optimistic.

        There is none over training rows, which are not for choosing.
        """
        if self.parameter == TRAIN_ROWS or not np.isfinite(self.test).any():
            return None
        return self.values[int(np.nanargmin(self.test))]

    def table(self) -> pd.DataFrame:
        """One row per value: training error, test error, gap, and on which side of the best it lies."""
        import pandas as pd

        columns: dict[str, Any] = {"train": self.train, "test": self.test, "gap": self.gap}
        columns |= {} if self.parameter == TRAIN_ROWS else {"side": self._sides()}
        return pd.DataFrame({self.parameter: list(self.values), **columns})

    def to_dict(self) -> dict[str, Any]:
        """The curve in plain values, stable for scripts; the same as `--json`."""
        rows = zip(self.values, self.train, self.test, self.gap, self._sides(), strict=True)
        return {
            "learner": self.learner,
            "parameter": self.parameter,
            "loss": self.loss,
            "loss_label": self.loss_label,
            "best": plain_candidate({"value": self.best})["value"],
            "fits": self.fits,
            "fits_made": self.fits_made,
            "points": [
                {
                    "value": plain_candidate({"value": value})["value"],
                    "train": _number(train),
                    "test": _number(test),
                    "gap": _number(gap),
                    "side": side,
                }
                for value, train, test, gap, side in rows
            ],
        }

    def __repr__(self) -> str:
        return as_text(curve_blocks(self.to_dict()))

    def plot(self, *, ax: Axes | None = None, width: str | float | None = None) -> Figure:
        """Training and test error as a Matplotlib figure; `ax` and `width` as in `Result.plot`.

        `ax`, `width`: as in `Result.plot`.
        """
        return draw(curve_figure(self.to_dict()), ax=ax, width=width)

    def _repr_html_(self) -> str:
        return figure_html(curve_figure(self.to_dict())) + as_html(curve_blocks(self.to_dict()))

    def _sides(self) -> list[str | None]:
        """Where the test error leaves the best by more than its error: over- or underfitting, by the training error."""
        if self.best is None:
            return [None] * len(self.values)
        best = int(np.nanargmin(self.test))
        return ["best" if at == best else self._side(at, best) for at in range(len(self.values))]

    def _side(self, at: int, best: int) -> str | None:
        error = self.errors[at] if self.errors else 0.0
        if not self.test[at] - self.test[best] > error:
            return None
        return "overfitting" if self.train[at] < self.train[best] else "underfitting"


@call("learner", [*OF_CURVES, "repeats"], is_flat=True, outer=10, repeats=1)
def curve(*given: Any, learner: Any = None, X: Any = None, y: Any = None, **parameter: Any) -> Curve:
    """Validation curve: training and test error of a learner over one of its parameters.

    `parameter`: one keyword, such as `n_neighbors=range(1, 31)`. `learner`: a built-in name, an estimator or
    `fw.tune(...)`. `X`, `y`: as in `compare`. A curve with the store of a study is in its later reports.

    {options}

    >>> import foldwise as fw
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> x = np.linspace(0, 1, 40)
    >>> curve = fw.curve(KNeighborsRegressor(), x[:, None], np.sin(9 * x), n_neighbors=[1, 5, 20], outer=5)
    >>> curve.train[0], curve.values
    (0.0, (1, 5, 20))
    """
    options: Any = {name: parameter.pop(name) for name in OPTIONS if name in parameter}
    name, named = one_learner(learner, "curve")
    _check_parameter(named, parameter)
    asked = request({name: _with_space(named, parameter)}, X, y, **options)
    data = asked.data()
    splits = make_splits(asked.outer, data, seed=asked.options.seed, repeats=asked.options.repeats or 1)
    ran = _answered(asked, data, splits, is_validation_curve=True)
    reading, method = ran.reading, ran.reading.study.methods[0]
    candidates = range(len(method.candidates))
    folds = np.array([[reading.fold_loss(method, at, split) for split in splits] for at in candidates])
    train = [
        np.mean([reading.fold_loss(method, at, split, rows=np.unique(split.train)) for split in splits])
        for at in candidates
    ]
    (parameter_name,) = parameter
    values = tuple(candidate[parameter_name] for candidate in method.candidates)
    return _curve(ran, asked.store, parameter_name, values, train=train, test=folds.mean(axis=1), errors=_errors(folds))


def _errors(folds: FloatArray) -> tuple[float, ...]:
    """One standard error of each mean less the smallest mean, over the splits that both share; folds[value, split]."""
    means = folds.mean(axis=1)
    if folds.shape[1] < 2 or not np.isfinite(means).any():
        return ()
    apart = folds - folds[int(np.nanargmin(means))]
    return tuple(float(error) for error in apart.std(axis=1, ddof=1) / np.sqrt(folds.shape[1]))


@call("learner", [*OF_CURVES, "inner"], is_flat=True, outer=10, inner=5)
def learning_curve(
    *given: Any,
    learner: Any = None,
    X: Any = None,
    y: Any = None,
    sizes: Any = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0),
    **options: Unpack[CompareOptions],
) -> Curve:
    """Learning curve: training and test error over the number of training rows. Would more rows help?

    `sizes`: shares of the outer training rows, or numbers of rows. `learner`: a built-in name, an estimator or
    `fw.tune(...)`, which is tuned on `inner` splits at every size. `X`, `y`: as in `compare`. The `outer` splits are
    shortened. A curve with the store of a study is in its later reports.

    {options}

    >>> import foldwise as fw
    >>> curve = fw.learning_curve("linear", "diabetes", sizes=[50, 100, 200], outer=3, jobs=1)
    >>> [round(error) for error in curve.test]
    [3880, 3462, 3181]
    """
    asked = request(dict([one_learner(learner, "learning_curve")]), X, y, **options)
    data, seed = asked.data(), asked.options.seed
    whole = study_splits(asked.outer, DEFAULT_INNER, data, seed=seed, tuned=False).outer
    if whole.kind == "bootstrap":
        raise BadStudy("a learning curve counts rows, and a bootstrap draws some of them twice", "Use MonteCarlo")
    smallest = min(split.train_rows for split in whole)
    counts = sorted({_count(size, smallest) for size in sizes})
    order = np.random.default_rng([seed, 0x1EA2]).permutation(data.rows)  # prefixes of one order: sizes are nested
    shortened = tuple(split for count in counts for split in _shortened(whole, count, order))
    ran = _answered(
        asked, data, Splits(shortened, f"{whole.scheme} at {len(counts)} sizes", "pairs", False), has_final=False
    )
    reading, method = ran.reading, ran.reading.study.methods[0]
    test = reading.outer_losses(method).reshape(len(counts), -1).mean(axis=1)
    train = reading.training_losses(method).reshape(len(counts), -1).mean(axis=1)
    return _curve(ran, asked.store, TRAIN_ROWS, tuple(counts), train=train, test=test)


def _answered(asked: Request, data: Dataset, splits: Splits, **options: Any) -> Ran:
    """The fits of one learner on these splits."""
    losses = make_losses(asked.loss, data)
    learners = make_learners(asked.learners, data, losses)[:1]  # without the baseline
    study = replace(asked.options, defaults=False, keeps_all=False, wants_training_risk=True, **options)
    ran = asked.answer(
        make_study(data, learners, losses=losses, outer=splits, tuning=asked.tuning, options=study), is_kept=False
    )
    ran.check_finished(asked.store)
    return ran


def _curve(
    ran: Ran,
    store: AnyStore,
    parameter: str,
    values: tuple[Any, ...],
    *,
    train: Sequence[Any] | FloatArray,
    test: FloatArray,
    errors: tuple[float, ...] = (),
) -> Curve:
    """The curve of the first method, which is kept with its fits."""
    method, loss = ran.reading.study.methods[0], ran.reading.study.losses[0]
    curve = Curve(
        parameter=parameter,
        values=values,
        train=tuple(map(float, train)),
        test=tuple(map(float, test)),
        loss=loss.name,
        loss_label=loss.label,
        learner=method.name,
        fits=len(ran.reading.fits(method)),
        fits_made=ran.made.total(),
        errors=errors,
    )
    keep_curve(store, curve.to_dict())
    return curve


def _check_parameter(learner: Any, parameter: dict[str, Any]) -> None:
    """One keyword is the parameter; of others say what they are called here."""
    check_parameters("curve", learner, parameter, signature(curve).parameters)
    if len(parameter) != 1:
        names = f": {', '.join(parameter)}" if parameter else ""
        problem = f"a curve is over one parameter, not {len(parameter)}{names}"
        raise BadStudy(problem, "Write n_neighbors=range(1, 31), say")


def _with_space(learner: Any, parameter: dict[str, Any]) -> Any:
    if isinstance(learner, str | Named):
        builtin = Named(learner) if isinstance(learner, str) else learner
        return Named(**{**builtin.get_params(deep=False), "changes": {**builtin.overrides, **parameter}})
    return tune(learner.estimator if isinstance(learner, Tuned) else learner, **parameter)


def _count(size: float, most: int) -> int:
    count = round(size * most) if isinstance(size, float) and size <= 1 else int(size)
    if not 2 <= count <= most:
        raise BadStudy(
            f"a training size of {size} is not possible: training parts have {most} rows", "Use 2 rows or more"
        )
    return count


def _shortened(splits: Splits, count: int, order: Any) -> list[Split]:
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return [
        Split(
            np.sort(split.train[np.argsort(place[split.train], kind="stable")[:count]]),
            split.test,
            split.repeat,
            split.fold,
        )
        for split in splits
    ]


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
