"""Damaged and crafted files, one after another, for as long as you like.

Stores, study files, models and tables are made, changed at random (bytes flipped, cut, doubled; names, numbers and
kinds of parts exchanged, with checksums made to fit), and read as the command does. Each must be read, or refused in
one sentence of ours. A file has failed if reading it raises anything else, ends the process, opens a file to write
elsewhere, starts a process, opens a socket, unpickles, or takes longer than 20 seconds. It is kept, and named.

    python benchmarks/fuzz.py [--minutes 1] [--only models] [--seed 0] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

KINDS = ("models", "stores", "studies", "tables")
MOST_SECONDS = 20
BATCH_SECONDS = 30.0
STARTING_SECONDS = 120
# What reading a file never does. Other events, as importing a module, are what readers do.
FORBIDDEN = ("os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork", "socket.connect", "socket.bind")
FORBIDDEN += ("pickle.find_class", "shutil.rmtree", "os.remove", "os.rename", "ctypes.dlopen")
NAMES = ("os.system", "builtins.eval", "numpy.memmap", "numpy.lib.npyio.NpzFile", "sklearn.svm._classes.SVR")
WORDS = ("", "none", "/etc/passwd", "../x", "nan", "1e999", "\x1b[2J", "sklearn.svm.SVC", "9" * 400, "aligned", "loo")
NUMBERS = (0, -1, 1, 2**31, 2**63, -(2**63), 10**30, 0.5, float("nan"), float("inf"), True, None)


class Forbidden(BaseException):
    """Reading a file did what it must not do."""


# --- changes ---


def flipped(content: bytes, rng: random.Random) -> bytes:
    """The bytes with some of them changed, cut out, doubled or swapped."""
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        if not changed:
            break
        at, length = rng.randrange(len(changed)), rng.choice((1, 1, 2, 8, 200))
        match rng.randrange(5):
            case 0:
                changed[at] ^= 1 << rng.randrange(8)
            case 1:
                del changed[at : at + length]
            case 2:
                changed[at:at] = changed[at : at + length]
            case 3:
                changed[at : at + length] = rng.randbytes(length)
            case 4:
                del changed[rng.randrange(len(changed)) :]
    return bytes(changed)


def exchanged(value: Any, rng: random.Random) -> Any:
    """JSON with a few of its values exchanged for others of the same file, for hostile ones, or left out."""
    value = json.loads(json.dumps(value))
    places = list(_places(value))
    for _ in range(rng.choice((1, 1, 2, 4))):
        holder, key = rng.choice(places)
        try:
            other = rng.choice(places)
            old = holder[key]
            choices: list[Any] = [other[0][other[1]], rng.choice(NUMBERS), rng.choice(WORDS), [], {}, [old], {"a": old}]
            holder[key] = json.loads(json.dumps(rng.choice(choices)))  # a copy, or it might hold itself
            if rng.random() < 0.15:
                del holder[key]
        except (KeyError, IndexError, TypeError):
            continue  # changed before
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys):
        yield value, key
        yield from _places(value[key])


# --- files ---


def make_seeds(folder: Path) -> None:
    """One good file of each kind, from which the bad ones are made."""
    warnings.simplefilter("ignore")  # learners are stopped early
    import numpy as np
    import pandas as pd

    import foldwise as fw
    from foldwise.api.model_file import save_model
    from foldwise.api.study_file import make_spec
    from foldwise.data.dataset import make_dataset
    from foldwise.learners.catalogue import builtin

    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": rng.choice(["x", "y", None], 60), "c": rng.integers(0, 9, 60)})
    frame["y"] = frame["a"] + frame["c"]
    frame.to_csv(folder / "seed.csv", index=False)
    frame.to_csv(folder / "seed.tsv", index=False, sep="\t")
    frame.to_csv(folder / "seed.csv.gz", index=False)
    attributes = "@attribute a numeric\n@attribute b {x,y}\n@attribute c numeric\n@attribute y numeric\n"
    rows = frame.fillna("?").to_csv(index=False, header=False)
    if find_spec("arff") is not None:
        (folder / "seed.arff").write_text(f"@relation r\n{attributes}@data\n{rows}")
    frame.to_json(folder / "seed.jsonl", orient="records", lines=True)
    with zipfile.ZipFile(folder / "seed.zip", "w") as archive:
        archive.write(folder / "seed.csv", "seed.csv")
    for write, ending in ((frame.to_parquet, "parquet"), (frame.to_feather, "feather"), (frame.to_excel, "xlsx")):
        with contextlib.suppress(ImportError):
            write(folder / f"seed.{ending}")
    data = make_dataset(frame[["a", "b", "c"]], frame["y"])
    labelled = make_dataset(frame[["a", "b", "c"]], np.where(frame["y"] > 4, "p", "q"))
    for name in ("k-nn", "ridge", "tree", "forest", "boosting", "svm", "gam", "logistic"):
        table = labelled if name in ("logistic", "k-nn", "boosting") else data
        estimator = builtin(name, table).estimator
        few = [word for word in estimator.get_params() if word.endswith(("n_estimators", "max_iter"))]
        estimator.set_params(**dict.fromkeys(few, 100 if name == "logistic" else 3))
        save_model(folder / f"{name}.skops", estimator.fit(table.X, table.y), table)
    options = {"data": str(folder / "seed.csv"), "target": "y", "store": str(folder / "store"), "jobs": 1}
    options |= {"learners": ["ridge:small", "k-nn:small"], "outer": 2, "inner": 2}
    make_spec(options).run(progress=False)
    fw.load(folder / "store")
    (folder / "study.toml").write_text(
        f'data = "{folder / "seed.csv"}"\ntarget = "y"\nouter = 13\ninner = "aligned"\nseed = 7\nbudget = "1 min"\n'
        'loss = ["squared", "absolute"]\n[learners.k-nn]\nn_neighbors = { range = [1, 30] }\n'
        '[learners.a]\nlearner = "svm"\nkernel = ["rbf", "poly"]\nC = { log_range = [1e-4, 1e4, 5] }\n'
    )


def a_model(seeds: Path, folder: Path, rng: random.Random) -> Path:
    source, path = rng.choice(sorted(seeds.glob("*.skops"))), folder / "m.skops"
    if rng.random() < 0.2:
        path.write_bytes(flipped(source.read_bytes(), rng))
        return path
    with zipfile.ZipFile(source) as archive, zipfile.ZipFile(path, "w") as out:
        names, target = archive.namelist(), rng.choice(("schema", "schema", "array"))
        victim = rng.choice([name for name in names if name != "schema.json"])
        for name in names:
            content = archive.read(name)
            if name == "schema.json" and target == "schema":
                schema = exchanged(json.loads(content), rng)
                if rng.random() < 0.2:
                    _rename(schema, rng)
                content = json.dumps(schema).encode()
            elif name == victim and target == "array":
                content = flipped_array(content, rng)
            out.writestr(name, content)
    return path


def flipped_array(content: bytes, rng: random.Random) -> bytes:
    """Numbers of an array changed and its head left, so that what reads the array meets them."""
    if rng.random() < 0.3 or len(content) <= 128:
        return flipped(content, rng)
    body = bytearray(content[128:])
    for _ in range(rng.choice((1, 3, 10))):
        at = rng.randrange(len(body))
        body[at] = rng.choice((0, 255, 127, 128, rng.randrange(256)))
    return content[:128] + bytes(body)


def _rename(schema: Any, rng: random.Random) -> None:
    parts = [holder[key] for holder, key in _places(schema) if isinstance(holder[key], dict)]
    part = rng.choice([part for part in parts if "__loader__" in part] or [schema])
    part["__module__"], _, part["__class__"] = rng.choice(NAMES).rpartition(".")
    loaders = ("ObjectNode", "TypeNode", "FunctionNode", "ConstructorFromReduceNode", "MethodNode", "TupleNode")
    part["__loader__"] = rng.choice((*loaders, part.get("__loader__", "DictNode")))


def a_store(seeds: Path, folder: Path, rng: random.Random) -> Path:
    """A store with flipped bytes, or with other content whose checksum fits."""
    from foldwise.records.database import checksum

    path = folder / "store"
    shutil.copytree(seeds / "store", path)
    file = path / "records.db"
    if rng.random() < 0.4:
        file.write_bytes(flipped(file.read_bytes(), rng))
        return path
    database = sqlite3.connect(file)
    table, key = rng.choice((("documents", "name"), ("documents", "name"), ("records", "key")))
    rows = database.execute(f"SELECT {key}, content FROM {table}").fetchall()
    name, content = rng.choice(rows)
    try:
        changed = json.dumps(exchanged(json.loads(content), rng)).encode()
    except ValueError:
        changed = flipped(content, rng)
    new = checksum(str(name), changed) if table == "documents" else None
    if new is not None:
        database.execute(f"UPDATE {table} SET content = ?, checksum = ? WHERE {key} = ?", (changed, new, name))
    else:
        database.execute(f"UPDATE {table} SET content = ? WHERE {key} = ?", (changed, name))
    database.commit()
    database.close()
    return path


def a_study(seeds: Path, folder: Path, rng: random.Random) -> Path:
    import tomllib

    path, text = folder / "study.toml", (seeds / "study.toml").read_text()
    if rng.random() < 0.4:
        path.write_bytes(flipped(text.encode(), rng))
        return path
    options = exchanged(tomllib.loads(text), rng)
    if isinstance(options, dict) and rng.random() < 0.5:
        options[rng.choice(("jobs", "engine", "address", "store", "memory", "tuner", "interval", "loss"))] = rng.choice(
            (*WORDS, *NUMBERS)
        )
    path.write_text("".join(f"{json.dumps(name)} = {_toml(value)}\n" for name, value in options.items()))
    return path


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {_toml(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return '"none"' if value is None else "nan" if value != value else json.dumps(value).replace("Infinity", "inf")


def a_table(seeds: Path, folder: Path, rng: random.Random) -> Path:
    source = rng.choice(sorted(seeds.glob("seed.*")))
    path = folder / source.name
    path.write_bytes(flipped(source.read_bytes(), rng))
    return path


# --- reading ---


def read_model(path: Path, seeds: Path) -> None:
    from foldwise.api.model_file import load_model
    from foldwise.api.saved_model import predict_table
    from foldwise.data.sources import read_table

    predict_table(load_model(path), read_table(seeds / "seed.csv"))


def read_store(path: Path, seeds: Path) -> None:
    import foldwise as fw
    from foldwise.api.study_file import stored_study
    from foldwise.records.sqlite import SqliteStore

    store = SqliteStore(path, readonly=True)
    try:
        store.info()
        store.verify()
    finally:
        store.close()
    fw.load(path).to_dict()
    stored_study(path).make_learners()


def read_study(path: Path, seeds: Path) -> None:
    from foldwise.api.study_file import read_study as read

    study = read(path)
    study.make_learners()
    study.options()


def read_data(path: Path, seeds: Path) -> None:
    from foldwise.data.sources import read

    read(path, target="y")


MAKERS: dict[str, Callable[[Path, Path, random.Random], Path]] = {
    "models": a_model,
    "stores": a_store,
    "studies": a_study,
    "tables": a_table,
}
READERS: dict[str, Callable[[Path, Path], None]] = {
    "models": read_model,
    "stores": read_store,
    "studies": read_study,
    "tables": read_data,
}


class Watch:
    """Notes what reading a file does beside reading; a hook cannot be taken off again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.is_on = str(folder), False
        sys.addaudithook(self._look)

    def _look(self, event: str, given: tuple[Any, ...]) -> None:
        if not self.is_on:
            return
        if event == "open" and given and isinstance(given[0], str | bytes | os.PathLike):
            path, mode = os.fsdecode(given[0]), str(given[1])
            is_elsewhere = not path.startswith((self.folder, "/dev/null")) and not path.endswith(".pyc")
            if is_elsewhere and set(mode) & set("wax+") and "__pycache__" not in path:
                raise Forbidden(f"{event} {path} {mode}")
        if event.startswith(FORBIDDEN) and not any(str(one).startswith(self.folder) for one in given):
            raise Forbidden(f"{event} {given!r:.200}")


