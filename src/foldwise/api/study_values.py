"""Values of parameters as a flag or a study file writes them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from foldwise.errors import BadSpace, BadStudy, nearest
from foldwise.spaces import parameter as ranges

RANGES = ("range", "log_range", "float_range", "int_range")
_FLAG_RANGES = {"log": "log_range", "float": "float_range", "int": "int_range"}


def make_parameter(value: Any) -> Any:
    """What `fw.tune` takes for a parameter.

    >>> make_parameter({"range": [1, 30]}), make_parameter([2, 4, None]), make_parameter(7)
    (range(1, 31), [2, 4, None], 7)
    """
    if not isinstance(value, dict):
        return value
    ((kind, ends),) = value.items()
    return range(ends[0], ends[1] + 1) if kind == "range" else getattr(ranges, kind)(*ends)


def read_space(text: str) -> tuple[str, str, Any]:
    """Learner, parameter and values of one `--space` flag.

    >>> read_space("k-nn.n_neighbors=1..30")
    ('k-nn', 'n_neighbors', {'range': [1, 30]})
    >>> read_space("tree.max_depth=2,4,8,none")
    ('tree', 'max_depth', [2, 4, 8, None])
    """
    name, equals, values = text.partition("=")
    learner, dot, parameter = name.strip().rpartition(".")
    if not (equals and dot and learner and parameter and values.strip()):
        raise BadSpace(f"cannot read the space {text!r}", 'Write it as "k-nn.n_neighbors=1..30"')
    return learner, parameter, read_values(parameter, values)


def read_values(parameter: str, text: str) -> Any:
    """The values of a parameter as a flag writes them; one value alone fixes it.

    >>> read_values("alpha", "log(1e-4, 1e4, 50)"), read_values("weights", "distance")
    ({'log_range': [0.0001, 10000.0, 50]}, 'distance')
    """
    text = text.strip()
    if ends := re.fullmatch(r"(-?\d+)\.\.(-?\d+)", text):
        return one_form(parameter, {"range": [int(end) for end in ends.groups()]})
    if call := re.fullmatch(r"(log|float|int)(?:_range)?\((.*)\)", text):
        return one_form(parameter, {_FLAG_RANGES[call[1]]: [read_scalar(part) for part in call[2].split(",")]})
    parts = [read_scalar(part) for part in text.split(",")]
    return one_form(parameter, parts if len(parts) > 1 else parts[0])


def read_scalar(text: str) -> Any:
    """A number, true, false, none or text, as a flag writes it."""
    text = text.strip()
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            pass
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)


def one_form(name: str, value: Any) -> Any:
    """One form per meaning: a scalar, a list of scalars, or one range; "none" is None."""
    if isinstance(value, dict):
        return _normal_range(name, value)
    if isinstance(value, list):
        if not value:
            raise BadSpace(f"parameter {name!r} has an empty list of values", "Give at least one value")
        return [_normal_scalar(name, item) for item in value]
    return _normal_scalar(name, value)


def _normal_scalar(name: str, value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return None if value.lower() == "none" else value
    raise BadSpace(f"parameter {name!r} cannot take the value {value!r}", "Use numbers, text, true, false or none")


def _normal_range(name: str, value: dict[str, Any]) -> dict[str, list[Any]]:
    kind = next(iter(value), "")
    if len(value) != 1 or kind not in RANGES:
        raise BadSpace(f"parameter {name!r} has the unknown range {value!r}", nearest(kind, RANGES))
    ends = value[kind]
    is_numbers = isinstance(ends, list) and all(type(end) in (int, float) for end in ends)
    if not is_numbers or len(ends) not in ((2,) if kind == "range" else (2, 3)):
        raise BadSpace(f"{kind} of parameter {name!r} cannot be {ends!r}", "Give two numbers, low and high")
    if kind == "range":
        if not all(type(end) is int for end in ends) or ends[0] > ends[1]:
            raise BadSpace(f"range of parameter {name!r} cannot be {ends!r}", "Give two whole numbers, low first")
        return {kind: list(ends)}
    # 1 and 1.0 mean the same end of a range of real numbers.
    low_high = [int(end) if kind == "int_range" and end == int(end) else float(end) for end in ends[:2]]
    return {kind: [*low_high, *ends[2:]]}


LARGEST_FILE = 1_000_000  # bytes; a study is a page of text, not a data set
DEEPEST = 32  # tables in tables; ours need four
LONGEST = 10_000  # letters of a text, or values of a list
MOST_BITS = 1024  # of a number


def read_text(path: Path) -> str:
    """The text of a file that may be a stranger's: not too long, and not nested so deeply that reading it hangs."""
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise BadStudy(f"{path} is too large for a study file", f"Keep it under {LARGEST_FILE:,} bytes")
    text = content.decode("utf-8")
    if _depth(text) > DEEPEST:
        raise BadStudy(f"{path} is nested more than {DEEPEST} levels deep", "A study needs no more than four")
    return text


def check_sizes(value: Any, depth: int = 0) -> None:
    """Refuse words that are too deep, too long or too large for any study, wherever they come from."""
    if depth > DEEPEST:
        raise BadStudy(f"the study is nested more than {DEEPEST} levels deep", "A study needs no more than four")
    if isinstance(value, str | list | tuple | dict) and len(value) > LONGEST:
        raise BadStudy(f"a text or list of the study has {len(value):,} parts", f"Keep it under {LONGEST:,}")
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise BadStudy(f"a number of the study has more than {MOST_BITS:,} bits", "Give a smaller one")
    for part in (*value.keys(), *value.values()) if isinstance(value, dict) else value if _is_row(value) else ():
        check_sizes(part, depth + 1)


def _depth(text: str) -> int:
    """How deep brackets are nested, or how many dots a key has; quotes are not looked at, as no study has so many."""
    bare = re.sub(r"(?m)^[ \t]*#.*$", "", text)
    depth = deepest = 0
    for mark in re.findall(r"[\[\]{}]", bare):
        depth += 1 if mark in "[{" else -1
        deepest = max(deepest, depth)
    dots = re.findall(r"\.+", re.sub(r"[\w \t\"'-]+", "", bare))
    return max([deepest, *map(len, dots)])


def _is_row(value: Any) -> bool:
    return isinstance(value, list | tuple)
