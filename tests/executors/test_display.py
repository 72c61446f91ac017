"""Where progress is shown: a terminal's line and a place in a notebook."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

from foldwise.executors.display import NotebookLines, TerminalLine, in_notebook


def screen(text, width=40):
    """What a terminal shows of a text."""
    rows = []
    for line in text.split("\n"):
        shown = [" "] * width
        for part in line.split("\r"):
            shown[: len(part)] = part
        rows.append("".join(shown).rstrip())
    return rows


def test_a_line_is_written_over_and_what_is_kept_stays_above_it():
    stream = io.StringIO()
    line = TerminalLine(stream)
    line.show("a long line of progress")
    line.keep("kept")
    line.show("10 of 20")
    line.show("11")
    assert screen(stream.getvalue()) == ["kept", "11"]
    line.close("end")
    assert screen(stream.getvalue()) == ["kept", ""]


def test_a_notebook_has_one_output_that_is_updated(monkeypatch):
    shown = []

    class Handle:
        def update(self, content, raw):
            shown[-1].append(content)

    def display(content, raw, display_id):
        shown.append([content])
        return Handle()

    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    lines = NotebookLines()
    lines.close("nothing was said")
    assert shown == []
    lines.keep("<b>: risk 2")
    lines.show("3 of 4")
    lines.close("4 fits in 2 s")
    assert len(shown) == 1
    assert [content["text/plain"] for content in shown[0]] == [
        "<b>: risk 2",
        "<b>: risk 2\n3 of 4",
        "<b>: risk 2\n4 fits in 2 s",
    ]
    assert "&lt;b&gt;: risk 2<br>4 fits" in shown[0][-1]["text/html"]


def test_a_script_is_no_notebook():
    assert not in_notebook()
