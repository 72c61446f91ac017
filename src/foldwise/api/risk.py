"""The risk of one learner, and of one fitted model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from foldwise.api.calls import call, known_keywords, one_learner
from foldwise.api.check import test_findings
from foldwise.api.judging import judge_model
from foldwise.api.options import CompareOptions
from foldwise.api.request import request
from foldwise.blocks.numbers import number
from foldwise.checks.check import read_silence
from foldwise.checks.checking import findings_of_method
from foldwise.errors import BadInterval, FitsFailed
from foldwise.losses.loss import Loss
from foldwise.questions.combined import answer_of
from foldwise.questions.ledger import ONE_MODEL, UNCOUNTED, name_of_test_set, note_scores, read_scoreboard
from foldwise.questions.risk import risks_under
from foldwise.records.store import Store, opened
from foldwise.stats.chooser import choose, find
from foldwise.stats.estimate import Estimate
from foldwise.stats.interval_method import IntervalMethod
from foldwise.studies.finding import finding_words


@call("learner", outer=10)
def risk(*given: Any, learner: Any = None, X: Any = None, y: Any = None, **options: Unpack[CompareOptions]) -> Estimate:
    """The risk of a learner on a typical training set; of a Tuned learner this is nested cross-validation.

    `learner`: a built-in name, an estimator or `fw.tune(...)`. `X`, `y`: a table and its target, or a frame or file and
    the name of a column; arguments without a name are read from the right, as in `compare`. `outer`: the splits that
    estimate the risk. All further `options` are those of `compare`, such as `inner`, `loss`, `groups`, `seed`, `jobs`
    and `store`; see there.

    A failed fit raises: there would be no honest number.

    >>> import foldwise as fw
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> estimate = fw.risk(LinearRegression(), X, y, outer=10)
    >>> estimate.interval, estimate.fits
    ('corrected t', 10)
    """
    asked = request(dict([one_learner(learner, "risk")]), X, y, **options)
    asked.start_ahead()
    runnable = asked.checked_study(is_alone=True)
    ran = asked.answer(runnable, is_kept=False)
    ran.check_finished(asked.store)
    method = answer_of(ran.reading, ran.reading.study.methods[0])
    if method.status != "ok":
        why = method.failures[0] if method.failures else "the loss is undefined on some split"
        count = f"{len(method.failures)} of {len(method.keys)} fits failed" if method.failures else "no risk"
        raise FitsFailed(f"{count}, so there is no honest estimate. The first says: {why}")
    estimate = method.estimate()
    if asked.store is None and name_of_test_set(ran.reading) is not None and estimate.interval is not None:
        estimate = replace(estimate, notes=(*estimate.notes, ("ledger", UNCOUNTED)))
    notes = tuple(note for note in method.study.notes if note[0] in ("task", "missing_target"))
    findings = findings_of_method(method).to_dict()["findings"]
    notes += tuple((finding["code"], finding_words(finding)) for finding in findings)
    details = {**estimate.details, "findings": findings, "risks": risks_under(method)}
    estimate = replace(estimate, notes=(*estimate.notes, *notes), details=details)
    return _with_score(estimate, method.study.losses[0])


@known_keywords
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
    silence: str | Sequence[str] | None = (),
) -> Estimate:
    """The risk of this very fitted model: its mean loss on rows it has not seen.

    `model`: a fitted estimator. `X`, `y`: the rows, and their target or the name of its column.
    `loss`: as in `compare` (None: squared, or zero_one for classes). `weights`: of the rows, in the loss.
    `groups`: rows of one group are not independent, so the group is the unit of the interval.
    `level`, `interval`: of the interval, and one by name; else the valid one that fits best.
    `seed`: the order in which a betting interval meets the rows.
    `store`: a folder, or a store of your own, that keeps which models were scored on these rows. The interval is about
      this one model, fixed beforehand; a finding (FW405) says how many were scored.
    `trained_on`: the fingerprint of the data the model was fitted on, if it is known: they are not for testing.
    `silence`: codes of findings to leave out, as in `compare`; see docs/checks.md for those of new rows.

    >>> import foldwise as fw
    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier().fit([[0.0], [1.0]], ["a", "b"])
    >>> fw.test_risk(model, [[0.0], [1.0], [2.0]], ["a", "b", "a"])
    0.333 (0.008 to 0.906, 95% Clopper-Pearson): this predictor, on 3 test rows
    """
    silenced = read_silence(silence)
    judged = judge_model(model, X, y, loss=loss, weights=weights, groups=groups, seed=seed)
    method = None if interval is None else find(interval)
    valid, reason = choose(judged.evidence, method)
    if method is not None and valid is None:
        raise BadInterval(reason, "Leave interval out for the default")
    against = None
    if seen := judged.rows_seen(trained_on):
        against = f"{seen} of {judged.data.rows} test rows were trained on, so no interval is valid"
        if method is not None:
            raise BadInterval(against, "Test on other rows")
        against += ": test on other rows"
    estimate = _with_score(judged.estimate(level, method, against=against), judged.evidence.loss)
    scored, notes = None, [*estimate.notes]
    if store is None:
        notes += [] if estimate.interval is None else [("ledger", UNCOUNTED)]
    else:
        with opened(store) as kept:
            scored = note_scores(kept, judged.data.fingerprint, [judged.name])
            has_board = bool(read_scoreboard(kept, judged.data.fingerprint).submitted)
        count = "1 model has" if scored == 1 else f"{scored} models have"
        notes += [] if estimate.interval is None else [("ledger", ONE_MODEL)]
        notes.append(("ledger", f"{count} been scored on these rows"))
        if has_board:
            notes.append(("ladder", "these rows have a leaderboard, whose interval ends with this open score"))
    told, found = test_findings(judged, trained_on=seen, scored=scored or 0, silence=silenced)
    return replace(estimate, notes=(*notes, *told), details={"scored": scored, **found})


test_risk.__test__ = False  # type: ignore[attr-defined]  # not a test of pytest


def _with_score(estimate: Estimate, loss: Loss) -> Estimate:
    """The estimate with words for a loss that is 1 less a score, such as the AUC."""
    if loss.score is None:
        return estimate
    target = f"{loss.label} (the {loss.score} is {number(1 - estimate.value)}) of {estimate.target}"
    return replace(estimate, target=target)
