"""The risk of one learner, of one fitted model, and the parts of a table to learn and to judge on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from foldwise.arrays import IntArray
from foldwise.data.dataset import Dataset, make_dataset
from foldwise.data.judged import make_judged
from foldwise.data.sources import read_table
from foldwise.errors import BadData, BadLoss, FitsFailed
from foldwise.estimates.estimate import Estimate
from foldwise.learners.catalogue import entries
from foldwise.learners.model import respond
from foldwise.losses.loss import make_losses
from foldwise.plans.methods import name_wishes
from foldwise.questions.compare import compare
from foldwise.splits.holdout import three_way
from foldwise.splits.nesting import DEFAULT_INNER

if TYPE_CHECKING:
    import pandas as pd


def risk(learner: Any, X: Any = None, y: Any = None, *, outer: Any = 10, inner: Any = DEFAULT_INNER, **words: Any) -> Estimate:
    """The risk of a learner on a typical training set; of a Tuned learner this is nested cross-validation.

    Takes the words of `compare`. A failed fit raises: there would be no honest number.

    >>> import foldwise as fw
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> estimate = fw.risk(LinearRegression(), X, y, outer=10)
    >>> estimate.interval, estimate.fits
    ('corrected t', 10)
    """
    result = compare(_one(learner), X, y, outer=outer, inner=inner, **words)
    method = result.methods[0]
    if method.status != "ok":
        why = method.failures[0] if method.failures else "the loss is undefined on some split"
        count = f"{len(method.failures)} of {len(method.keys)} fits failed" if method.failures else "no risk"
        raise FitsFailed(f"{count}, so there is no honest estimate. The first says: {why}")
    return method.estimate()


def test_risk(
    model: Any, X: Any, y: Any = None, *, loss: Any = None, weights: Any = None, level: float = 0.95
) -> Estimate:
    """The risk of this very fitted model: its mean loss on rows it has not seen.

    >>> import foldwise as fw
    >>> from sklearn.dummy import DummyRegressor
    >>> model = DummyRegressor().fit([[0.0], [1.0]], [0.0, 2.0])
    >>> fw.test_risk(model, [[0.0], [1.0]], [1.0, 3.0])
    2.00 (no interval): this predictor, on 2 test rows
    """
    data = X if isinstance(X, Dataset) else _judged(model, X, y, weights)
    judge = make_losses(loss, data)[0]
    rows = np.arange(data.rows)
    response = next((name for name in judge.needs if hasattr(model, name)), None)
    if response is None:
        raise BadLoss(f"the loss {judge.name!r} needs {' or '.join(judge.needs)}, and the model has none", "Use another loss")
    answer = respond(model, data, rows, [response])[response]
    return Estimate(
        value=judge.fold(data.target, answer, data.weights),
        level=level,
        target=f"this predictor, on {data.rows} test rows",
        losses=judge.rows(data.target, answer) if judge.is_per_row else None,
        notes=(("interval", "one test set has no spread over folds"),),
    )


test_risk.__test__ = False  # type: ignore[attr-defined]  # not a test of pytest's


class Part(NamedTuple):
    """Some rows of a table."""

    X: Any
    y: Any
    rows: IntArray


class Parts(NamedTuple):
    """Rows to train on, to choose candidates on, and to judge on."""

    train: Part
    dev: Part
    test: Part


def split(
    X: Any,
    y: Any,
    *,
    test: float = 0.2,
    dev: float = 0.2,
    groups: Any = None,
    time: Any = None,
    stratify: Any = "auto",
    seed: int = 0,
) -> Parts:
    """Three parts of a table at random: shares of all rows, stratified by class, groups kept whole.

    >>> import foldwise as fw
    >>> train, dev, test = fw.split(np.zeros((10, 2)), np.arange(10.0), test=0.2, dev=0.2)
    >>> len(train.y), len(dev.y), len(test.y)
    (6, 2, 2)
    """
    data = make_dataset(X, y, groups=groups, time=time, stratify=stratify)
    parts = three_way(data, test=test, dev=dev, seed=seed)
    return Parts(*(Part(data.take(rows), data.y[rows], rows) for rows in parts))


def learners() -> pd.DataFrame:
    """All built-in learners: what they are, what is tuned over which values, and what they need.

    >>> import foldwise as fw
    >>> fw.learners()["name"].tolist()[:3]
    ['baseline', 'k-nn', 'ridge']
    """
    import pandas as pd

    return pd.DataFrame(entries())


def _one(learner: Any) -> Any:
    named = name_wishes(learner, "regression")
    if len(named) != 1:
        raise BadData("risk is of one learner", "Use fw.compare for several")
    return named


def _judged(model: Any, X: Any, y: Any, weights: Any) -> Dataset:
    if isinstance(X, str | Path):
        X = read_table(X)
    return make_judged(X, y, classes=getattr(model, "classes_", ()), weights=weights)
