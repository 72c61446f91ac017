"""The parts of the page: words for every phase, and everything from outside escaped."""

from __future__ import annotations

import json

import pytest

from foldwise.live.state import Row, Snapshot
from foldwise.live.view import PARTS, PHASES, duration, message, page, parts


def test_a_time_is_given_as_roughly_as_it_is_known():
    assert [duration(seconds) for seconds in (0.1, 12, 89, 91, 7200)] == ["5 s", "10 s", "90 s", "2 min", "2.0 h"]


def row(name, **more):
    return Row(name, False, 1, 9, "", 0, 1.0, 1, 3, **{"risk": 1.0, **more})


@pytest.mark.parametrize("phase", PHASES)
def test_every_phase_has_its_words_on_the_page_and_in_its_messages(phase):
    snapshot = Snapshot(phase, "/tmp/run", done=3, total=9)
    head, words = PHASES[phase]
    assert head in page(snapshot)
    found = json.loads(message(snapshot))
    assert found["phase"] == phase
    assert list(found["parts"]) == list(PARTS)
    assert words in found["parts"]["status"]


def test_finished_methods_come_first_by_their_risk_and_those_without_one_are_named():
    done = [row("worse", is_partial=False, risk=3.0), row("best", is_partial=False, risk=2.0)]
    rows = (row("early", risk=1.0), row("none", risk=None), *done)
    for phase in ("running", "stopped"):
        risks = parts(Snapshot(phase, "/tmp/run", done=4, total=9, rows=rows))["risks"]
        places = [risks.index(f"{name}: ") for name in ("best", "worse", "early")]
        assert places == sorted(places)
        assert "No risk yet: none." in risks


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"phase": "running", "left": 70.0}, "<strong>70 s</strong><span>at the pace of the last minutes"),
        ({"phase": "running", "left": 70.0, "is_timed": False}, "<strong>at least 70 s</strong><span>some methods"),
        ({"phase": "running", "left": 70.0, "sureness": "at most"}, "<strong>at most 70 s</strong>"),
        ({"phase": "running"}, "<strong>-</strong><span>being measured"),
        ({"phase": "stopped", "left": 70.0}, "<strong>70 s</strong><span>of work for one core, when it goes on"),
        ({"phase": "finished"}, "<strong>none</strong>"),
    ],
)
def test_a_time_left_says_what_it_is(words, told):
    assert told in parts(Snapshot(run="/tmp/run", done=1, total=9, rows=(row("some"),), **words))["tiles"]


def test_findings_of_the_guards_are_on_the_page_with_their_codes():
    findings = (("warn", "warning FW206: 'ident' counts the rows."), ("note", "note FW203: 'site' is constant."))
    text = parts(Snapshot("running", "/tmp/run", findings=findings))["findings"]
    assert '<li class="warning"><b>warning</b> FW206: &#39;ident&#39; counts the rows.</li>' in text
    assert '<li class="note"><b>note</b> FW203:' in text
    assert parts(Snapshot("running", "/tmp/run"))["findings"] == ""
