"""Which interval a risk gets: the rules as a table, the default by scheme and loss, and reasons for every no.

| splits | loss | default | on request |
| --- | --- | --- | --- |
| one test set | 0-1 | Clopper-Pearson | betting, Hoeffding, empirical Bernstein, t |
| one test set | bounded | betting | Hoeffding, empirical Bernstein, t |
| one test set | unbounded | t | |
| one test set | AUC | DeLong | |
| one test set, groups | any per-row loss | t over groups | |
| folds (also of whole groups), random splits | any | corrected t | |
| folds | per-row | corrected t | Bayle, Bates (leave-two-out fits) |
| folds | AUC | corrected t | AUC influence curve |
| random splits | any | corrected t | conservative z (half-sample fits) |
| leave-one-out | per-row | none | Bayle |
| time-ordered (folds or one test set), bootstrap, given splits | any | none | |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.errors import BadInterval, nearest
from foldwise.estimates.evidence import Evidence
from foldwise.formulas import auc, bates, conservative_z, corrected_t, cv_clt, holdout

FEW_ROWS, HEAVY_SHARE = 50, 0.1  # test rows, and the share of one row in the sum, that the t interval is short for

Found = tuple[float, float, float, dict[str, Any]]  # value, low, high, details


@dataclass(frozen=True)
class Method:
    """One interval: what it covers, what it assumes, what it is measured to do, and where it is refused."""

    name: str
    covers: str  # which target: "predictor", "learner", "these models"
    assumes: str
    compute: Callable[[Evidence, float], Found]
    refuse: Callable[[Evidence], str | None]
    is_exact: bool = False  # holds for every sample size


def choose(evidence: Evidence, wish: str | None = None) -> tuple[Method | None, str]:
    """The interval for this evidence, and in a sentence why; a wish that is not valid here is refused."""
    if not np.isfinite(evidence.fold_losses).all():
        missing = int((~np.isfinite(evidence.fold_losses)).sum())
        return None, f"{missing} of {len(evidence.fold_losses)} splits have no finite loss"
    if evidence.stand_ins:
        return None, no_interval_of_stand_ins(evidence.stand_ins, len(evidence.fold_losses))
    if wish is not None:
        method = find(wish)
        reason = method.refuse(evidence)
        if reason:
            return None, f"{method.name} is not valid here: {reason}"
        return method, f"asked for by name; {method.assumes}"
    reasons = []
    for name in DEFAULTS.get(evidence.scheme, ()):
        reason = INTERVALS[name].refuse(evidence)
        if reason is None:
            return INTERVALS[name], f"the default for {evidence.scheme}; {INTERVALS[name].assumes}"
        reasons.append(reason)
    return None, reasons[-1] if reasons else NONE_VALID[evidence.scheme]


def no_interval_of_stand_ins(stand_ins: int, splits: int) -> str:
    """Why there is none: how often fits fail is hardly known from the spread of so few splits."""
    return f"on {stand_ins} of {splits} splits the baseline answers for a failed fit, which no interval here allows for"


def work_out(evidence: Evidence, wish: str | None, level: float) -> tuple[Method | None, str, Found | None]:
    """The interval for this evidence with its numbers, or None and the reason; one of no width would claim too much."""
    method, reason = choose(evidence, wish)
    found = None if method is None else method.compute(evidence, level)
    if found is not None and not found[1] < found[2]:
        return None, "the losses have no spread, so an interval of no width would claim too much", None
    return method, reason, found


def cautions(interval: str | None, evidence: Evidence, details: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What to mind about an interval that is valid but approximate: few rows, heavy tails, an unstable Bates."""
    notes = []
    if interval == "t" and evidence.row_losses is not None:
        losses = evidence.row_losses[0]
        share = float(losses.max() / losses.sum()) if losses.sum() > 0 else 0.0
        if len(losses) < FEW_ROWS or share > HEAVY_SHARE:
            words = f"{len(losses)} test rows, the largest loss {share:.0%} of the sum: the t interval may be short"
            notes.append(("tail", words))
    if interval == "Bates":
        words = f"the Bates standard error is {details['inflation']:.3g} times that of independent losses"
        unstable = "" if details["is_stable"] else "; leaving out one more fold moves the risk, so it is unstable here"
        notes.append(("bates", words + unstable))
    return notes


