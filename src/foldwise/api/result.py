"""What `compare` gives back: the answer, and all it rests on, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.api.judging import remember_rows
from foldwise.api.manifest import versions as current_versions
from foldwise.api.model_card import card_of_intervals, card_of_method, remember_card
from foldwise.api.model_file import check_model_path
from foldwise.api.noise import noise
from foldwise.api.search_curve import SearchCurve
from foldwise.checks.checking import findings_in_results
from foldwise.data.dataset import Dataset
from foldwise.errors import BadInterval, BadStudy, FitsFailed, nearest
from foldwise.plans.runnable import RunnableStudy
from foldwise.questions.answer import Answer
from foldwise.questions.auto import make_auto
from foldwise.questions.combined import CombinedAnswer, made_by_rows
from foldwise.questions.contest import all_failed, asked_for, compared, failure_words, pair_level, pick
from foldwise.questions.curves import curve_figure
from foldwise.questions.explanation import explanation
from foldwise.questions.fine_print import details
from foldwise.questions.method import MethodAnswer
from foldwise.questions.metric_table import metric_table
from foldwise.questions.out_of_fold import prediction_table
from foldwise.questions.overview import Overview
from foldwise.questions.power import RowsNeeded, rows_needed
from foldwise.questions.prediction_figures import method_figures
from foldwise.questions.report import differences_table, report
from foldwise.questions.search_curve import search_curve
from foldwise.questions.tables import choice_table, fold_table, loss_table, risk_table, selection_table, split_table
from foldwise.questions.tuning_figures import choice_figure, optimism_table, tuned_methods, validation_figures
from foldwise.run import fit_model
from foldwise.show.figures import draw, draw_table
from foldwise.show.notebook import as_html
from foldwise.show.page import page_html, write_page
from foldwise.show.terminal import as_text
from foldwise.shown import Page, Prose
from foldwise.stats.comparison import Comparison
from foldwise.studies.finding import Findings
from foldwise.studies.measured import read_curves
from foldwise.studies.plain import plain_candidate
from foldwise.studies.reading import Reading
from foldwise.studies.study import Study
from foldwise.tuners.rules import check_rule

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from foldwise.api.decision import DecisionTable
    from foldwise.api.importance import Importance


class Result:
    """The answer to a study: prints its table and verdict.

    >>> import foldwise as fw
    >>> result = fw.compare(["ridge:small", "k-nn:small"], "diabetes", outer=3, inner=2, jobs=1)
    >>> result.best, result.fits, result.is_finished
    ('ridge:small', 169, True)
    >>> result.table()[["method", "risk"]].round(0).head(2)
            method    risk
    0  ridge:small  3181.0
    1   k-nn:small  3367.0
    >>> result.difference("k-nn:small", "ridge:small")
    k-nn:small minus ridge:small: 186 (-1291 to 1662, 95% corrected t), p = 0.64
    >>> result.decision()["p_best"].round(2).tolist()[:2]
    [0.68, 0.32]
    >>> result.rows_needed("k-nn:small", "ridge:small").rows
    43391
    >>> result.choices()[["method", "fold", "candidate"]].head(2)
            method  fold          candidate
    0  ridge:small     0  {'alpha': 0.0001}
    1  ridge:small     1    {'alpha': 10.0}
    >>> result.search_curve("k-nn:small").enough
    4
    >>> result.candidate()
    {'alpha': 0.1}
    >>> model = result.refit()
    >>> result.losses(by="fold").columns.tolist()
    ['method', 'repeat', 'fold', 'rows', 'own', 'loss']
    >>> result.predictions().columns.tolist()
    ['method', 'repeat', 'fold', 'row', 'row_label', 'truth', 'prediction', 'own']
    >>> result.metrics()["metric"].unique().tolist()
    ['rmse', 'mae', 'mape', 'median_absolute_error', 'r2']
    >>> len(result.splits()), len(result.report()) > 50_000
    (3978, True)
    >>> result.explain().splitlines()[0]
    'The study'
    >>> result.to_dict()["best"]
    'ridge:small'
    """

    title: str | None = None  # of its page, where the data or the target have a name
    margin: float | None = None  # a regret that does not matter, where the study names one

    def __init__(
        self,
        reading: Reading,
        *,
        made: Mapping[str, int],
        seconds: float,
        runnable: RunnableStudy | None = None,
        versions: dict[str, str] | None = None,
    ) -> None:
        self.reading = reading
        self.made, self.seconds = made_by_rows(made, reading.study), seconds
        self.runnable = runnable
        self._versions = {**(versions or current_versions()), **reading.study.packages}

    @property
    def study(self) -> Study:
        """The question: data, splits, loss and methods, as plain values."""
        return self.reading.study

    @property
    def methods(self) -> list[MethodAnswer]:
        """What is read of every method that was asked for."""
        return self.answer.methods

    @property
    def data(self) -> Dataset | None:
        """The data of the study; None for a result that was loaded from a store."""
        return self.runnable.data if self.runnable else None

    @property
    def best(self) -> str | None:
        """Name of the picked method: the smallest risk."""
        best = pick(self.methods)
        return best.method.name if best else None

    @property
    def is_finished(self) -> bool:
        """Are all fits done? A study that was stopped has risks of the methods that are, and notes on the others."""
        return self.answer.is_finished

    def check_failures(self) -> None:
        """Raise FitsFailed, with this result, if every method that was asked for failed: the baseline is no answer."""
        if not all_failed(self.methods):
            return
        failed, remedy = asked_for(self.methods), "Use another loss, or larger test sets"
        if any(method.failures for method in failed):
            remedy = "on_failure='baseline' (--on-failure baseline) lets the baseline answer for fits that fail"
        raise FitsFailed(f"no method has a risk: {failure_words(failed)}", remedy, result=self)

    @property
    def fits(self) -> int:
        """How many distinct fits the answer rests on."""
        return self.answer.fits

    @property
    def fits_made(self) -> int:
        """How many of them this call made; the others were there."""
        return sum(self.made.values())

    @property
    def notes(self) -> list[str]:
        """What should be known of the answer, in sentences."""
        return [text for _, text in self.answer.notes]

    @property
    def findings(self) -> Findings:
        """What the checks found, before the fits and in the results; docs/checks.md explains every code."""
        return Findings(self.answer.findings)

    def to_dict(self) -> dict[str, Any]:
        """The answer in plain values, stable for scripts; the same as `--json`."""
        return self.answer.to_dict()

    def table(self, *, mean: str = "folds") -> pd.DataFrame:
        """One row per method: risk, interval, selection score, differences, fits and seconds.

        `mean`: "folds", or "rows" to average over rows; such a risk has no interval here.
        """
        return risk_table(self.answer, mean)

    def difference(self, one: str, other: str, *, rope: float | None = None, of: Result | None = None) -> Comparison:
        """The risk of method `one` less that of `other`, on the same rows.

        `rope`: a difference that does not matter, for the probability of practical equivalence. `of`: another result
        on the same data and splits that has the other method.

        `one`, `other`: names of methods.
        """
        theirs = self if of is None else of
        if (theirs.study.fingerprint, theirs.study.outer.fingerprint) != (
            self.study.fingerprint,
            self.study.outer.fingerprint,
        ):
            raise BadInterval(
                "the two results are not of the same data and outer splits, so their losses are not paired",
                "Compare the methods in one study, or with the same data, outer and seed",
            )
        return self._find(one).difference(theirs._find(other), rope=rope)

    def decision(self, margin: float | None = None) -> DecisionTable:
        """Does it matter which method is taken? A data frame with one row per method, and an advice in words.

        `p_best`: the probability that its risk is the smallest of the methods asked for. `expected_regret`: how much
        larger than the smallest its risk is expected to be, in the unit of the loss and in percent; `regret_high` is
        not exceeded with the probability of the study's level. `within_margin`: whether its regret is at most the
        `margin` with that probability, a difference that does not matter to you (None: that of the study, or else a
        tenth of the gap between the baseline and the best). docs/decide.md says how far these figures hold.

        `margin`: in the unit of the loss.
        """
        from foldwise.api.decision import make_decision  # needs pandas

        if margin is None or margin == self.margin:
            return make_decision(self.answer)
        return make_decision(self._answer_with(margin))

    def rows_needed(self, one: str, other: str) -> RowsNeeded:
        """How many rows give an 80% chance to tell methods `one` and `other` apart, as a range.

        The range is that of the differences that their interval allows, at the level of the verdict; if they may not
        differ at all, it has no upper end.

        `one`, `other`: names of methods.
        """
        first, second = self._find(one), self._find(other)
        apart = first.difference(second, level=pair_level(self.methods, first, second))
        return rows_needed(apart, self.study.rows)

    def noise(self, name: str | None = None, *, seeds: int = 5) -> dict[str, float | None]:
        """Standard deviations of a risk by source: the rows (data), how they were split, the learner's seed.

        `name`: a method (None: the best). `seeds`: how many other seeds its outer models are fitted with.

        >>> import foldwise as fw
        >>> result = fw.compare(["tree:small"], "diabetes", outer=3, inner=2, repeats=2, jobs=1)
        >>> list(result.noise(seeds=2))
        ['data', 'split', 'seed']
        """
        if self.runnable is None:
            raise BadStudy("a result loaded from a store has no learners to fit", "Run the study again with its store")
        method = self._named(name)
        if method.status != "ok":
            raise FitsFailed(f"{method.method.name} has no risk, so there is no noise to split", "Name another")
        if method.stand_ins:
            raise FitsFailed(f"the risk of {method.method.name} is partly the baseline's", "Name another")
        if isinstance(method, CombinedAnswer):
            raise BadStudy(f"{method.method.name} is made of other learners, whose noise it has", "Name one of them")
        return noise(self.runnable, method, seeds=seeds)

    def importance(self, name: str | None = None) -> Importance:
        """Which columns a method needs: how much larger its loss is on held-out rows with one of them shuffled.

        `name`: a method (None: the best). Its outer models are made once more, one after another, and each predicts
        its own test rows with one column shuffled, five times for every column. What was measured is kept with the
        records, also where a run was interrupted, and is in later reports; a result that was loaded has what is there.

        >>> import foldwise as fw
        >>> result = fw.compare(["linear"], "diabetes", outer=3, jobs=1)
        >>> result.importance().to_frame()["column"].tolist()[:2]
        ['s5', 's1']
        """
        from foldwise.api.importance import importance  # needs scikit-learn, and a result that is read does not

        found, made = importance(self.runnable, self._named(name))
        self.made[found.method] = self.made.get(found.method, 0) + made
        self.__dict__.pop("answer", None)  # made again, with what is known now
        return found

    def predicting(self) -> dict[str, float]:
        """Seconds of predicting 1,000 rows, by method: what a model costs once it is in use.

        One outer model of each method is made once more and predicts its held-out rows five times, of which the
        median counts. It is kept with the records and is in later reports; a result that was loaded has what is there.

        >>> import foldwise as fw
        >>> result = fw.compare(["linear"], "diabetes", outer=3, jobs=1)
        >>> sorted(result.predicting())
        ['baseline', 'linear']
        """
        if self.runnable is not None:
            from foldwise.api.predicting import measure_predicting  # needs scikit-learn, as importance does

            for name, made in measure_predicting(self.runnable, self.methods).items():
                self.made[name] = self.made.get(name, 0) + made
            self.__dict__.pop("answer", None)  # made again, with what is known now
        return {row.name: row.seconds_per_1000 for row in self.answer.rows if row.seconds_per_1000 is not None}

    def selection_bias(self) -> pd.DataFrame:
        """For tuned methods: the selection score, its corrections without nesting, and the nested risk.

        The score and its corrections belong to `selection_train_rows` training rows, the risk to `train_rows`. At equal
        sizes the score is too good on average; with fewer rows it may also be larger than the risk. Where
        there are no corrections, `note` says why.

        >>> import foldwise as fw
        >>> result = fw.compare(["k-nn:small"], "diabetes", outer=3, inner="aligned", jobs=1)
        >>> result.selection_bias()[["selection_score", "corrected: bbc", "risk"]].round()
           selection_score  corrected: bbc    risk
        0           3327.0          3380.0  3400.0
        """
        return selection_table(self.answer)

    def search_curve(self, name: str | None = None) -> SearchCurve:
        """Selection score and outer risk after 1, 2, 3, ... candidates, and after how many no further gain is shown.

        `name`: a method (None: the best).
        """
        return SearchCurve(**vars(search_curve(self.reading, self._named(name).method)))

    def choices(self) -> pd.DataFrame:
        """Method x repeat x outer fold: the candidate chosen, its selection score and the outer loss.

        Both with the training rows they belong to.
        """
        return choice_table(self.methods)

    def losses(self, *, by: str = "row") -> pd.DataFrame:
        """Every row's out-of-fold prediction and loss, by method, repeat and fold.

        `by`: "row", or "fold" for the mean of each fold under every loss, also those that have no loss per row.
        """
        if by not in ("row", "fold"):
            raise BadStudy(f"there are no losses by {by!r}", nearest(by, ("row", "fold")))
        return loss_table(self.reading, self.methods) if by == "row" else fold_table(self.methods)

    def predictions(self) -> pd.DataFrame:
        """Every method's out-of-fold predictions: one row for each row of the data, repeat and method.

        With the truth, the probability of every class (`p_CLASS`, empty where a learner gives none), the position of
        the row and its label in your own frame. In a result that was loaded from a store the label is the position.
        """
        return prediction_table(self.study, self.methods, self.data.row_labels if self.data else None)

    def metrics(self) -> pd.DataFrame:
        """The usual metrics of every method from the stored predictions, with an interval where one is valid.

        No fit is made. `averaged` says how each is averaged; `note` says why one, or its interval, is not given.
        """
        return metric_table(self.answer.every)

    def splits(self) -> pd.DataFrame:
        """All splits of both levels: which rows were trained on and which were held out."""
        return split_table(self.study)

    def explain(self) -> str:
        """Which number means what, which interval it has and why that is valid here."""
        return Prose(as_text(explanation(self.answer)))

    def refit(
        self, name: str | None = None, *, rule: str | None = None, pick: str | None = None, intervals: bool = False
    ) -> Any:
        """The picked method, tuned again on all rows and fitted: a plain scikit-learn estimator.

        `name`: another method. `rule`: "best" or "one_se", if not that of the study. `pick`: "outer" takes the
        smallest outer risk, "inner" the smallest selection score on all rows, whose risk is that of the `auto` row.
        `intervals`: keep the models of the outer folds beside it, for `predict_interval` (of classes `predict_set`);
        that makes one more fit for each fold, and the model that many times larger.
        Fits of the method that a time limit has cut are made first, however long they take.

        >>> import foldwise as fw
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> result = fw.compare(["ridge:small", "k-nn:small"], X, y, outer=3, inner=2, jobs=1)
        >>> model = result.refit("ridge:small", rule="one_se", intervals=True)
        >>> model.predict(X[:1]).round()
        array([196.])
        >>> model.predict_interval(X[:1], level=0.9).round()
             low   high
        0  101.0  288.0
        """
        choice = pick or ("outer" if name is None else "named")
        if pick is not None:
            name = self._picked(name, pick)
        runnable = self.runnable
        if runnable is None:
            raise BadStudy(
                "a result loaded from a store has no learners to fit",
                "Run the study again with the same store: it makes no new fits, and its result can refit",
            )
        method = self._finished(self._named(name), runnable)
        auto = make_auto(self.methods) if pick == "inner" else None
        judged = method if auto is None else auto
        if intervals:
            from foldwise.api.fold_models import check_intervals

            check_intervals(self.study, judged)
        at, rows = self.study.methods.index(method.method), np.arange(runnable.data.rows)
        if isinstance(method, CombinedAnswer):
            from foldwise.api.alone import fit_blend  # needs scikit-learn, and a result that is read does not

            _refuse_rule(method, rule)
            model: Any = fit_blend(runnable, self.reading, method.method)
        else:
            model = fit_model(runnable, self.reading, at, self._final_candidate(method, rule), rows)
        own = method.method.name
        judged_as = judged.method.name  # what was picked by its selection score has the risk of that
        chosen = self.candidate(own, rule=rule)
        card = card_of_method(self.to_dict(), runnable.data, name=own, candidate=chosen, judged_as=judged_as)
        if intervals:
            from foldwise.api.fold_models import with_intervals

            model = with_intervals(runnable, judged, model, rule=rule)
            card["intervals"] = card_of_intervals(model, choice=choice, among=len(compared(self.methods)))
        return remember_card(remember_rows(model, runnable.data), card)

    def save_model(
        self, path: str | Path, name: str | None = None, *, pickle: bool = False, intervals: bool = False
    ) -> Path:
        """Refit the picked method, or another `name`, and write it to `path` with its card.

        `foldwise predict`, `foldwise info` and `fw.load_model` read the file.

        `path`: a name that ends in .skops.
        `name`: a method (None: the best).
        `pickle`: write a .pkl or .joblib instead, for models that skops cannot write.
        `intervals`: as in `refit`.

        >>> import tempfile, foldwise as fw
        >>> result = fw.compare(["ridge:small"], "diabetes", outer=3, inner=2, jobs=1)
        >>> result.save_model(tempfile.mkdtemp() + "/diabetes.skops").name
        'diabetes.skops'
        """
        from foldwise.api.models import save_model

        check_model_path(path, pickle=pickle)
        return save_model(self.refit(name, intervals=intervals), path, pickle=pickle)

    def candidate(self, name: str | None = None, *, rule: str | None = None) -> dict[str, Any]:
        """The candidate that `refit` takes, of the method `name` (None: the best) and by this `rule`.

        `name`: a method (None: the best).
        `rule`: "best" or "one_se" (None: that of the study).
        """
        method = self._named(name)
        if isinstance(method, CombinedAnswer):
            _refuse_rule(method, rule)
            return method.weights or {}
        return plain_candidate(method.method.candidates[self._final_candidate(method, rule)])

    def report(
        self,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        curves: Sequence[Any] = (),
        rows: bool = False,
    ) -> str:
        """One self-contained page with this `title`, as text; also written to a file if a `path` is given.

        Without a title the page is named after the target and the data.
        `curves`: those of `fw.learning_curve` and `fw.curve`, to be shown with the answer. Curves that were made with
        the store of the study (`store=`, `foldwise curve --store RUN`) are shown in any case.
        `rows`: show the target and columns of the hardest rows too; otherwise no row of the data is in the page.

        `path`: of the file, if one is wanted.
        `title`: of the page.
        """
        figures = [curve_figure(curve) for curve in read_curves(self.reading.store)]
        figures += [curve_figure(curve.to_dict()) for curve in curves]
        document = report(self.answer, title=title or self.title, data=self.data, curves=figures, rows=rows)
        page = page_html(document, self.to_dict())
        if path is None:
            return Page(page)
        return Page(write_page(path, page).read_text(encoding="utf-8"), path)

    def plot(self, *, ax: Axes | None = None, width: str | float | None = None) -> Figure:
        """The risks with their intervals as a Matplotlib figure, or on the axes `ax` of one that is there.

        `width`: `"column"` (3.5 inches) or `"page"` (7.16 inches) of a paper, with small letters, or inches.

        `ax`: Matplotlib's axes (None: a new figure).

        >>> import foldwise as fw
        >>> result = fw.compare(["ridge:small", "k-nn:small"], "diabetes", outer=3, inner="aligned", jobs=1)
        >>> figure = result.plot(width="column")
        >>> differences = result.plot_differences()
        >>> choices = result.plot_choices(method="k-nn:small")
        >>> optimism = result.plot_optimism()
        """
        overview = Overview(self.answer)
        return draw_table(overview.main_table(), overview.unit.name, ax=ax, width=width, note=f"{overview.level} CI")

    def plot_differences(self, *, ax: Axes | None = None, width: str | float | None = None) -> Figure:
        """The differences to the best method as a Matplotlib figure; `ax` and `width` as in `plot`.

        `ax`, `width`: as in `Result.plot`.
        """
        table = differences_table(self.answer, Overview(self.answer))
        if table is None:
            raise BadStudy("there is no difference to draw", "Compare two methods or more that have an error")
        return draw_table(table, table.columns[1].head, ax=ax, width=width)

    def plot_choices(
        self, *, method: str | None = None, ax: Axes | None = None, width: str | float | None = None
    ) -> Figure:
        """How often each candidate was chosen, as a Matplotlib figure; `ax` and `width` as in `plot`.

        `method`: of this tuned method only; else each has a panel, which needs a figure of its own.

        `ax`, `width`: as in `Result.plot`.
        """
        methods = self._tuned(method)
        return draw([choice_figure(found) for found in methods], ax=ax, width=width)

    def plot_validation(
        self, method: str | None = None, *, ax: Axes | None = None, width: str | float | None = None
    ) -> Figure:
        """The inner CV error over each parameter of a tuned method (None: the best of them).

        `method`: its name.

        `ax`, `width`: as in `Result.plot`.

        >>> import foldwise as fw
        >>> result = fw.compare(["ridge:small"], "diabetes", outer=3, inner=2, jobs=1)
        >>> result.plot_validation().axes[0].get_title()
        'alpha, ridge:small'
        """
        return draw(validation_figures(self._tuned(method)[0]), ax=ax, width=width)

    def plot_predictions(
        self,
        method: str | None = None,
        *,
        kind: str | None = None,
        ax: Axes | None = None,
        width: str | float | None = None,
    ) -> Figure:
        """Out-of-fold predictions of a method (None: the best): ROC, calibration, confusion, residuals and so on.

        `method`: its name.
        `kind`: one of them, by the first word of its title: "roc", "precision", "calibration", "probabilities",
        "confusion" of classes; "predicted", "residuals", "how" of numbers.

        `ax`, `width`: as in `Result.plot`.

        >>> import foldwise as fw
        >>> result = fw.compare(["ridge:small"], "diabetes", outer=3, inner=2, jobs=1)
        >>> result.plot_predictions(kind="residuals").axes[0].get_title()
        'Residuals, ridge:small'
        """
        figures = list(method_figures(self._named(method)))
        kinds = [figure.title.split()[0].strip(",").lower() for figure in figures]
        if kind is not None and kind not in kinds:
            raise BadStudy(f"there is no picture {kind!r} of these predictions", nearest(kind, kinds))
        return draw(figures if kind is None else figures[kinds.index(kind)], ax=ax, width=width)

    def plot_optimism(self, *, ax: Axes | None = None, width: str | float | None = None) -> Figure:
        """Selection scores and risks as a Matplotlib figure; `ax` and `width` as in `plot`.

        `ax`, `width`: as in `Result.plot`.
        """
        table = optimism_table(self.answer)
        if table is None:
            raise BadStudy("no method was tuned, so there is no inner CV error to draw", "Tune one with fw.tune(...)")
        return draw_table(table, Overview(self.answer).unit.name, ax=ax, width=width)

    def _tuned(self, name: str | None) -> list[MethodAnswer]:
        """The tuned methods, or the one of this name."""
        methods = tuned_methods(self.answer)
        if name is not None:
            methods = [method for method in methods if method is self._find(name)]
        if not methods:
            raise BadStudy("no such method was tuned", "Name one that has a space, or leave the name out")
        return methods

    def details(self) -> str:
        """All that the first screen leaves out: every number, what each fold chose, intervals, regrets and notes.

        >>> import foldwise as fw
        >>> result = fw.compare(["ridge:small"], "diabetes", outer=3, inner=2, jobs=1)
        >>> print(result.details().splitlines()[0])
        The study
        """
        return Prose(as_text(details(self.answer)))

    def __repr__(self) -> str:
        overview = Overview(self.answer)
        return as_text([*overview.lead(), *overview.table(), overview.next_steps()])

    def _repr_html_(self) -> str:
        overview = Overview(self.answer)
        return as_html([*overview.lead(), *overview.table(), overview.next_steps()])

    @cached_property
    def answer(self) -> Answer:
        """All that the study says, as typed values that are worked out when they are asked for."""
        return self._answer_with(self.margin)

    def _answer_with(self, margin: float | None) -> Answer:
        return Answer(
            self.reading,
            made=self.made,
            seconds=self.seconds,
            versions=self._versions,
            margin=margin,
            check=findings_in_results,
        )

    def _picked(self, name: str | None, rule: str) -> str | None:
        if name is not None or rule not in ("outer", "inner"):
            known = "Give a name, or pick='outer' or pick='inner'"
            raise BadStudy(f"a method is named or picked by a rule, not name={name!r} and pick={rule!r}", known)
        if rule == "outer":
            return None
        auto = make_auto(self.methods)
        if auto is None:
            raise BadStudy("pick='inner' needs two or more methods tuned on the same inner splits", "Name a method")
        return auto.final.method.name

    def _named(self, name: str | None) -> MethodAnswer:
        """The method of this name; without one the best, if there is a best."""
        if name is None and self.best is None:
            raise FitsFailed("no method that was asked for has a risk, so none is the best", "Name a method")
        return self._find(name or str(self.best))

    def _find(self, name: str) -> MethodAnswer:
        known = {method.method.name: method for method in self.methods}
        if name not in known:
            raise BadStudy(f"there is no method {name!r} in this study", nearest(name, known))
        return known[name]

    def _finished(self, method: MethodAnswer, runnable: RunnableStudy) -> MethodAnswer:
        """The method with the fits that a time limit has cut, those of its final tuning for one."""
        if method.is_finished:
            return method
        from foldwise.api.running import finish  # needs scikit-learn, and a result that is read does not

        own = method.method
        self.reading, made = finish(runnable, self.reading, {own.name, *(name for _, name in own.members)})
        more = made_by_rows(made, self.study)
        self.made = {name: self.made.get(name, 0) + more.get(name, 0) for name in {**self.made, **more}}
        self.__dict__.pop("answer", None)  # made again, with what is known now
        return self._find(own.name)

    def _final_candidate(self, method: MethodAnswer, rule: str | None) -> int:
        if method.method.inner is None:
            return 0
        if method.method.inner is None or method.method.inner.final is None:
            raise BadStudy("there are no inner splits of all rows to tune on", "Give them as a last entry of inner")
        if rule is not None and check_rule(rule) == "one_se" and not method.method.tuner.is_exhaustive:
            raise BadStudy(
                f"{method.method.name} is tuned by {method.method.tuner}, which drops candidates on the way, and "
                "rule='one_se' needs the scores of all",
                "Use tuner='grid'",
            )
        if rule is not None and check_rule(rule) == "one_se" and method.method.ranks is None:
            raise BadStudy(
                f"{method.method.name} declares no direction of simplicity, which rule='one_se' needs",
                "Declare it in fw.tune(..., simpler={'alpha': 'high'})",
            )
        chosen = self.reading.final_choice(method.method, rule=rule).candidate
        if chosen is None:
            why, do = "fits failed, or the loss is undefined", "See result.notes"
            if not method.is_finished:
                why, do = "its fits are not finished", "Give it more time: with the same store= it goes on"
            raise FitsFailed(f"{method.method.name} could not be tuned on all rows: {why}", do)
        return chosen


def _refuse_rule(method: MethodAnswer, rule: str | None) -> None:
    if rule is not None:
        raise BadStudy(
            f"{method.method.name} blends the choices of its members, so it takes no rule of its own",
            "Give rule to fw.blend",
        )
