"""The list of what a model file may name (api/trusted.py): all that our models need, and nothing that is not known."""

from __future__ import annotations

import importlib
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import ClassifierMixin, RegressorMixin, TransformerMixin

from foldwise.api.model_file import load_model, save_model
from foldwise.api.trusted import BY_LOADER, FUNCTIONS, NUMBERS, OBJECTS
from foldwise.data.dataset import make_dataset
from foldwise.errors import BadLearner
from foldwise.learners.catalogue import all_entries, builtin, is_installed

NATIVE = ("lightgbm", "xgboost", "catboost")  # read by compiled code that is not made for strangers' files
BUILT_IN = [(entry.name, task) for entry in all_entries() if is_installed(entry) for task in entry.tasks]
OTHER_VERSIONS = {  # of NumPy and SciPy that are supported too
    *(f"numpy._core._multiarray_umath.{name.rpartition('.')[2]}" for name in FUNCTIONS),
    "numpy.ma.core.MaskedArray",
}


def found(name):
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


@pytest.mark.parametrize("loader", BY_LOADER)
def test_every_name_on_the_list_is_there(loader):
    missing = []
    for name in BY_LOADER[loader] - OTHER_VERSIONS:
        try:
            found(name)
        except (ImportError, AttributeError):
            missing.append(name)
    assert missing == []


def test_the_list_has_no_function_among_classes_and_no_class_among_functions():
    assert all(isinstance(found(name), type) for name in (OBJECTS | NUMBERS) - OTHER_VERSIONS)
    assert not any(isinstance(found(name), type) for name in FUNCTIONS - OTHER_VERSIONS)


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "builtins.eval",
        "builtins.map",
        "sklearn.base.clone",
        "numpy.load",
        "numpy.memmap",
        "numpy.lib.npyio.NpzFile",
        "scipy.io.netcdf_file",
        "scipy.io._netcdf.netcdf_file",
        "scipy.optimize._optimize.OptimizeResult",
        "sklearn.utils._joblib.Memory",
        "joblib.memory.Memory",
        "sklearn.feature_extraction.text.TfidfVectorizer",
        "sklearn.ensemble._gb.GradientBoostingRegressor",
        "foldwise.testing.learners.LearnerContract",
    ],
)
def test_what_opens_files_or_calls_what_it_is_given_is_not_on_the_list(name):
    assert not any(name in names for names in BY_LOADER.values())


def table(task, container, rows=50):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(rows, 3))
    signal = X[:, 0] - X[:, 1]
    cuts = {"regression": None, "binary": [0.0], "multiclass": [-0.7, 0.7]}[task]
    y = signal if cuts is None else np.array(["low", "mid", "top"])[np.digitize(signal, cuts)]
    return make_dataset(X if container == "array" else sparse.csr_array(np.where(X > 0, X, 0)), y)


@pytest.mark.few(4)
@pytest.mark.parametrize(("name", "task"), BUILT_IN)
@pytest.mark.parametrize("container", ["array", "sparse"])
def test_every_built_in_learner_loads_without_trust(name, task, container, tmp_path):
    """Frames with all kinds of columns are in test_model_file.py."""
    data = table(task, container)
    estimator = builtin(name, data).estimator
    quick = [word for word in estimator.get_params() if word.endswith(("max_epochs", "n_estimators", "max_iter"))]
    model = estimator.set_params(**dict.fromkeys(quick, 5 if name in ("forest", "neural-net") else 50))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = save_model(tmp_path / "m.skops", model.fit(data.X, data.y), data)
    if name in NATIVE:
        with pytest.raises(BadLearner, match=r"not on the list: .*If you made the file, use trust=True"):
            load_model(path)
    loaded = load_model(path, trust=name in NATIVE).model
    np.testing.assert_array_equal(loaded.predict(data.X), model.predict(data.X))


def listed_estimators():
    """Those of the list alone: `all_estimators` would import whatever scikit-learn can work with."""
    kinds = (ClassifierMixin, RegressorMixin, TransformerMixin)
    listed = [found(name) for name in OBJECTS - OTHER_VERSIONS if name.startswith("sklearn.")]
    public = [kind for kind in listed if issubclass(kind, kinds) and not kind.__name__.startswith("_")]
    return sorted(public, key=lambda kind: kind.__name__)


def instance(kind):
    from sklearn.utils._test_common.instance_generator import _construct_instances

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return next(iter(_construct_instances(kind)))


@pytest.mark.few(6)
@pytest.mark.parametrize("kind", listed_estimators(), ids=lambda kind: kind.__name__)
def test_every_listed_estimator_of_scikit_learn_loads_without_trust(kind, tmp_path):
    rng = np.random.default_rng(0)
    X, target = np.abs(rng.normal(size=(60, 4))), rng.normal(size=60) ** 2 + 0.1
    data = make_dataset(X, target)
    model = instance(kind)
    labels = np.where(target > np.median(target), 1, 0)
    matrix = np.column_stack([target, target])
    is_column = kind.__name__ in ("LabelBinarizer", "LabelEncoder", "IsotonicRegression")
    choices = [(labels,), (X[:, 0], target), (X @ X.T,), ([("a", "b"), ("a",)],)] if is_column else []
    for given in [*choices, (X, target), (X, labels), (X, matrix), (X,), (X @ X.T,), ([("a", "b"), ("a",)],)]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model.fit(*given)
            except (TypeError, ValueError, AttributeError, IndexError):
                continue
        break
    else:
        pytest.fail(f"no table for {kind.__name__}")
    load_model(save_model(tmp_path / "m.skops", model, data))
