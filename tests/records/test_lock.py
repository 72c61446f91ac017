"""A lock is held by one handle, names its process, and dies with it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from foldwise.records.lock import Taken, holder_of, take


def test_a_second_taker_is_told_who_holds_it_until_it_is_let_go(tmp_path):
    path = tmp_path / "lock"
    handle = take(path)
    with pytest.raises(Taken) as taken:
        take(path)
    assert taken.value.holder == str(os.getpid())
    assert holder_of(path) == os.getpid()
    os.close(handle)
    os.close(take(path))


def test_a_lock_whose_holder_is_dead_is_free_and_names_nobody(tmp_path):
    path = tmp_path / "lock"
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    path.write_bytes(gone.stdout)
    assert holder_of(path) is None
    os.close(take(path))
    assert path.read_text() == f"{os.getpid()}\n"


@pytest.mark.parametrize("content", [b"", b"nobody", b"\xff" * 100, b"-1"])
def test_a_file_without_a_process_number_names_nobody(tmp_path, content):
    path = tmp_path / "lock"
    path.write_bytes(content)
    assert holder_of(path) is None
    assert holder_of(tmp_path / "none") is None
