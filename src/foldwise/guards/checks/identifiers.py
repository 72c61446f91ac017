"""Columns that name rows or groups of rows, given as features."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.features import Feature
from foldwise.guards.checks.spelling import words_among_numbers
from foldwise.guards.codes.columns import ROW_NUMBER
from foldwise.guards.codes.rows import IDENTIFIER, UNDECLARED_GROUPS
from foldwise.guards.residuals import MOST_ROWS, make_design
from foldwise.guards.subject import Subject
from foldwise.studies.finding import Finding

LEAST_ROWS = 20
MOSTLY = 0.9  # of the rows have another value, in a column that is called an id: some tables hold rows twice
NAMES = re.compile(r"(^|[_\W])(id|uuid|guid|index|serial|ssn|mrn|rownames|unnamed: 0)$|[a-z](ID|Id)$", re.I)
OWNERS = re.compile(
    r"(^|[_\W])(id|patient|subject|person|user|customer|client|participant|household|respondent|individual"
    r"|animal|donor|student|player)([_\W]?(id|nr|no|num|number|code))?$|[a-z](ID|Id)$",
    re.I,
)
DENSE = 3  # whole numbers within so many times the number of rows are names rather than amounts
LEAST_GROUPS, LEAST_SIZE, MOST_SIZE = 8, 1.5, 100
MOST_CANDIDATES = 12
FEW_KINDS = 3
LEAST_TURNS = 5  # up and down, of a column that is no function of another's order
SURE = 30.0  # nats against chance
LEAST_ICC, SURE_ICC, LEAST_Z = 0.1, 0.5, 5.0
LEAST_CODES, MOST_SHARE = 20, 0.05  # of whole numbers that are judged by the targets alone
DATED = 10  # different dates in eight digits
WORDS = 3  # a text of more words than this is text, not a name
MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
DATES = re.compile(
    r"^\s*(\w{3,9},?\s+)?(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T]\d.*)?|(19|20)\d\d[-/.]\d{1,2}|(19|20)\d\d[- ]?Q[1-4]"
    rf"|\d{{1,2}}[-. ]\s?{MONTH}[- ,]+\d{{2,4}}.*|{MONTH}\s+\d{{1,2}},?\s+\d{{4}}.*|{MONTH}[- ]\d{{2,4}})\s*$",
    re.I,
)


def is_identifier(feature: Feature) -> bool:
    """Does it name rows: another value in each, and whole numbers without gaps, text that is short, or such a name?"""
    rows = len(feature.values)
    least = rows * (MOSTLY if NAMES.search(feature.name) else 1)
    if rows < LEAST_ROWS or feature.distinct < least or feature.missing.any() or feature.kind == "date":
        return False
    if not feature.is_number:
        return words_in(feature) <= WORDS and words_among_numbers(feature) is None
    if not feature.is_whole:
        return is_row_number(feature)
    is_dense = np.ptp(feature.values) < DENSE * rows
    return bool(is_dense or is_row_number(feature) or NAMES.search(feature.name))


def is_row_number(feature: Feature) -> bool:
    """Does it go up or down by the same step from row to row?"""
    if not feature.is_number or feature.kind == "date" or len(feature.values) < LEAST_ROWS:
        return False
    if not np.isfinite(feature.values).all():
        return False
    steps = np.diff(feature.values)
    usual = feature.values[-1] / (len(steps) or 1) - feature.values[0] / (len(steps) or 1)
    return bool(usual != 0 and np.abs(steps - usual).max() <= 1e-9 * max(abs(usual), np.abs(feature.values).max()))


def words_in(feature: Feature) -> float:
    """Words per label, of the first thousand labels."""
    some = feature.labels[:1000]
    return float(np.mean([len(str(label).split()) for label in some])) if some else 0.0


def holds_dates(feature: Feature) -> bool:
    """Is it of dates, or of text or whole numbers (20240131) that look like them?"""
    if feature.is_number:
        return feature.kind == "date" or _are_written_dates(feature)
    return all(DATES.match(str(label)) for label in feature.labels[:50])


def _are_written_dates(feature: Feature) -> bool:
    """Are its numbers years, months and days in eight digits?"""
    known = feature.values[~feature.missing]
    if not len(known) or not feature.is_whole or known.min() < 1900_01_01 or known.max() > 2099_12_31:
        return False
    months, days = known // 100 % 100, known % 100
    return bool(((months >= 1) & (months <= 12) & (days >= 1) & (days <= 31)).all() and feature.distinct >= DATED)


def identifiers(subject: Subject) -> Iterator[Finding]:
    """Columns with another value in every row that name rows, or count them."""
    if subject.data.is_series:  # documents are not names
        return
    named = [one for one in subject.columns if is_identifier(one) and not holds_dates(one)]
    counting = [one.name for one in named if is_row_number(one) and (one.is_whole or len(subject.columns) > 1)]
    if counting:
        yield ROW_NUMBER.found(
            f"{_columns(counting)} the rows in their order",
            columns=counting,
            advice="Leave it out; if rows follow one another in time, give it as time instead",
        )
    names = [one.name for one in named if not is_row_number(one)]
    if names:
        distinct = min(one.distinct for one in named if one.name in names)
        is_every = distinct == subject.data.rows
        where = "every row" if is_every else "nearly every row"
        words = f"has another value in {where} and names" if len(names) == 1 else "have other values and name"
        again = "; where one comes twice, look whether the rows are copies, or belong together (groups=)"
        yield IDENTIFIER.found(
            f"{quoted(names)} {words} rows: nothing is learnt from that for new rows",
            columns=names,
            figures={"distinct": distinct},
            advice="Leave such columns out" + ("" if is_every else again),
        )


def undeclared_groups(subject: Subject) -> Iterator[Finding]:
    """Columns whose values name groups of rows, while no groups are declared."""
    data = subject.data
    if data.groups is not None or data.time is not None or data.rows < 2 * LEAST_ROWS:
        return
    candidates = [one for one in subject.columns if _may_name_groups(one)]
    candidates.sort(key=lambda one: (OWNERS.search(one.name) is None, one.distinct))
    found = {one.name: reason for one in candidates[:MOST_CANDIDATES] if (reason := _reason(one, subject))}
    if found:
        first = next(iter(found))
        count = next(one.distinct for one in candidates if one.name == first)
        yield UNDECLARED_GROUPS.found(
            f"the column {first!r} names {count} groups of rows ({found[first]}), and groups are not declared",
            columns=list(found),
            figures={"groups": count, "rows_per_group": data.rows / count},
            advice=f'If new rows are of new groups, give groups="{first}" (--groups {first}), or leave it out',
        )


def _may_name_groups(feature: Feature) -> bool:
    rows, count = len(feature.values), feature.distinct
    if count < LEAST_GROUPS or not LEAST_SIZE <= rows / count <= MOST_SIZE or feature.missing.any():
        return False
    return feature.kind != "date" and (not feature.is_number or feature.is_whole)


def _reason(feature: Feature, subject: Subject) -> str:
    """Why its values name groups; empty where nothing speaks for it."""
    if OWNERS.search(feature.name):
        return "by its name"
    codes = feature.codes
    runs = 1 + int(np.count_nonzero(np.diff(codes)))
    steps = np.diff(codes)
    is_sorted = not (steps < 0).any() or not (steps > 0).any()
    if runs <= 1.05 * feature.distinct and not is_sorted:
        return "each of them stands together in the file"
    held = [one for one in subject.columns if one is not feature and _is_fixed_by(one, feature)]
    fixed = [one.name for one in held]
    if len(fixed) > 1 or any(one.distinct > FEW_KINDS for one in held):  # a single coarse one may be made from its text
        return f"{quoted(fixed)} {'is' if len(fixed) == 1 else 'are'} the same within each"
    in_order = feature if feature.is_number else feature.in_numbers
    if in_order is not None and in_order.distinct == feature.distinct and _is_like_within(in_order, subject):
        return "rows of one have like targets, and its next value says nothing about them"
    return ""


def _is_fixed_by(other: Feature, feature: Feature) -> bool:
    """Is the other column the same within each value of this one, against all odds, and not a function of its order?"""
    if not 1 < other.distinct < feature.distinct:
        return False
    codes, values = feature.codes, other.codes
    one, next_one = feature.pairs
    if (values[one] != values[next_one]).any() or len(np.unique(codes * (int(values.max()) + 1) + values)) > int(
        codes.max()
    ) + 1:
        return False
    shares = np.bincount(values) / len(values)
    if -(len(codes) - feature.distinct) * np.log(np.sum(shares**2)) < SURE:
        return False
    if not feature.is_number:
        return True
    inner = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    inner[codes] = values
    steps = np.sign(np.diff(inner))
    return bool(np.count_nonzero(np.diff(steps[steps != 0])) >= LEAST_TURNS)


def _is_like_within(feature: Feature, subject: Subject) -> bool:
    """Have rows of one value like targets, beyond what other features say, and rows of the next value not?"""
    codes = feature.codes
    is_even = feature.distinct >= LEAST_CODES and np.bincount(codes).max() <= MOST_SHARE * len(codes)
    last = int(np.searchsorted(np.cumsum(np.bincount(codes)), MOST_ROWS))  # of a large table the first values
    rows = np.flatnonzero(codes <= last)
    rest = make_design(subject, rows).residuals(without=feature.name)
    return any(_one_is_like(codes[rows], one, LEAST_ICC if is_even else SURE_ICC) for one in rest)


def _one_is_like(codes: IntArray, rest: FloatArray, least: float) -> bool:
    """Do rows of one code have like residuals, while rows of the next codes have not?"""
    sizes = np.bincount(codes)
    gaps = rest - rest.mean()
    sums = np.bincount(codes, gaps)
    own = (sums[codes] - gaps) / np.maximum(sizes[codes] - 1, 1)
    near_sums = np.r_[0.0, sums[:-1]] + np.r_[sums[1:], 0.0]
    near_sizes = np.r_[0, sizes[:-1]] + np.r_[sizes[1:], 0]
    near = (near_sums / np.maximum(near_sizes, 1))[codes]
    total = float(gaps @ gaps)
    if total == 0:
        return False
    like, like_near = float(gaps @ own) / total, float(gaps @ near) / total
    spread = float(np.sqrt((gaps**2 * own**2).sum())) / total
    return like >= least and like >= LEAST_Z * spread and like_near < 0.3 * like


def quoted(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(repr(name) for name in names[:3])
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown


def _columns(names: Sequence[str]) -> str:
    return f"{quoted(names)} count{'s' * (len(names) == 1)}"
