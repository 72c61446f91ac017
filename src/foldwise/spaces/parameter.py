"""One axis of a space: a choice of values, a range of numbers, or a distribution."""

from __future__ import annotations

import math
from collections.abc import Callable, KeysView, Mapping, Sequence, ValuesView
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from foldwise.errors import BadSpace
from foldwise.shown import Shown
from foldwise.spaces.value import describe, keys, plain, restore, short, value_key

Kind = Literal["log", "float", "int", "int_log"]
GRID_POINTS = 10  # when a range does not say how many
MOST_VALUES = 100_000  # a longer list of choices is a slip of the pen
_EDGE = 2.0**-32  # keeps a drawn quantile off the infinite ends of a distribution


@dataclass(frozen=True, eq=False)
class Choice:
    """One of these values, in the order given.

    >>> Choice((1, 2, None)).grid()
    [1, 2, None]
    """

    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))

    def __repr__(self) -> str:
        return f"[{', '.join(map(short, self.values))}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Choice) and keys(self.values) == keys(other.values)

    def __hash__(self) -> int:
        return hash(keys(self.values))

    @property
    def size(self) -> float:
        return len(self.values)

    def grid(self) -> list[Any]:
        return list(self.values)

    def at(self, u: float) -> Any:
        return self.values[min(int(u * len(self.values)), len(self.values) - 1)]

    def count(self) -> float:
        """How many different values a draw can give."""
        return len(self.values)

    def to_json(self) -> dict[str, Any]:
        return {"choice": [describe(value) for value in self.values]}


@dataclass(frozen=True, repr=False)
class Range(Shown):
    """Numbers from low to high, both included; n points of it in a grid."""

    low: float
    high: float
    n: int | None
    kind: Kind

    def __repr__(self) -> str:
        points = [] if self.n is None else [repr(self.n)]
        log = ["log=True"] if self.kind == "int_log" else []
        return f"{self._word}({', '.join([repr(self.low), repr(self.high), *points, *log])})"

    @property
    def _word(self) -> str:
        return {"log": "log_range", "float": "float_range"}.get(self.kind, "int_range")

    @property
    def is_whole(self) -> bool:
        return self.kind in ("int", "int_log")

    @property
    def size(self) -> float:
        return len(self.grid())

    def grid(self) -> list[Any]:
        """The points of a grid: first is low, last is high, no point twice.

        >>> log_range(0.01, 100, 5).grid()
        [0.01, 0.1, 1.0, 10.0, 100.0]
        >>> int_range(1, 4).grid()
        [1, 2, 3, 4]
        """
        n = GRID_POINTS if self.n is None else self.n
        if self.is_whole and self.count() <= n:
            return list(range(int(self.low), int(self.high) + 1))
        spaced = np.geomspace if self.kind in ("log", "int_log") else np.linspace
        # rounding may step over an end by a last digit
        points = [self.low, *spaced(self.low, self.high, n)[1:-1].clip(self.low, self.high).tolist(), self.high]
        return sorted({round(point) if self.is_whole else point for point in points[:n]})

    def at(self, u: float) -> Any:
        """The value a share u of the way from low to high (for the low-discrepancy draw)."""
        # an integer owns the unit interval above it, so that low and high are drawn as often as the others
        top = self.high + 1 if self.is_whole else self.high
        if self.kind in ("log", "int_log"):
            value = math.exp(math.log(self.low) + u * (math.log(top) - math.log(self.low)))
        else:
            value = self.low * (1 - u) + top * u
        value = min(max(value, self.low), self.high)
        return int(value) if self.is_whole else value

    def count(self) -> float:
        """How many different values a draw can give."""
        return int(self.high) - int(self.low) + 1 if self.is_whole else math.inf

    def to_json(self) -> dict[str, Any]:
        written = [self.low, self.high, self.n]
        return {self._word: [*written, True] if self.kind == "int_log" else written[: 2 if self.n is None else 3]}