def fuzz(kind: str, seeds: Path, seed: int, seconds: float, report: Path) -> None:
    """Make and read files of one kind for some time; the report says how far it came, whatever happens."""
    warnings.simplefilter("ignore")
    from foldwise.errors import FoldwiseError

    folder = report.parent / "work"
    for good in _good(kind, seeds):
        READERS[kind](good, seeds)  # imports what readers need, before anything is watched
    watch, found = Watch(report.parent), Counter[str]()
    signal.signal(signal.SIGALRM, _too_long)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        case = seed + found.total()
        path = MAKERS[kind](seeds, folder, random.Random(f"{kind} {case}"))
        report.write_text(json.dumps({"case": case, "found": found}))
        signal.alarm(MOST_SECONDS)
        watch.is_on = True
        try:
            READERS[kind](path, seeds)
            found["read"] += 1
        except FoldwiseError as refusal:
            watch.is_on = False
            if "\n" in str(refusal).strip() or len(str(refusal)) > 2000:
                raise AssertionError(f"not one sentence: {str(refusal)[:300]!r}") from refusal
            found["refused"] += 1
        finally:
            watch.is_on = False
            signal.alarm(0)
    report.write_text(json.dumps({"case": None, "found": found}))


def _too_long(*_: Any) -> None:
    raise Forbidden(f"longer than {MOST_SECONDS} s")


