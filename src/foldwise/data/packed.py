"""The bytes of a text file or of standard input, expanded up to a limit."""

from __future__ import annotations

import gzip
import io
import sys
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO, Any

from foldwise.errors import BadData

STDIN = "-"  # as the name of a file
STDIN_NAME = "standard input"
TEXT = (".csv", ".tsv", ".txt")
JSON_LINES = (".jsonl", ".ndjson")
PACKABLE = (*TEXT, *JSON_LINES, ".arff")  # binary formats compress themselves
# A small file that expands without end is an attack or an accident.
MOST_BYTES = 8 * 2**30
FREE_BYTES = 64 * 2**20
MOST_RATIO = 200
GZIP = b"\x1f\x8b"
BINARY = {b"PAR1": "a Parquet file", b"ARROW1": "an Arrow file", b"PK\x03\x04": "a ZIP archive or workbook"}


@dataclass(frozen=True, eq=False)
class TextFile:
    """An open table of text: its name in sentences, the ending that says its format, and its bytes as they are kept."""

    name: str
    suffix: str
    file: IO[bytes]
    size: int


def suffix_of(path: Path) -> str:
    """The ending that says the format, without that of gzip.

    >>> suffix_of(Path("a.csv.gz")), suffix_of(Path("a.PARQUET")), suffix_of(Path("a.parquet.gz"))
    ('.csv', '.parquet', '.parquet.gz')
    """
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    suffix = name.suffix.lower()
    return suffix + ".gz" if name is not path and suffix not in PACKABLE else suffix


def open_text(path: Path) -> TextFile:
    """A text file, a gzipped one, or the one text file in a ZIP archive."""
    size = path.stat().st_size
    if path.suffix.lower() == ".zip":
        return _open_member(path, size)
    file: IO[bytes] = path.open("rb")
    if path.suffix.lower() == ".gz":
        with file, gzip.open(file) as packed:
            file = _expanded(packed, path.name, size)
    return TextFile(path.name, suffix_of(path), file, size)


def open_stdin() -> TextFile:
    """The table on standard input: comma, tab or semicolon separated text, or JSON lines, perhaps gzipped."""
    content = _content(sys.stdin)
    size, file = len(content), io.BytesIO(content)
    if content.startswith(GZIP):
        with gzip.open(file) as packed:
            file = _expanded(packed, STDIN_NAME, size)
    start = bytes(file.getbuffer()[:4096]).removeprefix(b"\xef\xbb\xbf").lstrip()
    if format := next((name for mark, name in BINARY.items() if start.startswith(mark)), None):
        raise BadData(f"standard input holds {format}, and only text can be read from there", "Give the file by name")
    return TextFile(STDIN_NAME, ".jsonl" if start.startswith(b"{") else ".csv", file, size)


@lru_cache(maxsize=1)
def _content(stream: Any) -> bytes:
    """All bytes of a stream, which can be read only once; a study asks for its table again for labels of folds."""
    hint = "Pipe a table into the command, as in `foldwise compare - --target COL < FILE.csv`"
    if stream is None or stream.closed:
        raise BadData("there is no standard input to read a table from", hint)
    if stream.isatty():
        raise BadData("standard input is a terminal, not a table", hint)
    content: bytes = getattr(stream, "buffer", stream).read(MOST_BYTES + 1)
    if not content.strip():
        raise BadData("standard input is empty", hint)
    if len(content) > MOST_BYTES:
        raise BadData(f"standard input has more than {MOST_BYTES:,} bytes", "Give a file, or fewer rows")
    return content


def check_archive(path: Path, entries: list[zipfile.ZipInfo]) -> None:
    """Refuse an archive that says itself that it expands without end; what it says, reading does not go beyond."""
    limit = _limit(path.stat().st_size)
    if sum(entry.file_size for entry in entries) > limit:
        raise _too_large(path.name, limit)


def _open_member(path: Path, size: int) -> TextFile:
    with zipfile.ZipFile(path) as archive:
        listed = archive.infolist()
        entries = [entry for entry in listed if not entry.is_dir() and not entry.filename.startswith("__MACOSX/")]
        entry = _only(path, entries)
        suffix = PurePosixPath(entry.filename).suffix.lower()
        if suffix not in PACKABLE:
            known = ", ".join(sorted(PACKABLE))
            raise BadData(f"{path.name!r} holds {entry.filename!r}, which is no text table", f"Known are {known}")
        if entry.flag_bits & 1:
            raise BadData(f"{path.name!r} is encrypted", "Unpack it yourself and give the file in it")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BadData(f"{path.name!r} is compressed in an unusual way", "Unpack it yourself, or use gzip")
        check_archive(path, [entry])
        with archive.open(entry) as packed:
            return TextFile(path.name, suffix, _expanded(packed, path.name, size), size)


def _only(path: Path, entries: list[zipfile.ZipInfo]) -> zipfile.ZipInfo:
    if not entries:
        raise BadData(f"{path.name!r} holds no file", "Give an archive with one table in it")
    if len(entries) > 1:
        names = ", ".join(repr(entry.filename) for entry in entries[:3]) + (", ..." if len(entries) > 3 else "")
        raise BadData(f"{path.name!r} holds {len(entries):,} files ({names})", "Unpack it and give one of them")
    return entries[0]


def _expanded(packed: IO[bytes] | gzip.GzipFile, name: str, size: int) -> io.BytesIO:
    limit, out = _limit(size), io.BytesIO()
    while chunk := packed.read(2**20):
        out.write(chunk)
        if out.tell() > limit:
            raise _too_large(name, limit)
    out.seek(0)
    return out


def _limit(size: int) -> int:
    return min(MOST_BYTES, max(FREE_BYTES, MOST_RATIO * size))


def _too_large(name: str, limit: int) -> BadData:
    return BadData(f"{name!r} expands to more than {limit:,} bytes", "Unpack it yourself if you trust it")
