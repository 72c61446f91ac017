"""What is told while fits are done, with a clock and a stream of our own."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.svm import SVR

import foldwise as fw
from foldwise.api.request import make_comparison
from foldwise.executors import progress as told_while_running
from foldwise.executors.progress import Progress, told
from foldwise.executors.stop import Stop
from foldwise.plans.queue import Queue
from foldwise.records.memory import MemoryStore
from foldwise.records.record import Record
from foldwise.studies.pace import Part
from foldwise.studies.reading import Reading

RNG = np.random.default_rng(5)
X = RNG.normal(size=(40, 2))
Y = X[:, 0] + RNG.normal(size=40)
SECONDS = {"slow": 1.0, "quick": 0.001}


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def runnable():
    return make_comparison(
        {"slow": fw.tune(SVR(), C=[1.0, 10.0]), "quick": fw.tune(Ridge(), alpha=[0.1, 1.0, 10.0])},
        X,
        Y,
        outer=4,
        inner=2,
    )


def play(progress, clock, *, until=None, study=None, stored=()):
    """Fits that need the seconds of their method, one after the other, told to `progress`; gives all lines."""
    study = study or runnable()
    reading = Reading(study.study, MemoryStore())
    reading.store.add(stored)
    queue, names = Queue(study, reading), [method.name for method in study.study.methods]
    progress.begin(reading, workers=1)
    left, made = list(queue.next()), []
    progress.expect(left)
    first = {}
    for fit in left:
        first.setdefault(fit.method, fit)
    left = [*first.values(), *(fit for fit in left if first[fit.method] is not fit)]  # as executors do it
    while left and (until is None or len(made) < until):
        fit = left.pop(0)
        name = names[fit.method]
        clock.now += SECONDS.get(name, 0.0001)
        answers = {"predict": np.zeros(len(fit.rows))}
        made.append(Record(fit.key, "ok", fit.rows, answers, seconds=SECONDS.get(name, 0.0001), learner=name))
        reading.store.add(made[-1:])
        progress.advance(made[-1:])
        more = queue.next(made[-1:])
        progress.expect(more)
        left = [*more, *left]
        progress.settle(queue.settled())
    return made


def lines(stream):
    return [line.strip() for line in stream.getvalue().replace("\r", "\n").split("\n") if line.strip()]


def shown(**options):
    clock, stream = Clock(), io.StringIO()
    return Progress(True, stream=stream, clock=clock, **options), clock, stream


def test_a_process_without_stderr_shows_no_progress(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with Progress() as progress:
        assert not progress.shown
        assert not progress.tells


def test_the_cost_is_told_once_after_the_first_fit_of_each_method():
    progress, clock, stream = shown()
    made = play(progress, clock)
    said = [line for line in lines(stream) if "most of it" in line]
    # 2 candidates on 4 x 2 inner folds and 2 of the final tuning, and 4 chosen ones: 24 fits of a second
    assert said == [f"{len(made)} fits, about 24 s, most of it slow"]
    assert lines(stream).index(said[0]) <= 2


def test_the_time_left_is_that_of_the_work_and_is_never_nothing():
    progress, clock, stream = shown()
    made = play(progress, clock)
    counted = [line for line in lines(stream) if " left" in line]
    assert counted
    assert not any(" 0 s left" in line for line in counted)
    ten = next(line for line in counted if f"{len(made) - 10} of" in line)
    assert ten == f"slow: {len(made) - 10} of {len(made)} fits, about 10 s left"


def test_the_number_of_all_fits_is_known_from_the_beginning():
    progress, clock, stream = shown()
    made = play(progress, clock)
    counted = {line.split(" of ")[1].split(" fits")[0] for line in lines(stream) if " of " in line and "left" in line}
    assert counted == {str(len(made))}


def test_fits_that_a_store_has_are_not_told_again():
    progress, clock, _ = shown()
    made = play(progress, clock)
    progress, clock, stream = shown()
    more = play(progress, clock, stored=made[:-6])
    assert len(more) == 6
    assert all(f" of {len(more)} fits" in line for line in lines(stream) if "left" in line)


def test_a_finished_method_is_told_with_its_risk_while_others_run():
    seen = []

    def judge(reading, method):
        seen.append(method.name)
        return "risk 2 (1 to 3)" if np.isfinite(reading.outer_losses(method)).all() else ""

    progress, clock, stream = shown(judge=judge)
    made = play(progress, clock)
    said = lines(stream)
    place = next(at for at, line in enumerate(said) if line.startswith("quick: risk 2 (1 to 3), finished in 1 s"))
    assert any(line.startswith("slow: ") and " left" in line for line in said[place:])
    assert said[-1].startswith("slow: risk 2 (1 to 3), finished in 24 s")
    assert len(made) == 24 + (3 * 10 + 4) + 4


def test_a_short_run_says_nothing_that_stays(monkeypatch):
    monkeypatch.setitem(SECONDS, "slow", 0.001)
    progress, clock, stream = shown(judge=lambda reading, method: "risk 2")
    with progress:
        play(progress, clock)
    assert "\n" not in stream.getvalue()
    assert not any("risk" in line for line in lines(stream))


def test_who_has_waited_long_is_not_told_that_there_is_no_time_left():
    progress, clock, stream = shown()
    play(progress, clock, until=61)
    for _ in range(60):
        clock.now += 1.0
        progress.advance([])
    assert lines(stream)[-1].endswith("about 60 s left")


def test_silence_is_silent():
    clock, stream = Clock(), io.StringIO()
    play(Progress(False, stream=stream, clock=clock), clock)
    assert stream.getvalue() == ""


def test_a_command_without_a_terminal_tells_the_cost_and_no_more(monkeypatch):
    monkeypatch.setattr(Stop, "is_command", True)
    clock, stream = Clock(), io.StringIO()
    progress = Progress(None, stream=stream, clock=clock, judge=lambda reading, method: "risk 2")
    made = play(progress, clock)
    assert stream.getvalue() == f"{len(made)} fits, about 24 s, most of it slow\n"


@pytest.mark.parametrize(
    ("is_command", "words"),
    [
        (False, 'effort="quick", time_limit=60 or fewer learners'),
        (True, "--effort quick, --time-limit 60 or fewer --learners"),
    ],
)
def test_a_long_run_says_what_would_shorten_it_in_the_words_of_its_door(monkeypatch, is_command, words):
    monkeypatch.setattr(Stop, "is_command", is_command)
    monkeypatch.setitem(SECONDS, "slow", 60.0)
    progress, clock, stream = shown()
    made = play(progress, clock)
    assert f"{len(made)} fits, about 24 min, most of it slow. Shorter with {words}" in lines(stream)


def test_two_methods_that_take_most_are_both_named():
    parts = [
        Part("a", 10, done=10, seconds=4.0),
        Part("b", 10, done=10, seconds=4.0),
        Part("c", 5, done=5, seconds=1.0),
    ]
    assert told(parts, 9.0, least="about", sureness="", cores=1).endswith("most of it a and b")
    assert told([parts[0], Part("baseline", 5, done=5)], 9.0, least="about", sureness="", cores=1).endswith("9 s")
    even = [Part(name, 10, done=10, seconds=1.0) for name in "abcdef"]
    assert told(even, 9.0, least="about", sureness="at most", cores=4) == "at most 60 fits, about 9 s on 4 cores"


def test_a_terminal_that_is_gone_does_not_stop_the_run():
    class Gone(io.StringIO):
        def write(self, text):
            raise OSError("gone")

    clock = Clock()
    progress = Progress(True, stream=Gone(), clock=clock)
    play(progress, clock)
    assert not progress.shown
    assert told_while_running.duration(0.4) == "0.4 s"
