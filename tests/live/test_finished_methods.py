"""A page of a run that is under way (live/folds.py, live/state.py): methods that are finished have their risks."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from small_study import learners, rows

import foldwise as fw
from foldwise.api.watching import follow
from foldwise.executors.local.local_executor import LocalExecutor
from foldwise.executors.options import RunOptions


class Ending(LocalExecutor):
    """Ends when so many fits are done, as if the machine had been switched off."""

    def __init__(self, most):
        super().__init__(RunOptions(isolate=False))
        self.most, self.made = most, 0

    def run(self, runnable, fits):
        for records in super().run(runnable, fits) if self.made < self.most else ():
            self.made += len(records)
            yield records
            if self.made >= self.most:
                return


@pytest.fixture(autouse=True)
def _time_enough(monkeypatch):
    monkeypatch.setattr("foldwise.live.state.MOST_SECONDS", 60.0)


def test_most_methods_have_their_risk_while_the_dearest_runs(tmp_path):
    dear = fw.tune(RandomForestRegressor(n_estimators=2, random_state=0), max_depth=[1, 2, 3])
    specs, words = {"forest": dear, **learners()}, {"outer": 4, "inner": 3}
    whole = fw.compare(specs, *rows(), **words, jobs=1)
    fw.compare(specs, *rows(), **words, engine=Ending(0.85 * whole.fits), store=tmp_path / "run", progress=False)
    snapshot = follow(tmp_path / "run").snapshot()
    table = whole.table().set_index("method")

    assert 0.8 < snapshot.done / whole.fits < 0.95
    assert (snapshot.total, snapshot.phase) == (whole.fits, "stopped")
    risks = {row.name: (row.risk, row.low, row.high) for row in snapshot.rows if not row.is_partial}
    assert set(risks) == {"baseline", "plain", "ridge", "k-nn"}
    assert all(found == tuple(table.loc[name, ["risk", "low", "high"]]) for name, found in risks.items())


def test_finished_methods_are_worked_out_before_those_that_run(tmp_path, monkeypatch):
    """Where there is time for few folds at a look, those of finished methods are the first."""

    from foldwise.live import folds
    from foldwise.live.counts import Counts
    from foldwise.records.sqlite import SqliteStore
    from foldwise.studies.reading import Reading
    from foldwise.studies.stored import read_study

    fw.compare(learners(), *rows(), outer=4, inner=3, engine=Ending(30), store=tmp_path / "run", progress=False)
    store, looked = SqliteStore(tmp_path / "run", readonly=True), []
    counts = Counts(Reading(read_study(store), store))
    counts.add([fact for fact in store.facts() if fact.key])
    monkeypatch.setattr(folds, "_settle_stage", lambda counts, count, stage: looked.append(count))
    monkeypatch.setattr(folds, "_is_over", lambda counts, count: False)
    folds.update_folds(counts)
    left = [count.total - count.done for count in dict.fromkeys(looked)]
    assert left == sorted(left)
    assert np.ptp(left) > 0


def test_a_run_that_was_stopped_tells_its_findings_and_the_work_to_come(tmp_path):
    X, y = rows()
    X = np.column_stack([X, np.arange(len(y))])  # an identifier, which the guards find
    whole = fw.compare(learners(), X, y, outer=4, inner=3, jobs=1)
    fw.compare(learners(), X, y, outer=4, inner=3, engine=Ending(30), store=tmp_path / "run", progress=False)
    snapshot = follow(tmp_path / "run").snapshot()
    assert snapshot.phase == "stopped"
    assert snapshot.left > 0
    codes = {finding.code for finding in whole.findings}
    told = {words.split()[1].rstrip(":") for _, words in snapshot.findings}
    assert told
    assert told <= codes
