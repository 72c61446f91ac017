"""What the checks say of real data sets, as they are and with planted leaks; needs the packages that carry the data.

`real_data.halves` says which were used to design the checks; the others were judged once, when the checks were done.
"""

from __future__ import annotations

import pytest
from planted import LEAKS, planted
from real_data import CLEAN, RealData, load

from foldwise.api.request import request
from foldwise.checks.checking import find
from foldwise.studies.finding import Findings

pytestmark = pytest.mark.extras
# Warnings on data sets as they are published, with the reason why a careful person calls them true.
TRUE_WARNINGS = {
    ("keel_spambase", "FW102"): "the same mail was sent many times, with a word changed",
}
MOST_FALSE = 1


def found(data: RealData) -> Findings:
    """What `compare` would find before its fits."""
    learner = "ridge" if data.is_regression else "logistic"
    asked = request([learner], data.X, data.y, outer=5, **data.roles)
    return find(asked.study(), asked.checking)


def test_there_are_93_leaks_and_forty_data_sets():
    assert (len(LEAKS), len(CLEAN)) == (93, 40)


def test_planted_leaks_are_found():
    missed = []
    for kind, name in LEAKS:
        hits = [one for one in found(planted(kind, name)) if one.code in kind.codes and one.severity in kind.severities]
        missed += [] if hits else [(kind.plant.__name__, name)]

    assert len(missed) <= 3, missed


def test_clean_data_sets_are_left_in_peace():
    false = []
    for name in CLEAN:
        warned = [one for one in found(load(name)) if one.severity != "note"]
        false += [(name, one.code, one.text) for one in warned if (name, one.code) not in TRUE_WARNINGS]

    assert len(false) <= MOST_FALSE, false
