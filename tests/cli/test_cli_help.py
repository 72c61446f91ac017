"""Help (cli/help.py), completion (cli/flags.py) and short lists: readable in 80 columns, with exit code 0."""

from __future__ import annotations

import shlex

import click
import pytest

from foldwise.cli import app
from foldwise.cli.flags import HEADINGS, LOSSES, SCORES
from foldwise.cli.help import HelpfulCommand
from foldwise.data.dataset import make_dataset
from foldwise.losses.loss import make_losses


def commands(group=app, path=()):
    for name, one in group.commands.items():
        yield (*path, name), one
        if isinstance(one, click.Group):
            yield from commands(one, (*path, name))


@pytest.mark.parametrize("words", [(), ("store",), ("lab",)], ids=["foldwise", "store", "lab"])
def test_a_group_alone_prints_its_help_on_standard_output(foldwise, words):
    code, out, err = foldwise(*words)

    assert (code, err) == (0, "")
    assert out == foldwise(*words, "--help")[1]
    assert out.count("\n") > 10


@pytest.mark.parametrize("path", [path for path, _ in commands()], ids=" ".join)
def test_every_help_fits_80_columns_and_ends_in_examples(foldwise, monkeypatch, path):
    monkeypatch.setenv("COLUMNS", "80")

    code, out, _ = foldwise(*path, "--help")

    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert f"Examples:\n  {' '.join(('foldwise', *path))}" in out


def test_every_example_is_a_command_line_that_can_be_read():
    for path, one in commands():
        for line in (one.epilog or "").replace("\\\n", " ").splitlines():
            words = shlex.split(line.partition("#")[0].rpartition("|")[2])
            command, context = app, click.Context(app)
            assert words.pop(0) == "foldwise", path
            while isinstance(command, click.Group):
                command = command.commands[words.pop(0)]
            command.make_context(command.name, words, parent=context)


def test_options_of_a_large_command_are_under_headings(foldwise):
    out = foldwise("compare", "--help")[1]

    places = [out.index(f"\n{heading}:\n") for heading in HEADINGS]
    assert places == sorted(places)
    assert "More options" not in out
    assert "RANGE" not in out
    assert "x>=1" not in out


def test_an_option_that_no_heading_lists_is_still_shown():
    many = [click.Option([f"--option-{number}"], help="Something new.") for number in range(14)]
    command = HelpfulCommand("new", params=[*many, click.Option(["--json", "as_json"], help="JSON.")])

    out = command.get_help(click.Context(command, info_name="new"))

    assert out.index("More options:") < out.index("--option-0") < out.index("Output:") < out.index("--json")


def completions(monkeypatch, *words):
    from click.shell_completion import BashComplete

    complete = BashComplete(app, {}, "foldwise", "_FOLDWISE_COMPLETE")
    *before, typed = words
    return [item.value for item in complete.get_completions(list(before), typed)]


def test_the_shell_completes_data_learners_and_losses(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("wide.csv.gz", "notes.md", "study.toml"):
        (tmp_path / name).write_text("a\n1\n")

    assert completions(monkeypatch, "compare", "wi") == ["wide.csv.gz", "wine"]
    assert completions(monkeypatch, "compare", "st") == ["study.toml"]
    assert completions(monkeypatch, "risk", "diab") == ["diabetes"]
    assert completions(monkeypatch, "compare", "wine", "--learners", "ridge,k") == ["ridge,k-nn", "ridge,kernel-ridge"]
    assert completions(monkeypatch, "risk", "wine", "--learner", "rid") == ["ridge"]
    assert completions(monkeypatch, "compare", "wine", "--loss", "squared,sq") == []
    assert completions(monkeypatch, "compare", "wine", "--loss", "log,b") == ["log,balanced_zero_one", "log,brier"]
    assert completions(monkeypatch, "compare", "elsewhere/x") == ["elsewhere/x"]  # the shell's own files


@pytest.mark.parametrize("name", [*LOSSES, *SCORES])
def test_every_loss_that_is_completed_is_known(name):
    numbers = make_dataset([[1.0], [2.0], [3.0]], [1.5, 2.5, 0.5])
    classes = make_dataset([[1.0], [2.0], [3.0]], ["no", "yes", "no"])
    is_of_numbers = name in ("squared", "absolute", "poisson", "r2")

    assert len(make_losses(name, numbers if is_of_numbers else classes)) == 1


def test_learners_are_a_short_list_and_long_when_asked(foldwise, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")

    short, long = foldwise("learners")[1], foldwise("learners", "--long")[1]

    assert max(map(len, short.splitlines())) <= 80
    assert [name in short for name in ("ridge", "forest", "catboost")] == [True] * 3
    assert "preprocessing" not in short
    assert "preprocessing" in long
    assert short.count("\n") < 50 < long.count("\n")
