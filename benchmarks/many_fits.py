"""What a study of very many fits costs beside the fits: memory, time per fit, size of the store.

    python benchmarks/many_fits.py [--fits 100000] [--learners 50] [--rows 100] [--jobs 2]

The learners predict a quantile of the target, which takes next to no time, so that what is left is ours.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

OUTER, INNER = 10, 5


def candidates_for(fits: int, learners: int) -> int:
    """Candidates of each learner, so that nested 10 x 5 CV and the final tuning make about so many fits."""
    return max(2, round(fits / learners / (OUTER * INNER + INNER)))


def main() -> None:
    from sklearn.dummy import DummyRegressor

    import foldwise as fw

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("fits", 100_000), ("learners", 50), ("rows", 100), ("jobs", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(asked.rows, 3)), rng.normal(size=asked.rows)
    values = np.linspace(0.05, 0.95, candidates_for(asked.fits, asked.learners)).round(6).tolist()
    learners = {
        f"quantile {k}": fw.tune(DummyRegressor(strategy="quantile", constant=k), quantile=values)
        for k in range(asked.learners)
    }
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        options = {"outer": OUTER, "inner": INNER, "budget": len(values), "jobs": asked.jobs, "progress": False}
        answer = fw.compare(learners, X, y, store=f"{folder}/run", **options).to_dict()
        seconds = time.perf_counter() - begun
        size = sum(file.stat().st_size for file in Path(folder, "run").iterdir())
        again = time.perf_counter()
        fw.load(f"{folder}/run").to_dict()
        again = time.perf_counter() - again
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    fits = answer["fits_made"]
    print(f"{fits:,} fits of {asked.learners} learners on {asked.rows} rows, {asked.jobs} workers: {seconds:.0f} s")
    own, workers = (sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"{1000 * seconds / fits:.2f} ms per fit ({1000 * (own + workers) / fits:.2f} ms of processors)")
    print(f"peak memory of the coordinator {peak:.0f} MB")
    print(f"store {size / 2**20:.0f} MB ({size / fits:.0f} bytes per fit), loaded and answered again in {again:.1f} s")


if __name__ == "__main__":
    main()
