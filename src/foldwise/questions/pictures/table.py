"""What a table is like: columns by type, missing values, and the distribution of the target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.data.features import features
from foldwise.records.document import Document
from foldwise.records.store import Store
from foldwise.studies.study import Study

MOST_NAMED = 20  # columns with missing values that are kept by name
MOST_CLASSES = 20
BINS = 24


@dataclass(frozen=True)
class TableFacts:
    """Columns by type and where values are missing: counts and names, no value."""

    columns: int
    kinds: Mapping[str, int]
    missing: Mapping[str, int]
    columns_with_missing: int
    target: str


TABLE = Document("table", TableFacts, is_optional=True)


def table_facts(data: Dataset) -> dict[str, Any]:
    """Columns by type and where values are missing: counts and names, no value.

    >>> from foldwise.data.dataset import make_dataset
    >>> table_facts(make_dataset([[1.0, 2.0], [np.nan, 3.0]], ["no", "yes"]))["missing"]
    {'x0': 1}
    """
    counts = {column.name: int(column.missing.sum()) for column in features(data)}
    most = sorted((name for name in counts if counts[name]), key=lambda name: (-counts[name], name))
    return {
        "columns": data.columns,
        "kinds": dict(sorted(Counter(data.kinds).items())),
        "missing": {name: counts[name] for name in most[:MOST_NAMED]},
        "columns_with_missing": len(most),
        "target": data.target_name,
    }


def write_table(store: Store, data: Dataset) -> None:
    """Keep the facts of the table, for pages that are made later without it."""
    TABLE.write(store, TableFacts(**table_facts(data)))


def read_table(store: Store) -> dict[str, Any] | None:
    """The facts of the table of a store."""
    facts = TABLE.read(store)
    return None if facts is None else asdict(facts)


def target_facts(study: Study) -> dict[str, Any] | None:
    """Rows of every class, or a histogram of the numbers between their ends."""
    if study.task != "regression":
        counts = np.bincount(np.asarray(study.target, int), minlength=len(study.classes)).tolist()
        order = sorted(range(len(counts)), key=lambda at: -counts[at])[:MOST_CLASSES]
        return {
            "classes": [[str(study.classes[at]), counts[at]] for at in order],
            "rows": study.rows,
            "left": max(0, len(counts) - MOST_CLASSES),
        }
    values = np.asarray(study.target, np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        return None
    counts, edges = np.histogram(values, bins=BINS)
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    return {
        "edges": [float(edge) for edge in edges],
        "counts": counts.tolist(),
        "quartiles": [float(low), float(middle), float(high)],
        "mean": float(values.mean()),
    }
