"""`foldwise report` and the text of an answer: any width, no colour, pipes and old terminals."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys

import pytest

from foldwise.cli import run

FOLDWISE = (sys.executable, "-c", "from foldwise.cli import main; main()")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("report") / "run")
    words = ("compare", "diabetes", "--learners", "ridge", "--outer", "3", "--inner", "2", "--budget", "3", "--quiet")
    assert run([*words, "--store", path]) == 0
    return path


def on_a_terminal(*words, **environment):
    """What a command writes to a terminal."""
    main, other = pty.openpty()
    process = subprocess.Popen([*FOLDWISE, *words], stdout=other, env={**os.environ, "TERM": "xterm", **environment})
    os.close(other)
    text = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:  # the other end is closed
            part = b""
        if not part:
            break
        text += part
    os.close(main)
    assert process.wait() == 0
    return text.decode()


def test_the_page_is_written_beside_the_store_or_where_it_is_asked_for(store, tmp_path, capsys):
    out = tmp_path / "page.html"
    assert run(["report", store]) == 0
    text = capsys.readouterr().out
    assert run(["report", store, "--out", str(out), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)

    with open(f"{store}.html", encoding="utf-8") as page:
        assert page.read() == out.read_text(encoding="utf-8")
    assert answer["best"] == "ridge"
    assert "\x1b" not in text


@pytest.mark.few(1)
@pytest.mark.parametrize("is_plain", ["", "1"])
def test_a_terminal_gets_colour_unless_it_is_asked_not_to(store, is_plain):
    assert ("\x1b" in on_a_terminal("report", store, NO_COLOR=is_plain)) == (not is_plain)


@pytest.mark.parametrize("columns", [40, 80])
def test_no_line_is_longer_than_the_terminal(store, columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    run(["report", store])
    text = capsys.readouterr().out

    assert max(len(line) for line in text.splitlines()) <= columns
    assert "●" in text


def test_an_output_without_such_letters_gets_plain_ones(store, monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    run(["report", store])
    sys.stdout.flush()
    text = written.getvalue().decode("ascii")

    assert "|-" in text
    assert "?" not in text


def test_a_curve_is_drawn_into_a_file_whose_name_is_checked_first(foldwise, tmp_path):
    words = ("curve", "diabetes", "--learner", "ridge", "--sizes", "0.5,1.0", "--outer", "3", "--quiet")
    picture = tmp_path / "new" / "curve.svg"
    code, _, told = foldwise(*words, "--plot", picture)
    assert (code, f"the picture is in {picture}" in told) == (0, True)
    assert "<svg" in picture.read_text(encoding="utf-8")

    code, out, told = foldwise(*words, "--plot", tmp_path / "curve.doc")
    assert (code, out) == (2, "")
    assert "a picture cannot be written as 'curve.doc'" in told


def test_rows_are_in_the_page_if_they_are_asked_for(foldwise, tmp_path):
    words = ("compare", "diabetes", "--learners", "ridge", "--outer", "3", "--inner", "2", "--budget", "3", "--quiet")
    code, _, told = foldwise(*words, "--report-rows")
    assert (code, "there is no --report" in told) == (2, True)

    pages = [tmp_path / "plain.html", tmp_path / "rows.html"]
    for page, more in zip(pages, ([], ["--report-rows"]), strict=True):
        assert foldwise(*words, "--report", page, *more)[0] == 0
    heads = [
        page.read_text(encoding="utf-8").split("Loss of the hardest rows")[-1].split("</thead>")[0] for page in pages
    ]
    assert [">true<" in head for head in heads] == [False, True]
