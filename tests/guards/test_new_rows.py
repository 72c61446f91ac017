"""New rows beside the training table; holds guards/new_rows/, api/new_rows.py and guards/results/again.py."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from new_rows_cases import model, table

import foldwise as fw
from foldwise.cli import run
from foldwise.guards.new_rows.drift import told_apart
from foldwise.guards.new_rows.subject import NewRows
from foldwise.guards.new_rows.values import outside_range


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A saved model with its training table, equal rows and other rows, as files."""
    folder = tmp_path_factory.mktemp("new")
    fw.save_model(model(), folder / "m.skops")
    table().to_csv(folder / "training.csv", index=False)
    table(100, seed=1).to_csv(folder / "equal.csv", index=False)
    table(100, seed=1).assign(c="blue", a=lambda frame: frame["a"] + 2).to_csv(folder / "other.csv", index=False)
    return folder


def test_equal_rows_are_let_be_and_the_risk_may_be_expected():
    found = fw.check_new(model(), table(100, seed=1))

    assert found.codes == []
    assert "may be expected here as far as the columns tell;" in found.trust
    assert found.to_dict() == {"findings": [], "trust": found.trust}
    assert str(found) == f"The checks found nothing.\n{found.trust}"


def test_drift_has_its_auc_and_p_and_takes_the_trust_away():
    found = fw.check_new(model(), table(100, seed=1).assign(a=lambda frame: frame["a"] + 2))
    (drift,) = (one for one in found if one.code == "FW605")

    assert drift.figures["auc"] > 0.85
    assert drift.figures["p"] < 1e-3
    assert drift.columns == ("a",)
    assert "is that of rows unlike these" in found.trust


def test_few_strange_rows_leave_the_risk_to_the_others():
    found = fw.check_new(model(), table(100, seed=1).assign(c=np.where(np.arange(100) < 10, "blue", "red")))

    assert "FW602" in found.codes
    (unseen,) = (one for one in found if one.code == "FW602")
    assert unseen.text == "10 of 100 new rows have categories that training never saw: c ('blue')"
    assert unseen.rows == tuple(range(10))
    few = fw.check_new(model(), table(19, seed=1).assign(b=[9.0] + [0.5] * 18))
    assert few.codes == ["FW603"]
    assert "says nothing of the 5.3% told above" in few.trust
    every = fw.check_new(model(), table(19, seed=1).assign(c="blue"))
    assert "says nothing of the 100% told above" in every.trust


def test_a_saved_model_knows_the_shares_of_its_columns_and_with_the_rows_there_is_a_classifier(files):
    known = fw.check_new(files / "m.skops", files / "other.csv")
    rows = fw.check_new(files / "m.skops", files / "other.csv", training=files / "training.csv")

    assert known.codes == rows.codes == ["FW605", "FW602"] or known.codes[:1] == rows.codes[:1] == ["FW605"]
    assert "stability index" in known[0].text
    assert "AUC" in rows[0].text
    assert fw.check_new(files / "m.skops", files / "equal.csv").codes == []


def test_predictions_are_the_same_and_what_is_new_goes_to_standard_error_and_to_the_json(files, capsys):
    line = ["predict", str(files / "m.skops"), str(files / "other.csv")]

    assert run(line) == 0
    out, err = capsys.readouterr()
    assert out.startswith("row,prediction\n0,")
    assert "warning FW605: the new rows are spread otherwise" in err
    assert "do not expect it here" in err
    assert run([*line, "--silence", "FW605", "--silence", "FW602", "--silence", "FW603"]) == 0
    silenced = capsys.readouterr()
    assert (silenced.out, silenced.err) == (out, "")
    assert run([*line, "--training", str(files / "training.csv"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["findings"][0]["figures"]["auc"] > 0.85
    assert told["trust"].endswith("before the model was tested on such rows.")
    assert [one["prediction"] for one in told["predictions"]] == pytest.approx(
        [float(one.split(",")[1]) for one in out.splitlines()[1:]]
    )


def test_a_test_of_a_saved_model_tells_drift_beside_the_risk(files, capsys):
    assert run(["test", str(files / "m.skops"), str(files / "other.csv"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)

    assert "FW605" in [one["code"] for one in told["findings"]]
    assert run(["test", str(files / "m.skops"), str(files / "other.csv")]) == 0
    assert "warning FW605:" in " ".join(capsys.readouterr().out.split())
    assert run(["test", str(files / "m.skops"), str(files / "training.csv"), "--json"]) == 0
    assert [one["code"] for one in json.loads(capsys.readouterr().out)["findings"]] == ["FW606"]


def test_a_file_of_an_older_version_has_no_summary_and_that_is_said():
    about = {"names": ["x"], "kinds": ["number"], "container": "array", "estimate": {"risk": 1.0}, "loss": "squared"}
    from foldwise.api.new_rows import look

    found = look(about, pd.DataFrame({"x": [1.0, 2.0]}))
    assert found.codes == []
    assert found.trust == (
        "The risk of the model (1, squared loss) is that of rows like the training rows; what those were like is not "
        "known here."
    )
    assert look({**about, "summary": [{"missing": "no"}]}, pd.DataFrame({"x": [1.0]})).codes == []


@pytest.mark.parametrize("seed", range(4))
def test_extremes_of_equal_rows_are_not_told(seed):
    """Two samples of one kind: the larger one has values beyond the other's now and then, which is no news."""
    draw = np.random.default_rng(seed)
    old, new = draw.standard_cauchy(size=(50, 8)) % 10, draw.standard_cauchy(size=(500, 8)) % 10
    about = {"names": list("abcdefgh"), "kinds": ["number"] * 8, "container": "array", "rows": 50}

    assert list(outside_range(NewRows(new, about, old))) == []


@pytest.mark.slow
def test_the_classifier_test_of_equal_rows_is_calibrated():
    """Under no drift p <= 0.05 happens about 3 times of 60 at most; with one it is found."""
    draw = np.random.default_rng(0)
    ps = [told_apart(list(draw.normal(size=(3, 80))), list(draw.normal(size=(3, 60))))[1] for _ in range(60)]

    assert np.mean(np.array(ps) <= 0.05) <= 0.15
    assert told_apart(list(draw.normal(size=(3, 80))), list(draw.normal(0.8, size=(3, 60))))[1] < 0.01


def test_a_test_set_used_again_is_told_in_a_study_once(tmp_path):
    frame = table()
    options = {"outer": 0.3, "store": tmp_path / "run", "jobs": 1}
    first = fw.compare(["linear"], frame, "y", **options)
    second = fw.compare(["k-nn"], frame, "y", inner=3, **options)

    assert first.findings.codes == []
    (again,) = (one for one in second.findings if one.code == "FW405")
    assert again.text.startswith("2 methods have been judged on this test set, in this and other studies of the store")
    assert str(second).count("have been judged on this test set") == 1
    assert not any(note["code"] == "ledger" for note in second.to_dict()["notes"])


def test_a_table_in_the_place_of_a_model_is_one_sentence():
    with pytest.raises(fw.FoldwiseError, match="this model has no card: a DataFrame does not say which columns"):
        fw.check_new(pd.DataFrame({"a": [1.0, 2.0]}), pd.DataFrame({"a": [3.0]}))
