"""Planes, and inner folds that are unions of outer ones."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foldwise.errors import BadSplits
from foldwise.splits import aligned
from foldwise.splits.aligned import add, multiply, plane
from foldwise.splits.holdout import Bootstrap, MonteCarlo
from foldwise.splits.making import make_splits
from foldwise.splits.nesting import inner_splits
from foldwise.splits.temporal import TimeOrdered

few = settings(max_examples=15)
LINES = {7: (7, 3), 9: (12, 3), 13: (13, 4), 16: (20, 4), 21: (21, 5), 25: (30, 5), 31: (31, 6)}


@pytest.mark.parametrize("k", LINES)
def test_every_two_points_are_on_exactly_one_line(k):
    lines = plane(k)
    count, size = LINES[k]
    assert len(lines) == count
    assert all(len(set(line)) == size and list(line) == sorted(line) for line in lines)
    assert sorted(pair for line in lines for pair in combinations(line, 2)) == list(combinations(range(k), 2))


def test_projective_lines_are_translates_of_the_difference_sets():
    sets = {7: {0, 1, 3}, 13: {0, 1, 3, 9}, 21: {3, 6, 7, 12, 14}, 31: {1, 5, 11, 24, 25, 27}}
    for k, base in sets.items():
        assert [set(line) for line in plane(k)] == [{(b + t) % k for b in base} for t in range(k)]


@pytest.mark.parametrize("q", [3, 4, 5])
def test_affine_lines_are_solutions_of_linear_equations(q):
    """A line is where a x + b y = c, with point = q x + y; this finds them by trying all points."""
    found = set()
    for a, b, c in product(range(q), repeat=3):
        if a or b:
            points = product(range(q), repeat=2)
            found.add(frozenset(q * x + y for x, y in points if add(multiply(a, x, q), multiply(b, y, q), q) == c))
    assert {frozenset(line) for line in plane(q * q)} == found


@pytest.mark.parametrize("q", [3, 4, 5])
def test_the_fields_are_fields(q):
    every = range(q)
    for a, b, c in product(every, repeat=3):
        assert multiply(a, add(b, c, q), q) == add(multiply(a, b, q), multiply(a, c, q), q)
        assert multiply(a, multiply(b, c, q), q) == multiply(multiply(a, b, q), c, q)
        assert add(a, add(b, c, q), q) == add(add(a, b, q), c, q)
    for a in every:
        assert sorted(add(a, b, q) for b in every) == list(every)
        assert a == 0 or sorted(multiply(a, b, q) for b in every) == list(every)
        assert multiply(a, 1, q) == a


def test_the_four_elements_add_and_multiply_as_polynomials():
    assert [[multiply(a, b, 4) for b in range(4)] for a in range(4)] == [
        [0, 0, 0, 0],
        [0, 1, 2, 3],
        [0, 2, 3, 1],
        [0, 3, 1, 2],
    ]
    assert all(add(a, a, 4) == 0 for a in range(4))


def test_unknown_planes_are_refused():
    with pytest.raises(BadSplits, match=r"no plane of 10 points here. Planes have 7, 9, 13, 16, 21, 25 or 31 points"):
        plane(10)


def naive_inner(outer_tests, blocks, point):
    """Inner splits of one outer fold by sets: test the block's other folds, train on all outside the block."""
    splits = []
    for block in blocks:
        if point in block:
            test = {row for other in block if other != point for row in outer_tests[other]}
            train = {row for other, rows in enumerate(outer_tests) if other not in block for row in rows}
            splits.append((sorted(train), sorted(test)))
    return splits


