"""docs/store-format.md says what is in a store."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.records.database import APPLICATION_ID, FILE, TABLES, VERSION
from foldwise.records.encoding import unpack
from foldwise.records.record import Status

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
    documents = dict(database.execute("SELECT name, content FROM documents"))
    listed = re.findall(r"^\| `([a-z .]+)` \| (?:JSON|packed) \|", PAGE, re.MULTILINE)
    (search,) = [name for name in documents if name.startswith("proposals ")]
    (columns,) = [name for name in documents if name.startswith("importance ")]
    assert sorted(listed) == sorted({*documents, "proposals ...", "importance ..."} - {search, columns})
    head, _ = unpack(documents["outline"])
    assert named("`outline`") == sorted(head)
    assert named("`ladder`") == [*next(iter(json.loads(documents["ladder"]).values()))]
    assert named("`table`") == sorted(json.loads(documents["table"]))
    assert named("`manifest`") == sorted(json.loads(documents["manifest"]))
    assert named("`proposals ...`") == sorted(json.loads(documents[search]))
    assert named("`predicting`") == sorted(next(iter(json.loads(documents["predicting"]).values())))
    assert named("`importance ...`") == sorted(json.loads(documents[columns]))


def test_records(database):
    (content,) = database.execute("SELECT content FROM records").fetchone()
    head, arrays = unpack(content)
    assert named("head of a record") == sorted(head)
    assert list(arrays) == ["steps", *head["responses"]]
    for status in get_args(Status):
        assert f"`{status}`" in PAGE
