"""The command line (cli/): JSON or readable text on stdout, one sentence on stderr, and the right exit code."""

from __future__ import annotations

import errno
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVR

from foldwise import cli
from foldwise.api.study_file import StudySpec, make_spec
from foldwise.errors import BadData, FitsFailed
from foldwise.records.sqlite import SqliteStore


@pytest.fixture(scope="session")
def table(tmp_path_factory):
    """40 rows: two numbers, text, groups, weights, a number to predict and a class to predict."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("data") / "rows.csv"
    lines = ["a,b,shop,site,w,y,label"]
    for i in range(40):
        a, b = rng.normal(size=2)
        label = "yes" if a + 0.3 * rng.normal() > 0 else "no"
        lines.append(f"{a:.4f},{b:.4f},{'xyz'[i % 3]},{i % 4},{1 + i % 2},{2 * a + 0.1 * b:.4f},{label}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


QUICK = ("--learners", "ridge", "--space", "ridge.alpha=0.1,10", "--outer", "3", "--inner", "2", "--jobs", "1")


def test_help_lists_every_command(foldwise):
    code, out, _ = foldwise("--help")

    assert code == 0
    for name in ("compare", "resume", "report", "risk", "tune", "test", "curve", "benchmark", "predict", "bound"):
        assert f"\n  {name} " in out


def test_the_version_is_one_line(foldwise):
    code, out, _ = foldwise("--version")

    assert code == 0
    assert out.startswith("foldwise 0.")


def test_help_loads_no_heavy_library():
    code = (
        "import sys; from foldwise.cli import run; run(['compare', '--help']);"
        "print([name for name in ('sklearn', 'pandas', 'scipy', 'numpy', 'pydantic', 'rich') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert out.splitlines()[-1] == "[]"


def test_compare_prints_a_table_a_verdict_and_the_choices(foldwise, table):
    code, out, _ = foldwise("compare", table, "--target", "y", "--drop", "label", *QUICK)

    assert code == 0
    assert out.startswith("Use ridge: its typical error (RMSE) on new rows is about ")
    assert "Chosen for ridge: alpha=0.1 (3 of 3 folds chose the same)" in out
    assert (
        "ridge: alpha=0.1 in fold 0 1 2"
        in foldwise("compare", table, "--target", "y", "--drop", "label", *QUICK, "--details")[1]
    )


def test_json_is_the_answer_of_python_and_nothing_else(foldwise, table):
    from foldwise.api.compare import compare
    from foldwise.data.sources import read
    from foldwise.learners.named import learner

    code, out, _ = foldwise("compare", table, "--target", "y", "--drop", "label", *QUICK, "--json")
    data = read(table, target="y", drop=["label"])
    result = compare({"ridge": learner("ridge", alpha=[0.1, 10])}, data, outer=3, inner=2, jobs=1)

    assert code == 0
    assert without_timings(json.loads(out)) == without_timings(json.loads(json.dumps(result.to_dict())))


def without_timings(answer):
    kept = {key: value for key, value in answer.items() if key not in ("seconds", "fits_made")}
    kept["methods"] = [
        {key: value for key, value in method.items() if key not in ("seconds", "fits_made")}
        for method in answer["methods"]
    ]
    return kept


def test_a_study_file_gives_what_flags_give(foldwise, table, tmp_path):
    study = tmp_path / "study.toml"
    study.write_text(
        f'data = "{table}"\ntarget = "y"\ndrop = ["label"]\nouter = 3\ninner = 2\njobs = 1\n'
        "[learners.ridge]\nalpha = [0.1, 10]\n",
        encoding="utf-8",
    )
    _, from_file, _ = foldwise("compare", study, "--json")
    _, from_flags, _ = foldwise("compare", table, "--target", "y", "--drop", "label", *QUICK, "--json")

    assert without_timings(json.loads(from_file)) == without_timings(json.loads(from_flags))


def test_a_study_in_a_store_is_resumed_reported_checked_and_copied(foldwise, table, tmp_path):
    run = tmp_path / "run"
    words = ("compare", table, "--target", "y", "--drop", "label", *QUICK, "--store", run, "--json")
    _, first, _ = foldwise(*words)
    code, again, _ = foldwise("resume", run, "--json")

    assert code == 0
    assert json.loads(first)["fits_made"] > 0
    assert json.loads(again)["fits_made"] == 0
    assert without_timings(json.loads(again)) == without_timings(json.loads(first))

    code, out, _ = foldwise("report", run, "--json")
    assert code == 0
    assert "Use ridge" in (tmp_path / "run.html").read_text(encoding="utf-8")
    assert json.loads(out)["best"] == json.loads(first)["best"]

    code, out, _ = foldwise("store", "info", run, "--json")
    assert (code, json.loads(out)["failed"]) == (0, 0)
    code, out, _ = foldwise("store", "verify", run)
    assert (code, out.strip()) == (0, f"{run} is sound")


def test_a_saved_model_predicts_and_is_tested(foldwise, table, tmp_path):
    model, page = tmp_path / "m.skops", tmp_path / "pages" / "p.html"
    words = ("compare", table, "--target", "label", "--drop", "y", "--learners", "logistic", "--outer", "3")
    more = ("--space", "logistic.C=0.1,1", "--inner", "2", "--jobs", "1", "--save", model, "--report", page)
    code, _, err = foldwise(*words, *more)
    assert code == 0
    assert f"is in {model}" in err
    assert page.exists()

    code, out, _ = foldwise("predict", model, table)
    assert code == 0
    assert out.splitlines()[0] == "row,prediction,p_no,p_yes"
    assert len(out.splitlines()) == 41

    code, out, err = foldwise("predict", model, table, "--out", tmp_path / "p.csv")
    assert (code, out) == (0, "")
    assert "40 predictions are in" in err

    code, out, _ = foldwise("test", model, table, "--json")
    assert code == 0
    assert 0 <= json.loads(out)["value"] <= 1


def test_predictions_that_cannot_be_written_leave_the_old_file(foldwise, table, tmp_path, monkeypatch):
    model, out = tmp_path / "m.skops", tmp_path / "new" / "p.csv"
    words = ("--target", "y", "--drop", "label", "--learners", "linear", "--outer", "3", "--jobs", "1")
    assert foldwise("compare", table, *words, "--save", model)[0] == 0
    assert foldwise("predict", model, table, "--out", out)[0] == 0
    whole = out.read_bytes()
    assert foldwise("predict", model, table, "--out", f"{out}.gz")[0] == 0
    assert gzip.decompress(Path(f"{out}.gz").read_bytes()) == whole

    def cut_short(frame, path, **options):
        Path(path).write_bytes(whole[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pd.DataFrame, "to_csv", cut_short)
    code, _, err = foldwise("predict", model, table, "--out", out)
    assert (code, err) == (2, f"foldwise: cannot write {out}: No space left on device. Give another path.\n")
    assert out.read_bytes() == whole
    assert sorted(path.name for path in out.parent.iterdir()) == ["p.csv", "p.csv.gz"]


def test_risk_tune_and_curve_answer(foldwise, table):
    data = ("--target", "y", "--drop", "label")
    code, out, _ = foldwise("risk", table, *data, "--learner", "ridge", "--outer", "3", "--inner", "2", "--json")
    assert code == 0
    assert json.loads(out)["value"] > 0

    code, out, _ = foldwise("tune", table, *data, "--learner", "ridge", "--space", "ridge.alpha=0.1,10", "--json")
    assert code == 0
    assert json.loads(out)["candidate"] == {"alpha": 0.1}
    assert json.loads(out)["guarantee"]["excess"] is None
    code, out, _ = foldwise("tune", table, "--target", "label", "--drop", "y", "--learner", "tree", "--inner", "0.25")
    assert code == 0
    assert "the best of 12 candidates" in out
    assert "Guarantee: with probability at least 0.95" in out

    words = ("--learner", "k-nn", "--parameter", "n_neighbors=1..3", "--outer", "3", "--json")
    code, out, _ = foldwise("curve", table, *data, *words)
    assert code == 0
    assert json.loads(out)


def test_the_plan_tells_the_cost_and_stops(foldwise, table):
    code, out, _ = foldwise("compare", table, "--target", "y", "--drop", "label", *QUICK, "--plan", "--json")

    assert code == 0
    assert json.loads(out)["fits"] > 0
    assert "best" not in json.loads(out)


def test_the_bound_and_its_inverses_agree(foldwise):
    _, out, _ = foldwise("bound", "--rows", 500, "--candidates", 30, "--json")
    excess = json.loads(out)["excess"]
    assert excess == pytest.approx(np.sqrt(2 / 500 * np.log(2 * 30 / 0.05)), rel=1e-12)

    _, out, _ = foldwise("bound", "--excess", repr(excess), "--candidates", 30, "--json")
    assert json.loads(out)["rows"] == 500
    _, out, _ = foldwise("bound", "--excess", repr(excess), "--rows", 500, "--json")
    assert json.loads(out)["candidates"] == 30


def test_learners_are_listed(foldwise):
    code, out, _ = foldwise("learners", "--json")

    assert code == 0
    assert {"baseline", "k-nn", "ridge"} <= {row["name"] for row in json.loads(out)["learners"]}


def test_failed_fits_in_a_store_are_made_again_when_asked(foldwise, table, tmp_path):
    run = tmp_path / "run"
    words = ("compare", table, "--target", "y", "--drop", "label", *QUICK, "--store", run, "--json")
    first = json.loads(foldwise(*words)[1])
    store = SqliteStore(run)
    keys = sorted(store.keys())[:3]
    store.add([replace(store.get(key), status="error", responses={}, error="OSError: no space left") for key in keys])
    store.close()

    _, kept, err = foldwise("resume", run, "--json")
    assert json.loads(kept)["fits_made"] == 0
    assert "--retry-failed" in err
    for again in (("resume", run, "--json"), words):
        store = SqliteStore(run)
        store.add([replace(store.get(key), status="error", responses={}, error="OSError: no space") for key in keys])
        store.close()
        code, out, _ = foldwise(*again, "--retry-failed")
        assert code == 0
        assert json.loads(out)["fits_made"] == 3
        assert without_timings(json.loads(out)) == without_timings(first)


def test_flags_make_the_study_they_say(foldwise, monkeypatch):
    seen = []
    monkeypatch.setattr(
        StudySpec, "run", lambda self, progress: seen.append(self) or (_ for _ in ()).throw(BadData("x"))
    )
    foldwise(
        "compare", "iris", "--learners", "k-nn, tree", "--space", "k-nn.n_neighbors=1..5", "--outer", "0.2", "--inner",
        "dev", "--loss", "zero_one,log", "--drop", "p", "--drop", "q", "--positive", "1", "--no-stratify", "--optimism",
    )  # fmt: skip

    assert seen == [
        make_spec(
            {"data": "iris"}, learners=["k-nn", "tree"], space=["k-nn.n_neighbors=1..5"], outer=0.2, inner="dev",
            loss=["zero_one", "log"], drop=["p", "q"], positive=1, stratify=False, optimism=True,
        )
    ]  # fmt: skip


BAD = [
    (["compare"], "Missing argument 'DATA|STUDY.toml'. See foldwise compare --help."),
    (["risk", "iris"], "Missing option '--learner'. Write --learner ridge, say."),
    (["plan", "iris"], "no command 'plan'. Write foldwise compare DATA --plan"),
    (["compar", "iris"], "no command 'compar'. Did you mean 'compare'?"),
    (["store", "inf", "x"], "no command 'inf'. Did you mean 'info'?"),
    (["compare", "none.csv", "--target", "y"], "none.csv"),
    (["compare", "none.toml"], "cannot read the study file none.toml: No such file"),
    (["compare", "diabets"], "diabetes"),
    (["compare", "{table}"], "there is no target"),
    (["compare", "{table}", "--target", "z"], "'z'"),
    (["compare", "{table}", "--target", "y", "--drop", "zz"], "cannot drop column 'zz'"),
    (["compare", "{table}", "--target", "y", "--groups", "sit"], "Did you mean 'site'?"),
    (["compare", "iris", "--learners", "rigde"], "no built-in learner 'rigde'. Did you mean 'ridge'?"),
    (["compare", "iris", "--learners", "tree,,ridge"], "empty name"),
    (["compare", "iris", "--learners", "tree,tree"], "learner 'tree' is given twice"),
    (["compare", "iris", "--learners", "lasso", "--task", "classification"], "'lasso' is not for classification"),
    (["compare", "iris", "--loss", "squard"], "squard"),
    (["compare", "iris", "--space", "k-nn"], "cannot read the space 'k-nn'"),
    (["compare", "iris", "--learners", "tree", "--space", "tree.max_dept=1,2"], "max_dept"),
    (["compare", "iris", "--outer", "1000"], "1000"),
    (["compare", "iris", "--outer", "lo"], "'lo'"),
    (["compare", "iris", "--outer", "abc"], "unknown splits 'abc'. Use an int (folds), a share such as 0.2, 'loo'"),
    (["compare", "iris", "--outer", "column:zz"], "no column 'zz' to take fold labels from"),
    (["compare", "iris", "--repeats", "0"], "Invalid value for '--repeats'"),
    (["compare", "iris", "--seed", "one"], "Invalid value for '--seed': 'one' is not a whole number."),
    (["compare", "iris", "--level", "1.5"], "Invalid value for '--level'"),
    (["compare", "iris", "--rule", "bst"], "Invalid value for '--rule'"),
    (["compare", "iris", "--no-such"], "No such option"),
    (["compare", "iris", "--save", "model.txt"], "Name it MODEL.skops"),
    (["compare", "iris", "--save", "model.pkl"], "would be a pickle"),
    (["compare", "iris", "--pickle"], "there is no --save"),
    (["compare", "iris", "--report", "/"], "cannot write /"),
    (["predict", "none.skops", "{table}"], "there is no model file none.skops"),
    (["test", "none.skops", "{table}"], "there is no model file none.skops"),
    (["tune", "iris", "--learner", "baseline"], "nothing to tune"),
    (["curve", "iris", "--learner", "k-nn", "--parameter", "n_neighbors"], "cannot read --parameter"),
    (["curve", "iris", "--learner", "k-nn", "--parameter", "n=1", "--sizes", "0.5"], "two different curves"),
    (["curve", "iris", "--learner", "k-nn", "--sizes", "a"], "--sizes must be numbers"),
    (["bound", "--rows", "5"], "give two of --rows, --candidates and --excess"),
    (["bound", "--rows", "5", "--excess", "-1"], "excess"),
    (["resume", "no-run"], "there is no store in no-run"),
    (["report", "no-run"], "there is no store in no-run"),
    (["store", "verify", "no-run"], "there is no store in no-run"),
]


@pytest.mark.parametrize(("words", "sentence"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_input_is_one_sentence_and_exit_code_2(foldwise, table, words, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = foldwise(*(word.replace("{table}", str(table)) for word in words))

    assert code == 2
    assert out == ""
    assert err.startswith("foldwise: ")
    assert len(err.splitlines()) == 1
    assert sentence in err


def test_a_study_that_fails_has_exit_code_1(foldwise, monkeypatch):
    def fail(self, progress):
        raise FitsFailed("3 of 50 fits failed")

    monkeypatch.setattr(StudySpec, "run", fail)

    assert foldwise("compare", "iris") == (1, "", "foldwise: 3 of 50 fits failed.\n")


def test_a_study_whose_methods_all_failed_is_shown_saves_nothing_and_has_exit_code_1(
    foldwise, table, tmp_path, monkeypatch
):
    def fail(self, X, y, sample_weight=None):
        raise ValueError("not today")

    monkeypatch.setattr("sklearn.svm.SVR.fit", fail)
    run, model = tmp_path / "run", tmp_path / "model.skops"
    learner = ("--learners", "svm:small", "--drop", "label", "--outer", "3", "--inner", "2", "--jobs", "1")
    words = ("compare", table, "--target", "y", *learner, "--store", run)
    for again in (words, ("resume", run)):
        code, out, err = foldwise(*again, "--save", model, "--json")
        assert (code, json.loads(out)["best"]) == (1, None)
        assert "foldwise: no method has a risk: svm:small (" in err
        assert "not today" in err
        assert not model.exists()
    code, out, _ = foldwise(*words)
    assert code == 1
    assert "No method but the baseline has an error" in out
    assert "Nothing beats" not in out
    assert foldwise(*words, "--on-failure", "baseline")[0] == 0


def test_an_interrupt_has_exit_code_130(foldwise, monkeypatch):
    def interrupt(self, progress):
        raise KeyboardInterrupt

    monkeypatch.setattr(StudySpec, "run", interrupt)
    code, out, err = foldwise("compare", "iris")

    assert (code, out) == (130, "")
    assert "foldwise resume RUN" in err


def test_a_closed_pipe_is_quiet():
    command = [sys.executable, "-c", "from foldwise.cli import main; main()", "learners"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()

    assert process.wait(60) == 141
    assert err == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_an_answer_that_cannot_be_written_ends_in_one_sentence():
    command = [sys.executable, "-c", "from foldwise.cli import main; main()", "learners"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)

    assert done.returncode == 2
    assert done.stderr.startswith("foldwise: the answer cannot be written to standard output: No space left on device")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_command_without_standard_output_does_its_work(table, tmp_path):
    script = "import os; os.close(1); os.execv({0!r}, [{0!r}, '-c', 'from foldwise.cli import main; main()', *{1!r}])"
    words = ["compare", str(table), "--target", "y", *QUICK, "--store", str(tmp_path / "run")]
    command = [sys.executable, "-c", script.format(sys.executable, words)]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)

    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_a_termination_has_exit_code_143():
    code = (
        "import sys, time, foldwise.cli as cli\n"
        "from foldwise.api.study_file import StudySpec\n"
        "def wait(self, progress):\n"
        "    print('ready', file=sys.stderr, flush=True); time.sleep(60)\n"
        "StudySpec.run = wait\n"
        "sys.argv = ['foldwise', 'compare', 'iris']; cli.main()"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr.readline() == "ready\n"
    os.kill(process.pid, signal.SIGTERM)
    out, err = process.communicate(timeout=30)

    assert process.returncode == 143
    assert out == ""
    assert err == "foldwise: terminated; with a store, `foldwise resume RUN` goes on from here.\n"


@pytest.mark.slow
def test_a_run_whose_terminal_closes_keeps_its_fits_and_ends_like_one_that_is_terminated(tmp_path):
    """The terminal is a real one: what is written to it afterwards fails."""
    code = (
        "import os, sys, time, foldwise.cli as cli\n"
        "from sklearn.svm import SVR\n"
        "fit = SVR.fit\n"
        "def slow(self, *given, **more):\n"
        "    time.sleep(0.2); return fit(self, *given, **more)\n"
        "SVR.fit = slow\n"
        f"sys.argv = ['foldwise', 'compare', 'diabetes', '--store', {str(tmp_path / 'run')!r}, '--no-isolate']\n"
        "sys.argv += ['--learners', 'svm:small', '--jobs', '1', '--outer', '3', '--inner', '2']\n"
        "cli.main()"
    )
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # also where the tests run under nohup
    )
    os.close(theirs)
    deadline = time.monotonic() + 60
    while not (tmp_path / "run" / "records.db").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(3)  # until the fits have begun, also on a busy machine
    os.close(ours)
    os.kill(process.pid, signal.SIGHUP)

    assert process.wait(timeout=60) == 143
    assert SqliteStore(tmp_path / "run", readonly=True).document("study") is not None


def test_help_answers_at_once():
    """The promise is 0.3 s on a quiet machine; the best of several tries forgives a busy one."""
    command = [sys.executable, "-c", "from foldwise.cli import main; main()", "--help"]
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        times.append(time.perf_counter() - start)

    assert min(times) < 1.0


def test_output_fits_an_encoding_without_lines(table):
    command = [sys.executable, "-c", "from foldwise.cli import main; main()", "learners"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, env=environment, check=True)

    assert done.stdout.isascii()
    assert b"k-nn" in done.stdout


def test_classifiers_of_amounts_are_refused_by_the_true_cause(foldwise):
    code, _, err = foldwise("compare", "diabetes", "--learners", "logistic", "--jobs", "1")

    assert code == 2
    assert "learner 'logistic' is for classification, but the target has 214 distinct numbers in 442 rows" in err


LONG = "a" * 5000


@pytest.mark.parametrize(
    "words",
    [
        ["compare", f"{LONG}.csv", "--target", "y"],
        ["compare", "iris", "--report", f"{LONG}.html"],
        ["compare", "iris", "--save", f"{LONG}.skops"],
        ["compare", f"{LONG}.toml"],
        ["benchmark", f"{LONG}.csv"],
        ["resume", LONG],
        ["report", LONG],
        ["store", "info", LONG],
        ["store", "verify", LONG],
        ["predict", f"{LONG}.skops", "iris"],
    ],
    ids=lambda words: " ".join(word[:8] for word in words),
)
def test_a_name_that_no_file_can_have_is_one_short_sentence(foldwise, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = foldwise(*words)
    assert (code, out) == (2, "")
    assert err.startswith("foldwise: ")
    assert 20 < len(err) < 600
    assert err.count("\n") == 1


@pytest.mark.parametrize("say", [print, lambda text: os.write(1, text.encode())], ids=["Python", "below"])
def test_what_learners_print_is_not_mixed_with_the_answer(say, table, tmp_path, capfd, monkeypatch):
    """Also what they print below Python would spoil the JSON."""
    study, model = tmp_path / "loud.toml", tmp_path / "model.skops"
    study.write_text(
        f'data = "{table}"\ntarget = "y"\ndrop = ["label", "shop"]\nouter = 2\njobs = 1\n'
        '[learners.loud]\nlearner = "svm"\nC = 1.0\ngamma = 0.1\n'
    )
    fit = SVR.fit
    monkeypatch.setattr(SVR, "fit", lambda self, *given, **more: (say("loud"), fit(self, *given, **more))[1])

    monkeypatch.setattr(cli, "_on_terminate", lambda: None)  # the handlers of the tests stay
    assert cli.run(["compare", str(study), "--json", "--save", str(model)]) == 0

    assert json.loads(capfd.readouterr().out)["best"] in ("loud", "baseline")
    assert model.exists()
