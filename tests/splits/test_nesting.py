"""Two levels: inner splits stay inside the training rows, and defaults adapt while choices are kept."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.errors import BadSplits
from foldwise.splits import nesting
from foldwise.splits.folds import KFold
from foldwise.splits.holdout import Bootstrap, MonteCarlo
from foldwise.splits.making import make_splits
from foldwise.splits.nesting import DEFAULT_INNER, DEFAULT_OUTER, DefaultInner, DefaultOuter, inner_splits, study_splits
from foldwise.splits.temporal import TimeOrdered


@given(
    outer_spec=st.sampled_from([4, 0.3, MonteCarlo(3), Bootstrap(3), KFold(5, stratify=False)]),
    inner_spec=st.sampled_from([3, 0.25, "loo", MonteCarlo(2), Bootstrap(2)]),
    repeats=st.integers(1, 2),
    seed=st.integers(0, 10**6),
)
def test_inner_splits_never_see_the_outer_test_rows(table, outer_spec, inner_spec, repeats, seed):
    data = table(40, y=np.arange(40) % 2, classes=["a", "b"])
    outer = make_splits(outer_spec, data, seed=seed, repeats=repeats)
    inner = inner_splits(inner_spec, outer, data, seed=seed)
    for split, splits in zip(outer, inner.splits, strict=True):
        assert all(set(s.train) | set(s.test) <= set(split.train) for s in splits)
        assert all(set(s.train).isdisjoint(s.test) for s in splits)
    assert inner.final.fingerprint == make_splits(inner_spec, data, seed=seed).fingerprint


def test_very_many_inner_splits_keep_test_rows_alone(table, monkeypatch):
    data = table(30)
    outer = make_splits(10, data, seed=0)
    plain = inner_splits(3, outer, data, seed=0)
    monkeypatch.setattr(nesting, "EAGER_ROWS", 10 * 3 * 30 - 1)
    light = inner_splits(3, outer, data, seed=0)
    for one, other in zip(plain.splits, light.splits, strict=True):
        assert type(one[0]) is not type(other[0])
        assert [split.train.tolist() for split in one] == [split.train.tolist() for split in other]


def test_inner_splits_depend_on_the_seed_and_the_training_rows_alone(table):
    data = table(30)
    outer = make_splits(5, data, seed=0)
    inner = inner_splits(3, outer, data, seed=0)
    alone = make_splits([(outer[2].train, outer[2].test)], data, seed=9)
    assert inner_splits(3, alone, data, seed=0).splits[0].fingerprint == inner.splits[2].fingerprint
    assert inner_splits(3, alone, data, seed=1).splits[0].fingerprint != inner.splits[2].fingerprint


def test_inner_labels_are_those_of_the_training_rows(table):
    data = table(12)
    outer, labels = make_splits(np.arange(12) // 4, data, seed=0), np.arange(12) % 4
    inner = inner_splits(labels, outer, data, seed=0)
    for split, splits in zip(outer, inner.splits, strict=True):
        for one in splits:
            assert one.test.tolist() == [row for row in split.train if labels[row] == one.fold]


@pytest.mark.parametrize(("rows", "outer_spec"), [(100, 10), (103, 10), (57, 4), (50, 0.2), (53, 0.2)])
def test_the_cheap_variant_has_one_dev_split_of_one_folds_worth(table, rows, outer_spec):
    data = table(rows)
    outer = make_splits(outer_spec, data, seed=0)
    inner = inner_splits("dev", outer, data, seed=0)
    worth = round(rows / outer_spec) if isinstance(outer_spec, int) else math.ceil(rows * outer_spec)
    for split, splits in zip(outer, inner.splits, strict=True):
        (one,) = splits
        assert len(one.test) == worth
        assert sorted([*one.train, *one.test]) == split.train.tolist()
    assert len(inner.final[0].test) == worth


def test_ready_inner_splits_are_taken_in_absolute_row_numbers(table):
    data = table(6)
    outer = make_splits([0, 0, 1, 1, 2, 2], data, seed=0)
    ready = [
        [([2, 3], [4, 5]), ([4, 5], [2, 3])],
        [([0], [1, 4, 5])],
        [([0, 1, 2], [3]), ([0, 1, 3], [2])],
    ]
    inner = inner_splits(ready, outer, data, seed=0)
    assert [[(s.train.tolist(), s.test.tolist()) for s in splits] for splits in inner.splits] == ready
    assert inner.final is None
    final = inner_splits([*ready, [([0, 1, 2], [3, 4, 5])]], outer, data, seed=0).final
    assert [(s.train.tolist(), s.test.tolist()) for s in final] == [([0, 1, 2], [3, 4, 5])]


def test_ready_inner_splits_that_leak_or_do_not_match_are_refused(table):
    data = table(6)
    outer = make_splits([0, 0, 1, 1, 2, 2], data, seed=0)
    good = [([2, 3], [4, 5])]
    with pytest.raises(BadSplits, match=r"inner has 1 list of index pairs for 3 outer splits. Give one list per outer"):
        inner_splits([good], outer, data, seed=0)
    with pytest.raises(BadSplits, match="inside outer fold 1: split 0 uses row 2, which is not a training row there"):
        inner_splits([good, good, good], outer, data, seed=0)


def test_inner_refusals_name_the_outer_fold(table):
    data = table(20, y=[0] * 14 + [1] * 6, classes=["a", "b"])
    outer = make_splits(3, data, seed=0, repeats=2)
    with pytest.raises(BadSplits, match="inside outer fold 0: cannot make 5 stratified folds: class 'b' has 4 rows"):
        inner_splits(5, outer, data, seed=0)
    with pytest.raises(BadSplits, match=r"unknown inner splits 'paris'. Did you mean 'pairs'"):
        inner_splits("paris", outer, data, seed=0)
    with pytest.raises(BadSplits, match=r"inner='dev' takes one outer fold's worth of rows.*10 random splits"):
        inner_splits("dev", make_splits(MonteCarlo(10), data, seed=0), data, seed=0)


def test_the_defaults_are_ordinary_values_that_know_they_were_not_chosen():
    assert DEFAULT_OUTER == 13
    assert repr(DEFAULT_OUTER) == "13"
    assert DEFAULT_INNER == "aligned"
    assert repr(DEFAULT_INNER) == "'aligned'"
    assert isinstance(copy.deepcopy(DEFAULT_OUTER), DefaultOuter)
    assert not isinstance(13, DefaultOuter)
    assert not isinstance("aligned", DefaultInner)


@pytest.mark.parametrize(
    ("rows", "folds"), [(52, 13), (51, 7), (28, 7), (27, 5), (20, 5), (19, 3), (12, 3)], ids=lambda n: str(n)
)
def test_the_default_outer_is_the_largest_the_rows_allow(table, rows, folds):
    study = study_splits(DEFAULT_OUTER, DEFAULT_INNER, table(rows), seed=0)
    assert (study.outer.folds, study.inner_spec) == (folds, "aligned")
    notes = {13: ()}.get(folds, (("outer", f"{folds} outer folds instead of 13: there are {rows} rows"),))
    assert study.notes == notes


def test_the_default_outer_is_the_largest_that_classes_and_groups_allow(table):
    rare = table(100, y=[0] * 94 + [1] * 6, classes=["a", "rare"])
    study = study_splits(DEFAULT_OUTER, DEFAULT_INNER, rare, seed=0)
    assert study.outer.scheme == "5 stratified folds"
    assert study.notes == (("outer", "5 outer folds instead of 13: class 'rare' has 6 rows"),)
    grouped = study_splits(DEFAULT_OUTER, DEFAULT_INNER, table(100, groups=np.arange(100) // 10), seed=0)
    assert grouped.outer.scheme == "7 grouped folds"
    free = table(100, y=[0] * 94 + [1] * 6, classes=["a", "rare"], strata=False)
    assert study_splits(DEFAULT_OUTER, DEFAULT_INNER, free, seed=0).outer.folds == 13
    assert study_splits(DefaultOuter(10), DEFAULT_INNER, table(100), seed=0).outer.folds == 10
    assert study_splits(DefaultOuter(10), DEFAULT_INNER, table(39), seed=0).outer.folds == 7


def test_the_default_outer_is_refused_below_three(table):
    with pytest.raises(BadSplits, match="cannot make even 3 outer folds of 4 rows each: there are 11 rows"):
        study_splits(DEFAULT_OUTER, DEFAULT_INNER, table(11), seed=0)
    with pytest.raises(BadSplits, match="cannot make even 3 outer folds: class 'b' has 2 rows"):
        study_splits(DEFAULT_OUTER, DEFAULT_INNER, table(40, y=[0] * 38 + [1] * 2, classes=["a", "b"]), seed=0)


def test_an_explicit_outer_that_cannot_be_had_is_refused(table):
    with pytest.raises(BadSplits, match="cannot make 13 folds of 10 rows"):
        study_splits(13, DEFAULT_INNER, table(10), seed=0)
    with pytest.raises(BadSplits, match="inner='aligned' needs outer folds"):
        study_splits(0.2, "aligned", table(30), seed=0)


def test_the_default_study_of_timed_data_is_ordered_in_time(table):
    data = table(60, time=np.arange(60))
    study = study_splits(DEFAULT_OUTER, DEFAULT_INNER, data, seed=0)
    assert study.outer.scheme == "5 time-ordered folds (expanding, gap 0)"
    assert study.inner_spec == 4
    assert [code for code, _ in study.notes] == ["outer", "inner"]
    inner = inner_splits(study.inner_spec, study.outer, data, seed=0)
    assert all(s.train.max() < s.test.min() for splits in inner.splits for s in splits)


@pytest.mark.parametrize("outer", [0.2, MonteCarlo(4), Bootstrap(4), "loo", 2])
def test_the_default_inner_is_five_folds_where_aligned_cannot_be(table, outer):
    study = study_splits(outer, DEFAULT_INNER, table(40), seed=0)
    assert study.inner_spec == 5
    assert study.notes[0][0] == "inner"
    assert "the inner splits are 5 folds: aligned inner folds are not for" in study.notes[0][1]
    inner_splits(study.inner_spec, study.outer, table(40), seed=0)


def test_the_default_inner_takes_what_the_smallest_class_allows(table):
    data = table(40, y=[0] * 36 + [1] * 4, classes=["a", "b"])
    study = study_splits(0.25, DEFAULT_INNER, data, seed=0)
    assert study.inner_spec == 3
    inner_splits(study.inner_spec, study.outer, data, seed=0)


@pytest.mark.parametrize(("outer", "rows"), [(10, 40), (13, 40), ("loo", 20), (KFold(8, folds="ceiling"), 40)])
def test_the_default_inner_is_aligned_for_partitions(table, outer, rows):
    study = study_splits(outer, DEFAULT_INNER, table(rows), seed=0, repeats=1)
    assert (study.inner_spec, study.notes) == ("aligned", ())


def test_chosen_and_unneeded_inner_schemes_come_back_as_they_are(table):
    assert study_splits(10, 5, table(40), seed=0).inner_spec == 5
    assert study_splits(10, "dev", table(40), seed=0).inner_spec == "dev"
    assert study_splits(0.2, DEFAULT_INNER, table(40), seed=0, tuned=False).inner_spec is None
    study = study_splits(TimeOrdered(3), DEFAULT_INNER, table(40), seed=0)
    assert study.inner_spec == 5


def test_leaving_out_many_groups_is_tuned_with_five_folds(table):
    data = table(80, groups=np.arange(80) // 2)
    assert study_splits("logo", DEFAULT_INNER, data, seed=0).inner_spec == 5
    assert study_splits("logo", DEFAULT_INNER, table(80, groups=np.arange(80) // 4), seed=0).inner_spec == "aligned"
