"""A model file is read as a list of parts and checked before anything is made of them.

skops makes an object of every part that its schema names, so each must be of a listed class (`api/trusted.py`), each
array must be as large as it says, and nothing may lie in the archive that no part refers to.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import numpy as np

from foldwise.api.trusted import BY_LOADER

SCHEMA = "schema.json"  # of a skops archive
FREE_BYTES = 256 * 2**20  # a model may expand to this size; beyond it, to so many times its file
MOST_RATIO = 200
MOST_ENTRIES = 200_000
MOST_DEPTH = 150  # parts within parts
MOST_JOBS = 256
PROTOCOLS = (1, 2)  # of skops; before them it read functions in another way
_FILE = re.compile(r"\d{1,20}\.np[yz]", re.ASCII)
_SPARSE = frozenset(f"{name}.npy" for name in ("data", "indices", "indptr", "shape", "format", "_is_array"))
_NEVER = "has a part that no saved model has"


class Refused(Exception):
    """What a model file holds that it may not hold; the text goes behind the name of the file."""


class Unlisted(Refused):
    """Types that are not on the list."""


def check_archive(content: bytes) -> None:
    """An archive that expands without end, or whose names are no plain names, is refused before it is read."""
    with zipfile.ZipFile(BytesIO(content)) as archive:
        entries = archive.infolist()
    total, most = sum(entry.file_size for entry in entries), max(FREE_BYTES, MOST_RATIO * len(content))
    if total > most or len(entries) > MOST_ENTRIES:
        raise Refused(f"expands to {len(entries):,} parts of {total:,} bytes, more than {most:,}")
    names = [entry.filename for entry in entries]
    if doubled := next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else "":
        raise Refused(f"has two parts of the name {shown(doubled)}")
    usual = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    if any(entry.compress_type not in usual or entry.flag_bits & 1 for entry in entries):
        raise Refused("is compressed or encrypted in a way that models are not")


def check_schema(content: bytes) -> None:
    """Every part of the file is of a listed class, as large as it says, and referred to."""
    with zipfile.ZipFile(BytesIO(content)) as archive:
        schema = json.loads(archive.read(SCHEMA))
        if type(schema["protocol"]) is not int or schema["protocol"] not in PROTOCOLS:
            raise Refused("was written in a format of skops that is not known here")
        parts = _Parts(archive)
        parts.check(schema)
        if parts.unlisted:
            listed = ", ".join(map(shown, list(parts.unlisted)[:3]))
            raise Unlisted(f"holds types that are not on the list: {listed}")
        if loose := sorted(set(archive.namelist()) - {SCHEMA, *(name for _, name in parts.files)}):
            raise Refused(f"has a part that nothing refers to: {shown(loose[0])}")


def shown(name: object) -> str:
    """A name from a file as a terminal may show it.

    >>> shown("os.system"), shown("\\x1b[2J" + "a" * 200)
    ('os.system', '?[2Jaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...')
    """
    text = re.sub(r"[^\x20-\x7e]", "?", str(name)[:200])
    return text if len(text) <= 83 else f"{text[:80]}..."


class _Parts:
    """The parts of one archive, each looked at once, in the order in which skops meets them."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self.files: dict[tuple[str, str], bytes] = {}
        self.unlisted: dict[str, None] = {}
        self.known: dict[int, bytes] = {}
        self.open: set[int] = set()  # marks of the parts around the one looked at

    def check(self, part: Any, depth: int = 0) -> bytes:
        """Refuse what may not be there; return a digest of the part and all it holds."""
        if type(part) is not dict or depth > MOST_DEPTH:
            raise Refused("nests its parts too deep" if depth > MOST_DEPTH else _NEVER)
        loader, mark = part["__loader__"], part["__id__"]
        name = f"{part['__module__']}.{part['__class__']}"
        if name not in BY_LOADER.get(loader, ()):
            self.unlisted[name] = None
        if type(mark) is not int or mark in self.open:
            raise Refused("has a part that holds itself")
        self.open.add(mark)
        words, parts, files = _content(loader, part)
        self._check_own(loader, name, part)
        found = hashlib.blake2b(repr([loader, name, *words]).encode(), digest_size=16)
        for file in files:
            found.update(self._check_file(loader, file))
        for inner in parts:
            found.update(self.check(inner, depth + 1))
        self.open.remove(mark)
        # skops takes every part of a known mark for the first one of that mark: they must be the same.
        if self.known.setdefault(mark, found.digest()) != found.digest():
            raise Refused("has two parts of one mark")
        return found.digest()

    def _check_own(self, loader: str, name: str, part: Mapping[str, Any]) -> None:
        if loader == "ObjectNode":
            _check_attributes(name, part)
        if loader == "TreeNode":
            self._check_tree(part)
        if loader == "RandomGeneratorNode":
            kind = _plain(_at(part, "content", "bit_generator", "content", "bit_generator"))
            if kind != "PCG64":
                raise Refused(f"holds a random generator of the kind {shown(kind)}")

    def _check_file(self, loader: str, name: Any) -> bytes:
        if not isinstance(name, str) or not _FILE.fullmatch(name):
            raise Refused(f"refers to a part of the name {shown(name)}")
        if (loader, name) not in self.files:
            content = self.archive.read(name)
            check_array(content) if loader == "NdArrayNode" else check_sparse(content)
            self.files[loader, name] = hashlib.blake2b(content, digest_size=16).digest()
        return self.files[loader, name]

    def _check_tree(self, part: Mapping[str, Any]) -> None:
        """The first numbers of a tree, which it reads before it can be looked at: columns, classes, outputs."""
        columns, classes, outputs = _at(part, "__reduce__", "args")["content"]
        check_array(content := self.archive.read(classes["file"]))
        found = np.load(BytesIO(content), allow_pickle=False)
        counts = [_plain(columns), _plain(outputs)]
        is_sound = all(type(count) is int and 0 < count < 2**31 for count in counts)
        if not is_sound or found.shape != (counts[1],) or found.dtype.kind != "i" or (found < 1).any():
            raise Refused("holds a tree that no fit leaves")


