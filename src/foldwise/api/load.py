"""`load`: a result again, from its store alone; and the title of a result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foldwise.api.manifest import stored_versions
from foldwise.api.result import Result
from foldwise.data.packed import STDIN, STDIN_NAME
from foldwise.errors import BadLoss
from foldwise.questions.contest import BASELINE
from foldwise.questions.evidence import with_interval
from foldwise.questions.lacking import lacking_words
from foldwise.records.store import Store, opened
from foldwise.stats.interval_method import IntervalMethod
from foldwise.studies.reading import Reading
from foldwise.studies.stored import ORIGIN, STUDY, read_study
from foldwise.tuners.tuner import Tuner

MOST_LETTERS = 200  # of a title


def load(
    run: str | Path | Store,
    *,
    loss: Any = None,
    interval: str | IntervalMethod | None = None,
    tuner: Tuner | None = None,
) -> Result:
    """The result of the latest study in a store; no learner needs to be installed, and nothing is fitted.

    `run`: the folder of the store, or a store of your own. `loss`, `interval`, `tuner`: those of the study, to be given
    again if they were your own; or another interval, or another loss. Where the store lacks fits that another loss
    needs, a note says which methods and how many fits; where no method can be judged by it, it is refused.

    >>> import tempfile, foldwise as fw
    >>> run = tempfile.mkdtemp() + "/run"
    >>> result = fw.compare(["ridge:small"], "diabetes", outer=3, inner=2, jobs=1, store=run)
    >>> fw.load(run).best
    'ridge:small'
    """
    with opened(run, readonly=True) as store:
        study = read_study(store, loss=loss, tuner=tuner)
        reading = Reading(study if interval is None else with_interval(study, interval), store)
        result = Result(reading, made={}, seconds=0.0, versions=stored_versions(store))
        origin = ORIGIN.read(store) or {}  # of a study from the command line or a file
        result.title, margin = title_of(origin), origin.get("margin")
        if isinstance(margin, int | float) and not isinstance(margin, bool) and 0 <= margin < math.inf:
            result.margin = float(margin)
        if loss is not None and (stored := STUDY.read(store)) is not None:
            _tell_what_lacks(result, stored.loss_names)
        result.to_dict()
    return result


def _tell_what_lacks(result: Result, known: Sequence[str]) -> None:
    """Note the fits that losses other than its own lack; without them the baseline would answer, which is refused."""
    names = [loss.name for loss in result.study.losses]
    # the first loss selects, so it must have been the first before
    others = [place for place, name in enumerate(names) if name not in (known if place else known[:1])]
    lacking = [sentence for place in others if (sentence := lacking_words(result.methods, place))]
    again = "Run the study again with this loss and this store: what is there is kept"
    if lacking and result.best in (None, BASELINE) and lacking_words(result.methods):
        raise BadLoss(lacking[0], again)
    result.reading.note(*(("loss", f"{sentence}. {again}") for sentence in lacking))


def title_of(study: Mapping[str, Any]) -> str | None:
    """A title from what is known of a study: its own words, or the names of its target and data.

    >>> title_of({"data": "tables/wine.csv", "target": "quality"}), title_of({"data": "diabetes"})
    ('quality in wine.csv', 'diabetes')
    >>> title_of({"data": "wine.csv", "title": "Which wine?"}), title_of({"data": [[1.0]], "target": [1.0]})
    ('Which wine?', None)
    """
    title, data, target = study.get("title"), study.get("data"), study.get("target")
    if isinstance(title, str) and title.strip():
        return title.strip()[:MOST_LETTERS]
    file = None
    if isinstance(data, str | Path):
        file = STDIN_NAME if str(data) == STDIN else Path(data).name
    column = target if isinstance(target, str) else getattr(target, "name", None)
    names = [name for name in (column, file) if isinstance(name, str) and name]
    return " in ".join(names)[:MOST_LETTERS] or None
