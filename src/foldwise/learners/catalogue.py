"""The built-in learners by name, each with its preprocessing and its space of three sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from foldwise.errors import BadLearner, BadSpace, MissingExtra, nearest
from foldwise.learners.learner import Learner
from foldwise.learners.preprocessing.preprocess import prepare
from foldwise.learners.trial import check_space, without_refused
from foldwise.learners.zoo import (
    baseline,
    bayes,
    boosting,
    kernels,
    linear,
    neighbours,
    networks,
    series,
    splines,
    trees,
)
from foldwise.learners.zoo.entry import CLASSIFICATION, SIZES, Entry, Facts, Size, Written, facts_of
from foldwise.spaces.parameter import as_parameter, is_parameter
from foldwise.spaces.space import Direction, Space, make_space, own_names
from foldwise.spaces.value import plain, value_key

if TYPE_CHECKING:
    from foldwise.data.dataset import Dataset
    from foldwise.losses.loss import Loss

_MODULES = (baseline, linear, neighbours, trees, boosting, kernels, bayes, splines, networks, series)
_ENTRIES: tuple[Entry, ...] = tuple(entry for module in _MODULES for entry in module.ENTRIES)
_BY_NAME = {entry.name: entry for entry in _ENTRIES}
MOST_ROWS = 2_000  # of a sample, until its own number is set


def builtin(
    name: str, data: Dataset, *, overrides: Mapping[str, Any] | None = None, losses: Sequence[Loss] = ()
) -> Learner:
    """The built-in learner of this name for these data; `forest:small` has the small space.

    Overrides that are lists or ranges replace the default space; single values fix a parameter; `max_rows` has it
    learn from a sample of so many rows. Where a loss wants probabilities that the learner has not, they are part of
    what it learns (`Calibrated`).
    """
    entry, size = find_entry(name), size_of(name)
    _check_task(entry, data.task)
    check_installed(entry)
    changes = dict(overrides or {})
    is_sampled = _is_sampled(entry, data, changes)
    if not is_sampled:
        changes.pop("max_rows", None)  # all rows are fewer, and there is nothing to draw
    facts, estimator = _facts(entry, data), _prepared(entry, data, losses, is_sampled=is_sampled)
    spaces = {key: value for key, value in changes.items() if is_parameter(value)}
    fixed = {key: plain(value) for key, value in changes.items() if key not in spaces}
    fixed = _completed_values(entry, fixed, facts)
    tuned = _completed(entry, spaces, fixed, facts) if spaces else _without(entry.space(facts, size), fixed)
    if fixed:
        _fix(name, estimator, fixed, data)
    space = _space(name, tuned, estimator, entry.simpler) if tuned else None
    if space is not None and set(fixed) - {"max_rows"} and not spaces:
        space = without_refused(Learner(name, estimator, space, is_builtin=True), data).space
    is_default = not spaces
    return Learner(name, estimator, space, is_builtin=True, is_default=is_default)


def default_learners(task: str) -> list[str]:
    """A sensible set for the task: a linear learner, a local one, a tree, and the three best sums of trees.

    >>> default_learners("binary")
    ['logistic', 'k-nn', 'tree', 'forest', 'extra-trees', 'boosting']
    """
    return ["ridge" if task == "regression" else "logistic", "k-nn", "tree", "forest", "extra-trees", "boosting"]


def is_builtin_name(name: str) -> bool:
    """Is it the name of a built-in learner, with or without a size?

    >>> is_builtin_name("forest:small"), is_builtin_name("wood")
    (True, False)
    """
    return name.partition(":")[0] in _BY_NAME


def find_entry(name: str) -> Entry:
    """The entry of this name, a size behind it left aside.

    >>> find_entry("ridge:small").tasks
    ('regression', 'binary', 'multiclass')
    """
    word = str(name).partition(":")[0]
    entry = _BY_NAME.get(word)
    if entry is None:
        raise BadLearner(f"there is no built-in learner {word!r}", nearest(word, _BY_NAME))
    size_of(name)
    return entry


def size_of(name: str) -> Size:
    """The size of the space behind a learner's name.

    >>> size_of("forest:small"), size_of("forest")
    ('small', 'default')
    """
    _, colon, word = str(name).partition(":")
    size: Size | None = next((size for size in SIZES if size == word), None if colon else "default")
    if size is None:
        raise BadLearner(f"there is no size {word!r} of a space", nearest(word, SIZES))
    return size


def check_installed(entry: Entry) -> None:
    """Refuse a learner of a package that is not there, with the command that brings it."""
    if not is_installed(entry):
        remedy = f"Run: {install_command(entry)}"
        raise MissingExtra(f"the learner {entry.name!r} needs {entry.extra}, which is not installed", remedy)


def is_installed(entry: Entry) -> bool:
    try:
        return entry.extra is None or find_spec(entry.extra) is not None
    except (ImportError, ValueError):  # something stands in for the package, or blocks it
        return False


def install_command(entry: Entry) -> str:
    return "" if entry.extra is None else f'pip install "foldwise[{entry.extra}]"'


def all_entries() -> tuple[Entry, ...]:
    return _ENTRIES


def _check_task(entry: Entry, task: str) -> None:
    if task not in entry.tasks:
        other = "classification" if task in CLASSIFICATION else "regression"
        raise BadLearner(f"the learner {entry.name!r} is not for {other}", f"Use {entry.instead!r}")


def _is_sampled(entry: Entry, data: Dataset, changes: Mapping[str, Any]) -> bool:
    """Are there more rows than it learns from? Numbers of rows that make no sense are refused later, by the sample."""
    most = changes.get("max_rows", entry.most_rows)
    return most is not None and not (isinstance(most, int) and most >= data.rows)


def _prepared(entry: Entry, data: Dataset, losses: Sequence[Loss], *, is_sampled: bool) -> Any:
    from sklearn.pipeline import Pipeline

    learner = _answering(_made(entry, _facts(entry, data)), losses)
    if is_sampled:
        from foldwise.learners.sample import RowSample

        learner = RowSample(learner, max_rows=entry.most_rows or MOST_ROWS)
    before = _preprocessing(entry, data)
    return learner if before is None else Pipeline([("prepare", before), ("learner", learner)])


def _made(entry: Entry, facts: Facts) -> Any:
    """The learner, or a sentence where its package is there but cannot be loaded."""
    try:
        return entry.make(facts)
    except (ImportError, OSError) as reason:
        problem = f"the learner {entry.name!r} needs {entry.extra}, which cannot be loaded ({reason})"
        raise MissingExtra(problem, f"Install it again: {install_command(entry)}") from reason


def _answering(learner: Any, losses: Sequence[Loss]) -> Any:
    """The learner itself where it answers every loss, or else with probabilities of its own making."""
    if all(any(hasattr(learner, need) for need in loss.needs) for loss in losses):
        return learner
    if hasattr(learner, "predict_proba") or not hasattr(learner, "decision_function"):
        return learner
    from foldwise.learners.estimators.calibrated import Calibrated

    return Calibrated(learner)


def _facts(entry: Entry, data: Dataset) -> Facts:
    """The shape of the table; words, which are of length 1 together, count as one column."""
    facts = facts_of(data)
    return replace(facts, columns=data.columns) if entry.words else facts


def _preprocessing(entry: Entry, data: Dataset) -> Any:
    if not entry.is_prepared:
        return None
    dense, categories = not entry.takes_sparse, entry.categories
    return prepare(data, scale=entry.scale, impute=entry.impute, dense=dense, categories=categories, words=entry.words)


def _completed_values(entry: Entry, fixed: dict[str, Any], facts: Facts) -> dict[str, Any]:
    """Fixed values, with the values that they require of others."""
    if entry.complete is None or not fixed:
        return fixed
    (block,) = entry.complete([{key: [value] for key, value in fixed.items()}], facts)
    return {key: values[0] for key, values in block.items()}


def _completed(entry: Entry, spaces: dict[str, Any], fixed: dict[str, Any], facts: Facts) -> Written:
    """The user's own space, with the values that it requires of other parameters."""
    if entry.complete is None:
        return spaces
    blocks = entry.complete([{**spaces, **{key: [value] for key, value in fixed.items()}}], facts)
    return [{key: values for key, values in block.items() if key not in fixed} for block in blocks]


