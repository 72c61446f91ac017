"""The coverage page is written by the runner, in full, at any size."""

from __future__ import annotations

import pytest

from foldwise.lab import table


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(table, "ROWS", (60,))
    monkeypatch.setattr(table, "FOLDS", (5,))
    monkeypatch.setattr(table, "REAL_SETS", {})


def test_the_page_names_every_default_and_every_hard_cell(small):
    text = table.page(replications=4, jobs=1, designs=("D10",))
    for words in ("corrected t", "clopper-pearson", "betting", "false alarms", "Selection", "D10", "heavy-tailed"):
        assert words in text
    assert "nan" not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert all(line.count("|") >= 4 for line in rows)


def test_the_command_writes_the_file(small, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(table, "page", lambda **asked: f"{asked}")
    table.main(["--write", str(tmp_path / "coverage.md"), "--replications", "9", "--jobs", "1"])
    assert (tmp_path / "coverage.md").read_text(encoding="utf-8") == "{'replications': 9, 'seed': 0, 'jobs': 1}\n"
    assert "wrote" in capsys.readouterr().out
