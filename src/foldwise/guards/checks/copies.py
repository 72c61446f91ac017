"""Features that are the target, or give it away."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.equal_rows import in_deviations, spread_out
from foldwise.data.features import Feature
from foldwise.guards.alone import Alone, some_rows
from foldwise.guards.checks.duplicates import without_copies
from foldwise.guards.codes.columns import GIVEN_AWAY, TARGET_COPY, TELLING_MISSING, TOO_GOOD
from foldwise.guards.subject import Subject
from foldwise.studies.finding import Finding

LEAST_ROWS, USUAL_ROWS = 12, 30  # between them a chance agreement must be excluded
LEAST_ODDS = 1000.0  # ways to give the classes to so few rows
LEAST_OTHERS = 40  # rows in which it can be said what all others can do
DETERMINED = 0.99  # of the variance, or of the errors, that one column takes away
RENAMED = 0.95  # of rows in which another word always stands for the same class
GOOD = 0.85  # from here on it is asked what all the others can do together
FEW_OTHERS, GOOD_BESIDE_FEW = 4, 0.95  # a law between two measured things leaves little to few others
BETTER = 4.0  # times more is left over by all the others together than by the one
TOLD = 0.5  # of the target, by missing values alone
MOST_OTHERS = 1000  # rows to which a forest of the others is fitted


def target_copies(subject: Subject) -> Iterator[Finding]:
    """Features that have the very values of the target."""
    for feature in subject.columns:
        if _is_target(feature, subject):
            yield TARGET_COPY.found(
                f"the column {feature.name!r} is the target in every row, so no number would mean anything",
                columns=[feature.name],
                figures={"equal_rows": subject.data.rows},
                advice="Leave it out",
            )


def telling_columns(subject: Subject) -> Iterator[Finding]:
    """Features that determine the target almost, or do far better alone than all others together."""
    kept = without_copies(subject)  # a copy of a row tells its target by any column
    if len(kept) < LEAST_ROWS or (len(kept) < USUAL_ROWS and not _is_news(subject)):
        return
    rows = kept[some_rows(len(kept))]
    alone = Alone(subject, rows)
    shares = {
        one.name: alone.share(one) for one in subject.columns if one.distinct > 1 and not _is_target(one, subject)
    }
    usual = _persistence(subject)
    strong = {name: share for name, share in shares.items() if share >= max(GOOD, usual)}
    renamed = {one.name for one in subject.columns if one.name in strong and _has_other_words(one, subject)}
    sure = {name: share for name, share in strong.items() if share >= DETERMINED or name in renamed}
    if sure:
        best = max(sure, key=lambda name: sure[name])
        yield GIVEN_AWAY.found(
            f"the column {best!r} alone gives {_percent(sure[best])} of {_what(subject)}",
            columns=sorted(sure, key=lambda name: -sure[name]),
            figures={"share": sure[best]},
            advice="Leave it out if it is made from the target, or is not known when a prediction is asked for",
        )
        return
    if not strong or len(kept) < LEAST_OTHERS:
        return
    best = max(strong, key=lambda name: strong[name])
    if sum(one.distinct > 1 for one in subject.columns) <= FEW_OTHERS and strong[best] < GOOD_BESIDE_FEW:
        return
    rest = others(subject, best, rows)
    if (1 - rest) >= BETTER * (1 - strong[best]):
        yield TOO_GOOD.found(
            f"the column {best!r} alone gives {_percent(strong[best])} of {_what(subject)}, "
            f"and all others together {_percent(max(rest, 0.0))}",
            columns=[best],
            figures={"share": strong[best], "share_of_all_others": rest},
            advice="Leave it out if it is made from the target, or is not known when a prediction is asked for",
        )


def _is_news(subject: Subject) -> bool:
    """Could a column hardly tell all these rows apart by chance?"""
    counts = np.unique(subject.target, return_counts=True)[1]
    return bool(log_arrangements(counts) >= np.log(LEAST_ODDS))


def log_arrangements(counts: IntArray) -> float:
    """The log of the number of ways to give so many rows to each class.

    >>> round(np.exp(log_arrangements(np.array([2, 2]))))
    6
    """
    from scipy.special import gammaln

    return float(gammaln(counts.sum() + 1) - gammaln(counts + 1).sum())


def telling_missing(subject: Subject) -> Iterator[Finding]:
    """Columns that say by their missing values what the target is."""
    if subject.data.rows < USUAL_ROWS:
        return
    alone = Alone(subject, some_rows(subject.data.rows))
    found = {}
    for one in subject.columns:
        if one.missing.any() and not one.missing.all():
            share = alone.share(Feature(one.name, "boolean", one.missing.astype(np.float64)))
            if share >= TOLD:
                found[one.name] = share
    if found:
        best = max(found, key=lambda name: found[name])
        yield TELLING_MISSING.found(
            f"whether {best!r} is missing gives {_percent(found[best])} of {_what(subject)}",
            columns=sorted(found, key=lambda name: -found[name]),
            figures={"share": found[best]},
            advice="Leave it out if it is filled in after the outcome",
        )


def others(subject: Subject, name: str, rows: IntArray) -> float:
    """What all other columns give together, by a small forest whose trees judge rows they have not seen."""
    kept = [one for one in subject.columns if one.name != name and one.distinct > 1]
    rows = rows if len(rows) <= MOST_OTHERS else rows[np.linspace(0, len(rows) - 1, MOST_OTHERS).astype(int)]
    if not kept:
        return 1.0
    points = spread_out([one.values[rows] for one in kept], [not one.is_number for one in kept])
    if not points.shape[1]:
        return 1.0
    return _forest_share(points, subject.target[rows], is_regression=subject.is_regression)


def _forest_share(points: FloatArray, target: FloatArray, *, is_regression: bool) -> float:
    import warnings

    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

    kind = ExtraTreesRegressor if is_regression else ExtraTreesClassifier
    forest = kind(30, bootstrap=True, oob_score=True, min_samples_leaf=2, max_features=0.5, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows may be in every tree
        forest.fit(points, target)
    if is_regression:
        return float(forest.oob_score_)
    most = np.unique(target, return_counts=True)[1].max() / len(target)
    return float((forest.oob_score_ - most) / (1 - most)) if most < 1 else 0.0


def _is_target(feature: Feature, subject: Subject) -> bool:
    if feature.distinct < 2 or feature.missing.any():
        return False
    if feature.is_number and np.array_equal(feature.values, subject.target):
        return True
    return not subject.is_regression and _has_its_words(feature, subject)


def _has_its_words(feature: Feature, subject: Subject) -> bool:
    """Are its values the classes themselves: the same words, or the same numbers?"""
    classes, codes = subject.data.classes, subject.target.astype(np.int64)
    if feature.distinct != len(classes):
        return False
    if feature.labels:
        words = np.array([str(label) for label in feature.labels])[feature.values.astype(np.int64)]
        return np.array_equal(words, np.array([str(label) for label in classes])[codes])
    if not all(isinstance(label, int | float | np.number) for label in classes):
        return False
    return np.array_equal(feature.values, np.array(classes, dtype=np.float64)[codes])


def _has_other_words(feature: Feature, subject: Subject) -> bool:
    """Has it one value for each of three classes or more, almost always: the classes under other words?"""
    classes = len(subject.data.classes)
    if feature.distinct != classes or classes < 3 or feature.missing.any():
        return False
    table = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(table, (feature.codes, subject.target.astype(np.int64)), 1)
    own = table.argmax(axis=1)
    return len(set(own.tolist())) == classes and bool(table.max(axis=1).sum() >= RENAMED * table.sum())


def _persistence(subject: Subject) -> float:
    """What the target one step before gives, in rows with time: a feature as good as that gives nothing away."""
    time, target = subject.data.time, subject.target
    if time is None or not subject.is_regression:
        return 0.0
    ordered = target[np.argsort(time, kind="stable")]
    now, before = in_deviations(ordered[1:]), in_deviations(ordered[:-1])
    if now is None or before is None:
        return 0.0
    kept = float(now @ before) / len(now)
    return 1 - (1 - max(kept, 0.0) ** 2) / 2  # twice as good as that is news


def _percent(share: float) -> str:
    """
    >>> _percent(0.9999), _percent(0.912)
    ('99.99 %', '91 %')
    """
    return f"{share:.0%}".replace("%", " %") if share < DETERMINED else f"{min(share, 0.9999):.2%}".replace("%", " %")


def _what(subject: Subject) -> str:
    return "the target's variance" if subject.is_regression else "the classes that are not the commonest"
