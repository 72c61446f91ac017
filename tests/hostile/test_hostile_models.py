"""Model files from strangers (api/model_schema.py): no pickle, no unknown type, no archive without end."""

from __future__ import annotations

import json
import pickle
import zipfile

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from foldwise.api.model_file import load_model, save_model
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
    with pytest.raises(BadLearner, match=r"is a pickle|is not a model file"):
        load_model(tmp_path / name)


def test_a_zip_bomb_is_refused_before_it_is_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "m.skops", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(5):
            archive.writestr(f"{number}.npy", bytes(52 * 2**20))
        archive.writestr("schema.json", "{}")
    with pytest.raises(BadLearner, match="expands to 6 parts of 272,629,762 bytes, more than"):
        load_model(tmp_path / "m.skops")


def test_an_archive_of_endless_parts_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("foldwise.api.model_schema.MOST_ENTRIES", 100)
    with zipfile.ZipFile(tmp_path / "m.skops", "w") as archive:
        for number in range(101):
            archive.writestr(str(number), b"")
    with pytest.raises(BadLearner, match="expands to 101 parts"):
        load_model(tmp_path / "m.skops")


def test_a_schema_nested_without_end_is_one_sentence(tmp_path):
    with zipfile.ZipFile(tmp_path / "m.skops", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", "[" * 200_000)
    with pytest.raises(BadLearner, match="is not a model file"):
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
    with pytest.raises(BadLearner, match="an array of objects, which would be a pickle"):
        load_model(path)


# --- parts that run code, open files or read outside of memory ---


def text(value):
    return {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": json.dumps(value)}


def several(*values, loader="TupleNode", name="tuple"):
    return {"__class__": name, "__module__": "builtins", "__loader__": loader, "content": list(values)}


def table(**values):
    types = [{"__class__": "str", "__module__": "builtins", "__loader__": "TypeNode"} for _ in values]
    keys = several(*types, loader="ListNode", name="list")
    return {
        "__class__": "dict",
        "__module__": "builtins",
        "__loader__": "DictNode",
        "content": values,
        "key_types": keys,
    }


def named(path, loader, **more):
    module, _, name = path.rpartition(".")
    return {"__class__": name, "__module__": module, "__loader__": loader, **more}


def called(path, *values):
    return named(path, "ConstructorFromReduceNode", content=several(*values))


def made(path, **state):
    return named(path, "ObjectNode", content=table(**state))


def function(path):
    return named(path, "FunctionNode")


def transformer(func):
    return made("sklearn.preprocessing._function_transformer.FunctionTransformer", func=func, kw_args=text(None))


def pipeline(**state):
    return made("sklearn.pipeline.Pipeline", steps=several(loader="ListNode", name="list"), **state)


def marked(part, count):
    """The part with marks as skops gives them, one for each part."""
    if isinstance(part, dict):
        if "__loader__" in part:
            part.setdefault("__id__", next(count))
        for inner in part.values():
            marked(inner, count)
    elif isinstance(part, list):
        for inner in part:
            marked(inner, count)
    return part


def packed(path, model, files=(), about='{"names": [], "kinds": [], "task": "regression", "container": "frame"}'):
    from itertools import count

    schema = {**marked(table(model=model, about=text(about)), count(1)), "protocol": 2, "_skops_version": "0.16"}
    with zipfile.ZipFile(path, "w") as out:
        for name, content in dict(files).items():
            out.writestr(name, content)
        out.writestr("schema.json", json.dumps(schema))
    return path


def npy(array, **options):
    import io

    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def npz(**arrays):
    import io

    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def array(file="1.npy", path="numpy.ndarray"):
    return named(path, "NdArrayNode", type="numpy", file=file)


PICKLE = b"cos\nsystem\n(S'touch MARK'\ntR."
SPARSE = {"indices": np.array([9]), "indptr": np.array([0, 1]), "data": np.ones(1), "shape": np.array([1, 2])}
SPLINE = "scipy.interpolate._bsplines.BSpline"
TREE = named(
    "sklearn.tree._tree.Tree",
    "TreeNode",
    content=table(),
    __reduce__={"args": several(text(3), array(), text(1_000_000))},
)
ATTACKS = {
    "a pickle in the archive itself": called(
        "scipy.optimize._optimize.OptimizeResult",
        called("numpy.lib.npyio.NpzFile", text("MODEL"), text(False), text(True)),
    ),
    "NpzFile by its other name": called("numpy.lib._npyio_impl.NpzFile", text("MODEL"), text(False), text(True)),
    "a memory map that writes": called("numpy.memmap", text("MARK"), text("uint8"), text("w+"), text(0), text(9)),
    "an array that is a memory map": array(path="numpy.memmap"),
    "netcdf_file": called("scipy.io._netcdf.netcdf_file", text("MARK"), text("w")),
    "netcdf_file by its public name": called("scipy.io.netcdf_file", text("MARK"), text("w")),
    "FortranFile": called("scipy.io._fortran.FortranFile", text("MARK"), text("w")),
    "DataSource": called("numpy.lib._datasource.DataSource", text("MARK")),
    "loadtxt in a transformer": transformer(function("numpy.loadtxt")),
    "fromfile in a transformer": transformer(function("numpy.fromfile")),
    "a data set of scikit-learn": transformer(function("sklearn.datasets._base.load_files")),
    "fetch_openml": transformer(function("sklearn.datasets._openml.fetch_openml")),
    "a class in a transformer": transformer(named("sklearn.pipeline.Pipeline", "TypeNode")),
    "map, which skops takes for a container": transformer(named("builtins.map", "TypeNode")),
    "a partial of open": named(
        "functools.partial",
        "PartialNode",
        content={"func": named("builtins.open", "TypeNode"), "args": several(), "kwds": table(), "namespace": table()},
    ),
    "joblib.Memory": pipeline(memory=made("joblib.memory.Memory", store_backend=text(None))),
    "Memory by sklearn": pipeline(memory=made("sklearn.utils._joblib.Memory")),
    "a cache folder": pipeline(memory=text("MARK")),
    "a million processes": pipeline(memory=text(None), n_jobs=text(10**6)),
    "TfidfVectorizer of file names": made("sklearn.feature_extraction.text.TfidfVectorizer", input=text("filename")),
    "methodcaller": named("operator.methodcaller", "OperatorFuncNode", attrs=several(text("save"), text("MARK"))),
    "attrgetter": named("operator.attrgetter", "OperatorFuncNode", attrs=several(text("__class__"))),
    "a method": named(
        "sklearn.pipeline.Pipeline", "MethodNode", content={"func": "set_params", "obj": pipeline(memory=text(None))}
    ),
    "a random generator of any name": named(
        "numpy.random._generator.Generator",
        "RandomGeneratorNode",
        content={"bit_generator": table(bit_generator=text("seed")), "seed_seq": table()},
    ),
    "a named tuple of any class": named("subprocess.Popen", "TupleNode", content=[text("touch MARK")]),
    "a dictionary of any class": {**table(), "__class__": "Popen", "__module__": "subprocess"},
    "keys made by a function": {
        **table(MARK=text(1)),
        "key_types": several(function("os.remove"), loader="ListNode", name="list"),
    },
    "a default factory": named("collections.defaultdict", "DefaultDictNode", content={}),
    "bytes": named("builtins.bytes", "BytesNode", file="1.bin"),
    "a cached part": {**named("builtins.str", "CachedNode"), "__id__": 77},
    "a loader that there is not": named("builtins.str", "EvilNode"),
    "a loader that is a list": {**text(1), "__loader__": ["JsonNode"]},
    "a file elsewhere": array("../../etc/passwd"),
    "an array of objects": array("2.npy"),
    "an array of a terabyte": array("3.npy"),
    "an archive for an array": array("4.npz"),
    "a sparse table that reaches outside": named("scipy.sparse._csr.csr_matrix", "SparseMatrixNode", file="5.npz"),
    "a sparse table with a pickle in it": named("scipy.sparse._csr.csr_matrix", "SparseMatrixNode", file="6.npz"),
    "a tree of a million outputs": TREE,
    "a spline that reaches outside": made(SPLINE, t=array("7.npy"), c=array("8.npy"), k=text(3)),
}
FILES = {
    "1.npy": npy(np.array([1])),
    "2.npy": npy(np.array([{}], dtype=object), allow_pickle=True),
    "3.npy": npy(np.zeros(3)).replace(b"(3,), }" + b" " * 11, b"(134217728000,), }"),
    "4.npz": npz(x=np.ones(2)),
    "5.npz": npz(format=np.array(b"csr"), **SPARSE),
    "6.npz": npz(format=np.array(b"csr"), **{**SPARSE, "indices": np.array([0])}, evil=np.ones(1)),
    "7.npy": npy(np.arange(40.0)),
    "8.npy": npy(np.zeros(2)),
    "1.bin": PICKLE,
}


def used(part):
    """The files that a part refers to."""
    if isinstance(part, dict):
        own = {part["file"]} if "file" in part else set()
        return own.union(*map(used, part.values()))
    return set().union(*map(used, part)) if isinstance(part, list) else set()


def aimed(part, mark, model):
    return json.loads(json.dumps(part).replace("MARK", str(mark)).replace("MODEL", str(model)))


@pytest.mark.parametrize("name", ATTACKS)
def test_no_part_of_a_file_runs_code_or_opens_a_file(tmp_path, marker, name, capsys):
    from foldwise.cli import run

    path = tmp_path / "m.skops"
    evil = aimed(ATTACKS[name], marker, path)
    packed(path, evil, {file: FILES[file] for file in used(evil) if file in FILES})
    (tmp_path / "new.csv").write_text("a\n1\n")

    assert run(["predict", str(path), str(tmp_path / "new.csv")]) == 2

    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    assert "Traceback" not in err
    assert str(path) in err


def test_the_parts_that_the_bad_ones_are_made_of_are_good(tmp_path):
    """So that each attack is refused for what it is."""
    assert load_model(packed(tmp_path / "m.skops", pipeline(memory=text(None), n_jobs=text(-1)))).about["task"]
    load_model(packed(tmp_path / "n.skops", transformer(function("numpy.log1p"))))
    load_model(packed(tmp_path / "o.skops", several(array()), {"1.npy": FILES["1.npy"]}))


@pytest.mark.parametrize("name", ["evil.pkl", "9.npy", "/etc/cron.d/x", "../x.npy", "a/"])
def test_a_part_that_nothing_refers_to_is_refused(tmp_path, name):
    path = packed(tmp_path / "m.skops", text(1), {name: PICKLE})
    with pytest.raises(BadLearner, match=f"has a part that nothing refers to: {name}"):
        load_model(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_parts_of_one_name_are_refused(tmp_path):
    path = packed(tmp_path / "m.skops", array(), {"1.npy": FILES["1.npy"]})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("1.npy", FILES["1.npy"])
    with pytest.raises(BadLearner, match=r"two parts of the name 1\.npy"):
        load_model(path)


def test_a_part_that_poses_as_another_by_its_mark_is_refused(tmp_path):
    """skops makes the first part of a mark and takes all later ones of that mark for it."""
    first, second = {**text("harmless"), "__id__": 500}, {**text("other"), "__id__": 500}
    with pytest.raises(BadLearner, match="two parts of one mark"):
        load_model(packed(tmp_path / "m.skops", several(first, second)))
    inner = several()
    inner["content"].append({**several(), "__id__": 501})
    with pytest.raises(BadLearner, match="a part that holds itself"):
        load_model(packed(tmp_path / "m.skops", {**inner, "__id__": 501}))


def test_parts_nested_without_end_are_one_sentence(tmp_path):
    part = text(1)
    for _ in range(200):
        part = several(part)
    with pytest.raises(BadLearner, match="nests its parts too deep"):
        load_model(packed(tmp_path / "m.skops", part))


def test_a_sparse_table_that_expands_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("foldwise.api.model_schema.FREE_BYTES", 1000)
    import io

    buffer = io.BytesIO()
    np.savez_compressed(buffer, format=np.array(b"csr"), **{**SPARSE, "data": np.zeros(10**6)})
    part = named("scipy.sparse._csr.csr_matrix", "SparseMatrixNode", file="5.npz")
    with pytest.raises(BadLearner, match=r"sparse table that expands to 8,\d+,\d+ bytes"):
        load_model(packed(tmp_path / "m.skops", part, {"5.npz": buffer.getvalue()}))


@pytest.mark.parametrize("protocol", [0, 3, True, "2", None, -1])
def test_other_formats_of_skops_are_refused(good, tmp_path, protocol):
    with pytest.raises(BadLearner, match="format of skops that is not known here"):
        load_model(rewritten(good, tmp_path / "m.skops", lambda schema: {**schema, "protocol": protocol}))


def test_an_encrypted_or_oddly_packed_archive_is_refused(good, tmp_path):
    with zipfile.ZipFile(good) as archive, zipfile.ZipFile(tmp_path / "m.skops", "w", zipfile.ZIP_LZMA) as out:
        for name in archive.namelist():
            out.writestr(name, archive.read(name))
    with pytest.raises(BadLearner, match="compressed or encrypted in a way that models are not"):
        load_model(tmp_path / "m.skops")


def test_names_from_a_file_cannot_write_to_the_terminal(tmp_path):
    path = packed(tmp_path / "m.skops", named("evil\x1b[2J.Learner" + "x" * 500, "ObjectNode"))
    with pytest.raises(BadLearner) as refused:
        load_model(path)
    assert "\x1b" not in str(refused.value)
    assert len(str(refused.value)) < 500


ABOUT = {"names": ["a"], "kinds": ["number"], "task": "regression", "container": "array"}


@pytest.mark.parametrize(
    "about",
    [
        "[" * 10**5,
        "7",
        "{}",
        json.dumps({**ABOUT, "names": "abc"}),
        json.dumps({**ABOUT, "names": [{}]}),
        json.dumps({**ABOUT, "names": ["a", "a"], "kinds": ["number", "number"]}),
        json.dumps({**ABOUT, "kinds": ["file"]}),
        json.dumps({**ABOUT, "kinds": []}),
        json.dumps({**ABOUT, "task": ["regression"]}),
        json.dumps({**ABOUT, "container": "pickle"}),
        json.dumps({**ABOUT, "versions": []}),
    ],
)
def test_what_a_file_says_of_its_table_is_checked(tmp_path, about):
    with pytest.raises(BadLearner, match="was not saved by Foldwise"):
        load_model(packed(tmp_path / "m.skops", pipeline(memory=text(None)), about=about))


@pytest.mark.parametrize("model", [pipeline(memory=text(None)), text("no model"), made("sklearn.svm._classes.SVR")])
def test_a_model_that_cannot_predict_is_one_sentence(tmp_path, model, capsys):
    from foldwise.cli import run

    path = packed(tmp_path / "m.skops", model, about=json.dumps(ABOUT))
    (tmp_path / "new.csv").write_text("a\n1\n")
    assert run(["predict", str(path), str(tmp_path / "new.csv")]) == 2
    assert "the model cannot predict these rows" in capsys.readouterr().err
