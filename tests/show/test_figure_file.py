"""Figures as files."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from foldwise.errors import BadOption
from foldwise.show.figure_file import save_figure


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_the_ending_decides(ending, start, tmp_path):
    save_figure(Figure(), tmp_path / f"a.{ending}")
    assert (tmp_path / f"a.{ending}").read_bytes().startswith(start)


def test_other_endings_and_lost_folders_are_one_sentence(tmp_path):
    with pytest.raises(BadOption, match=r"a picture cannot be written as 'a.doc'. End its name with .svg, .png, .pdf"):
        save_figure(Figure(), tmp_path / "a.doc")
    with pytest.raises(BadOption, match=r"cannot write .*No such file or directory"):
        save_figure(Figure(), tmp_path / "lost" / "a.png")
