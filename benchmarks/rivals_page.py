"""The data sets of `rivals.py`, which of them are set aside, and the page of what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

TEST = 3_000
SIZES = (1_000, 500)  # training rows, in turn
HARD = ("compactiv", "diamonds", "satimage")  # default spaces were made on these: they cannot be set aside
NUMBERS = ("communities", "grid stability", "hotel rates", "proteins", "wages")
CLASSES = ("churn", "contraceptive", "credit", "magic", "marital status", "segment")


def _drawn(names: Iterable[str]) -> list[str]:
    return [str(name) for name in np.random.default_rng(16).permutation(sorted(names))]


# Choices may be made on the design sets: the hard ones, the first number and the first two classes drawn. The report
# sets stay aside until the choices are made.
DESIGN = (*HARD, *_drawn(NUMBERS)[:1], *_drawn(CLASSES)[:2])
REPORT = (*_drawn(NUMBERS)[1:], *_drawn(CLASSES)[2:])
TRAIN = {name: SIZES[at % 2] for half in (DESIGN, REPORT) for at, name in enumerate(half)}
ASIDE = "flaml-catboost"  # not in the summary: it does not keep its limit
RIVALS = ("flaml", "autogluon", "autogluon-same", "autogluon-high")
USUAL = ("flaml", "autogluon", "foldwise")
# Tools that were not run on all splits, in tables of their own beside the usual ones.
FURTHER = {
    "AutoGluon's high quality, given Foldwise's time": ("autogluon-same",),
    "AutoGluon's high quality": ("autogluon-high",),
    "thorough effort": ("foldwise-thorough",),
    "AutoGluon's high quality and thorough effort": ("autogluon-high", "foldwise-thorough"),
}
WORDS = {
    "flaml": "FLAML, 60 s",
    "autogluon": "AutoGluon, medium quality",
    "autogluon-same": "AutoGluon, high quality in Foldwise's time",
    "autogluon-high": "AutoGluon, high quality",
    "flaml-catboost": "FLAML with CatBoost, 60 s",
    "foldwise-quick": "Foldwise, quick",
    "foldwise": "Foldwise",
    "foldwise-thorough": "Foldwise, thorough",
}
HEAD = f"""\
# Beside FLAML and AutoGluon

Written by `benchmarks/rivals.py`. Every tool is given the same training rows ({SIZES[1]} or {SIZES[0]:,}), one core
and the same loss (squared for numbers, zero-one for classes); its pick meets test rows that it has not seen (at most
{TEST:,}). FLAML has 60 seconds, AutoGluon's high quality as many, or as many as Foldwise took on the same rows; its
medium quality and Foldwise have as long as they want. Seconds are of CPU, from the call to the model; the clock that
a tool reads runs with them, so that other work on the machine takes nothing from its limit. AutoGluon is without
neural nets (torch is not installed). The *claim* is the loss that a tool expects of its pick: Foldwise's estimated
risk, FLAML's `best_loss`, the validation score in AutoGluon's leaderboard.

FLAML is as `flaml[automl]` installs it, without CatBoost. The first runs had CatBoost too, and did not keep the
limit: FLAML does not hold CatBoost to it (336 seconds instead of 60 on grid stability). These are in the table of all
runs, not in the summary.

