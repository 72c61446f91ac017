"""Looking at tables with the checks that `compare` makes before its fits, without those that make fits of their own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd

from foldwise.api.request import request
from foldwise.checks.checking import find
from foldwise.checks.subject import Subject
from foldwise.data.dataset import make_dataset
from foldwise.studies.finding import Findings


def quick(learners: Any, X: Any, y: Any, **options: Any) -> Findings:
    asked = request(learners, X, y, **options)
    return find(asked.study(), asked.checking)


def told(**columns: Any) -> list[str]:
    """The codes that name one of these columns, added to a table of noise."""
    from rows_cases import table

    X, y = table()
    frame = pd.DataFrame(X).rename(columns="x{}".format).assign(**columns)
    return [finding.code for finding in quick(["linear"], frame, y, outer=5) if set(finding.columns) & set(columns)]


def subject_of(X: Any, y: Any) -> Subject:
    """What the checks see of a table alone."""
    return Subject(SimpleNamespace(data=make_dataset(X, y), study=SimpleNamespace(outer=None), learners=()))  # type: ignore[arg-type]
