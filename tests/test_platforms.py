"""Nothing that only Linux has is needed to import Foldwise and to run a study in one process."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

# Another system, as far as one can pretend: modules, signals, functions and files of POSIX are gone.
ELSEWHERE = """
import sys, os, signal, builtins, io

HIDDEN = {"fcntl", "resource", "termios", "pwd", "grp"}
for name in HIDDEN:
    sys.modules[name] = None
for name in ("SIGKILL", "SIGHUP", "SIGCHLD", "SIGUSR1", "SIGSTOP", "SIGQUIT", "pthread_sigmask", "sigwait"):
    if hasattr(signal, name):
        delattr(signal, name)
for name in ("fork", "sched_getaffinity", "setsid", "killpg", "statvfs"):
    if hasattr(os, name):
        delattr(os, name)
opened = io.open

def elsewhere(file, *words, **more):
    if str(file).startswith(("/proc", "/sys")) and str(file) != "/proc/self/maps":  # threadpoolctl's own, on Linux
        raise FileNotFoundError(2, "no such file", str(file))
    return opened(file, *words, **more)

builtins.open = io.open = elsewhere
"""


def run_elsewhere(code: str) -> str:
    script = ELSEWHERE + textwrap.dedent(code)
    found = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert found.returncode == 0, found.stderr[-2000:]
    return found.stdout


def test_importing_it_and_its_help_need_nothing_of_linux():
    assert "compare" in run_elsewhere("import foldwise; print(dir(foldwise))")
    with pytest.raises(AssertionError, match="ModuleNotFoundError"):
        run_elsewhere("import fcntl")  # the pretence works


@pytest.mark.slow
def test_a_study_in_one_process_runs_and_its_model_is_saved(tmp_path):
    """Without a store: its lock is another one on Windows (records/lock.py), which cannot be had here."""
    code = f"""
    import foldwise as fw
    result = fw.compare(["ridge:small", "k-nn:small"], "diabetes", outer=3, inner=2, jobs=1)
    result.save_model(r"{tmp_path / "model.skops"}")
    fw.load_model(r"{tmp_path / "model.skops"}")
    assert "<html" in result.report()
    print(result.best)
    """
    assert run_elsewhere(code).strip() == "ridge:small"
