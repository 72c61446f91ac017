"""The dial: what a study has where the user names nothing, by effort and the table's shape."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw
from foldwise.api.request import make_comparison
from foldwise.data.dataset import make_dataset
from foldwise.errors import BadStudy
from foldwise.plans.effort import (
    LEVELS,
    RARE,
    StudyChoices,
    at_level,
    choose_scheme,
    complete,
    default_names,
    find_level,
)


def table(rows: int, columns: int = 2, **roles):
    rng = np.random.default_rng(0)
    return make_dataset(rng.normal(size=(rows, columns)), rng.normal(size=rows), **roles)


def classes(rows: int, rare: int):
    X = np.random.default_rng(0).normal(size=(rows, 2))
    return make_dataset(X, np.array(["a"] * (rows - rare) + ["b"] * rare))


@pytest.fixture
def numbers():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3))
    return X, X[:, 0] + rng.normal(size=80)


def names_of(runnable) -> list[str]:
    return [learner.name for learner in runnable.learners if not learner.is_hidden]


def scheme_of(rows: int, effort: str = "normal") -> tuple[str, str | None]:
    study = make_comparison(["ridge:small"], table(rows), None, effort=effort).study
    return study.outer.scheme, study.methods[0].inner.scheme


def test_an_ordinary_table_has_the_13_x_4_lines_and_no_word_about_it():
    choices, notes = complete(StudyChoices(None), table(500))
    assert (choices.outer, choices.inner, notes) == (13, "aligned", ())
    assert scheme_of(500) == ("13 folds", "4 on lines")


def test_many_rows_have_fewer_folds_and_very_many_one_split():
    assert scheme_of(800)[0] == "13 folds"
    assert scheme_of(801) == ("7 folds", "3 on lines")
    assert scheme_of(50_001) == ("20% held out", "25% held out")


@pytest.mark.parametrize(
    ("rows", "says"), [(20_000, "7 folds, as there are 20,000 rows"), (60_000, "train / dev / te")]
)
def test_the_first_line_says_which_scheme_and_why_and_the_word_that_changes_it(rows, says):
    first = repr(fw.plan(["linear"], table(rows), pilot=False)).splitlines()[0]
    assert says in first
    assert "outer=13" in first


def test_the_answer_notes_it_once():
    notes = fw.compare(["linear"], table(20_000), progress=False).to_dict()["notes"]
    (text,) = [note["text"] for note in notes if note["code"] == "scheme"]
    assert text.startswith("7 folds, as there are 20,000 rows; outer=13 for nested")


def test_the_interval_of_one_split_is_narrow_where_it_is_taken():
    """Half a width of 1 point of error at an error of 20 %, by the normal formula."""
    border = next(scheme for scheme in LEVELS["normal"].schemes if not scheme.is_one_split and scheme.outer == 7)
    test_rows = 0.2 * border.most_rows
    assert 1.96 * np.sqrt(0.2 * 0.8 / test_rows) < 0.01


def test_what_counts_are_groups_where_there_are_some():
    grouped = table(60_000, groups=np.arange(60_000) // 100)
    assert choose_scheme(LEVELS["normal"], grouped).outer == 13


def test_one_test_set_needs_rows_of_every_class():
    assert choose_scheme(LEVELS["normal"], classes(60_000, RARE - 1)).outer == 7
    assert choose_scheme(LEVELS["normal"], classes(60_000, RARE)).outer == 0.2


def test_time_keeps_its_folds_at_any_number_of_rows():
    study = make_comparison(["ridge:small"], table(60_000, time=np.arange(60_000)), None, effort="thorough").study
    assert (study.outer.kind, study.repeats) == ("time", 1)


def test_explicit_words_win_over_the_dial_and_the_shape():
    said = StudyChoices(["forest:large"], outer=3, inner=0.5, repeats=2, effort="quick")
    done, notes = complete(said, table(60_000))
    assert (done.learners, done.outer, done.inner, done.repeats) == (["forest:large"], 3, 0.5, 2)
    assert [code for code, _ in notes] == ["effort"]


def test_an_inner_word_that_needs_folds_gets_them():
    done, _ = complete(StudyChoices(None, inner="aligned"), table(60_000))
    assert (done.outer, done.inner) == (7, "aligned")


def test_an_explicit_outer_has_the_inner_splits_it_always_had():
    one = make_comparison(["ridge"], table(60), None, outer=0.2).study
    assert one.methods[0].inner.scheme == "5 folds"


def test_quick_has_small_spaces_under_the_names_that_were_given(numbers):
    quick = make_comparison(["k-nn"], *numbers, effort="quick", outer=5)
    small = make_comparison({"k-nn": "k-nn:small"}, *numbers, outer=5)
    normal = make_comparison(["k-nn"], *numbers, outer=5)
    assert quick.study.methods[0].candidates == small.study.methods[0].candidates
    assert len(normal.study.methods[0].candidates) > len(small.study.methods[0].candidates)


def test_quick_gives_the_numbers_of_its_words(numbers):
    quick = fw.compare(["k-nn"], *numbers, effort="quick").to_dict()["methods"][0]
    words = fw.compare({"k-nn": "k-nn:small"}, *numbers, outer=7, inner="aligned").to_dict()["methods"][0]
    assert_allclose([quick["risk"], quick["low"]], [words["risk"], words["low"]], rtol=0)


def test_own_values_of_a_learner_are_no_matter_of_effort(numbers):
    own = fw.learner("k-nn", n_neighbors=[3, 5])
    study = make_comparison({"k": own}, *numbers, effort="thorough", outer=5).study
    assert [candidate["n_neighbors"] for candidate in study.methods[0].candidates] == [3, 5]


def test_normal_blends_its_learners():
    assert names_of(make_comparison(None, table(200), None))[-4:] == ["boosting", "kernel-ridge", "blend", "baseline"]


def test_kernel_ridge_is_for_numbers_and_few_rows():
    assert default_names(LEVELS["normal"], "regression", rows=1_000)[-1] == "kernel-ridge"
    assert default_names(LEVELS["thorough"], "regression", rows=1_001)[-2:] == ["svm", "kernel-ridge"]
    for level, task, rows in (("normal", "regression", 1_001), ("normal", "binary", 100), ("quick", "regression", 100)):
        assert "kernel-ridge" not in default_names(LEVELS[level], task, rows=rows)


def test_the_default_set_has_a_small_tree_and_a_tree_by_name_its_own_space():
    rows = table(60)
    whole, named = make_comparison(None, rows, None), make_comparison(["tree"], rows, None)
    sizes = [len(one.study.methods[names_of(one).index("tree")].candidates) for one in (whole, named)]
    assert sizes[0] < sizes[1] / 4


def test_fewer_rows_to_learn_from_are_no_word_on_the_space():
    quick, sampled = LEVELS["quick"], fw.learner("forest", max_rows=50)
    assert at_level(sampled, quick).overrides == {**at_level("forest", quick).overrides, "max_rows": 50}
    assert at_level(fw.learner("forest", max_rows=50, max_depth=3), quick).overrides == {"max_rows": 50, "max_depth": 3}


def test_thorough_repeats_and_has_large_spaces_and_more_learners():
    runnable = make_comparison(None, table(200), None, effort="thorough")
    assert names_of(runnable)[-5:] == ["boosting", "svm", "kernel-ridge", "blend", "baseline"]
    assert runnable.study.repeats == 3
    normal = make_comparison(["ridge"], table(200), None).study.methods[0]
    assert len(runnable.study.methods[0].candidates) > len(normal.candidates)


def test_a_wide_table_leaves_the_dearest_of_the_default_set_out_by_name():
    wide = table(30, 2_001)
    choices, notes = complete(StudyChoices(None), wide)
    assert list(choices.learners) == ["ridge", "k-nn", "tree", "forest", "extra-trees", "kernel-ridge", "blend"]
    assert choices.learners["forest"].name == "forest:small"
    texts = [text for code, text in notes if code == "wide"]
    assert any(text.startswith("boosting left out, as the table has 2,001 columns") for text in texts)


def test_a_learner_that_is_named_is_never_left_out():
    choices, notes = complete(StudyChoices(["boosting"]), table(30, 2_001))
    assert (choices.learners, notes) == (["boosting"], ())


def test_an_unknown_effort_gets_the_nearest_word(numbers):
    with pytest.raises(BadStudy, match=r"there is no effort 'quik'. Did you mean 'quick'"):
        fw.compare(["ridge"], *numbers, effort="quik")
    with pytest.raises(BadStudy, match="no effort 3"):
        find_level(3)


# More repeats belong to effort="thorough" where further fits are cheap; the rule looks at the study alone.

OLS = {"ols": make_pipeline(StandardScaler(), LinearRegression())}


@pytest.fixture(scope="module")
def cheap():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(104, 2))
    return X, X[:, 0] + rng.normal(size=104)


def repeats(learners, cheap, **words):
    return make_comparison(learners, *cheap, **{"effort": "thorough", **words}).study.outer.repeats


def test_cheap_learners_get_them_all_of_a_table_or_none(cheap):
    assert repeats(OLS, cheap) == 10
    assert repeats({**OLS, "ridge": fw.tune(Ridge(), alpha=[1.0, 3.0])}, cheap) == 10
    assert repeats(["ridge", "linear"], cheap) == 10
    assert repeats({**OLS, "tree": DecisionTreeRegressor()}, cheap) == 3
    assert repeats({**OLS, "ridge": fw.tune(Ridge(), alpha=list(np.geomspace(1e-3, 1e3, 1500)))}, cheap) == 3


def test_they_are_no_part_of_the_default(cheap):
    assert repeats(OLS, cheap, effort="normal") == 1
    assert repeats(OLS, cheap, effort="quick") == 1


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ({"interval": "corrected t"}, 3),
        ({"outer": 5}, 1),
        ({"repeats": 2}, 2),
        ({"time": np.arange(104.0)}, 1),
        ({"budget": 2}, 3),
    ],
    ids=["interval", "outer", "repeats", "time", "budget"],
)
def test_any_word_on_splits_or_cost_wins(cheap, words, found):
    learners = {"ridge": fw.tune(Ridge(), alpha=[1.0, 3.0])}
    assert repeats(learners, cheap, **words) == found


def test_few_or_many_rows_and_wide_tables_keep_the_usual(cheap):
    rng = np.random.default_rng(1)
    assert repeats(OLS, (cheap[0][:90], cheap[1][:90])) == 3
    assert repeats(OLS, (rng.normal(size=(2100, 1)), rng.normal(size=2100))) == 1
    assert repeats(OLS, (rng.normal(size=(104, 60)), cheap[1])) == 3


def test_the_answer_says_so_and_is_tighter_with_or_without_solvers(cheap):
    few, more, plain = (
        fw.compare(OLS, *cheap, effort="thorough", jobs=1, **words).to_dict()
        for words in ({"repeats": 3}, {}, {"solvers": False})
    )
    rows = [answer["methods"][0] for answer in (few, more, plain)]
    assert rows[1]["high"] - rows[1]["low"] < rows[0]["high"] - rows[0]["low"]
    assert rows[1]["high"] == pytest.approx(rows[2]["high"])
    assert any(note["text"].startswith("10 repeats, as further fits") for note in more["notes"])
    assert not any(note["text"].startswith("10 repeats") for note in few["notes"])
