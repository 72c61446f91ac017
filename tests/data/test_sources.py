from __future__ import annotations

import builtins
import gzip
import json
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest
from sklearn import datasets

from foldwise.data import packed
from foldwise.data.dataset import make_dataset
from foldwise.data.sources import builtin_names, read, read_table
from foldwise.errors import BadData, MissingExtra

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "size": RNG.normal(size=20) / 3,
        "count": RNG.integers(0, 9, 20),
        "is_new": RNG.integers(0, 2, 20).astype(bool),
        "shop": [None, *RNG.choice(["Äpfel", "b c", "d,e"], 19)],
        "price": RNG.normal(size=20),
    }
)
TABLE.loc[3, "size"] = np.nan


def write_stream(path: Path) -> None:
    table = pa.Table.from_pandas(TABLE)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)


def write_arff(path: Path) -> None:
    kinds = {"size": "numeric", "count": "integer", "is_new": "{False,True}", "shop": "string", "price": "real"}
    rows = [",".join("?" if pd.isna(value) else f"'{value}'" for value in row) for row in TABLE.itertuples(index=False)]
    path.write_text(
        "\n".join(["@relation r", *(f"@attribute {name} {kind}" for name, kind in kinds.items()), "@data", *rows]),
        encoding="utf-8",
    )


def json_lines() -> str:
    records = [
        {name: None if pd.isna(value) else value for name, value in row.items()} for row in TABLE.to_dict("records")
    ]
    return "\n".join(map(json.dumps, records))


def write_zip(path: Path, **files: str) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (files or {"inside/a.csv": TABLE.to_csv(index=False), "__MACOSX/._a.csv": "x"}).items():
            archive.writestr(name, text)


