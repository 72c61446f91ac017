"""Findings reach every front and change nothing; holds checks/checking.py and api/check.py."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import foldwise as fw
from foldwise.cli import run
from foldwise.errors import BadStudy

RNG = np.random.default_rng(3)
X = np.column_stack([RNG.normal(size=(60, 2)), np.ones(60)])
y = X[:, 0] + RNG.normal(size=60)


def leaky() -> pd.DataFrame:
    return pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(copy=y, y=y)


@pytest.fixture(scope="module")
def result() -> fw.Result:
    return fw.compare(["linear"], X, y, outer=4)


def test_a_note_stands_in_the_details_the_page_the_json_and_the_result(result):
    assert result.findings.codes == ["FW204"]
    assert result.to_dict()["findings"] == result.findings.to_dict()["findings"]
    for shown in (str(result.details()), unescape(result.report())):
        assert "'x2' has one value in every row. Leave such columns out." in shown
    assert "FW204" not in str(result)  # the first screen has warnings alone


def test_guards_change_no_number(result):
    without = fw.compare(["linear"], X, y, outer=4, guards=False)

    ours, theirs = result.to_dict(), without.to_dict()
    assert theirs.pop("findings") == []
    assert ours.pop("findings") != []
    for answer in (ours, theirs):
        answer.pop("seconds")
        for method in answer["methods"]:
            method.pop("seconds")
    assert ours == theirs


def test_a_silenced_code_is_left_out():
    assert fw.compare(["linear"], X, y, outer=4, silence="FW204").findings.codes == []
    assert fw.check(["linear"], X, y, outer=4, silence=["FW204"]).codes == []


def test_a_target_among_the_features_is_refused_until_it_is_silenced_and_then_stays_a_warning():
    with pytest.raises(BadStudy, match=r"FW201: the column 'copy' is the target .* go on with silence=.FW201. "):
        fw.compare(["linear"], leaky(), "y", outer=4)

    result = fw.compare(["linear"], leaky(), "y", outer=4, silence=["FW201"])
    assert [(one.code, one.severity) for one in result.findings] == [("FW201", "warn")]
    assert "The checks for leaks and traps warned: the column 'copy' is the target" in unescape(result.report())


def test_findings_of_a_risk_are_notes_and_details():
    estimate = fw.risk("linear", X, y, outer=4)

    assert [one["code"] for one in estimate.details["findings"]] == ["FW204"]
    assert any(code == "FW204" for code, _ in estimate.notes)


def test_a_store_keeps_the_findings_and_the_same_line_again_finds_the_same(tmp_path):
    options = {"outer": 4, "store": tmp_path / "run", "silence": ["FW201"]}
    first = fw.compare(["linear"], leaky(), "y", **options)
    kept = fw.load(tmp_path / "run")
    again = fw.compare(["linear"], leaky(), "y", **options)

    assert kept.findings == first.findings == again.findings != []
    assert kept.study.silence == ("FW201",)


def test_a_loaded_study_without_guards_has_no_findings(tmp_path):
    fw.compare(["linear"], X, y, outer=4, store=tmp_path / "run", guards=False)

    assert fw.load(tmp_path / "run").findings.codes == []


def test_the_command_checks_a_file_and_resume_and_report_show_what_was_found(tmp_path, capsys):
    file, store = tmp_path / "leaky.csv", str(tmp_path / "run")
    leaky().to_csv(file, index=False)

    assert run(["check", str(file), "--target", "y", "--learners", "linear", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert (found["code"], found["severity"], found["columns"]) == ("FW201", "refuse", ["copy"])
    line = ["compare", str(file), "--target", "y", "--learners", "linear", "--outer", "4", "--quiet"]
    assert run(line) == 2
    assert "go on with --silence FW201" in capsys.readouterr().err
    assert run([*line, "--silence", "FW201", "--store", store, "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["findings"]
    assert run(["resume", store, "--quiet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == first
    assert run(["report", store, "--out", str(tmp_path / "page.html"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == first
    assert "FW201" in Path(tmp_path / "page.html").read_text()


def test_an_unknown_code_on_the_command_line_is_one_sentence(capsys):
    assert run(["check", "diabetes", "--silence", "FW2"]) == 2
    assert capsys.readouterr().err.startswith("foldwise: there is no check 'FW2' to silence.")
