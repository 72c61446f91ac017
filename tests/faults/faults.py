"""What can go wrong in a fit, one function each, with the status that its record must have.

No fault is endless: each ends after `seconds` or at `megabytes`, so that an executor that fails its tests leaves the
machine usable.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from foldwise.arrays import AnyArray

MEGABYTE = 2**20
TASKS = ("regression", "classification")


@dataclass(frozen=True, eq=False)
class Moment:
    """Where a fault finds itself: the learner's knobs and the table it was handed."""

    seconds: float
    megabytes: float
    table: Any


@dataclass(frozen=True)
class Fault:
    """What happens when a fit or prediction begins (`act`) or to an answer (`spoil`), and the status of the record.

    With the status "ok" the numbers must be those of an honest fit. `limit` names the limit that has to end it,
    `responses` the answers it spoils.
    """

    status: str
    act: Callable[[Moment], None] | None = None
    spoil: Callable[[AnyArray], Any] | None = None
    limit: Literal["", "seconds", "gigabytes"] = ""
    responses: tuple[str, ...] = ("predict", "predict_proba")
    tasks: tuple[str, ...] = TASKS


def segfault(moment: Moment) -> None:
    ctypes.string_at(0)


def abort(moment: Moment) -> None:
    os.abort()


def kill(moment: Moment) -> None:
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


def kill_group(moment: Moment) -> None:
    os.killpg(0, signal.SIGKILL)


def leave(moment: Moment) -> None:
    os._exit(3)


def leave_politely(moment: Moment) -> None:
    os._exit(0)


