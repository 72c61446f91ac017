"""Findings of the checks in plain values: what is stored with a study, shown with its answer, and given to scripts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, overload

from foldwise.shown import words_html

if TYPE_CHECKING:
    import pandas as pd

Severity = Literal["refuse", "warn", "note"]
SEVERITIES: tuple[Severity, ...] = ("refuse", "warn", "note")
MOST_ROWS = 20  # that a finding names; `figures` count them all
NOTHING = "The checks found nothing."


@dataclass(frozen=True)
class Finding:
    """A trap that a check found: its code, what was found, where, and what to do.

    `code`: such as "FW203", see docs/checks.md.
    `severity`: "refuse", "warn" or "note".
    `text`: what was found.
    `rows`, `columns`: where.
    `figures`: the numbers behind it.
    `advice`: what to do.

    >>> Finding("FW203", "note", "the column 'site' is constant", columns=("site",), advice="Leave it out")
    note FW203: the column 'site' is constant. Leave it out.
    >>> Finding("FW203", "note", "the column 'site' is constant", columns=("site",)).to_dict()["columns"]
    ['site']
    """

    code: str
    severity: Severity
    text: str
    rows: tuple[int, ...] = ()  # the first of those it is about
    columns: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    advice: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The finding in plain values, stable for scripts."""
        return {
            "code": self.code,
            "severity": self.severity,
            "text": self.text,
            "rows": list(self.rows),
            "columns": list(self.columns),
            "figures": dict(self.figures),
            "advice": self.advice,
        }

    def __repr__(self) -> str:
        return finding_words(self.to_dict())

    def _repr_html_(self) -> str:
        return words_html(repr(self))


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
        self._sorted = tuple(sorted(findings, key=lambda found: (SEVERITIES.index(found.severity), found.code)))

    @overload
    def __getitem__(self, at: int) -> Finding: ...
    @overload
    def __getitem__(self, at: slice) -> Findings: ...
    def __getitem__(self, at: int | slice) -> Finding | Findings:
        return Findings(self._sorted[at]) if isinstance(at, slice) else self._sorted[at]

    def __len__(self) -> int:
        return len(self._sorted)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._sorted)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Findings) and self._sorted == other._sorted

    __hash__ = None  # type: ignore[assignment]

    @property
    def codes(self) -> list[str]:
        """The codes found, each once, in order."""
        return list(dict.fromkeys(finding.code for finding in self))

    def to_dict(self) -> dict[str, Any]:
        """The findings in plain values, stable for scripts; the same as `--json`."""
        return {"findings": [finding.to_dict() for finding in self]}

    def to_frame(self) -> pd.DataFrame:
        """One row per finding."""
        import pandas as pd

        columns = ["code", "severity", "text", "rows", "columns", "figures", "advice"]
        return pd.DataFrame(self.to_dict()["findings"], columns=columns)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or NOTHING

    def _repr_html_(self) -> str:
        return words_html(*repr(self).splitlines())


def finding_words(finding: Mapping[str, Any]) -> str:
    """A finding as sentences, with its code to look up or to silence.

    >>> finding_words({"severity": "warn", "code": "FW101", "text": "rows occur twice", "advice": ""})
    'warning FW101: rows occur twice.'
    """
    kind = {"refuse": "refused", "warn": "warning"}.get(finding["severity"], "note")
    advice = f" {finding['advice']}." if finding["advice"] else ""
    return f"{kind} {finding['code']}: {finding['text']}.{advice}"
