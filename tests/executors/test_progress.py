"""The line of progress, where there is no stream to write it to."""

from __future__ import annotations

import sys

from foldwise.executors.progress import Progress


def test_a_process_without_stderr_shows_no_progress(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with Progress() as progress:
        assert not progress.shown
