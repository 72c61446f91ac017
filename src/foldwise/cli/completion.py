"""What a shell may put in for a word that is half typed: data sets and files, learners, losses, stores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from click.shell_completion import CompletionItem

Complete = Callable[[Any, Any, str], list[CompletionItem]]
LOSSES = ("squared", "absolute", "poisson", "zero_one", "balanced_zero_one", "log", "brier")
SCORES = ("roc_auc", "average_precision", "r2", "f1")  # of scikit-learn's scorers, the best known


def complete_data(_: Any, __: Any, typed: str) -> list[CompletionItem]:
    """Built-in sets, and tables and study files in the folder; where none fits, any file."""
    from foldwise.data.packed import suffix_of
    from foldwise.data.sources import READERS, builtin_names

    known = {*READERS, ".toml"}
    folder = Path(typed).parent if not typed.endswith("/") else Path(typed)
    try:
        files = [str(path) for path in sorted(folder.iterdir()) if suffix_of(path) in known and path.is_file()]
    except OSError:
        files = []
    return _items([*files, *builtin_names()], typed) or [CompletionItem(typed, type="file")]


def complete_learners(_: Any, __: Any, typed: str) -> list[CompletionItem]:
    """Names of learners, also behind a comma."""
    from foldwise.learners.catalogue import all_entries

    return _listed((entry.name for entry in all_entries()), typed)


def complete_losses(_: Any, __: Any, typed: str) -> list[CompletionItem]:
    """Names of losses, also behind a comma."""
    return _listed((*LOSSES, *SCORES), typed)


def _listed(names: Iterable[str], typed: str) -> list[CompletionItem]:
    """Those of the names that go on with the last word of a list, with what is before it."""
    before, comma, _ = typed.rpartition(",")
    taken = before.split(",")
    return _items((f"{before}{comma}{name}" for name in names if name not in taken), typed)


def _items(words: Iterable[str], typed: str) -> list[CompletionItem]:
    return [CompletionItem(word) for word in words if word.startswith(typed)]
