"""Saved models and columns of dates."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from foldwise.api.model_file import load_model, save_model
from foldwise.api.saved_model import predict_table
from foldwise.data.conform import conform
from foldwise.data.dataset import make_dataset
from foldwise.data.sources import read, read_table
from foldwise.learners.catalogue import builtin


def saved(data, path):
    return load_model(save_model(path / "m.skops", builtin("ridge", data).estimator.fit(data.X, data.y), data))


def test_a_model_of_dates_in_a_file_predicts_from_such_a_file(tmp_path):
    days = pd.date_range("2024-01-01", periods=40)
    pd.DataFrame({"day": days, "price": np.arange(40.0)}).to_csv(tmp_path / "old.csv", index=False)
    (tmp_path / "new.csv").write_text("day\n2024-02-10T00:00\n\n")
    data = read(tmp_path / "old.csv", target="price")
    found = predict_table(saved(data, tmp_path), read_table(tmp_path / "new.csv"))["prediction"]
    assert found[0] == pytest.approx(40, abs=1)


@pytest.mark.parametrize("written", ["2024-01-31", "2024-01-31T08:30:00"])
def test_dates_where_the_model_saw_text_become_their_text(written, tmp_path):
    table = pd.DataFrame({"when": [written, "later"] * 10})
    file = saved(make_dataset(table, np.tile([1.0, 2.0], 10)), tmp_path)
    new = conform(pd.DataFrame({"when": pd.to_datetime([written, None])}), file.about)
    assert new["when"].tolist()[0] == written
    assert new["when"].isna().tolist() == [False, True]
