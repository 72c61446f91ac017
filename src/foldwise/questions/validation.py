"""Validation curves of the tuned parameters, from the scores of tuning, and choices at the edge of a space."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.blocks.numbers import candidate_words
from foldwise.studies.plain import plain_candidate
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method

Point = dict[str, Any]
# Well-known parameters: does a larger value let the model follow its training rows more closely?
CLOSER_WHEN_LARGE = {
    "alpha": False,
    "reg_alpha": False,
    "reg_lambda": False,
    "l2_regularization": False,
    "lambda_l2": False,
    "n_neighbors": False,
    "min_samples_leaf": False,
    "min_samples_split": False,
    "min_child_samples": False,
    "min_child_weight": False,
    "ccp_alpha": False,
    "var_smoothing": False,
    "shrinkage": False,
    "C": True,
    "gamma": True,
    "max_depth": True,
    "depth": True,
    "max_leaf_nodes": True,
    "num_leaves": True,
    "max_iter": True,
    "learning_rate": True,
    "n_components": True,
    "degree": True,
}
MOST_EDGE = 0.5  # share of the outer splits that may choose an end of a space before a warning
MOST_ENDS = 3  # fewest values of a space with two ends and a middle
FEWEST_PAIRED = 3  # outer splits that show how far the lead of a value varies
FLAT = 1e-3  # share of the score by which the outermost quarter of the values may differ and still mean the same


def validation_curves(reading: Reading, method: Method) -> list[dict[str, Any]]:
    """One curve per tuned parameter: at each value the smallest mean inner score, and the folds that chose it.

    Training and test error of a value are given where its candidate was fitted on every outer split.
    """
    if method.inner is None:
        return []
    candidates = [plain_candidate(candidate) for candidate in method.candidates[: method.listed]]
    names = list(dict.fromkeys(name for candidate in candidates for name in candidate))
    scored = Scored(reading, method)
    curves = [_curve(name, candidates, scored) for name in names]
    return [curve for curve in curves if len(curve["points"]) > 1]


# Limits of a parameter, where it means none or all: choosing one is no sign of too narrow a space.
ENDS: dict[str, tuple[float, ...]] = {
    "alpha": (0,),
    "ccp_alpha": (0,),
    "colsample_bylevel": (1,),
    "colsample_bynode": (1,),
    "colsample_bytree": (1,),
    "degree": (1,),
    "dropout": (0,),
    "gamma": (0,),
    "l1": (0,),
    "l2": (0,),
    "l1_ratio": (0, 1),
    "l2_leaf_reg": (0,),
    "l2_regularization": (0,),
    "reg_param": (0, 1),
    "shrinkage": (0, 1),
    "max_depth": (1,),
    "max_features": (1,),
    "max_leaf_nodes": (2,),
    "max_samples": (1,),
    "min_child_samples": (1,),
    "min_child_weight": (0,),
    "min_impurity_decrease": (0,),
    "min_samples_split": (2,),
    "n_components": (1,),
    "num_leaves": (2,),
    "reg_alpha": (0,),
    "reg_lambda": (0,),
    "subsample": (1,),
    "min_samples_leaf": (1,),
    "n_neighbors": (1,),
    "weight_decay": (0,),
}


def edges(reading: Reading, method: Method) -> list[str]:
    """Warnings of a method whose splits mostly choose an end of what was tried, one per parameter."""
    if method.inner is None or method.listed < MOST_ENDS:
        return []
    candidates = [plain_candidate(candidate) for candidate in method.candidates[: method.listed]]
    scored = Scored(reading, method)
    names = dict.fromkeys(name for candidate in candidates for name in candidate)
    return [words for name in names if (words := _edge(name, candidates, scored))]


def _edge(name: str, candidates: list[dict[str, Any]], scored: Scored) -> str | None:
    """A warning where most chosen values of an ordered parameter lie at one end of its space.

    Not where the end is the limit of the parameter, nor where the scores no longer change towards it: a penalty of
    1e-6 is none, and a smaller one is no other. Nor where the end wins by luck: the final tuning chose another value,
    or its lead over the next value is within the noise of the outer splits.
    """
    values = [candidate[name] for candidate in candidates if name in candidate]
    if not all(map(_is_number, values)) or len(tried := sorted(set(values))) < MOST_ENDS:
        return None
    taken = [candidates[at].get(name) for at in scored.chosen if at is not None]
    for end, inwards in (("smallest", tried), ("largest", tried[::-1])):
        count = taken.count(inwards[0])
        is_limit = inwards[0] in ENDS.get(name.rpartition("__")[2], ())
        if count <= MOST_EDGE * len(scored.chosen) or is_limit or _is_flat(name, inwards, candidates, scored):
            continue
        is_final = scored.final is None or candidates[scored.final].get(name) == inwards[0]
        if is_final and _leads(name, inwards, candidates, scored):
            words = candidate_words({name: inwards[0]})
            how_often = f"{count} of {len(scored.chosen)} outer splits chose it"
            return f"{words} is the {end} value tried and {how_often}: try values beyond it"
    return None


def _is_flat(name: str, inwards: list[float], candidates: list[dict[str, Any]], scored: Scored) -> bool:
    """Do the best scores of the outermost values, an end first, hardly differ?"""
    outermost = inwards[: max(2, math.ceil(len(inwards) / 4))]
    best = [
        min(scored.means[at] for at, candidate in enumerate(candidates) if candidate.get(name) == value)
        for value in outermost
    ]
    return bool(np.ptp(best) <= FLAT * abs(best[0])) if np.isfinite(best).all() else False


def _leads(name: str, inwards: list[float], candidates: list[dict[str, Any]], scored: Scored) -> bool:
    """Is the best score at the end better than at the next value by more than two standard errors of the splits?"""
    best = [
        np.min([scored.scores[at] for at, candidate in enumerate(candidates) if candidate.get(name) == value], axis=0)
        for value in inwards[:2]
    ]
    lead = best[1] - best[0]
    if len(lead) < FEWEST_PAIRED or not np.isfinite(lead).all():
        return True  # nothing says otherwise
    return bool(lead.mean() > 2 * lead.std(ddof=1) / math.sqrt(len(lead)))


class Scored:
    """The scores of a method's tunings, scores[candidate, outer split], and the choices."""

    def __init__(self, reading: Reading, method: Method) -> None:
        self.reading, self.method = reading, method
        choices = [reading.choice(method, at) for at in range(len(reading.study.outer))]
        means = [choice.means(method.listed) for choice in choices]
        self.scores: FloatArray = np.stack(means, axis=1)
        is_known = np.isfinite(self.scores)
        # over the outer splits that scored a candidate in full; infinite where none did
        self.lows: FloatArray = np.where(is_known, self.scores, np.inf).min(axis=1)
        self.highs: FloatArray = np.where(is_known, self.scores, -np.inf).max(axis=1)
        sums = np.where(is_known, self.scores, 0.0).sum(axis=1)
        self.means: FloatArray = np.where(is_known.any(axis=1), sums / np.maximum(is_known.sum(axis=1), 1), np.inf)
        self.chosen = [choice.candidate for choice in choices]
        inner = method.inner
        has_final = inner is not None and inner.final is not None and reading.study.has_final
        self.final = reading.final_choice(method).candidate if has_final else None

    def errors(self, candidate: int) -> tuple[float | None, float | None]:
        """Training and test error of one candidate over the outer splits, where it was fitted on all of them."""
        outer, known = self.reading.study.outer, self.reading.record
        if any((record := known(self.method, candidate, split)) is None or not record.is_ok for split in outer):
            return None, None
        loss = self.reading.fold_loss
        test = np.mean([loss(self.method, candidate, split) for split in outer])
        train = np.mean([loss(self.method, candidate, split, rows=np.unique(split.train)) for split in outer])
        return _number(train), _number(test)


