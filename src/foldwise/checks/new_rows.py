"""New rows beside the table a model was trained on; no check changes a prediction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from foldwise.arrays import BoolArray
from foldwise.blocks.numbers import listed, number, plain, span
from foldwise.checks.check import Trap, check
from foldwise.data.features import Feature, described, read_summary
from foldwise.errors import BadData
from foldwise.studies.finding import Finding, Findings

LUCK = 0.01  # p of so many rows beyond the extremes of equal rows, for all columns at once
FAR = 0.5  # of the width of the range: a value this far outside is told, however few there are
MOST_SHOWN = 3  # columns in a sentence


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows to predict or to test, and what the card of the model says of its training table."""

    X: Any  # as the model is given it; None where its columns do not fit
    about: Mapping[str, Any]
    problem: BadData | None = None  # why the columns do not fit
    trained_on: int = 0  # how many of the rows the model was trained on
    times_scored: int = 0  # how many models have been scored on the rows, where these are more than one

    @cached_property
    def columns(self) -> list[tuple[Feature, Mapping[str, Any]]]:
        """The columns with what the model remembers of them; none of a sparse table or of documents."""
        names = self.about.get("names", [])
        training = read_summary(self.about.get("summary"), len(names))
        if training is None or self.X is None:
            return []
        return list(zip(described(self.X, list(map(str, names)), self.about["kinds"]), training, strict=False))


class NewFindings(Findings):
    """What was found in new rows, and in a sentence how far the risk of the model may be trusted there."""

    def __init__(self, findings: Sequence[Finding], trust: str) -> None:
        super().__init__(findings)
        self.trust = trust

    def to_dict(self) -> dict[str, Any]:
        """The findings in plain values, and the sentence."""
        return {**super().to_dict(), "trust": self.trust}

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n{self.trust}"


def trust_words(new: NewRows, findings: Sequence[Finding]) -> str:
    """How far the risk on the card of the model may be trusted on these rows; a card may be a stranger's."""
    estimate = new.about.get("estimate")
    estimate = estimate if isinstance(estimate, Mapping) else {}
    value, low, high = (estimate.get(key) for key in ("risk", "low", "high"))
    risk = "The risk of the model (not estimated)"
    if isinstance(value, int | float) and not isinstance(value, bool):
        around = f", {span(low, high)}" if isinstance(low, int | float) and isinstance(high, int | float) else ""
        risk = f"The risk of the model ({number(float(value))}{around}, {plain(new.about.get('loss'))} loss)"
    if new.problem:
        return f"{risk} says nothing of rows that it cannot predict."
    shares = [finding.figures["share"] for finding in findings if finding.code in ("FW602", "FW603", "FW604")]
    if shares:
        percent = f"{100 * max(shares):.2g}" if max(shares) < 0.1 else f"{100 * max(shares):.0f}"
        return f"{risk} is that of rows like the training rows, and says nothing of the {percent}% told above."
    if not new.columns:
        return f"{risk} is that of rows like the training rows; what those were like is not known here."
    return f"{risk} is that of rows like the training rows; no value here is unlike theirs."


@check("FW601", "Columns do not fit the model", severity="refuse")
def unfit_columns(new: NewRows) -> Iterator[Trap]:
    """A column that the model needs is not there, or holds text where the model learnt numbers. `predict` stops with
    the same words.
    """
    if new.problem:
        yield Trap(new.problem.problem, advice=new.problem.remedy)


