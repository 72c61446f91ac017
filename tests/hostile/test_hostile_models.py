"""Model files from strangers: no pickle, no unknown type, no archive without end."""

from __future__ import annotations

import json
import pickle
import zipfile

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from foldwise.api.model_file import _is_trusted, load_model, save_model
from foldwise.data.dataset import make_dataset
from foldwise.errors import BadLearner


@pytest.fixture
def good(tmp_path):
    X = np.arange(20.0).reshape(10, 2)
    data = make_dataset(X, X @ [1.0, 2.0])
    return save_model(tmp_path / "good.skops", Ridge().fit(data.X, data.y), data)


def rewritten(good, path, change):
    """The archive with its schema changed."""
    with zipfile.ZipFile(good) as archive, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name in archive.namelist():
            content = archive.read(name)
            if name == "schema.json":
                content = json.dumps(change(json.loads(content))).encode()
            out.writestr(name, content)
    return path


@pytest.mark.parametrize("name", ["m.pkl", "m.pickle", "m.joblib", "m.skops", "m"])
def test_a_pickle_is_not_loaded_whatever_its_name(tmp_path, touch, name):
    (tmp_path / name).write_bytes(pickle.dumps({"model": touch, "about": "{}"}))
    with pytest.raises(BadLearner, match=r"is a pickle, which runs code|is not a model file"):
        load_model(tmp_path / name)


def test_a_zip_bomb_is_refused_before_it_is_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "m.skops", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(5):
            archive.writestr(f"{number}.npy", bytes(52 * 2**20))
        archive.writestr("schema.json", "{}")
    with pytest.raises(BadLearner, match="expands to 6 parts of 272,629,762 bytes, more than"):
        load_model(tmp_path / "m.skops")


def test_an_archive_of_endless_parts_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("foldwise.api.model_file.MOST_ENTRIES", 100)
    with zipfile.ZipFile(tmp_path / "m.skops", "w") as archive:
        for number in range(101):
            archive.writestr(str(number), b"")
    with pytest.raises(BadLearner, match="expands to 101 parts"):
        load_model(tmp_path / "m.skops")


def test_a_schema_nested_without_end_is_one_sentence(tmp_path):
    with zipfile.ZipFile(tmp_path / "m.skops", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", "[" * 200_000)
    with pytest.raises(BadLearner, match="is not a model file, or is damaged"):
        load_model(tmp_path / "m.skops")


@pytest.mark.parametrize(
    ("module", "name"),
    [("os", "system"), ("subprocess", "Popen"), ("builtins", "eval"), ("posix", "system"), ("joblib", "load")],
)
@pytest.mark.parametrize("loader", ["TypeNode", "FunctionNode", "ObjectNode", "MethodNode"])
def test_a_schema_that_names_code_is_refused(good, tmp_path, module, name, loader):
    def change(schema):
        evil = {"__class__": name, "__module__": module, "__loader__": loader, "content": f"{module}.{name}"}
        return {**schema, "content": {**schema["content"], "model": evil | {"__id__": 1}}}

    with pytest.raises(BadLearner):
        load_model(rewritten(good, tmp_path / "m.skops", change))


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "builtins.eval",
        "sklearn.utils.os.system",
        "sklearn.base.clone",
        "numpy.load",
        "numpy.testing.nothing",
        "scipy.io.loadmat",
        "sklearn.utils.parallel.Parallel.evil",
        "sklearn.model_selection._search.os",
        "sklearn.utils._joblib.Memory",
        "sklearn.pipeline.check_memory",
        "foldwise.testing.saboteur.Saboteur",
        "evil.sklearn.Ridge",
    ],
)
def test_only_classes_written_in_known_packages_are_trusted(name):
    assert not _is_trusted(name)


def test_known_classes_are_trusted():
    assert all(map(_is_trusted, ("sklearn.linear_model._ridge.Ridge", "numpy.ndarray", "scipy.sparse._csr.csr_matrix")))


def test_a_good_file_loads_without_trust(good):
    assert load_model(good).about["task"] == "regression"


def test_arrays_of_objects_in_an_archive_are_not_unpickled(good, tmp_path, touch):
    import io

    buffer = io.BytesIO()
    np.save(buffer, np.array([touch], dtype=object), allow_pickle=True)
    path = tmp_path / "m.skops"
    with zipfile.ZipFile(good) as archive, zipfile.ZipFile(path, "w") as out:
        for name in archive.namelist():
            out.writestr(name, buffer.getvalue() if name.endswith(".npy") else archive.read(name))
    with pytest.raises(BadLearner, match="cannot load"):
        load_model(path)
