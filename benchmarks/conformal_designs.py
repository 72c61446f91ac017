"""Simulations of CV+ and cross-conformal sets by themselves: learners, a choice among equal methods, groups.

Learners in a few lines of NumPy, so that a thousand studies take seconds; the intervals are those of
`stats/cv_plus.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from evidence.problems import find_problem

from foldwise.stats.cv_plus import HeldOut, cross_conformal, cv_plus

LEVELS = (0.8, 0.9, 0.95)
NEW = 100


def choice_effect(
    rows: int, methods: int, *, draws: int = 500, folds: int = 10, seed: int = 0
) -> dict[str, list[float]]:
    """Coverage by level of a method named beforehand, and of the one that has the smallest risk of as many equal ones.

    The target is noise. Each method is least squares on two columns of its own, so that none is better than another
    and the smallest risk is luck: the worst case for intervals that use the residuals it was chosen by.
    """
    rng = np.random.default_rng([seed, rows, methods])
    labels = np.arange(rows) % folds
    found: dict[str, list[list[float]]] = {"named": [], "chosen": []}
    for _ in range(draws):
        X, new = (
            np.pad(rng.normal(size=(methods, n, 2)), ((0, 0), (0, 0), (1, 0)), constant_values=1) for n in (rows, NEW)
        )
        y, new_y = rng.normal(size=rows), rng.normal(size=NEW)
        slopes = np.stack([_least_squares(X[:, labels != k], y[labels != k]) for k in range(folds)], axis=1)
        own = np.einsum("mrc,mrc->mr", X, slopes[:, labels])
        best = int(((y - own) ** 2).mean(axis=1).argmin())
        for name, at in (("named", 0), ("chosen", best)):
            held = HeldOut([np.abs(y - own[at])[labels == k] for k in range(folds)], None, rows)
            found[name].append(_coverages(new[at] @ slopes[at].T, new_y, held))
    return {name: np.mean(shares, axis=0).tolist() for name, shares in found.items()}


def group_effect(groups: int, *, draws: int = 500, folds: int = 5, seed: int = 0) -> dict[str, list[float]]:
    """Coverage by level for a row of a new group: with groups as units, and with rows as units in random folds.

    Groups have 1 to 15 rows, an effect of their own that is as large as the noise, and columns that differ by group.
    """
    rng = np.random.default_rng([seed, groups])
    found: dict[str, list[list[float]]] = {"groups": [], "rows": []}
    for _ in range(draws):
        sizes = rng.integers(1, 16, size=groups)
        group = np.repeat(np.arange(groups), sizes)
        X, y = _grouped_rows(rng, group)
        new_X, new_y = _grouped_rows(rng, np.arange(NEW))  # a row of each new group
        for name, labels in (("groups", group % folds), ("rows", rng.permutation(len(y)) % folds)):
            slopes = [_least_squares(X[None, labels != k], y[labels != k])[0] for k in range(folds)]
            scores = [np.abs(y - X @ slope)[labels == k] for k, slope in enumerate(slopes)]
            masses = [1 / sizes[group[labels == k]] for k in range(folds)] if name == "groups" else None
            held = HeldOut(scores, masses, groups if name == "groups" else len(y), name.removesuffix("s"))
            found[name].append(_coverages(new_X @ np.array(slopes).T, new_y, held))
    return {name: np.mean(shares, axis=0).tolist() for name, shares in found.items()}


def _grouped_rows(rng: np.random.Generator, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    count = group.max() + 1
    X = rng.normal(size=(count, 2))[group] + rng.normal(size=(len(group), 2))
    y = X.sum(axis=1) + rng.normal(size=count)[group] + rng.normal(size=len(group))
    return np.column_stack([np.ones(len(group)), X]), y


def _least_squares(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Slopes[method, column] of X[method, row, column]."""
    return np.linalg.solve(X.transpose(0, 2, 1) @ X, (X.transpose(0, 2, 1) @ y)[..., None])[..., 0]


def _coverages(predictions: np.ndarray, new_y: np.ndarray, held: HeldOut) -> list[float]:
    shares = []
    for level in LEVELS:
        low, high = cv_plus(predictions, held, level)
        shares.append(float(((low <= new_y) & (new_y <= high)).mean()))
    return shares


def effect_table(title: str, columns: Sequence[str], rows: dict[str, list[list[float]]]) -> str:
    """Coverages in % at 80, 90 and 95%, a column for each kind."""
    lines = [f"| {title} | {' | '.join(columns)} |", "| --- " * (len(columns) + 1) + "|"]
    for name, found in rows.items():
        shown = [" ".join(f"{100 * share:.1f}" for share in shares) for shares in found]
        lines.append(f"| {name} | {' | '.join(shown)} |")
    return "\n".join(lines)


def learner_coverage(problem: str, learner: str, rows: int, *, draws: int = 200, seed: int = 0) -> list[float]:
    """Coverage by level of CV+ intervals, or of cross-conformal sets, of a learner on fresh rows of a lab problem.

    Learners are "least squares" (for classes, of one column for each class: its decision values) and "k-nn" (the mean,
    or the shares, of 10 neighbours). 10 random folds.
    """
    own, rng = find_problem(problem), np.random.default_rng([seed, rows, *problem.encode()])
    is_number, folds = own.task == "regression", 10
    answer = {"least squares": _linear_answers, "k-nn": _neighbour_answers}[learner]
    found = []
    for _ in range(draws):
        (X, y), (new_X, new_y) = own.draw(rows, rng), own.draw(NEW, rng)
        labels, everyone = rng.permutation(rows) % folds, np.vstack([X, new_X])
        classes = np.unique(np.concatenate([y, new_y]))
        aims = y[:, None] if is_number else (y[:, None] == classes).astype(float)
        answers = [answer(X, aims, labels != k, everyone) for k in range(folds)]
        if is_number:
            held = HeldOut([np.abs(y - answers[k][:rows, 0])[labels == k] for k in range(folds)], None, rows)
            found.append(_coverages(np.column_stack([one[rows:, 0] for one in answers]), new_y, held))
            continue
        true = np.searchsorted(classes, y)
        held = HeldOut([-answers[k][np.arange(rows), true][labels == k] for k in range(folds)], None, rows)
        scores = np.stack([-one[rows:] for one in answers], axis=1)
        best = answer(X, aims, np.ones(rows, bool), new_X).argmax(axis=1)[:, None] == np.arange(len(classes))
        place = np.searchsorted(classes, new_y)
        sets = [cross_conformal(scores, held, level) | best for level in LEVELS]
        found.append([float(one[np.arange(NEW), place].mean()) for one in sets])
    return np.mean(found, axis=0).tolist()


def _linear_answers(X: np.ndarray, aims: np.ndarray, train: np.ndarray, asked: np.ndarray) -> np.ndarray:
    slopes = np.linalg.lstsq(np.column_stack([np.ones(train.sum()), X[train]]), aims[train], rcond=None)[0]
    return np.column_stack([np.ones(len(asked)), asked]) @ slopes


def _neighbour_answers(X: np.ndarray, aims: np.ndarray, train: np.ndarray, asked: np.ndarray) -> np.ndarray:
    apart = ((asked**2).sum(1)[:, None] - 2 * asked @ X[train].T) + (X[train] ** 2).sum(1)
    return aims[train][np.argpartition(apart, 9, axis=1)[:, :10]].mean(axis=1)
