from __future__ import annotations

import gzip
import io
import sys
import zipfile
from types import SimpleNamespace

import pytest

from foldwise.data.sources import read_table
from foldwise.errors import BadData

CSV = "size,shop\n1.5,a\n2.5,b\n"


@pytest.fixture
def pipe(monkeypatch):
    """Put bytes on standard input."""

    def put(content: bytes, *, is_terminal: bool = False) -> None:
        stream = io.BytesIO(content)
        stdin = SimpleNamespace(buffer=stream, closed=False, isatty=lambda: is_terminal)
        stdin_class = type("Stdin", (), {**vars(stdin), "isatty": lambda self: is_terminal})
        monkeypatch.setattr(sys, "stdin", stdin_class())

    return put


@pytest.mark.parametrize(
    "content",
    [
        CSV.encode(),
        CSV.replace(",", "\t").encode(),
        CSV.replace(",", ";").encode("utf-8-sig"),
        gzip.compress(CSV.encode()),
        b'{"size": 1.5, "shop": "a"}\n{"size": 2.5, "shop": "b"}\n',
        gzip.compress(b'\n {"size": 1.5, "shop": "a"}\n{"size": 2.5, "shop": "b"}\n'),
    ],
    ids=["commas", "tabs", "semicolons", "gzip", "json lines", "gzipped json lines"],
)
def test_standard_input_is_read_whatever_text_it_holds(pipe, content):
    pipe(content)
    table = read_table("-")
    assert table.to_dict("list") == {"size": [1.5, 2.5], "shop": ["a", "b"]}


def test_standard_input_can_be_asked_for_again(pipe):
    pipe(CSV.encode())
    assert read_table("-").equals(read_table("-"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "standard input is empty. Pipe a table"),
        (b" \n", "standard input is empty"),
        (b"PAR1....", "standard input holds a Parquet file, and only text can be read from there"),
        (b"PK\x03\x04", "standard input holds a ZIP archive or workbook"),
        (gzip.compress(b"a,b\n1,2\n")[:-3], "cannot read 'standard input'"),
        (b"a,b\n1,\xff\n", "cannot read 'standard input': it is not UTF-8"),
    ],
    ids=["empty", "blank", "parquet", "zip", "cut gzip", "latin"],
)
def test_standard_input_that_is_no_table_is_refused_in_one_sentence(pipe, content, words):
    pipe(content)
    with pytest.raises(BadData, match=words):
        read_table("-")


def test_a_terminal_is_no_table(pipe):
    pipe(CSV.encode(), is_terminal=True)
    with pytest.raises(BadData, match=r"standard input is a terminal, not a table. Pipe"):
        read_table("-")


def test_a_gzip_bomb_on_standard_input_is_stopped(pipe):
    pipe(gzip.compress(bytes(70 * 2**20)))
    with pytest.raises(BadData, match="expands to more than"):
        read_table("-")


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({}, "'a.zip' holds no file"),
        ({"a.csv": CSV, "b.csv": CSV}, r"'a.zip' holds 2 files \('a.csv', 'b.csv'\). Unpack it and give one"),
        ({"a.parquet": "PAR1"}, "'a.zip' holds 'a.parquet', which is no text table. Known are .arff, .csv"),
        ({"a.csv.gz": "x"}, "which is no text table"),
    ],
)
def test_an_archive_must_hold_exactly_one_text_table(tmp_path, members, words):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    with pytest.raises(BadData, match=words):
        read_table(tmp_path / "a.zip")


def test_an_encrypted_archive_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.csv", CSV)
    content = bytearray((tmp_path / "a.zip").read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1  # the flag of the entry in the list of the archive
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(BadData, match=r"'a.zip' is encrypted"):
        read_table(tmp_path / "a.zip")
