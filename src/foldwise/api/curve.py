"""Curves: training error, test error and their gap, over a parameter or over the training-set size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from foldwise.api.positional import from_the_right, one_learner
from foldwise.api.request import as_data
from foldwise.api.running import answer_study
from foldwise.arrays import FloatArray
from foldwise.blocks.numbers import less
from foldwise.data.roles import Roles
from foldwise.errors import BadStudy
from foldwise.executors.executor import Executor
from foldwise.executors.options import RunOptions
from foldwise.learners.keywords import check_foreign, own_words
from foldwise.learners.named import Named
from foldwise.learners.tuned import Tuned, tune
from foldwise.losses.loss import Loss, make_losses
from foldwise.plans.methods import make_learners, task_hint
from foldwise.plans.options import StudyOptions
from foldwise.plans.runnable import make_study
from foldwise.plans.searches import Tuning
from foldwise.records.store import Store
from foldwise.show.fragments import curve_fragment
from foldwise.show.plots import plot_curve
from foldwise.splits.making import make_splits
from foldwise.splits.nesting import DEFAULT_INNER, study_splits
from foldwise.splits.split import Split, Splits
from foldwise.studies.curves import keep_curve
from foldwise.studies.plain import plain_candidate

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


TRAIN_ROWS = "train_rows"  # what a learning curve is over


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
        best = "" if self.best is None else f", best {self.best}"
        return f"Curve({self.learner}, {self.parameter}: {len(self.values)} values{best})\n{self.table()}"

    def plot(self, *, ax: Axes | None = None, width: str | float | None = None) -> Figure:
        """Training and test error as a Matplotlib figure; `ax` and `width` as in `Result.plot`.

        `ax`, `width`: as in `Result.plot`.
        """
        return plot_curve(self.to_dict(), ax=ax, width=width)

    def _repr_html_(self) -> str:
        return curve_fragment(self.to_dict())

    def _sides(self) -> list[str | None]:
        """Where the test error leaves the best by more than its error: over- or underfitting, by the training error."""
        if self.best is None:
            return [None] * len(self.values)
        at = int(np.nanargmin(self.test))
        return ["best" if place == at else self._side(place, at) for place in range(len(self.values))]

    def _side(self, place: int, best: int) -> str | None:
        error = self.errors[place] if self.errors else 0.0
        if not self.test[place] - self.test[best] > error:
            return None
        return "overfitting" if self.train[place] < self.train[best] else "underfitting"


@overload
def curve(learner: Any, X: Any, y: Any, /, **options: Any) -> Curve: ...
@overload
def curve(X: Any, y: Any, /, *, learner: Any, **options: Any) -> Curve: ...
@overload
def curve(learner: Any, builtin: str, /, **options: Any) -> Curve: ...
@overload
def curve(learner: Any, /, *, X: Any, y: Any = None, **options: Any) -> Curve: ...
@overload
def curve(*, learner: Any, X: Any, y: Any = None, **options: Any) -> Curve: ...
@from_the_right("learner")
def curve(
    learner: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    loss: Any = None,
    outer: Any = 10,
    repeats: int = 1,
    groups: Any = None,
    time: Any = None,
    weights: Any = None,
    stratify: Any = "auto",
    task: str | None = None,
    drop_missing_target: bool = False,
    seed: int = 0,
    jobs: int | None = None,
    engine: str | Executor = "local",
    store: str | Path | Store | None = None,
    progress: bool | None = None,
    **parameter: Any,
) -> Curve:
    """Validation curve: training and test error of a learner over one of its parameters.

    `parameter`: one keyword, such as `n_neighbors=range(1, 31)`. `learner`: a built-in name, an estimator or
    `fw.tune(...)`. `outer`, `repeats`: the splits, and how often they are drawn anew.
    `X`, `y`, `groups`, `time`, `weights`, `stratify`, `task`, `drop_missing_target`, `loss`, `seed`, `jobs`, `engine`,
    `store` and `progress` are those of `compare`; a curve with the store of a study is in its later reports.

    >>> import foldwise as fw
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> x = np.linspace(0, 1, 40)
    >>> found = fw.curve(KNeighborsRegressor(), x[:, None], np.sin(9 * x), n_neighbors=[1, 5, 20], outer=5)
    >>> found.train[0], found.values
    (0.0, (1, 5, 20))
    """
    name, asked = one_learner(learner, "curve")
    _check_parameter(asked, parameter)
    roles = Roles(groups, time, weights, stratify, task, drop_missing_target=drop_missing_target)
    data = as_data(X, y, task_hint(asked, loss), roles)
    losses = make_losses(loss, data)
    made = make_learners({name: _with_space(asked, parameter)}, data, losses)[:1]
    splits = make_splits(outer, data, seed=seed, repeats=repeats)
    options = StudyOptions(seed=seed, is_validation_curve=True, wants_training_risk=True)
    runnable = make_study(data, made, losses=losses, outer=splits, options=options)
    ran = answer_study(runnable, RunOptions(jobs=jobs, engine=engine), store=store, progress=progress, is_kept=False)
    ran.check_finished(store)
    reading, count = ran.reading, ran.made
    method = runnable.study.methods[0]
    folds = np.array(
        [[reading.fold_loss(method, at, split) for split in splits] for at in range(len(method.candidates))]
    )
    train, test = [], list(folds.mean(axis=1))
    for at in range(len(method.candidates)):
        train.append(np.mean([reading.fold_loss(method, at, split, rows=np.unique(split.train)) for split in splits]))
    (parameter_name,) = parameter
    values = tuple(candidate[parameter_name] for candidate in method.candidates)
    found = _curve(parameter_name, values, train, test, losses[0], name, (len(reading.fits(method)), count.total()))
    found = replace(found, errors=_errors(folds))
    keep_curve(store, found.to_dict())
    return found


def _errors(folds: FloatArray) -> tuple[float, ...]:
    """One standard error of each mean less the smallest mean, over the splits that both share; folds[value, split]."""
    means = folds.mean(axis=1)
    if folds.shape[1] < 2 or not np.isfinite(means).any():
        return ()
    apart = folds - folds[int(np.nanargmin(means))]
    return tuple(float(error) for error in apart.std(axis=1, ddof=1) / np.sqrt(folds.shape[1]))


@overload
def learning_curve(learner: Any, X: Any, y: Any, /, **options: Any) -> Curve: ...
@overload
def learning_curve(X: Any, y: Any, /, *, learner: Any, **options: Any) -> Curve: ...
@overload
def learning_curve(learner: Any, builtin: str, /, **options: Any) -> Curve: ...
@overload
def learning_curve(learner: Any, /, *, X: Any, y: Any = None, **options: Any) -> Curve: ...
@overload
def learning_curve(*, learner: Any, X: Any, y: Any = None, **options: Any) -> Curve: ...
@from_the_right("learner")
def learning_curve(
    learner: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    sizes: Any = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0),
    loss: Any = None,
    outer: Any = 10,
    inner: Any = 5,
    groups: Any = None,
    time: Any = None,
    weights: Any = None,
    stratify: Any = "auto",
    task: str | None = None,
    drop_missing_target: bool = False,
    seed: int = 0,
    jobs: int | None = None,
    engine: str | Executor = "local",
    store: str | Path | Store | None = None,
    progress: bool | None = None,
) -> Curve:
    """Learning curve: training and test error over the number of training rows. Would more rows help?

    `sizes`: shares of the outer training rows, or numbers of rows. `learner`: a built-in name, an estimator or
    `fw.tune(...)`, which is tuned on `inner` splits at every size. `outer`: the splits that are shortened.
    `X`, `y`, `groups`, `time`, `weights`, `stratify`, `task`, `drop_missing_target`, `loss`, `seed`, `jobs`, `engine`,
    `store` and `progress` are those of `compare`; a curve with the store of a study is in its later reports.

    `inner`: the splits that tune.

    >>> import foldwise as fw
    >>> curve = fw.learning_curve("linear", "diabetes", sizes=[50, 100, 200], outer=3, jobs=1)
    >>> [round(error) for error in curve.test]
    [3880, 3462, 3181]
    """
    name, asked = one_learner(learner, "learning_curve")
    roles = Roles(groups, time, weights, stratify, task, drop_missing_target=drop_missing_target)
    data = as_data(X, y, task_hint(asked, loss), roles)
    losses = make_losses(loss, data)
    made = make_learners({name: asked}, data, losses)[:1]
    whole = study_splits(outer, DEFAULT_INNER, data, seed=seed, tuned=False).outer
    if whole.kind == "bootstrap":
        raise BadStudy("a learning curve counts rows, and a bootstrap draws some of them twice", "Use MonteCarlo")
    smallest = min(split.train_rows for split in whole)
    counts = sorted({_count(size, smallest) for size in sizes})
    order = np.random.default_rng([seed, 0x1EA2]).permutation(data.rows)  # prefixes of one order: sizes are nested
    parts = [_shortened(whole, count, order) for count in counts]
    every = Splits(
        tuple(split for part in parts for split in part), f"{whole.scheme} at {len(counts)} sizes", "pairs", False
    )
    options = StudyOptions(seed=seed, has_final=False, wants_training_risk=True)
    runnable = make_study(data, made, losses=losses, outer=every, tuning=Tuning(inner=inner), options=options)
    ran = answer_study(runnable, RunOptions(jobs=jobs, engine=engine), store=store, progress=progress, is_kept=False)
    ran.check_finished(store)
    reading, count = ran.reading, ran.made
    method = runnable.study.methods[0]
    test = reading.outer_losses(method).reshape(len(counts), -1).mean(axis=1)
    train = reading.training_losses(method).reshape(len(counts), -1).mean(axis=1)
    found = _curve(
        TRAIN_ROWS,
        tuple(counts),
        list(train),
        list(test),
        losses[0],
        name,
        (len(reading.fits(method)), count.total()),
    )
    keep_curve(store, found.to_dict())
    return found


def _check_parameter(learner: Any, parameter: dict[str, Any]) -> None:
    """One keyword is the parameter; of others say what they are called here."""
    check_foreign("curve", [word for word in parameter if word not in own_words(learner)], signature(curve).parameters)
    if len(parameter) != 1:
        found = f": {', '.join(parameter)}" if parameter else ""
        problem = f"a curve is over one parameter, not {len(parameter)}{found}"
        raise BadStudy(problem, "Write n_neighbors=range(1, 31), say")


def _with_space(learner: Any, parameter: dict[str, Any]) -> Any:
    if isinstance(learner, str | Named):
        known = Named(learner) if isinstance(learner, str) else learner
        return Named(**{**known.get_params(deep=False), "changes": {**known.overrides, **parameter}})
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


def _curve(
    name: str,
    values: tuple[Any, ...],
    train: list[Any],
    test: list[Any],
    loss: Loss,
    learner: str,
    fits: tuple[int, int],
) -> Curve:
    return Curve(
        parameter=name,
        values=values,
        train=tuple(float(value) for value in train),
        test=tuple(float(value) for value in test),
        loss=loss.name,
        loss_label=loss.label,
        learner=learner,
        fits=fits[0],
        fits_made=fits[1],
    )


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