WRITERS = {
    "a.jsonl": lambda path: path.write_text(json_lines()),
    "a.ndjson": lambda path: path.write_text(json_lines() + "\n\n", encoding="utf-8-sig"),
    "a.jsonl.gz": lambda path: path.write_bytes(gzip.compress(json_lines().encode())),
    "a.zip": write_zip,
    "lines.zip": lambda path: write_zip(path, **{"a.jsonl": json_lines()}),
    "a.csv": lambda path: TABLE.to_csv(path, index=False),
    "a.csv.gz": lambda path: TABLE.to_csv(path, index=False),
    "semicolons.csv": lambda path: TABLE.to_csv(path, index=False, sep=";"),
    "a.tsv": lambda path: TABLE.to_csv(path, index=False, sep="\t"),
    "a.txt": lambda path: TABLE.to_csv(path, index=False, sep="\t", encoding="utf-8-sig"),
    "a.TSV.GZ": lambda path: path.write_bytes(gzip.compress(TABLE.to_csv(index=False, sep="\t").encode())),
    "a.parquet": lambda path: TABLE.to_parquet(path),
    "indexed.parquet": lambda path: TABLE.set_axis(list("abcdefghijklmnopqrst")).to_parquet(path),
    "a.feather": lambda path: TABLE.to_feather(path),
    "a.arrow": write_stream,
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_table_has_the_same_fingerprint_from_every_file(name, tmp_path):
    WRITERS[name](tmp_path / name)
    data = read(tmp_path / name, target="price")
    assert data.fingerprint == make_dataset(TABLE, "price").fingerprint
    assert data.task == "regression"


@pytest.mark.usefixtures("arff")
@pytest.mark.parametrize("name", ["a.arff", "a.arff.gz"])
def test_arff_files_give_the_same_values(name, tmp_path):
    write_arff(tmp_path / "a.arff")
    (tmp_path / "a.arff.gz").write_bytes(gzip.compress((tmp_path / "a.arff").read_bytes()))
    expected = make_dataset(TABLE.astype({"is_new": "str"}), "price")
    assert read(tmp_path / name, target="price").fingerprint == expected.fingerprint


def test_numbers_in_text_files_are_read_exactly(tmp_path):
    numbers = pd.DataFrame({"a": RNG.normal(size=500) * 10.0 ** RNG.integers(-300, 300, 500)})
    numbers.to_csv(tmp_path / "a.csv", index=False)
    assert read_table(tmp_path / "a.csv")["a"].tolist() == numbers["a"].tolist()


def test_only_the_listed_words_are_missing_and_codes_keep_their_zeros(tmp_path):
    (tmp_path / "a.csv").write_text("word,code,number\nNone,007,NA\nN/A,12,2\nnull,3,\nNA,4,nan\n")
    table = read_table(tmp_path / "a.csv")
    assert [None if pd.isna(word) else word for word in table["word"]] == ["None", "N/A", None, None]
    assert table["code"].tolist() == ["007", "12", "3", "4"]
    np.testing.assert_array_equal(table["number"], [np.nan, 2, np.nan, np.nan])


@pytest.mark.parametrize("name", [*builtin_names(), "breast-cancer"])
def test_built_in_sets_need_no_target_and_have_their_names(name):
    bunch = getattr(datasets, f"load_{name.replace('-', '_')}")()
    data = read(name)
    assert data.names == tuple(bunch.feature_names)
    np.testing.assert_array_equal(np.asarray(data.X), bunch.data)
    if name == "diabetes":
        assert (data.task, data.y.tolist()) == ("regression", bunch.target.tolist())
    else:
        assert np.array_equal(
            data.y, bunch.target if name == "digits" else np.asarray(bunch.target_names)[bunch.target]
        )


def test_options_reach_the_dataset():
    data = read("iris", drop=["petal width (cm)"], stratify=False, groups="petal length (cm)")
    assert data.columns == 2
    assert data.strata is None
    assert data.groups.max() > 2
    assert read("breast_cancer", positive="benign").classes == ("malignant", "benign")
    assert read("diabetes", target="bmi").names[-1] == "target"


def test_a_file_goes_before_a_built_in_set_of_the_same_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("iris").mkdir()
    with pytest.raises(BadData, match="'iris' is a folder"):
        read("iris")


def bad_files(folder: Path) -> dict[str, tuple[str, str]]:
    """Name of the file, its bytes, and the words of the refusal."""
    contents: dict[str, tuple[bytes, str]] = {
        "empty.csv": (b"", "'empty.csv' is empty"),
        "head.csv": (b"a,b\n", "the table has no rows"),
        "double.csv": (b"a,b,a\n1,2,3\n", "duplicate column names: 'a'"),
        "long.csv": (b"a,b\n1,2\n1,2,3\n", "cannot read 'long.csv'"),
        "longer.csv": (b"a,b\n1,2,3\n1,2,3\n", "cannot read 'longer.csv'"),
        "latin.csv": ("a,b\nä,1\n".encode("latin-1"), r"not UTF-8 text .*encoding='cp1252'"),
        "zeros.csv": (b"\0\0\0", "the table has no rows"),
        "a.parquet": (b"PAR1nonsense", "cannot read 'a.parquet'"),
        "a.feather": (b"nonsense", "cannot read 'a.feather'"),
        "a.csv.gz": (b"nonsense", "cannot read 'a.csv.gz'"),
        "cut.csv.gz": (gzip.compress(b"a,b\n1,2\n" * 99)[:-9], "cannot read 'cut.csv.gz'"),
        "a.pkl": (b"\x80\x04.", "'a.pkl' is a pickle, which can run code"),
        "a.xlsx": (b"PK", "cannot read 'a.xlsx'"),
        "a.json": (b"[]", "'a.json' has the unknown ending '.json'.*csv"),
        "a.zip": (b"PK", "cannot read 'a.zip'"),
        "a.parquet.gz": (b"PK", "unknown ending '.parquet.gz'"),
        "a.arff": (b"@relation r\n@attribute b real\n@data\nx\n", "Invalid numerical value, at line 4"),
    }
    for name, (content, _) in contents.items():
        (folder / name).write_bytes(content)
    return {name: (name, words) for name, (_, words) in contents.items()}


@pytest.mark.usefixtures("arff")
def test_files_that_cannot_be_used_are_refused_in_one_sentence(tmp_path):
    for name, words in bad_files(tmp_path).values():
        with pytest.raises(BadData, match=words) as caught:
            read(tmp_path / name, target="b")
        assert "\n" not in str(caught.value)


def test_files_that_are_not_there_are_named(tmp_path):
    with pytest.raises(BadData, match=r"there is no file '.*none.csv'"):
        read(tmp_path / "none.csv", target="y")
    with pytest.raises(BadData, match=r"neither a file nor a built-in set 'diabtes'. Did you mean 'diabetes'?"):
        read("diabtes")
    with pytest.raises(BadData, match="is a folder"):
        read(tmp_path, target="y")


def test_a_file_without_a_target_lists_its_columns(tmp_path):
    TABLE.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(
        BadData, match=r"there is no target\. Name one of the columns: size, count, is_new, shop, price"
    ):
        read(tmp_path / "a.csv")


def test_a_small_file_that_expands_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "FREE_BYTES", 2**20)
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 2**20))
    with pytest.raises(BadData, match=r"'bomb\.csv\.gz' expands to more than"):
        read(tmp_path / "bomb.csv.gz", target="b")


def test_formats_that_need_pyarrow_say_so(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    real = builtins.__import__

    def without_arrow(name: str, *rest: object, **more: object) -> object:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_arrow)
    with pytest.raises(MissingExtra, match=r'needs pyarrow.*pip install "foldwise\[arrow\]"'):
        read(tmp_path / "a.parquet", target="b")