def eat_memory(moment: Moment) -> None:
    """Take memory and touch it; at the cap hold on to it for a while, then complain."""
    eaten = []
    for _ in range(int(moment.megabytes // 32)):
        eaten.append(np.ones(4 * MEGABYTE))
    time.sleep(min(moment.seconds, 10))
    raise RuntimeError(f"nobody minded {32 * len(eaten)} MB")


def raise_memory_error(moment: Moment) -> None:
    raise MemoryError("cannot allocate")


def loop_in_python(moment: Moment) -> None:
    until = time.monotonic() + moment.seconds
    while time.monotonic() < until:
        pass


def loop_in_c(moment: Moment) -> None:
    """One call into C that keeps the interpreter's lock, so that no signal handler in Python runs."""
    deque(itertools.repeat(0, int(moment.seconds * 3e8)), maxlen=0)


def sleep(moment: Moment) -> None:
    time.sleep(moment.seconds)


def ignore_signals(moment: Moment) -> None:
    """Sleep through SIGTERM and SIGINT."""
    for number in (signal.SIGTERM, signal.SIGINT):
        with suppress(ValueError):  # only the main thread may set handlers
            signal.signal(number, signal.SIG_IGN)
    until = time.monotonic() + moment.seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(left)


def stop(moment: Moment) -> None:
    """Halt this process as a debugger would; only SIGCONT or SIGKILL change that."""
    os.kill(os.getpid(), signal.SIGSTOP)


def deadlock(moment: Moment) -> None:
    lock = threading.Lock()
    lock.acquire()
    lock.acquire(timeout=moment.seconds)


def leave_child(moment: Moment) -> None:
    _start_child(moment)


def leave_far_child(moment: Moment) -> None:
    """A child that is out of its parent's process group and session."""
    _start_child(moment, start_new_session=True)


def _start_child(moment: Moment, **options: Any) -> None:
    code = f"import time; time.sleep({moment.seconds})"
    child = subprocess.Popen([sys.executable, "-S", "-E", "-c", code], **options)
    child.returncode = 0  # it is left over on purpose: Python shall not warn of it


def leave_fork(moment: Moment) -> None:
    """A copy of this process that keeps all its pipes open."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
    if child == 0:
        time.sleep(moment.seconds)
        os._exit(0)


def leave_thread(moment: Moment) -> None:
    threading.Thread(target=time.sleep, args=(moment.seconds,)).start()


def raise_exception(moment: Moment) -> None:
    raise ValueError("the saboteur was here")


def raise_system_exit(moment: Moment) -> None:
    raise SystemExit("the saboteur leaves")


def raise_interrupt(moment: Moment) -> None:
    raise KeyboardInterrupt


def raise_base_exception(moment: Moment) -> None:
    raise _Rude("neither an Exception nor anything known")


def raise_unpicklable(moment: Moment) -> None:
    raise RuntimeError("holds a lock", threading.Lock())


def raise_unprintable(moment: Moment) -> None:
    raise _Unprintable


def raise_unencodable(moment: Moment) -> None:
    raise ValueError("half a character \ud800, and \0")


class _Rude(BaseException):
    pass


class _Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


def write_much(moment: Moment) -> None:
    """50 MB of output: half through Python's streams, half past them."""
    line = "all work and no play " * 50 + "\n"
    for stream, handle in ((sys.stdout, 1), (sys.stderr, 2)):
        for _ in range(12 * MEGABYTE // len(line)):
            stream.write(line)
        stream.flush()
        for _ in range(13 * MEGABYTE // len(line)):
            os.write(handle, line.encode())


def warn_often(moment: Moment) -> None:
    for at in range(10_000):
        warnings.warn(f"the saboteur warns, {at % 100}", UserWarning, stacklevel=1)


def change_the_world(moment: Moment) -> None:
    """Folder, environment, floating point errors, random numbers, signals, warnings, streams, recursion."""
    os.chdir(os.path.sep)
    os.environ["FOLDWISE_SABOTEUR"] = os.environ["TZ"] = "was here"
    os.environ.pop("HOME", None)
    np.seterr(all="raise")
    np.random.seed(666)
    random.seed(666)
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(ValueError):
            signal.signal(number, signal.SIG_IGN)
    warnings.simplefilter("error")
    sys.setrecursionlimit(150)
    sys.stdout = sys.stderr = None


def write_into_the_data(moment: Moment) -> None:
    """Zero the rows it was given, if they can be written to."""
    with suppress(ValueError, TypeError):
        if hasattr(moment.table, "iloc"):
            moment.table.iloc[:, :] = 0
        else:
            moment.table[:] = 0


def close_standard_streams(moment: Moment) -> None:
    for handle in (0, 1, 2):
        with suppress(OSError):
            os.close(handle)


def close_everything(moment: Moment) -> None:
    os.closerange(0, 65536)


def nans(answer: AnyArray) -> Any:
    return np.full(answer.shape, np.nan)


def one_infinite(answer: AnyArray) -> Any:
    spoilt = answer.astype(object)
    spoilt.flat[0] = np.inf
    return spoilt if answer.dtype.kind in "OU" else spoilt.astype(float)


def one_row_short(answer: AnyArray) -> Any:
    return answer[1:]


def another_column(answer: AnyArray) -> Any:
    return np.column_stack([answer, answer])


def strange_labels(answer: AnyArray) -> Any:
    return np.full(len(answer), "nobody")


def halves(answer: AnyArray) -> Any:
    return answer / 2


def outside(answer: AnyArray) -> Any:
    """Rows still sum to one, but no entry is a probability."""
    return np.column_stack([answer[:, :1] + 2, answer[:, 1:] - 2 / (answer.shape[1] - 1)])


def unpicklable(answer: AnyArray) -> Any:
    return answer.view(_Unpicklable)


def locks(answer: AnyArray) -> Any:
    return np.array([threading.Lock() for _ in answer], dtype=object)


class _Unpicklable(np.ndarray):
    def __reduce__(self) -> Any:
        raise TypeError("this array does not travel")


_CLASSES = ("classification",)

FAULTS = {
    "segfault": Fault("crashed", segfault),
    "abort": Fault("crashed", abort),
    "kill": Fault("crashed", kill),
    "kill group": Fault("crashed", kill_group),
    "exit": Fault("crashed", leave),
    "exit 0": Fault("crashed", leave_politely),
    "close everything": Fault("crashed", close_everything),
    "out of memory": Fault("out of memory", eat_memory, limit="gigabytes"),
    "memory error": Fault("out of memory", raise_memory_error),
    "endless loop": Fault("timeout", loop_in_python, limit="seconds"),
    "endless loop in C": Fault("timeout", loop_in_c, limit="seconds"),
    "sleep": Fault("timeout", sleep, limit="seconds"),
    "ignored signals": Fault("timeout", ignore_signals, limit="seconds"),
    "stopped": Fault("timeout", stop, limit="seconds"),
    "deadlock": Fault("timeout", deadlock, limit="seconds"),
    "exception": Fault("error", raise_exception),
    "system exit": Fault("error", raise_system_exit),
    "keyboard interrupt": Fault("error", raise_interrupt),
    "base exception": Fault("error", raise_base_exception),
    "unpicklable exception": Fault("error", raise_unpicklable),
    "unprintable exception": Fault("error", raise_unprintable),
    "unencodable exception": Fault("error", raise_unencodable),
    "nan": Fault("invalid output", spoil=nans),
    "infinite": Fault("invalid output", spoil=one_infinite),
    "too few rows": Fault("invalid output", spoil=one_row_short),
    "another column": Fault("invalid output", spoil=another_column),
    "wrong labels": Fault("invalid output", spoil=strange_labels, responses=("predict",)),
    "locks": Fault("invalid output", spoil=locks),
    "not summing to one": Fault("invalid output", spoil=halves, responses=("predict_proba",), tasks=_CLASSES),
    "outside 0 to 1": Fault("invalid output", spoil=outside, responses=("predict_proba",), tasks=_CLASSES),
    "unpicklable": Fault("ok", spoil=unpicklable),
    "child": Fault("ok", leave_child),
    "far child": Fault("ok", leave_far_child),
    "fork": Fault("ok", leave_fork),
    "thread": Fault("ok", leave_thread),
    "much output": Fault("ok", write_much),
    "many warnings": Fault("ok", warn_often),
    "changed world": Fault("ok", change_the_world),
    "written data": Fault("ok", write_into_the_data),
    "closed streams": Fault("ok", close_standard_streams),
}
