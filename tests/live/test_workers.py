"""The processes that fit for a run."""

from __future__ import annotations

from foldwise.live.workers import workers


def test_workers_are_the_children_of_the_children(tmp_path):
    tree = {10: "11 12", 11: "", 12: "13 14 15", 13: "99"}
    for process, children in tree.items():
        folder = tmp_path / str(process) / "task" / str(process)
        folder.mkdir(parents=True)
        (folder / "children").write_text(f"{children} ")
    assert workers(10, processes=tmp_path) == 3
    assert workers(11, processes=tmp_path) == 0
    assert workers(77, processes=tmp_path) is None
    assert workers(None, processes=tmp_path) is None
