"""What a guarantee says and what a store holds, for a terminal."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Collection, Mapping
from typing import Any

from foldwise.blocks.numbers import number, plain
from foldwise.show.terminal import block_bar
from foldwise.stats.bounds import dev_rows_needed, excess_bound

DRAWN = 40  # characters of the longest bar
TIMES = (1, 4, 16)  # as many rows: each step halves the bound


def bound_text(answer: Mapping[str, Any], *, width: int = 80) -> str:
    """The answer of `foldwise bound` as a sentence, with the bound at 4 and 16 times the rows.

    >>> asked = {"rows": 100, "candidates": 30, "excess": 0.3766, "delta": 0.05, "bounds": [0.0, 1.0]}
    >>> print(bound_text(asked).partition(chr(10) * 2)[2])
    development rows   at most
                 100    0.3766   ████████████████████████████████████████
                 400    0.1883   ████████████████████
               1,600   0.09414   ██████████
    """
    rows, candidates, delta = answer["rows"], answer["candidates"], answer["delta"]
    if candidates == 0:
        none = f"With {rows:,} development rows not even one candidate has the bound {answer['excess']:g}"
        least = dev_rows_needed(answer["excess"], 1, delta, bounds=answer["bounds"])
        return textwrap.fill(f"{none} with probability {1 - delta:g} or more: it takes {least:,} rows.", width)
    words = (
        f"With {rows:,} development rows and {candidates:,} candidates, the chosen model (fitted on the training rows "
        f"alone) has at most {answer['excess']:.4g} more risk than the best of them, with probability {1 - delta:g} or "
        "more."
    )
    bounds = [(rows * times, excess_bound(rows * times, candidates, delta, bounds=answer["bounds"])) for times in TIMES]
    most = bounds[0][1]
    lines = [f"{count:>16,}   {number(value):>7}   {block_bar(value, most, DRAWN)}" for count, value in bounds]
    return "\n".join([textwrap.fill(words, width), "", "development rows   at most", *lines])


def store_text(
    info: Mapping[str, Any], *, failed: bool = False, width: int = 80, documents: Collection[str] = ()
) -> str:
    """The facts of a store (`store.info()`) as sentences; bars by status where fits failed, and their list if asked.

    `documents`: which of "study" (a study to report) and "origin" (how to go on with it) the store has.

    >>> info = {"path": "runs/a", "records": 12, "failed": 0, "statuses": {"ok": 12}, "seconds": 75.0, "bytes": 4096}
    >>> print(store_text(info).splitlines()[0])
    runs/a keeps 12 fits in 4.1 kB; none failed. Together they took 1 min 15 s.
    """
    records, wrong, path = info["records"], info["failed"], info["path"]
    failures = "none failed" if not wrong else "all failed" if wrong == records else f"{wrong:,} failed"
    fits = "no fit yet" if not records else f"{records:,} fit{'s' * (records != 1)}"
    told = f"; {failures}. Together they took {duration(info['seconds'])}." if records else "."
    parts = [textwrap.fill(f"{plain(path)} keeps {fits} in {size(info['bytes'])}{told}", width)]
    parts += [_bars(info["statuses"])] if wrong else []
    if wrong and failed:
        parts += ["\n".join(_failure(one, width) for one in info["failures"])]
    elif wrong:
        parts += ["--failed lists the fits that failed."]
    parts += [textwrap.fill(f"note: {plain(text)}", width) for text in info.get("notes", ())]
    run = shlex.quote(str(path))
    lines = {"study": f"Its page: foldwise report {run}", "origin": f"To go on: foldwise resume {run}"}
    parts += ["\n".join(line for name, line in lines.items() if name in documents)]
    return "\n\n".join(part for part in parts if part)


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> duration(0.358), duration(75), duration(7260)
    ('0.36 s', '1 min 15 s', '2 h 1 min')
    """
    if seconds < 60:
        return f"{seconds:.2g} s" if seconds < 9.5 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def size(count: float) -> str:
    """A number of bytes as people say it.

    >>> size(512), size(3055616), size(2.5e9)
    ('512 bytes', '3.1 MB', '2.5 GB')
    """
    if count < 1000:
        return f"{count:.0f} bytes"
    units = ("kB", "MB", "GB", "TB")
    power = min(next((at for at in range(1, 5) if count < 1000 ** (at + 1)), 4), 4)
    return f"{count / 1000**power:.1f} {units[power - 1]}"


def _bars(statuses: Mapping[str, int]) -> str:
    wide, most = max(map(len, statuses)), max(statuses.values())
    return "\n".join(f"  {name:<{wide}}  {block_bar(count, most, DRAWN)} {count:,}" for name, count in statuses.items())


def _failure(one: Mapping[str, Any], width: int) -> str:
    words = f"  {plain(one['learner'])}: {plain(one['status'])}, {plain(one['error'])}"
    return textwrap.fill(words, width, subsequent_indent="    ")
