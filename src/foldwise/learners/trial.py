"""Values of a space that a learner refuses, found before any real fit by fitting it to nothing and to made-up rows.

A fit to no rows fails, but scikit-learn checks the parameters first, and only its messages on them are used.
Values that are valid alone but not in combination are found on a few made-up rows.
"""

from __future__ import annotations

import math
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass, replace
from itertools import product
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.errors import BadSpace, nearest
from foldwise.learners.idle import check_idle, without_idle
from foldwise.learners.learner import Learner
from foldwise.learners.model import seeded_world
from foldwise.spaces.draw import Block, Candidate
from foldwise.spaces.parameter import Choice, Distribution, Parameter
from foldwise.spaces.value import describe, short

if TYPE_CHECKING:
    from foldwise.data.dataset import Dataset

MOST_TRIALS = 200  # fits of a few rows for one block of a space
MOST_CLASSES = 30
MOST_COLUMNS = 1000  # of a made-up table, however wide the real one is
SHAPES = ((24, 30), (400, 120))  # rows, and columns at most (small) or at least (large)
# Libraries whose learners may be tried; a user's own class may have effects, or take its time.
KNOWN = ("sklearn.", "lightgbm.", "xgboost.", "foldwise.learners.")
_SLOW = "foldwise.learners.estimators.neural_net"  # fitted to nothing only
_QUICK = ("max_iter", "n_estimators", "iterations")  # 1 is enough to hear a refusal
_QUIET = {"n_restarts_optimizer": 0, "n_jobs": 1, "verbose": 0, "verbosity": 0}
# Learners so quick that a trial would tell; they take every number their own check takes, the rest being as it comes.
EASY = ("KNeighbors", "Nearest", "Ridge", "Lasso", "KernelRidge")
_ALONE = RLock()
_ERRORS = ("LightGBMError", "CatBoostError")  # of packages whose errors are not those of Python
_INSIDE = {"TransformedTargetRegressor": "regressor", "RowSample": "estimator", "Calibrated": "estimator"}
_OF_PIPELINES = ("steps", "memory", "transform_input", "verbose")  # all other names are those of steps
_AS_WORD = "no word that any part knows"


def check_space(learner: Learner, data: Dataset, *, is_fixed: bool = False) -> None:
    """Refuse values that the learner does not take, alone or together, and parameters that do nothing.

    `is_fixed`: the space has one value for each parameter that the user fixed.
    """
    for block in () if learner.space is None else learner.space.blocks:
        estimator = learner.at({name: _some(parameter)[0] for name, parameter in block})
        parts = {"": estimator, **estimator.get_params(deep=True)}
        check_idle(learner, block, parts, is_fixed=is_fixed)
        for name, parameter in block:
            prefix, _, leaf = learner.names[name].rpartition("__")
            for value in _some(parameter):
                check_value(learner.name, parts[prefix], name, leaf, value)
        if not _is_simple(learner, block, estimator):
            _check_together(learner, block, data)


def check_value(name: str, owner: Any, word: str, leaf: str, value: Any) -> None:
    """Refuse a value that the part which the parameter belongs to does not take on sight."""
    kind = type(owner)
    if leaf in ("kernel", "metric") and isinstance(value, str) and value == "precomputed":
        raise _refusal(name, {word: value}, "the rows of a table are no distances of each other")
    if kind.__name__ == "Pipeline" and leaf not in _OF_PIPELINES and not _is_step(value):
        raise _refusal(name, {word: value}, "a step must be an estimator or 'passthrough'")
    if kind.__module__ == "sklearn.gaussian_process.kernels" and isinstance(value, int | float) and not value > 0:
        raise _refusal(name, {word: value}, "it must be a number above 0")
    # True is a number to Python and a slip of the pen to everyone else; where it is meant, words are refused too
    for asked in (value, *((_AS_WORD,) if isinstance(value, bool | np.bool_) else ())):
        reason = _on_sight(owner, leaf, asked)
        if reason and (asked is value or "bool" not in reason):
            raise _refusal(name, {word: value}, *_in_order(reason, value))


def without_refused(learner: Learner, data: Dataset) -> Learner:
    """The learner without what goes ill with its fixed values: parameters that do nothing, and blocks of its space
    that are refused, unless all of them are."""
    learner = without_idle(learner)
    if learner.space is None:
        return learner
    with _in_silence():
        trial = _Trial(learner, data)
        left = [b for b in learner.space.blocks if not any(map(trial.refuses, _combinations(learner, b)))]
    return replace(learner, space=learner.space.only(left)) if left else learner


def check_neighbours(learner: Learner, rows: int) -> None:
    """Refuse a nearest-neighbour learner that may ask for more neighbours than its smallest training part has rows."""
    for block in ((),) if learner.space is None else learner.space.blocks:
        found = final_part(learner.at({name: _largest(parameter) for name, parameter in block}))
        prefix, part = ("", learner.estimator) if found is None else found
        most = getattr(part, "n_neighbors", None)
        full = _joined(prefix, "n_neighbors")
        name = next((name for name, _ in block if learner.names[name] == full), "n_neighbors")
        is_cut = learner.is_default and name in dict(block)  # our own space is cut to the rows
        if isinstance(most, int | np.integer) and most > rows and _is_known(part) and not is_cut:
            text = f"asks for {name}={most}, but its smallest training part has {rows} rows"
            remedy = f"Use at most {rows} neighbours, or splits with larger training parts"
            raise BadSpace(f"learner {learner.name!r} {text}", remedy)


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


