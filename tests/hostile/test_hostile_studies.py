"""Study files from strangers (api/dotted.py, api/dotted_names.py): known learners, no endless nests."""

from __future__ import annotations

import struct
import zlib

import pytest

from foldwise.api.dotted import learner_class
from foldwise.api.study_file import make_spec, read_study, stored_study
from foldwise.errors import BadLearner, BadSpace, BadStudy, FoldwiseError
from foldwise.records.sqlite import SqliteStore
from foldwise.studies.stored import ORIGIN


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


@pytest.mark.parametrize("word", ["jobs", "fit_threads"])
def test_a_study_file_starts_no_processes_without_end(tmp_path, word):
    text = f"data = 'diabetes'\n{word} = 1000000"
    with pytest.raises(BadStudy, match=rf"study.toml asks for {word} = 1000000, more than 256. Give --.* yourself"):
        study(tmp_path, text)
    assert getattr(read_study(tmp_path / "study.toml", **{word: 2}), word) == 2


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
    "foldwise.testing.LearnerContract",
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
    with pytest.raises(BadSpace, match=f"a study cannot set '{name}' of sklearn"):
        study(tmp_path, words).make_learners()


ATTACKS = {
    "a file is replaced": "learner = 'catboost.CatBoostRegressor'\noutput_borders = 'MARK'",
    "a file is read": "learner = 'catboost.CatBoostRegressor'\ninput_borders = 'MARK'",
    "a short word is a file too": "learner = 'catboost.CatBoostRegressor'\noutput_borders = 'x'",
    "a folder of logs": "learner = 'catboost.CatBoostClassifier'\ntrain_dir = 'MARK'",
    "writing is allowed again": "learner = 'catboost.CatBoostClassifier'\nallow_writing_files = true",
    "a snapshot": "learner = 'catboost.CatBoostRegressor'\nsave_snapshot = true\nsnapshot_file = 'MARK'",
    "a metric with a file in it": "learner = 'catboost.CatBoostRegressor'\nloss_function = 'RMSE:file=MARK'",
    "a metric that is no word of the list": "learner = 'catboost.CatBoostRegressor'\neval_metric = 'PythonUserDefined'",
    "a list of words": "learner = 'catboost.CatBoostRegressor'\nbootstrap_type = ['MVS', 'MARK']",
    "a graphics card": "learner = 'catboost.CatBoostRegressor'\ntask_type = 'GPU'",
    "a cluster of machines": "learner = 'lightgbm.LGBMRegressor'\nmachines = 'evil.example:80'\nnum_machines = 2",
    "a list of machines": "learner = 'lightgbm.LGBMRegressor'\nmachine_list_filename = 'MARK'",
    "another configuration": "learner = 'lightgbm.LGBMRegressor'\nconfig = 'MARK'",
    "its alias": "learner = 'lightgbm.LGBMClassifier'\nconfig_file = 'MARK'",
    "splits from a file": "learner = 'lightgbm.LGBMClassifier'\nforcedsplits_filename = 'MARK'",
    "a model that is written": "learner = 'lightgbm.LGBMClassifier'\noutput_model = 'MARK'",
    "an objective with a tail": "learner = 'lightgbm.LGBMRegressor'\nobjective = 'regression output_model=MARK'",
    "a word for a number": "learner = 'lightgbm.LGBMRegressor'\nnum_leaves = '31 output_model=MARK'",
    "callbacks": "learner = 'xgboost.XGBRegressor'\ncallbacks = 'MARK'",
    "another device": "learner = 'xgboost.XGBRegressor'\ndevice = 'cuda'",
    "arguments of any name": "learner = 'xgboost.XGBRegressor'\nkwargs = 'MARK'",
    "a process of its own": "learner = 'xgboost.XGBClassifier'\nprocess_type = 'update'",
    "a name with a line break": "learner = 'xgboost.XGBClassifier'\n\"max_depth\\nx\" = 3",
    "a million threads": "learner = 'sklearn.ensemble.RandomForestRegressor'\nn_jobs = 1000000",
    "a cache of files": "learner = 'sklearn.svm.SVR'\nmemory = 'MARK'",
    "a kernel that is no word of the list": "learner = 'sklearn.svm.SVR'\nkernel = 'MARK'",
    "text for a number": "learner = 'sklearn.svm.SVR'\nC = 'MARK'",
    "a step of a pipeline": "learner = 'sklearn.ensemble.BaggingRegressor'\nestimator = 'MARK'",
    "a part of a part": "learner = 'sklearn.ensemble.BaggingRegressor'\nestimator__max_depth = 3",
    "a class by its private name": "learner = 'sklearn.linear_model._ridge.Ridge'",
    "a search that holds others": "learner = 'sklearn.model_selection.GridSearchCV'",
    "the booster itself": "learner = 'lightgbm.basic.Booster'\nmodel_file = 'MARK'",
    "a cluster by its learner": "learner = 'lightgbm.DaskLGBMRegressor'",
    "a scorer": "learner = 'sklearn.ensemble.HistGradientBoostingRegressor'\nscoring = 'MARK'",
    "the built-in booster": "learner = 'lightgbm'\nmachines = 'evil.example:80'",
    "a cache of a built-in learner": "learner = 'ridge'\nprepare__memory = 'MARK'",
}