@dataclass(frozen=True, eq=False)
class Distribution:
    """A frozen scipy.stats distribution, drawn from by its quantiles."""

    frozen: Any = field(repr=False)

    def __repr__(self) -> str:
        args = [*map(repr, self.frozen.args), *(f"{name}={value!r}" for name, value in self.frozen.kwds.items())]
        return f"{self.frozen.dist.name}({', '.join(args)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Distribution) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(repr(self))

    @property
    def size(self) -> float:
        return math.inf

    def grid(self) -> list[Any]:
        """Ten quantile midpoints."""
        points = [self.at((i + 0.5) / GRID_POINTS) for i in range(GRID_POINTS)]
        return list(dict.fromkeys(points))

    def at(self, u: float) -> Any:
        value = float(self.frozen.ppf(min(max(u, _EDGE), 1 - _EDGE)))
        if math.isnan(value):
            raise BadSpace(f"the distribution {self!r} has no quantiles", "Check its arguments")
        return int(value) if hasattr(self.frozen.dist, "pmf") else value

    def count(self) -> float:
        return math.inf

    def to_json(self) -> dict[str, Any]:
        args, kwds = describe(list(self.frozen.args)), describe(dict(self.frozen.kwds))
        return {"distribution": [self.frozen.dist.name, args, kwds]}


Parameter = Choice | Range | Distribution


def log_range(low: float, high: float, n: int | None = None) -> Range:
    """Numbers from `low` to `high`, evenly spaced in their logarithm; `n` of them in a grid (None: 10).

    `low`, `high`: the ends, both included.
    `n`: how many points a grid has.

    >>> log_range(1e-4, 1e4, 50)
    log_range(0.0001, 10000.0, 50)
    """
    return _make_range("log_range", low, high, n, "log")


def float_range(low: float, high: float, n: int | None = None) -> Range:
    """Numbers from `low` to `high`, evenly spaced; `n` of them in a grid (None: 10).

    `low`, `high`: the ends, both included.
    `n`: how many points a grid has.

    >>> float_range(0, 1, 3).grid()
    [0.0, 0.5, 1.0]
    """
    return _make_range("float_range", low, high, n, "float")


def int_range(low: int, high: int, n: int | None = None, log: bool = False) -> Range:
    """Whole numbers from `low` to `high`, both included; `n` of them in a grid, evenly spaced, or so in their `log`.

    `low`, `high`: the ends, both included.
    `n`: how many points a grid has.
    `log`: spaced evenly in the logarithm.

    >>> int_range(1, 1000, 4, log=True).grid()
    [1, 10, 100, 1000]
    """
    return _make_range("int_range", low, high, n, "int_log" if log else "int")


def as_parameter(value: Any) -> Parameter:
    """Whatever may be written after a parameter's name, as a parameter.

    >>> as_parameter(range(1, 4))
    [1, 2, 3]
    >>> as_parameter({"log_range": [0.1, 10]})
    log_range(0.1, 10.0)
    """
    if isinstance(value, (Choice, Range, Distribution)):
        return value
    if isinstance(value, Mapping):
        return _from_json(value)
    if not is_parameter(value) or getattr(value, "ndim", 1) > 1:
        raise _not_values(value)
    if _is_distribution(value):
        return Distribution(value)
    return _as_choice(value)


def _not_values(value: Any) -> BadSpace:
    """Why something stands for no list of values, and how it would."""
    if isinstance(value, (set, frozenset)):
        return BadSpace("a set has no order of its own", "Write a list")
    if hasattr(value, "__next__") or isinstance(value, (KeysView, ValuesView)):
        return BadSpace(f"a {type(value).__name__} is no list of values", "Write list(...) around it")
    if getattr(value, "ndim", 1) > 1:
        return BadSpace(f"the table of values has {value.ndim} dimensions", "Write a list of values")
    if hasattr(value, "ppf"):
        return BadSpace("a distribution without its numbers cannot be drawn from", "Write loguniform(0.001, 10), say")
    return BadSpace(f"{short(value)} is one value, not a list of values", f"Write [{short(value)}]")


def is_parameter(value: Any) -> bool:
    """Does this value stand for several values (rather than being one)?

    >>> is_parameter([1, 2]), is_parameter("auto"), is_parameter(3)
    (True, False, False)
    """
    if isinstance(value, (str, bytes, set, frozenset, type)):
        return False
    if isinstance(value, Mapping):
        return len(value) == 1 and next(iter(value)) in _WRITTEN
    if isinstance(value, (Choice, Range, Distribution, Sequence)) or _is_distribution(value):
        return True
    return hasattr(value, "tolist") and getattr(value, "ndim", 0) > 0  # arrays, Series, Index


