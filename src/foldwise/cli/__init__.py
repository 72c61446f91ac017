"""The command line: words to calls, no logic. Rooms are imported by the commands that use them."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import Any

import click

from foldwise.cli import asking, files, studies
from foldwise.cli.options import Commands
from foldwise.cli.output import fail
from foldwise.cli.studies import INTERRUPTED, TERMINATED
from foldwise.errors import FoldwiseError, Terminated
from foldwise.lab.cli import lab

_RESUMABLE = "with a store, `foldwise resume RUN` goes on from here."


def _print_version(ctx: click.Context, _: Any, is_asked: bool) -> None:
    if is_asked:
        from foldwise import __version__

        click.echo(f"foldwise {__version__}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
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

    DATA is a CSV, TSV, Parquet, Arrow or ARFF file, or the name of a built-in set such as diabetes.
    """


for command in (
    studies.compare,
    studies.resume,
    studies.report,
    studies.watch,
    asking.risk,
    asking.tune,
    asking.curve,
    studies.benchmark,
    asking.bound,
    asking.learners,
    files.store,
    files.judge,
    files.predict,
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
    except FoldwiseError as error:
        return fail(str(error), error.exit_code)
    except click.ClickException as error:
        return fail(error.format_message(), error.exit_code)
    except Terminated as stopped:
        return fail(stopped.words, TERMINATED)
    except (click.Abort, KeyboardInterrupt) as stopped:
        return fail(str(stopped) or f"interrupted; {_RESUMABLE}", INTERRUPTED)


def _on_terminate() -> None:
    """Outside of a run, which has handlers of its own, a termination unwinds like an interrupt."""

    def stop(*_: Any) -> None:
        raise Terminated(f"terminated; {_RESUMABLE}")

    with contextlib.suppress(ValueError):  # only the main thread may set handlers
        signal.signal(signal.SIGTERM, stop)
