"""Data files from strangers: never unpickled, never expanded without end."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import json
import lzma
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest

from foldwise.data.dataset import make_dataset
from foldwise.data.mapped import open_mapped, save
from foldwise.data.sources import read_table
from foldwise.errors import BadData

pytestmark = pytest.mark.usefixtures("arff")


def refused(path, words):
    with pytest.raises(BadData, match=words) as refusal:
        read_table(path)
    assert refusal.value.remedy


@pytest.mark.parametrize("name", ["a.pkl", "a.pickle", "a.joblib", "a.PKL"])
def test_a_pickle_is_never_opened(tmp_path, touch, name):
    (tmp_path / name).write_bytes(pickle.dumps(touch))
    refused(tmp_path / name, "is a pickle, which can run code when it is opened")


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt", "a.arff", "a.parquet", "a.arrow", "a.csv.gz"])
def test_a_pickle_under_another_name_is_only_read_as_what_the_name_says(tmp_path, touch, name):
    (tmp_path / name).write_bytes(pickle.dumps(touch))
    refused(tmp_path / name, r"cannot read|not UTF-8")


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_arrays_of_objects_are_no_table(tmp_path, touch, name):
    buffer = io.BytesIO()
    np.save(buffer, np.array([touch], dtype=object), allow_pickle=True)
    (tmp_path / name).write_bytes(buffer.getvalue())
    refused(tmp_path / name, "has the unknown ending")


@pytest.mark.parametrize(("name", "squeeze"), [("a.csv.bz2", bz2.compress), ("a.csv.xz", lzma.compress)])
def test_archives_that_are_not_capped_are_not_opened(tmp_path, name, squeeze):
    (tmp_path / name).write_bytes(squeeze(b"a,b\n" * 10**6))
    refused(tmp_path / name, "has the unknown ending")


def write_zip(path, name, content, kind=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", kind) as archive:
        archive.writestr(name, content)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_zip_bomb_is_stopped_at_its_cap(tmp_path, name):
    write_zip(tmp_path / "a.zip", name, bytes(100 * 2**20))
    refused(tmp_path / "a.zip", r"expands to more than 67,108,864 bytes")


def test_a_zip_that_lies_about_its_size_is_refused(tmp_path):
    write_zip(tmp_path / "a.zip", "a.csv", bytes(100 * 2**20))
    content = (tmp_path / "a.zip").read_bytes()
    (tmp_path / "a.zip").write_bytes(content.replace((100 * 2**20).to_bytes(4, "little"), (99).to_bytes(4, "little")))
    refused(tmp_path / "a.zip", "cannot read 'a.zip'")


def test_a_name_in_a_zip_is_no_path_to_write_to(tmp_path):
    write_zip(tmp_path / "a.zip", "../../outside.csv", b"a,b\n1,2\n")
    assert read_table(tmp_path / "a.zip").shape == (1, 2)
    assert not (tmp_path.parent.parent / "outside.csv").exists()


@pytest.mark.parametrize("kind", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_zip_whose_reader_takes_memory_by_its_word_is_refused(tmp_path, kind):
    write_zip(tmp_path / "a.zip", "a.csv", b"a,b\n1,2\n", kind)
    refused(tmp_path / "a.zip", "compressed in an unusual way")


def test_json_lines_that_each_bring_a_column_are_refused(tmp_path):
    lines = [json.dumps({f"c{number}": 1}) for number in range(6_000)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    refused(tmp_path / "a.jsonl", "expands to 5,793 rows of 5,793 columns")


def test_json_nested_without_end_is_refused(tmp_path):
    (tmp_path / "a.jsonl").write_text("[" * 10**6)
    refused(tmp_path / "a.jsonl", "line 1 is no JSON object")


def test_a_workbook_bomb_is_stopped_at_its_cap(tmp_path):
    pytest.importorskip("openpyxl")
    write_zip(tmp_path / "a.xlsx", "xl/worksheets/sheet1.xml", bytes(100 * 2**20))
    refused(tmp_path / "a.xlsx", r"expands to more than 67,108,864 bytes")


def test_a_workbook_with_one_cell_at_its_far_end_is_small(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active["XFD1048576"] = 1
    book.save(tmp_path / "a.xlsx")
    assert read_table(tmp_path / "a.xlsx").shape == (1, 3)


@pytest.mark.parametrize("name", ["a.csv.gz", "a.arff.gz"])
def test_a_gzip_bomb_is_stopped_at_its_cap(tmp_path, name):
    with gzip.open(tmp_path / name, "wb", compresslevel=9) as file:
        for _ in range(100):
            file.write(bytes(2**20))
    refused(tmp_path / name, r"expands to more than 67,108,864 bytes")


def test_a_gzip_that_ends_early_is_refused(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n" * 1000)[:-20])
    refused(tmp_path / "a.csv.gz", "cannot read")


def test_a_header_of_a_million_columns_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text(",".join(f"c{number}" for number in range(10**6)) + "\n")
    refused(tmp_path / "a.csv", "has 1,000,000 columns, more than 100,000")


def test_a_line_without_end_is_refused(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"a" * (17 * 2**20))
    refused(tmp_path / "a.csv", "the first line of 'a.csv' is longer than")
    (tmp_path / "a.arff").write_bytes(b"@relation r\n@attribute a numeric\n@data\n" + b"1" * (11 * 2**20))
    refused(tmp_path / "a.arff", "longer than 10,485,760 letters")


def test_an_arff_file_of_endless_columns_is_refused(tmp_path):
    lines = ["@relation r", *(f"@attribute c{number} numeric" for number in range(100_001)), "@data", "{}"]
    (tmp_path / "a.arff").write_text("\n".join(lines))
    refused(tmp_path / "a.arff", "has more than 100,000 columns")


def test_sparse_rows_that_stand_for_endless_cells_are_refused(tmp_path):
    lines = ["@relation r", *(f"@attribute c{number} numeric" for number in range(20_000)), "@data", *["{}"] * 20_000]
    (tmp_path / "a.arff").write_text("\n".join(lines))
    refused(tmp_path / "a.arff", "2,501 sparse rows of 20,000 columns are more than")


def test_a_long_quoted_arff_line_is_read_in_one_pass(tmp_path):
    """Cutting value after value from the front would take time with the square of the length."""
    labels = ",".join(f"'a{number}'" for number in range(100_000))
    (tmp_path / "a.arff").write_text(f"@relation r\n@attribute a {{{labels}}}\n@data\n'a7'\n")
    assert read_table(tmp_path / "a.arff")["a"].tolist() == ["a7"]


def test_a_parquet_file_of_endless_equal_cells_is_refused(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(10**6, dtype=np.int8)), pa.array(["a"]))
    table = pa.table({f"c{number}": column for number in range(40)})
    pq.write_table(table, tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", "expands to 1,000,000 rows of 40 columns in")


def test_an_arrow_file_of_endless_batches_is_refused(tmp_path):
    pa = pytest.importorskip("pyarrow")
    batch = pa.record_batch({f"c{number}": np.zeros(10**5) for number in range(40)})
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(str(tmp_path / "a.arrow"), batch.schema, options=options) as writer:
        for _ in range(9):
            writer.write(batch)
    refused(tmp_path / "a.arrow", "expands to .* rows of 40 columns")


def test_pandas_metadata_of_a_parquet_file_runs_nothing(tmp_path, marker):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    words = {"columns": [{"name": "a", "pandas_type": f"__import__('os').system('touch {marker}')"}]}
    table = pa.table({"a": [1.0, 2.0]}).replace_schema_metadata({"pandas": json.dumps(words)})
    pq.write_table(table, tmp_path / "a.parquet")
    with contextlib.suppress(BadData):  # refusing is as good
        assert read_table(tmp_path / "a.parquet")["a"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("cell", ["=cmd|' /C calc'!A0", "{{7*7}}", "__import__('os')", "<script>alert(1)</script>"])
def test_cells_are_text(tmp_path, cell):
    pd.DataFrame({"a": [cell] * 3, "b": [1, 2, 3]}).to_csv(tmp_path / "a.csv", index=False)
    assert read_table(tmp_path / "a.csv")["a"].tolist() == [cell] * 3


def test_a_saved_dataset_cannot_name_files_elsewhere(tmp_path, touch):
    save(make_dataset(np.arange(10.0).reshape(5, 2), np.arange(5.0)), tmp_path / "set")
    meta = json.loads((tmp_path / "set" / "dataset.json").read_text())
    (tmp_path / "set" / "dataset.json").write_text(json.dumps(meta | {"arrays": ["../evil", "X", "target"]}))
    with pytest.raises(BadData, match="names arrays that no dataset has"):
        open_mapped(tmp_path / "set")
    (tmp_path / "set" / "dataset.json").write_text(json.dumps(meta))
    np.save(tmp_path / "set" / "X.npy", np.array([[touch]], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"allow_pickle=False|Array can't be memory-mapped"):
        open_mapped(tmp_path / "set")


def test_names_in_a_table_cannot_command_the_terminal(tmp_path, capsys):
    from foldwise.cli import run

    rows = "".join(f"{k},{k % 7},{'x' if k % 2 else 'y' + chr(27) + ']0;title' + chr(7)}\n" for k in range(40))
    (tmp_path / "a.csv").write_text(f"a\x1b[2J,b\x1b]0;title\x07,c\n{rows}")
    assert run(["compare", str(tmp_path / "a.csv"), "--target", "nope"]) == 2
    out, err = capsys.readouterr()
    assert not set("\x1b\x07") & set(out + err)


def test_an_arrow_file_with_text_outside_of_it_is_refused(tmp_path):
    """Its readers follow the places of texts without looking."""
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": ["one", "two", "three"], "y": [1.0, 2.0, 3.0]})
    with pa.OSFile(str(tmp_path / "a.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    content = (tmp_path / "a.arrow").read_bytes()
    places = np.array([0, 3, 6, 11], np.int32).tobytes()
    assert content.count(places) == 1
    (tmp_path / "b.arrow").write_bytes(content.replace(places, np.array([0, 3, 6, 10**6], np.int32).tobytes()))
    (tmp_path / "c.arrow").write_bytes(content.replace(b"onetwo", b"\xff\xfe\xfdtwo"))
    assert len(read_table(tmp_path / "a.arrow")) == 3
    for name in ("b.arrow", "c.arrow"):
        refused(tmp_path / name, "cannot read")
