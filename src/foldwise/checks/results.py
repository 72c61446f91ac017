"""Results that should not be believed, read from the records of a finished study: no fit is made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.blocks.numbers import listed, number
from foldwise.checks.check import Trap, check
from foldwise.checks.new_rows import NewRows
from foldwise.errors import FoldwiseError
from foldwise.questions.answer import Answer
from foldwise.questions.contest import BASELINE, asked_for
from foldwise.questions.ledger import UNSEEN, times_scored
from foldwise.questions.method import MethodAnswer
from foldwise.questions.search_curve import search_curve
from foldwise.studies.study import Study

FEWEST_SPLITS = 3  # with fewer there is no majority to disagree with
COSTLY = 0.05  # share of the score that the choice of another fold may cost, and
COSTLY_GAIN = 0.1  # share of what the method gains on the baseline
HUGE, LARGE = 0.95, 0.9  # shares of the commonest class
SEES = 0.5  # of the baseline's risk: with a smaller one a method sees the rare classes
TINY = 1e-3  # of the baseline's risk: less is too good to be true
TINY_ORDER = 1e-6  # the same of measures of a whole fold: orders are perfect more easily
SURE = 0.01  # of the baseline's risk: what no error at all in so many rows must exclude (3 / rows)
FEWEST_FOLDS = 5
FEWEST_ROWS = 10  # of a fold; the mean of fewer is a matter of single rows
TIMES = 3.0  # the loss of the others
FAR = 6.0  # robust standard deviations of the folds from their median
LUCK = 0.001  # p of so many errors in one fold, for all folds at once
MOSTLY = 0.5  # of what a method gains on the baseline: lost on new rows it overfits, not gained at all it underfits


@dataclass(frozen=True, eq=False)
class Outcome:
    """A study with what its methods answered."""

    study: Study
    answer: Answer | None  # None where one learner was judged alone
    methods: Sequence[MethodAnswer]

    @cached_property
    def judged(self) -> list[MethodAnswer]:
        """Methods that were asked for and have a risk that is all their own; a study that still runs has fewer."""
        return [
            method
            for method in self.methods
            if method.method.name != BASELINE and method.status == "ok" and method.is_finished and not method.stand_ins
        ]

    @cached_property
    def tuned(self) -> list[MethodAnswer]:
        return [method for method in self.judged if method.method.inner is not None]

    @cached_property
    def baseline(self) -> MethodAnswer | None:
        baselines = (method for method in self.methods if method.method.name == BASELINE and method.status == "ok")
        return next(baselines, None)

    @cached_property
    def best(self) -> MethodAnswer | None:
        """The method of the smallest risk among those."""
        return min(self.judged, key=lambda method: (method.risk, method.method.name), default=None)

    @cached_property
    def times_scored(self) -> int:
        """How many methods have been scored on the test set, where the store knows more than this study asked for."""
        scored = times_scored(self.methods[0].reading) if self.methods else 0
        is_more = scored > len(asked_for(list(self.methods)))
        return scored if is_more and any(method.estimate().interval for method in self.judged) else 0

    def is_shown_worse(self, method: MethodAnswer) -> bool:
        """Does the interval of its difference to the best exclude 0?"""
        difference = self.answer.differences.get(method.method.name) if self.answer else None
        return difference is not None and difference.low is not None and difference.low > 0


@check("FW405", "Test set used again", severity="note")
def test_set_again(outcome: Outcome | NewRows) -> Iterator[Trap]:
    """The store (`store=`, `--store`) has counted more models on these test rows than this study, or this test, asks
    about. Each interval is right for its model alone; that of the method that is picked counts them all, and none holds
    for a model that was made after looking at the score of another (`fw.ladder` is for those).
    Keep rows that nothing was judged on for the last word.
    """
    if outcome.times_scored:
        yield Trap(
            f"{outcome.times_scored} methods have been judged on this test set, in this and other studies of the "
            f"store: the interval for the best of them holds {UNSEEN}",
            figures={"scored": outcome.times_scored},
            advice="Keep rows that nothing was judged on for the last word",
        )


test_set_again.__test__ = False  # type: ignore[attr-defined]  # not a test of pytest


@check("FW501", "Choice at the end of a space", severity="note")
def edge_choices(outcome: Outcome) -> Iterator[Trap]:
    """More than half of the outer splits, and the final tuning, chose the smallest or largest value that was tried, and
    its lead over the next value is more than noise. Values beyond may do better. Nothing is said where the end means
    none or all (a penalty of 0, one neighbour) or where the score no longer changes towards it. Try values beyond it.
    """
    edges = [(method.method.name, words) for method in outcome.tuned for words in method.edges]
    if edges:
        yield Trap(
            "; ".join(f"{name}: {words.removesuffix(': try values beyond it')}" for name, words in edges),
            figures={"methods": list(dict.fromkeys(name for name, _ in edges))},
            advice="Try values beyond it",
        )


@check("FW502", "Folds disagree on the candidate", severity="note")
def unsettled_choices(outcome: Outcome) -> Iterator[Trap]:
    """No candidate was chosen by more than half of the outer splits, and what one split chose does clearly worse inside
    the others: by more than 5% of the score and 10% of what the method gains on the baseline. Different choices of
    equal worth are usual and not reported. The rows may differ between the folds (a change in time, sources), or tuning
    has too few rows.
    """
    baseline = outcome.baseline
    for method in outcome.tuned if baseline else ():
        scores, chosen = _inner_scores(method)
        if baseline is None or scores is None or method.agreement > 1 / 2:
            continue
        best = scores.min(axis=0)
        elsewhere = (scores[chosen] - best)[~np.eye(len(chosen), dtype=bool)]  # of the choice of a split on others
        cost, score = float(elsewhere.mean()), float(best.mean())
        if cost > max(COSTLY * abs(score), COSTLY_GAIN * (baseline.risk - score)):
            count = len(set(chosen))
            yield Trap(
                f"{method.method.name}: {len(chosen)} outer splits chose {count} candidates, and what one chose scores "
                f"{number(score + cost)} inside the others, where the best scores {number(score)}",
                figures={"method": method.method.name, "candidates": count, "cost": cost, "score": score},
                advice="The rows may differ between folds; otherwise tune with more inner splits. Do not read a "
                "meaning into the chosen values",
            )


@check("FW503", "Selection score too good", severity="note")
def overtuned(outcome: Outcome) -> Iterator[Trap]:
    """Overtuning: inside the folds the tuned score is below the risk by more than the noise of both, and by more than
    the nearest method differs, so that ranking methods by their selection scores would rank luck. The finding has the
    score and the outer risk after 1, 2, 4, ... candidates (`result.search_curve()`, Schneider et al., 2025). Report the
    risk; try fewer candidates, or tune on more rows.
    """
    splits = range(len(outcome.study.outer))
    scores = {  # of the outer splits' own tunings, on average: fewer training rows than the risk's
        method: float(np.mean([method.reading.choice(method.method, at).score for at in splits]))
        for method in outcome.tuned
    }
    too_good = [method for method in outcome.tuned if _is_beyond_noise(method, scores[method], outcome)]
    if not too_good:
        return
    worst = max(too_good, key=lambda method: method.risk - scores[method])
    others = [method.method.name for method in too_good if method is not worst]
    words, figures = _curve(worst)
    figures |= {"methods": [worst.method.name, *others], "selection_score": scores[worst], "risk": worst.risk}
    yield Trap(
        f"{worst.method.name}: inside the folds its selection score is {number(scores[worst])} and its risk "
        f"{number(worst.risk)}, further apart than the methods are"
        f"{f'; also {listed(others)}' if others else ''}{words}",
        figures=figures,
        advice="Report the risk, never the selection score; fewer candidates or more inner rows overfit less",
    )


@check("FW504", "No better than the baseline", severity="note")
def no_better(outcome: Outcome) -> Iterator[Trap]:
    """The risk of these methods is not smaller than that of the mean or the commonest class, which look at no feature.
    Where this holds of all methods, the features may not tell the target.
    """
    baseline = outcome.baseline
    poor = [] if baseline is None else [method for method in outcome.judged if method.risk >= baseline.risk]
    if baseline is None or not poor:
        return
    names, is_none = [method.method.name for method in poor], len(poor) == len(outcome.judged)
    words = f"{listed(names)} {'has' if len(poor) == 1 else 'have'} no smaller risk"
    if is_none and len(poor) > 1:
        words = "no method has a smaller risk"
    yield Trap(
        f"{words} than the baseline ({number(baseline.risk)})",
        figures={"methods": names, "risks": [method.risk for method in poor], "baseline": baseline.risk},
        advice="Ask whether the features can tell the target at all" if is_none else "Leave such methods out",
    )


@check("FW505", "Loss blind to rare classes", severity="warn")
def blind_loss(outcome: Outcome) -> Iterator[Trap]:
    """At least 95% of the rows (90% where nothing beats the baseline) are of one class, and under the 0-1 loss the best
    method has more than half of the baseline's errors: it may never have found a rare row. Use
    `loss="balanced_zero_one"`, `"brier"` or `"roc_auc"`.
    """
    study, baseline, best = outcome.study, outcome.baseline, outcome.best
    if study.task == "regression" or study.losses[0].name not in ("zero_one", "accuracy"):
        return
    if baseline is None or best is None or not baseline.risk > 0:
        return
    counts = np.bincount(study.target, weights=study.weights, minlength=len(study.classes))
    share = float(counts.max() / counts.sum())
    rest = best.risk / baseline.risk  # of the baseline's errors
    if share < LARGE or rest <= SEES or (share < HUGE and rest < 1):
        return
    common = study.classes[int(counts.argmax())]
    ranks = "roc_auc" if len(counts) == 2 else "roc_auc_ovr"
    yield Trap(
        f"{100 * share:.3g}% of the rows are of class {common!r}, so the 0-1 loss hardly sees the others: always "
        f"saying {common!r} has a risk of {number(baseline.risk)}, the best method {number(best.risk)}",
        figures={"share": share, "baseline": baseline.risk, "risk": best.risk},
        advice=f'Use loss="balanced_zero_one", "brier" or "{ranks}" (--loss)',
    )


@check("FW506", "Risk too good to be true", severity="warn")
def too_good(outcome: Outcome) -> Iterator[Trap]:
    """The smallest risk is less than a thousandth of the baseline's; for classes also, in enough rows to exclude a
    hundredth of it. Such a risk comes from a leak more often than from a discovery: a column made from the target or
    known only after it, rows that occur twice. Not reported beside another warning of rows or columns. If the target is
    a formula of the features, silence it.
    """
    findings = outcome.study.findings
    if any(finding.severity != "note" and finding.code.startswith(("FW1", "FW2")) for finding in findings):
        return
    baseline, best, loss = outcome.baseline, outcome.best, outcome.study.losses[0]
    if baseline is None or best is None or not baseline.risk > 0 or loss.possible[0] < 0:
        return
    rows = len(np.unique(np.concatenate([split.test for split in outcome.study.outer])))
    if outcome.study.task != "regression" and 3 / rows > SURE * baseline.risk:
        return  # no error in so few rows is luck, or an easy table
    if best.risk <= (TINY if loss.is_per_row else TINY_ORDER) * baseline.risk:
        yield Trap(
            f"the risk of {best.method.name} is {number(best.risk)}, almost nothing beside the baseline's "
            f"{number(baseline.risk)}: too good to be true",
            figures={"method": best.method.name, "risk": best.risk, "baseline": baseline.risk},
            advice="Look for a column that is made from the target or known only after it, and for rows that occur "
            "twice",
        )


@check("FW507", "One fold unlike the others", severity="note")
def unstable_folds(outcome: Outcome) -> Iterator[Trap]:
    """The loss of a fold is three times that of the others and far outside their spread (for the 0-1 loss: more errors
    than luck allows, p < 0.001 for all folds at once). Look at its rows: extreme values, another source or period.
    Folds with fewer than 10 rows are not looked at.
    """
    sizes = np.array([len(split.test) for split in outcome.study.outer])
    if len(sizes) < FEWEST_FOLDS or sizes.min() < FEWEST_ROWS:
        return
    odd: dict[int, list[MethodAnswer]] = {}  # methods by fold: each fold is reported once
    for method in outcome.judged:
        for fold in _odd_folds(method, sizes):
            odd.setdefault(fold, []).append(method)
    if not odd:
        return
    worst = max(odd, key=lambda fold: (len(odd[fold]), -fold))
    split, first = outcome.study.outer[worst], odd[worst][0]
    others = float(np.median(np.delete(first.fold_losses, worst)))
    names = [method.method.name for method in odd[worst]]
    whose = "every method" if len(names) == len(outcome.judged) > 1 else listed(names)
    name = f"{split.repeat}.{split.fold}" if outcome.study.outer.repeats > 1 else f"{split.fold}"
    more = f"; so are {len(odd) - 1} other folds" if len(odd) > 2 else "; so is another fold" if len(odd) == 2 else ""
    yield Trap(
        f"fold {name} is unlike the others for {whose}: {first.method.name} has a loss of "
        f"{number(float(first.fold_losses[worst]))} there, {number(others)} in the middle of the others{more}",
        rows=split.test,
        figures={"folds": sorted(odd), "methods": names, "loss": float(first.fold_losses[worst]), "others": others},
        advice="Look at its rows: extreme values, another source or period; groups or time may have to be declared",
    )


@check("FW508", "Over- or underfitting", severity="note")
def misfits(outcome: Outcome) -> Iterator[Trap]:
    """By the gap between training risk and risk, of methods that are shown to be worse than the best: one that fits its
    training rows better than the best method and loses more than half of that on new rows overfits; one that gains on
    its own training rows less than half of what the best gains on new ones underfits. An interpolating forest has a
    large gap too and is not reported unless it is worse.
    """
    baseline, best = outcome.baseline, outcome.best
    if baseline is None or best is None or not outcome.study.has_training_risk:
        return
    over, under = [], []
    for method in outcome.judged:
        if method is best or method.risk >= baseline.risk or not outcome.is_shown_worse(method):
            continue
        gain = baseline.risk - method.train_risk
        if method.train_risk < best.train_risk and method.risk - method.train_risk > MOSTLY * gain:
            over.append(method)
        elif method.train_risk > best.train_risk and gain < MOSTLY * (baseline.risk - best.risk):
            under.append(method)
    for kind, methods, advice in (
        ("overfit", over, "Give it more penalty, smaller trees or more rows"),
        ("underfit", under, "Give it less penalty, or features it can use"),
    ):
        if methods:
            risks = [f"{m.method.name} (training risk {number(m.train_risk)}, risk {number(m.risk)})" for m in methods]
            yield Trap(
                f"{listed(risks)} {kind}{'s' * (len(methods) == 1)} beside {best.method.name} "
                f"({number(best.train_risk)}, {number(best.risk)})",
                figures={"kind": kind, "methods": [method.method.name for method in methods]},
                advice=advice,
            )


def _inner_scores(method: MethodAnswer) -> tuple[FloatArray | None, list[int]]:
    """Mean inner scores[candidate, outer split] and the candidates chosen; None where some have no score."""
    splits = len(method.study.outer)
    if splits < FEWEST_SPLITS or not (method.method.tuner.is_listed and method.method.tuner.is_exhaustive):
        return None, []
    choices = [method.reading.choice(method.method, at) for at in range(splits)]
    chosen = [choice.candidate for choice in choices if choice.candidate is not None]
    scores = np.stack([choice.means(method.method.listed) for choice in choices], axis=1)
    is_known = len(chosen) == splits and bool(np.isfinite(scores).all())
    return (scores if is_known else None), chosen


def _is_beyond_noise(method: MethodAnswer, score: float, outcome: Outcome) -> bool:
    """Is the score below the risk by more than the noise of both, and than the next method differs?"""
    others = [other for other in outcome.judged if other is not method]
    others = others or ([outcome.baseline] if outcome.baseline else [])
    estimate = method.estimate()
    if estimate.low is None or estimate.high is None or not others:
        return False
    noise = math.sqrt(2) * (estimate.high - estimate.low) / 2
    return method.risk - score > max(noise, min(abs(method.risk - other.risk) for other in others))


def _curve(method: MethodAnswer) -> tuple[str, dict[str, object]]:
    """What the search still gained, and its selection score and outer risk after 1, 2, 4, 8, ... candidates."""
    try:
        curve = search_curve(method.reading, method.method)
    except FoldwiseError:  # candidates were dropped before they had a score
        return "", {}
    last = len(curve.selection)
    steps = sorted({2**at for at in range(last.bit_length())} | {last})
    return f"; {curve.words}", {
        "tried": steps,
        "selection_scores": [curve.selection[step - 1] for step in steps],
        "risks": [curve.outer[step - 1] for step in steps],
    }


def _odd_folds(method: MethodAnswer, sizes: IntArray) -> list[int]:
    """Folds whose loss is far from that of the others; for the 0-1 loss those with more errors than luck explains."""
    losses = method.fold_losses
    if method.study.losses[0].name in ("zero_one", "accuracy"):
        from scipy.stats import binom

        errors = losses * sizes
        rates = (errors.sum() - errors + 1) / (sizes.sum() - sizes + 2)  # of the other folds
        p = binom.sf(np.ceil(errors) - 1, sizes, rates)
        return [int(fold) for fold in np.flatnonzero((losses > TIMES * rates) & (p * len(losses) < LUCK))]
    middle = float(np.median(losses))
    spread = 1.4826 * float(np.median(np.abs(losses - middle)))
    if not middle > 0:
        return []
    return [int(fold) for fold in np.flatnonzero((losses > TIMES * middle) & (losses - middle > FAR * spread))]
