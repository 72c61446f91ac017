"""What `fw.benchmark` says of equal methods: how often is each sentence false?

python benchmarks/claims.py                     2 to 12 data sets x 2 to 6 methods
python benchmarks/claims.py --replications 200  a quick look

The risks are made up, and the sentences are those that are printed. Every claim may be false in 5 of 100 benchmarks.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from foldwise.api.benchmark_result import Benchmark
from foldwise.questions.benchmark_answer import Entry, Terms
from foldwise.questions.benchmark_report import benchmark_verdict

SETS, METHODS = (2, 3, 4, 5, 6, 8, 10, 12), (2, 3, 4, 5, 6)
CLAIMS = {
    "the methods differ by more than chance": r"^The methods differ by more than chance",
    "a is better than b": r" (is|are) better than ",  # also what is said with a probability
}
PICTURE = "the picture leaves two methods apart"
CONTRADICTION = "one sentence takes back another"


class Rate(NamedTuple):
    """How often something was said of equal methods: on average, and in the worst of all sizes of benchmarks."""

    claim: str
    mean: float
    worst: float
    where: str


def false_claims(
    sets: int, methods: int, *, replications: int = 1000, seed: int = 0, is_tied: bool = False
) -> dict[str, float]:
    """The share of benchmarks of equal methods in which each claim is made."""
    rng = np.random.default_rng([seed, sets, methods, is_tied])
    counts = dict.fromkeys([*CLAIMS, PICTURE, CONTRADICTION], 0)
    for _ in range(replications):
        answer = made_up(equal_risks(rng, sets, methods, is_tied=is_tied)).to_dict()
        said = benchmark_verdict(answer)
        for claim, words in CLAIMS.items():
            counts[claim] += any(re.search(words, sentence) for sentence in said)
        joined = answer["nemenyi"]["groups"] if answer["nemenyi"] else []
        counts[PICTURE] += max(map(len, joined), default=0) < methods
        counts[CONTRADICTION] += is_taken_back(said)
    return {claim: count / replications for claim, count in counts.items()}


def is_taken_back(said: Sequence[str]) -> bool:
    """Does one sentence claim a difference, and another that there is none, or that none could be shown?"""
    words = " ".join(said)
    is_claimed = any(re.search(claim, sentence) for claim in CLAIMS.values() for sentence in said)
    return is_claimed and ("The order may be chance" in words or "could not have shown a difference" in words)


def equal_risks(rng: np.random.Generator, sets: int, methods: int, *, is_tied: bool) -> np.ndarray:
    """Risks[data set, method] of methods that differ by chance alone; error rates of 50 rows where ties are wanted."""
    level = rng.gamma(4, size=(sets, 1))
    risks = level * np.exp(0.1 * rng.normal(size=(sets, methods)))
    return np.maximum(1, np.round(5 * risks)) / 50 if is_tied else risks


def made_up(risks: np.ndarray) -> Benchmark:
    """A benchmark with these risks."""
    return Benchmark(list(_entries(risks)), {}, Terms())


def _entries(risks: np.ndarray) -> Iterator[Entry]:
    for at, row in enumerate(risks.tolist()):
        names = {**{f"m{place}": risk for place, risk in enumerate(row)}, "baseline": 2 * max(row)}
        rows: list[dict[str, Any]] = [{"name": name, "status": "ok", "risk": risk} for name, risk in names.items()]
        answer = {"methods": rows, "loss": "squared", "task": "regression", "rows": 50, "best": "m0"}
        yield Entry(f"set {at}", "ok", {**answer, "fits": 0, "fits_made": 0, "seconds": 0.0})


def worst_rates(*, replications: int = 1000, seed: int = 0) -> list[Rate]:
    """Each claim with its mean and its largest rate over all sizes."""
    found = {
        f"{sets} data sets x {methods} methods{', ties' if is_tied else ''}": false_claims(
            sets, methods, replications=replications, seed=seed, is_tied=is_tied
        )
        for sets, methods, is_tied in product(SETS, METHODS, (False, True))
    }
    worst = {claim: max(found, key=lambda where: found[where][claim]) for claim in next(iter(found.values()))}
    means = {claim: float(np.mean([rates[claim] for rates in found.values()])) for claim in worst}
    return [Rate(claim, means[claim], found[where][claim], where) for claim, where in worst.items()]


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replications", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(words)
    error = (0.05 * 0.95 / asked.replications) ** 0.5
    print(f"{asked.replications} benchmarks of each size; a rate of 0.05 has an error of {error:.3f}\n")
    print("| what is said of equal methods | mean rate | largest rate | where |\n| --- | --- | --- | --- |")
    for rate in worst_rates(replications=asked.replications, seed=asked.seed):
        print(f"| {rate.claim} | {rate.mean:.3f} | {rate.worst:.3f} | {rate.where} |")


if __name__ == "__main__":
    main()
