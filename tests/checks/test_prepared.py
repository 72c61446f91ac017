"""Tables that were prepared before they were split."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from cases import check_cases, codes_in
from looking import told
from rows_cases import table

Y = table()[1]
PLACE = np.random.default_rng(0).integers(0, 10, 120)


@pytest.mark.parametrize("code", codes_in("prepared"))
def test_a_check_fires_where_it_should_and_is_silent_elsewhere(code):
    check_cases(code)


def others_mean(values: np.ndarray, place: np.ndarray = PLACE) -> np.ndarray:
    by_place = pd.Series(values).groupby(place)
    return ((by_place.transform("sum") - values) / (by_place.transform("count") - 1)).to_numpy()


@pytest.mark.parametrize("values", [Y, np.sin(np.arange(120))], ids=["target", "other"])
def test_means_of_others_and_drawn_means_are_told_of_the_target_alone(values):
    drawn = pd.Series(values).groupby(PLACE).transform(lambda column: column.sum() / (len(column) + 5))

    assert ("FW403" in told(v=others_mean(values))) == (values is Y)
    assert ("FW403" in told(v=drawn)) == (values is Y)
