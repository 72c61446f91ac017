"""Do the intervals of forecasts hold? Simulated series with known truth.

python benchmarks/time_order.py --write docs/time-order.md    the tables of the page, which take about 10 minutes
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize, signal

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval
from foldwise.stats.long_run import hac, long_run

Noise = Callable[[np.random.Generator, int, int], FloatArray]
BURN = 200
LENGTHS, STEPS, TOGETHER = (50, 100, 200, 500), (1, 2, 3, 4, 5), (0.0, 0.5, 0.8)
COVERED = ("normal", "heavy tails", "changing variance", "bursts")
BLOCKS = ((10, 5), (8, 12), (20, 5), (5, 20), (20, 12))  # folds x horizon
DOUBTFUL, AGAIN = 0.06, 4  # a rate that is simulated once more, with so many times the series
HEAD = "<!-- measured -->"


class Counts(NamedTuple):
    """How many series were simulated, how many had an interval, and in how many of these the truth was outside."""

    series: int
    answered: int
    missed: int
    hln_missed: int
    width: float  # of the interval over that of the known variance

    @property
    def rate(self) -> float:
        """Of all series: a refusal claims nothing."""
        return self.missed / self.series

    @property
    def rate_answered(self) -> float:
        return self.missed / self.answered if self.answered else math.nan


def normal(rng: np.random.Generator, count: int, times: int) -> FloatArray:
    return rng.standard_normal((count, times))


def heavy_tails(rng: np.random.Generator, count: int, times: int) -> FloatArray:
    """Student's t with 5 degrees of freedom, of variance 1."""
    return rng.standard_t(5, (count, times)) * math.sqrt(3 / 5)


def changing_variance(rng: np.random.Generator, count: int, times: int, last: float = 0.1) -> FloatArray:
    """Variance that follows the last squares: a GARCH(1, 1) of 0.1 and 0.8, of variance 1."""
    noise, variance = rng.standard_normal((count, times)), np.ones(count)
    for at in range(times):
        noise[:, at] *= np.sqrt(variance)
        variance = 0.2 - last + last * noise[:, at] ** 2 + 0.8 * variance
    return noise


def bursts(rng: np.random.Generator, count: int, times: int) -> FloatArray:
    """The same with 0.15, whose bursts last long and whose fourth moment is nearly infinite."""
    return changing_variance(rng, count, times, last=0.15)


