"""A dataset on disk, mapped into memory, so that worker processes share one copy of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.data.columns import Column, canonical
from foldwise.data.dataset import Dataset, frozen
from foldwise.data.tables import frame_from_blocks
from foldwise.errors import BadData

FIELDS = ("names", "kinds", "task", "classes", "fingerprint", "notes", "group_names", "is_series")
OPTIONAL = ("groups", "time", "weights", "strata")
BLOCKS = {"number": "float64", "boolean": "bool", "date": "int64"}
META = "dataset.json"
ARRAYS = {"target", "X", "data", "indices", "indptr", "codes", *OPTIONAL, *BLOCKS}


def save(data: Dataset, folder: Path) -> None:
    """Write the dataset as plain arrays and one JSON file; the JSON comes last, so a half-written folder has none."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # Labels are saved as codes, so that text needs no pickle.
    arrays: dict[str, Any] = {"target": data.target, **{name: getattr(data, name) for name in OPTIONAL}}
    container, parts, labels = _parts(data)
    arrays.update(parts)
    present = {name: array for name, array in arrays.items() if array is not None}
    for name, array in present.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)
    meta = {name: getattr(data, name) for name in FIELDS}
    meta |= {"container": container, "labels": labels, "arrays": sorted(present), "rows": data.rows}
    (folder / META).write_text(json.dumps(meta))


def open_mapped(folder: Path) -> Dataset:
    """Open a saved dataset; its numbers stay in the files until they are used."""
    folder = Path(folder)
    if not (folder / META).is_file():
        raise BadData(f"{str(folder)!r} holds no saved dataset", "Save one there first")
    meta = json.loads((folder / META).read_text())
    if not ARRAYS.issuperset(meta["arrays"]):
        raise BadData(f"{str(folder)!r} names arrays that no dataset has", "Save the dataset again")
    arrays = {name: _load(folder / f"{name}.npy") for name in meta["arrays"]}
    classes = tuple(meta["classes"])
    return Dataset(
        X=_container(meta, arrays),
        names=tuple(meta["names"]),
        kinds=tuple(meta["kinds"]),
        y=_labels(arrays["target"], classes),
        task=meta["task"],
        classes=classes,
        fingerprint=meta["fingerprint"],
        notes=tuple((code, text) for code, text in meta["notes"]),
        group_names=tuple(meta["group_names"]),
        is_series=bool(meta["is_series"]),
        groups=arrays.get("groups"),
        time=arrays.get("time"),
        weights=arrays.get("weights"),
        strata=arrays.get("strata"),
    )


def _parts(data: Dataset) -> tuple[str, dict[str, AnyArray | None], list[tuple[str, ...]]]:
    """The container, its arrays, and the labels of its text columns."""
    X = data.X
    if isinstance(X, np.ndarray):
        return "array", {"X": X}, []
    if not hasattr(X, "iloc"):
        return "sparse", {"data": X.data, "indices": X.indices, "indptr": X.indptr}, []
    parts = {kind: _block(data, kind) for kind in BLOCKS}
    kinds = zip(data.names, data.kinds, strict=True)
    texts = [canonical(name, X[name]) for name, kind in kinds if kind in ("text", "category")]
    codes = np.ascontiguousarray([column.values for column in texts]) if texts else None
    return "frame", {**parts, "codes": codes}, [column.labels for column in texts]


def _block(data: Dataset, kind: str) -> AnyArray | None:
    names = [name for name, its_kind in zip(data.names, data.kinds, strict=True) if its_kind == kind]
    if not names:
        return None
    values = data.X[names].to_numpy()
    return np.ascontiguousarray(values.astype("datetime64[us]").view(np.int64) if kind == "date" else values)


def _load(path: Path) -> AnyArray:
    # A plain array over the map: subclasses of arrays surprise learners.
    return frozen(np.asarray(np.load(path, mmap_mode="r", allow_pickle=False)))


def _container(meta: dict[str, Any], arrays: dict[str, AnyArray]) -> Any:
    if meta["container"] == "array":
        return arrays["X"]
    if meta["container"] == "sparse":
        from scipy import sparse

        shape = (meta["rows"], len(meta["names"]))
        return sparse.csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape, copy=False)
    blocks = {kind: arrays.get(kind) for kind in BLOCKS}
    if blocks["date"] is not None:
        blocks["date"] = blocks["date"].view("datetime64[us]")
    kinds = [kind for kind in meta["kinds"] if kind in ("text", "category")]
    texts = [Column(kind, arrays["codes"][j], tuple(meta["labels"][j])) for j, kind in enumerate(kinds)]
    return frame_from_blocks(meta["names"], meta["kinds"], blocks, texts)


def _labels(target: AnyArray, classes: tuple[Any, ...]) -> AnyArray:
    """The target as it was, from codes and classes."""
    if not classes:
        return target
    kinds = {bool: np.bool_, int: np.int64}
    labels: AnyArray = np.array(classes, dtype=kinds.get(type(classes[0]), object))
    return np.asarray(frozen(labels[target]))
