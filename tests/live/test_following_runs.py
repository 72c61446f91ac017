"""The page beside real runs (api/watching.py): started elsewhere, killed, resumed, finished; it harms none."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

import foldwise as fw
from foldwise.api.watching import start_page

SLOW = Path(__file__).with_name("slow_study.py")
LONG = 120.0  # seconds, on a busy machine


@pytest.fixture
def start():
    """Start processes that do not outlive the test."""
    started = []

    def run(*words, **more):
        process = subprocess.Popen([sys.executable, *map(str, words)], text=True, **more)
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def wait_for(look):
    """What `look` gives as soon as it is anything."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError("waited in vain")


def start_watching(start, run):
    process = start("-m", "foldwise", "watch", run, "--no-browser", "--json", stdout=subprocess.PIPE)
    lines = [process.stdout.readline() for _ in range(4)]
    return process, json.loads("".join(lines))["url"]


def state(url):
    return httpx.get(f"{url}state", timeout=LONG).json()


def in_phase(url, phase):
    """The state of the page once it is in this phase."""
    return wait_for(lambda: (now := state(url))["phase"] == phase and now)


def fits(state):
    return int(state["fits"].split()[0])


@pytest.mark.slow
def test_a_run_that_is_killed_and_begun_again_is_followed_to_its_report(start, tmp_path):
    run = tmp_path / "run"
    first = start(SLOW, run, env={**os.environ, "SECONDS": "1.5"})
    wait_for((run / "records.db-wal").exists)
    process, url = start_watching(start, run)
    before = fits(in_phase(url, "running"))
    seen = fits(wait_for(lambda: fits(now := state(url)) > before and now))
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    assert in_phase(url, "stopped")["words"] == f"foldwise resume {run}"

    second = start(SLOW, run, stdout=subprocess.PIPE, env={**os.environ, "SECONDS": "0.2"})
    assert fits(in_phase(url, "running")) >= seen
    assert fits(in_phase(url, "finished")) == fw.load(run).fits
    assert second.wait(LONG) == 0
    assert "Use plain" in httpx.get(f"{url}report", timeout=LONG).text

    process.send_signal(signal.SIGINT)
    assert process.wait(LONG) == 0
    assert sorted(path.name for path in run.iterdir()) == ["lock", "records.db"]


def test_a_page_beside_a_run_waits_for_its_store_and_ends_when_told(tmp_path):
    page = start_page(tmp_path / "run")
    try:
        assert state(page.url)["phase"] == "waiting"
        assert httpx.post(page.url, timeout=LONG).status_code == 405
        assert httpx.get(page.url.replace("127.0.0.1", "localhost"), timeout=LONG).status_code in (200, 403)
        assert page.url.split("/")[-2] not in Path(f"/proc/{page.process.pid}/cmdline").read_text()
    finally:
        page.process.terminate()
        page.process.wait(LONG)


@pytest.mark.slow
def test_a_compare_that_is_watched_says_where_and_gives_the_same_answer(start, tmp_path):
    words = [
        "-m",
        "foldwise",
        "compare",
        "diabetes",
        "--learners",
        "ridge",
        "--outer",
        "3",
        "--inner",
        "2",
        "--jobs",
        "1",
    ]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment}
    plain, watched = start(*words, "--json", **pipes), start(*words, "--json", "--watch", **pipes)
    (expected, _), (found, said) = plain.communicate(timeout=LONG), watched.communicate(timeout=LONG)
    expected, found = json.loads(expected), json.loads(found)
    url = next(line.split()[-1] for line in said.splitlines() if "can be watched at" in line)

    assert [method["risk"] for method in found["methods"]] == [method["risk"] for method in expected["methods"]]
    in_phase(url, "finished")
    kept = list(tmp_path.glob("foldwise-run-*"))
    assert len(kept) == 1  # until nobody looks any more
    assert "Use ridge" in httpx.get(f"{url}report", timeout=LONG).text


def test_what_serves_the_page_is_asked_for_in_one_sentence(monkeypatch, tmp_path):
    from foldwise.errors import MissingExtra

    monkeypatch.setattr("foldwise.live.server.find_spec", lambda name: None)
    with pytest.raises(
        MissingExtra, match=r"the live page needs Starlette and Uvicorn. Install them: pip install 'fold"
    ):
        start_page(tmp_path / "run")