def _from_json(written: Mapping[str, Any]) -> Parameter:
    """A range or a choice as study files write it: {"log_range": [0.1, 10, 5]}."""
    word = next(iter(written), "")
    if len(written) != 1 or word not in _WRITTEN:
        remedy = f"Write a list, or one of {', '.join(_WRITTEN)} with its numbers"
        raise BadSpace(f"{short(dict(written))} is not a parameter", remedy)
    given = written[word]
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise BadSpace(f"{word} needs a list of its arguments, not {short(given)}", f"Write {{{word} = [...]}}")
    if word == "choice":
        return _as_choice([restore(value) for value in given])
    if word == "distribution":
        return _named_distribution(list(given))
    makers: dict[str, Callable[..., Range]] = {
        "log_range": log_range,
        "float_range": float_range,
        "int_range": int_range,
    }
    if not 2 <= len(given) <= (4 if word == "int_range" else 3):
        raise BadSpace(f"{word} takes low, high and a number of points, not {len(given)} numbers", "Write two or three")
    return makers[word](*given)


_WRITTEN = ("choice", "log_range", "float_range", "int_range", "distribution")


def _named_distribution(given: list[Any]) -> Distribution:
    from scipy import stats

    name, args, kwds = given[0], restore(given[1]), restore(given[2])
    known = getattr(stats, str(name), None)
    if not isinstance(known, (stats.rv_continuous, stats.rv_discrete)):
        raise BadSpace(f"scipy.stats has no distribution {name!r}", "Write one of its names, such as loguniform")
    return Distribution(known(*args, **kwds))


def _as_choice(values: Any) -> Choice:
    if len(values) > MOST_VALUES:
        raise BadSpace(f"{len(values)} values are too many to choose from", "Use fw.int_range or fw.float_range")
    distinct: dict[Any, Any] = {}
    for value in values.tolist() if hasattr(values, "tolist") else values:
        if isinstance(value, (Range, Choice)) or _is_distribution(value):
            raise BadSpace(f"the range {value!r} stands inside a list", "Write it without the brackets")
        if isinstance(value, type) and hasattr(value, "get_params"):
            raise BadSpace(f"{value.__name__} is a class, not a learner made from it", f"Write {value.__name__}()")
        distinct.setdefault(value_key(value), plain(value))
    if not distinct:
        raise BadSpace("the list of values is empty", "Give at least one value")
    return Choice(tuple(distinct.values()))


def _make_range(word: str, low: Any, high: Any, n: Any, kind: Kind) -> Range:
    """The range, or the reason why there is none, in the words it was written in."""
    written = f"{word}({low!r}, {high!r})"
    for number in (low, high):
        if isinstance(number, (bool, np.bool_)) or not isinstance(number, (int, float, np.integer, np.floating)):
            raise BadSpace(f"{written} needs numbers, not {number!r}", f"Write {word}(low, high)")
        if not math.isfinite(number):
            raise BadSpace(f"{written} does not end: {number!r} is not finite", "Give finite numbers")
        if kind.startswith("int") and number != int(number):
            raise BadSpace(f"{written} needs whole numbers, not {number!r}", "Use float_range for other numbers")
    if low > high:
        raise BadSpace(f"{written} is turned around: {low!r} is above {high!r}", f"Write {word}({high!r}, {low!r})")
    if "log" in kind and low <= 0:
        raise BadSpace(f"{written} starts at {low!r}, but a logarithm needs numbers above zero", "Start above zero")
    if n is not None and (isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1):
        raise BadSpace(f"{written} cannot have {n!r} points", "Give a whole number of points, at least 1")
    if n is not None and n > MOST_VALUES:
        raise BadSpace(f"{written} cannot have {n} points", f"Give at most {MOST_VALUES:,}, or none and a budget")
    number_type = int if kind.startswith("int") else float
    return Range(number_type(low), number_type(high), None if n is None else int(n), kind)


def _is_distribution(value: Any) -> bool:
    return hasattr(value, "ppf") and hasattr(value, "dist") and hasattr(value, "args")
