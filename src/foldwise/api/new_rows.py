"""`check_new`: new rows beside the table a model was fitted on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foldwise.api.judging import JudgedModel
from foldwise.api.model_card import card_of, known_card
from foldwise.api.model_file import load_model
from foldwise.api.seen import training_data
from foldwise.data.conform import conform
from foldwise.data.sources import builtin_table, read_table
from foldwise.errors import BadData
from foldwise.guards.checking import without
from foldwise.guards.codes.new_rows import TRAINED, UNFIT
from foldwise.guards.findings import Findings
from foldwise.guards.new_rows.looking import NewFindings, look_at, risk_words
from foldwise.guards.new_rows.subject import NewRows
from foldwise.guards.registry import read_silence
from foldwise.guards.results.again import again_finding
from foldwise.questions.ledger import Place


def check_new(
    model: Any, X: Any, *, training: Any = None, silence: str | Sequence[str] | None = (), trust: bool = False
) -> NewFindings:
    """What is new in rows that a model is to predict, and how far its risk may be trusted there.

    `model`: a fitted model, or the path of a model file. `X`: the new rows, a table or a file; their target is not
    needed. `training`: the rows that the model was fitted on, a table or a file, for a classifier test of drift; where
    they are not given, those of a model that was refitted here are known, and the file of a saved model has the range,
    shares and categories of every column. `silence`: codes to leave out. `trust`: as in `fw.load_model`.

    Nothing is predicted. `foldwise predict` and `foldwise test` look at the same.

    >>> import numpy as np
    >>> import foldwise as fw
    >>> draw = np.random.default_rng(0)
    >>> X, noise = draw.normal(size=(100, 2)), draw.normal(size=100)
    >>> model = fw.compare(["ridge"], X, X[:, 0] + noise, outer=5, inner=3).refit()
    >>> fw.check_new(model, X + 3).codes
    ['FW605', 'FW603']
    """
    silenced, known = read_silence(silence), None
    if isinstance(model, str | Path):
        about: Mapping[str, Any] = load_model(model, trust=trust).about
    else:
        data = training_data(model)
        about, known = card_of(model), None if data is None else data.X
    return look(about, read_rows(X), training=known if training is None else read_rows(training), silence=silenced)


def look(about: Mapping[str, Any], X: Any, *, training: Any = None, silence: Sequence[str] = ()) -> NewFindings:
    """What is new in these rows, by the card of a model; columns that do not fit are a finding too."""
    try:
        new = conform(X, about)
    except BadData as problem:
        words = f"{risk_words(about)} says nothing of rows that it cannot predict."
        return NewFindings([UNFIT.found(problem.problem, advice=problem.remedy)], words)
    old = None if training is None else conform(training, about)
    return look_at(NewRows(new, about, old), silence)


def test_findings(
    judged: JudgedModel, *, seen: int, place: Place | None, silence: Sequence[str]
) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    """What the test rows of a model are guilty of: notes for what is not said elsewhere, and details.

    That rows were trained on is why there is no interval, and how often they were scored stands in the ledger's note.
    """
    about = known_card(judged.model)
    new = NewFindings((), "") if about is None else look(about, judged.data.X, silence=silence)
    said = []
    if seen:
        said.append(
            TRAINED.found(f"{seen} of {judged.data.rows} test rows were trained on", advice="Test on other rows")
        )
    if place is not None and place.scored > 1:
        said.append(again_finding(place.scored, "models have been scored on these rows"))
    every = Findings([*without(said, silence), *new])
    told = [(one.code, repr(one)) for one in new if one.code != UNFIT.name]
    found = {"findings": every.to_dict()["findings"]}
    return told, {**found, "trust": new.trust} if new.trust else found


test_findings.__test__ = False  # type: ignore[attr-defined]  # not a test of pytest


def read_rows(source: Any) -> Any:
    """A table, or that of a file or built-in data set."""
    if isinstance(source, str | Path):
        found = builtin_table(source)
        return read_table(source) if found is None else found[0]
    return source