def _good(kind: str, seeds: Path) -> list[Path]:
    names = {"models": "*.skops", "stores": "store", "studies": "study.toml", "tables": "seed.*"}
    return sorted(seeds.glob(names[kind]))


def run(kinds: tuple[str, ...], minutes: float, seed: int, keep: Path) -> dict[str, Counter[str]]:
    """Processes of half a minute, one after another, kind after kind; a file that ends one is kept."""
    totals = {kind: Counter[str]() for kind in kinds}
    with tempfile.TemporaryDirectory() as name:
        seeds = Path(name) / "seeds"
        seeds.mkdir()
        make_seeds(seeds)
        until, turn = time.monotonic() + 60 * minutes, 0
        while (left := until - time.monotonic()) > 0 or turn < len(kinds):
            kind, work = kinds[turn % len(kinds)], Path(name) / f"turn{turn}"
            work.mkdir()
            share = min(BATCH_SECONDS, max(60 * minutes / len(kinds), 2.0), max(left, 2.0))
            _run_batch(kind, seeds, seed + turn * 10**6, share, work, totals[kind], keep)
            shutil.rmtree(work)
            turn += 1
    return totals


def _run_batch(kind: str, seeds: Path, seed: int, seconds: float, work: Path, total: Counter[str], keep: Path) -> None:
    command = [sys.executable, __file__, "--batch", kind, str(seeds), str(seed), str(seconds), str(work / "report")]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds + MOST_SECONDS + STARTING_SECONDS, check=False
        )
        code, said = done.returncode, done.stderr[-2000:]
    except subprocess.TimeoutExpired:
        code, said = -1, "it did not end"
    report = json.loads((work / "report").read_text()) if (work / "report").exists() else {"case": -1, "found": {}}
    total.update(report["found"])
    if code:
        total["failed"] += 1
        place = keep / f"{kind}-{report['case']}"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(work, place)
        print(f"{kind}, case {report['case']}: exit code {code}, kept in {place}\n{said}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path("fuzz-found"))
    parser.add_argument("--batch", nargs=5, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.batch:
        kind, seeds, seed, seconds, report = asked.batch
        try:
            fuzz(kind, Path(seeds), int(seed), float(seconds), Path(report))
        except BaseException:
            traceback.print_exc(limit=-6)
            return 1
        return 0
    totals = run((asked.only,) if asked.only else KINDS, asked.minutes, asked.seed, asked.keep)
    for kind, found in totals.items():
        words = (
            f"{kind}:",
            f"{found['read']:,} read,",
            f"{found['refused']:,} refused,",
            f"{found['failed']:,} failed",
        )
        print(*words)
    return 1 if any(found["failed"] for found in totals.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
