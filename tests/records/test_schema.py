"""The tables of a store, what does not belong there, and checksums over names too."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from foldwise.records.schema import (
    APPLICATION_ID,
    PAGE,
    VERSION,
    checksum,
    create,
    facts_checksum,
    storable,
    strangers,
)


@pytest.fixture
def database():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        create(made)
        yield made


def test_a_new_store_says_what_it_is_and_holds_nothing_strange(database):
    names = ("application_id", "user_version", "page_size")
    found = [database.execute(f"PRAGMA {name}").fetchone()[0] for name in names]
    assert found == [APPLICATION_ID, VERSION, PAGE]
    assert strangers(database, VERSION) == []


@pytest.mark.parametrize(
    ("statement", "odd"),
    [
        ("CREATE VIEW v AS SELECT 1", ["view v"]),
        ("CREATE INDEX i ON records (learner)", ["index i"]),
        ("DROP TABLE documents", ["no table documents"]),
        ("ALTER TABLE documents ADD more TEXT", ["table documents"]),
    ],
)
def test_what_is_not_ours_is_named(database, statement, odd):
    database.execute(statement)
    assert strangers(database, VERSION) == odd


def test_checksums_change_with_every_part():
    facts = ("key", "learner", "ok", 0.5, "sum")
    changed = [(*facts[:at], other, *facts[at + 1 :]) for at, other in enumerate(("k", "l", "error", 0.25, "s"))]
    assert len({facts_checksum(*one) for one in [facts, *changed]}) == 6
    assert len({checksum("a", b"b"), checksum("b", b"b"), checksum("a", b"c")}) == 3


def test_half_characters_can_be_stored():
    assert storable("a\ud800") == "a\\ud800"
    checksum("\ud800", b"")
