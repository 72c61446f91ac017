"""The winner's interval has a name, a target, what it assumes and what it was measured to cover."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

import foldwise as fw
from foldwise.questions import winner


def test_explain_tells_what_it_is_and_the_report_where_its_level_is_from():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60)
    result = fw.compare({"ridge": Ridge(), "k-nn": KNeighborsRegressor(3)}, X, y, outer=6, jobs=1)
    said = result.explain()
    assert f"The interval for the best of 2 is the {winner.NAME}: {winner.TARGET}" in said
    assert f"Measured coverage of the {winner.NAME} at 95%: {winner.COVERAGE}" in said
    assert "is a winner&#39;s interval" in result.report()

    alone = fw.compare({"ridge": Ridge()}, X, y, outer=6, jobs=1)
    assert winner.NAME not in alone.explain()
