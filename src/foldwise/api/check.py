"""`check`: leaks and traps in data and set-up, without a study; `check_new`: new rows beside those of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from foldwise.api.calls import call
from foldwise.api.judging import JudgedModel
from foldwise.api.model_card import card_of, known_card
from foldwise.api.model_file import load_model
from foldwise.api.options import CompareOptions
from foldwise.api.request import request
from foldwise.checks.check import find_traps, read_silence
from foldwise.checks.checking import find, without
from foldwise.checks.new_rows import NewFindings, NewRows, trust_words
from foldwise.data.conform import conform
from foldwise.data.sources import builtin_table, read_table
from foldwise.errors import BadData
from foldwise.studies.finding import Findings


@call("learners")
def check(
    *given: Any, learners: Any = None, X: Any = None, y: Any = None, **options: Unpack[CompareOptions]
) -> Findings:
    """Leaks and traps in the data and the set-up of a study: the checks that `compare` makes, and slower ones.

    `learners`, `X`, `y` and all `options` are those of `compare`, such as `groups`, `time`, `outer` and `silence`; see
    there. Nothing is refused, and no risk is estimated; each learner is fitted twice, to see whether it gives the same
    again. Every code is explained in docs/checks.md.

    >>> import numpy as np
    >>> import foldwise as fw
    >>> y = np.random.default_rng(0).normal(size=60)
    >>> fw.check(np.column_stack([y, y**3 - y]), y).codes
    ['FW201']
    """
    asked = request(learners, X, y, **options)
    return find(asked.study(), asked.checking, cost="slow")


def check_new(model: Any, X: Any, *, silence: str | Sequence[str] | None = (), trust: bool = False) -> NewFindings:
    """What is new in rows that a model is to predict, and how far its risk may be trusted there.

    `model`: a fitted model, or the path of a model file. `X`: the new rows, a table or a file; their target is not
    needed. `silence`: codes to leave out. `trust`: as in `fw.load_model`.

    Nothing is predicted. `foldwise predict` and `foldwise test` look at the same.

    >>> import numpy as np
    >>> import foldwise as fw
    >>> draw = np.random.default_rng(0)
    >>> X, noise = draw.normal(size=(100, 2)), draw.normal(size=100)
    >>> model = fw.compare(["ridge"], X, X[:, 0] + noise, outer=5, inner=3).refit()
    >>> fw.check_new(model, X + 3).codes
    ['FW603']
    """
    silenced = read_silence(silence)
    about = load_model(model, trust=trust).about if isinstance(model, str | Path) else card_of(model)
    table = (builtin_table(X) or (read_table(X),))[0] if isinstance(X, str | Path) else X
    return check_rows(about, table, silence=silenced)


def check_rows(
    about: Mapping[str, Any], X: Any, *, trained_on: int = 0, times_scored: int = 0, silence: Sequence[str] = ()
) -> NewFindings:
    """What is new in these rows, by the card of a model; columns that do not fit are a finding too."""
    try:
        new = NewRows(conform(X, about), about, None, trained_on, times_scored)
    except BadData as problem:
        new = NewRows(None, about, problem, trained_on, times_scored)
    findings = list(find_traps(new))
    return NewFindings(list(without(findings, silence)), trust_words(new, findings))


def test_findings(
    judged: JudgedModel, *, trained_on: int, scored: int, silence: Sequence[str]
) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    """What the test rows of a model are guilty of: notes for what is not said elsewhere, and details.

    That rows were trained on is why there is no interval, and how often they were scored stands in the ledger's note.
    """
    about, scored = known_card(judged.model), scored if scored > 1 else 0
    if about is None:  # nothing is known of its table
        findings = Findings(without(find_traps(NewRows(None, {}, None, trained_on, scored)), silence))
        return [], findings.to_dict()
    found = check_rows(about, judged.data.X, trained_on=trained_on, times_scored=scored, silence=silence)
    notes = [(finding.code, repr(finding)) for finding in found if finding.code not in ("FW405", "FW601", "FW606")]
    return notes, found.to_dict()


test_findings.__test__ = False  # type: ignore[attr-defined]  # not a test of pytest