The data sets are in two halves, drawn by a fixed rule (`benchmarks/rivals_page.py`): choices may be made on *design*
sets, and *report* sets are looked at when all choices are made. A seed draws the training and test rows of a split and
is given to the tools. Splits of one data set share rows, so that they are averaged before anything else.
"""
SECONDS = 60.0  # for a tool that has a limit
# Before this the machine that measured was so busy that a second of CPU did half.
QUIET = "2026-11-18 19:00"
COLUMNS = """\
*Above the best* is the test loss of a pick over the smallest of all tools in the table on the same split, less 1;
*above the best rival* the same with FLAML and AutoGluon alone, below 0 where a pick is better than both (which a rival
cannot be). The best is known only afterwards and from the same test rows, so that no tool can be at 0 throughout.
Splits of a data set are averaged first; mean, median and range are over data sets, and ± is the standard error of the
mean over data sets. As few errors make such ratios noisy, *share* has the mean difference to the best as a share of the
baseline's loss. *Claim* is the mean of claim / test loss - 1, below 0 where a tool promises too much, and *off* the
mean of its size, part of which is the luck of the test rows. Only splits that all tools of a table were run on count.
"""
SETS = """\
Test loss over that of the baseline, averaged over the seeds, and how far Foldwise's pick is above the best rival; ± is
the standard error over the seeds, whose splits share rows, so that it is rather too small.
"""


@dataclass
class Row:
    """One tool on one split of a data set."""

    data: str
    seed: int
    tool: str
    train: int
    test: int
    columns: int
    loss: float  # of the pick on the test rows
    brier: float | None
    baseline: float
    claim: float
    pick: str
    cpu: float
    wall: float
    limit: float | None
    version: str
    date: str
    code: str | None = None  # the last commit that changed Foldwise's source; of Foldwise alone

    @property
    def share(self) -> float:
        return self.loss / self.baseline

    @property
    def beyond(self) -> float:
        """How far the claim is above the test loss, as a share of that."""
        return self.claim / self.loss - 1 if self.loss else float("nan")


Splits = dict[tuple[str, int], dict[str, Row]]


def page(rows: list[Row]) -> str:
    parts = [HEAD, _shorter(rows), _starved(rows), "## Summary\n", COLUMNS, _verdict(rows)]
    for word, names in (("Design", DESIGN), ("Report", REPORT), ("All", (*DESIGN, *REPORT))):
        own = [row for row in rows if row.data in names and row.tool in USUAL]
        parts += [f"### {word} sets\n", summary(own)]
    parts += [_further(title, tools, rows) for title, tools in FURTHER.items()]
    return "\n".join(filter(None, [*parts, _sets(rows), "## All runs\n", _runs(rows), _dates(rows)]))


def _shorter(rows: list[Row]) -> str:
    """Which rows of AutoGluon's high quality are older than its 60 seconds and had less, and what the others say."""
    less = {row.data: row.limit for row in rows if row.tool == "autogluon-high" and (row.limit or SECONDS) < SECONDS}
    if not less:
        return ""
    tools = (*USUAL, "autogluon-high")
    splits = common([row for row in rows if row.tool in tools and row.data not in less])
    words = (
        f"The first runs of AutoGluon's high quality had fewer than {SECONDS:.0f} seconds, as many as Foldwise took\n"
        f"then: {', '.join(f'{data} {limit:.0f}' for data, limit in less.items())}.\n"
    )
    if not splits or not {*tools} <= next(iter(splits.values())).keys():
        return words
    lost = by_data(splits, above("foldwise", RIVALS))
    rivals = "the best of FLAML and both of AutoGluon"
    return f"{words}On the {len(lost)} other sets Foldwise against {rivals}: {_mean(lost)}.\n"


def _starved(rows: list[Row]) -> str:
    """Which rows of tools with a limit are of the time when the machine was busy."""
    early = [row for row in rows if row.limit is not None and row.tool != ASIDE and row.date < QUIET]
    if not early:
        return ""
    told = [
        f"{WORDS[tool]} on {', '.join(f'{row.data} (seed {row.seed})' for row in early if row.tool == tool)}"
        for tool in dict.fromkeys(row.tool for row in early)
    ]
    return (
        "A second of CPU does less on a busy machine all the same, which costs a tool with a limit. These runs were\n"
        "made while it did about half (AutoGluon's medium quality, which has no limit, mostly took twice the seconds\n"
        f"then): {'; '.join(told)}.\n"
    )


def _verdict(rows: list[Row]) -> str:
    """The main result in a sentence, for the usual tools."""
    splits = common([row for row in rows if row.tool in USUAL])
    if not splits or not {*USUAL} <= next(iter(splits.values())).keys():
        return ""
    lost = by_data(splits, above("foldwise", RIVALS))
    worse = sum(lost > 0.01)
    seeds = {
        seed: {key: own for key, own in splits.items() if key[1] == seed} for seed in sorted({s for _, s in splits})
    }
    means = {seed: by_data(own, above("foldwise", RIVALS)).mean() for seed, own in seeds.items()}
    by_seed = ", ".join(f"{_percent(mean)} on seed {seed}" for seed, mean in means.items())
    return (
        "Relative to the better of FLAML and AutoGluon's medium quality on the same split, the test loss of Foldwise's"
        f"\npick is {_mean(lost)} (mean over data sets and its standard error; median {_median(lost)}).\n"
        f"It is more than 1 % above the better one's on {worse} of {len(lost)} data sets ({len(splits)} splits).\n"
        f"The mean is {by_seed}.\n" + "".join(_also(tools, rows) for tools in FURTHER.values())
    )


