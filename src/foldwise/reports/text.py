"""The answer for a terminal: a table, the verdict, the candidates chosen, the notes."""

from __future__ import annotations

import io
import shutil
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from foldwise.answers.failures import failure_rows, mixed_words, policy_words
from foldwise.answers.metrics import METRICS
from foldwise.answers.numbers import (
    MISSING,
    candidate_words,
    loss_words,
    number,
    other_notes,
    outer_words,
    plain,
    span,
    task_words,
    training_rows_words,
)
from foldwise.reports.bars import make_bars
from foldwise.reports.verdict import verdict
from foldwise.shown import is_notebook

Method = Mapping[str, Any]
Justify = Literal["left", "right"]
Columns = Mapping[str, Callable[[Method], str]]
WIDE = 170  # characters of a line if the output is not a terminal
IN_NOTEBOOK = 100  # characters of a line that a notebook does not break
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


def columns_of(methods: Sequence[Method]) -> dict[str, Callable[[Method], str]]:
    """The columns of the answer's table: those of further metrics only where some method has them."""
    known = {name for method in methods for name, value in (method.get("metrics") or {}).items() if value is not None}
    metrics = {METRICS[name]: _metric(name) for name in METRICS if name in known}
    risks = {key: RESULT_COLUMNS[key] for key in ("method", "risk", "interval")}
    return {**risks, **_further_losses(methods), **metrics, **RESULT_COLUMNS, **DETAIL_COLUMNS}


def _further_losses(methods: Sequence[Method]) -> dict[str, Callable[[Method], str]]:
    """A column for each loss after the first, with its interval."""
    losses: Mapping[str, Any] = next((method["losses"] for method in methods if method.get("losses")), {})
    return {plain(one.get("label") or name): _further_loss(name) for name, one in list(losses.items())[1:]}


def _further_loss(name: str) -> Callable[[Method], str]:
    def read(method: Method) -> str:
        found = (method.get("losses") or {}).get(name) or {}
        value, around = number(found.get("value")), span(found.get("low"), found.get("high"))
        return value if around == MISSING else f"{value} ({around})"

    return read


def _metric(name: str) -> Callable[[Method], str]:
    return lambda method: number((method.get("metrics") or {}).get(name))


def render_text(answer: Mapping[str, Any], *, width: int | None = None, color: bool = False) -> str:
    """The whole answer as text; on a narrow screen the table is broken in two, then into one block per method."""
    width = width or screen_width()
    parts = [_wrapped(study_words(answer), width, most=width), *_tables(answer, width, color)]
    parts += [_wrapped(training_rows_words(answer), width)]
    parts += [_wrapped(failures_words(answer), width)]
    parts += [_wrapped(verdict(answer), width), *_choices(answer, width), _wrapped(refit_words(answer), width)]
    parts += ["\n".join(_wrapped(f"note: {plain(note['text'])}", width) for note in other_notes(answer))]
    return "\n\n".join(part for part in parts if part)


def screen_width() -> int:
    """How many characters a line may have here."""
    return IN_NOTEBOOK if is_notebook() else shutil.get_terminal_size((WIDE, 24)).columns


def _tables(answer: Mapping[str, Any], width: int, color: bool) -> list[str]:
    methods, best = list(answer.get("methods") or []), answer.get("best")
    if width < NARROW:
        return ["\n".join(_block(method, make_bars(methods, width - 4), width) for method in methods)]
    every, name = columns_of(methods), {"method": RESULT_COLUMNS["method"]}
    first = {key: RESULT_COLUMNS[key] for key in ("method", "risk", "interval", "difference")}
    if width - _taken(every, methods) >= SHORTEST:
        tables = [_with_bar(every, methods, width)]
    else:
        rest = {key: read for key, read in every.items() if key not in first}
        tables = [_with_bar(first, methods, width), *_parts(name, rest, methods, width)]
    return [_table(columns, methods, best, width=width, color=color) for columns in tables]


def _parts(name: Columns, rest: Columns, methods: list[Any], width: int) -> list[Columns]:
    """So many tables that no number is broken; heads of several words may be."""
    parts: list[dict[str, Callable[[Method], str]]] = [{**name}]
    for key, read in rest.items():
        if len(parts[-1]) > len(name) and _least({**parts[-1], key: read}, methods) > width:
            parts.append({**name})
        parts[-1][key] = read
    return list(parts)