def _on_sight(owner: Any, leaf: str, value: Any) -> str:
    """The error that an estimator raises for a value of a parameter before it reads the table, which is empty here."""
    if not type(owner).__module__.startswith(("sklearn.", "foldwise.")) or not _is_known(owner):
        return ""
    trial = copy(owner)
    setattr(trial, leaf, value)
    try:
        trial.fit(None, None)
    except Exception as problem:
        return str(problem) if f"'{leaf}' parameter" in str(problem) else ""
    return ""


def _is_known(part: Any) -> bool:
    """Is all of it, whatever it is made of, code of known libraries? A pipeline is judged by its steps."""
    values = (part, *part.get_params(deep=True).values())
    codes = [value if isinstance(value, type) or not hasattr(value, "fit") else type(value) for value in values]
    is_code = [hasattr(value, "fit") or callable(value) for value in values]
    names = [str(getattr(code, "__module__", "")) for code, is_one in zip(codes, is_code, strict=True) if is_one]
    return hasattr(part, "fit") and type(part).__name__ != "Pipeline" and all(name.startswith(KNOWN) for name in names)


def _is_tried(part: Any) -> bool:
    """May it be fitted to made-up rows? A learner that holds another may hand it other rows, or fit it many times."""
    has_learner = any(hasattr(value, "fit") for value in part.get_params(deep=True).values())
    return _is_known(part) and not has_learner and not type(part).__module__.startswith(_SLOW)


def _is_step(value: Any) -> bool:
    return value is None or hasattr(value, "fit") or (isinstance(value, str) and value == "passthrough")


def _is_simple(learner: Learner, block: Block, estimator: Any) -> bool:
    """Is one number tuned of an easy learner that is otherwise as it comes? What it says on sight is all then."""
    found = final_part(estimator)
    ((name, parameter), *others) = block
    kind = "" if found is None else type(found[1]).__name__.removesuffix("Classifier").removesuffix("Regressor")
    if found is None or others or kind not in EASY or not all(map(_is_number, _some(parameter))):
        return False
    usual, own = type(found[1])().get_params(deep=False), found[1].get_params(deep=False)
    tuned = learner.names[name].rpartition("__")[2]
    return all(repr(own[word]) == repr(value) for word, value in usual.items() if word != tuned)  # arrays too


def _check_together(learner: Learner, block: Block, data: Dataset) -> None:
    with _in_silence():
        trial = _Trial(learner, data)
        for candidate in _combinations(learner, block):
            if text := trial.refuses(candidate):
                guilty = trial.guilty(candidate, text)
                apart = "" if learner.is_builtin else " in spaces of their own: space=[{...}, {...}]"  # it has one
                remedy = f"Give values that go together{apart}" if len(guilty) > 1 else ""
                raise _refusal(learner.name, guilty, text, remedy)


def _combinations(learner: Learner, block: Block) -> Iterator[Candidate]:
    """Every combination of words, with each number, or None, at several of its values in turn."""
    first = {name: _some(parameter)[0] for name, parameter in block}
    found = final_part(learner.at(first))
    if found is None:
        return
    own = {name: _some(parameter) for name, parameter in block if _is_of(learner.names[name], found[0])}
    words = {name: values for name, values in own.items() if not all(v is None or _is_number(v) for v in values)}
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
    is_one = isinstance(value, int | float | np.integer) and not isinstance(value, bool)
    return is_one and math.isfinite(value)


