"""How many models a test set has judged: kept in a store, and part of what is claimed of the best of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace

from foldwise.questions.method import MethodAnswer
from foldwise.records.document import Document
from foldwise.records.store import Store
from foldwise.stats.multiple import shared_level
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method

ONE_MODEL = "the interval is about this one model, fixed before it was scored on these rows"
UNCOUNTED = f"{ONE_MODEL}; without a store (store=, --store) nothing counts how many were scored on them"
UNSEEN = "if none was made after looking at the score of another (for those that were: fw.ladder, foldwise ladder)"


@dataclass(frozen=True)
class Scoreboard:
    """What a store knows of one test set: the models that were scored on it, and its leaderboard if there is one."""

    scored: tuple[str, ...] = ()
    submitted: tuple[str, ...] = ()  # to the leaderboard, in the order they came
    loss: str = ""  # of the leaderboard
    step: float = 0.0
    best: float | None = None  # the smallest risk it has released


LEDGER = Document("ledger", dict[str, Scoreboard])


def read_scoreboard(store: Store, name: str) -> Scoreboard:
    """What a store knows of a test set."""
    return (LEDGER.read(store) or {}).get(name, Scoreboard())


def write_scoreboard(store: Store, name: str, board: Scoreboard) -> None:
    LEDGER.write(store, {**(LEDGER.read(store) or {}), name: board})


def note_scores(store: Store, name: str, models: Iterable[str]) -> int:
    """Add the models that are new to those scored on a test set; gives how many there are."""
    board = read_scoreboard(store, name)
    scored = (*board.scored, *sorted(set(models).difference(board.scored)))
    if len(scored) > len(board.scored):
        write_scoreboard(store, name, replace(board, scored=scored))
    return len(scored)


def name_of(*parts: object) -> str:
    return hashlib.blake2b("|".join(map(str, parts)).encode(), digest_size=12).hexdigest()


def name_of_method(method: Method) -> str:
    """A method by what it is: the same one in another study has the same name."""
    return name_of(*([method.proposals_name] if method.proposals_name else method.identities))


def name_of_test_set(reading: Reading) -> str | None:
    """The name of the test set of a study that has one; folds are none."""
    study = reading.study
    return name_of(study.fingerprint, study.outer.fingerprint) if len(study.outer) == 1 else None


def times_scored(reading: Reading) -> int:
    """How many methods have been judged on the test set of a study with one; 0 for folds."""
    name = name_of_test_set(reading)
    return 0 if name is None else len(read_scoreboard(reading.store, name).scored)


def level_of_best(best: MethodAnswer, *, among: int, asked: int) -> tuple[float, int]:
    """The level at which the interval of the best method holds whichever was best (Bonferroni), and of how many.

    It is picked `among` methods of its study. Where the store knows more than the study `asked` for, judged on the
    same test set, all of these count.
    """
    scored = times_scored(best.reading)
    count = among if scored <= asked else max(scored, among)
    return shared_level(best.study.level, count), count
