"""Adversarial validation: can test rows be told from training rows?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.equal_rows import spread_out
from foldwise.guards.codes.splits import UNLIKE_PARTS
from foldwise.guards.subject import Subject
from foldwise.splits.split import Split
from foldwise.studies.finding import Finding

MOST_SPLITS, LEAST_ROWS, MOST_ROWS = 5, 15, 600
TREES, PERMUTATIONS = 60, 99
UNLIKE, SURE = 0.7, 0.05


def unlike_parts(subject: Subject) -> Iterator[Finding]:
    """Test rows that trees can tell from training rows; with a permutation p-value, for the worst of the folds."""
    outer, features = subject.outer, [one for one in subject.columns if one.distinct > 1]
    if outer.is_ordered or not features:  # later rows are unlike earlier ones: that is what such splits are for
        return
    points = spread_out([one.values for one in features], [not one.is_number for one in features])
    rng = np.random.default_rng(0)
    found = []
    for split in outer.splits[:MOST_SPLITS]:
        rows, is_test = _balanced(split, rng)
        if len(rows) >= 2 * LEAST_ROWS and points.shape[1]:
            found.append((*told_apart(points[rows], is_test, rng), split.fold))
    if not found:
        return
    auc, p, fold = max(found)
    p = min(1.0, p * len(found))  # of the worst of so many
    if auc >= UNLIKE and p <= SURE:
        yield UNLIKE_PARTS.found(
            f"the test rows of fold {fold} can be told from its training rows (AUC {auc:.2f}, p {p:.2g})",
            figures={"auc": auc, "p": p, "fold": fold},
            advice="Find out how they differ; if rows come from sources or times, give groups or time",
        )


def told_apart(points: FloatArray, is_test: IntArray, rng: np.random.Generator) -> tuple[float, float]:
    """The AUC by which other rows in the same leaves tell test rows from training rows, and its permutation p-value.

    The trees split at random and see no label, so that one forest serves all permutations, and the p-value is exact.

    >>> rng = np.random.default_rng(0)
    >>> points, is_test = rng.normal(size=(100, 2)), np.arange(100) % 2
    >>> auc, p = told_apart(points + 3 * is_test[:, None], is_test, rng)
    >>> auc > 0.95, p
    (True, 0.01)
    """
    from sklearn.ensemble import RandomTreesEmbedding

    forest = RandomTreesEmbedding(TREES, max_leaf_nodes=max(8, len(points) // 10), max_depth=None, random_state=0)
    leaves = forest.fit_transform(points)
    weight = 1 / np.maximum(np.asarray(leaves.sum(axis=0)).ravel() - 1, 1)  # of each other row in a leaf
    own = np.asarray(leaves @ weight).ravel()

    def auc(labels: FloatArray) -> float:
        votes = np.asarray(leaves.T @ labels).ravel()
        return _auc(np.asarray(leaves @ (votes * weight)).ravel() - labels * own, labels)

    labels = is_test.astype(np.float64)
    seen = auc(labels)
    drawn = (auc(rng.permutation(labels)) for _ in range(PERMUTATIONS))
    return seen, (1 + sum(one >= seen for one in drawn)) / (1 + PERMUTATIONS)


def _balanced(split: Split, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """As many training rows as test rows."""
    train = np.unique(split.train)
    count = min(len(split.test), len(train), MOST_ROWS)
    some = [rng.choice(rows, count, replace=False) for rows in (train, split.test)]
    return np.concatenate(some), np.repeat([0, 1], count)


def _auc(scores: FloatArray, labels: FloatArray) -> float:
    from scipy import stats

    ranks, count = stats.rankdata(scores), labels.sum()
    return float((ranks[labels > 0].sum() - count * (count + 1) / 2) / (count * (len(labels) - count)))
