"""Every code fires, stays silent, and stands in the manual; holds guards/codes/ and guards/registry.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from guard_cases import FIRES, SILENT

from foldwise.errors import BadOption
from foldwise.guards.registry import CODES, read_silence

MANUAL = (Path(__file__).parents[2] / "docs" / "guards.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", CODES)
def test_a_code_fires_where_it_should(code):
    assert code in FIRES[code]()


@pytest.mark.parametrize("code", CODES)
def test_a_code_is_silent_where_nothing_is_wrong(code):
    assert code not in SILENT[code]()


def test_the_manual_has_a_section_for_every_code_and_no_other():
    sections = re.findall(r"^### (FW\d{3})\n\*\*(.+?)\*\* \((\w+)\)", MANUAL, re.M)

    assert [name for name, _, _ in sections] == list(CODES)
    for name, title, severity in sections:
        assert (title.lower(), severity) == (CODES[name].title.lower(), CODES[name].severity)


def test_codes_are_of_their_family_and_in_order():
    assert list(CODES) == sorted(CODES)
    assert all(re.fullmatch(r"FW[1-6]\d\d", name) for name in CODES)


def test_an_unknown_code_to_silence_is_refused_with_the_nearest():
    with pytest.raises(BadOption, match=r"there is no check 'FW20' to silence. Did you mean 'FW210'\?"):
        read_silence(["FW20"])