def check_wish(wish: str | None) -> str | None:
    """The name of a wished-for interval as we write it; an unknown one is refused with the nearest."""
    return None if wish is None else find(wish).name


def find(wish: str) -> Method:
    words = str(wish).lower().replace("_", " ").replace("-", " ").strip()
    for name, method in INTERVALS.items():
        if words == name.lower().replace("-", " ") or words in ALIASES.get(name, ()):
            return method
    known = [*INTERVALS, *(alias for names in ALIASES.values() for alias in names)]
    raise BadInterval(f"there is no interval {wish!r}", nearest(words, known))


def _one_test_set(evidence: Evidence) -> str | None:
    if evidence.scheme != "one test set":
        many = f"it is for one test set, and there are {len(evidence.fold_losses)} splits"
        return many if len(evidence.fold_losses) > 1 else NONE_VALID[evidence.scheme]
    if not evidence.loss.is_per_row:
        return f"{evidence.loss.name} is a measure of the whole test set and has no loss per row"
    if evidence.is_weighted:
        return "rows have weights, which it does not allow for"
    return None


def _independent_rows(evidence: Evidence) -> str | None:
    reason = _one_test_set(evidence)
    if reason is None and evidence.groups is not None:
        return "rows of a group are not independent: the group is the unit"
    return reason


def _bounded(evidence: Evidence) -> str | None:
    reason = _independent_rows(evidence)
    if reason is None and evidence.loss.bounds is None:
        return f"it needs a loss with a stated range, and {evidence.loss.name} has none"
    if reason is None and evidence.row_losses is not None and evidence.loss.bounds is not None:
        losses, (low, high) = evidence.row_losses[0], evidence.loss.bounds
        if losses.min() < low or losses.max() > high:
            return f"losses from {losses.min():g} to {losses.max():g} leave the stated range"
    return reason


def _bernstein(evidence: Evidence) -> str | None:
    reason = _bounded(evidence)
    return "one test row has no spread" if reason is None and len(evidence.test_rows[0]) < 2 else reason


def _zero_one(evidence: Evidence) -> str | None:
    reason = _independent_rows(evidence)
    if reason is None and not evidence.is_zero_one:
        return f"it is for the 0-1 loss, not {evidence.loss.name}"
    return reason


def _unbounded_t(evidence: Evidence) -> str | None:
    reason = _one_test_set(evidence)
    if reason is None and evidence.row_losses is not None and len(evidence.row_losses[0]) < 2:
        return "one test row has no spread"
    if reason is None and evidence.row_losses is not None and np.ptp(evidence.row_losses[0]) == 0:
        return "all test rows have the same loss, so their spread says nothing about the risk"
    if reason is None and evidence.groups is not None and len(np.unique(evidence.groups[evidence.test_rows[0]])) < 2:
        return "the test rows are of one group, and the group is the unit"
    return reason


def _delong(evidence: Evidence) -> str | None:
    if evidence.scheme != "one test set" or not evidence.is_auc:
        return "it is for the AUC of one test set"
    if evidence.groups is not None or evidence.is_weighted:
        return "it needs independent rows of equal weight"
    assert evidence.truth is not None
    if np.bincount(evidence.truth[evidence.test_rows[0]], minlength=2).min() < 2:
        return "it needs at least 2 test rows of each class"
    return None


