from __future__ import annotations

import pickle

import numpy as np
from tests.studies.test_scores_at_hand import without_seconds

import foldwise as fw
from foldwise.plans import needed, queue
from foldwise.plans.fit import Fit, FitBlock, Fits, SharedBatch, fits_together, parts_of


def some_block():
    return FitBlock(("a", "b", "c"), 1, (4, 5, 6), np.arange(5), np.arange(2), ("predict",), 9, "name")


def test_fits_are_made_when_they_are_asked_for():
    block = some_block()
    fits = Fits([block.first, block, block.fit(2)])
    assert len(fits) == 5
    assert [fit.key for fit in fits] == [fits[at].key for at in range(5)] == ["a", "a", "b", "c", "c"]
    assert [fit.candidate for fit in fits[1:-1]] == [4, 5, 6]
    assert fits[-1].train is block.train
    assert parts_of(fits) == fits.parts
    assert parts_of([block.first])[0].seed == 9
    part = block.at([0, 2], (4, 6))
    assert (part.keys, part.candidates, part.training_set) == (("a", "c"), (4, 6), "name")
    assert not len(Fits([]))


def test_single_fits_to_one_training_set_are_put_together():
    block, other = some_block(), some_block()
    found = fits_together([block.fit(0), other, block.fit(2), other.fit(1)])
    assert [(len(part.keys), part.method, part.training_set) for part in found] == [
        (3, 1, "name"),
        (2, 1, ""),
        (1, 1, ""),
    ]
    assert found[1].keys == ("a", "c")
    assert found[1].fit(1).candidate == 6
    assert found[1].train is block.train
    assert found[1].rows is block.rows
    assert found[1].responses == ("predict",)


def test_batches_travel():
    batch = pickle.loads(pickle.dumps(SharedBatch([some_block()])))
    assert isinstance(batch, SharedBatch)
    assert [fit.key for fit in batch] == ["a", "b", "c"]


def test_a_study_is_the_same_fit_by_fit(monkeypatch):
    """The twin of blocks: every fit a value of its own."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 3))
    X[5] = X[6]  # ties
    y = X @ [1.0, 2.0, 0.0] + rng.normal(size=24)
    learners = {
        "k-nn": fw.tune("k-nn", space={"n_neighbors": [1, 3, 4], "p": [1, 2], "weights": ["uniform", "distance"]}),
        "ridge": fw.tune("ridge", space={"alpha": [0.1, 1.0, 10.0, 50.0]}),
        "lasso": fw.tune("lasso", space={"alpha": [0.1, 1.0]}),
    }
    options = {"inner": 3, "jobs": 1, "progress": False}

    def answers():
        numbers = fw.compare(learners, X, y, outer="loo", **options)
        own = {name: learners[name] for name in ("k-nn", "ridge")}
        classes = fw.compare(own, X, y > 0, outer=3, optimism=True, **options)
        return without_seconds([numbers.to_dict(), classes.to_dict()])

    found, blocks = answers(), needed.needed_parts
    seen = []

    def one_by_one(*words, **options):
        for part in blocks(*words, **options):
            seen.append(isinstance(part, FitBlock))
            yield from Fits([part])

    monkeypatch.setattr(queue, "needed_parts", one_by_one)
    assert answers() == found
    assert any(seen)
    assert all(isinstance(fit, Fit) for fit in Fits([some_block()]))
