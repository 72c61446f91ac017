"""Values that do not go together, found by fitting known learners to a few made-up rows before any real fit."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import product
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.errors import BadSpace
from foldwise.learners.learner import Learner
from foldwise.learners.model import seeded_world
from foldwise.spaces.draw import Block, Candidate
from foldwise.spaces.parameter import Choice, Parameter
from foldwise.spaces.value import describe, short

if TYPE_CHECKING:
    from foldwise.data.dataset import Dataset

MOST_TRIALS = 200  # fits of a few rows for one block of a space
MOST_CLASSES = 30
MOST_COLUMNS = 1000  # of a made-up table, however wide the real one is
SHAPES = ((24, 30), (400, 120))  # rows, and columns at most (small) or at least (large)
# Libraries whose learners may be tried; a user's own class may have effects, or take its time.
KNOWN = (
    "sklearn.",
    "lightgbm.",
    "xgboost.",
    "foldwise.learners.estimators.nearest",
    "foldwise.learners.estimators.catboosted",
    "foldwise.learners.estimators.xgboosted",
)
QUICK = {
    "max_iter": 1,
    "n_estimators": 1,
    "iterations": 1,
    "n_restarts_optimizer": 0,
    "n_jobs": 1,
    "verbose": 0,
    "verbosity": 0,
}
# Learners so quick that a trial would tell; they take every number their own check takes, the rest being as it comes.
EASY = ("KNeighborsClassifier", "KNeighborsRegressor", "Ridge", "RidgeClassifier", "Lasso", "KernelRidge")
_ALONE = RLock()
_ERRORS = ("LightGBMError", "CatBoostError")  # of packages whose errors are not those of Python
_INSIDE = {"TransformedTargetRegressor": "regressor", "RowSample": "estimator"}


def check_together(learner: Learner, data: Dataset) -> None:
    """Refuse values of a space that are taken one by one, but not beside each other."""
    blocks = [] if learner.space is None else [b for b in learner.space.blocks if not _is_simple(learner, b)]
    if not blocks:
        return
    with _in_silence():
        for block in blocks:
            for candidate in _combinations(learner, block):
                if text := _why_refused(learner, candidate, data):
                    raise _refusal(learner, candidate, data, text)


def _is_simple(learner: Learner, block: Block) -> bool:
    """Is only one number of an easy learner tuned, and the rest as it comes?"""
    if len(block) != 1 or not all(map(_is_number, values := _some(block[0][1]))):
        return False
    (name, _), found = block[0], final_part(learner.at({block[0][0]: values[0]}))
    if found is None or type(found[1]).__name__ not in EASY or not type(found[1]).__module__.startswith("sklearn."):
        return False
    usual = type(found[1])().get_params(deep=False)
    tuned = learner.names[name].rpartition("__")[2]
    own = found[1].get_params(deep=False)
    return all(repr(own[word]) == repr(value) for word, value in usual.items() if word != tuned)  # arrays too


def without_refused(learner: Learner, data: Dataset) -> Learner:
    """The learner without the blocks of its space that go ill with its fixed values, unless all of them do."""
    blocks = () if learner.space is None else learner.space.blocks
    with _in_silence():
        is_taken = [not any(_why_refused(learner, one, data) for one in _combinations(learner, b)) for b in blocks]
    if learner.space is None or all(is_taken) or not any(is_taken):
        return learner
    left = tuple(block for block, is_kept in zip(blocks, is_taken, strict=True) if is_kept)
    return replace(learner, space=learner.space.only(left))


def _why_refused(learner: Learner, candidate: Candidate, data: Dataset) -> str:
    """What the learner itself says against a candidate on any table, or nothing.

    A text that differs between a small and a large table is about the table, and the real one may be another.
    """
    whole = learner.at(candidate)
    found = final_part(whole)
    if found is None or not _is_known(found[1]) or len(data.classes) > MOST_CLASSES:
        return ""
    prefix, part = found
    table = partial(_table, data, is_first=not prefix, has_target=_has_own_target(whole), is_builtin=learner.is_builtin)
    small = table(SHAPES[0])
    text = _said(part, *small)
    if not text or _said(type(part)(), *small):  # a class that fails as it comes is not for such tables
        return ""
    return text if _said(part, *table(SHAPES[1])) == text else ""


def final_part(estimator: Any, prefix: str = "") -> tuple[str, Any] | None:
    """The learner at the end of pipelines and scaled targets, with its place in them."""
    kind = type(estimator)
    if kind.__name__ == "Pipeline" and kind.__module__.startswith("sklearn."):
        steps = estimator.steps
        return final_part(steps[-1][1], _joined(prefix, steps[-1][0])) if steps else None
    if (name := _INSIDE.get(kind.__name__)) and kind.__module__.startswith(("sklearn.", "foldwise.")):
        return final_part(getattr(estimator, name), _joined(prefix, name))
    return (prefix, estimator) if hasattr(estimator, "get_params") and hasattr(estimator, "predict") else None


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}__{name}" if prefix else name


def _is_known(part: Any) -> bool:
    """Is all of it code of known libraries, without another learner inside?"""
    values = part.get_params(deep=True).values()
    is_foreign = [callable(value) and not str(getattr(value, "__module__", "")).startswith(KNOWN) for value in values]
    has_parts = any(hasattr(value, "fit") for value in values)
    return type(part).__module__.startswith(KNOWN) and not has_parts and not any(is_foreign)


def _combinations(learner: Learner, block: Block) -> Iterator[Candidate]:
    """Every combination of words, with each number at several of its values in turn."""
    first = {name: _some(parameter)[0] for name, parameter in block}
    found = final_part(learner.at(first))
    if found is None:
        return
    own = {name: _some(parameter) for name, parameter in block if _is_of(learner.names[name], found[0])}
    words = {name: values for name, values in own.items() if not all(map(_is_number, values))}
    made: dict[str, Candidate] = {}
    for chosen in product(*words.values()):
        start = {**first, **dict(zip(words, chosen, strict=True))}
        others = [{**start, name: value} for name in own if name not in words for value in own[name][1:]]
        made |= {str(describe(candidate)): candidate for candidate in (start, *others)}
        if len(made) >= MOST_TRIALS:
            break
    yield from list(made.values())[:MOST_TRIALS]


def _is_of(full: str, prefix: str) -> bool:
    """Is a parameter one of the final part, or the choice of that part?"""
    owner, _, _ = full.rpartition("__")
    return owner == prefix or full == prefix or prefix.startswith(f"{full}__")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _some(parameter: Parameter) -> list[Any]:
    """Values to try: of a choice all that are no numbers, of numbers a few, ends and middle among them."""
    if not isinstance(parameter, Choice):
        return [parameter.at(place) for place in (0.0, 0.5, 1.0)]
    values = list(parameter.values)
    if len(values) <= 5 or not all(map(_is_number, values)):
        return values
    return [values[0], min(values), values[len(values) // 2], max(values)]


def _has_own_target(estimator: Any) -> bool:
    """Does the final part meet another target than that of the data?"""
    parts = (estimator, *estimator.get_params(deep=True).values())
    return any(type(part).__name__ == "TransformedTargetRegressor" for part in parts)


def _table(
    data: Dataset, shape: tuple[int, int], *, is_first: bool, has_target: bool, is_builtin: bool
) -> tuple[Any, AnyArray]:
    """Made-up rows of the task; targets are those of the data, which a learner may refuse for what they are."""
    rng, (rows, columns) = np.random.default_rng(0), shape
    is_small = shape == SHAPES[0]
    columns = min(max(data.columns, 1), columns) if is_small else min(max(data.columns, columns), MOST_COLUMNS)
    rows = max(rows, 8 * len(data.classes))
    # Built-in learners meet scaled columns; what others meet is not known, and some take no number below zero.
    X: Any = rng.normal(size=(rows, columns)) if is_builtin else rng.uniform(0.5, 1.5, size=(rows, columns))
    if hasattr(data.X, "tocsr") and is_first:
        from scipy.sparse import csr_array

        X = csr_array(X)
    if data.classes:
        return X, np.resize(np.asarray(data.classes), rows)
    if has_target and not is_builtin:  # what becomes of the target is not known
        return X, rng.uniform(0.5, 1.5, size=rows)
    y = rng.permutation(np.quantile(np.asarray(data.y, np.float64), np.linspace(0, 1, rows)))
    return X, (y - y.mean()) / (y.std() or 1.0) if has_target else y


def _said(part: Any, X: Any, y: AnyArray) -> str:
    """What a copy of the part says against this table, where that is about its parameters."""
    from sklearn.base import clone

    known = part.get_params(deep=False)
    quick = {name: value for name, value in QUICK.items() if name in known}
    if known.get("random_state", 0) is None:
        quick["random_state"] = 0
    is_loud = type(part).__module__.startswith("lightgbm.")  # it cries before it raises, past Python
    quick |= {"verbosity" if "verbosity" in known else "verbose": -1} if is_loud else {}
    with _without_cries() if is_loud else nullcontext():
        try:
            clone(part).set_params(**quick).fit(X, y).predict(X[:5])
        except Exception as problem:
            return _text(problem)
    return ""


@contextmanager
def _without_cries() -> Iterator[None]:
    try:
        kept = os.dup(2)
    except OSError:  # the process has no such stream, as services may
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@contextmanager
def _in_silence() -> Iterator[None]:
    """On one thread, without warnings, and with random numbers as they were before.

    All of this is the whole process's: two threads at once would put back what the other had changed.
    """
    from threadpoolctl import threadpool_limits

    with _ALONE, warnings.catch_warnings(), seeded_world(0), threadpool_limits(1), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def _text(problem: Exception) -> str:
    is_own = isinstance(problem, ValueError | TypeError | NotImplementedError) or type(problem).__name__ in _ERRORS
    text = re.sub(r"^\[[\d:]+\] \S+: | at /\S.*", "", str(problem).strip()).splitlines()  # places in a library
    is_about_table = re.search(r"NaN|infinity|infs or|dimension|feature|column|\bsamples|data ?set", str(problem))
    if not is_own or isinstance(problem, np.linalg.LinAlgError) or is_about_table:
        return ""
    return text[0][:200].rstrip(". ") if text else ""


def _refusal(learner: Learner, candidate: Candidate, data: Dataset, text: str) -> BadSpace:
    """The sentence, with those values alone that it takes."""
    guilty: Mapping[str, Any] = dict(candidate)
    for name, value in candidate.items():
        if hasattr(value, "fit") or (isinstance(value, str) and value in text):
            continue  # others are its parameters, or it is named in the text
        fewer = {other: kept for other, kept in guilty.items() if other != name}
        if _why_refused(learner, fewer, data) == text:
            guilty = fewer
    if not guilty:
        return BadSpace(f"learner {learner.name!r} cannot be fitted: {text}", "Change its fixed parameters")
    together = ", ".join(f"{name}={short(value)}" for name, value in guilty.items())
    alone = "Leave the value out, or write another"
    apart = "" if learner.is_builtin else " in spaces of their own: space=[{...}, {...}]"  # it has one space
    remedy = alone if len(guilty) == 1 else f"Give values that go together{apart}"
    return BadSpace(f"learner {learner.name!r} refuses {together}: {text}", remedy)
