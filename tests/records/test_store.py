"""What is said of a result whose store has gone since."""

from __future__ import annotations

import shutil

import foldwise as fw


def test_a_result_answers_after_its_store_was_removed(tmp_path):
    run = tmp_path / "run"
    result = fw.compare(["linear"], "diabetes", outer=3, store=run, jobs=1, guards=False)
    shutil.rmtree(run)
    method = result.to_dict()["methods"][0]
    assert method["risk"] > 0
    assert method["importance"] is None
    assert "linear" in str(result)
