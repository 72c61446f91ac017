"""Having the checks look at new rows, and one sentence on how far the risk of the model may be trusted there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from foldwise.blocks.numbers import number, plain, span
from foldwise.guards.checking import without
from foldwise.guards.findings import Findings
from foldwise.guards.new_rows.drift import drift
from foldwise.guards.new_rows.subject import NewRows
from foldwise.guards.new_rows.values import outside_range, unseen_categories, unseen_missing
from foldwise.studies.finding import Finding

NewCheck = Callable[[NewRows], Iterator[Finding]]
CHECKS: tuple[NewCheck, ...] = (unseen_categories, outside_range, unseen_missing, drift)


class NewFindings(Findings):
    """What was found in new rows, and in a sentence how far the risk of the model may be trusted there."""

    def __init__(self, findings: Sequence[Finding], trust: str) -> None:
        super().__init__(findings)
        self.trust = trust

    def to_dict(self) -> dict[str, Any]:
        """The findings in plain values, and the sentence."""
        return {**super().to_dict(), "trust": self.trust}

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n{self.trust}"


def look_at(new: NewRows, silence: Sequence[str] = ()) -> NewFindings:
    """All that is found in the new rows, but for what is silenced."""
    found = [finding for check in CHECKS for finding in check(new)]
    return NewFindings(list(without(found, silence)), trust_words(new, found))


def trust_words(new: NewRows, found: Sequence[Finding]) -> str:
    """How far the risk on the card of the model may be trusted on these rows."""
    by_code = {finding.code: finding for finding in found}
    risk = risk_words(new.about)
    if "FW605" in by_code:
        return f"{risk} is that of rows unlike these: do not expect it here before the model was tested on such rows."
    strange = [by_code[code] for code in ("FW602", "FW603", "FW604") if code in by_code]
    if strange:
        most = max(finding.figures["share"] for finding in strange)
        percent = f"{100 * most:.2g}" if most < 0.1 else f"{100 * most:.0f}"
        return f"{risk} is that of rows like the training rows, and says nothing of the {percent}% told above."
    if not new.pairs:
        return f"{risk} is that of rows like the training rows; what those were like is not known here."
    few = " (so few rows show no drift)" if new.rows < 20 else ""
    rest = "whether the target still follows from them, they do not say"
    return f"{risk} may be expected here as far as the columns tell{few}; {rest}."


def risk_words(about: Mapping[str, Any]) -> str:
    """The risk on a card, as the beginning of a sentence; a card may be a stranger's.

    >>> risk_words({"loss": "squared", "estimate": {"risk": 2.0, "low": 1.5, "high": 2.5}})
    'The risk of the model (2, 1.5 to 2.5, squared loss)'
    >>> risk_words({})
    'The risk of the model (not estimated)'
    """
    found = about.get("estimate")
    found = found if isinstance(found, Mapping) else {}
    risk, low, high = (found.get(key) for key in ("risk", "low", "high"))
    if not isinstance(risk, int | float) or isinstance(risk, bool):
        return "The risk of the model (not estimated)"
    around = f", {span(low, high)}" if isinstance(low, int | float) and isinstance(high, int | float) else ""
    return f"The risk of the model ({number(float(risk))}{around}, {plain(about.get('loss'))} loss)"
