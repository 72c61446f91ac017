"""Risks beside the baseline's: no better, too good to be true, or under a loss that cannot tell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foldwise.blocks.numbers import listed, number
from foldwise.guards.codes.results import BLIND, MISFIT, NO_BETTER, TOO_GOOD
from foldwise.guards.results.outcome import Outcome
from foldwise.studies.finding import Finding

HUGE, LARGE = 0.95, 0.9  # shares of the commonest class
SEES = 0.5  # of the baseline's risk: with a smaller one a method sees the rare classes
TINY = 1e-3  # of the baseline's risk: less is too good to be true
TINY_ORDER = 1e-6  # the same of measures of a whole fold: orders are perfect more easily
SURE = 0.01  # of the baseline's risk: what no error at all in so many rows must exclude (3 / rows)
MOSTLY = 0.5  # of what a method gains on the baseline: lost on new rows it overfits, not gained at all it underfits


def no_better(outcome: Outcome) -> Iterator[Finding]:
    """Methods whose risk is not smaller than that of the baseline, which looks at no feature."""
    baseline = outcome.baseline
    poor = [] if baseline is None else [one for one in outcome.own if one.risk >= baseline.risk]
    if baseline is None or not poor:
        return
    names, is_none = [one.method.name for one in poor], len(poor) == len(outcome.own)
    words = f"{listed(names)} {'has' if len(poor) == 1 else 'have'} no smaller risk"
    if is_none and len(poor) > 1:
        words = "no method has a smaller risk"
    yield NO_BETTER.found(
        f"{words} than the baseline ({number(baseline.risk)})",
        figures={"methods": names, "risks": [one.risk for one in poor], "baseline": baseline.risk},
        advice="Ask whether the features can tell the target at all" if is_none else "Leave such methods out",
    )


def blind_loss(outcome: Outcome) -> Iterator[Finding]:
    """The 0-1 loss where almost all rows are of one class and no method gains much on always naming it."""
    study, baseline, best = outcome.study, outcome.baseline, outcome.best
    if study.task == "regression" or study.losses[0].name not in ("zero_one", "accuracy"):
        return
    if baseline is None or best is None or not baseline.risk > 0:
        return
    shares = np.bincount(study.target, weights=study.weights, minlength=len(study.classes))
    share = float(shares.max() / shares.sum())
    left = best.risk / baseline.risk  # of the baseline's errors
    if share < LARGE or left <= SEES or (share < HUGE and left < 1):
        return
    common = study.classes[int(shares.argmax())]
    ranks = "roc_auc" if len(shares) == 2 else "roc_auc_ovr"
    yield BLIND.found(
        f"{100 * share:.3g}% of the rows are of class {common!r}, so the 0-1 loss hardly sees the others: always "
        f"saying {common!r} has a risk of {number(baseline.risk)}, the best method {number(best.risk)}",
        figures={"share": share, "baseline": baseline.risk, "risk": best.risk},
        advice=f'Use loss="balanced_zero_one", "brier" or "{ranks}" (--loss)',
    )


def too_good(outcome: Outcome) -> Iterator[Finding]:
    """A risk so near to 0 beside the baseline's that a leak is likelier than a discovery, if none is told already."""
    if any(known.severity != "note" and known.code.startswith(("FW1", "FW2")) for known in outcome.study.findings):
        return
    baseline, best, judge = outcome.baseline, outcome.best, outcome.study.losses[0]
    if baseline is None or best is None or not baseline.risk > 0 or judge.possible[0] < 0:
        return
    rows = len(np.unique(np.concatenate([split.test for split in outcome.study.outer])))
    if outcome.study.task != "regression" and 3 / rows > SURE * baseline.risk:
        return  # no error in so few rows is luck, or an easy table
    if best.risk > (TINY if judge.is_per_row else TINY_ORDER) * baseline.risk:
        return
    yield TOO_GOOD.found(
        f"the risk of {best.method.name} is {number(best.risk)}, almost nothing beside the baseline's "
        f"{number(baseline.risk)}: too good to be true",
        figures={"method": best.method.name, "risk": best.risk, "baseline": baseline.risk},
        advice="Look for a column that is made from the target or known only after it, and for rows that occur twice",
    )


def misfits(outcome: Outcome) -> Iterator[Finding]:
    """By the gap: methods that fit their training rows better than the best method and new rows worse, or neither."""
    baseline, best = outcome.baseline, outcome.best
    if baseline is None or best is None or not outcome.study.has_training_risk:
        return
    over, under = [], []
    for one in outcome.own:
        if one is best or one.risk >= baseline.risk or not outcome.is_shown_worse(one):
            continue
        learnt = baseline.risk - one.train_risk
        if one.train_risk < best.train_risk and one.risk - one.train_risk > MOSTLY * learnt:
            over.append(one)
        elif one.train_risk > best.train_risk and learnt < MOSTLY * (baseline.risk - best.risk):
            under.append(one)
    for kind, found, advice in (
        ("overfit", over, "Give it more penalty, smaller trees or more rows"),
        ("underfit", under, "Give it less penalty, or features it can use"),
    ):
        if found:
            told = [
                f"{one.method.name} (training risk {number(one.train_risk)}, risk {number(one.risk)})" for one in found
            ]
            verb = f"{kind}s" if len(found) == 1 else kind
            yield MISFIT.found(
                f"{listed(told)} {verb} beside {best.method.name} ({number(best.train_risk)}, {number(best.risk)})",
                figures={"kind": kind, "methods": [one.method.name for one in found]},
                advice=advice,
            )
