"""A small reader of ARFF files (Weka's text format), dense and sparse rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from foldwise.errors import BadData

QUOTES = "'\""
MOST_COLUMNS = 100_000
MOST_LETTERS = 10 * 2**20  # of one line
MOST_CELLS = 50 * 10**6  # of sparse rows, where a few letters stand for any number of cells
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
# Java's date letters, which ARFF uses.
DATE_LETTERS = {"y": "%Y", "M": "%m", "d": "%d", "H": "%H", "m": "%M", "s": "%S", "S": "%f", "T": "T"}
DATE_FORMAT = "yyyy-MM-dd'T'HH:mm:ss"


@dataclass(frozen=True)
class Attribute:
    """One declared column: `kind` is number, text, date or nominal."""

    name: str
    kind: str
    labels: tuple[str, ...] = ()
    format: str = ""


def read_arff(lines: Iterable[str]) -> Any:
    """A pandas frame of the lines of an ARFF file.

    >>> read_arff(["@relation r", "@attribute size numeric % cm", "@data", "1.5", "?"])["size"].tolist()
    [1.5, nan]
    """
    numbered = enumerate(lines, start=1)
    attributes = _header(numbered)
    if len(attributes) > MOST_COLUMNS:
        raise BadData(f"the table has {len(attributes):,} columns, more than {MOST_COLUMNS:,}", "Drop some of them")
    kept = [(number, text) for number, line in numbered if (text := line.strip()) and not text.startswith("%")]
    _check_sizes(kept, len(attributes))
    cells = [_row(text, attributes, number) for number, text in kept]
    return _frame(attributes, cells, [number for number, _ in kept])


def _check_sizes(kept: list[tuple[int, str]], columns: int) -> None:
    sparse = sum(text.startswith("{") for _, text in kept)
    if sparse * columns > MOST_CELLS:
        raise BadData(
            f"{sparse:,} sparse rows of {columns:,} columns are more than {MOST_CELLS:,} cells",
            "Give a sparse matrix from Python instead",
        )
    for number, text in kept:
        if len(text) > MOST_LETTERS:
            raise _bad(number, f"it is longer than {MOST_LETTERS:,} letters")


def _header(numbered: Iterable[tuple[int, str]]) -> list[Attribute]:
    attributes: list[Attribute] = []
    for number, line in numbered:
        if len(line) > MOST_LETTERS:
            raise _bad(number, f"it is longer than {MOST_LETTERS:,} letters")
        text = line.strip().lstrip("\ufeff")
        word = text.split(None, 1)[0].lower() if text else ""
        if word == "@attribute":
            attributes.append(_attribute(text[len(word) :], number))
        elif word == "@data":
            if not attributes:
                raise _bad(number, "@data comes before any @attribute")
            return attributes
        elif word and word != "@relation" and not word.startswith("%"):
            raise _bad(number, f"{text[:40]!r} is no ARFF declaration")
    raise BadData("the ARFF file has no @data line", "Check that the file is complete")


def _attribute(text: str, number: int) -> Attribute:
    name, rest = _word(text.lstrip(), number)
    rest = rest.strip()
    if rest.startswith("{"):
        inside, closed, _ = _until(rest[1:], "}")
        if not closed:
            raise _bad(number, f"the values of attribute {name!r} have no closing brace")
        return Attribute(name, "nominal", tuple(value or "" for value in _values(inside, number)))
    words = _uncommented(rest).split(None, 1)
    kind = words[0].lower() if words else ""
    if kind in ("numeric", "real", "integer"):
        return Attribute(name, "number")
    if kind == "string":
        return Attribute(name, "text")
    if kind == "date":
        pattern = _word(words[1], number)[0] if len(words) > 1 else DATE_FORMAT
        return Attribute(name, "date", format=_strptime(pattern, number))
    raise _bad(number, f"attribute {name!r} has the unknown type {kind!r}")


def _row(text: str, attributes: list[Attribute], number: int) -> list[str | None]:
    if text.startswith("{"):
        return _sparse_row(text, attributes, number)
    values = _values(text, number)
    if len(values) != len(attributes):
        raise _bad(number, f"the row has {len(values)} values for {len(attributes)} attributes")
    return values


def _sparse_row(text: str, attributes: list[Attribute], number: int) -> list[str | None]:
    """Cells left out are 0, or the first declared value."""
    inside, closed, _ = _until(text[1:], "}")
    if not closed:
        raise _bad(number, "the sparse row has no closing brace")
    given: dict[int, str | None] = {}
    for part in _split(inside):
        if part.strip():
            place, _, value = part.strip().partition(" ")
            if not place.isdigit() or int(place) >= len(attributes):
                raise _bad(number, f"{place!r} is not the number of an attribute")
            given[int(place)] = _value(value, number)
    return [given[j] if j in given else _default(attribute, number) for j, attribute in enumerate(attributes)]


def _default(attribute: Attribute, number: int) -> str:
    if attribute.kind in ("text", "date"):
        raise _bad(number, f"the sparse row leaves out {attribute.kind} attribute {attribute.name!r}, with no zero")
    return attribute.labels[0] if attribute.kind == "nominal" else "0"


def _values(text: str, number: int) -> list[str | None]:
    delimiter = "," if "," in text else "\t"
    if not any(mark in text for mark in "'\"%\\"):
        return [None if (value := part.strip()) == "?" else value for part in text.split(delimiter)]
    return [_value(part, number) for part in _split(_uncommented(text), delimiter)]


def _value(part: str, number: int) -> str | None:
    part = part.strip()
    if part[:1] in QUOTES and part:
        value, rest = _word(part, number)
        if rest.strip():
            raise _bad(number, f"{rest.strip()[:20]!r} follows a quoted value")
        return value
    return None if part == "?" else part


def _word(text: str, number: int) -> tuple[str, str]:
    """The first word, which may be quoted, and the rest."""
    if not text:
        raise _bad(number, "a name is missing")
    if text[0] not in QUOTES:
        found = re.match(r"[^\s{]+", text)
        return (found.group(), text[found.end() :]) if found else (text, "")
    letters, escaped = [], False
    for place, letter in enumerate(text[1:], start=1):
        if escaped:
            letters.append(ESCAPES.get(letter, letter))
        elif letter == text[0]:
            return "".join(letters), text[place + 1 :]
        elif letter != "\\":
            letters.append(letter)
        escaped = letter == "\\" and not escaped
    raise _bad(number, "a quote is not closed")


def _split(text: str, delimiter: str = ",") -> list[str]:
    parts, begin = [], 0
    while (end := _find(text, delimiter, begin)) >= 0:
        parts.append(text[begin:end])
        begin = end + 1
    return [*parts, text[begin:]]


def _uncommented(text: str) -> str:
    # A per cent sign inside a value, as in 50%, is no comment.
    return _until(text, "%", after_blank=True)[0].rstrip()


def _until(text: str, mark: str, *, after_blank: bool = False) -> tuple[str, bool, str]:
    """Text before the first mark outside quotes, whether there is one, and the text after it."""
    place = _find(text, mark, after_blank=after_blank)
    return (text, False, "") if place < 0 else (text[:place], True, text[place + 1 :])


def _find(text: str, mark: str, begin: int = 0, *, after_blank: bool = False) -> int:
    """Where the first mark outside quotes is, or -1."""
    quote, start = "", True
    place = begin
    while place < len(text):
        letter = text[place]
        if letter == "\\":
            place += 1
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in QUOTES and start:
            quote = letter
        elif letter == mark and (not after_blank or place == 0 or text[place - 1].isspace()):
            return place
        start = letter in ", \t{" and not quote
        place += 1
    return -1


def _strptime(pattern: str, number: int) -> str:
    def code(found: re.Match[str]) -> str:
        letters = found.group()
        if letters[0] == "'":
            return letters[1:-1]
        if letters[0] not in DATE_LETTERS:
            raise _bad(number, f"the date format {pattern!r} has the unknown letter {letters[0]!r}")
        return "%y" if letters == "yy" else DATE_LETTERS[letters[0]]

    return re.sub(r"'[^']*'|([A-Za-z])\1*", code, pattern)


def _frame(attributes: list[Attribute], cells: list[list[str | None]], lines: list[int]) -> Any:
    import pandas as pd

    names = [attribute.name for attribute in attributes]
    doubled = sorted(name for name, times in Counter(names).items() if times > 1)
    if doubled:
        raise BadData(f"duplicate column names: {', '.join(map(repr, doubled))}", "Rename one of them")
    columns = {}
    for j, attribute in enumerate(attributes):
        values = [row[j] for row in cells]
        try:
            columns[attribute.name] = _column(attribute, values)
        except (ValueError, KeyError):
            raise _first_bad(attribute, values, lines) from None
    return pd.DataFrame(columns)


def _column(attribute: Attribute, values: list[str | None]) -> Any:
    import pandas as pd

    if attribute.kind == "number":
        return [float("nan") if value is None else float(value) for value in values]
    if attribute.kind == "nominal":
        rank = {label: code for code, label in enumerate(attribute.labels)}
        codes = [-1 if value is None else rank[value] for value in values]
        return pd.Categorical.from_codes(codes, categories=pd.Index(list(rank)))
    texts = pd.Series(values, dtype=object)
    return pd.to_datetime(texts, format=attribute.format) if attribute.kind == "date" else texts


def _first_bad(attribute: Attribute, values: list[str | None], lines: list[int]) -> BadData:
    for value, number in zip(values, lines, strict=True):
        try:
            _column(attribute, [value])
        except (ValueError, KeyError):
            wanted = "one of its declared values" if attribute.kind == "nominal" else f"a {attribute.kind}"
            return _bad(number, f"{value!r} in attribute {attribute.name!r} is not {wanted}")
    raise AssertionError("every value can be read alone")


def _bad(number: int, problem: str) -> BadData:
    return BadData(f"line {number} of the ARFF file cannot be read: {problem}", "Correct the line")
