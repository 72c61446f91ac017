"""What `benchmark` gives back: every data set's result, and the comparison over them."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foldwise.api.manifest import versions
from foldwise.api.result import Result
from foldwise.questions.benchmark_answer import Entry, Terms, benchmark_answer, compare_entries
from foldwise.questions.benchmark_report import benchmark_blocks, benchmark_document
from foldwise.show.notebook import as_html
from foldwise.show.page import page_html, write_page
from foldwise.show.terminal import as_text
from foldwise.shown import Page
from foldwise.stats.across import Across, PairAcross

if TYPE_CHECKING:
    import pandas as pd


class Benchmark:
    """Several methods on several data sets: prints the table and the verdict.

    `results[name]` is the result of one data set, `across` the comparison over all of them.

    `results`: by the name of the data set.
    `across`: what is said over all data sets.
    `seconds`: what it took.

    >>> import foldwise as fw
    >>> found = fw.benchmark({"diabetes": "diabetes"}, ["ridge:small", "k-nn:small"], outer=3, inner=2, jobs=1)
    >>> found.best
    'ridge:small'
    >>> found.table()[["data", "method", "rank"]].head(2)
           data       method  rank
    0  diabetes  ridge:small   1.0
    1  diabetes   k-nn:small   2.0
    >>> found.ranks()[["method", "mean_rank"]].head(2)
            method  mean_rank
    0  ridge:small        1.0
    1   k-nn:small        2.0
    >>> found.pairs()[["method", "other", "better"]]
            method       other  better
    0  ridge:small  k-nn:small       1
    >>> found.difference("k-nn:small", "ridge:small").better
    0
    >>> found.to_dict()["best"], len(found.report()) > 10_000
    ('ridge:small', True)
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        results: Mapping[str, Result],
        terms: Terms | None = None,
        *,
        seconds: float = 0.0,
    ) -> None:
        self.entries, self.results = tuple(entries), dict(results)
        terms = terms or Terms()
        self.seed, self.seconds = terms.seed, seconds
        self.across: Across = compare_entries(self.entries, terms)

    @property
    def best(self) -> str | None:
        """The method with the smallest mean rank."""
        return self.across.best

    @property
    def is_finished(self) -> bool:
        """Was every data set gone through to its end?"""
        return bool(self._answer["finished"])

    @property
    def notes(self) -> list[str]:
        """What should be known of the answer, in sentences."""
        return [note["text"] for note in self._answer["notes"]]

    def difference(self, one: str, other: str) -> PairAcross:
        """The risk of method `one` less that of `other`, over the data sets that have both.

        `one`, `other`: names of methods.
        """
        return self.across.pair(one, other)

    def table(self) -> pd.DataFrame:
        """Data set x method: status, risk with its interval, risk as a share of the baseline's, rank."""
        import pandas as pd

        rows = [
            {
                "data": entry.data,
                "method": method["name"],
                "status": own.get("status", "absent"),
                **{key: own.get(key) for key in ("risk", "low", "high", "interval")},
                "relative_risk": method["relative_risks"][entry.data],
                "rank": method["ranks"][entry.data],
            }
            for entry in self.entries
            if entry.answer
            for method in self._answer["methods"]
            for own in [entry.method(method["name"])]
        ]
        columns = ["data", "method", "status", "risk", "low", "high", "interval", "relative_risk", "rank"]
        return pd.DataFrame(rows, columns=columns)

    def ranks(self) -> pd.DataFrame:
        """One row per method: mean rank, mean relative risk, where it is best, where it beats the baseline."""
        import pandas as pd

        columns = ["name", "mean_rank", "relative_risk", "data_sets", "best_on", "beats_baseline"]
        rows = [method for method in self._answer["methods"] if method["compared"]]
        return pd.DataFrame(rows, columns=columns).rename(columns={"name": "method"})

    def pairs(self) -> pd.DataFrame:
        """One row per pair of methods: data sets won, and the test."""
        import pandas as pd

        rows = [{"method": pair["names"][0], "other": pair["names"][1], **pair} for pair in self._answer["pairs"]]
        columns = ["method", "other", "data_sets", "better", "equal", "worse", "difference", "p", "p_holm"]
        return pd.DataFrame(rows, columns=columns)

    def to_dict(self) -> dict[str, Any]:
        """The answer in plain values, stable for scripts; the same as `--json`."""
        return copy.deepcopy(self._answer)

    def report(self, path: str | Path | None = None, *, title: str | None = None) -> str:
        """One self-contained page with this `title`, as text; also written to a file if a `path` is given.

        `path`: of the file, if one is wanted.
        `title`: of the page.
        """
        page = page_html(benchmark_document(self._answer, title=title), self._answer)
        return Page(page) if path is None else Page(write_page(path, page).read_text(encoding="utf-8"), path)

    def __repr__(self) -> str:
        return as_text(benchmark_blocks(self._answer))

    def _repr_html_(self) -> str:
        return as_html(benchmark_blocks(self._answer))

    @cached_property
    def _answer(self) -> dict[str, Any]:
        return benchmark_answer(self.entries, self.across, seed=self.seed, seconds=self.seconds, versions=versions())
