"""`fw.lab.show`: the gallery of the manual, run on this machine."""

from __future__ import annotations

from importlib import import_module

from foldwise.errors import BadOption, nearest
from foldwise.lab.exhibit import Exhibit, Shown

# In the order of the manual.
FILES = {
    "knn-fits": "knn_fits",
    "knn-curves": "knn_curves",
    "folds": "folds",
    "one-split": "one_split",
    "theorem-one": "theorem",
    "bias-of-k": "bias_of_k",
    "optimism": "optimism",
    "dev-bound": "dev_bound",
    "naive-intervals": "naive_intervals",
    "bias-variance": "bias_variance",
    "lecture": "lecture",
    "seven-learners": "seven_learners",
}
SIZES = {"small": 0.1, "full": 1.0}


def show(name: str, *, size: str | float = "small", seed: int = 0) -> Shown:
    """Show a claim of the manual by simulation: a table, a sentence and a picture.

    `name`: an exhibit, see `fw.lab.exhibits()`. `size`: "small" (seconds), "full" (as in the manual), or a share of it.
    `seed`: of the draws.

    >>> import foldwise as fw
    >>> shown = fw.lab.show("dev-bound")
    >>> shown.is_true, len(shown.table()) > 3
    (True, True)
    """
    share = SIZES.get(size) if isinstance(size, str) else size
    if share is None or not 0 < share <= 10:
        raise BadOption(f"there is no size {size!r}", 'Use "small", "full" or a share between 0 and 10')
    return find_exhibit(name).show(size=float(share), seed=seed)


def exhibits() -> dict[str, str]:
    """The exhibits by name, with their titles.

    >>> import foldwise as fw
    >>> list(fw.lab.exhibits())[:3]
    ['knn-fits', 'knn-curves', 'folds']
    """
    return {name: find_exhibit(name).title for name in FILES}


def find_exhibit(name: str) -> Exhibit:
    """The exhibit of that name."""
    if name not in FILES:
        raise BadOption(f"there is no exhibit {name!r}", nearest(name, FILES))
    found = import_module(f"foldwise.lab.gallery.{FILES[name]}").EXHIBIT
    assert isinstance(found, Exhibit)
    return found
