"""The exhibits of the gallery."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from foldwise.lab.decomposition import cv_means, decompose, mean_error, model_risks, nearest_mean, ridge, theorem
from foldwise.lab.exhibit import BLUE, GREEN, GREY, ORANGE, Exhibit, curves, exhibit, finish, times
from foldwise.lab.problems import find_problem

PARTS = {"unused": "#ffffff", "train": "#9ecae1", "dev": "#fdae6b", "test": "#D55E00"}  # colours of a fold diagram
SMOOTH_ROWS = 100


@exhibit("knn-fits", "k-nearest neighbours: too few, enough, too many")
def knn_fits(size: float, seed: int) -> Exhibit:
    """One data set of the lectures' kind and three fits; `size` changes nothing."""
    problem, rng = find_problem("smooth"), np.random.default_rng([seed, 3])
    X, y = problem.draw(SMOOTH_ROWS, rng)
    grid = np.linspace(0.002, 0.998, 499)[:, None]
    cases = {1: "too few: it follows the noise", 9: "about right", 60: "too many: it flattens the wave"}
    fits = {k: nearest_mean(X, y, grid, value=k) for k in cases}
    train = [round(float(((nearest_mean(X, y, X, value=k) - y) ** 2).mean()), 12) for k in cases]
    risks = [float(problem.risk(grid, fit)) for fit in fits.values()]
    sentence = (
        f"With k = 9 the risk is {risks[1]:.3f}; with k = 1 it is {risks[0]:.3f} although the training error is "
        f"{train[0]:.3f}, and with k = 60 it is {risks[2]:.3f}. Nothing can be below {problem.bayes:.3f}."
    )

    def draw(fit: Any, axes: Any) -> None:
        axes.scatter(X[:, 0], y, s=9, color=GREY, alpha=0.7, label="rows")
        axes.plot(grid[:, 0], problem.mean(grid), color=BLUE, linewidth=1.5, label="regression function")
        axes.plot(grid[:, 0], fit, color=ORANGE, linewidth=1.3, label="k-NN")
        finish(axes, "x", "y")

    panels = {f"k = {k}: {words}": partial(draw, fits[k]) for k, words in cases.items()}
    data = {"k": list(cases), "training error": train, "risk": risks}
    return Exhibit(data, sentence, risks[1] < min(risks[0], risks[2]), panels, (3.6, 3.2), 3)


@exhibit("knn-curves", "Training error, test error and gap")
def knn_curves(size: float, seed: int) -> Exhibit:
    """Means over data sets of the errors of k-NN for every k at once."""
    problem, rng, count = find_problem("smooth"), np.random.default_rng([seed, 4]), times(400, size)
    grid, ks = ((np.arange(400) + 0.5) / 400)[:, None], np.arange(1, 61)
    train, test = np.zeros(len(ks)), np.zeros(len(ks))
    for _ in range(count):
        X, y = problem.draw(SMOOTH_ROWS, rng)
        train += ((_paths(X, y, X, ks) - y) ** 2).mean(-1) / count
        test += problem.risk(grid, _paths(X, y, grid, ks)) / count
    gap, best = test - train, int(ks[test.argmin()])
    data = {"k": ks, "training error": train, "test error": test, "gap": gap}
    sentence = (
        f"Over {count} data sets of {SMOOTH_ROWS} rows the training error grows with k, the gap shrinks, and their "
        f"sum, the test error, is smallest at k = {best} ({test.min():.3f}; Bayes risk {problem.bayes:.3f})."
    )
    is_true = train[0] < train[best - 1] < train[-1] and gap[0] > gap[best - 1] and 1 < best < ks[-1]
    styles = {"training error": (ORANGE, "-"), "test error": (BLUE, "-"), "gap": (GREEN, "-")}

    def draw(axes: Any) -> None:
        axes.axhline(problem.bayes, color=GREY, linestyle=":", label="Bayes risk")
        axes.axvline(best, color=GREY, linewidth=0.8)
        axes.text(best - 0.5, test.max(), "overfitting", ha="right", fontsize=8)
        axes.text(best + 0.5, test.max(), "underfitting", fontsize=8)
        curves(data, styles, "number of neighbours k", "mean squared error")(axes)

    return Exhibit(data, sentence, bool(is_true), draw)


def _paths(X: Any, y: Any, new: Any, ks: Any) -> Any:
    """Predictions[k - 1, point] of all k at once: running means over the neighbours in order of distance."""
    near = np.argsort(np.abs(new - X[:, 0]), axis=1, kind="stable")[:, : len(ks)]
    return (np.cumsum(y[near], axis=1) / ks).T


