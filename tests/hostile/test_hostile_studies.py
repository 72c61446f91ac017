"""Study files from strangers (api/dotted.py): learners of known packages, no deep or endless nests."""

from __future__ import annotations

import pytest

from foldwise.api.dotted import learner_class
from foldwise.api.study_file import make_spec, read_study, stored_study
from foldwise.errors import BadLearner, BadSpace, BadStudy, FoldwiseError
from foldwise.records.sqlite import SqliteStore


def study(tmp_path, text):
    (tmp_path / "study.toml").write_text(text)
    return read_study(tmp_path / "study.toml")


BOMBS = {
    "deep arrays": "data = " + "[" * 100_000,
    "deep tables": "data = " + "{a=" * 50_000,
    "a key of many parts": "a" + ".a" * 200_000 + " = 1",
    "quoted parts": "'a'" + ".'a'" * 100_000 + " = 1",
    "a header of many parts": "[" + "a." * 100_000 + "a]\n" + "b = 1\n" * 10,
    "half quoted": '"' + '\\"' * 400_000,
    "spaces": "." + " " * 900_000,
    "letters": "a" * 900_000,
    "decimal digits": "data = " + "9" * 900_000,
    "hexadecimal digits": "data = 'x'\nseed = 0x" + "f" * 900_000,
    "a long text": "data = '" + "x" * 900_000 + "'",
    "a long list": "data = 'x'\nlearners = [" + "'a'," * 100_000 + "]",
    "too long": "#" * 1_000_001,
    "no text": "\x00",
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_bomb_goes_off(tmp_path, name):
    with pytest.raises(BadStudy, match=r"nested more than 32|not a TOML file|too large|parts|bits"):
        study(tmp_path, BOMBS[name])


def test_a_file_without_end_is_not_read_to_it():
    with pytest.raises(BadStudy, match="too large for a study file"):
        read_study("/dev/zero")


@pytest.mark.parametrize("word", ["command", "__class__", "import", "pickle", "trust"])
def test_unknown_words_are_refused(tmp_path, word):
    with pytest.raises(BadStudy, match=f"a study has no option '{word}'"):
        study(tmp_path, f"data = 'diabetes'\n{word} = 'x'")


def test_a_cluster_is_named_by_the_person_at_the_keyboard_only(tmp_path):
    """Whoever answers at that address can run code here."""
    with pytest.raises(BadStudy, match=r"cannot name the address of a cluster. Give it with --address"):
        study(tmp_path, "data = 'diabetes'\nengine = 'dask'\naddress = 'tcp://evil.example:8786'")


PATHS = [
    "os.system",
    "subprocess.Popen",
    "builtins.eval",
    "posix.system",
    "sklearn.utils.os.system",
    "sklearn.linear_model._base.np.load",
    "sklearn..linear_model.Ridge",
    "sklearn.__builtins__.eval",
    "sklearn.linear_model.__init__",
    "sklearn.pipeline.Pipeline",
    "sklearn.base.BaseEstimator",
    "sklearn.base.clone",
    "sklearn.datasets.fetch_openml",
    "sklearn.utils.parallel.Parallel",
    "sklearn.linear_model",
    "sklearn.does.not.Exist",
    "sklearnevil.Ridge",
    "foldwise.testing.Saboteur",
    "foldwise.cli.app",
    "évil.Ridge",
    "sklearn.linear_model.Ridge\n",
    "../sklearn.linear_model.Ridge",
    "sklearn." + "a." * 5000 + "Ridge",
]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path[:40])
def test_paths_that_are_no_learner_of_a_known_package_are_refused(path):
    with pytest.raises(BadLearner, match=r"a study cannot name the learner|is not a classifier|there is no learner"):
        learner_class(path)


def test_a_path_outside_the_known_packages_is_not_even_imported(tmp_path, marker, monkeypatch):
    (tmp_path / "evil.py").write_text(f"open({str(marker)!r}, 'w')\nclass Ridge: pass")
    monkeypatch.syspath_prepend(tmp_path)
    for path in ("evil.Ridge", "sklearn.evil.Ridge"):
        with pytest.raises(BadLearner):
            study(tmp_path, f"data = 'diabetes'\n[learners.a]\nlearner = '{path}'").make_learners()


@pytest.mark.parametrize("name", ["memory", "train_dir", "snapshot_file", "input_model", "callbacks"])
def test_parameters_that_name_files_or_code_are_refused(tmp_path, name):
    words = f"data = 'diabetes'\n[learners.a]\nlearner = 'sklearn.linear_model.Ridge'\n{name} = '/etc/x'"
    with pytest.raises(BadSpace, match=f"a study file cannot set '{name}'"):
        study(tmp_path, words).make_learners()


def test_a_learner_by_its_path_is_the_learner(tmp_path):
    from sklearn.linear_model import HuberRegressor, Ridge

    words = "data = 'diabetes'\n[learners.huber]\nlearner = 'sklearn.linear_model.HuberRegressor'\nalpha = [0.1, 1.0]"
    words += "\nepsilon = 1.5\n[learners.'sklearn.linear_model.Ridge']"
    made = study(tmp_path, words).make_learners()
    assert isinstance(made["huber"].estimator, HuberRegressor)
    assert made["huber"].estimator.epsilon == 1.5
    assert isinstance(made["sklearn.linear_model.Ridge"], Ridge)
    with pytest.raises(BadSpace, match=r"Ridge has no parameter 'alfa'. Did you mean 'alpha'\?"):
        study(tmp_path, words + "\nalfa = 1").make_learners()


def test_a_study_by_path_runs_as_the_same_study_in_python(tmp_path):
    from sklearn.linear_model import Ridge

    import foldwise as fw

    words = "data = 'diabetes'\nouter = 3\ninner = 3\njobs = 1\n[learners.a]\n"
    words += "learner = 'sklearn.linear_model.Ridge'\nalpha = [0.1, 1.0]"
    told = study(tmp_path, words).run(progress=False).to_dict()
    from foldwise.data.sources import read

    python = fw.compare({"a": fw.tune(Ridge(), alpha=[0.1, 1.0])}, read("diabetes"), outer=3, inner=3, jobs=1)
    assert told["methods"][0]["risk"] == python.to_dict()["methods"][0]["risk"]


@pytest.mark.parametrize(
    "origin",
    [
        b'{"data": "diabetes", "command": "x"}',
        b'{"data": ' + b"[" * 200 + b"]" * 200 + b"}",
        b'"text"',
        b"[" * 10**6,
        b"{",
        b"[1]",
    ],
)
def test_the_study_in_a_strangers_store_is_checked_like_a_file(tmp_path, origin):
    store = SqliteStore(tmp_path / "run")
    store.write_document("origin", origin)
    store.close()
    with pytest.raises(FoldwiseError):
        stored_study(tmp_path / "run")


def test_resuming_a_strangers_store_connects_to_no_cluster_of_theirs(tmp_path):
    store = SqliteStore(tmp_path / "run")
    store.write_document("origin", b'{"data": "diabetes", "engine": "dask", "address": "tcp://evil.example:8786"}')
    store.close()
    assert stored_study(tmp_path / "run").address is None
    assert make_spec({"data": "diabetes"}, address="tcp://mine:8786").address == "tcp://mine:8786"
