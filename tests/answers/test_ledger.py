"""The ledger: how many models a test set has judged, over studies and sessions, and what that does to the claim."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from by_hand import Counted, CountedClassifier, method_of
from sklearn.linear_model import LogisticRegression, Ridge

import foldwise as fw
from foldwise import cli, intervals
from foldwise.answers.ledger import name_of, note_scores, read_ledger
from foldwise.records.memory import MemoryStore


@pytest.fixture
def models(classes):
    X, y = classes
    return [
        learner.fit(X[:30], y[:30]) for learner in (LogisticRegression(), CountedClassifier(3), CountedClassifier(9))
    ]


def test_a_model_counts_once_on_each_test_set():
    store = MemoryStore()
    counts = [note_scores(store, "one", ["a"]), note_scores(store, "one", ["a"]), note_scores(store, "one", ["b", "a"])]
    assert counts == [1, 1, 2]
    assert note_scores(store, "two", ["a", "c", "d"]) == 3
    assert read_ledger(store) == {"one": 2, "two": 3}
    assert read_ledger(MemoryStore()) == {}


def test_names_keep_their_parts_apart():
    assert name_of("a", 1) == name_of("a", "1") != name_of("a1")


def test_each_new_model_widens_the_interval_to_its_share_of_the_level(classes, models, tmp_path):
    X, y = classes
    for count, model in enumerate(models, start=1):
        found = fw.test_risk(model, X[30:], y[30:], store=tmp_path / "run")
        failures = int((model.predict(X[30:]) != y[30:]).sum())
        truth = intervals.clopper_pearson(failures, 30, 1 - 0.05 / count)
        assert (found.low, found.high, found.level) == pytest.approx((truth.low, truth.high, 0.95))
        assert found.details["scored"] == count
        assert dict(found.notes)["ledger"].startswith(f"{count} model{'s have' if count > 1 else ' has'} been scored")


def test_the_same_model_again_counts_once_in_any_session(classes, models, tmp_path):
    X, y = classes
    again = LogisticRegression().fit(X[:30], y[:30])
    other = LogisticRegression(C=1e-3).fit(X[:30], y[:30])
    told = [fw.test_risk(model, X[30:], y[30:], store=tmp_path / "run") for model in (*models[:1] * 3, again, other)]
    counts = [found.details["scored"] for found in told]
    assert counts == [1, 1, 1, 1, 2]


def test_other_rows_are_another_test_set(classes, models, tmp_path):
    X, y = classes
    fw.test_risk(models[0], X[30:], y[30:], store=tmp_path / "run")
    found = fw.test_risk(models[1], X[31:], y[31:], store=tmp_path / "run")
    assert found.details["scored"] == 1


def test_without_a_store_nothing_is_counted(classes, models):
    X, y = classes
    for model in models:
        found = fw.test_risk(model, X[30:], y[30:])
        assert found.details["scored"] == 1
        assert "ledger" not in dict(found.notes)


def test_a_session_of_another_process_counts_too(classes, models, tmp_path):
    X, y = classes
    np.savez(tmp_path / "rows.npz", X=X, y=y)
    code = (
        "import numpy as np, foldwise as fw; from sklearn.tree import DecisionTreeClassifier as T;"
        f"d = np.load(r'{tmp_path / 'rows.npz'}'); X, y = d['X'], d['y'];"
        "model = T(random_state=0).fit(X[:30], y[:30]);"
        f"print(fw.test_risk(model, X[30:], y[30:], store=r'{tmp_path / 'run'}').details)"
    )
    first = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert first.strip() == "{'scored': 1}"
    assert fw.test_risk(models[0], X[30:], y[30:], store=tmp_path / "run").details["scored"] == 2


def test_studies_of_one_store_share_their_test_set(numbers, tmp_path):
    store = tmp_path / "run"
    first = fw.compare({"ridge": Ridge()}, *numbers, outer=0.3, store=store, jobs=1)
    assert first.to_dict()["winner"]["among"] == 2  # with the baseline
    assert not [note for note in first.to_dict()["notes"] if note["code"] == "ledger"]

    second = fw.compare({"knn": Counted(3), "near": Counted(1)}, *numbers, outer=0.3, store=store, jobs=1)
    answer = second.to_dict()
    assert answer["winner"]["among"] == 4  # ridge was judged on it too, and the baseline counts once
    note = next(note["text"] for note in answer["notes"] if note["code"] == "ledger")
    assert note == "4 methods have been judged on this test set, in this and earlier studies of the store"
    method = method_of(second, second.best)
    wide = second.methods[[one.method.name for one in second.methods].index(second.best)].estimate(level=1 - 0.05 / 4)
    assert (method["low_simultaneous"], method["high_simultaneous"]) == (wide.low, wide.high)
    assert "for the best of 4" in repr(second).replace("\n", " ")

    again = fw.compare({"knn": Counted(3), "near": Counted(1)}, *numbers, outer=0.3, store=store, jobs=1)
    assert again.to_dict()["winner"]["among"] == 4


def test_other_test_sets_and_folds_are_not_counted_together(numbers, tmp_path):
    store = tmp_path / "run"
    fw.compare({"ridge": Ridge()}, *numbers, outer=0.3, store=store, jobs=1)
    other = fw.compare({"knn": Counted(3)}, *numbers, outer=0.4, store=store, jobs=1)
    folds = fw.compare({"near": Counted(1)}, *numbers, outer=4, store=store, jobs=1)
    assert other.to_dict()["winner"]["among"] == folds.to_dict()["winner"]["among"] == 2


def test_the_command_line_shows_and_counts(classes, tmp_path, capsys):
    X, y = classes
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=np.array(["no", "yes"])[y])
    frame[:30].to_csv(tmp_path / "train.csv", index=False)
    frame[30:].to_csv(tmp_path / "test.csv", index=False)
    before = signal.getsignal(signal.SIGTERM)
    try:
        for value, count in ((0.1, 1), (10, 2), (10, 2)):
            model = tmp_path / f"m{value}.skops"
            words = ["tune", tmp_path / "train.csv", "--target", "y", "--learner", "logistic"]
            words += ["--space", f"logistic.C={value},{value * 1.1}", "--inner", "2", "--save", model]
            assert cli.run([str(word) for word in words]) == 0
            capsys.readouterr()
            words = ["test", model, tmp_path / "test.csv", "--store", tmp_path / "run", "--json"]
            assert cli.run([str(word) for word in words]) == 0
            answer = json.loads(capsys.readouterr().out)
            assert answer["details"]["scored"] == count
            assert {"ledger"} <= {note["code"] for note in answer["notes"]}
        assert cli.run([str(word) for word in words[:-1]]) == 0
        assert (
            "2 models have been scored on this test set; the interval holds for all of them" in capsys.readouterr().out
        )
    finally:
        signal.signal(signal.SIGTERM, before)
