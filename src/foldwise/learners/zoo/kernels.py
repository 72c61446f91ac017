"""Kernel machines; their cost grows with the square or the cube of the rows, so they learn from a sample of many."""

from __future__ import annotations

from typing import Any

from foldwise.learners.zoo.entry import REGRESSION, Entry, Facts, Size, Written, pick, scaled_target
from foldwise.spaces.parameter import log_range
from foldwise.spaces.space import Direction

LIKENESS = ["linear", "poly", "rbf"]  # from simple to complex


def _gammas(facts: Facts, points: int) -> Any:
    """Widths around that of the cloud of points: distances of scaled columns grow with their number."""
    columns = max(facts.columns, 1)
    return log_range(round(0.01 / columns, 8), round(3.0 / columns, 8), points)


def _unit(facts: Facts) -> list[float]:
    return [round(1.0 / max(facts.columns, 1), 8)]


def _make_svm(facts: Facts) -> Any:
    from sklearn.svm import SVC, SVR

    return SVC() if facts.is_classification else scaled_target(SVR())


def _svm_space(facts: Facts, size: Size) -> Written:
    """Penalties up to where the machine stops learning and only takes longer; for numbers that is sooner."""
    most = 10.0 if facts.is_classification else 1.0
    linear: dict[str, Any] = {"kernel": ["linear"], "C": log_range(1e-3, most, pick(size, 2, 4, 9))}
    bent = {"kernel": ["poly"], "C": log_range(0.01, most, pick(size, 2, 3, 7)), "degree": [2, 3]}
    bent |= {"gamma": _unit(facts), "coef0": [1.0]}
    radial: dict[str, Any] = {"kernel": ["rbf"], "C": log_range(0.1, 100 * most, pick(size, 3, 5, 9))}
    radial |= {"gamma": _gammas(facts, pick(size, 3, 5, 9))}
    if size == "small":
        return [radial]
    if facts.is_classification:
        finer = {"C": log_range(0.1, 100 * most, 6), "gamma": _gammas(facts, 7)}
        return [linear, bent, radial if size == "large" else radial | finer]
    if size == "large":
        return [block | {"epsilon": [0.01, 0.1, 0.3]} for block in (linear, bent, radial)] + [_sharp(facts, [0.003])]
    return [linear, bent, radial | {"epsilon": [0.1]}, _sharp(facts, [0.01])]


def _sharp(facts: Facts, tubes: list[float]) -> dict[str, Any]:
    """For targets nearly without noise: a narrow tube without loss, and a large penalty on errors."""
    columns = max(facts.columns, 1)
    # a fit at the largest penalty takes half a minute where there are thousands of rows and noise
    most = 1000.0 if facts.rows <= 1000 else 100.0
    gammas = [round(width / columns, 8) for width in (0.05, 0.15, 0.5)]
    return {"kernel": ["rbf"], "C": [most / 10, most], "gamma": gammas, "epsilon": tubes}


def _make_kernel_ridge(facts: Facts) -> Any:
    from sklearn.kernel_ridge import KernelRidge

    return scaled_target(KernelRidge(kernel="rbf"))


def _kernel_ridge_space(facts: Facts, size: Size) -> Written:
    alphas = log_range(1e-5, 10.0, pick(size, 7, 19, 37))
    radial = {"kernel": ["rbf"], "alpha": alphas, "gamma": _gammas(facts, pick(size, 3, 5, 9))}
    bent = {"kernel": ["poly"], "alpha": alphas, "degree": [2, 3], "gamma": _unit(facts), "coef0": [1.0]}
    sharp = {"kernel": ["laplacian"], "alpha": alphas, "gamma": _gammas(facts, pick(size, 3, 3, 7))}
    return pick(size, [radial], [bent, radial], [bent, radial, sharp])


def _make_gaussian_process(facts: Facts) -> Any:
    from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern

    scale = round(max(facts.columns, 1) ** 0.5, 3)
    smooth = Matern(length_scale=scale, nu=2.5)
    if facts.is_classification:
        return GaussianProcessClassifier(ConstantKernel(10.0) * smooth, optimizer=None)
    return GaussianProcessRegressor(smooth, alpha=0.1, optimizer=None, normalize_y=True)


def _gaussian_process_space(facts: Facts, size: Size) -> Written:
    """The kernel's roughness and reach, and the noise, on inner splits rather than by the likelihood."""
    reach = max(facts.columns, 1) ** 0.5
    scales = pick(size, [1.0, 5.0], [0.5, 1.5, 4.0, 10.0], [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0])
    lengths = [round(reach * scale, 3) for scale in scales]
    if facts.is_classification:  # one fit for each, at several decompositions of the kernel
        return {"length_scale": lengths, "constant_value": pick(size, [10.0], [3.0, 30.0], [1.0, 10.0, 100.0])}
    roughness = pick(size, [2.5], [1.5, 2.5], [0.5, 1.5, 2.5])
    return {"nu": roughness, "length_scale": lengths, "alpha": log_range(1e-5, 3.0, pick(size, 6, 17, 33))}


_SIMPLER_KERNEL: dict[str, Direction] = {
    "kernel": [*LIKENESS, "laplacian"],
    "alpha": "high",
    "C": "low",
    "degree": "low",
    "gamma": "low",
    "coef0": "low",
    "epsilon": "high",
}

ENTRIES = (
    Entry(
        "svm",
        "a support vector machine with a linear, polynomial or Gaussian kernel",
        _make_svm,
        _svm_space,
        _SIMPLER_KERNEL,
        solver="distances once per fold, one kernel for all C",
        scale=True,
        words=True,
        most_rows=5_000,
    ),
    Entry(
        "kernel-ridge",
        "ridge in the space of a kernel",
        _make_kernel_ridge,
        _kernel_ridge_space,
        _SIMPLER_KERNEL,
        tasks=REGRESSION,
        instead="svm",
        solver="all penalties of a kernel from one decomposition",
        scale=True,
        most_rows=5_000,
    ),
    Entry(
        "gaussian-process",
        "a Gaussian process with a Matern kernel",
        _make_gaussian_process,
        _gaussian_process_space,
        {"nu": "high", "length_scale": "high", "alpha": "high", "constant_value": "low"},
        solver="all noises of a kernel from one decomposition (regression)",
        scale=True,
        takes_sparse=False,
        takes_weights=False,
        most_rows=2_000,
    ),
)