def _fix(name: str, estimator: Any, fixed: dict[str, Any], data: Dataset) -> None:
    from sklearn.base import clone

    space = _space(name, {key: [value] for key, value in fixed.items()}, estimator, {})
    alone = Learner(name, clone(estimator), space, is_builtin=True)
    full = space.resolve(estimator)
    estimator.set_params(**{full[key]: value for key, value in fixed.items()})
    check_space(alone, data, is_fixed=True)


def _space(name: str, tuned: Written, estimator: Any, simpler: Mapping[str, Direction]) -> Space:
    known = {key for block in (tuned if isinstance(tuned, list) else [tuned]) for key in block}
    ways = {key: way for key, way in simpler.items() if key in known}
    try:
        space = make_space(tuned, None, estimator, simpler=ways)
        _refuse_internals(space, estimator)
    except BadSpace as error:
        raise BadSpace(f"learner {name!r}: {error.problem}", error.remedy) from None
    return space


def _refuse_internals(space: Space, estimator: Any) -> None:
    """What holds a learner and its preprocessing together is not the user's, and may write files."""
    known = estimator.get_params(deep=True)
    for word, full in space.resolve(estimator).items():
        owner, _, _ = full.rpartition("__")
        if type(known[owner] if owner else estimator).__name__ == "Pipeline":
            raise BadSpace(f"the learner has no parameter {word!r}", nearest(word, own_names(known)))


def _without(space: Written, fixed: Mapping[str, Any]) -> Written:
    """The space around fixed values: of a conditional one, the blocks that allow them."""
    if not isinstance(space, list):
        return {key: value for key, value in space.items() if _value_fixed(key, fixed) is None}
    allowed = [block for block in space if _allows(block, fixed)] or space
    left = [{key: value for key, value in block.items() if _value_fixed(key, fixed) is None} for block in allowed]
    distinct = [block for at, block in enumerate(left) if block and block not in left[:at]]
    return distinct if len(distinct) != 1 else distinct[0]


def _allows(block: Mapping[str, Any], fixed: Mapping[str, Any]) -> bool:
    """Is every fixed value among those of a choice of words, where the block makes one?"""
    for key, value in block.items():
        found = _value_fixed(key, fixed)
        if found is None or not isinstance(value, list) or not isinstance(value[0], str):
            continue
        if value_key(found[0]) not in [value_key(one) for one in as_parameter(value).grid()]:
            return False
    return True


def _value_fixed(key: str, fixed: Mapping[str, Any]) -> tuple[Any] | None:
    """The value a parameter is fixed at, alone in a tuple, or None."""
    return next(((fixed[name],) for name in fixed if name == key or name.endswith(f"__{key}")), None)
