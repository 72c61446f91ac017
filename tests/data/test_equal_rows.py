"""Rows that are equal or nearly so, and the groups that keep them together; holds data/equal_rows.py."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import foldwise as fw
from foldwise.cli import run
from foldwise.data.dataset import make_dataset
from foldwise.data.equal_rows import duplicate_groups, hash_rows, nearest, spread_out


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture
def numbers(rng) -> np.ndarray:
    return rng.normal(size=(200, 4))


def test_hashes_are_equal_where_rows_are(rng):
    """As pandas finds duplicates: missing values equal, and no negative zero."""
    table = rng.integers(-1, 2, (400, 3)).astype(float)
    table[table[:, 0] > 0, 0] = np.nan
    table[::7, 1] *= -0.0

    ours = hash_rows(list(table.T))

    assert np.array_equal(pd.Series(ours).duplicated(), pd.DataFrame(table + 0.0).duplicated())


@pytest.mark.parametrize("columns", [1, 6, 7, 40])
def test_neighbours_are_those_of_scikit_learn(columns, rng):
    from sklearn.neighbors import NearestNeighbors

    points = 5 + rng.normal(size=(500, columns))
    points[300:350] = points[:50] + 1e-9 * rng.normal(size=(50, columns))  # so near that products of rows lose them
    asked = np.arange(0, 500, 3)

    distances, rows = nearest(points, asked, 10)

    at = NearestNeighbors(n_neighbors=11, algorithm="kd_tree").fit(points).kneighbors(points[asked])[1]
    exact = np.sqrt(((points[asked, None] - points[at]) ** 2).sum(axis=2))[:, 1:]
    np.testing.assert_allclose(distances, exact, rtol=1e-9, atol=0)
    assert np.array_equal(rows, at[:, 1:])


@pytest.mark.parametrize("columns", [2, 12])
def test_of_more_equal_rows_than_neighbours_none_is_its_own(columns):
    points = np.zeros((60, columns))
    points[40:] = 1.0

    distances, rows = nearest(points, np.arange(60), 10)

    assert (distances == 0).all()
    assert (rows != np.arange(60)[:, None]).all()
    assert ((rows < 40) == (np.arange(60) < 40)[:, None]).all()


def test_points_are_numbers_in_deviations_and_labels_at_a_distance_of_one(rng):
    names = np.array([0.0, 1, 1, -1, 2, 0])  # -1 is missing
    values, known = rng.normal(size=6), np.array([5, 0, 1, 4])
    columns = [names, values, np.full(6, 7.0), np.array([np.nan, np.nan, 1, 2, 3, 4])]

    points = spread_out(columns, [True, False, False, False])
    some = spread_out(columns, [True, False, False, False], known)

    gaps = ((points[:, None, :-1] - points[:, :-1]) ** 2).sum(axis=2)
    np.testing.assert_allclose(gaps, names[:, None] != names, atol=1e-12)  # 2 of 6 missing is too many
    np.testing.assert_allclose(points[:, -1], (values - values.mean()) / values.std())
    np.testing.assert_array_equal(some, spread_out([one[known] for one in columns], [True, False, False, False]))


def test_copies_and_near_copies_are_one_group_and_no_others(numbers):
    X = np.vstack([numbers, numbers[:5], numbers[:5] + 1e-3])

    groups = duplicate_groups(X, ["number"] * 4)

    assert np.array_equal(groups[200:205], groups[:5])
    assert np.array_equal(groups[205:], groups[:5])
    assert len(np.unique(groups)) == 200


def test_rows_that_chance_makes_near_are_not_joined(rng):
    """In one or two dimensions some rows are always much nearer than others."""
    assert len(np.unique(duplicate_groups(rng.normal(size=(300, 1)), ["number"]))) >= 293
    assert len(np.unique(duplicate_groups(rng.normal(size=(300, 2)), ["number"] * 2))) >= 293


def test_sparse_rows_are_joined_where_they_are_equal():
    X = sparse.csr_matrix(np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 1.0]]))

    assert duplicate_groups(X, ["number"] * 2).tolist() == [0, 1, 0]


def test_the_word_keeps_copies_together_at_every_level(numbers):
    X = np.vstack([numbers, numbers[:60]])
    y = X[:, 0] + np.r_[np.random.default_rng(0).normal(size=200), np.zeros(60)]

    result = fw.compare(["k-nn"], X, y, outer=5, inner=3, groups="duplicates")

    sides = result.splits().assign(
        copy=lambda table: table["row"].map(dict(enumerate(duplicate_groups(X, ["number"] * 4))))
    )
    per_split = sides.groupby(["level", "repeat", "fold", "inner_fold", "copy"], dropna=False)["part"].nunique()
    assert set(sides["level"]) == {"outer", "inner", "final"}
    assert per_split.max() == 1
    assert "FW101" not in result.findings.codes
    assert ("groups", "120 rows are equal or nearly equal to others, and duplicates stay together") in _notes(result)


def _notes(result: fw.Result) -> list[tuple[str, str]]:
    return [(note["code"], note["text"]) for note in result.to_dict()["notes"]]


def test_a_column_of_that_name_goes_before_the_word_and_a_note_says_so(numbers):
    frame = pd.DataFrame(numbers).rename(columns="x{}".format).assign(duplicates=np.arange(200) // 4, y=numbers[:, 0])

    data = make_dataset(frame, "y", groups="duplicates")

    assert data.groups is not None
    assert np.array_equal(data.groups, np.arange(200) // 4)
    assert (
        "groups",
        "groups='duplicates' is the column of this name; rename it to keep equal rows together instead",
    ) in data.notes


def test_the_command_line_takes_the_word(tmp_path, numbers, capsys):
    y = numbers @ [1.0, 2.0, 3.0, 4.0] + 5 * np.random.default_rng(1).normal(size=200)
    frame = pd.DataFrame(numbers).rename(columns="x{}".format).assign(y=y)
    pd.concat([frame, frame[:40]]).to_csv(tmp_path / "twice.csv", index=False)
    line = ["check", str(tmp_path / "twice.csv"), "--target", "y", "--learners", "linear"]

    assert run(line) == 0
    assert "FW101" in capsys.readouterr().out
    assert run([*line, "--groups", "duplicates"]) == 0
    assert "FW101" not in capsys.readouterr().out