def _some(parameter: Parameter) -> list[Any]:
    """Values to try: of a choice all that are no numbers, of numbers a few, ends and middle among them."""
    if not isinstance(parameter, Choice):
        return [parameter.at(place) for place in (0.0, 0.5, 1.0)]
    numbers: dict[type, list[Any]] = {}
    for value in filter(_is_number, parameter.values):
        numbers.setdefault(type(value), []).append(value)
    few = [one for values in numbers.values() for one in (min(values), values[len(values) // 2], max(values))]
    chosen = [value for value in parameter.values if not _is_number(value)]
    return list({repr(value): value for value in (parameter.values[0], *few, *chosen)}.values())


def _largest(parameter: Parameter) -> Any:
    """The largest of its numbers, or of a distribution, which may have no end, one of the largest."""
    if isinstance(parameter, Choice):
        return max(filter(_is_number, parameter.values), default=parameter.values[0])
    return parameter.at(0.999 if isinstance(parameter, Distribution) else 1.0)


@dataclass(frozen=True)
class _Trial:
    """A learner's final part at candidates of its space, on made-up rows."""

    learner: Learner
    data: Dataset

    def refuses(self, candidate: Mapping[str, Any]) -> str:
        """What the learner itself says against a candidate on any table, or nothing.

        A text that differs between a small and a large table is about the table, and the real one may be another.
        """
        whole = self.learner.at(candidate)
        found = final_part(whole)
        if found is None or not _is_tried(found[1]) or len(self.data.classes) > MOST_CLASSES:
            return ""
        prefix, part = found
        small = self._table(SHAPES[0], whole, prefix)
        text = _said(part, *small)
        if not text or _said(type(part)(), *small):  # a class that fails as it comes is not for such tables
            return ""
        again = _said(part, *self._table(SHAPES[1], whole, prefix))
        return text if text == again else ""

    def guilty(self, candidate: Mapping[str, Any], text: str) -> Mapping[str, Any]:
        """Those values alone that it takes to be refused with this text."""
        left: Mapping[str, Any] = dict(candidate)
        for name, value in candidate.items():
            if hasattr(value, "fit") or (isinstance(value, str) and value in text):
                continue  # others are its parameters, or it is named in the text
            fewer = {other: kept for other, kept in left.items() if other != name}
            if self.refuses(fewer) == text:
                left = fewer
        return left

    def _table(self, shape: tuple[int, int], whole: Any, prefix: str) -> tuple[Any, AnyArray]:
        """Made-up rows of the task; targets are those of the data, which a learner may refuse for what they are."""
        data, rng, (rows, columns) = self.data, np.random.default_rng(0), shape
        is_small, is_builtin = shape == SHAPES[0], self.learner.is_builtin
        columns = min(max(data.columns, 1), columns) if is_small else min(max(data.columns, columns), MOST_COLUMNS)
        rows = max(rows, 8 * len(data.classes))
        # Built-in learners meet scaled columns; what others meet is not known, and some take no number below zero.
        X: Any = rng.normal(size=(rows, columns)) if is_builtin else rng.uniform(0.5, 1.5, size=(rows, columns))
        if hasattr(data.X, "tocsr") and not prefix:
            from scipy.sparse import csr_array

            X = csr_array(X)
        if data.classes:
            return X, np.resize(np.asarray(data.classes), rows)
        parts = (whole, *whole.get_params(deep=True).values())
        has_target = any(type(part).__name__ == "TransformedTargetRegressor" for part in parts)
        if has_target and not is_builtin:  # what becomes of the target is not known
            return X, rng.uniform(0.5, 1.5, size=rows)
        y = rng.permutation(np.quantile(np.asarray(data.y, np.float64), np.linspace(0, 1, rows)))
        return X, (y - y.mean()) / (y.std() or 1.0) if has_target else y


def _said(part: Any, X: Any, y: AnyArray) -> str:
    """What a copy of the part says against this table, where that is about its parameters."""
    from sklearn.base import clone

    known = part.get_params(deep=False)
    quick = {name: 1 for name in _QUICK if isinstance(known.get(name), int) and known[name] > 1}
    quick |= {name: value for name, value in _QUIET.items() if name in known}
    if known.get("random_state", 0) is None:
        quick["random_state"] = 0
    is_loud = type(part).__module__.startswith("lightgbm.")  # it cries before it raises, past Python
    quick |= {"verbosity" if "verbosity" in known else "verbose": -1} if is_loud else {}
    with _without_cries() if is_loud else nullcontext():
        try:
            predicted = np.asarray(clone(part).set_params(**quick).fit(X, y).predict(X[:5]))
        except Exception as problem:
            return _text(problem)
    return "" if predicted.dtype.kind != "f" or np.isfinite(predicted).all() else "its predictions are not finite"


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
    is_own = isinstance(problem, ValueError | TypeError | NotImplementedError | OverflowError)
    text = re.sub(r"^\[[\d:]+\] \S+: | at /\S.*", "", str(problem).strip()).splitlines()  # places in a library
    table = r"dimension|feature|column|\bsamples|data ?set|NaN|infinity|infs or"
    is_about_table = isinstance(problem, np.linalg.LinAlgError) or re.search(table, str(problem))
    if not (is_own or type(problem).__name__ in _ERRORS) or is_about_table:
        return ""
    return text[0][:200].rstrip(". ") if text else ""


def _in_order(reason: str, value: Any) -> tuple[str, str]:
    """What a part says of its parameter, the words it knows in order, and the nearest of them."""
    words = re.search(r"must be (.*)\. Got ", reason, flags=re.DOTALL)
    if words is None:
        return reason, ""
    listed = re.search(r"\{('[^{}]*)\}", words[1])
    if listed is None:
        return f"it must be {words[1]}", ""
    known = sorted(re.findall(r"'([^']*)'", listed[1]))
    hint = nearest(str(value), known)
    text = words[1].replace(listed[0], f"{{{', '.join(map(repr, known))}}}")
    return f"it must be {text}", hint if hint.startswith("Did") else ""


def _refusal(name: str, guilty: Mapping[str, Any], text: str, remedy: str = "") -> BadSpace:
    if not guilty:
        return BadSpace(f"learner {name!r} cannot be fitted: {text}", "Change its fixed parameters")
    together = ", ".join(f"{word}={short(value)}" for word, value in guilty.items())
    return BadSpace(f"learner {name!r} refuses {together}: {text}", remedy or "Leave the value out, or write another")