def _fold_means(evidence: Evidence) -> str | None:
    if evidence.scheme not in ("folds", "random splits"):
        return NONE_VALID.get(evidence.scheme, f"it is for folds and random splits, not {evidence.scheme}")
    if max(len(rows) for rows in evidence.test_rows) == 1:
        return NONE_VALID["leave-one-out"]
    if np.ptp(evidence.fold_losses) == 0:
        return "all splits have the same loss, so their spread says nothing about the risk"
    return None


def _row_means(evidence: Evidence) -> str | None:
    if evidence.scheme not in ("folds", "leave-one-out"):
        return f"it is for folds, not {evidence.scheme}"
    if evidence.row_losses is None:
        return f"{evidence.loss.name} is a measure of a whole fold and has no loss per row"
    if evidence.groups is not None:
        return "rows of a group are not independent: the group is the unit"
    if evidence.is_weighted:
        return "rows have weights, which it does not allow for"
    return None


def _pairs(evidence: Evidence) -> str | None:
    reason = _row_means(evidence)
    if reason is None and evidence.pair_losses is None:
        return "it needs the leave-two-out fits, which interval='bates' asks for before the run"
    if reason is None and min(len(rows) for rows in evidence.test_rows) < 2:
        return "it needs at least two rows in every fold"
    return reason


def _halves(evidence: Evidence) -> str | None:
    if evidence.half_scores is None:
        return "it needs fits on half samples, which interval='conservative z' asks for with MonteCarlo outer splits"
    return None


def _auc_folds(evidence: Evidence) -> str | None:
    if evidence.scheme != "folds" or not evidence.is_auc:
        return "it is for the AUC over folds"
    if evidence.groups is not None or evidence.is_weighted:
        return "it needs independent rows of equal weight"
    return None


def _ordered(evidence: Evidence) -> Any:
    """Test losses in an order that the seed fixed before they were seen."""
    assert evidence.row_losses is not None
    losses = evidence.row_losses[0]
    return losses[np.random.default_rng([evidence.seed, 0xBE7]).permutation(len(losses))]


def _by_clopper_pearson(evidence: Evidence, level: float) -> Found:
    assert evidence.row_losses is not None
    losses = evidence.row_losses[0]
    return _plain(holdout.clopper_pearson(int(losses.sum()), len(losses), level=level))


def _by_betting(evidence: Evidence, level: float) -> Found:
    return _plain(holdout.betting(_ordered(evidence), bounds=evidence.loss.bounds, level=level))


def _by_hoeffding(evidence: Evidence, level: float) -> Found:
    return _plain(holdout.hoeffding(_ordered(evidence), bounds=evidence.loss.bounds, level=level))


def _by_bernstein(evidence: Evidence, level: float) -> Found:
    return _plain(holdout.empirical_bernstein(_ordered(evidence), bounds=evidence.loss.bounds, level=level))


def _by_t(evidence: Evidence, level: float) -> Found:
    assert evidence.row_losses is not None
    groups = None if evidence.groups is None else evidence.groups[evidence.test_rows[0]]
    return _plain(holdout.holdout_t(evidence.row_losses[0], level=level, groups=groups))


def _by_delong(evidence: Evidence, level: float) -> Found:
    assert evidence.scores is not None
    assert evidence.truth is not None
    found = auc.delong_auc(evidence.truth[evidence.test_rows[0]], evidence.scores[0], level=level)
    return _as_loss(found)


def _by_corrected_t(evidence: Evidence, level: float) -> Found:
    is_random = evidence.scheme == "random splits"
    runs = evidence.fold_losses.reshape(1 if is_random else evidence.repeats, -1)
    found = corrected_t.corrected_t_of_runs(runs, test_train_ratio=evidence.test_train_ratio, level=level)
    return found.value, found.low, found.high, {"se": found.se, "df": found.df}


def _by_bayle(evidence: Evidence, level: float) -> Found:
    found = cv_clt.cv_clt(evidence.by_row[0], evidence.fold_of_row[0], level=level)
    return _plain(found)


