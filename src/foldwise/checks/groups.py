"""Groups that are not declared, groups that are too large, and classes that are too small."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.checks.check import Trap, check
from foldwise.checks.subject import Subject, make_design, quoted
from foldwise.data.features import Feature

OWNERS = re.compile(
    r"(^|[_\W])(id|patient|subject|person|user|customer|client|participant|household|respondent|individual"
    r"|animal|donor|student|player)([_\W]?(id|nr|no|num|number|code))?$|[a-z](ID|Id)$",
    re.I,
)
LEAST_ROWS = 40
LEAST_GROUPS, LEAST_SIZE, MOST_SIZE = 8, 1.5, 100
MOST_CANDIDATES = 12
FEW_KINDS = 3
LEAST_TURNS = 5  # up and down, of a column that is no function of another's order
SURE = 30.0  # nats against chance
LEAST_ICC, SURE_ICC, LEAST_Z = 0.1, 0.5, 5.0
LEAST_CODES, MOST_SHARE = 20, 0.05  # of whole numbers that are judged by the targets alone
MOST_ROWS = 20_000  # to which a line is fitted
LARGE = 0.5  # of the rows are of one group
PER_FOLD = 2  # rows of a class that a test part should have


@check("FW104", "Groups that are not declared", severity="warn")
def undeclared_groups(subject: Subject) -> Iterator[Trap]:
    """A column names groups of rows (8 or more, 1.5 to 100 rows each) by its name (`patient_id`), because each stands
    together in the file, because another column is the same within each, or because rows of one group have like targets
    while the next number says nothing about them. With rows of a group on both sides of a split the risk is that of new
    rows of known groups. Not looked for where groups or time are declared.
    """
    data = subject.data
    if data.groups is not None or data.time is not None or data.rows < LEAST_ROWS:
        return
    candidates = [column for column in subject.columns if _may_name_groups(column)]
    candidates.sort(key=lambda column: (OWNERS.search(column.name) is None, column.distinct))
    reasons = {column: reason for column in candidates[:MOST_CANDIDATES] if (reason := _reason(column, subject))}
    if reasons:
        first, reason = next(iter(reasons.items()))
        name = first.name
        yield Trap(
            f"the column {name!r} names {first.distinct} groups of rows ({reason}), and groups are not declared",
            columns=[column.name for column in reasons],
            figures={"groups": first.distinct, "rows_per_group": data.rows / first.distinct},
            advice=f'If new rows are of new groups, give groups="{name}" (--groups {name}), or leave it out',
        )


@check("FW302", "A group with most of the rows", severity="note")
def large_groups(subject: Subject) -> Iterator[Trap]:
    """One group has more than half of the rows: the split that tests it trains on less than half."""
    groups = subject.data.groups
    if groups is None:
        return
    sizes = np.bincount(groups)
    if sizes.max() > LARGE * len(groups) and len(sizes) > 2:
        name = subject.data.group_names[int(sizes.argmax())]
        yield Trap(
            f"group {name!r} has {sizes.max() / len(groups):.0%} of the rows, "
            "so the split that tests it trains on less than half",
            rows=np.flatnonzero(groups == sizes.argmax()),
            figures={"share": sizes.max() / len(groups)},
            advice="Read the risks of the folds one by one, or take smaller groups",
        )


@check("FW301", "A class that is tested but not trained on", severity="warn")
def missing_classes(subject: Subject) -> Iterator[Trap]:
    """Splits test rows of a class that their training rows lack, so that their models can never be right on them. Join
    it with another class, leave its rows out, or use fewer folds.
    """
    if subject.is_regression:
        return
    codes, classes = subject.codes, subject.data.classes
    lacking: dict[int, int] = {}  # in how many splits, by class
    for split in subject.outer:
        is_trained = np.bincount(codes[split.train], minlength=len(classes)) > 0
        for code in np.unique(codes[split.test][~is_trained[codes[split.test]]]).tolist():
            lacking[code] = lacking.get(code, 0) + 1
    if lacking:
        names = [str(classes[code]) for code in lacking]
        splits = next(iter(lacking.values()))
        yield Trap(
            f"class {names[0]!r} is tested in {splits} of {len(subject.outer)} splits without a training row of it",
            rows=np.flatnonzero(np.isin(codes, list(lacking))),
            figures={"classes": names, "splits": splits},
            advice="Join it with another class, leave its rows out, or use fewer folds",
        )


@check("FW305", "A class with few rows for the folds", severity="note")
def small_classes(subject: Subject) -> Iterator[Trap]:
    """Fewer than two rows of a class for each fold."""
    outer, classes = subject.outer, subject.data.classes
    if subject.is_regression or outer.kind == "loo" or not outer.is_partition:
        return
    counts = np.bincount(subject.codes, minlength=len(classes))
    small = [code for code in np.flatnonzero(counts < PER_FOLD * outer.folds) if counts[code]]
    if small:
        rarest = min(small, key=counts.__getitem__)
        yield Trap(
            f"class {classes[rarest]!r} has {counts[rarest]} rows in {outer.folds} folds, "
            "so what is said of it rests on one row or none in each",
            rows=np.flatnonzero(subject.codes == rarest),
            figures={"rows": counts[rarest], "folds": outer.folds},
            advice="Use fewer folds, or join it with another class",
        )


def _may_name_groups(column: Feature) -> bool:
    rows, count = len(column.values), column.distinct
    if count < LEAST_GROUPS or not LEAST_SIZE <= rows / count <= MOST_SIZE or column.missing.any():
        return False
    return column.kind != "date" and (not column.is_number or column.is_whole)


def _reason(column: Feature, subject: Subject) -> str:
    """Why its values name groups; empty where nothing speaks for it."""
    if OWNERS.search(column.name):
        return "by its name"
    steps = np.diff(column.codes)
    is_sorted = not (steps < 0).any() or not (steps > 0).any()
    if 1 + int(np.count_nonzero(steps)) <= 1.05 * column.distinct and not is_sorted:
        return "each of them stands together in the file"
    fixed = [other for other in subject.columns if other is not column and _is_fixed_by(other, column)]
    if len(fixed) > 1 or any(other.distinct > FEW_KINDS for other in fixed):  # a coarse one may be made from its text
        return f"{quoted(other.name for other in fixed)} {'is' if len(fixed) == 1 else 'are'} the same within each"
    numbers = column if column.is_number else column.in_numbers
    if numbers is not None and numbers.distinct == column.distinct and _is_like_within(numbers, subject):
        return "rows of one have like targets, and its next value says nothing about them"
    return ""


def _is_fixed_by(other: Feature, column: Feature) -> bool:
    """Is the other column the same within each value of this one, against all odds, and not a function of its order?"""
    if not 1 < other.distinct < column.distinct:
        return False
    codes, values = column.codes, other.codes
    first, second = column.pairs  # a quick look at some pairs of rows
    if (values[first] != values[second]).any():
        return False
    if len(np.unique(codes * (int(values.max()) + 1) + values)) > int(codes.max()) + 1:
        return False
    shares = np.bincount(values) / len(values)
    if -(len(codes) - column.distinct) * np.log(np.sum(shares**2)) < SURE:
        return False
    if not column.is_number:
        return True
    by_code = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    by_code[codes] = values
    steps = np.sign(np.diff(by_code))
    return bool(np.count_nonzero(np.diff(steps[steps != 0])) >= LEAST_TURNS)


def _is_like_within(column: Feature, subject: Subject) -> bool:
    """Have rows of one value like targets, beyond what other features say, and rows of the next value not?"""
    codes, sizes = column.codes, np.bincount(column.codes)
    is_even = column.distinct >= LEAST_CODES and sizes.max() <= MOST_SHARE * len(codes)
    last = int(np.searchsorted(np.cumsum(sizes), MOST_ROWS))  # of a large table the first values
    rows = np.flatnonzero(codes <= last)
    residuals = make_design(subject, rows).residuals(without=column.name)
    return any(_are_alike(codes[rows], rest, LEAST_ICC if is_even else SURE_ICC) for rest in residuals)


def _are_alike(codes: IntArray, residuals: FloatArray, least: float) -> bool:
    """Do rows of one code have like residuals, while rows of the next codes have not?"""
    sizes, gaps = np.bincount(codes), residuals - residuals.mean()
    sums = np.bincount(codes, gaps)
    others = (sums[codes] - gaps) / np.maximum(sizes[codes] - 1, 1)  # mean of the other rows of its code
    near_sums = np.r_[0.0, sums[:-1]] + np.r_[sums[1:], 0.0]
    near_sizes = np.r_[0, sizes[:-1]] + np.r_[sizes[1:], 0]
    near = (near_sums / np.maximum(near_sizes, 1))[codes]
    total = float(gaps @ gaps)
    if total == 0:
        return False
    like, like_near = float(gaps @ others) / total, float(gaps @ near) / total
    spread = float(np.sqrt((gaps**2 * others**2).sum())) / total
    return like >= least and like >= LEAST_Z * spread and like_near < 0.3 * like
