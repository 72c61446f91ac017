"""The command line: words to calls, no logic. Rooms are imported by the commands that use them."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from typing import Any

import click

from foldwise.cli import asking, drafting, files, studies
from foldwise.cli.help import Commands, examples, in_flags, usage_sentence
from foldwise.cli.lab import lab
from foldwise.cli.output import fail
from foldwise.cli.studies import INTERRUPTED, TERMINATED
from foldwise.errors import FoldwiseError, Terminated

_HELP_ASKED: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())  # older versions of click print it themselves
_RESUMABLE = "with a store, `foldwise resume RUN` goes on from here."


def _print_version(ctx: click.Context, _: Any, is_asked: bool) -> None:
    if is_asked:
        from foldwise import __version__

        click.echo(f"foldwise {__version__}")
        ctx.exit()


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=examples(
        "foldwise compare diabetes",
        "foldwise compare wine.csv --target quality --report wine.html",
        "foldwise compare --help                           # all options",
    ),
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def app() -> None:
    """Which of these learners, tuned, should I use on my data, how well will it do, and how sure can I be?

    DATA is a file (CSV, TSV, JSON lines, Parquet, Arrow, ARFF, Excel; text also as .gz or .zip), - for standard input,
    or a built-in set: breast_cancer, diabetes, digits, iris, wine.
    """


for command in (
    studies.compare,
    drafting.init,
    studies.resume,
    studies.show_report,
    studies.watch,
    asking.risk,
    asking.tune,
    asking.curve,
    studies.benchmark,
    asking.bound,
    asking.check,
    asking.list_learners,
    files.store,
    files.judge,
    files.ladder,
    files.predict,
    files.card,
    lab,
):
    app.add_command(command)


def main() -> None:
    """The entry point of the `foldwise` command."""
    code = run(sys.argv[1:])
    if code in (INTERRUPTED, TERMINATED):  # who stops a command does not wait for Python to tidy up
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command line and give its exit code."""
    from foldwise.executors.stop import Stop

    Stop.is_command = True
    _on_terminate()
    try:
        code = app.main(args=arguments, prog_name="foldwise", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except _HELP_ASKED as asked:  # a group alone: its help is the answer
        click.echo(asked.format_message())
        return 0
    except FoldwiseError as error:
        return fail(in_flags(str(error), app.commands.values()), error.exit_code)
    except click.ClickException as error:
        return fail(usage_sentence(error), error.exit_code)
    except Terminated as stopped:
        return fail(stopped.words, TERMINATED)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return fail(f"no file can have the name {error.filename}: it is too long. Give a shorter one.", 2)
    except (click.Abort, KeyboardInterrupt) as stopped:
        return fail(str(stopped) or f"interrupted; {_RESUMABLE}", INTERRUPTED)


def _on_terminate() -> None:
    """Outside of a run, which has handlers of its own, a termination unwinds like an interrupt."""
    from foldwise.executors.stop import HANGUP

    def stop(number: int, _: Any) -> None:
        raise Terminated(f"{'terminal closed' if number == HANGUP else 'terminated'}; {_RESUMABLE}")

    with contextlib.suppress(ValueError):  # only the main thread may set handlers
        signal.signal(signal.SIGTERM, stop)
        if HANGUP is not None and signal.getsignal(HANGUP) is not signal.SIG_IGN:  # nohup goes on
            signal.signal(HANGUP, stop)