def _content(loader: Any, part: Mapping[str, Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """Plain words, inner parts and files of a part; of an unlisted kind, which is refused later, nothing."""
    inner = part.get("content")
    match loader:
        case "JsonNode" if isinstance(inner, str):
            return [inner], [], []
        case "SliceNode":
            ends = [_at(part, "content")[end] for end in ("start", "stop", "step")]
            if all(end is None or type(end) is int for end in ends):
                return ends, [], []
        case "DictNode" if type(inner) is dict:
            return list(inner), [part["key_types"], *inner.values()], []
        case "ListNode" | "SetNode" | "TupleNode" if type(inner) is list:
            return [], inner, []
        case "ObjectNode":
            return [], [] if inner is None else [inner], []
        case "DTypeNode" | "RandomStateNode":
            return [], [inner], []
        case "NdArrayNode" if part["type"] == "numpy":
            return ["numpy"], [], [part["file"]]
        case "NdArrayNode" if part["type"] == "json" and type(inner) is list:
            return ["json"], [*inner, part["shape"]], []
        case "SparseMatrixNode":
            return [], [], [part["file"]]
        case "TreeNode" | "LossNode":
            return [], [inner, _at(part, "__reduce__", "args")], []
        case "PartialNode":
            return [], [_at(part, "content")[name] for name in ("func", "args", "kwds", "namespace")], []
        case "MaskedArrayNode":
            return [], [_at(part, "content")[name] for name in ("data", "mask")], []
        case "RandomGeneratorNode":
            return [], [_at(part, "content")[name] for name in ("bit_generator", "seed_seq")], []
        case "TypeNode" | "FunctionNode":
            return [], [], []
        case _ if loader not in BY_LOADER:
            return [], [], []
    raise Refused(_NEVER)


def _check_attributes(name: str, part: Mapping[str, Any]) -> None:
    """What an object may not be told: where to keep files, and to start processes without end."""
    state = part.get("content")
    attributes = state.get("content") if type(state) is dict else None
    if type(attributes) is not dict:
        return
    if "memory" in attributes and _plain(attributes["memory"]) is not None:
        raise Refused(f"asks {shown(name)} to keep files (memory)")
    jobs = _plain(attributes["n_jobs"]) if "n_jobs" in attributes else None
    if jobs is not None and not (type(jobs) is int and abs(jobs) <= MOST_JOBS):
        raise Refused(f"asks {shown(name)} for {shown(jobs)} processes (n_jobs)")


def _at(part: Any, *path: str) -> Any:
    for word in path:
        if type(part) is not dict:
            raise Refused(_NEVER)
        part = part[word]
    return part


def _plain(part: Any) -> Any:
    """The number, text, boolean or None that a part is."""
    if _at(part, "__loader__") != "JsonNode":
        raise Refused(_NEVER)
    return json.loads(part["content"])


def check_array(content: bytes) -> None:
    """Refuse what is no NumPy array of plain numbers or text, or not of the size that its head says."""
    from numpy.lib import format as npy

    stream = BytesIO(content)
    version = npy.read_magic(stream)
    read_head = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[version]
    shape, _, dtype = read_head(stream)
    count = 1
    for length in shape:
        count *= length
    if dtype.hasobject:
        raise Refused("holds an array of objects, which would be a pickle")
    if min(shape, default=0) < 0 or count * dtype.itemsize != len(content) - stream.tell():
        raise Refused("holds an array that is not of the size it says")


def check_sparse(content: bytes) -> None:
    """Refuse what is no sparse table in rows or columns, or one whose places lie outside of it."""
    from scipy.sparse import load_npz

    with zipfile.ZipFile(BytesIO(content)) as archive:
        entries = archive.infolist()
        names = [entry.filename for entry in entries]
        if not set(names) <= _SPARSE or len(set(names)) < len(names):
            raise Refused("holds a sparse table with a part that nothing refers to")
        total, most = sum(entry.file_size for entry in entries), max(FREE_BYTES, MOST_RATIO * len(content))
        if total > most:
            raise Refused(f"holds a sparse table that expands to {total:,} bytes, more than {most:,}")
        for name in names:
            check_array(archive.read(name))
    table: Any = load_npz(BytesIO(content))
    if table.format not in ("csr", "csc"):
        raise Refused("holds a sparse table of another kind than rows or columns")
    table.check_format(full_check=True)
