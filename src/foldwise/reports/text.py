"""The answer for a terminal: a table, the verdict, the candidates chosen, the notes."""

from __future__ import annotations

import io
import shutil
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from foldwise.answers.failures import failure_rows, mixed_words, policy_words
from foldwise.answers.numbers import MISSING, candidate_words, number, plain, span
from foldwise.reports.bars import make_bars
from foldwise.reports.verdict import verdict

Method = Mapping[str, Any]
Justify = Literal["left", "right"]
Columns = Mapping[str, Callable[[Method], str]]
WIDE = 170  # characters of a line if the output is not a terminal
NARROW = 72  # below, a table would break its numbers
SHORTEST, LONGEST = 10, 30  # characters of a drawing
GAP = 3  # characters between columns
BAR = "risk drawn"
MOST_CHOICES = 20  # distinct candidates of a method that are listed; the page lists all
MOST_FOLDS = 31  # folds that are listed one by one

RESULT_COLUMNS: dict[str, Callable[[Method], str]] = {
    "method": lambda method: plain(method["name"]),
    "risk": lambda method: _risk(method),
    "interval": lambda method: span(method.get("low"), method.get("high")),
    "selection score": lambda method: number(method.get("selection_score")),
    "optimism": lambda method: number(method.get("optimism"), digits=3),
    "difference": lambda method: _difference(method),
}
DETAIL_COLUMNS: dict[str, Callable[[Method], str]] = {
    "training risk": lambda method: number(method.get("train_risk")),
    "gap": lambda method: number(method.get("gap")),
    "agreement": lambda method: share(method.get("agreement")),
    "failed": lambda method: number(method.get("failed")),
    "fits": lambda method: number(method.get("fits")),
    "seconds": lambda method: number(method.get("seconds"), digits=2),
}


def render_text(answer: Mapping[str, Any], *, width: int | None = None, color: bool = False) -> str:
    """The whole answer as text; on a narrow screen the table is broken in two, then into one block per method."""
    width = width or shutil.get_terminal_size((WIDE, 24)).columns
    parts = [_wrapped(study_words(answer), width, most=width), *_tables(answer, width, color)]
    parts += [_wrapped(_failures(answer), width)] if failure_rows(answer) else []
    parts += [_wrapped(verdict(answer), width), *_choices(answer, width), *_refit(answer, width)]
    parts += ["\n".join(_wrapped(f"note: {plain(note['text'])}", width) for note in answer.get("notes") or [])]
    return "\n\n".join(part for part in parts if part)


def _tables(answer: Mapping[str, Any], width: int, color: bool) -> list[str]:
    methods, best = list(answer.get("methods") or []), answer.get("best")
    if width < NARROW:
        return ["\n".join(_block(method, make_bars(methods, width - 4), width) for method in methods)]
    every, name = {**RESULT_COLUMNS, **DETAIL_COLUMNS}, {"method": RESULT_COLUMNS["method"]}
    first = {key: RESULT_COLUMNS[key] for key in ("method", "risk", "interval", "difference")}
    if width - _taken(every, methods) >= SHORTEST:
        tables = [_with_bar(every, methods, width)]
    else:
        rest = {key: read for key, read in every.items() if key not in first}
        tables = [_with_bar(first, methods, width), {**name, **rest}]
    return [_table(columns, methods, best, width=width, color=color) for columns in tables]


def _taken(columns: Columns, methods: list[Any]) -> int:
    """Characters that these columns and the space before one more need, if nothing is wrapped."""
    return sum(max(len(name), *(len(read(method)) for method in methods)) + GAP for name, read in columns.items())


def _with_bar(columns: Columns, methods: list[Any], width: int) -> Columns:
    """The same columns with the drawing between the name and the numbers, where there is room for it."""
    room = min(LONGEST, width - _taken(columns, methods))
    bar = {BAR: make_bars(methods, room)} if room >= SHORTEST else {}
    return {"method": columns["method"], **bar, **columns}


def _block(method: Method, draw: Callable[[Method], str], width: int) -> str:
    """One method on a very narrow screen: its name, its drawing, then all numbers as words."""
    columns = {**RESULT_COLUMNS, **DETAIL_COLUMNS}
    numbers = [f"{name} {read(method)}" for name, read in columns.items() if name != "method"]
    words = _wrapped("  " + ", ".join(numbers), width, indent="  ")
    return "\n".join((_wrapped(plain(method["name"]), width), f"  {draw(method)}".rstrip(), words))


def table_text(columns: Mapping[str, list[str]], *, width: int | None = None, justify: Justify = "right") -> str:
    """A plain table: one list of texts per column, the first column to the left."""
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    readers = {name: _reader(name) for name in columns}
    width = width or shutil.get_terminal_size((WIDE, 24)).columns
    return _table(readers, rows, None, width=width, color=False, justify=justify)


