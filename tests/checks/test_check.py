"""A check is one function: its code, its cases, its section in the manual and its findings; holds checks/check.py."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
from cases import FIRES, SILENT

from foldwise.checks.check import Check, Trap, all_checks, read_silence
from foldwise.errors import BadOption

DOCS = Path(__file__).parents[2] / "docs"


def test_every_check_has_its_cases_and_every_case_a_check():
    assert set(all_checks()) == set(FIRES) == set(SILENT)


def test_the_manual_has_the_docstring_of_every_check_and_no_other():
    spec = importlib.util.spec_from_file_location("make_checks", DOCS / "make_checks.py")
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    page = (DOCS / "checks.md").read_text(encoding="utf-8")

    assert re.findall(r"^### (FW\d{3})$", page, re.M) == list(all_checks())
    assert page == maker.page(page), "run `make docs`"


def test_codes_are_of_their_family_and_in_order():
    assert list(all_checks()) == sorted(all_checks())
    assert all(re.fullmatch(r"FW[1-6]\d\d", code) for code in all_checks())


def test_an_unknown_code_to_silence_is_refused_with_the_nearest():
    with pytest.raises(BadOption, match=r"there is no check 'FW20' to silence. Did you mean 'FW210'\?"):
        read_silence(["FW20"])


def test_of_many_rows_the_first_are_named_and_figures_are_plain():
    def function(subject):
        yield Trap("rows occur twice", rows=range(50), figures={"pairs": np.int64(25), "p": float("nan")})

    (finding,) = Check("FW101", "Equal rows", "warn", "fast", function, object).findings(None)

    assert (finding.code, finding.severity, finding.rows) == ("FW101", "warn", tuple(range(20)))
    assert finding.figures == {"pairs": 25, "p": None}
    assert type(finding.figures["pairs"]) is int
