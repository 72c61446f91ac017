"""Findings to look at: they print plainly, and become a dictionary or a data frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from foldwise.shown import words_html
from foldwise.studies.finding import SEVERITIES, Finding, finding_words

if TYPE_CHECKING:
    import pandas as pd

NOTHING = "The checks found nothing."


class Findings(Sequence[Finding]):
    """What the checks found, the gravest first.

    `findings`: in any order.

    >>> Findings([Finding("FW204", "note", "the column 'site' is constant", advice="Leave it out")])
    note FW204: the column 'site' is constant. Leave it out.
    >>> Findings([])
    The checks found nothing.
    >>> found = Findings([Finding("FW204", "note", "the column 'site' is constant", advice="Leave it out")])
    >>> found.codes, found.to_dict()["findings"][0]["severity"]
    (['FW204'], 'note')
    >>> found.to_frame()[["code", "severity"]]
        code severity
    0  FW204     note
    """

    def __init__(self, findings: Iterable[Finding]) -> None:
        self._all = tuple(sorted(findings, key=lambda one: (SEVERITIES.index(one.severity), one.code)))

    @overload
    def __getitem__(self, at: int) -> Finding: ...
    @overload
    def __getitem__(self, at: slice) -> Findings: ...
    def __getitem__(self, at: int | slice) -> Finding | Findings:
        return Findings(self._all[at]) if isinstance(at, slice) else self._all[at]

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._all)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Findings) and self._all == other._all

    __hash__ = None  # type: ignore[assignment]

    @property
    def codes(self) -> list[str]:
        """The codes found, each once, in order."""
        return list(dict.fromkeys(one.code for one in self._all))

    def to_dict(self) -> dict[str, Any]:
        """The findings in plain values, stable for scripts; the same as `--json`."""
        return {"findings": [one.to_dict() for one in self._all]}

    def to_frame(self) -> pd.DataFrame:
        """One row per finding."""
        import pandas as pd

        columns = ["code", "severity", "text", "rows", "columns", "figures", "advice"]
        return pd.DataFrame([one.to_dict() for one in self._all], columns=columns)

    def __repr__(self) -> str:
        return "\n".join(finding_words(one.to_dict()) for one in self._all) or NOTHING

    def _repr_html_(self) -> str:
        return words_html(*repr(self).splitlines())
