from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from foldwise.data.columns import canonical
from foldwise.data.roles import group_codes, group_names, time_values, weight_values
from foldwise.errors import BadData


@pytest.mark.parametrize(
    "labels",
    [[7, 3, 7, 10], ["b", "a", "b", "c"], pd.to_datetime(["2021-01-01", "2020-01-01", "2021-01-01", "2022-01-01"])],
    ids=["numbers", "text", "dates"],
)
def test_groups_of_any_labels_get_codes_in_sorted_order(labels):
    assert group_codes(canonical("g", np.asarray(labels))).tolist() == [1, 0, 1, 2]


@pytest.mark.parametrize(
    "when",
    [
        [3, 1, 2],
        np.array(["2020-01-03", "2020-01-01", "2020-01-02"], dtype="datetime64[D]"),
        ["2020-01-03", "2020-01-01", "2020-01-02"],
        ["3 Jan 2020", "2020-01-01", "January 2, 2020 10:00"],
        ["2020-01-01T03:00+00:00", "2020-01-01T03:30+03:00", "2020-01-01T01:00+00:00"],
    ],
    ids=["numbers", "dates", "text", "mixed text", "time zones"],
)
def test_time_orders_the_rows(when):
    assert np.argsort(time_values(canonical("t", np.asarray(when)))).tolist() == [1, 2, 0]


def test_text_and_dates_give_the_same_times():
    dates = pd.to_datetime(["2020-01-03", "1969-12-31"])
    np.testing.assert_array_equal(
        time_values(canonical("t", np.asarray(dates))),
        time_values(canonical("t", np.array(["2020-01-03", "1969-12-31"]))),
    )


@pytest.mark.parametrize(
    ("make", "values", "words"),
    [
        (weight_values, [1, -1, -2], r"weights are negative in 2 rows \(first: row 1"),
        (weight_values, [0, 0, 0], "weights are zero in every row"),
        (weight_values, [1, np.inf, np.nan], r"weights are missing or infinite in 2 rows \(first: row 1"),
        (weight_values, ["a", "b", "c"], "weights hold a text column"),
        (time_values, [1, np.nan, 2], r"time has missing values in 1 row \(first: row 1"),
        (time_values, ["2020-01-01", "later", "2020-01-02"], "time has text that is not a date: 'later' in row 1"),
        (group_codes, np.array(["a", None, None], dtype=object), r"groups has missing values in 2 rows \(first: row 1"),
    ],
)
def test_roles_that_cannot_be_played_are_refused(make, values, words):
    with pytest.raises(BadData, match=words):
        make(canonical("c", np.asarray(values)))


@pytest.mark.parametrize(
    ("values", "names"),
    [([30.0, 7.0, 30.0], ("7", "30")), (["b", "a", "b"], ("a", "b")), ([0.5, 2.0, 0.5], ("0.5", "2"))],
)
def test_groups_keep_the_names_behind_their_codes(values, names):
    column = canonical("groups", np.asarray(values))
    assert group_names(column) == names
    assert [names[code] for code in group_codes(column)] == [f"{v:g}" if isinstance(v, float) else v for v in values]
