"""A finished run on a disk that can only be read answers; an unfinished one is refused."""

from __future__ import annotations

import errno
import os

import numpy as np
import pytest

import foldwise as fw
from foldwise import cli
from foldwise.errors import BadStore
from foldwise.records import sqlite

X = np.random.default_rng(0).normal(size=(40, 2))


@pytest.fixture
def read_only(monkeypatch):
    """A disk that gives no lock; permissions would not stop the superuser."""

    def refuse(path):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    return lambda: monkeypatch.setattr(sqlite, "take", refuse)


def test_a_finished_study_is_answered_and_nothing_is_written(tmp_path, read_only):
    words = {"outer": 4, "inner": 3, "jobs": 1, "store": tmp_path / "run"}
    first = fw.compare(["ridge"], X, X.sum(axis=1), **words)
    before = (tmp_path / "run" / "records.db").read_bytes()
    read_only()
    again = fw.compare(["ridge"], X, X.sum(axis=1), **words)
    assert again.fits_made == 0
    assert again.to_dict()["methods"][0]["risk"] == first.to_dict()["methods"][0]["risk"]
    with pytest.raises(BadStore, match=r"cannot write to the store .*Read-only file system"):
        fw.compare(["ridge", "linear"], X, X.sum(axis=1), **words)
    with pytest.raises(BadStore, match="Read-only file system"):
        fw.compare(["ridge"], X, X.sum(axis=1), **{**words, "store": tmp_path / "new"})
    assert (tmp_path / "run" / "records.db").read_bytes() == before


def test_the_command_resumes_it(tmp_path, read_only, capsys):
    run, page = str(tmp_path / "run"), tmp_path / "page.html"
    words = ["--learners", "linear", "--outer", "3", "--jobs", "1", "--quiet", "--store", run]
    assert cli.run(["compare", "diabetes", *words]) == 0
    read_only()
    assert cli.run(["resume", run, "--quiet", "--report", str(page)]) == 0
    assert "linear has the smallest estimated risk" in capsys.readouterr().out.replace("\n", " ")
    assert page.exists()