def _also(tools: tuple[str, ...], rows: list[Row]) -> str:
    """The same for the dearest of ours, where some of the splits have further tools; a sentence, or nothing."""
    splits = common([row for row in rows if row.tool in (*USUAL, *tools)])
    ours = next((tool for tool in tools if tool.startswith("foldwise")), "foldwise")
    rivals = [_in_brackets(WORDS[tool]) for tool in RIVALS if tool in (*USUAL, *tools)]
    if not splits or not {*tools} <= next(iter(splits.values())).keys():
        return ""
    lost = by_data(splits, above(ours, RIVALS))
    return (
        f"{_in_brackets(WORDS[ours])} against the best of {', '.join(rivals[:-1])} and {rivals[-1]}:\n"
        f"{_mean(lost)} (median {_median(lost)}; {len(splits)} splits).\n"
    )


def _in_brackets(name: str) -> str:
    """A tool in a list of tools.

    >>> _in_brackets("FLAML, 60 s")
    'FLAML (60 s)'
    """
    tool, _, how = name.partition(", ")
    return f"{tool} ({how})" if how else tool


def _further(title: str, tools: tuple[str, ...], rows: list[Row]) -> str:
    """The summary with tools that were run on some splits; nothing where they have none in common."""
    told = [row for row in rows if row.tool in (*USUAL, *tools)]
    there = {row.tool for row in told} >= set(tools) and common(told)
    return f"### With {title}\n\n{summary(told)}" if there else ""


def summary(rows: list[Row]) -> str:
    """A line for every tool, on the splits that all of them were run on."""
    splits = common([row for row in rows if row.tool != ASIDE])
    if not splits:
        return "No split yet that all tools were run on.\n"
    tools = [tool for tool in WORDS if tool in next(iter(splits.values()))]
    names = dict.fromkeys(data for data, _ in splits)
    head = ["tool", "above the best, mean", "median", "above the best rival, mean", "median", "range", "share", "CPU s"]
    head += ["claim", "off", "off, at most"]
    lines = [_line(tool, splits) for tool in tools]
    told = f"{len(splits)} splits of {len(names)} data sets: {', '.join(names)}.\n"
    return "\n".join([_row(head), "|" + " --- |" * len(head), *lines, "", told])


def common(rows: list[Row]) -> Splits:
    """The rows of each split that has one of every tool."""
    splits: Splits = {}
    for row in rows:
        splits.setdefault((row.data, row.seed), {})[row.tool] = row
    tools = {row.tool for row in rows}
    return {key: own for key, own in splits.items() if own.keys() == tools}


def by_data(splits: Splits, value: Callable[[dict[str, Row]], float]) -> np.ndarray:
    """A value of each split, averaged within its data set; undefined values are left out."""
    found: dict[str, list[float]] = {}
    for (data, _), own in splits.items():
        if np.isfinite(one := value(own)):
            found.setdefault(data, []).append(one)
    return np.array([np.mean(values) for values in found.values()])


def above(tool: str, others: Iterable[str]) -> Callable[[dict[str, Row]], float]:
    """The loss of a tool over the smallest of others, less 1; undefined where that has no error."""

    def value(own: dict[str, Row]) -> float:
        smallest = min((own[name].loss for name in others if name in own), default=0.0)
        return own[tool].loss / smallest - 1 if smallest else float("nan")

    return value


def _line(tool: str, splits: Splits) -> str:
    best, rival = (by_data(splits, above(tool, others)) for others in (WORDS, RIVALS))
    cells = [WORDS[tool], _mean(best), _median(best), _mean(rival), _median(rival), _range(rival)]
    share = by_data(splits, lambda own: own[tool].share - min(row.share for row in own.values()))
    cells += [f"{share.mean():.4f}", f"{by_data(splits, lambda own: own[tool].cpu).mean():.0f}"]
    off = by_data(splits, lambda own: abs(own[tool].beyond))
    if not len(off):
        return _row([*cells, "", "", ""])
    claim = by_data(splits, lambda own: own[tool].beyond)
    most = np.nanmax([abs(own[tool].beyond) for own in splits.values()])
    return _row([*cells, f"{100 * claim.mean():+.0f} %", f"{100 * off.mean():.0f} %", f"{100 * most:.0f} %"])


