"""docs/store-format.md says what is in a store."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.api.manifest import Manifest
from foldwise.api.time_limit import StoredDecision
from foldwise.data.sketch import Sketch
from foldwise.questions.ledger import Scoreboard
from foldwise.questions.pictures.table import TableFacts
from foldwise.records.database import APPLICATION_ID, FILE, TABLES, VERSION
from foldwise.records.encoding import unpack
from foldwise.records.record import Status
from foldwise.studies.measured import KeptCurve, Measured, Timed
from foldwise.studies.proposals import StoredProposals
from foldwise.studies.stored import StoredStudy

KINDS = {
    "manifest": Manifest,
    "study": StoredStudy,
    "origin": dict,
    "sketch": Sketch,
    "table": TableFacts,
    "ledger": Scoreboard,
    "curves": KeptCurve,
    "predicting": Timed,
    "importance": Measured,
    "proposals": StoredProposals,
    "decision": StoredDecision,
}
PAGE = (Path(__file__).parents[2] / "docs" / "store-format.md").read_text()


def named(line):
    """What a row of a table on the page names in its last column."""
    (row,) = re.findall(rf"^\| {re.escape(line)} \|.*?([^|]+)\|$", PAGE, re.MULTILINE)
    return re.findall(r"`([^`]+)`", row)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with a document of every kind."""
    folder = tmp_path_factory.mktemp("format") / "run"
    x = np.linspace(0, 1, 60)
    learners = {"ridge": fw.learner("ridge", alpha=fw.log_range(0.01, 100))}
    options = {"outer": 0.2, "inner": 2, "tuner": "tpe", "budget": 3}
    result = fw.compare(learners, x[:, None], np.sin(9 * x), **options, store=folder, jobs=1)
    result.predicting()
    result.importance("ridge")
    fw.learning_curve("linear", x[:, None], np.sin(9 * x), outer=2, sizes=[1.0], store=folder, jobs=1)
    fw.ladder(Ridge().fit(x[:, None], x), x[:, None], np.cos(9 * x), store=folder, step=0.1)
    return folder


@pytest.fixture(scope="module")
def database(store):
    with closing(sqlite3.connect(store / FILE)) as found:
        yield found


def test_files_and_tables(store, database):
    for path in store.iterdir():
        assert f"`{path.name}`" in PAGE
    assert f"0x{APPLICATION_ID:X}" in PAGE
    assert f"now {VERSION} |" in PAGE
    for table in TABLES:
        columns = [name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")]
        assert named(f"`{table}`") == columns
    assert PAGE.count("\n| `records` |") == PAGE.count("\n| `documents` |") == 1


def test_documents_and_their_fields(database):
    names = {name.partition(" ")[0] for (name,) in database.execute("SELECT name FROM documents")}
    section = PAGE[PAGE.index("## Documents") : PAGE.index("- `manifest`: ")]
    rows = re.findall(r"^\| `(\w+)(?: \.\.\.)?` \| `(\w+)` \| (.*) \|$", section, re.MULTILINE)
    assert names <= {name for name, *_ in rows} == set(KINDS)
    for name, kind, fields in rows:
        assert kind == KINDS[name].__name__
        if is_dataclass(KINDS[name]):
            assert set(re.findall(r"`(\w+)`", fields)) == {field.name for field in dataclass_fields(KINDS[name])}


def test_records(database):
    (content,) = database.execute("SELECT content FROM records").fetchone()
    head, arrays = unpack(content)
    assert named("head of a record") == sorted(head)
    assert list(arrays) == ["steps", *head["responses"]]
    for status in get_args(Status):
        assert f"`{status}`" in PAGE