def loud_end(rng: np.random.Generator, count: int, times: int) -> FloatArray:
    """Three times the standard deviation in the last third of the times that are tested."""
    noise = rng.standard_normal((count, times))
    noise[:, -((times - BURN) // 3) :] *= 3
    return noise


NOISES: dict[str, Noise] = {
    "normal": normal,
    "heavy tails": heavy_tails,
    "changing variance": changing_variance,
    "bursts": bursts,
    "loud end": loud_end,
}


def autoregressive(noise: FloatArray, coefficient: float) -> FloatArray:
    """x[t] = coefficient x[t - 1] + noise[t], after its start."""
    return np.asarray(signal.lfilter([1.0], [1.0, -coefficient], noise, axis=1)[:, BURN:])


def ahead(series: FloatArray, steps: int) -> FloatArray:
    """Sums over so many times, as errors of forecasts several steps ahead share their noise."""
    sums = np.cumsum(np.pad(series, ((0, 0), (1, 0))), axis=1)
    return sums[:, steps:] - sums[:, :-steps]


def coefficient_for(together: float, steps: int) -> float:
    """The autoregression at which neighbours of such sums correlate by `together`, at least 0."""
    lags = np.arange(-steps - 1, steps + 2)
    weights = np.maximum(steps - np.abs(lags), 0)

    def correlation(coefficient: float) -> float:
        powers = [float(weights @ coefficient ** np.abs(lags + lag)) for lag in (0, 1)]
        return powers[1] / powers[0] - together

    return 0.0 if correlation(0.0) >= 0 else float(optimize.brentq(correlation, 0.0, 0.999))


def differentials(
    rng: np.random.Generator, kind: str, count: int, times: int, steps: int, together: float
) -> FloatArray:
    """Loss differentials[series, time] of two forecasts of equal worth: their mean is 0.

    "squared errors" are those of two forecasts with normal errors of their own; the others are autoregressions.
    """
    if kind == "squared errors":
        coefficient = coefficient_for(math.sqrt(together), steps)
        size = (count, times + steps - 1 + BURN)
        one, other = (ahead(autoregressive(rng.standard_normal(size), coefficient), steps) for _ in range(2))
        return one**2 - other**2
    noise = NOISES[kind](rng, count, times + steps - 1 + BURN)
    return ahead(autoregressive(noise, coefficient_for(together, steps)), steps)


def block_differentials(rng: np.random.Generator, count: int, folds: int, horizon: int) -> FloatArray:
    """Loss differentials of two forecasts that err by as much, one high and one low, from one origin in every fold.

    The series is an autoregression of 0.9, so the errors grow and hang together within a fold.
    """
    noise = rng.standard_normal((count * folds, horizon))
    errors = np.asarray(signal.lfilter([1.0], [1.0, -0.9], noise, axis=1))
    return errors.reshape(count, folds * horizon)


def judge(
    series: FloatArray, truth: float, *, steps: int, formula: Callable[..., Any] = long_run, level: float = 0.95
) -> Counts:
    """How often the interval of series[i] misses the truth, and that of Harvey, Leybourne and Newbold alone."""
    answered = missed = hln_missed = 0
    widths = []
    for one in series:
        try:
            found = formula(one, steps=steps, level=level)
        except BadInterval:
            continue
        answered += 1
        missed += not found.low <= truth <= found.high
        hln_missed += getattr(found, "hln_p", 1.0) < 1 - level
        widths.append(found.high - found.low)
    oracle = 2 * 1.96 * float(series.mean(axis=1).std())
    return Counts(len(series), answered, missed, hln_missed, float(np.mean(widths)) / oracle if widths else math.nan)


def sizes(
    count: int, lengths: Sequence[int] = LENGTHS, kinds: Sequence[str] = (*NOISES, "squared errors")
) -> Iterator[tuple[str, int, int, float, Counts]]:
    """Forecasts of equal worth: kind of noise, times, steps ahead, correlation of neighbours, and the counts."""
    for number, (times, kind, steps) in enumerate((t, k, s) for t in lengths for k in kinds for s in STEPS):
        rng = np.random.default_rng([17, number])
        usual = (steps - 1) / steps
        for together in sorted({max(usual, one) for one in TOGETHER}):
            series = differentials(rng, kind, count, times, steps, together)
            counts = judge(series, 0.0, steps=steps)
            if counts.rate > DOUBTFUL:  # the largest of so many rates is large by chance: once more, with new series
                series = differentials(rng, kind, AGAIN * count, times, steps, together)
                counts = judge(series, 0.0, steps=steps)
            yield kind, times, steps, together, counts


def strong(count: int) -> Iterator[tuple[int, float, Counts]]:
    """The same beyond what is promised: times, correlation of neighbours."""
    for number, (times, together) in enumerate((t, r) for t in LENGTHS for r in (0.9, 0.95)):
        series = differentials(np.random.default_rng([19, number]), "normal", count, times, 1, together)
        yield times, together, judge(series, 0.0, steps=1)


def blocks(count: int) -> Iterator[tuple[int, int, Counts]]:
    """Forecasts of equal worth from one origin in every fold: folds, horizon."""
    for number, (folds, horizon) in enumerate(BLOCKS):
        series = block_differentials(np.random.default_rng([23, number]), count, folds, horizon)
        yield folds, horizon, judge(series, 0.0, steps=horizon)


def mean_losses(count: int, lengths: Sequence[int] = LENGTHS) -> Iterator[tuple[str, str, int, float, Counts]]:
    """Mean losses of one forecast: noise, loss, times, correlation of its errors, and the counts."""
    losses: dict[str, Callable[[FloatArray], FloatArray]] = {"squared": np.square, "absolute": np.abs}
    cases = [(n, times, r) for n in COVERED for times in lengths for r in (0, 0.5, 0.8)]
    for number, (noise, times, together) in enumerate(cases):
        rng = np.random.default_rng([29, number])
        errors = autoregressive(NOISES[noise](rng, count, times + BURN), together)
        for name, loss in losses.items():
            long = autoregressive(NOISES[noise](rng, 2000, 2000 + BURN), together)
            yield (
                noise,
                name,
                times,
                together,
                judge(loss(errors), float(loss(long).mean()), steps=1, formula=hac),
            )


def tables(count: int) -> str:
    """The tables of the page in Markdown."""
    found = list(sizes(count))
    parts = [
        f"{time.strftime('%d %B %Y')}, {count:,} series in every row (a share of 0.05 has a standard error of "
        f"{math.sqrt(0.05 * 0.95 / count):.3f}); rows of the first table above {DOUBTFUL} were simulated again, with "
        f"{AGAIN * count:,} new series.",
        "### Forecasts of equal worth: how often they are called different at 5 %",
        _size_table(found),
        "### Beyond the promise: neighbours that correlate by 0.9 and 0.95, normal noise",
        "| times | correlation | called different | refused | HLN alone |\n| ---: | ---: | ---: | ---: | ---: |\n"
        + "\n".join(
            f"| {times} | {together} | {c.rate:.3f} | {1 - c.answered / c.series:.2f} | {_hln(c)} |"
            for times, together, c in strong(count)
        ),
        "### Several steps from one origin in every fold",
        "| folds x horizon | called different | refused | HLN alone |\n| ---: | ---: | ---: | ---: |\n"
        + "\n".join(
            f"| {folds} x {horizon} | {c.rate:.3f} | {1 - c.answered / c.series:.2f} | {_hln(c)} |"
            for folds, horizon, c in blocks(count)
        ),
        "### The mean loss: coverage of the 95 % interval",
        _coverage_table(list(mean_losses(count))),
    ]
    return "\n\n".join(parts)


def _hln(counts: Counts) -> str:
    return f"{counts.hln_missed / counts.answered:.3f}" if counts.answered else "-"


def _size_table(found: Sequence[tuple[str, int, int, float, Counts]]) -> str:
    """The worst and the mean over steps ahead, by noise, length and correlation."""
    lines = [
        "| noise | times | correlation | called different, worst over 1 to 5 steps | refused, most | HLN alone, worst "
        "| width / oracle, at 1 step |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    keys = list(dict.fromkeys((kind, times, _band(together)) for kind, times, _, together, _ in found))
    for kind, times, band in keys:
        cells = [(s, c) for k, t, s, r, c in found if (k, t, _band(r)) == (kind, times, band)]
        counts = [c for _, c in cells]
        refused = max(1 - c.answered / c.series for c in counts)
        hln = max(c.hln_missed / max(c.answered, 1) for c in counts)
        width = next((f"{c.width:.2f}" for s, c in cells if s == 1), "-")
        worst = max(c.rate for c in counts)
        lines.append(f"| {kind} | {times} | {band} | {worst:.3f} | {refused:.2f} | {hln:.3f} | {width} |")
    worst = max(c.rate for *_, c in found)
    return "\n".join([*lines, "", f"Worst of all {len(found)} rows: {worst:.3f}."])


def _band(together: float) -> str:
    return "0" if together == 0 else "0.5" if together <= 0.5 else "0.67 to 0.8"


def _coverage_table(found: Sequence[tuple[str, str, int, float, Counts]]) -> str:
    lines = [
        "| errors | loss | their correlation | " + " | ".join(f"{times} times" for times in LENGTHS) + " |",
        "| --- | --- | ---: |" + " ---: |" * len(LENGTHS),
    ]
    keys = list(dict.fromkeys((noise, loss, together) for noise, loss, _, together, _ in found))
    for key in keys:
        cells = {times: c for noise, loss, times, r, c in found if (noise, loss, r) == key}
        shown = [
            f"{1 - cells[t].rate_answered:.3f}" if t in cells and cells[t].answered else "refused" for t in LENGTHS
        ]
        lines.append(f"| {key[0]} | {key[1]} | {key[2]} | {' | '.join(shown)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="series in every row")
    parser.add_argument("--write", type=Path, help="the page whose tables are made again")
    asked = parser.parse_args()
    text = tables(asked.count)
    if asked.write is None:
        print(text)
        return
    before, _, _ = asked.write.read_text().partition(HEAD)
    asked.write.write_text(f"{before}{HEAD}\n{text}\n")


if __name__ == "__main__":
    main()
