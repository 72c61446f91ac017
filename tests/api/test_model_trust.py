"""Which functions a model file may name."""

from __future__ import annotations

import os
from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from foldwise.api.model_file import load_model, save_model
from foldwise.data.dataset import make_dataset
from foldwise.errors import BadLearner


def test_a_partial_of_a_function_that_is_not_on_the_list_is_refused(tmp_path):
    data = make_dataset(np.arange(6.0).reshape(3, 2), [1.0, 2.0, 3.0])
    model = make_pipeline(FunctionTransformer(partial(os.path.join, "a")), Ridge())
    path = save_model(tmp_path / "m.skops", model, data)
    with pytest.raises(BadLearner, match=r"not on the list: posixpath\.join"):
        load_model(path)
