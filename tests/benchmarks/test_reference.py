"""The referee: answers are those of version 0.2, and a changed number is seen."""

from __future__ import annotations

import pytest
import reference


@pytest.mark.parametrize("name", ["binary_pairs", "formulas", "groups", "stored_and_resumed"])
def test_answers_are_those_of_0_2(name, capsys):
    assert reference.compare_all([name]) == 0, capsys.readouterr().out


def test_a_changed_number_is_an_error_that_names_study_and_field(monkeypatch, capsys):
    made = reference.STUDIES["groups"]
    monkeypatch.setitem(reference.STUDIES, "groups", lambda: _with_another_risk(made()))
    assert reference.main(["compare", "groups"]) == 1
    assert "groups: result.methods.ridge:small.risk was" in capsys.readouterr().out


def _with_another_risk(answer):
    result = answer["result"].to_dict()
    result["methods"][0]["risk"] *= 1 + 1e-8
    return {**answer, "result": result}


def test_what_is_gone_is_an_error_only_if_strict(monkeypatch, capsys):
    made = reference.STUDIES["groups"]
    monkeypatch.setitem(reference.STUDIES, "groups", lambda: {"result": made()["result"]})
    assert reference.main(["compare", "groups"]) == 0
    assert "gone: groups: splits.rows" in capsys.readouterr().out
    assert reference.main(["compare", "--strict", "groups"]) == 1


@pytest.mark.parametrize(
    ("expected", "found", "is_equal"),
    [
        (0.1, 0.1 + 1e-12, True),
        (0.1, 0.1 + 1e-9, False),
        (3, 4, False),
        (3, 3.0, True),
        (True, 1, False),
        (float("nan"), float("nan"), True),
        ("ridge", "k-nn", False),
        (None, 0.0, False),
    ],
)
def test_equal_means_exactly_or_to_a_billionth(expected, found, is_equal):
    assert reference.is_equal(expected, found) is is_equal


def test_a_renamed_field_is_looked_for_under_its_new_name(monkeypatch):
    monkeypatch.setattr(reference, "RENAMED", {"methods.*.risk": "methods.*.shown.risk"})
    old = {"methods": [{"name": "ridge", "risk": 1.0}]}
    new = {"methods": [{"name": "ridge", "shown": {"risk": 2.0}}]}
    found = reference.differences(reference.plain(old), reference.plain(new))
    assert found.changed == (("methods.ridge.risk", 1.0, 2.0),)
    assert found.gone == ()


def test_every_number_of_a_long_list_counts():
    numbers = [0.5] * 100
    swapped = [*numbers[:50], 0.5 + 1e-7, *numbers[51:]]
    assert reference.differences(reference.plain({"p": numbers}), reference.plain({"p": swapped})).changed
    exchanged = reference.plain({"p": list(range(40))}), reference.plain({"p": [*range(20), 21, 20, *range(22, 40)]})
    assert reference.differences(*exchanged).changed
