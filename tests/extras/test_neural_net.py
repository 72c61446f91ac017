"""The neural net (learners/estimators/neural_net.py, learners/estimators/torch_training.py)."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import skops.io
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.utils.estimator_checks import check_estimator

import foldwise as fw
from foldwise.api.model_schema import check_archive, check_schema
from foldwise.learners.estimators.neural_net import NeuralNetClassifier, NeuralNetRegressor

pytestmark = pytest.mark.extras
torch = pytest.importorskip("torch")
QUICK = {"learning_rate": 0.01, "max_epochs": 60, "random_state": 0}
BATCHED = "rows are drawn in batches and some are split off, so a row of weight two is not two rows"


def waves(rows: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    return X, 3 * np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.2 * rng.normal(size=rows)


def test_it_beats_a_linear_model_on_a_problem_that_is_not_linear():
    X, y = waves(700)
    net = NeuralNetRegressor(**QUICK, dropout=0.05, l1=1e-5, l2=1e-5).fit(X[:400], y[:400])
    line = LinearRegression().fit(X[:400], y[:400])
    errors = [np.mean((model.predict(X[400:]) - y[400:]) ** 2) for model in (net, line)]
    assert errors[0] < 0.5 * errors[1]


def test_it_beats_a_linear_model_where_classes_are_not_separated_by_lines():
    X, _ = waves(700)
    labels = np.array(["low", "middle", "high"])[np.digitize(X[:, 0] * X[:, 1], [-0.4, 0.4])]
    net = NeuralNetClassifier(**QUICK).fit(X[:400], labels[:400])
    line = LogisticRegression().fit(X[:400], labels[:400])
    assert net.score(X[400:], labels[400:]) > line.score(X[400:], labels[400:]) + 0.15
    shares = net.predict_proba(X[400:])
    assert_allclose(shares.sum(axis=1), 1.0)
    assert_array_equal(net.classes_[shares.argmax(axis=1)], net.predict(X[400:]))


@pytest.mark.parametrize("kind", [NeuralNetRegressor, NeuralNetClassifier])
def test_the_seed_decides_bit_for_bit_and_the_worlds_numbers_stay(kind):
    X, y = waves(120)
    y = y if kind is NeuralNetRegressor else y > 1
    learner = kind(dropout=0.3, max_epochs=15, random_state=3)
    torch.manual_seed(5)
    first = learner.fit(X, y).coefs_
    drawn = torch.rand(3)
    torch.manual_seed(5)
    assert torch.equal(torch.rand(3), drawn)

    for a, b in zip(first, clone(learner).fit(X, y).coefs_, strict=True):
        assert_array_equal(a, b)
    other = clone(learner).set_params(random_state=4).fit(X, y).coefs_
    assert not np.array_equal(first[0], other[0])


def test_the_number_of_threads_makes_no_difference_and_is_put_back():
    X, y = waves(300)
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        two = NeuralNetRegressor(max_epochs=5, random_state=0).fit(X, y)
        assert torch.get_num_threads() == 2
        torch.set_num_threads(1)
        one = NeuralNetRegressor(max_epochs=5, random_state=0).fit(X, y)
    finally:
        torch.set_num_threads(threads)
    assert_array_equal(one.predict(X), two.predict(X))


def test_training_stops_early_and_keeps_the_best_epoch():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 5)), rng.normal(size=150)  # nothing to learn
    net = NeuralNetRegressor(patience=5, max_epochs=500, random_state=0).fit(X, y)
    assert net.n_iter_ < 100
    assert net.best_epoch_ == net.n_iter_ - 5 == np.argmin(net.held_out_losses_)

    short = clone(net).set_params(max_epochs=max(net.best_epoch_, 1), patience=500).fit(X, y)
    assert_array_equal(short.held_out_losses_, net.held_out_losses_[: short.n_iter_ + 1])
    if net.best_epoch_:
        assert_array_equal(short.predict(X), net.predict(X))


def test_the_loss_that_stops_it_is_that_of_the_rows_split_off():
    """The weights kept are those of the best epoch: their loss, worked out in NumPy, is the smallest recorded."""
    from foldwise.learners.estimators.neural_net import MOST_SEEDS, split_off

    X, y = waves(200)
    weights = np.random.default_rng(1).uniform(0.5, 2, 200)
    net = NeuralNetRegressor(max_epochs=30, random_state=9).fit(X, y, sample_weight=weights)
    seed = int(np.random.RandomState(9).randint(MOST_SEEDS))
    aside = split_off(np.zeros(200, np.int64), 0.15, np.random.default_rng(seed))
    errors = ((net.predict(X) - y) / net.target_scale_) ** 2
    assert_allclose(np.average(errors[aside], weights=weights[aside]), net.held_out_losses_.min(), rtol=1e-5)


def test_held_out_rows_change_nothing():
    X, y = waves(60)
    poisoned, far = X.copy(), y.copy()
    poisoned[:10], far[:10] = 1e6, -1e6
    answers = []
    for table, target in ((X, y), (poisoned, far)):
        labels = np.repeat([0, 1, 2], [10, 25, 25])
        learner = NeuralNetRegressor(max_epochs=5, random_state=0)
        found = fw.compare({"net": learner}, table, target, outer=labels, inner=2, jobs=1)
        losses = found.losses()
        answers.append(losses)
    # fold 0 holds the poisoned rows: its model, trained on the others, is the same
    rows = [table[(table["fold"] == 0) & (table["method"] == "net")] for table in answers]
    model = NeuralNetRegressor(max_epochs=5, random_state=0).fit(X[10:], y[10:])
    for table, X_given in zip(rows, (X, poisoned), strict=True):
        assert_allclose(table["prediction"].to_numpy(), model.predict(X_given[:10]), rtol=1e-9)


def test_rows_of_weight_zero_are_as_if_they_were_not_there():
    X, y = waves(100)
    weights = np.r_[np.zeros(20), np.ones(80)]
    y[:20] = 1e6
    weighted = NeuralNetRegressor(max_epochs=5, random_state=0).fit(X, y, sample_weight=weights)
    without = NeuralNetRegressor(max_epochs=5, random_state=0).fit(X[20:], y[20:])
    assert_array_equal(weighted.predict(X), without.predict(X))


def test_heavy_rows_pull_the_predictions():
    X = np.random.default_rng(0).normal(size=(200, 1))
    y = np.tile([0.0, 1.0], 100)
    weights = np.tile([1.0, 9.0], 100)
    net = NeuralNetRegressor(**QUICK).fit(X, y, sample_weight=weights)
    assert net.predict(X).mean() == pytest.approx(0.9, abs=0.05)


@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_penalties_draw_the_weights_towards_zero(penalty):
    X, y = waves(150)
    sizes = [
        np.abs(NeuralNetRegressor(**QUICK, **{penalty: strength}).fit(X, y).coefs_[1]).mean() for strength in (0, 0.05)
    ]
    assert sizes[1] < 0.5 * sizes[0]


def test_the_steps_are_those_of_torchs_own_adam():
    from foldwise.learners.estimators.torch_training import _Adam

    start = [torch.randn(3, 2, generator=torch.Generator().manual_seed(0)), torch.ones(2)]
    own, theirs = _Adam(torch, start, 0.1), [values.clone().requires_grad_() for values in start]
    steps = torch.optim.Adam(theirs, lr=0.1)
    for _ in range(20):
        losses = [(sum((p - 3) ** 4 for p in (a[0], a[1], b))).sum() for a, b in (own.parameters, theirs)]
        own.take(own.gradient(losses[0]))
        steps.zero_grad()
        losses[1].backward()
        steps.step()
    for mine, other in zip(own.parameters, theirs, strict=True):
        assert_allclose(mine.detach(), other.detach(), rtol=1e-4)


@pytest.mark.parametrize("kind", [NeuralNetRegressor, NeuralNetClassifier])
def test_saved_models_answer_without_torch(kind, tmp_path):
    X, y = waves(80)
    model = kind(max_epochs=3, random_state=0).fit(X, y if kind is NeuralNetRegressor else np.digitize(y, [0, 1]))
    written = skops.io.dumps(model)
    trusted = skops.io.get_untrusted_types(data=written)
    check_archive(written)
    check_schema(written)
    assert_array_equal(skops.io.loads(written, trusted=trusted).predict(X), model.predict(X))

    (tmp_path / "model.pkl").write_bytes(pickle.dumps(model))
    np.save(tmp_path / "X.npy", X)
    (tmp_path / "torch.py").write_text("raise ImportError('no torch here')")
    code = (
        "import pickle, numpy as np;"
        "model = pickle.load(open('model.pkl', 'rb')); np.save('out.npy', model.predict(np.load('X.npy')))"
    )
    here = {**os.environ, "PYTHONPATH": str(Path(fw.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=here, check=True)
    assert_array_equal(np.load(tmp_path / "out.npy"), model.predict(X))


def test_its_five_parameters_are_tuned_by_name():
    X, y = waves(60)
    space = {"layers": [1, 2], "width": [4], "learning_rate": [0.01], "dropout": [0.1], "l1": [1e-4], "l2": [1e-4]}
    found = fw.compare({"net": fw.tune(NeuralNetRegressor(max_epochs=3), **space)}, X, y, outer=3, inner=2, jobs=1)
    assert set(found.choices()["candidate"].iloc[0]) == set(space)


@pytest.mark.parametrize(
    "bad", [{"layers": 0}, {"width": 0}, {"learning_rate": 0.0}, {"dropout": 1.0}, {"l1": -1.0}, {"max_epochs": 0}]
)
def test_impossible_parameters_are_refused(bad):
    [name] = bad
    with pytest.raises(ValueError, match=f"The {name!r} parameter of NeuralNetRegressor must be"):
        NeuralNetRegressor(**bad).fit([[0.0], [1.0]], [0.0, 1.0])


def test_tiny_tables_and_single_classes_are_learnt_without_early_stopping():
    net = NeuralNetRegressor(max_epochs=3, random_state=0).fit([[0.0], [1.0]], [5.0, 5.0])
    assert net.n_iter_ == net.best_epoch_ == 3
    assert net.held_out_losses_.size == 0
    assert_allclose(net.predict([[0.5]]), 5.0, atol=2)
    one = NeuralNetClassifier(max_epochs=2).fit([[0.0], [1.0], [2.0]], ["a", "a", "a"])
    assert one.predict([[9.0]]).tolist() == ["a"]


@pytest.mark.parametrize("kind", [NeuralNetRegressor, NeuralNetClassifier])
@pytest.mark.filterwarnings("ignore")
def test_it_is_a_scikit_learn_estimator(kind):
    expected = {"check_sample_weight_equivalence_on_dense_data": BATCHED}
    learner = kind(learning_rate=0.01, max_epochs=60)
    found = check_estimator(learner, expected_failed_checks=expected, on_skip=None)
    failed = {one["check_name"] for one in found if one["status"] in ("failed", "xfail")}
    assert failed == set(expected)