def _sets(rows: list[Row]) -> str:
    """What the usual tools lost on each data set, and how much that differs between its splits."""
    splits = common([row for row in rows if row.tool in USUAL])
    if not splits or not {*USUAL} <= next(iter(splits.values())).keys():
        return ""
    head = ["data", "half", "seeds", *(WORDS[tool] for tool in USUAL), "above the best rival, mean", "range"]
    lines = [_set(name, splits) for name in (*DESIGN, *REPORT) if any(name == data for data, _ in splits)]
    return "\n".join(["## By data set\n", SETS, _row(head), "|" + " --- |" * len(head), *lines, ""])


def _set(name: str, splits: Splits) -> str:
    own = {seed: tools for (data, seed), tools in splits.items() if data == name}
    shares = [f"{np.mean([tools[tool].share for tools in own.values()]):.4f}" for tool in USUAL]
    values = np.array([above("foldwise", RIVALS)(tools) for tools in own.values()])
    lost = values[np.isfinite(values)]
    half = "design" if name in DESIGN else "report"
    return _row([name, half, ", ".join(map(str, sorted(own))), *shares, _mean(lost), _range(lost)])


def _runs(rows: list[Row]) -> str:
    """Every split as a line: the loss of each tool over the baseline's, its pick and its seconds."""
    tools = [tool for tool in WORDS if any(row.tool == tool for row in rows)]
    splits: Splits = {}
    for row in rows:
        splits.setdefault((row.data, row.seed), {})[row.tool] = row
    head = ["data", "half", "seed", "rows", "columns", *(WORDS[tool] for tool in tools)]
    order = sorted(splits, key=lambda key: ([*DESIGN, *REPORT].index(key[0]), key[1]))
    lines = [_run(key, splits[key], tools) for key in order]
    said = "Test loss over that of the baseline, the pick, CPU seconds, and the claim over the test loss.\n"
    return "\n".join([said, _row(head), "|" + " --- |" * len(head), *lines, ""])


def _run(key: tuple[str, int], own: dict[str, Row], tools: list[str]) -> str:
    data, seed = key
    one = next(iter(own.values()))
    half = "design" if data in DESIGN else "report"
    cells = [data, half, str(seed), f"{one.train} / {one.test:,}", str(one.columns)]
    return _row([*cells, *(_cell(own[tool]) if tool in own else "" for tool in tools)])


def _cell(row: Row) -> str:
    truth = f", {row.claim / row.loss:.2f}" if row.loss else ""
    return f"{row.share:.4f} ({row.pick}), {row.cpu:.0f} s{truth}"


def _dates(rows: list[Row]) -> str:
    lines = []
    for tool in WORDS:
        own = [row for row in rows if row.tool == tool]
        if own:
            versions = ", ".join(sorted({row.version for row in own}))
            dates = f"{min(row.date for row in own)} to {max(row.date for row in own)}"
            lines.append(f"- {WORDS[tool]}: version {versions}{_limits(own)}{_source(own)}; {dates}")
    return "\n".join(["Measured (UTC; the date of every run is in `benchmarks/rivals.json`):\n", *lines, ""])


def _limits(rows: list[Row]) -> str:
    limits = sorted({f"{row.limit:.0f}" for row in rows if row.limit is not None}, key=float)
    return f"; limit {' to '.join(dict.fromkeys([limits[0], limits[-1]]))} s" if limits else ""


def _source(rows: list[Row]) -> str:
    """The commits of Foldwise's source, with the number of splits of each."""
    codes = Counter(row.code or "not kept" for row in rows if row.tool.startswith("foldwise"))
    return "; source " * bool(codes) + ", ".join(f"{code} ({count})" for code, count in sorted(codes.items()))


def _mean(values: np.ndarray) -> str:
    """The mean, with its standard error where there is one."""
    if not len(values):
        return ""
    error = f" ± {100 * values.std(ddof=1) / np.sqrt(len(values)):.1f}" if len(values) > 1 else ""
    return f"{100 * values.mean():+.1f}{error} %"


def _median(values: np.ndarray) -> str:
    return _percent(np.median(values)) if len(values) else ""


def _range(values: np.ndarray) -> str:
    return f"{_percent(values.min())} to {_percent(values.max())}" if len(values) else ""


def _percent(value: float) -> str:
    return f"{100 * value:+.1f} %"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
