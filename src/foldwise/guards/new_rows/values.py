"""Values that training never saw: categories, numbers outside the range, missing ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from foldwise.arrays import BoolArray
from foldwise.blocks.numbers import listed, number
from foldwise.guards.codes.new_rows import MISSING, OUTSIDE, UNSEEN
from foldwise.guards.new_rows.subject import NewRows
from foldwise.studies.finding import Finding

LUCK = 0.01  # p of so many rows beyond the extremes of equal rows, for all columns at once
FAR = 0.5  # of the width of the range: a value this far outside is told, however few there are
MOST_SHOWN = 3  # columns in a sentence


def unseen_categories(new: NewRows) -> Iterator[Finding]:
    """Categories that no training row had; learners treat them as missing, rare or zero."""
    masks, words = {}, []
    for name, values, known in new.pairs:
        if values.dtype == object and "values" in known:
            is_new = np.array([value is not None and value not in known["values"] for value in values.tolist()])
            if is_new.any():
                masks[name] = is_new
                labels = sorted({str(value) for value in values[is_new].tolist()})
                words.append(f"{name} ({listed([repr(label) for label in labels[:MOST_SHOWN]])})")
    if masks:
        rows = _any(masks.values())
        yield UNSEEN.found(
            f"{_rows(rows)} have categories that training never saw: {listed(words[:MOST_SHOWN])}",
            rows=np.flatnonzero(rows),
            columns=masks,
            figures={"rows": int(rows.sum()), "share": float(rows.mean())},
            advice="Predictions there rest on the other columns alone",
        )


def outside_range(new: NewRows) -> Iterator[Finding]:
    """Numbers beyond the smallest or largest of training, more than equal rows would have, or far beyond."""
    masks, words, trained = {}, [], new.training_rows
    ranged = [(name, values, known) for name, values, known in new.pairs if "low" in known and values.dtype != object]
    for name, values, known in ranged:
        low, high = known["low"], known["high"]
        is_out = (values < low) | (values > high)
        if not is_out.any():
            continue
        reach = float(np.max(np.maximum(low - values[is_out], values[is_out] - high)))
        is_far = reach > FAR * max(high - low, 1e-300)
        if is_far or _p_beyond(int(is_out.sum()), new.rows, trained) * len(ranged) < LUCK:
            masks[name] = is_out
            ends = f"{number(float(np.nanmin(values)))} to {number(float(np.nanmax(values)))}"
            words.append(f"{name} ({ends}, in training {number(low)} to {number(high)})")
    if masks:
        rows = _any(masks.values())
        yield OUTSIDE.found(
            f"{_rows(rows)} lie outside the training range: {listed(words[:MOST_SHOWN])}",
            rows=np.flatnonzero(rows),
            columns=masks,
            figures={"rows": int(rows.sum()), "share": float(rows.mean())},
            advice="Look whether units or codes changed; models extrapolate there",
        )


def _p_beyond(count: int, rows: int, trained: int | None) -> float:
    """p of so many new rows beyond both extremes of the training rows, were they all alike."""
    from scipy.stats import betabinom

    if trained is None or trained < 2:
        return 1.0
    # the share beyond the extremes of n equal draws is Beta(2, n - 1)
    return float(betabinom.sf(count - 1, rows, 2, trained - 1))


def unseen_missing(new: NewRows) -> Iterator[Finding]:
    """Missing values in columns that had none in training, so that nothing was learnt about them."""
    masks = {}
    for name, values, known in new.pairs:
        is_text = values.dtype == object
        is_missing = np.array([value is None for value in values.tolist()]) if is_text else np.isnan(values)
        if known["missing"] == 0 and is_missing.any():
            masks[name] = is_missing
    if masks:
        rows = _any(masks.values())
        names = list(masks)
        yield MISSING.found(
            f"{_rows(rows)} have missing values in {listed(names)}, where training had none",
            rows=np.flatnonzero(rows),
            columns=names,
            figures={"rows": int(rows.sum()), "share": float(rows.mean())},
            advice="Look whether the columns were read rightly; the model fills them in without ever having seen one",
        )


def _any(masks: Iterable[BoolArray]) -> BoolArray:
    found: BoolArray = np.any(list(masks), axis=0)
    return found


def _rows(rows: BoolArray) -> str:
    return f"{int(rows.sum())} of {len(rows)} new rows"