def _curve(name: str, candidates: list[dict[str, Any]], scored: Scored) -> dict[str, Any]:
    groups: dict[str, list[int]] = {}
    for at, candidate in enumerate(candidates):
        if name in candidate:
            groups.setdefault(repr(candidate[name]), []).append(at)
    points = [_point(candidates[members[0]][name], members, scored) for members in groups.values()]
    is_ordered = all(_is_number(point["value"]) for point in points)
    if is_ordered:
        points.sort(key=lambda point: float(point["value"]))
    return {
        "parameter": name,
        "points": points,
        "is_ordered": is_ordered,
        "is_sparse": bool(np.isnan(scored.scores).any()),
        "others": len(candidates) > len(points),
        "sides": _sides(name, points) if is_ordered else None,
        "edge": _edge(name, candidates, scored),
    }


def _point(value: Any, members: list[int], scored: Scored) -> Point:
    """The best candidate with this value, by its mean score over the outer splits, and who chose the value."""
    best = min(members, key=lambda member: scored.means[member])
    train, test = scored.errors(best)
    return {
        "value": value,
        "score": _number(scored.means[best]),
        "low": _number(scored.lows[best]),
        "high": _number(scored.highs[best]),
        "folds": sum(candidate in members for candidate in scored.chosen),
        "is_final": scored.final in members,
        "train": train,
        "test": test,
    }


def _sides(name: str, points: list[Point]) -> dict[str, str] | None:
    """Which end fits the training rows more closely: by the training errors where they are known, else by the name."""
    is_closer_right = CLOSER_WHEN_LARGE.get(name.rsplit("__", 1)[-1])
    known = [point["train"] for point in points if point["train"] is not None]
    if len(known) > 1 and known[0] != known[-1]:
        is_closer_right = known[-1] < known[0]
    if is_closer_right is None:
        return None
    ends = ("underfitting", "overfitting") if is_closer_right else ("overfitting", "underfitting")
    return dict(zip(("left", "right"), ends, strict=True))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _number(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None
