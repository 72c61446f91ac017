"""The risk of one learner, and of one fitted model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from foldwise.answers.combined import answer_of
from foldwise.answers.evidence import evidence_of_model
from foldwise.answers.ledger import estimate_for_all, ledger_notes, name_of, score_in
from foldwise.api.compare import request
from foldwise.api.seen import rows_seen
from foldwise.data.dataset import Dataset
from foldwise.data.judged import make_judged
from foldwise.data.sources import read_table
from foldwise.errors import BadData, BadInterval, BadLoss, FitsFailed
from foldwise.estimates.chooser import choose, work_out
from foldwise.estimates.estimate import Estimate
from foldwise.estimates.intervals import IntervalMethod, find
from foldwise.formulas.multiple import shared_level
from foldwise.learners.identity import identity_of
from foldwise.learners.model import respond
from foldwise.losses.loss import make_losses
from foldwise.plans.methods import name_learners
from foldwise.records.store import Store
from foldwise.splits.nesting import DEFAULT_INNER


def risk(
    learner: Any, X: Any = None, y: Any = None, *, outer: Any = 10, inner: Any = DEFAULT_INNER, **options: Any
) -> Estimate:
    """The risk of a learner on a typical training set; of a Tuned learner this is nested cross-validation.

    `learner`: a built-in name, an estimator or `fw.tune(...)`. `X`, `y`: a table and its target, or a file and the
    name of a column. `outer`: the splits that estimate the risk. `inner`: the splits that tune. All further `options`
    are those of `compare`, such as `loss`, `groups`, `seed`, `jobs` and `store`; see there.

    A failed fit raises: there would be no honest number.

    >>> import foldwise as fw
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> estimate = fw.risk(LinearRegression(), X, y, outer=10)
    >>> estimate.interval, estimate.fits
    ('corrected t', 10)
    """
    asked = request(_one(learner), X, y, outer=outer, inner=inner, **options)
    runnable = asked.study(is_alone=True)
    ran = asked.answer(runnable, is_kept=False)
    ran.check_finished(asked.store)
    method = answer_of(ran.reading, ran.reading.study.methods[0])
    if method.status != "ok":
        why = method.failures[0] if method.failures else "the loss is undefined on some split"
        count = f"{len(method.failures)} of {len(method.keys)} fits failed" if method.failures else "no risk"
        raise FitsFailed(f"{count}, so there is no honest estimate. The first says: {why}")
    return estimate_for_all(method)


def test_risk(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    loss: Any = None,
    weights: Any = None,
    groups: Any = None,
    level: float = 0.95,
    interval: str | IntervalMethod | None = None,
    seed: int = 0,
    store: str | Path | Store | None = None,
    trained_on: str | None = None,
) -> Estimate:
    """The risk of this very fitted model: its mean loss on rows it has not seen.

    `model`: a fitted estimator. `X`, `y`: the rows, and their target or the name of its column.
    `loss`: as in `compare` (None: squared, or zero_one for classes). `weights`: of the rows, in the loss.
    `groups`: rows of one group are not independent, so the group is the unit of the interval.
    `level`, `interval`: of the interval, and one by name; else the valid one that fits best.
    `seed`: the order in which a betting interval meets the rows.
    `store`: a folder, or a store of your own, that counts how many models were scored on these rows; the interval then
      holds for all of them.
    `trained_on`: the fingerprint of the data the model was fitted on, if it is known: they are not for testing.

    >>> import foldwise as fw
    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier().fit([[0.0], [1.0]], ["a", "b"])
    >>> fw.test_risk(model, [[0.0], [1.0], [2.0]], ["a", "b", "a"])
    0.333 (0.008 to 0.906, 95% Clopper-Pearson): this predictor, on 3 test rows
    """
    data = X if isinstance(X, Dataset) else _judged(model, X, y, weights)
    judge = make_losses(loss, data)[0]
    response = next((name for name in judge.needs if hasattr(model, name)), None)
    if response is None:
        raise BadLoss(
            f"the loss {judge.name!r} needs {' or '.join(judge.needs)}, and the model has none", "Use another loss"
        )
    answer = respond(model, data, np.arange(data.rows), [response])[response]
    evidence = evidence_of_model(judge, data, answer, groups, seed)
    asked = None if interval is None else find(interval)
    valid, reason = choose(evidence, asked)
    if asked is not None and valid is None:
        raise BadInterval(reason, "Leave interval out for the default")
    count = 1 if store is None else score_in(store, data.fingerprint, name_of(identity_of(model), answer.tobytes()))
    row, reason, found = work_out(evidence, asked, shared_level(level, count))
    if seen := data.rows if trained_on == data.fingerprint else rows_seen(model, data):
        if asked is not None:
            raise BadInterval(
                f"{seen} of {data.rows} test rows were trained on, so no interval is valid", "Test on other rows"
            )
        row = found = None
        reason = f"{seen} of {data.rows} test rows were trained on, so no interval is valid: test on other rows"
    notes = [("interval", reason), *ledger_notes(store is not None, count, row is not None)]
    if row is not None and found is not None:
        notes += row.cautions(evidence, found.details)
    return Estimate(
        value=float(evidence.fold_losses[0]),
        low=found.low if found else None,
        high=found.high if found else None,
        level=level,
        interval=row.name if row else None,
        target=f"this predictor, on {data.rows} test rows",
        losses=evidence.row_losses[0] if evidence.row_losses is not None else None,
        notes=tuple(notes),
        details={"scored": count},
    )


test_risk.__test__ = False  # type: ignore[attr-defined]  # not a test of pytest


def _one(learner: Any) -> Any:
    named = name_learners(learner, "regression")
    if len(named) != 1:
        raise BadData("risk is of one learner", "Use fw.compare for several")
    return named


def _judged(model: Any, X: Any, y: Any, weights: Any) -> Dataset:
    if isinstance(X, str | Path):
        X = read_table(X)
    return make_judged(X, y, classes=getattr(model, "classes_", ()), weights=weights)
