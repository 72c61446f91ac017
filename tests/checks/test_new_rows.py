"""New rows beside the training table; holds checks/new_rows.py."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from cases import check_cases, codes_in
from new_rows_cases import model, table

import foldwise as fw
from foldwise.api.check import check_rows
from foldwise.checks.new_rows import NewRows, outside_range
from foldwise.cli import run
from foldwise.data.dataset import make_dataset
from foldwise.data.features import summary_of


@pytest.mark.parametrize("code", codes_in("new_rows"))
def test_a_check_fires_where_it_should_and_is_silent_elsewhere(code):
    check_cases(code)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A saved model with its training table, equal rows and other rows, as files."""
    folder = tmp_path_factory.mktemp("new")
    fw.save_model(model(), folder / "m.skops")
    table().to_csv(folder / "training.csv", index=False)
    table(100, seed=1).to_csv(folder / "equal.csv", index=False)
    table(100, seed=1).assign(c="blue", a=lambda frame: frame["a"] + 20).to_csv(folder / "other.csv", index=False)
    return folder


def test_equal_rows_have_no_finding():
    found = fw.check_new(model(), table(100, seed=1))

    assert found.codes == []
    assert found.trust.endswith(" is that of rows like the training rows; no value here is unlike theirs.")
    assert found.to_dict() == {"findings": [], "trust": found.trust}
    assert str(found) == f"The checks found nothing.\n{found.trust}"


def test_few_strange_rows_leave_the_risk_to_the_others():
    found = fw.check_new(model(), table(100, seed=1).assign(c=np.where(np.arange(100) < 10, "blue", "red")))

    assert found.codes == ["FW602"]
    assert found[0].text == "10 of 100 new rows have categories that training never saw: c ('blue')"
    assert found[0].rows == tuple(range(10))
    few = fw.check_new(model(), table(19, seed=1).assign(b=[9.0] + [0.5] * 18))
    assert few.codes == ["FW603"]
    assert "says nothing of the 5.3% told above" in few.trust
    every = fw.check_new(model(), table(19, seed=1).assign(c="blue"))
    assert "says nothing of the 100% told above" in every.trust


def test_rows_that_do_not_fit_are_a_finding_in_the_words_of_predict():
    found = fw.check_new(model(), table()[["a", "c"]])

    assert repr(found[0]).startswith("refused FW601: the table lacks 'b', which the model needs. ")
    assert found.trust.endswith(" says nothing of rows that it cannot predict.")
    assert fw.check_new(model(), table()[["a", "c"]], silence="FW601")[0].severity == "warn"


def test_predictions_are_the_same_and_what_is_new_goes_to_standard_error_and_to_the_json(files, capsys):
    line = ["predict", str(files / "m.skops"), str(files / "other.csv")]

    assert run(line) == 0
    out, err = capsys.readouterr()
    assert out.startswith("row,prediction\n0,")
    assert "note FW603: 100 of 100 new rows lie outside the training range: a (" in err
    assert run([*line, "--silence", "FW602", "--silence", "FW603"]) == 0
    silenced = capsys.readouterr()
    assert (silenced.out, silenced.err) == (out, "")
    assert run([*line, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["code"] for one in told["findings"]] == ["FW602", "FW603"]
    assert told["trust"].endswith("says nothing of the 100% told above.")
    assert [one["prediction"] for one in told["predictions"]] == pytest.approx(
        [float(one.split(",")[1]) for one in out.splitlines()[1:]]
    )


def test_a_test_of_a_saved_model_tells_what_is_new_beside_the_risk(files, capsys):
    assert run(["test", str(files / "m.skops"), str(files / "other.csv"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)

    assert [one["code"] for one in told["findings"]] == ["FW602", "FW603"]
    assert run(["test", str(files / "m.skops"), str(files / "other.csv")]) == 0
    assert "note FW603:" in " ".join(capsys.readouterr().out.split())
    assert run(["test", str(files / "m.skops"), str(files / "training.csv"), "--json"]) == 0
    assert [one["code"] for one in json.loads(capsys.readouterr().out)["findings"]] == ["FW606"]


def test_a_card_without_a_sound_summary_says_that_nothing_is_known():
    about = {"names": ["x"], "kinds": ["number"], "container": "array", "estimate": {"risk": 1.0}, "loss": "squared"}
    found = check_rows(about, pd.DataFrame({"x": [1.0, 2.0]}))

    assert found.codes == []
    assert found.trust == (
        "The risk of the model (1, squared loss) is that of rows like the training rows; what those were like is not "
        "known here."
    )
    assert check_rows({**about, "summary": [{"missing": "no"}]}, pd.DataFrame({"x": [1.0]})).codes == []
    assert check_rows({**about, "estimate": "text"}, [[1.0]]).trust.startswith("The risk of the model (not estimated)")


@pytest.mark.parametrize("seed", range(4))
def test_extremes_of_equal_rows_are_not_told(seed):
    """Two samples of one kind: the larger one has values beyond the other's now and then, which is no news."""
    draw = np.random.default_rng(seed)
    old, new = draw.standard_cauchy(size=(50, 8)) % 10, draw.standard_cauchy(size=(500, 8)) % 10
    summary = summary_of(make_dataset(old, np.arange(50.0)))
    about = {"names": list("abcdefgh"), "kinds": ["number"] * 8, "rows": 50, "summary": summary}

    assert list(outside_range(NewRows(new, about))) == []


def test_a_test_set_used_again_is_told_in_a_study_once(tmp_path):
    frame = table()
    options = {"outer": 0.3, "store": tmp_path / "run", "jobs": 1}
    first = fw.compare(["linear"], frame, "y", **options)
    second = fw.compare(["k-nn"], frame, "y", inner=3, **options)

    assert first.findings.codes == []
    (again,) = (one for one in second.findings if one.code == "FW405")
    assert again.text.startswith("2 methods have been judged")
    assert str(second.details()).count("have been judged") == 1
    assert not any(note["code"] == "ledger" for note in second.to_dict()["notes"])


def test_a_table_in_the_place_of_a_model_is_one_sentence():
    with pytest.raises(fw.FoldwiseError, match="this model has no card: a DataFrame does not say which columns"):
        fw.check_new(pd.DataFrame({"a": [1.0, 2.0]}), pd.DataFrame({"a": [3.0]}))