def study_words(answer: Mapping[str, Any]) -> str:
    """What was asked, on one line."""
    size = f"{number(answer['rows'])} rows" if answer.get("rows") is not None else ""
    outer = f"outer: {answer['outer']}" if answer.get("outer") else ""
    inner = f"inner: {answer['inner']}" if answer.get("inner") else ""
    seed = f"seed {answer['seed']}" if answer.get("seed") is not None else ""
    loss = f"{answer['loss']} loss" if answer.get("loss") else ""
    return plain("; ".join(part for part in (answer.get("task"), size, loss, outer, inner, seed) if part))


def share(value: float | None) -> str:
    """A share as a percentage.

    >>> share(0.6154), share(None)
    ('62%', '-')
    """
    return MISSING if value is None else f"{100 * value:.0f}%"


def chosen(method: Method) -> list[tuple[str, list[str]]]:
    """Each candidate a method chose and the folds that chose it, the commonest first."""
    folds: dict[str, list[str]] = {}
    is_repeated = any(fold.get("repeat") for fold in method.get("folds") or [])
    for fold in method.get("folds") or []:
        if fold.get("candidate"):
            label = f"{fold['repeat']}.{fold['fold']}" if is_repeated else str(fold["fold"])
            is_auto = method.get("name") == "auto"  # whose choice is a method; its candidate is that method's
            words = plain(fold["candidate"]["method"]) if is_auto else candidate_words(fold["candidate"])
            folds.setdefault(words, []).append(label)
    return sorted(folds.items(), key=lambda item: -len(item[1]))


def _failures(answer: Mapping[str, Any]) -> str:
    """The policy for failed fits, and whose folds each risk rests on."""
    mixed = [f"{plain(method['name'])}: {words}" for method in answer["methods"] if (words := mixed_words(method))]
    return "; ".join([f"Failed fits: {policy_words(answer)}", *mixed]) + "."


def _risk(method: Method) -> str:
    """The risk, and how many of its folds are the method's own."""
    risk, own = number(method.get("risk")), method.get("own_folds")
    return f"{risk} ({own} of {len(method['folds'])} own)" if mixed_words(method) else risk


def _difference(method: Method) -> str:
    value, around = number(method.get("difference")), span(method.get("difference_low"), method.get("difference_high"))
    return value if around == MISSING else f"{value} ({around})"


def _wrapped(text: str, width: int, *, indent: str = "", most: int = 110) -> str:
    width = min(width, most)  # longer lines are hard to read
    return textwrap.fill(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _reader(name: str) -> Callable[[Method], str]:
    return lambda row: plain(row[name])


def _table(
    columns: Mapping[str, Callable[[Method], str]],
    rows: list[Any],
    best: str | None,
    *,
    width: int,
    color: bool,
    justify: Justify = "right",
) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for position, name in enumerate(columns):
        is_left = not position or name == BAR
        table.add_column(Text(name), justify="left" if is_left else justify, overflow="fold", no_wrap=name == BAR)
    for row in rows:
        style = "bold green" if best is not None and row.get("name") == best else ""
        table.add_row(*(Text(read(row)) for read in columns.values()), style=style)
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=color, no_color=not color, legacy_windows=False).print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().strip("\n").splitlines())


def _choices(answer: Mapping[str, Any], width: int) -> Iterator[str]:
    lines = [_method_choices(method, width) for method in answer.get("methods") or [] if chosen(method)]
    if lines:
        yield "\n".join(["Candidates chosen, by outer fold:", *lines])


def _method_choices(method: Method, width: int) -> str:
    """All choices of one method as one paragraph."""
    listed = chosen(method)
    parts = [f"{words} in {_folds(folds)}" for words, folds in listed[:MOST_CHOICES]]
    if rest := listed[MOST_CHOICES:]:
        parts.append(f"{len(rest)} others in {sum(len(folds) for _, folds in rest)} folds")
    return _wrapped(f"  {plain(method['name'])}: {'; '.join(parts)}", width, indent="    ")


def _folds(folds: list[str]) -> str:
    return f"{len(folds)} folds" if len(folds) > MOST_FOLDS else " ".join(folds)


def _refit(answer: Mapping[str, Any], width: int) -> Iterator[str]:
    refit = answer.get("refit") or {}
    if refit.get("method"):
        chosen = f" with {candidate_words(refit['candidate'])}, chosen on" if refit.get("candidate") else ", fitted to"
        yield _wrapped(f"To use on new rows: {plain(refit['method'])}{chosen} all rows.", width)
