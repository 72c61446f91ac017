"""A store (api/manifest.py) is asked for nothing twice, grows by what is missing, and refuses another study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.neighbors import KNeighborsRegressor

import foldwise as fw
from foldwise.errors import BadStore

KS = [1, 3, 9]


def compare(curved: Any, store: Path, ks: Any = (1, 3, 9), more: Any = None, **words: Any) -> Any:
    learners = {"k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=list(ks)), **(more or {})}
    return fw.compare(learners, *curved, store=store, **({"outer": 7, "jobs": 1} | words))


def numbers(result: Any) -> dict[str, Any]:
    """The answer without what belongs to one call alone."""
    answer = result.to_dict()
    for part in (answer, *answer["methods"]):
        part.pop("fits_made")
    answer.pop("seconds")
    return answer


def without_seconds(answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "methods": [{k: v for k, v in method.items() if k != "seconds"} for method in answer["methods"]]}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "run"


def test_the_same_line_again_makes_no_fit(curved: Any, store: Path) -> None:
    first, again = compare(curved, store), compare(curved, store)
    assert (first.fits, first.fits_made) == (7 * 3 + 7 + 7, 7 * 3 + 7 + 7)
    assert (again.fits, again.fits_made) == (35, 0)
    assert numbers(again) == numbers(first)


def test_a_store_holds_the_numbers_of_a_run_without_one(curved: Any, store: Path) -> None:
    in_memory = fw.compare({"k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=KS)}, *curved, outer=7, jobs=1)
    assert without_seconds(numbers(compare(curved, store))) == without_seconds(numbers(in_memory))


def test_a_loaded_result_says_the_same_without_any_learner(curved: Any, store: Path) -> None:
    first = compare(curved, store, loss=["squared", "absolute"], repeats=2)
    loaded = fw.load(store)
    assert numbers(loaded) == numbers(first)
    assert (loaded.fits_made, loaded.best) == (0, first.best)
    for name in ("table", "choices", "losses", "splits"):
        assert getattr(loaded, name)().equals(getattr(first, name)())


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "words",
    [
        {"outer": 0.2, "inner": 0.25},
        {"outer": "loo", "inner": 4},
        {"outer": 5, "inner": "pairs", "repeats": 2},
        {"outer": fw.Bootstrap(3), "inner": 3},
        {"weights": np.arange(1.0, 79.0), "optimism": True},
        {"groups": np.arange(78) // 3, "loss": ["r2", "squared"]},
        {"time": np.arange(78)},
        {"rule": "one_se"},
    ],
    ids=lambda words: ", ".join(words),
)
def test_every_kind_of_study_is_loaded_as_it_was(curved: Any, store: Path, words: dict[str, Any]) -> None:
    few = (curved[0][:20], curved[1][:20]) if words.get("outer") == "loo" else curved
    learner = fw.tune(KNeighborsRegressor(), n_neighbors=[1, 3], simpler={"n_neighbors": "high"})
    first = fw.compare({"k-nn": learner}, *few, store=store, jobs=1, **words)
    assert numbers(fw.load(store)) == numbers(first)


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ["bool", "int", "text"])
def test_a_study_of_classes_is_loaded_as_it_was(classed: Any, store: Path, kind: str) -> None:
    y = classed[1] == "top"
    y = {"bool": y, "int": np.where(y, 7, 2), "text": np.where(y, "b", "a")}[kind]
    losses = ["log", "roc_auc", "zero_one"]
    learners = {"logistic": fw.tune(LogisticRegression(), C=[0.1, 1.0])}
    first = fw.compare(learners, classed[0], y, loss=losses, outer=5, store=store, jobs=1)
    loaded = fw.load(store)
    assert numbers(loaded) == numbers(first)
    assert loaded.losses().equals(first.losses())


def test_one_more_learner_makes_its_own_fits_alone(curved: Any, store: Path) -> None:
    first = compare(curved, store)
    longer = compare(curved, store, more={"ridge": fw.tune(Ridge(), alpha=[0.1, 10.0])})
    assert longer.fits_made == 7 * 2 + 7
    assert longer.to_dict()["methods"][0]["folds"] == first.to_dict()["methods"][0]["folds"]
    made = {method["name"]: method["fits_made"] for method in longer.to_dict()["methods"]}
    assert made == {"k-nn": 0, "ridge": 21, "baseline": 0, "auto": 0}


def test_a_finer_grid_makes_the_new_candidates_alone(curved: Any, store: Path) -> None:
    compare(curved, store)
    finer = compare(curved, store, ks=(1, 2, 3, 9))
    chosen = [fold["candidate"]["n_neighbors"] for fold in finer.to_dict()["methods"][0]["folds"]]
    # New: candidate 2 without each line, and the refits of the folds that now choose it.
    assert finer.fits_made == 7 + chosen.count(2)
    fresh = fw.compare({"k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=[1, 2, 3, 9])}, *curved, outer=7, jobs=1)
    assert without_seconds(numbers(finer)) == without_seconds(numbers(fresh))


def test_more_repeats_make_the_new_partitions_alone(curved: Any, store: Path) -> None:
    first = compare(curved, store)
    longer = compare(curved, store, repeats=3)
    assert longer.fits_made == 2 * first.fits
    assert longer.to_dict()["methods"][0]["folds"][:7] == first.to_dict()["methods"][0]["folds"]


def test_another_loss_costs_only_the_refits_of_other_choices(curved: Any, store: Path) -> None:
    first = compare(curved, store)
    other = compare(curved, store, loss="absolute")
    before, after = ([fold["candidate"] for fold in r.to_dict()["methods"][0]["folds"]] for r in (first, other))
    assert other.fits_made == sum(one != two for one, two in zip(before, after, strict=True))
    outer, *_ = naive.splits_of(other)
    scheme = outer, *naive.aligned(naive.labels_of(outer, 78))
    candidates = [{"n_neighbors": k} for k in KS]
    answer = naive.Loops(*curved, naive.absolute).nested(KNeighborsRegressor(), candidates, *scheme)
    naive.assert_same(other, "k-nn", answer)


def test_one_more_loss_that_does_not_select_costs_nothing(curved: Any, store: Path) -> None:
    compare(curved, store)
    assert compare(curved, store, loss=["squared", "absolute", "r2"]).fits_made == 0


def test_probabilities_for_a_later_loss_are_kept(classed: Any, store: Path) -> None:
    learners = {"logistic": LogisticRegression()}
    fw.compare(learners, *classed, outer=5, jobs=1, store=store)
    assert fw.compare(learners, *classed, outer=5, loss="log", jobs=1, store=store).fits_made == 0


def test_another_scheme_shares_the_fits_it_can(curved: Any, store: Path) -> None:
    compare(curved, store)
    pairs = compare(curved, store, inner="pairs")
    # The 7 outer refits at the choices of the lines are there already, where the candidates agree; so is the baseline.
    assert pairs.fits_made == (21 + 7) * 3 - 7


def test_the_price_of_optimism_is_paid_once(curved: Any, store: Path) -> None:
    compare(curved, store)
    assert compare(curved, store, optimism=True).fits_made == 7 * 3 - 7
    assert compare(curved, store, optimism=True).fits_made == 0


def test_other_data_are_refused(curved: Any, store: Path) -> None:
    compare(curved, store)
    X, y = curved
    changed = X.copy()
    changed[3, 2] += 1e-9
    with pytest.raises(BadStore, match="column 'x2', row 3"):
        compare((changed, y), store)


def test_another_seed_is_refused(curved: Any, store: Path) -> None:
    compare(curved, store, seed=1)
    with pytest.raises(BadStore, match="seed was 1 and is 2"):
        compare(curved, store, seed=2)


def test_other_weights_are_refused(curved: Any, store: Path) -> None:
    compare(curved, store, weights=np.arange(1.0, 79.0))
    with pytest.raises(BadStore, match=r"row weights was .* and is "):
        compare(curved, store, weights=np.arange(2.0, 80.0))


def made_up(body: str) -> Any:
    """A learner whose code is `body`, as if its file had been edited."""
    space: dict[str, Any] = {"KNeighborsRegressor": KNeighborsRegressor, "__name__": "made_up"}
    exec(f"class Mine(KNeighborsRegressor):\n    def predict(self, X):\n        {body}", space)
    return space["Mine"]()


def test_changed_code_of_a_learner_is_refused(curved: Any, store: Path) -> None:
    compare(curved, store, more={"mine": made_up("return super(type(self), self).predict(X)")})
    same = compare(curved, store, more={"mine": made_up("return super(type(self), self).predict(X)  # said again")})
    assert same.fits_made == 0
    with pytest.raises(BadStore, match=r"the code of made_up.Mine has changed"):
        compare(curved, store, more={"mine": made_up("return super(type(self), self).predict(X) + 1")})


def test_a_refused_study_leaves_the_store_as_it_was(curved: Any, store: Path) -> None:
    first = compare(curved, store)
    with pytest.raises(BadStore):
        compare(curved, store, seed=3)
    again = compare(curved, store)
    assert again.fits_made == 0
    assert numbers(again) == numbers(first)


def test_a_learner_that_is_told_the_groups_is_fitted_again_for_others(curved: Any, store: Path) -> None:
    """A search inside a learner splits by the groups, so they are part of its fits; k-nn never sees them."""
    search = GridSearchCV(KNeighborsRegressor(), {"n_neighbors": KS}, cv=GroupKFold(3))
    labels = np.arange(78) // 20
    for groups in (np.arange(78) // 4, np.arange(78) // 2):
        learners = {"search": search, "k-nn": KNeighborsRegressor()}
        result = fw.compare(learners, *curved, groups=groups, outer=labels, store=store, jobs=1)
        losses = []
        for train, test in naive.folds(labels):
            model = naive.clone(search).fit(curved[0][train], curved[1][train], groups=groups[train])
            losses.append(naive.squared(model, curved[0][test], curved[1][test]))
        method = result.to_dict()["methods"][0]
        np.testing.assert_allclose([fold["loss"] for fold in method["folds"]], losses, rtol=1e-10)
    made = {method["name"]: method["fits_made"] for method in result.to_dict()["methods"]}
    assert made == {"search": 4, "k-nn": 0, "baseline": 0}
