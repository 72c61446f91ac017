"""Neural networks."""

from __future__ import annotations

from typing import Any

from foldwise.learners.zoo.entry import Entry, Facts, Size, Written, pick


def _make_neural_net(facts: Facts) -> Any:
    from foldwise.learners.estimators.neural_net import NeuralNetClassifier, NeuralNetRegressor

    return NeuralNetClassifier() if facts.is_classification else NeuralNetRegressor()


def _neural_net_space(facts: Facts, size: Size) -> Written:
    """Steps and penalties matter more than the shape, so the shape varies little unless a large space is asked for."""
    space: dict[str, Any] = {
        "layers": pick(size, [2], [1, 2], [1, 2, 3]),
        "width": pick(size, [64], [64], [32, 128]),
        "learning_rate": pick(size, [1e-3, 3e-3], [1e-3, 5e-3], [3e-4, 1e-3, 5e-3]),
        "dropout": pick(size, [0.0], [0.0, 0.2], [0.0, 0.2]),
        "l2": pick(size, [1e-4], [1e-4], [0.0, 1e-3]),
    }
    return space if size != "large" else {**space, "l1": [0.0, 1e-4]}


ENTRIES = (
    Entry(
        "neural-net",
        "a network of two layers that stops when rows split off its training part get no better",
        _make_neural_net,
        _neural_net_space,
        {"layers": "low", "width": "low", "learning_rate": "low", "dropout": "high", "l2": "high", "l1": "high"},
        solver="",
        scale=True,
        takes_sparse=False,
        extra="torch",
    ),
)
