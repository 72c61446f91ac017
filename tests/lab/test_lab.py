"""What `fw.lab` offers, loaded when it is used."""

from __future__ import annotations

import pytest

import foldwise as fw


def test_the_lab_lists_what_it_offers():
    assert set(dir(fw.lab)) == {"PROBLEMS", "coverage", "decompose", "exhibits", "find_problem", "show", "theorem"}
    assert all(getattr(fw.lab, name) is not None for name in dir(fw.lab))
    assert callable(fw.lab.coverage)
    assert fw.lab.PROBLEMS["linear"] == fw.lab.find_problem("linear")


def test_a_name_the_lab_lacks_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"module 'foldwise\.lab' has no attribute 'covrage'"):
        _ = fw.lab.covrage
