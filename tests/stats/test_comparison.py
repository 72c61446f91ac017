from __future__ import annotations

import pytest

from foldwise.stats.comparison import Comparison
from foldwise.stats.estimate import Estimate


def test_a_comparison_is_an_estimate_with_p_and_equivalence():
    found = Comparison(0.1, names=("a", "b"))
    assert isinstance(found, Estimate)
    assert (found.p, found.equivalence) == (None, None)
    assert str(found) == "a minus b: 0.100 (no interval)"


def test_a_comparison_cannot_be_changed():
    with pytest.raises(AttributeError):
        Comparison(0.1).p = 0.01
