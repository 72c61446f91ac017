"""The .632 bootstrap refuses what it cannot do; its numbers are in test_oracles.py."""

from __future__ import annotations

import numpy as np
import pytest

from foldwise.errors import BadInterval
from foldwise.formulas.bootstrap import bootstrap_632


@pytest.mark.parametrize(
    ("losses", "counts", "words"),
    [
        (np.ones((2, 3)), [[1, 1, 1], [1, 2, 0]], "row 0 is in every bootstrap sample"),
        (np.ones((2, 2)), np.ones((2, 3)), "the same shape"),
    ],
)
def test_samples_that_leave_a_row_unjudged_are_refused(losses, counts, words):
    with pytest.raises(BadInterval, match=words):
        bootstrap_632(losses, counts, apparent=0.1, no_information=0.5)
