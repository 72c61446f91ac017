"""Cases of FW3xx."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from rows_cases import codes, table

import foldwise as fw


def classes(rare: int, **options: Any) -> list[str]:
    X, _ = table(100)
    y = np.where(np.arange(100) < rare, "rare", np.where(np.arange(100) % 2, "a", "b"))
    return codes(X, y, **options)


def one_fold_alone(is_alone: bool) -> list[str]:
    """Do all rows of a class stand in one fold?"""
    X, _ = table(100)
    labels = np.arange(100) % 5
    y = np.where(labels == 0 if is_alone else np.arange(100) % 7 == 0, "c", np.where(np.arange(100) % 2, "a", "b"))
    return fw.check(["logistic"], X, y, outer=labels).codes


def group_of(share: float) -> list[str]:
    X, y = table(120)
    return codes(X, y, groups=np.where(np.arange(120) < share * 120, 0, np.arange(120) // 6 + 1))


def by_row_order(is_mixed: bool) -> list[str]:
    X, y = table(120)
    days = pd.date_range("2024-01-01", periods=120).to_numpy()
    days = np.random.default_rng(0).permutation(days) if is_mixed else days
    frame = pd.DataFrame(X).rename(columns="x{}".format).assign(day=days)
    return fw.check(["linear"], frame, y, outer=fw.TimeOrdered(4)).codes


def tuned_on(inner: Any) -> list[str]:
    X, y = table(120)
    return fw.check(["ridge"], X, y, outer=5, inner=inner).codes


FIRES = {
    "FW301": lambda: one_fold_alone(True),
    "FW302": lambda: group_of(0.7),
    "FW303": lambda: by_row_order(True),
    "FW305": lambda: classes(6),
    "FW306": lambda: tuned_on("dev"),
}
SILENT = {
    "FW301": lambda: one_fold_alone(False),
    "FW302": lambda: group_of(0.1),
    "FW303": lambda: by_row_order(False),
    "FW305": lambda: classes(20),
    "FW306": lambda: tuned_on(5),
}
