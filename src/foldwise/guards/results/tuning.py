"""Choices of tuning that should not be believed: at an end of the space, by luck of the fold, or too good a score."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.blocks.numbers import listed, number
from foldwise.errors import FoldwiseError
from foldwise.guards.codes.results import EDGE, OVERTUNED, UNSETTLED
from foldwise.guards.results.outcome import Outcome
from foldwise.questions.method import MethodAnswer
from foldwise.questions.search_curve import search_curve
from foldwise.studies.finding import Finding

FEWEST_SPLITS = 3  # with fewer there is no majority to disagree with
COSTLY = 0.05  # share of the score that the choice of another fold may cost, and
COSTLY_GAIN = 0.1  # share of what the method gains on the baseline


def edge_choices(outcome: Outcome) -> Iterator[Finding]:
    """Chosen values at an end of what was tried, where the end does not mean none and the score still changes."""
    found = [(one.method.name, words) for one in outcome.tuned for words in one.edges]
    if not found:
        return
    told = "; ".join(f"{name}: {words.removesuffix(': try values beyond it')}" for name, words in found)
    names = list(dict.fromkeys(name for name, _ in found))
    yield EDGE.found(told, figures={"methods": names}, advice="Try values beyond it")


def unsettled_choices(outcome: Outcome) -> Iterator[Finding]:
    """Folds that chose different candidates though these differ: their choices cost other folds a good deal."""
    baseline = outcome.baseline
    for one in outcome.tuned if baseline else ():
        scores, chosen = _inner_scores(one)
        if baseline is None or scores is None or one.agreement > 1 / 2:
            continue
        best = scores.min(axis=0)
        elsewhere = (scores[chosen] - best)[~np.eye(len(chosen), dtype=bool)]  # of the choice of a split on others
        cost, score = float(elsewhere.mean()), float(best.mean())
        if not cost > max(COSTLY * abs(score), COSTLY_GAIN * (baseline.risk - score)):
            continue
        count = len(set(chosen))
        yield UNSETTLED.found(
            f"{one.method.name}: {len(chosen)} outer splits chose {count} candidates, and what one chose scores "
            f"{number(score + cost)} inside the others, where the best scores {number(score)}",
            figures={"method": one.method.name, "candidates": count, "cost": cost, "score": score},
            advice="The rows may differ between folds; otherwise tune with more inner splits. Do not read a meaning "
            "into the chosen values",
        )


def _inner_scores(one: MethodAnswer) -> tuple[FloatArray | None, list[int]]:
    """Mean inner scores[candidate, outer split] and the candidates chosen; None where some have no score."""
    splits = len(one.study.outer)
    if splits < FEWEST_SPLITS or not (one.method.tuner.is_listed and one.method.tuner.is_exhaustive):
        return None, []
    choices = [one.reading.choice(one.method, at) for at in range(splits)]
    chosen = [choice.candidate for choice in choices if choice.candidate is not None]
    scores = np.stack([choice.means(one.method.listed) for choice in choices], axis=1)
    is_known = len(chosen) == splits and bool(np.isfinite(scores).all())
    return (scores if is_known else None), chosen


def overtuned(outcome: Outcome) -> Iterator[Finding]:
    """Selection scores that are too good beyond the noise, by more than the methods differ; the worst is told."""
    found = [(one, score) for one in outcome.tuned if _is_too_good(one, score := _mean_score(one), outcome)]
    if not found:
        return
    one, score = max(found, key=lambda pair: pair[0].risk - pair[1])
    others = [other.method.name for other, _ in found if other is not one]
    words, figures = _curve(one)
    figures |= {"methods": [one.method.name, *others], "selection_score": score, "risk": one.risk}
    yield OVERTUNED.found(
        f"{one.method.name}: inside the folds its selection score is {number(score)} and its risk {number(one.risk)}, "
        f"further apart than the methods are{f'; also {listed(others)}' if others else ''}{words}",
        figures=figures,
        advice="Report the risk, never the selection score; fewer candidates or more inner rows overfit less",
    )


def _is_too_good(one: MethodAnswer, score: float, outcome: Outcome) -> bool:
    """Is the score below the risk by more than the noise of both, and than the next method differs?"""
    estimate, gap = one.estimate(), one.risk - score
    apart = _nearest_difference(one, outcome)
    if estimate.low is None or estimate.high is None or apart is None:
        return False
    return gap > max(apart, math.sqrt(2) * (estimate.high - estimate.low) / 2)


def _mean_score(one: MethodAnswer) -> float:
    """The selection score of the outer splits' own tunings, on average: fewer training rows than the risk's."""
    return float(np.mean([one.reading.choice(one.method, at).score for at in range(len(one.study.outer))]))


def _nearest_difference(one: MethodAnswer, outcome: Outcome) -> float | None:
    """Its difference to the nearest other method; to the baseline where there is no other."""
    others = [other for other in outcome.own if other is not one]
    others = others or [outcome.baseline] if outcome.baseline else others
    return min((abs(one.risk - other.risk) for other in others), default=None)


def _curve(one: MethodAnswer) -> tuple[str, dict[str, object]]:
    """What the search still gained, and its selection score and outer risk after 1, 2, 4, 8, ... candidates."""
    try:
        curve = search_curve(one.reading, one.method)
    except FoldwiseError:  # candidates were dropped before they had a score
        return "", {}
    last = len(curve.selection)
    steps = sorted({2**at for at in range(last.bit_length())} | {last})
    return f"; {curve.words}", {
        "tried": steps,
        "selection_scores": [curve.selection[step - 1] for step in steps],
        "risks": [curve.outer[step - 1] for step in steps],
    }
