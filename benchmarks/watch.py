"""What watching costs a run: the same study with no page open, and with fifty, side by side.

python benchmarks/watch.py [--pages 50] [--pairs 5]

Pairs of runs are made one after the other, the order changing from pair to pair, so that a machine that is busy with
other things is so for both. A run is a process of its own; its processor time and its wall time are compared.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import httpx

from foldwise.api.watching import start_page

STUDY = """
import sys
import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
import foldwise as fw
rng = np.random.default_rng(0)
X = rng.normal(size=(400, 8))
y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=400)
learners = {
    "forest": fw.tune(RandomForestRegressor(20, max_depth=5), min_samples_leaf=[1, 4, 16]),
    "ridge": fw.tune(Ridge(), alpha=fw.log_range(1e-3, 1e3, 30)),
    "k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=range(1, 31)),
}
result = fw.compare(learners, X, y, outer=6, inner=3, jobs=1, isolate=False, solvers=False, store=sys.argv[1])
"""


class Pages:
    """Open pages that read all they are told."""

    def __init__(self, url: str, count: int) -> None:
        self.url, self.count, self.messages = url, count, 0
        self._thread = threading.Thread(target=lambda: asyncio.run(self._read()), daemon=True)
        self._stop = threading.Event()
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(10)

    async def _read(self) -> None:
        limits = httpx.Limits(max_connections=self.count + 1)
        async with httpx.AsyncClient(timeout=None, limits=limits) as client:
            pages = [asyncio.create_task(self._page(client)) for _ in range(self.count)]
            while not self._stop.is_set():
                await asyncio.sleep(0.1)
            for page in pages:
                page.cancel()
            await asyncio.gather(*pages, return_exceptions=True)

    async def _page(self, client: httpx.AsyncClient) -> None:
        shown = 0
        while True:  # as the script of the page does
            state = (await client.get(f"{self.url}state")).json()
            self.messages += 1
            if state["report"] != shown:
                shown = state["report"]
                await client.get(f"{self.url}report")
            await asyncio.sleep(1.0)


def run(pages: int) -> dict[str, float]:
    """One run, with so many pages open from before its beginning to its end."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "run"
        beside = start_page(store) if pages else None
        opened = Pages(beside.url, pages) if beside else None
        if opened:
            while opened.messages < pages:  # all of them are there
                time.sleep(0.1)
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run([sys.executable, "-c", STUDY, str(store)], check=True)
        wall = time.perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        found = {"wall": wall, "cpu": cpu, "messages": opened.messages / pages if opened else 0}
        if beside and opened:
            opened.close()
            beside.process.kill()
            beside.process.wait()
            page = resource.getrusage(resource.RUSAGE_CHILDREN)
            found["page"] = page.ru_utime + page.ru_stime - after.ru_utime - after.ru_stime
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--pairs", type=int, default=5)
    words = parser.parse_args()
    ratios: dict[str, list[float]] = {"wall": [], "cpu": []}
    for pair in range(words.pairs):
        order = (0, words.pages) if pair % 2 else (words.pages, 0)
        found = {pages: run(pages) for pages in order}
        alone, watched = found[0], found[words.pages]
        for name, values in ratios.items():
            values.append(watched[name] / alone[name])
        shown = {name: {"alone": round(alone[name], 2), "watched": round(watched[name], 2)} for name in ratios}
        print(
            json.dumps(
                {
                    "pair": pair,
                    **shown,
                    "messages a page": round(watched["messages"], 1),
                    "cpu of the page": round(watched["page"], 2),
                }
            ),
            flush=True,
        )
    medians = {name: round(statistics.median(values), 3) for name, values in ratios.items()}
    print(json.dumps({"pages": words.pages, "pairs": words.pairs, "median ratio, watched to alone": medians}))


if __name__ == "__main__":
    main()
