"""Study files from strangers (api/study_file.py): built-in learners, known numbers, no endless nests."""

from __future__ import annotations

import struct
import zlib

import pytest

from foldwise.api.study_file import BOOSTERS, make_spec, read_study, stored_study
from foldwise.errors import BadLearner, BadStudy, FoldwiseError
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


def test_a_class_by_its_path_is_no_learner_of_a_study_and_is_not_imported(tmp_path, marker, monkeypatch):
    (tmp_path / "evil.py").write_text(f"open({str(marker)!r}, 'w')\nclass Ridge: pass")
    monkeypatch.syspath_prepend(tmp_path)
    for path in ("evil.Ridge", "os.system", "sklearn.linear_model.Ridge", "sklearn." + "a" * 3000):
        with pytest.raises(BadLearner):
            study(tmp_path, f"data = 'diabetes'\n[learners.a]\nlearner = '{path}'").make_learners()


ATTACKS = {
    "a file is replaced": "learner = 'catboost'\noutput_borders = 'MARK'",
    "a file is read": "learner = 'catboost'\ninput_borders = 'MARK'",
    "a folder of logs": "learner = 'catboost:small'\ntrain_dir = 'MARK'",
    "writing is allowed again": "learner = 'catboost'\nallow_writing_files = true",
    "a snapshot": "learner = 'catboost'\nsave_snapshot = true\nsnapshot_file = 'MARK'",
    "a metric with a file in it": "learner = 'catboost'\nloss_function = 'RMSE:file=MARK'",
    "a list of words": "learner = 'catboost'\ndepth = [2, 'MARK']",
    "a cluster of machines": "learner = 'lightgbm'\nmachines = 'evil.example:80'\nnum_machines = 2",
    "a list of machines": "learner = 'lightgbm'\nmachine_list_filename = 'MARK'",
    "another configuration": "learner = 'lightgbm'\nconfig = 'MARK'",
    "a model that is written": "learner = 'lightgbm:large'\noutput_model = 'MARK'",
    "an objective with a tail": "learner = 'lightgbm'\nobjective = 'regression output_model=MARK'",
    "a word for a number": "learner = 'lightgbm'\nnum_leaves = '31 output_model=MARK'",
    "callbacks": "learner = 'xgboost'\ncallbacks = 'MARK'",
    "another device": "learner = 'xgboost'\ndevice = 'cuda'",
    "arguments of any name": "learner = 'xgboost'\nkwargs = 'MARK'",
    "a name with a line break": "learner = 'xgboost'\n\"max_depth\\nx\" = 3",
    "a million threads": "learner = 'forest'\nn_jobs = 1000000",
    "a million threads of a booster": "learner = 'catboost'\nthread_count = [1, 1000000]",
    "text for a number": "learner = 'svm'\nC = 'MARK'",
    "a kernel that is no word of the list": "learner = 'svm'\nkernel = 'MARK'",
    "a part of a part": "learner = 'forest'\nestimator__max_depth = 3",
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
    assert "is not installed" not in err
    assert sorted(one.name for one in tmp_path.iterdir()) == ["here", "mine.txt", "study.toml"]


@pytest.mark.parametrize("name", BOOSTERS)
def test_numbers_of_a_booster_can_be_set(name, tmp_path):
    words = f"data = 'diabetes'\n[learners.a]\nlearner = '{name}'\nmax_depth = [2, 3]\nlearning_rate = 0.1"
    assert study(tmp_path, words).make_learners()["a"].overrides == {"max_depth": [2, 3], "learning_rate": 0.1}


@pytest.mark.extras
def test_catboost_of_a_study_file_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = "data = 'diabetes'\nouter = 2\ninner = 2\njobs = 1\n[learners.a]\n"
    words += "learner = 'catboost'\niterations = 3\ndepth = [2, 3]"
    assert study(tmp_path, words).run(progress=False).to_dict()["methods"][0]["status"] == "ok"
    assert not list(tmp_path.rglob("catboost_info"))


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
