"""The answer for a terminal: a table, the verdict, the candidates chosen, the notes."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from foldwise.blocks.numbers import (
    MISSING,
    candidate_words,
    decimals,
    loss_words,
    measured,
    number,
    other_notes,
    outer_words,
    plain,
    rounded,
    task_words,
    training_rows_words,
)
from foldwise.questions.failures import failure_rows, mixed_words, policy_words
from foldwise.questions.metrics import METRICS
from foldwise.show.bars import Bars, make_bars
from foldwise.show.importance_text import importance_text, measured_methods
from foldwise.show.text_table import GAP, Column, broken, draw_table, total
from foldwise.show.verdict import verdict
from foldwise.shown import is_notebook
from foldwise.studies.finding import finding_words

Method = Mapping[str, Any]
Justify = Literal["left", "right"]
WIDE = 170  # characters of a line if the output is not a terminal
IN_NOTEBOOK = 100  # characters of a line that a notebook does not break
NARROW = 72  # below, a table would break its numbers
SHORTEST, COMFORTABLE, LONGEST = 10, 24, 48  # characters of a drawing
BAR = "risk drawn"
BEST = "*"  # beside the name of the best method, for screens without colour
HARD = "\N{NO-BREAK SPACE}"
MOST_CHOICES = 20  # distinct candidates of a method that are listed; the page lists all
MOST_FOLDS = 31  # folds that are listed one by one

RESULT_COLUMNS: dict[str, Callable[[Method], str]] = {
    "method": lambda method: plain(method["name"]),
    "risk": lambda method: _risk(method),
    "interval": lambda method: measured(None, method.get("low"), method.get("high"))[1],
    "selection score": lambda method: as_risk(method, method.get("selection_score")),
    "optimism": lambda method: as_risk(method, method.get("optimism")),
    "difference": lambda method: _difference(method),
}
DETAIL_COLUMNS: dict[str, Callable[[Method], str]] = {
    "training risk": lambda method: as_risk(method, method.get("train_risk")),
    "gap": lambda method: as_risk(method, method.get("gap")),
    "agreement": lambda method: share(method.get("agreement")),
    "failed": lambda method: number(method.get("failed")),
    "fits": lambda method: number(method.get("fits")),
    "seconds": lambda method: number(method.get("seconds"), digits=2),
}


def by_risk(answer: Mapping[str, Any]) -> list[Method]:
    """The methods, the smallest risk first and those without one last; the best stands before its equals.

    >>> rows = [{"name": "a", "risk": None}, {"name": "b", "risk": 2.0}, {"name": "auto", "risk": 1.0}]
    >>> [row["name"] for row in by_risk({"best": "c", "methods": [*rows, {"name": "c", "risk": 1.0}]})]
    ['c', 'auto', 'b', 'a']
    """

    def place(method: Method) -> tuple[Any, ...]:
        risk = method.get("risk")
        return (risk is None, risk or 0.0, method["name"] != answer.get("best"), method["name"] == "auto")

    return sorted(answer.get("methods") or [], key=place)


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
        value, around = measured(found.get("value"), found.get("low"), found.get("high"))
        return value if around == MISSING else f"{value} ({around})"

    return read


def _metric(name: str) -> Callable[[Method], str]:
    return lambda method: number((method.get("metrics") or {}).get(name))


def render_text(answer: Mapping[str, Any], *, width: int | None = None, color: bool = False) -> str:
    """The whole answer as text; on a narrow screen the table is broken in two, then into one block per method."""
    width = width or screen_width()
    parts = [_wrapped(study_words(answer), width, most=width), *_tables(answer, width, color)]
    about = f"{BEST} {interval_words(answer)}" if answer.get("best") else interval_words(answer)
    parts += [_wrapped(" ".join(words for words in (about, training_rows_words(answer)) if words), width)]
    parts += [_wrapped(failures_words(answer), width)]
    parts += [_wrapped(verdict(answer), width), *_choices(answer, width), _wrapped(refit_words(answer), width)]
    parts += [importance_text(plain(name), found, width=width) for name, found in measured_methods(by_risk(answer))]
    parts += ["\n".join(_wrapped(plain(finding_words(found)), width) for found in answer.get("findings") or [])]
    parts += ["\n".join(_wrapped(f"note: {plain(note['text'])}", width) for note in other_notes(answer))]
    return "\n\n".join(part for part in parts if part)


def interval_words(answer: Mapping[str, Any]) -> str:
    """Which intervals stand in the table, and which one the best method has as the best of several.

    >>> winner = {"among": 4, "low_simultaneous": 2108.1, "high_simultaneous": 3892.2}
    >>> ridge = {"name": "ridge", "low": 2338.0, "high": 3662.0, "interval": "corrected t"}
    >>> interval_words({"best": "ridge", "level": 0.95, "winner": winner, "methods": [ridge]})
    'Smallest risk. Intervals: 95% corrected t, each for one method alone; for the best of 4 it is 2108 to 3892.'
    """
    methods, winner = answer.get("methods") or [], answer.get("winner") or {}
    names = list(dict.fromkeys(method["interval"] for method in methods if method.get("interval")))
    first = ["Smallest risk."] if answer.get("best") else []
    if not names:
        return " ".join(first)
    words = f"Intervals: {level_words(answer)} {plain(' / '.join(names))}, each for one method alone"
    wide = measured(None, winner.get("low_simultaneous"), winner.get("high_simultaneous"))[1]
    if wide != MISSING and (winner.get("among") or 1) > 1:
        words += f"; for the best of {winner['among']} it is {wide}"
    return " ".join([*first, f"{words}."])


def level_words(answer: Mapping[str, Any]) -> str:
    """The level of the intervals as a percentage."""
    return f"{100 * float(answer.get('level') or 0.95):g}%"


def screen_width() -> int:
    """How many characters a line may have here."""
    return IN_NOTEBOOK if is_notebook() else shutil.get_terminal_size((WIDE, 24)).columns


def _tables(answer: Mapping[str, Any], width: int, color: bool) -> list[str]:
    """All numbers: in one table where it leaves room for the drawing, else in several, else in blocks."""
    methods, best = by_risk(answer), answer.get("best")
    if width < NARROW:
        bars = make_bars(methods, width - 4)
        blocks = [_block(method, bars, width, is_best=method["name"] == best) for method in methods]
        return ["\n".join([*blocks, f"  {bars.scale}".rstrip()])]
    at = next((at for at, method in enumerate(methods) if method["name"] == best), None)
    columns = [
        Column(head, [read(method) for method in methods], is_left=head == "method")
        for head, read in {**columns_of(methods), "method": _marked(best)}.items()
    ]
    parts = _parts(columns, methods, width)
    return [draw_table(part, width=width, color=color, best=at) for part in parts]


def _marked(best: str | None) -> Callable[[Method], str]:
    return lambda method: plain(method["name"]) + (f" {BEST}" if method["name"] == best else "")


def _parts(columns: list[Column], methods: list[Method], width: int) -> list[list[Column]]:
    """The first table with the drawing; so many tables that no number is broken."""
    name, *rest = columns
    if total([column.width() for column in columns]) + len(GAP) + COMFORTABLE <= width:
        return [_with_bar(columns, methods, width)]
    first = [column for column in rest if column.head in ("risk", "interval", "difference")]
    parts = [_with_bar([name, *first], methods, width)]
    later = [column for column in rest if column not in first]
    part = [name]
    for column in later:
        if len(part) > 1 and total([one.width(is_tight=True) for one in (*part, column)]) > width:
            parts, part = [*parts, part], [name]
        part.append(column)
    return [*parts, part]


def _with_bar(columns: list[Column], methods: list[Method], width: int) -> list[Column]:
    """The same columns with the drawing between the name and the numbers, where there is room for it."""
    name, *rest = columns
    room = min(LONGEST, width - len(GAP) - total([column.width() for column in columns]))
    if room < SHORTEST:
        room = min(LONGEST, width - len(GAP) - total([column.width(is_tight=True) for column in columns]))
    if room < SHORTEST:
        return columns
    bars = make_bars(methods, room)
    drawn = [bars(method) for method in methods]
    return [name, Column(BAR, drawn, is_left=True, is_drawn=True, foot=bars.scale), *rest]


def _block(method: Method, bars: Bars, width: int, *, is_best: bool) -> str:
    """One method on a very narrow screen: its name, its drawing, then all numbers as words, none of them broken."""
    columns = columns_of([method])
    numbers = [f"{name} {read(method)}".replace(" ", HARD) for name, read in columns.items() if name != "method"]
    words = _wrapped("  " + ", ".join(numbers), width, indent="  ").replace(HARD, " ")
    name = plain(method["name"]) + (f" {BEST} smallest risk" if is_best else "")
    return "\n".join([*broken(name, width), f"  {bars(method)}".rstrip(), words])


def table_text(columns: Mapping[str, list[str]], *, width: int | None = None, justify: Justify = "right") -> str:
    """A plain table: one list of texts per column, the first column to the left."""
    made = [
        Column(head, [plain(cell) for cell in cells], is_left=not at or justify == "left")
        for at, (head, cells) in enumerate(columns.items())
    ]
    return draw_table(made, width=width or screen_width())


def study_words(answer: Mapping[str, Any]) -> str:
    """What was asked, on one line."""
    size = f"{number(answer['rows'])} rows" if answer.get("rows") is not None else ""
    outer = f"outer: {outer_words(answer)}" if answer.get("outer") else ""
    inner = f"inner: {inner_words(answer['inner'])}" if answer.get("inner") else ""
    seed = f"seed {answer['seed']}" if answer.get("seed") is not None else ""
    loss = loss_words(answer) if answer.get("loss") else ""
    return plain("; ".join(part for part in (task_words(answer), size, loss, outer, inner, seed) if part))


def inner_words(scheme: str) -> str:
    """The inner splits in words.

    >>> inner_words("4 on lines"), inner_words("5 folds")
    ('4 folds on lines', '5 folds')
    """
    return re.sub(r"^(\d+)(?= on (lines|pairs))", r"\1 folds", scheme)


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
    risk, own = as_risk(method, method.get("risk")), method.get("own_folds")
    return f"{risk} ({own} of {len(method['folds'])} own)" if mixed_words(method) else risk


def as_risk(method: Method, value: float | None) -> str:
    """A number with as many digits as the interval of the method's risk supports."""
    return rounded(value, decimals(method.get("low"), method.get("high")))


def _difference(method: Method) -> str:
    value, around = measured(method.get("difference"), method.get("difference_low"), method.get("difference_high"))
    return value if around == MISSING else f"{value} ({around})"


def _wrapped(text: str, width: int, *, indent: str = "", most: int = 110) -> str:
    width = min(width, most)  # longer lines are hard to read
    return textwrap.fill(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


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