@pytest.mark.parametrize("name", ATTACKS)
def test_no_study_file_opens_or_replaces_a_file(tmp_path, name, capsys):
    from foldwise.cli import run

    mine = tmp_path / "mine.txt"
    mine.write_text("mine")
    path = tmp_path / "study.toml"
    words = f"data = 'diabetes'\nouter = 2\ninner = 2\njobs = 1\n[learners.a]\n{ATTACKS[name]}"
    path.write_text(words.replace("MARK", str(mine)))

    assert run(["compare", str(path)]) == 2

    out, err = capsys.readouterr()
    assert (out, mine.read_text(), len(err.strip().splitlines())) == ("", "mine", 1)
    assert "is not installed" not in err or "'lightgbm'" in ATTACKS[name]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["here", "mine.txt", "study.toml"]


@pytest.mark.parametrize(
    "words",
    [
        "learner = 'sklearn.svm.SVR'\nkernel = ['rbf', 'poly']\nC = { log_range = [1, 10, 2] }",
        "learner = 'sklearn.ensemble.RandomForestRegressor'\nmax_features = ['sqrt', 1.0, 'none']\nn_jobs = 1",
        "learner = 'sklearn.neighbors.KNeighborsRegressor'\nmetric = 'manhattan'\nweights = 'distance'",
    ],
)
def test_words_that_a_learner_knows_are_taken(tmp_path, words):
    made = study(tmp_path, f"data = 'diabetes'\n[learners.a]\n{words}").make_learners()["a"]
    assert hasattr(getattr(made, "estimator", made), "fit")


def test_every_learner_that_a_study_may_name_is_there_and_has_parameters():
    from foldwise.api.dotted import words_of
    from foldwise.api.dotted_names import LEARNERS

    paths = [path for path in LEARNERS if path.startswith("sklearn.")]
    assert len(paths) > 70
    for path in paths:
        words = words_of(learner_class(path))
        assert words
        assert not {"memory", "callbacks"} & set(words)


@pytest.mark.extras
@pytest.mark.parametrize("package", ["xgboost", "catboost"])
def test_every_parameter_of_a_booster_on_the_list_is_one_of_its_own(package):
    import inspect

    from foldwise.api.dotted_names import LEARNERS, NATIVE

    own: set[str] = set()
    for path in LEARNERS:
        if path.startswith(f"{package}."):
            own.update(*(inspect.signature(base).parameters for base in learner_class(path).__mro__[:3]))
    assert set(NATIVE[package]) - own == set()


@pytest.mark.extras
def test_catboost_of_a_study_file_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = "data = 'diabetes'\nouter = 2\ninner = 2\njobs = 1\n[learners.a]\n"
    words += "learner = 'catboost.CatBoostRegressor'\niterations = 3\ndepth = [2, 3]\nlogging_level = 'Silent'"
    assert study(tmp_path, words).run(progress=False).to_dict()["methods"][0]["status"] == "ok"
    assert not list(tmp_path.rglob("catboost_info"))


def test_a_learner_by_its_path_is_the_learner(tmp_path):
    from sklearn.linear_model import HuberRegressor, Ridge

    words = "data = 'diabetes'\n[learners.huber]\nlearner = 'sklearn.linear_model.HuberRegressor'\nalpha = [0.1, 1.0]"
    words += "\nepsilon = 1.5\n[learners.'sklearn.linear_model.Ridge']"
    made = study(tmp_path, words).make_learners()
    assert isinstance(made["huber"].estimator, HuberRegressor)
    assert made["huber"].estimator.epsilon == 1.5
    assert isinstance(made["sklearn.linear_model.Ridge"], Ridge)
    with pytest.raises(BadSpace, match=r"cannot set 'alfa' of .*Ridge. Did you mean 'alpha'\?"):
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
        b'{"data": "diabetes", "learners": [{"name": [1], "learner": "ridge"}]}',
        b'{"data": "diabetes", "learners": [{"name": "a", "learner": "ridge", "parameters": [1, 2]}]}',
        b'{"data": ' + b"[" * 200 + b"]" * 200 + b"}",
        b'"text"',
        b"[" * 10**6,
        b"{",
        b"[1]",
    ],
)
def test_the_study_in_a_strangers_store_is_checked_like_a_file(tmp_path, origin):
    store = SqliteStore(tmp_path / "run")
    text = b'{"arrays": [], "head": {"value": ' + origin + b"}}"
    store.write_document("origin", struct.pack("<I", len(text)) + text + zlib.compress(b""))
    store.close()
    with pytest.raises(FoldwiseError):
        stored_study(tmp_path / "run")


def test_resuming_a_strangers_store_connects_to_no_cluster_of_theirs(tmp_path):
    store = SqliteStore(tmp_path / "run")
    ORIGIN.write(store, {"data": "diabetes", "engine": "dask", "address": "tcp://evil.example:8786"})
    store.close()
    assert stored_study(tmp_path / "run").address is None
    assert make_spec({"data": "diabetes"}, address="tcp://mine:8786").address == "tcp://mine:8786"
