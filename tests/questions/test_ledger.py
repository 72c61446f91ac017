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
from foldwise.errors import BadStore
from foldwise.questions.ledger import name_of, note_scores, read_scoreboard
from foldwise.records.encoding import pack
from foldwise.records.memory import MemoryStore


@pytest.fixture
def models(classes):
    X, y = classes
    return [
        learner.fit(X[:30], y[:30]) for learner in (LogisticRegression(), CountedClassifier(3), CountedClassifier(9))
    ]


def test_a_model_counts_once_on_each_test_set():
    store = MemoryStore()
    counts = [note_scores(store, "one", models) for models in (["z"], ["z"], ["b", "z", "a"], ["c"])]
    assert counts == [1, 1, 3, 4]
    assert note_scores(store, "two", ["c", "d"]) == 2
    assert read_scoreboard(store, "one").scored == ("z", "a", "b", "c")
    assert read_scoreboard(MemoryStore(), "one").scored == ()


def test_a_ledger_that_is_none_is_refused():
    store = MemoryStore()
    store.write_document("ledger", pack({"value": {"one": {"scored": 3}}}, {}))
    with pytest.raises(BadStore, match="document 'ledger'"):
        note_scores(store, "one", ["a"])


def test_names_keep_their_parts_apart():
    assert name_of("a", 1) == name_of("a", "1") != name_of("a1")


def said(found):
    return [text for code, text in found.notes if code == "ledger"]


def test_the_interval_is_of_one_model_and_the_note_counts_them(classes, models, tmp_path):
    X, y = classes
    for count, model in enumerate(models, start=1):
        found = fw.test_risk(model, X[30:], y[30:], store=tmp_path / "run")
        failures = int((model.predict(X[30:]) != y[30:]).sum())
        alone = intervals.clopper_pearson(failures, 30, 0.95)
        assert (found.low, found.high, found.level) == pytest.approx((alone.low, alone.high, 0.95))
        assert found.details["scored"] == count
        assert said(found) == [
            "the interval is about this one model, fixed before it was scored on these rows",
            f"{count} model{'s have' if count > 1 else ' has'} been scored on these rows",
        ]


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
        assert found.details["scored"] is None
        assert said(found) == [
            "the interval is about this one model, fixed before it was scored on these rows; "
            "without a store (store=, --store) nothing counts how many were scored on them"
        ]


@pytest.mark.slow
def test_a_session_of_another_process_counts_too(classes, models, tmp_path):
    X, y = classes
    np.savez(tmp_path / "rows.npz", X=X, y=y)
    code = (
        "import numpy as np, foldwise as fw; from sklearn.tree import DecisionTreeClassifier as T;"
        f"d = np.load(r'{tmp_path / 'rows.npz'}'); X, y = d['X'], d['y'];"
        "model = T(random_state=0).fit(X[:30], y[:30]);"
        f"print(fw.test_risk(model, X[30:], y[30:], store=r'{tmp_path / 'run'}').details['scored'])"
    )
    first = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert first.strip() == "1"
    assert fw.test_risk(models[0], X[30:], y[30:], store=tmp_path / "run").details["scored"] == 2


def test_studies_of_one_store_share_their_test_set(numbers, tmp_path):
    store = tmp_path / "run"
    first = fw.compare({"ridge": Ridge()}, *numbers, outer=0.3, store=store, jobs=1)
    assert first.to_dict()["winner"]["among"] == 1  # the baseline is no rival
    notes = [note["text"] for note in first.to_dict()["notes"] if note["code"] == "ledger"]
    assert notes[0].startswith("intervals are about methods fixed before the test set was looked at; other studies")
    assert first.to_dict()["winner"]["level_shared"] == "evenly"

    second = fw.compare({"knn": Counted(3), "near": Counted(1)}, *numbers, outer=0.3, store=store, jobs=1)
    answer = second.to_dict()
    assert answer["winner"]["among"] == 3  # ridge was judged on it too
    note = next(one["text"] for one in answer["findings"] if one["code"] == "FW405")
    assert note.startswith("3 methods have been judged on this test set, in this and other studies of the store: ")
    assert "if none was made after looking at the score of another" in note
    method = method_of(second, second.best)
    wide = next(one for one in second.methods if one.method.name == second.best).estimate(level=1 - 0.05 / 3)
    assert (method["low_simultaneous"], method["high_simultaneous"]) == pytest.approx((wide.low, wide.high))

    again = fw.compare({"knn": Counted(3), "near": Counted(1)}, *numbers, outer=0.3, store=store, jobs=1)
    assert again.to_dict()["winner"]["among"] == 3


def test_other_test_sets_and_folds_are_not_counted_together(numbers, tmp_path):
    store = tmp_path / "run"
    fw.compare({"ridge": Ridge()}, *numbers, outer=0.3, store=store, jobs=1)
    other = fw.compare({"knn": Counted(3)}, *numbers, outer=0.4, store=store, jobs=1)
    folds = fw.compare({"near": Counted(1)}, *numbers, outer=4, store=store, jobs=1)
    assert other.to_dict()["winner"]["among"] == folds.to_dict()["winner"]["among"] == 1


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
        assert "2 models have been scored on these rows" in capsys.readouterr().out
    finally:
        signal.signal(signal.SIGTERM, before)
