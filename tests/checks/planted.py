"""93 leaks planted in real data sets, and the codes by which each may be found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from real_data import RealData, load

Plant = Callable[[RealData, np.random.Generator], RealData]


def _taken(data: RealData, rows: np.ndarray) -> RealData:
    roles = {role: values.iloc[rows].reset_index(drop=True) for role, values in data.roles.items()}
    return RealData(data.name, data.X.iloc[rows].reset_index(drop=True), data.y[rows], roles)


def _numbers(X: pd.DataFrame) -> list[str]:
    return [name for name in X if X[name].dtype.kind in "fi" and X[name].nunique() > 2]


def _noisy(X: pd.DataFrame, rng: np.random.Generator, share: float) -> pd.DataFrame:
    X = X.copy()
    for name in _numbers(X):
        X[name] = X[name] + share * X[name].std() * rng.normal(size=len(X))
    return X


def _noisy_target(y: np.ndarray, rng: np.random.Generator, share: float) -> np.ndarray:
    """A copy of the target with noise; of classes their codes."""
    numbers = y if y.dtype.kind == "f" else np.unique(y, return_inverse=True)[1].astype(float)
    return numbers + share * numbers.std() * rng.normal(size=len(y))


def some_rows_twice(data: RealData, rng: np.random.Generator) -> RealData:
    n = len(data.y)
    return _taken(data, rng.permutation(np.r_[np.arange(n), rng.choice(n, n // 10, replace=False)]))


def all_rows_twice(data: RealData, rng: np.random.Generator) -> RealData:
    return _taken(data, np.tile(np.arange(len(data.y)), 2))


def near_copies(data: RealData, rng: np.random.Generator) -> RealData:
    """A tenth of the rows once more, with a hundredth of a standard deviation of noise."""
    n = len(data.y)
    copies = _taken(data, rng.choice(n, n // 10, replace=False))
    X = pd.concat([data.X, _noisy(copies.X, rng, 0.01)], ignore_index=True)
    return _taken(RealData(data.name, X, np.r_[data.y, copies.y]), rng.permutation(len(X)))


def measured_thrice(data: RealData, rng: np.random.Generator) -> RealData:
    """Every row three times with a twentieth of a standard deviation of noise, in any order, and no id."""
    thrice = _taken(data, rng.permutation(np.tile(np.arange(len(data.y)), 3)))
    return RealData(data.name, _noisy(thrice.X, rng, 0.05), thrice.y)


def group_as_feature(data: RealData, rng: np.random.Generator) -> RealData:
    """The column of the groups stays among the features, under a name that says nothing, and is not declared."""
    labels = np.unique(data.roles["groups"], return_inverse=True)[1]
    codes = rng.permutation(labels.max() + 1)[labels] + 100
    return RealData(data.name, data.X.assign(v=codes), data.y)


def group_in_mixed_order(data: RealData, rng: np.random.Generator) -> RealData:
    return _taken(group_as_feature(data, rng), rng.permutation(len(data.y)))


def linear_copy(data: RealData, rng: np.random.Generator) -> RealData:
    """2 y + 1 with 2 % noise."""
    return RealData(data.name, data.X.assign(v=2 * _noisy_target(data.y, rng, 0.02) + 1), data.y)


def noisy_copy(data: RealData, rng: np.random.Generator) -> RealData:
    """The target with 20 % noise."""
    return RealData(data.name, data.X.assign(v=_noisy_target(data.y, rng, 0.2)), data.y)


def bent_copy(data: RealData, rng: np.random.Generator) -> RealData:
    """A monotone function of the target, with 5 % noise."""
    copy = _noisy_target(data.y, rng, 0.05)
    return RealData(data.name, data.X.assign(v=np.exp((copy - copy.mean()) / copy.std())), data.y)


def labels_with_flips(data: RealData, rng: np.random.Generator) -> RealData:
    """Other words for the classes, wrong in 2 % of rows."""
    codes = np.unique(data.y, return_inverse=True)[1]
    wrong = rng.random(len(codes)) < 0.02
    codes = np.where(wrong, rng.integers(0, codes.max() + 1, len(codes)), codes)
    return RealData(data.name, data.X.assign(v=np.array([f"type {chr(97 + c)}" for c in codes])), data.y)


def date_as_feature(data: RealData, rng: np.random.Generator) -> RealData:
    """Rows have a time, which stays among the features and is not declared; rows in mixed order."""
    time = data.roles["time"]
    return _taken(RealData(data.name, data.X.assign(day=time.to_numpy()), data.y), rng.permutation(len(data.y)))


def order_of_time(data: RealData, rng: np.random.Generator) -> RealData:
    """Rows are in the order of time, and nothing says so."""
    order = np.argsort(data.roles["time"].to_numpy(), kind="stable")
    return RealData(data.name, *(lambda one: (one.X, one.y))(_taken(data, order)))


def scaled(data: RealData, rng: np.random.Generator) -> RealData:
    X = data.X.copy()
    for name in _numbers(X):
        X[name] = (X[name] - X[name].mean()) / X[name].std(ddof=0)
    return RealData(data.name, X, data.y, data.roles)


def squeezed(data: RealData, rng: np.random.Generator) -> RealData:
    X = data.X.copy()
    for name in _numbers(X):
        X[name] = (X[name] - X[name].min()) / (X[name].max() - X[name].min())
    return RealData(data.name, X, data.y, data.roles)


def target_means(data: RealData, rng: np.random.Generator) -> RealData:
    """The first category with many values is replaced by the mean of the target in all rows."""
    numbers = pd.Series(_noisy_target(data.y, rng, 0.0))
    name = max(
        (c for c in data.X if data.X[c].dtype.kind == "O" or c in _numbers(data.X)), key=lambda c: _levels(data.X[c])
    )
    return RealData(
        data.name,
        data.X.assign(**{name: numbers.groupby(data.X[name].astype(str)).transform("mean")}),
        data.y,
        data.roles,
    )


def _levels(column: pd.Series) -> int:
    return column.nunique() if column.nunique() <= 100 else 0


def selected(data: RealData, rng: np.random.Generator) -> RealData:
    """The 20 columns most correlated with the target of 3000 columns of noise."""
    rows = rng.permutation(len(data.y))[:150]
    numbers = _noisy_target(data.y[rows], rng, 0.0)
    noise = rng.normal(size=(len(rows), 3000))
    best = np.argsort(-np.abs((noise - noise.mean(0)).T @ (numbers - numbers.mean()) / noise.std(0)))[:20]
    return RealData(data.name, pd.DataFrame(noise[:, np.sort(best)]).rename(columns="g{}".format), data.y[rows])


@dataclass(frozen=True)
class Kind:
    """A way to leak, the data sets it is planted in, and the codes that find it."""

    plant: Plant
    names: str
    codes: tuple[str, ...]
    severities: tuple[str, ...] = ("warn", "refuse")


DUPLICATES, NEAR, GROUPS, ORDER = (
    ("FW101",),
    ("FW101", "FW102"),
    ("FW103", "FW104", "FW105", "FW106"),
    ("FW105", "FW106"),
)
COPY = ("FW201", "FW202", "FW203")
NOTES = ("note", "warn", "refuse")
KINDS = (
    Kind(
        some_rows_twice,
        "iris wine breast_cancer diabetes star98 keel_sonar keel_pima keel_vehicle keel_phoneme hmda engel keel_german",
        DUPLICATES,
    ),
    Kind(all_rows_twice, "wine diabetes keel_crx slid_wages", DUPLICATES),
    Kind(
        near_copies,
        "wine breast_cancer diabetes star98 keel_sonar keel_vehicle keel_phoneme keel_saheart diamonds keel_pima",
        NEAR,
    ),
    Kind(measured_thrice, "wine breast_cancer diabetes digits keel_sonar keel_vehicle keel_pima star98", NEAR),
    Kind(group_as_feature, "hsb82 verb_agg wages_panel muscatine nlswork", GROUPS),
    Kind(group_in_mixed_order, "modechoice storms chem97 grunfeld chick_weight", GROUPS),
    Kind(linear_copy, "diabetes star98 diamonds slid_wages loans_rate", COPY),
    Kind(noisy_copy, "diabetes star98 diamonds ccard slid_wages iris wine", COPY),
    Kind(bent_copy, "diabetes star98 hsb82 chicago", COPY),
    Kind(
        labels_with_flips, "breast_cancer keel_pima keel_german wa_churn hmda penguins digits keel_contraceptive", COPY
    ),
    Kind(date_as_feature, "co2 chicago weather economics hotel_rates", ORDER),
    Kind(order_of_time, "chicago weather economics macrodata co2", (*ORDER, "FW206")),
    Kind(scaled, "iris wine breast_cancer keel_pima keel_vehicle keel_german", ("FW401",), NOTES),
    Kind(squeezed, "wine breast_cancer keel_sonar star98 keel_phoneme", ("FW401",), NOTES),
    Kind(target_means, "loans_rate keel_german", ("FW403",)),
)
SELECTED = Kind(selected, "iris diabetes", ("FW404",))
LEAKS = [(kind, name) for kind in (*KINDS, SELECTED) for name in kind.names.split()]


def planted(kind: Kind, name: str) -> RealData:
    """The data set with the leak."""
    return kind.plant(load(name), np.random.default_rng(len(name)))
