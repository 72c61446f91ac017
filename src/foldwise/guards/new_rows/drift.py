"""Are new rows drawn like the training rows? By a classifier that tells them apart, or column by column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.blocks.numbers import chance, listed, number
from foldwise.data.summary import bin_shares, columns_of
from foldwise.executors.worker import limited_threads
from foldwise.guards.codes.new_rows import DRIFT
from foldwise.guards.new_rows.subject import NewRows
from foldwise.questions.metrics import auc
from foldwise.studies.finding import Finding

FEWEST = 20  # new rows; fewer show nothing
MOST = 2_000  # rows of each kind that the classifier is given
SURE = 0.001  # p
APART = 0.6  # AUC: less is shown in large tables only, and hardly moves a risk
SHIFTED = 0.1  # population stability index of a column, the usual limit of "some shift"
ADVICE = "Test the model on rows of this kind with their targets, or train it on such rows"


def drift(new: NewRows) -> Iterator[Finding]:
    """A classifier test where the training rows are at hand (Lopez-Paz and Oquab, 2017), else a test of each column."""
    if new.rows < FEWEST:
        return
    if new.training is not None and len(new.columns) == len(new.names):
        found, p = told_apart(list(columns_of(new.training, new.about["kinds"])), new.columns)
        if p < SURE and found >= APART:
            yield DRIFT.found(
                f"a classifier tells the new rows from the training rows with an AUC of {found:.2f} (p {_p_words(p)})",
                columns=[name for name, _, _ in _shifts(new)],
                figures={"auc": found, "p": p, "rows": new.rows},
                advice=ADVICE,
            )
        return
    shifts = _shifts(new)
    if shifts:
        name, index, p = shifts[0]
        others = [other for other, _, _ in shifts[1:]]
        yield DRIFT.found(
            f"the new rows are spread otherwise than the training rows in {name} (stability index "
            f"{number(index, digits=2)}, p {_p_words(p)}){f'; also in {listed(others)}' if others else ''}",
            columns=[name, *others],
            figures={"index": index, "p": p, "rows": new.rows},
            advice=ADVICE,
        )


def told_apart(old: list[AnyArray], new: list[AnyArray]) -> tuple[float, float]:
    """How well a classifier tells two tables apart on rows it was not fitted to: its AUC, and p of one that cannot.

    Each half of the rows is scored by a model of the other half, so the scores of a half are of one fixed function,
    and the rank sum test is valid for it; the smaller p counts twice. Seeded, so that it is the same each time.
    """
    from scipy.stats import mannwhitneyu
    from sklearn.ensemble import HistGradientBoostingClassifier

    draw = np.random.default_rng(0)
    table, is_new = _stacked(old, new, draw)
    half = draw.permutation(len(is_new)) % 2 == 0
    aucs, ps = [], []
    for part in (half, ~half):
        model = HistGradientBoostingClassifier(max_iter=30, max_leaf_nodes=8, early_stopping=False, random_state=0)
        if len(np.unique(is_new[~part])) < 2 or len(np.unique(is_new[part])) < 2:
            return 0.5, 1.0
        with limited_threads(1):
            score = model.fit(table[~part], is_new[~part]).decision_function(table[part])
        aucs.append(auc(is_new[part], score))
        ps.append(float(mannwhitneyu(score[is_new[part]], score[~is_new[part]], alternative="greater").pvalue))
    return float(np.mean(aucs)), min(1.0, 2 * min(ps))


def _stacked(old: list[AnyArray], new: list[AnyArray], draw: np.random.Generator) -> tuple[FloatArray, AnyArray]:
    """Some rows of both tables as numbers; labels are codes."""
    sizes = [len(old[0]), len(new[0])]
    taken = [np.sort(draw.choice(size, min(size, MOST), replace=False)) for size in sizes]
    columns = []
    for ours, theirs in zip(old, new, strict=True):
        both = np.concatenate([ours[taken[0]], theirs[taken[1]]])
        if both.dtype == object:
            import pandas as pd

            both = pd.factorize(both, use_na_sentinel=True)[0].astype(np.float64)
            both[both < 0] = np.nan
        columns.append(both.astype(np.float64))
    is_new = np.repeat([False, True], [len(rows) for rows in taken])
    return np.column_stack(columns), is_new


def _shifts(new: NewRows) -> list[tuple[str, float, float]]:
    """Columns whose shares differ beyond luck and by a good deal: name, stability index, p; the largest first."""
    tested = [(name, found) for name, values, known in new.pairs if (found := _shares(values, known)) is not None]
    shifts = []
    for name, (old, now, count) in tested:
        index, p = _index(old, now, count, new.training_rows), _p_of(old, now, count, new.training_rows)
        if p * len(tested) < SURE and index > SHIFTED:
            shifts.append((name, index, p * len(tested)))
    return sorted(shifts, key=lambda shift: (-shift[1], shift[0]))


def _shares(values: AnyArray, known: dict[str, Any]) -> tuple[FloatArray, FloatArray, int] | None:
    """Shares of training and of the new rows in the same bins or categories, and the number of new values."""
    if values.dtype == object:
        if "values" not in known:
            return None
        labels = [value for value in values.tolist() if value is not None]
        if len(labels) < FEWEST:
            return None
        old = np.array([*known["values"].values(), 0.0])
        places = {label: at for at, label in enumerate(known["values"])}
        counts = np.bincount([places.get(label, len(places)) for label in labels], minlength=len(old))
        return old, counts / len(labels), len(labels)
    finite = values[np.isfinite(values)]
    if "edges" not in known or len(finite) < FEWEST:
        return None
    return np.array(known["shares"], float), bin_shares(finite, known["edges"]), len(finite)


def _p_of(old: FloatArray, now: FloatArray, count: int, trained: int | None) -> float:
    """p of the chi-squared test of two samples; of a training table of unknown size it is taken as large as ours."""
    from scipy.stats import chi2

    size = trained or count
    pooled = (old * size + now * count) / (size + count)
    used = pooled > 0
    statistic = float(((old - now)[used] ** 2 / pooled[used]).sum()) * size * count / (size + count)
    return float(chi2.sf(statistic, max(int(used.sum()) - 1, 1)))


def _index(old: FloatArray, now: FloatArray, count: int, trained: int | None) -> float:
    """The population stability index; empty bins are given half a row."""
    least = 0.5 / max(count, trained or count)
    p, q = np.maximum(old, least), np.maximum(now, least)
    return float(((q - p) * np.log(q / p))[(old > 0) | (now > 0)].sum())


def _p_words(p: float) -> str:
    found = chance(p)
    return found if found.startswith("<") else f"= {found}"
