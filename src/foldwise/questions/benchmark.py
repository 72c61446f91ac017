"""The same study over several data sets: risks side by side, and average ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foldwise.errors import FoldwiseError
from foldwise.questions.study_file import StudySpec


def benchmark(studies: Mapping[str, StudySpec], *, progress: Any = None) -> dict[str, Any]:
    """Run each study; gives every answer, and per method its risks and mean rank."""
    answers = {name: _answer(name, study, progress) for name, study in studies.items()}
    return {
        "datasets": [{"data": name, **answer} for name, answer in answers.items()],
        "methods": mean_ranks({name: _risks(answer) for name, answer in answers.items()}),
    }


def mean_ranks(risks: Mapping[str, Mapping[str, float | None]]) -> list[dict[str, Any]]:
    """Methods by mean rank (1 is best, ties share); one without a risk on every data set has no rank.

    >>> ranks = mean_ranks({"a": {"ridge": 0.1, "tree": 0.2}, "b": {"ridge": 3.0, "tree": 3.0}})
    >>> [(method["name"], method["mean_rank"]) for method in ranks]
    [('ridge', 1.25), ('tree', 1.75)]
    """
    names = list(dict.fromkeys(name for on_data in risks.values() for name in on_data))
    ranked = [name for name in names if all(on_data.get(name) is not None for on_data in risks.values())]
    methods = []
    for name in names:
        ranks = [_rank(name, ranked, on_data) for on_data in risks.values()] if name in ranked else []
        by_data = {data: on_data.get(name) for data, on_data in risks.items()}
        methods.append({"name": name, "mean_rank": sum(ranks) / len(ranks) if ranks else None, "risks": by_data})
    return sorted(methods, key=lambda method: (method["mean_rank"] is None, method["mean_rank"] or 0.0))


def _answer(name: str, study: StudySpec, progress: Any) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = study.run(progress=progress).to_dict()
    except FoldwiseError as error:
        # With several data sets a sentence must say which one it is about.
        raise type(error)(f"{name}: {error.problem}", error.remedy) from error
    return answer


def _risks(answer: Mapping[str, Any]) -> dict[str, float | None]:
    return {method["name"]: method["risk"] for method in answer["methods"]}


def _rank(name: str, names: list[str], risks: Mapping[str, Any]) -> float:
    below = sum(risks[other] < risks[name] for other in names)
    equal = sum(risks[other] == risks[name] for other in names)
    return float(below + (equal + 1) / 2)