@few
@given(
    k=st.sampled_from([3, 4, 7, 9, 13, 16]),
    word=st.sampled_from(["aligned", "pairs", "lines"]),
    repeats=st.integers(1, 2),
    seed=st.integers(0, 10**6),
)
def test_aligned_inner_splits_equal_the_naive_ones(table, is_partition_of, k, word, repeats, seed):
    if word == "lines" and k not in LINES:
        return
    data = table(3 * k + 2)
    outer = make_splits(k, data, seed=seed, repeats=repeats)
    inner = inner_splits(word, outer, data, seed=seed)
    on_lines = word != "pairs" and k in LINES
    blocks = plane(k) if on_lines else list(combinations(range(k), 2))
    for split, splits in zip(outer, inner.splits, strict=True):
        tests = [s.test.tolist() for s in outer if s.repeat == split.repeat]
        assert [(s.train.tolist(), s.test.tolist()) for s in splits] == naive_inner(tests, blocks, split.fold)
        assert is_partition_of(splits, split.train)
    distinct = {s.train.tobytes() for splits in inner.splits for s in splits}
    assert len(distinct) == len({id(s.train) for splits in inner.splits for s in splits}) == len(blocks) * repeats
    if on_lines:
        assert {s.train.tobytes() for s in inner.final} == distinct
        whole = [set(s.train) | set(s.test) == set(range(data.rows)) for s in inner.final]
        assert len(whole) == len(blocks) * repeats
        assert all(whole)
    else:
        assert inner.final is outer


def test_the_schemes_and_their_counts_are_said(table):
    data = table(60)
    lines = inner_splits("aligned", make_splits(13, data, seed=0), data, seed=0)
    pairs = inner_splits("aligned", make_splits(10, data, seed=0), data, seed=0)
    assert (lines.scheme, pairs.scheme) == ("4 on lines", "9 on pairs")
    assert lines.final.scheme == "13 lines of 13 folds"
    assert repr(lines) == "Inner('4 on lines', outer=13)"


def test_aligned_splits_of_stratified_folds_stay_stratified(table):
    codes = np.arange(130) % 5 // 4
    data = table(130, y=codes, classes=["a", "b"])
    inner = inner_splits("aligned", make_splits(13, data, seed=0), data, seed=0)
    assert {int(codes[s.test].sum()) for splits in inner.splits for s in splits} == {6}


def test_lazy_aligned_splits_equal_the_eager_ones(table, monkeypatch):
    data = table(9)
    outer = make_splits("loo", data, seed=0)
    eager = inner_splits("pairs", outer, data, seed=0)
    monkeypatch.setattr(aligned, "EAGER_ROWS", 0)
    lazy = inner_splits("pairs", outer, data, seed=0)
    for one, other in zip(eager.splits, lazy.splits, strict=True):
        assert one.fingerprint == other.fingerprint
        assert [s.train.tolist() for s in one] == [s.train.tolist() for s in other]


def test_aligned_labels_use_the_rank_of_the_label_as_the_point(table):
    data = table(14)
    labels = np.array(list("gfedcba" * 2))
    inner = inner_splits("lines", make_splits(labels, data, seed=0), data, seed=0)
    first = inner.splits[0][0]
    assert sorted(set(labels[first.test])) == ["b", "d"]  # the line {0, 1, 3} without its point 0


@pytest.mark.parametrize("spec", [0.2, MonteCarlo(5), Bootstrap(5), TimeOrdered(4), [([0, 1], [2]), ([2], [1])]])
@pytest.mark.parametrize("word", ["aligned", "lines", "pairs"])
def test_aligned_is_refused_for_outer_splits_that_are_no_partition(table, spec, word):
    data = table(40)
    outer = make_splits(spec, data, seed=0)
    with pytest.raises(BadSplits, match=f"inner='{word}' needs outer folds that cut all rows.*Use an int for outer"):
        inner_splits(word, outer, data, seed=0)


def test_aligned_is_refused_for_numbers_of_folds_it_cannot_have(table):
    data = table(40)
    with pytest.raises(BadSplits, match="inner='lines' needs 7, 9, 13, 16, 21, 25 or 31 outer folds, not 10"):
        inner_splits("lines", make_splits(10, data, seed=0), data, seed=0)
    with pytest.raises(BadSplits, match="inner='aligned' needs at least 3 outer folds, not 2"):
        inner_splits("aligned", make_splits(2, data, seed=0), data, seed=0)
