"""One study as a file, flags and words (api/study_values.py): the same StudySpec."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.api.study_file import StudySpec, make_spec, read_study
from foldwise.api.study_values import LARGEST_FILE, make_parameter, read_space, read_values
from foldwise.errors import BadSpace, BadStudy
from foldwise.spaces.parameter import float_range, int_range, log_range

TOML = """
data = "diabetes"
loss = "absolute"
outer = 8
inner = 5
seed = 3
drop = ["sex"]

[learners.k-nn]
n_neighbors = { range = [1, 30] }

[learners.ridge]
alpha = { log_range = [1e-4, 1e4, 50] }

[learners.tree]
max_depth = [2, 4, 8, "none"]
min_samples_leaf = 5
"""
SPACES = [
    "k-nn.n_neighbors=1..30",
    "ridge.alpha=log(1e-4,1e4,50)",
    "tree.max_depth=2,4,8,none",
    "tree.min_samples_leaf=5",
]


@pytest.fixture
def study_file(tmp_path):
    def write(text: str):
        path = tmp_path / "study.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_file_and_flags_give_the_same_study(study_file):
    from_flags = make_spec(
        {"data": "diabetes"}, learners=["k-nn", "ridge", "tree"], space=SPACES, loss="absolute", outer=8, inner=5,
        seed=3, drop=["sex"],
    )  # fmt: skip

    assert read_study(study_file(TOML)) == from_flags


def test_a_study_survives_the_way_through_a_store(study_file):
    study = read_study(study_file(TOML))

    again = make_spec(json.loads(json.dumps(study.origin(), sort_keys=True)))

    assert again == study
    assert list(again.learners) == ["k-nn", "ridge", "tree"]


def test_a_store_that_sorts_keys_keeps_the_order_of_methods_and_parameters():
    learners = {"tree": {"min_samples_leaf": [1, 5], "max_depth": [2, None]}, "k-nn": {}}
    study = make_spec({"data": "iris", "learners": learners})

    again = make_spec(json.loads(json.dumps(study.origin(), sort_keys=True)))

    assert list(again.learners) == ["tree", "k-nn"]
    assert list(again.learners["tree"].parameters.items()) == [("min_samples_leaf", [1, 5]), ("max_depth", [2, None])]


def test_names_in_a_list_equal_empty_tables(study_file):
    listed = read_study(study_file('data = "iris"\nlearners = ["k-nn", "tree"]'))
    tables = read_study(study_file('data = "iris"\n[learners.k-nn]\n[learners.tree]'))

    assert listed == tables
    assert listed.make_learners() == ["k-nn", "tree"]


def test_a_table_may_name_its_learner(study_file):
    study = read_study(study_file('data = "iris"\n[learners."small tree"]\nlearner = "tree"\nmax_depth = [1, 2]'))

    assert study.learners["small tree"].learner == "tree"
    assert study.learners["small tree"].parameters == {"max_depth": [1, 2]}


def test_flags_replace_the_words_of_the_file(study_file):
    study = read_study(study_file(TOML), seed=9, space=["tree.max_depth=1,2"])

    assert study.seed == 9
    assert study.learners["tree"].parameters == {"max_depth": [1, 2], "min_samples_leaf": 5}


def test_spaces_alone_name_the_learners():
    study = make_spec({"data": "iris"}, space=["k-nn.n_neighbors=1..5"])

    assert list(study.learners) == ["k-nn"]


def test_paths_are_relative_to_the_file(study_file, tmp_path):
    (tmp_path / "wine.csv").write_text("a,y\n1,2\n", encoding="utf-8")
    study = read_study(study_file('data = "wine.csv"\ntarget = "y"\nstore = "runs"'))

    assert study.data == str(tmp_path / "wine.csv")
    assert study.store == str(tmp_path / "runs")


def test_a_built_in_name_is_not_a_path(study_file):
    assert read_study(study_file('data = "diabetes"')).data == "diabetes"


def test_the_origin_has_full_paths(tmp_path, monkeypatch):
    (tmp_path / "wine.csv").write_text("a,y\n1,2\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    origin = make_spec({"data": "wine.csv"}, store="run", target="y").origin()

    assert origin == {"data": str(tmp_path / "wine.csv"), "target": "y", "store": str(tmp_path / "run")}


def test_only_what_was_said_is_passed_on():
    assert make_spec({"data": "iris"}, outer=0.2, optimism=True).options() == {"outer": 0.2, "optimism": True}


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("1..30", range(1, 31)),
        ("-2..2", range(-2, 3)),
        ("log(1e-4,1e4,50)", log_range(1e-4, 1e4, 50)),
        ("log_range(1, 100)", log_range(1.0, 100.0)),
        ("float(0.1,1)", float_range(0.1, 1.0)),
        ("int(2,64,6)", int_range(2, 64, 6)),
        ("2,4,none", [2, 4, None]),
        ("uniform,distance", ["uniform", "distance"]),
        ("true,false", [True, False]),
        ("0.5", 0.5),
        ("None", None),
    ],
)
def test_values_of_a_flag_mean_what_python_means(text, meaning):
    made = make_parameter(read_values("p", text))

    assert made == meaning
    assert type(made) is type(meaning)


@given(low=st.integers(-50, 50), more=st.integers(0, 50))
def test_a_range_includes_both_ends(low, more):
    assert list(make_parameter(read_values("p", f"{low}..{low + more}"))) == [*range(low, low + more), low + more]


@given(st.lists(st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans(), min_size=2))
def test_lists_are_kept_in_order_and_kind(values):
    study = make_spec({"data": "iris", "learners": {"tree": {"p": values}}})

    assert list(map(repr, study.learners["tree"].parameters["p"])) == list(map(repr, values))


def test_a_name_with_dots_belongs_to_the_learner():
    assert read_space("my.tree.max_depth=3") == ("my.tree", "max_depth", 3)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", r"does not say its 'data'. Add a line data = \.\.\.$"),
        ('dta = "iris"', r"no option 'dta'. Did you mean 'data'\?"),
        ('data = "iris"\nlerners = ["tree"]', r"no option 'lerners'. Did you mean 'learners'\?"),
        ('data = "iris"\nlearners = []', r"names no learner"),
        ('data = "iris"\nlearners = ["tree", "tree"]', r"learner 'tree' is given twice"),
        ('data = "iris"\nlearners = 3', r"learners cannot be 3"),
        ('data = "iris"\n[learners]\ntree = 3', r"learner 'tree' must be a table of parameters, not 3"),
        ('data = "iris"\nouter = true', r"outer cannot be True"),
        ('data = "iris"\nseed = 1.5', r"seed cannot be 1.5"),
        ('data = "iris"\nseed = "1"', r"seed cannot be '1'"),
        ('data = "iris"\nrule = "bst"', r"rule cannot be 'bst'. It should be 'best' or 'one_se'"),
        ('data = "iris"\ndata = "wine"', r"is not a TOML file: .*overwrite"),
        ("data = ", r"is not a TOML file"),
        ('data = "iris"\n[learners.tree]\nmax_depth = []', r"'max_depth' has an empty list"),
        ('data = "iris"\n[learners.tree]\nmax_depth = {rnge = [1, 2]}', r"unknown range .*Did you mean 'range'"),
        ('data = "iris"\n[learners.tree]\nmax_depth = {range = [3, 1]}', r"two whole numbers, low first"),
        ('data = "iris"\n[learners.tree]\nmax_depth = {range = [1, 2.5]}', r"two whole numbers, low first"),
        ('data = "iris"\n[learners.tree]\nmax_depth = {log_range = [1]}', r"log_range of parameter 'max_depth'"),
        ('data = "iris"\n[learners.tree]\nmax_depth = {log_range = ["a", 1]}', r"Give two numbers"),
        ('data = "iris"\n[learners.tree]\nmax_depth = [[1]]', r"cannot take the value \[1\]"),
        ('data = "iris"\n[learners.tree]\nmax_depth = 2020-01-01', r"cannot take the value"),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(study_file, words, sentence):
    with pytest.raises((BadStudy, BadSpace), match=sentence):
        read_study(study_file(words))


@pytest.mark.parametrize("flag", ["k-nn", "n_neighbors=3", "k-nn.n=", "=3", ".n=3", "k-nn.=3"])
def test_a_space_that_cannot_be_read_is_refused(flag):
    with pytest.raises(BadSpace, match=r"cannot read the space"):
        read_space(flag)


def test_a_space_for_another_learner_is_refused():
    with pytest.raises(BadSpace, match=r"'rigde', which is not compared. Did you mean 'ridge'"):
        make_spec({"data": "iris"}, learners=["ridge"], space=["rigde.alpha=1,2"])


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(BadStudy, match=r"cannot read the study file .*none.toml: No such file"):
        read_study(tmp_path / "none.toml")


def test_a_file_that_is_too_large_is_refused(study_file):
    with pytest.raises(BadStudy, match="too large"):
        read_study(study_file("#" * (LARGEST_FILE + 1)))


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "study.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadStudy, match="a TOML file"):
        read_study(tmp_path / "study.toml")


def test_fold_labels_come_from_a_column_that_leaves_the_features(tmp_path):
    rows = "\n".join(f"{i % 7},{i % 3},{i * 1.5}" for i in range(12))
    (tmp_path / "t.csv").write_text("a,site,y\n" + rows + "\n", encoding="utf-8")
    study = StudySpec(data=str(tmp_path / "t.csv"), target="y", outer="column:site", inner=2)

    assert study.options()["outer"].tolist() == [i % 3 for i in range(12)]
    assert study.read_data().names == ("a",)


def test_an_unknown_label_column_is_named(tmp_path):
    (tmp_path / "t.csv").write_text("a,site,y\n1,1,1.5\n2,2,2.5\n", encoding="utf-8")
    with pytest.raises(BadStudy, match=r"no column 'sit' .*Did you mean 'site'"):
        StudySpec(data=str(tmp_path / "t.csv"), target="y", outer="column:sit").options()


def test_retrying_failed_fits_is_a_wish_of_one_run_and_is_not_stored():
    study = make_spec({"data": "diabetes"}, retry_failed=True)
    assert study.options()["retry_failed"] is True
    assert "retry_failed" not in study.origin()
