"""A benchmark's protocol as a paragraph for a paper: what was compared on which data, how, and by which software."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foldwise.blocks.numbers import listed, number, plain

Answer = Mapping[str, Any]
DEMSAR = (
    "Demšar J. (2006). Statistical comparisons of classifiers over multiple data sets. "
    "Journal of Machine Learning Research 7, 1-30."
)
HOLM = (
    "Holm S. (1979). A simple sequentially rejective multiple test procedure. "
    "Scandinavian Journal of Statistics 6, 65-70."
)
IMAN = (
    "Iman R. L., Davenport J. M. (1980). Approximations of the critical region of the Friedman statistic. "
    "Communications in Statistics 9, 571-595."
)


def benchmark_paragraph(answer: Answer) -> str:
    """The protocol of a benchmark in sentences that are true of it."""
    return " ".join([*_data(answer), *_judged(answer), *_compared(answer), *_software(answer)])


def benchmark_references(answer: Answer) -> list[str]:
    """The references of the paragraph."""
    found = [DEMSAR] if answer.get("friedman") or answer.get("pairs") else []
    found += [IMAN] if answer.get("friedman") else []
    found += [HOLM] if any(pair["p"] is not None for pair in answer["pairs"]) else []
    return sorted(found)


def _data(answer: Answer) -> list[str]:
    counted = [data for data in answer["datasets"] if data["counted"]]
    left = len(answer["datasets"]) - len(counted)
    methods = [method["name"] for method in answer["methods"] if method["compared"]]
    sizes = [data["rows"] for data in counted if data.get("rows")]
    if not counted or not sizes:
        return ["No data set has the risks of two methods."]
    rows = number(min(sizes)) if min(sizes) == max(sizes) else f"{number(min(sizes))} to {number(max(sizes))}"
    words = f"{len(methods)} methods ({listed(methods)}) were compared on {len(counted)} data sets of {rows} rows"
    words += f" ({plain(', '.join(answer['tasks']))})." if answer["tasks"] else "."
    rest = f"{left} more {'was' if left == 1 else 'were'} left out: see the table of data sets."
    return [words, rest] if left else [words]


def _judged(answer: Answer) -> list[str]:
    """How each data set was cut, where all agree on it."""
    studies = [data["answer"] for data in answer["datasets"] if data["counted"] and data["answer"]]
    outer, inner = ({plain(study.get(key) or "") for study in studies} - {""} for key in ("outer", "inner"))
    found = []
    if outer:
        found.append(
            f"On each, the risk of every method was estimated on rows held out ({' or '.join(sorted(outer))})."
        )
    if inner:
        found.append(f"Tuning was repeated inside every training part ({' or '.join(sorted(inner))}).")
    losses = ", ".join(map(plain, answer["losses"]))
    return [*found, f"The loss was {losses}."] if losses else found


def _compared(answer: Answer) -> list[str]:
    found = ["Methods were ranked within each data set and their ranks averaged."]
    test = answer.get("friedman")
    if test:
        ways = {"counting": "over all permutations of the ranks", "F": "by Iman and Davenport's F"}
        how = ways.get(str(test.get("exact_by")), "over drawn permutations of the ranks")
        found.append(f"Equality of all methods was tested by Friedman's test {how}.")
    if any(pair["p"] is not None for pair in answer["pairs"]):
        over = f"the pairs with {plain(answer['control'])}" if answer.get("control") else "all pairs"
        found.append(f"Pairs were compared by Friedman's test of two, with Holm's correction over {over}.")
    return found


def _software(answer: Answer) -> list[str]:
    versions = dict(answer.get("versions") or {})
    own = versions.pop("foldwise", None)
    others = ", ".join(f"{plain(name)} {plain(version)}" for name, version in sorted(versions.items()))
    words = f"All was done with Foldwise{f' {plain(own)}' if own else ''}{f' ({others})' if others else ''}"
    return [f"{words}; {number(answer.get('fits'))} fits, seed {plain(answer.get('seed'))}."]
