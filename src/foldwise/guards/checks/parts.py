"""Parts of the splits that lack something, or are unlike the others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foldwise.guards.codes.splits import (
    LARGE_GROUP,
    MISSING_CLASS,
    ROW_ORDER,
    SMALL_DEV,
    SMALL_STRATA,
    UNLIKE_TARGETS,
)
from foldwise.guards.subject import Subject
from foldwise.stats.bounds import dev_rows_needed, excess_bound
from foldwise.studies.finding import Finding
from foldwise.studies.study import Method

LARGE = 0.5  # of the rows are of one group
PER_FOLD = 2  # rows of a class that a test part should have
RARE_P = 1e-6  # of parts that differ more than chance lets them
EXCESS = 0.25  # of a loss between 0 and 1: a bound that says little
JUMP = 0.15  # of the risk: what a dev split of these rows jumps about from seed to seed
DELTA = 0.05


def missing_classes(subject: Subject) -> Iterator[Finding]:
    """Classes that a training part lacks, and that its models can never say."""
    if subject.is_regression:
        return
    classes = subject.target.astype(np.int64)
    count = len(subject.data.classes)
    lacking: dict[str, list[int]] = {}
    for at, split in enumerate(subject.outer):
        seen = np.bincount(classes[split.train], minlength=count) > 0
        for code in np.unique(classes[split.test][~seen[classes[split.test]]]):
            lacking.setdefault(str(subject.data.classes[int(code)]), []).append(at)
    if lacking:
        name = next(iter(lacking))
        rows = np.flatnonzero(np.isin(classes, [list(map(str, subject.data.classes)).index(one) for one in lacking]))
        yield MISSING_CLASS.found(
            f"class {name!r} is tested in {len(lacking[name])} of {len(subject.outer)} splits "
            "without a training row of it",
            rows=rows,
            figures={"classes": list(lacking), "splits": len(lacking[name])},
            advice="Join it with another class, leave its rows out, or use fewer folds",
        )


def large_groups(subject: Subject) -> Iterator[Finding]:
    """A group with so many rows that a fold is this group."""
    groups = subject.data.groups
    if groups is None:
        return
    sizes = np.bincount(groups)
    if sizes.max() > LARGE * len(groups) and len(sizes) > 2:
        name = subject.data.group_names[int(sizes.argmax())]
        yield LARGE_GROUP.found(
            f"group {name!r} has {sizes.max() / len(groups):.0%} of the rows, "
            "so the split that tests it trains on less than half",
            rows=np.flatnonzero(groups == sizes.argmax()),
            figures={"share": sizes.max() / len(groups)},
            advice="Read the risks of the folds one by one, or take smaller groups",
        )


def small_strata(subject: Subject) -> Iterator[Finding]:
    """Classes with less than two rows for each test part."""
    outer = subject.outer
    if subject.is_regression or outer.kind == "loo" or not outer.is_partition:
        return
    counts = np.bincount(subject.target.astype(np.int64), minlength=len(subject.data.classes))
    small = [at for at in np.flatnonzero(counts < PER_FOLD * outer.folds) if counts[at]]
    if small:
        at = min(small, key=lambda one: counts[one])
        yield SMALL_STRATA.found(
            f"class {subject.data.classes[at]!r} has {counts[at]} rows in {outer.folds} folds, "
            "so what is said of it rests on one row or none in each",
            rows=np.flatnonzero(subject.target == at),
            figures={"rows": counts[at], "folds": outer.folds},
            advice="Use fewer folds, or join it with another class",
        )


def row_order(subject: Subject) -> Iterator[Finding]:
    """Splits that take the order of the rows for time, while a column of dates has another order."""
    if not subject.outer.is_ordered or subject.data.time is not None:
        return
    for one in subject.columns:
        if one.kind == "date" and not one.missing.any():
            steps = np.diff(one.values)
            earlier = sum(int((one.values[s.test] < one.values[s.train].max()).sum()) for s in subject.outer)
            if (steps < 0).any() and earlier:
                yield ROW_ORDER.found(
                    f"the splits take the order of the rows for time, but by {one.name!r} "
                    f"{earlier} test rows come before training rows",
                    rows=np.flatnonzero(steps < 0) + 1,
                    columns=[one.name],
                    figures={"test_rows_before": earlier},
                    advice=f'Give time="{one.name}" (--time {one.name})',
                )


def unlike_targets(subject: Subject) -> Iterator[Finding]:
    """Test parts whose targets differ more than chance lets them."""
    from scipy import stats

    outer = subject.outer
    if not outer.is_partition or outer.kind == "loo" or outer.folds > 50 or subject.data.rows < 4 * outer.folds:
        return
    first = [split for split in outer if split.repeat == 0]
    if subject.is_regression:
        p = float(stats.kruskal(*(subject.target[split.test] for split in first)).pvalue)
    else:
        count = len(subject.data.classes)
        table = np.array([np.bincount(subject.target[s.test].astype(np.int64), minlength=count) for s in first])
        p = float(stats.chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue)
    if p < RARE_P:
        yield UNLIKE_TARGETS.found(
            f"the folds differ in their targets more than chance lets them (p {p:.1g})",
            figures={"p": p},
            advice="Expect folds to disagree; if rows are sorted, mix them, and if they come from sources, give groups",
        )


def small_dev(subject: Subject) -> Iterator[Finding]:
    """One dev split, too small for the number of candidates chosen on it."""
    found = [one for method in subject.study.methods if (one := _dev(subject, method))]
    if not found:
        return
    name, rows, candidates, jump = max(found, key=lambda one: (one[2], one[0]))
    loss = subject.study.losses[0].name
    bound = excess_bound(rows, candidates, DELTA)
    is_bounded = not subject.is_regression and loss in ("zero_one", "brier")
    if (bound if is_bounded else jump) < (EXCESS if is_bounded else JUMP):
        return
    needed = dev_rows_needed(0.1, candidates, DELTA) if is_bounded else int(np.ceil(rows * (jump / 0.05) ** 2))
    words = (
        f"the choice may be up to {bound:.2f} worse than the best of them (it would need {needed} rows for 0.1)"
        if is_bounded
        else f"it would need about {needed} rows to jump by 5%"
    )
    yield SMALL_DEV.found(
        f"{name} chooses among {candidates} candidates on one dev split of {rows} rows: {words}, "
        f"and the score of one candidate jumps by about {jump:.0%} from seed to seed",
        figures={"dev_rows": rows, "candidates": candidates, "bound": bound, "needed": needed, "jump": jump},
        advice="Use inner folds instead of one split (inner=5), or fewer candidates",
    )


def _dev(subject: Subject, method: Method) -> tuple[str, int, int, float] | None:
    """Name, dev rows, candidates, and the jump of one score beside itself, of a method tuned on one split."""
    if method.inner is None or method.is_hidden or len(method.candidates) < 2:
        return None
    if any(len(splits) != 1 for splits in method.inner.splits):
        return None
    rows = min(len(splits[0].test) for splits in method.inner.splits)
    target = subject.target
    if subject.is_regression:
        losses = (target - target.mean()) ** 2
    else:
        losses = (target != np.bincount(target.astype(np.int64)).argmax()).astype(np.float64)
    share = min(1.0, rows / len(losses))
    risk = float(losses.mean())
    jump = float(losses.std()) / risk / np.sqrt(rows) * np.sqrt(1 - share) if risk > 0 else 0.0
    return method.name, rows, len(method.candidates), jump