@check("FW602", "Categories never seen", severity="note")
def unseen_categories(new: NewRows) -> Iterator[Trap]:
    """Some rows have a category that no training row had. The built-in preprocessing treats it as unknown, so that the
    prediction rests on the other columns. Free text and columns with more than 200 categories are not looked at.
    """
    unseen, texts = {}, []
    for column, training in new.columns:
        labels = [str(label) for label in column.labels] if "labels" in training else []
        codes = [code for code, label in enumerate(labels) if label not in training["labels"]]
        if codes:
            unseen[column.name] = np.isin(column.values, codes)
            names = sorted(labels[code] for code in codes)
            texts.append(f"{column.name} ({listed([repr(name) for name in names[:MOST_SHOWN]])})")
    yield from _trap(
        unseen,
        f"have categories that training never saw: {listed(texts[:MOST_SHOWN])}" if texts else "",
        advice="Predictions there rest on the other columns alone",
    )


@check("FW603", "Values outside the training range", severity="note")
def outside_range(new: NewRows) -> Iterator[Trap]:
    """More rows lie beyond the smallest and largest training value than rows of the same kind would (p < 0.01 for all
    columns at once), or one lies beyond by half of the range: a unit or a code may have changed. Trees answer there as
    at the end of the range, linear models extrapolate.
    """
    outside, texts = {}, []
    ranged = [(column, training) for column, training in new.columns if "low" in training and column.is_number]
    for column, training in ranged:
        name, values, low, high = column.name, column.values, training["low"], training["high"]
        is_outside = (values < low) | (values > high)
        if not is_outside.any():
            continue
        reach = float(np.max(np.maximum(low - values[is_outside], values[is_outside] - high)))
        is_far = reach > FAR * max(high - low, 1e-300)
        if is_far or _p_beyond(is_outside, new.about.get("rows")) * len(ranged) < LUCK:
            outside[name] = is_outside
            ends = f"{number(float(np.nanmin(values)))} to {number(float(np.nanmax(values)))}"
            texts.append(f"{name} ({ends}, in training {number(low)} to {number(high)})")
    yield from _trap(
        outside,
        f"lie outside the training range: {listed(texts[:MOST_SHOWN])}" if texts else "",
        advice="Look whether units or codes changed; models extrapolate there",
    )


@check("FW604", "Missing values never seen", severity="warn")
def unseen_missing(new: NewRows) -> Iterator[Trap]:
    """A column that was complete in training has missing values. The model fills them in, or fails, without having
    learnt what they mean.
    """
    columns = [column for column, training in new.columns if training["missing"] == 0]
    missing = {column.name: column.missing for column in columns if column.missing.any()}
    yield from _trap(
        missing,
        f"have missing values in {listed(list(missing))}, where training had none" if missing else "",
        advice="Look whether the columns were read rightly; the model fills them in without ever having seen one",
    )


@check("FW606", "Test rows were trained on", severity="warn")
def trained_rows(new: NewRows) -> Iterator[Trap]:
    """Some or all test rows are rows the model was fitted to, so that the risk is too good and no interval is valid.
    Test on other rows. Single rows are known of a model that was refitted in this session; a saved model keeps no rows,
    and knows only the very table it was trained on: of one with rows more or less it cannot tell.
    """
    if new.trained_on:
        yield Trap(f"{new.trained_on} test rows were trained on", advice="Test on other rows")


def _trap(masks: Mapping[str, BoolArray], text: str, *, advice: str) -> Iterator[Trap]:
    """Of the rows that have something new in one of these columns; nothing where no column has."""
    if masks:
        is_new = np.any(list(masks.values()), axis=0)
        yield Trap(
            f"{int(is_new.sum())} of {len(is_new)} new rows {text}",
            rows=np.flatnonzero(is_new),
            columns=masks,
            figures={"rows": int(is_new.sum()), "share": float(is_new.mean())},
            advice=advice,
        )


def _p_beyond(is_outside: BoolArray, trained: Any) -> float:
    """p of so many new rows beyond both extremes of the training rows, were they all alike."""
    from scipy.stats import betabinom

    if not isinstance(trained, int) or trained < 2:
        return 1.0
    # the share beyond the extremes of n equal draws is Beta(2, n - 1)
    return float(betabinom.sf(is_outside.sum() - 1, len(is_outside), 2, trained - 1))