def _by_bates(evidence: Evidence, level: float) -> Found:
    found = bates.bates(evidence.by_row, evidence.pair_losses, evidence.fold_of_row, level=level)
    return (
        found.value,
        found.low,
        found.high,
        {"se": found.se, "inflation": found.inflation, "is_stable": found.is_stable},
    )


def _by_conservative_z(evidence: Evidence, level: float) -> Found:
    return _plain(conservative_z.conservative_z(evidence.fold_losses, evidence.half_scores, level=level))


def _by_auc_curve(evidence: Evidence, level: float) -> Found:
    assert evidence.scores is not None
    assert evidence.truth is not None
    parts = slice(0, evidence.folds)
    rows = np.concatenate(evidence.test_rows[parts])
    folds = np.repeat(np.arange(evidence.folds), [len(part) for part in evidence.test_rows[parts]])
    found = auc.cv_auc(evidence.truth[rows], np.concatenate(evidence.scores[parts]), folds=folds, level=level)
    return _as_loss(found)


def _as_loss(found: Any) -> Found:
    """An AUC as a loss: 1 less the area, which lies between 0 and 1."""
    return 1 - found.value, max(0.0, 1 - found.high), min(1.0, 1 - found.low), {"se": float(found.se)}


def _plain(found: Any) -> Found:
    details = {"se": float(found.se)} if np.isfinite(found.se) else {}
    return float(found.value), float(found.low), float(found.high), details


_TEST_ROWS = "independent test rows that chose nothing; holds for every number of them"
INTERVALS = {
    method.name: method
    for method in (
        Method("Clopper-Pearson", "predictor", _TEST_ROWS, _by_clopper_pearson, _zero_one, is_exact=True),
        Method(
            "betting",
            "predictor",
            f"{_TEST_ROWS}; their order is fixed by the seed",
            _by_betting,
            _bounded,
            is_exact=True,
        ),
        Method("Hoeffding", "predictor", _TEST_ROWS, _by_hoeffding, _bounded, is_exact=True),
        Method("empirical Bernstein", "predictor", _TEST_ROWS, _by_bernstein, _bernstein, is_exact=True),
        Method(
            "t", "predictor", "independent test rows (or groups) that chose nothing; approximate", _by_t, _unbounded_t
        ),
        Method("DeLong", "predictor", "independent test rows that chose nothing; approximate", _by_delong, _delong),
        Method(
            "corrected t",
            "learner",
            "independent rows (or groups); splits are taken to correlate as they overlap, a guess; approximate",
            _by_corrected_t,
            _fold_means,
        ),
        Method(
            "Bayle",
            "these models",
            "independent rows and a stable learner; approximate",
            _by_bayle,
            _row_means,
        ),
        Method("Bates", "learner", "independent rows; approximate", _by_bates, _pairs),
        Method(
            "conservative z",
            "learner",
            "independent rows; its variance is that of half as many rows, so it errs on the wide side",
            _by_conservative_z,
            _halves,
        ),
        Method(
            "AUC influence curve",
            "these models",
            "independent rows and a stable learner; approximate",
            _by_auc_curve,
            _auc_folds,
        ),
    )
}
ALIASES = {
    "Bayle": ("cv clt", "cvclt"),
    "Bates": ("bates ncv", "nested cv interval"),
    "conservative z": ("conservative",),
    "t": ("holdout t",),
    "AUC influence curve": ("influence curve", "auc"),
}
DEFAULTS = {
    "one test set": ("Clopper-Pearson", "betting", "DeLong", "t"),
    "folds": ("corrected t",),
    "random splits": ("corrected t",),
}
NONE_VALID = {
    "leave-one-out": "leave-one-out folds of one row have no means whose spread could be corrected",
    "one test set in time": "rows that follow each other in time are not independent",
    "time-ordered": "time-ordered folds are neither exchangeable nor trained on equal numbers of rows",
    "bootstrap": "bootstrap training sets repeat rows, which no interval here allows for",
    "given splits": "the given splits do not partition the rows, so how far they overlap is not known",
}
