"""Training the neural net: the one file that needs torch, imported when a net is fitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.errors import MissingExtra

FEWEST_BATCHES = 8  # batches of an epoch: small tables need steps more than smooth gradients
LEAST_BATCH = 16
DECAYS, EPSILON = (0.9, 0.999), 1e-8  # of Adam


@dataclass(frozen=True, eq=False)
class Net:
    """The weights of the best epoch, and how training went."""

    coefs: list[FloatArray]
    intercepts: list[FloatArray]
    held_out_losses: FloatArray  # by epoch, the first before any step; empty without held-out rows
    epochs: int
    best_epoch: int


def need_torch() -> Any:
    """Torch, or one sentence about how to get it."""
    try:
        import torch
    except ImportError:
        raise MissingExtra(
            "the learner 'neural-net' needs torch, which is not installed", 'Run pip install "foldwise[torch]"'
        ) from None
    return torch


def train(
    X: FloatArray, targets: FloatArray, weights: FloatArray, held_out: AnyArray, seed: int, options: Mapping[str, Any]
) -> Net:
    """Fit a net to the rows that are not held out; all chance comes from the seed, and one thread does it."""
    torch = need_torch()
    with _one_thread(torch):
        part = [torch.from_numpy(np.ascontiguousarray(array, np.float32)) for array in (X, targets, weights)]
        kept, aside = torch.from_numpy(~held_out), torch.from_numpy(held_out)
        run = _Run(torch, [array[kept] for array in part], [array[aside] for array in part], seed, options)
        return run.net()


class _Run:
    """One training: parameters, optimiser and the random numbers of this fit alone."""

    def __init__(self, torch: Any, inside: list[Any], aside: list[Any], seed: int, options: Mapping[str, Any]) -> None:
        self.torch, self.inside, self.aside, self.options = torch, inside, aside, options
        self.chance = torch.Generator().manual_seed(seed)
        width, layers = int(options["width"]), int(options["layers"])
        sizes = [inside[0].shape[1], *[width] * layers, inside[1].shape[1]]
        gains = [*[2.0] * layers, 1.0]  # rectified units halve the variance of what they are given
        start = [
            torch.randn(a, b, generator=self.chance) * (gain / a) ** 0.5
            for (a, b), gain in zip(pairwise(sizes), gains, strict=True)
        ]
        self.penalised = sum(values.numel() for values in start)
        self.steps = _Adam(torch, [*start, *map(torch.zeros, sizes[1:])], float(options["learning_rate"]))
        self.coefs, self.intercepts = self.steps.parameters[: len(start)], self.steps.parameters[len(start) :]
        rows = inside[0].shape[0]
        self.batch = min(int(options["batch_size"]), max(rows // FEWEST_BATCHES, LEAST_BATCH))

    def net(self) -> Net:
        """Train until the held-out loss stops falling, or to the last epoch where no rows are held out."""
        losses: list[float] = []
        best, best_epoch, epoch = self._weights(), 0, 0
        is_watched = self.aside[0].shape[0] > 0
        if is_watched:
            losses.append(self._held_out_loss())
        for epoch in range(1, int(self.options["max_epochs"]) + 1):
            self._epoch()
            if is_watched:
                losses.append(self._held_out_loss())
                if losses[-1] < losses[best_epoch]:
                    best, best_epoch = self._weights(), epoch
                elif epoch - best_epoch >= int(self.options["patience"]):
                    break
        if not is_watched:
            best, best_epoch = self._weights(), epoch
        layers = len(self.coefs)
        return Net(best[:layers], best[layers:], np.array(losses), epoch, best_epoch)

    def _epoch(self) -> None:
        order = self.torch.randperm(self.inside[0].shape[0], generator=self.chance)
        batches = (array[order].split(self.batch) for array in self.inside)
        for table, targets, weights in zip(*batches, strict=True):
            loss = self._loss(self._forward(table, drop=True), targets, weights) / len(weights)
            self.steps.take(self._penalised(self.steps.gradient(loss)))

    def _forward(self, table: Any, *, drop: bool) -> Any:
        torch, share = self.torch, float(self.options["dropout"])
        for coefs, intercepts in zip(self.coefs[:-1], self.intercepts[:-1], strict=True):
            table = torch.relu(torch.addmm(intercepts, table, coefs))
            if drop and share > 0:
                kept = torch.empty(table.shape).bernoulli_(1 - share, generator=self.chance)
                table = table * kept.div_(1 - share)
        return torch.addmm(self.intercepts[-1], table, self.coefs[-1])

    def _loss(self, outputs: Any, targets: Any, weights: Any) -> Any:
        """The weighted sum of squares, or of minus the log share of the true class."""
        if targets.shape[1] == 1:
            return (weights * (outputs[:, 0] - targets[:, 0]) ** 2).sum()
        return -(weights * (outputs.log_softmax(dim=1) * targets).sum(dim=1)).sum()

    def _penalised(self, gradient: Any) -> Any:
        """The gradient with that of l1 times the sum of the absolute weights and l2 times that of their squares."""
        l1, l2 = float(self.options["l1"]), float(self.options["l2"])
        weights = self.steps.flat[: self.penalised]
        if l1:
            gradient[: self.penalised].add_(weights.sign(), alpha=l1)
        if l2:
            gradient[: self.penalised].add_(weights, alpha=2 * l2)
        return gradient

    def _held_out_loss(self) -> float:
        table, targets, weights = self.aside
        with self.torch.no_grad():
            total = self._loss(self._forward(table, drop=False), targets, weights)
            return float(total / weights.sum())

    def _weights(self) -> list[FloatArray]:
        return [value.detach().numpy().astype(np.float64) for value in self.steps.parameters]


class _Adam:
    """Steps by Adam (Kingma and Ba, 2015) on all parameters as one vector.

    Torch's own optimisers import a compiler first, which takes longer than training on a small table.
    """

    def __init__(self, torch: Any, start: list[Any], rate: float) -> None:
        self.torch, self.rate, self.count = torch, rate, 0
        self.flat = torch.cat([values.flatten() for values in start])
        pieces = self.flat.split([values.numel() for values in start])
        shaped = (piece.view(values.shape) for piece, values in zip(pieces, start, strict=True))
        self.parameters = [piece.detach().requires_grad_() for piece in shaped]
        self.mean, self.square = torch.zeros_like(self.flat), torch.zeros_like(self.flat)

    def gradient(self, loss: Any) -> Any:
        return self.torch.cat([part.flatten() for part in self.torch.autograd.grad(loss, self.parameters)])

    def take(self, gradient: Any) -> None:
        self.count += 1
        self.mean.lerp_(gradient, 1 - DECAYS[0])
        self.square.mul_(DECAYS[1]).addcmul_(gradient, gradient, value=1 - DECAYS[1])
        spread = self.square.div(1 - DECAYS[1] ** self.count).sqrt_().add_(EPSILON)
        self.flat.addcdiv_(self.mean, spread, value=-self.rate / (1 - DECAYS[0] ** self.count))


@contextmanager
def _one_thread(torch: Any) -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