@exhibit("folds", "Fold diagrams of every scheme")
def folds(size: float, seed: int) -> Exhibit:
    """A tiny study of each scheme and its `splits()`; `size` changes nothing."""
    from sklearn.linear_model import Ridge

    from foldwise.api.compare import compare
    from foldwise.learners.tuned import tune
    from foldwise.splits.temporal import TimeOrdered

    rows, rng = np.arange(26), np.random.default_rng([seed, 5])
    X, y = rng.normal(size=(len(rows), 2)), rng.normal(size=len(rows))
    schemes: dict[str, dict[str, Any]] = {
        "holdout: outer=0.2, inner=0.25": {"outer": 0.2, "inner": 0.25},
        "K-fold: outer=5": {"outer": 5},
        'leave-one-out: outer="loo"': {"outer": "loo"},
        "nested: outer=4, inner=3": {"outer": 4, "inner": 3},
        'lines: outer=7, inner="lines"': {"outer": 7, "inner": "lines"},
        'pairs: outer=4, inner="pairs"': {"outer": 4, "inner": "pairs"},
        "groups of two rows: outer=4": {"outer": 4, "groups": rows // 2},
        "time: outer=TimeOrdered(5)": {"outer": TimeOrdered(5), "time": rows},
    }
    data, panels, is_true = [], {}, True
    for title, options in schemes.items():
        learner = tune(Ridge(), alpha=[0.1, 1.0]) if "inner" in options else Ridge()
        result = compare({"ridge": learner}, X, y, seed=seed, jobs=1, progress=False, guards=False, **options)
        picture, is_apart = _parts_by_model(result.splits(), len(rows))
        is_true &= is_apart
        data.append({"scheme": title, "lines": len(picture), "fits": result.to_dict()["methods"][0]["fits"]})
        panels[title] = partial(_draw_parts, picture)
    sentence = (
        "Each line is one model: the rows it trains on (blue), the rows that tune it (light orange) and the rows that "
        "judge it (dark orange). A row that judges never trains or tunes in the same line."
    )
    return Exhibit(data, sentence, is_true, panels, (4.6, 2.6))


def _parts_by_model(splits: Any, rows: int) -> tuple[Any, bool]:
    """Codes[model, row] of the parts, rows in the order of their folds; and do test rows never train or tune?"""
    codes, is_apart, lines = {name: code for code, name in enumerate(PARTS)}, True, []
    for (_, fold), outer in splits[splits["level"] == "outer"].groupby(["repeat", "fold"], sort=False):
        tests = outer.loc[outer["part"] == "test", "row"]
        inner = splits[(splits["level"] == "inner") & (splits["fold"].astype(str) == str(fold))]
        models = [model for _, model in inner.groupby("inner_fold", sort=False)]
        for model in models or [outer[outer["part"] == "train"]]:
            line = np.zeros(rows)
            line[model["row"]] = np.where(model["part"] == "train", codes["train"], codes["dev"])
            is_apart &= not line[tests].any()
            line[tests] = codes["test"]
            lines.append(line)
    picture = np.array(lines)
    is_tested = picture == codes["test"]
    first = np.where(is_tested.any(axis=0), is_tested.argmax(axis=0), -1)
    return picture[:, np.argsort(first, kind="stable")], is_apart


def _draw_parts(picture: Any, axes: Any) -> None:
    from matplotlib.colors import ListedColormap

    colours = ListedColormap(list(PARTS.values()))
    axes.imshow(picture, aspect="auto", interpolation="nearest", cmap=colours, vmin=-0.5, vmax=3.5)
    axes.set(xlabel="rows, in the order of the folds that judge", ylabel="model", xticks=[], yticks=[])


@exhibit("one-split", "One split is one draw")
def one_split(size: float, seed: int) -> Exhibit:
    """Least squares on one table, judged by many random splits and by many cross-validations."""
    rng, count, rows = np.random.default_rng([seed, 6]), times(1000, size, least=100), 150
    X, y = find_problem("linear").draw(rows, rng)

    def loss(test: Any) -> float:
        train = np.setdiff1d(np.arange(rows), test)
        return float(((ridge(X[train], y[train], X[test]) - y[test]) ** 2).mean())

    single = np.array([loss(rng.permutation(rows)[: rows // 5]) for _ in range(count)])
    partitions = [np.array_split(rng.permutation(rows), 10) for _ in range(count // 4)]
    cv = np.array([np.mean([loss(test) for test in partition]) for partition in partitions])
    estimates = {f"one split, {rows // 5} test rows": single, "10-fold cross-validation": cv}
    data = [
        {"estimate": name, "mean": e.mean(), "SD over seeds": e.std(ddof=1), "smallest": e.min(), "largest": e.max()}
        for name, e in estimates.items()
    ]
    ratio = single.std(ddof=1) / cv.std(ddof=1)
    sentence = (
        f"The same {rows} rows and the same learner: single splits give anything from {single.min():.2f} to "
        f"{single.max():.2f}; the spread over seeds is {ratio:.0f} times that of 10-fold cross-validation."
    )

    def draw(axes: Any) -> None:
        edges = np.linspace(single.min(), single.max(), 41)
        for (name, values), colour in zip(estimates.items(), (ORANGE, BLUE), strict=True):
            axes.hist(values, edges, density=True, color=colour, alpha=0.7, label=name)
        axes.set_yticks([])
        finish(axes, "estimated risk (squared loss)", "")

    return Exhibit(data, sentence, bool(ratio > 2), draw)


@exhibit("theorem-one", "Theorem 1: leave-one-out on m + 1 rows estimates the risk at m")
def theorem_one(size: float, seed: int) -> Exhibit:
    """Both means with their Monte-Carlo errors, from separate data sets."""
    count, data, z = times(20_000, size, least=1000), [], []
    cases = [("smooth", 10, None), ("smooth", 20, None), ("smooth", 40, None), ("linear", 20, None)]
    for problem, rows, k in [*cases, ("linear", 40, 5), ("linear", 40, 11)]:
        means = theorem(problem, rows=rows, folds=k, replications=count, seed=seed)
        scheme = f"{k}-fold on {rows + rows // (k - 1)} rows" if k else f"leave-one-out on {rows + 1} rows"
        estimates = {"mean estimate": means["cv"], "mean risk at m": means["risk"]}
        data.append({"problem": problem, "estimate": scheme, "m": rows, **estimates, "z": means["z"]})
        z.append(means["z"])
    sentence = (
        f"In {len(z)} settings, {count:,} data sets each, the two means differ by at most {max(map(abs, z)):.1f} of "
        f"their Monte-Carlo standard errors. If they were equal, the largest of {len(z)} such differences would exceed "
        "2.6 in one run of 20; so the theorem is not contradicted."
    )

    def draw(axes: Any) -> None:
        label = "mean estimate less mean risk at m"
        axes.errorbar(range(len(z)), z, yerr=1, fmt="o", color=BLUE, capsize=3, label=label)
        axes.axhline(0, color=ORANGE, linestyle="--", linewidth=1, label="the theorem")
        axes.set_ylim(-4, 4)
        axes.set_xticks(range(len(z)), [f"{line['problem']}\n{line['estimate']}" for line in data], fontsize=6)
        finish(axes, "", "difference in standard errors")

    return Exhibit(data, sentence, max(map(abs, z)) < 3.5, draw, (8, 3.2))  # by chance above in 1 of 400 runs


@exhibit("bias-of-k", "The bias of K-fold cross-validation against K")
def bias_of_k(size: float, seed: int) -> Exhibit:
    """Mean estimates of k-NN on 60 rows, beside the mean risk at the training size and at all rows."""
    problem, knn, rows, ks = find_problem("smooth"), nearest_mean, 60, (2, 3, 5, 10, 20, 60)
    count, rng = times(8000, size, least=500), np.random.default_rng([seed, 2])
    full = float(model_risks(problem, knn, rows, count, rng).mean())
    estimates = [cv_means(problem, knn, (rows, k), count, rng) for k in ks]
    risks = [model_risks(problem, knn, rows - rows // k, count, rng) for k in ks]
    data: dict[str, Any] = {
        "K": ks,
        "training rows": [rows - rows // k for k in ks],
        "mean estimate": [each.mean() for each in estimates],
        "mean risk at these rows": [each.mean() for each in risks],
        "error": [float(np.hypot(mean_error(e), mean_error(r))) for e, r in zip(estimates, risks, strict=True)],
        "mean risk at all rows": full,
    }
    first, last = (data["mean estimate"][place] / full - 1 for place in (0, -1))
    apart = np.abs(np.subtract(data["mean estimate"], data["mean risk at these rows"])) / data["error"]
    sentence = (
        f"On {rows} rows 2-fold cross-validation is {100 * first:.0f} % above the risk at all rows, leave-one-out "
        f"{100 * last:.1f} %. Each estimate agrees with the risk at its own number of training rows."
    )

    def draw(axes: Any) -> None:
        places, bars = range(len(ks)), {"yerr": 2 * np.array(data["error"]), "fmt": "o", "capsize": 3}
        axes.errorbar(places, data["mean estimate"], color=BLUE, label="mean K-fold estimate", **bars)
        axes.plot(places, data["mean risk at these rows"], "x", color=ORANGE, label="risk at its training rows")
        axes.axhline(full, color=GREY, linestyle="--", linewidth=1, label=f"risk at all {rows} rows")
        axes.set_xticks(places, [str(k) for k in ks])
        finish(axes, "folds K", "mean squared error")

    return Exhibit(data, sentence, bool(first > last and apart.max() < 4), draw)


@exhibit("optimism", "The smallest CV score against nested CV")
def optimism(size: float, seed: int) -> Exhibit:
    """A target that depends on nothing; candidate j is a straight line in column j. All are models of 48 rows."""
    rng, count, rows = np.random.default_rng([seed, 7]), times(2000, size, least=100), 60
    tried = (1, 2, 5, 10, 20, 50, 100, 200)
    means = np.zeros((3, len(tried)))  # smallest score, nested CV, true risk
    for _ in range(count):
        X, y = rng.normal(size=(rows, max(tried))), rng.normal(size=rows)
        folds = np.array_split(rng.permutation(rows), 5)
        scores = _cv_scores(X, y, folds)
        for place, candidates in enumerate(tried):
            nested = [_nested(X[:, :candidates], y, folds, k) for k in range(len(folds))]
            means[:, place] += np.array([scores[:candidates].min(), *np.mean(nested, axis=0)]) / count
    score, nested_cv, risk = means
    data = {"candidates": tried, "smallest CV score": score, "nested CV": nested_cv, "true risk": risk}
    sentence = (
        f"Nothing can be learned here: the noise alone has risk 1. With {tried[-1]} candidates the smallest score "
        f"claims {score[-1]:.2f}, the true risk of what was chosen is {risk[-1]:.2f}, and nested cross-validation says "
        f"{nested_cv[-1]:.2f}."
    )
    is_true = score[-1] < 1 <= risk[-1] and abs(nested_cv[-1] - risk[-1]) < 0.1 < risk[-1] - score[-1]
    styles = {"smallest CV score": (ORANGE, "o-"), "nested CV": (BLUE, "s-"), "true risk": (GREY, "x--")}
    draw = curves(data, styles, "candidates tried", "mean squared error", scale="log")
    return Exhibit({**data, "optimism": risk - score}, sentence, bool(is_true), draw)


def _fold_losses(X: Any, y: Any, train: Any, test: Any) -> tuple[Any, Any]:
    """The loss of every one-column line on a fold, and its true risk: 1 + a^2 + b^2 for a line a + b x."""
    means, level = X[train].mean(0), y[train].mean()
    centred = X[train] - means
    slopes = centred.T @ (y[train] - level) / (centred**2).sum(0)
    losses = ((level + (X[test] - means) * slopes - y[test][:, None]) ** 2).mean(0)
    return losses, 1 + (level - slopes * means) ** 2 + slopes**2


def _cv_scores(X: Any, y: Any, folds: list[Any]) -> Any:
    """The mean over folds of every candidate's loss."""
    rest = [np.concatenate(folds[:k] + folds[k + 1 :]) for k in range(len(folds))]
    return np.mean([_fold_losses(X, y, train, test)[0] for train, test in zip(rest, folds, strict=True)], axis=0)


def _nested(X: Any, y: Any, folds: list[Any], k: int) -> tuple[float, float]:
    """Loss on the outer fold and true risk of the candidate that the other folds choose."""
    others = folds[:k] + folds[k + 1 :]
    chosen = int(_cv_scores(X, y, others).argmin())
    losses, risks = _fold_losses(X, y, np.concatenate(others), folds[k])
    return losses[chosen], risks[chosen]


@exhibit("dev-bound", "The development-set bound against what happens")
def dev_bound(size: float, seed: int) -> Exhibit:
    """Classifiers with error rates spread over 0.2 to 0.4, judged on a development set."""
    from foldwise.stats.bounds import excess_bound

    rng, count, rows = np.random.default_rng([seed, 8]), times(4000, size, least=400), 500
    tried, excesses = (2, 5, 20, 100, 500), []
    for candidates in tried:
        rates = np.linspace(0.2, 0.4, candidates)
        seen = rng.binomial(rows, rates, size=(count, candidates))
        excesses.append(rates[seen.argmin(axis=1)] - rates.min())
    data = {
        "candidates": tried,
        "mean excess": np.mean(excesses, axis=1),
        "95% of excesses below": np.quantile(excesses, 0.95, axis=1),
        "bound": np.array([excess_bound(rows, candidates, 0.05) for candidates in tried]),
    }
    sentence = (
        f"With {rows} development rows and {tried[-1]} candidates the chosen one is on average "
        f"{data['mean excess'][-1]:.3f} worse than the best; the bound allows {data['bound'][-1]:.3f}. It grows by the "
        "root of the logarithm of the candidates only."
    )
    styles = {"bound": (ORANGE, "o-"), "95% of excesses below": (BLUE, "s-"), "mean excess": (GREEN, "x-")}
    draw = curves(data, styles, "candidates", "risk above that of the best", scale="log")
    return Exhibit(data, sentence, bool((data["95% of excesses below"] <= data["bound"]).all()), draw)


@exhibit("bias-variance", "Bias, variance and Bayes risk")
def bias_variance(size: float, seed: int) -> Exhibit:
    """k-NN on the smooth problem, for many k."""
    ks, parts = (1, 2, 3, 5, 8, 12, 18, 25, 35, 45, 60), {"bayes": GREY, "approximation": ORANGE, "estimation": BLUE}
    frame = decompose("smooth", values=ks, replications=times(1000, size, least=100), seed=seed)
    frame = frame[["value", *parts, "risk", "error"]].rename(columns={"value": "k"})
    best, first, last = frame.loc[frame["risk"].idxmin()], frame.iloc[0], frame.iloc[-1]
    sentence = (
        "With few neighbours nearly all of the avoidable risk is estimation (variance), with many it is approximation "
        f"(bias); their sum is smallest at k = {best['k']:.0f}. The Bayes risk, {best['bayes']:.3f}, is always there."
    )
    is_true = first["estimation"] > first["approximation"] and last["approximation"] > last["estimation"]

    def draw(axes: Any) -> None:
        labels = ["Bayes risk", "approximation (bias)", "estimation (variance)"]
        heights = [frame[part].clip(lower=0) for part in parts]
        axes.stackplot(frame["k"], *heights, colors=list(parts.values()), alpha=0.75, labels=labels)
        axes.plot(frame["k"], frame["risk"], color="black", linewidth=1, label="risk")
        finish(axes, "number of neighbours k", "mean squared error", loc="upper center")

    return Exhibit(frame, sentence, bool(is_true), draw)


@exhibit("lecture", "The lecture's example in five lines")
def lecture(size: float, seed: int) -> Exhibit:
    """Nested 8 x 5 folds of ceil(m / K) rows, as in the lecture; `size` changes nothing."""
    from sklearn.neighbors import KNeighborsRegressor

    from foldwise.api.compare import compare
    from foldwise.learners.tuned import tune
    from foldwise.splits.folds import KFold

    problem = find_problem("smooth")
    X, y = problem.draw(200, np.random.default_rng([seed, 9]))
    knn = tune(KNeighborsRegressor(), n_neighbors=range(1, 31), inner=KFold(5, folds="ceiling"))
    result = compare({"k-nn": knn}, X, y, outer=KFold(8, folds="ceiling"), seed=seed, jobs=1, progress=False)
    choices, risk = result.choices().query("method == 'k-nn'"), result.table().set_index("method").loc["k-nn"]
    chosen = [candidate["n_neighbors"] for candidate in choices["candidate"]]
    sentence = (
        f"Tuned k-NN has an estimated risk of {risk['risk']:.3f} ({risk['low']:.3f} to {risk['high']:.3f}); the Bayes "
        f"risk is {problem.bayes:.3f}. The folds chose k = {', '.join(str(k) for k in sorted(set(chosen)))}."
    )

    def draw(axes: Any) -> None:
        axes.scatter(chosen, choices["loss"], color=BLUE)
        axes.axhline(problem.bayes, color=GREY, linestyle=":", label="Bayes risk")
        finish(axes, "k chosen by the inner folds", "loss on the outer fold")

    data = {"fold": choices["fold"], "k": chosen, "loss": choices["loss"]}
    return Exhibit(data, sentence, bool(risk["low"] <= risk["risk"] <= risk["high"] and len(chosen) == 8), draw)