def _least(columns: Columns, methods: list[Any]) -> int:
    """Characters that these columns need if only the words of their heads are kept whole."""
    widths = [
        max(*(len(word) for word in head.split()), 0, *(len(read(method)) for method in methods))
        for head, read in columns.items()
    ]
    return sum(widths) + GAP * (len(widths) - 1)


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
    columns = columns_of([method])
    numbers = [f"{name} {read(method)}" for name, read in columns.items() if name != "method"]
    words = _wrapped("  " + ", ".join(numbers), width, indent="  ")
    return "\n".join((_wrapped(plain(method["name"]), width), f"  {draw(method)}".rstrip(), words))


def table_text(columns: Mapping[str, list[str]], *, width: int | None = None, justify: Justify = "right") -> str:
    """A plain table: one list of texts per column, the first column to the left."""
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    readers = {name: _reader(name) for name in columns}
    width = width or screen_width()
    return _table(readers, rows, None, width=width, color=False, justify=justify)


def study_words(answer: Mapping[str, Any]) -> str:
    """What was asked, on one line."""
    size = f"{number(answer['rows'])} rows" if answer.get("rows") is not None else ""
    outer = f"outer: {outer_words(answer)}" if answer.get("outer") else ""
    inner = f"inner: {answer['inner']}" if answer.get("inner") else ""
    seed = f"seed {answer['seed']}" if answer.get("seed") is not None else ""
    loss = loss_words(answer) if answer.get("loss") else ""
    return plain("; ".join(part for part in (task_words(answer), size, loss, outer, inner, seed) if part))


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


def mean_weights(method: Method) -> dict[str, float]:
    """The weights of a blend or stack, averaged over the folds, the largest first; none of other methods."""
    chosen = [fold["candidate"] for fold in method.get("folds") or [] if fold.get("candidate")]
    if method.get("candidates") is not None or method.get("name") == "auto" or not chosen:
        return {}
    if not all(isinstance(weight, float) for one in chosen for weight in one.values()):
        return {}
    means = {name: sum(one.get(name, 0.0) for one in chosen) / len(chosen) for name in chosen[0]}
    return dict(sorted(means.items(), key=lambda item: -abs(item[1])))


def failures_words(answer: Mapping[str, Any]) -> str:
    """The policy for failed fits, and whose folds each risk rests on; nothing where none failed."""
    if not failure_rows(answer):
        return ""
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
    is_tight = bool(rows) and _taken(columns, rows) - GAP > width
    for position, name in enumerate(columns):
        is_left = not position or name == BAR
        head = Text("\n".join(name.split()) if is_tight else name)  # broken between words alone
        table.add_column(head, justify="left" if is_left else justify, overflow="fold", no_wrap=name == BAR)
    for row in rows:
        style = "bold green" if best is not None and row.get("name") == best else ""
        table.add_row(*(Text(read(row)) for read in columns.values()), style=style)
    out = io.StringIO()
    Console(
        file=out,
        width=width,
        force_terminal=color,
        force_jupyter=False,  # which would draw the table at once, whatever the file
        no_color=not color,
        legacy_windows=False,
    ).print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().strip("\n").splitlines())


def _choices(answer: Mapping[str, Any], width: int) -> Iterator[str]:
    lines = [_method_choices(method, width) for method in answer.get("methods") or [] if chosen(method)]
    if lines:
        yield "\n".join(["Candidates chosen, by outer fold:", *lines])


def _method_choices(method: Method, width: int) -> str:
    """All choices of one method as one paragraph."""
    if weights := mean_weights(method):
        words = ", ".join(f"{plain(name)} {weight:.2f}" for name, weight in weights.items() if round(weight, 2))
        return _wrapped(f"  {plain(method['name'])}: on average {words}", width, indent="    ")
    listed = chosen(method)
    parts = [f"{words} in {_folds(folds)}" for words, folds in listed[:MOST_CHOICES]]
    if rest := listed[MOST_CHOICES:]:
        parts.append(f"{len(rest)} others in {sum(len(folds) for _, folds in rest)} folds")
    return _wrapped(f"  {plain(method['name'])}: {'; '.join(parts)}", width, indent="    ")


def _folds(folds: list[str]) -> str:
    return f"{len(folds)} folds" if len(folds) > MOST_FOLDS else " ".join(folds)


def refit_words(answer: Mapping[str, Any]) -> str:
    """The model to use on new rows, if there is one."""
    refit = answer.get("refit") or {}
    if not refit.get("method"):
        return ""
    chosen = f" with {candidate_words(refit['candidate'])}, chosen on" if refit.get("candidate") else ", fitted to"
    return f"To use on new rows: {plain(refit['method'])}{chosen} all rows."
