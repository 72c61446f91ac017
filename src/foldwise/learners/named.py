"""Built-in learners by name: what `fw.learner` gives, an estimator that becomes itself when it meets data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils import ClassifierTags, RegressorTags

from foldwise.errors import BadLearner, BadSpace
from foldwise.learners.answering import AnswersByChoice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sklearn.utils import Tags

    from foldwise.learners.zoo.entry import Entry
    from foldwise.tuners.tuner import Tuner


def learner(name: str, *, size: str | None = None, **changes: Any) -> Any:
    """A built-in learner, perhaps with a space of another size or other parameters: a scikit-learn estimator.

    `name`: one of `fw.list_learners()`. `size`: of its own space, "small", "default" or "large"; the name
    "forest:small" says the same. `changes`: parameters to tune over (lists, ranges) or to fix (single values).

    In a study it is the learner of that name. On its own, `fit` prepares the table, tunes over the space with 5 inner
    folds as `fw.tune` does, and fits what was chosen; a learner for both tasks decides by the target, as `fw.compare`.
    `fw.tune("ridge", inner=10)` has more words for that.

    >>> learner("k-nn", n_neighbors=range(1, 6))
    learner('k-nn', n_neighbors=range(1, 6))
    >>> learner("forest", size="small")
    learner('forest:small')
    >>> from sklearn.datasets import load_diabetes
    >>> ridge = learner("ridge").fit(*load_diabetes(return_X_y=True, as_frame=True))
    >>> sorted(ridge.best_params_), ridge.n_features_in_
    (['alpha'], 10)
    """
    if not isinstance(name, str):
        raise BadLearner(f"fw.learner needs the name of a built-in learner, not {name!r}", "See fw.list_learners()")
    if size is not None and ":" in name:
        raise BadLearner(f"the learner {name!r} says its size, and so does size={size!r}", "Keep one of them")
    return find_named(name if size is None else f"{name}:{size}", changes)


def find_named(name: str, changes: Mapping[str, Any], **options: Any) -> Any:
    """The built-in learner of this name, or that of another package; a name that is not known is refused."""
    from foldwise.learners.catalogue import find_entry
    from foldwise.learners.plugin import resolve

    named = Named(name, dict(changes), **options)
    if (found := resolve(named)) is not named:
        return found
    if "(" not in name:  # stack(ridge+forest) is read where its members are known
        find_entry(name)
    return named


class Named(AnswersByChoice):
    """A built-in learner by name, with some of its parameters or ranges changed.

    `changes` are parameters to tune over (lists, ranges) or to fix (single values); the other words are those of
    `fw.tune`. After `fit` it has what a `Tuned` learner has, but without a space only `model_` and empty `candidate_`.
    """

    def __init__(
        self,
        name: str,
        changes: Mapping[str, Any] | None = None,
        *,
        inner: Any = None,
        tuner: str | Tuner | None = None,
        budget: int | str | None = None,
        rule: str | None = None,
        stop: str | None = None,
        loss: Any = None,
        seed: int = 0,
        jobs: int | None = 1,
        refit: bool = True,
    ) -> None:
        self.name = name
        self.changes = changes
        self.inner = inner
        self.tuner = tuner
        self.budget = budget
        self.rule = rule
        self.stop = stop
        self.loss = loss
        self.seed = seed
        self.jobs = jobs
        self.refit = refit

    @property
    def overrides(self) -> dict[str, Any]:
        """The changed parameters and ranges by name; none, where there are none."""
        return dict(self.changes or {})

    @property
    def search(self) -> dict[str, Any]:
        """How it is tuned, as far as it says so itself."""
        return {word: getattr(self, word) for word in ("tuner", "budget", "rule", "stop")}

    def set_output(self, *, transform: str | None = None) -> Named:
        """Taken as scikit-learn's learners take it; the table is prepared inside, where nobody sees its columns."""
        return self

    def _may_answer(self, name: str) -> bool:
        return name == "predict" or (not self._is_combined and hasattr(self._estimator(), name))

    def _estimator(self) -> Any:
        """What it will be, for classes if it can."""
        from foldwise.learners.zoo.entry import Facts

        entry = self._entry
        return entry.make(Facts(rows=100, columns=2, task="binary" if "binary" in entry.tasks else "regression"))

    @property
    def _is_combined(self) -> bool:
        return "(" in str(self.name)

    @property
    def _entry(self) -> Entry:
        from foldwise.learners.catalogue import find_entry

        return find_entry(self.name)

    def _kind(self) -> str | None:
        """Classifier or regressor, as far as it is known: for a learner of both, once it is fitted."""
        if hasattr(self, "model_"):
            return "classifier" if hasattr(self, "classes_") else "regressor"
        tasks = () if self._is_combined else self._entry.tasks
        if "regression" not in tasks:
            return "classifier" if tasks else None
        return "regressor" if tasks == ("regression",) else None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.estimator_type = self._kind()
        tags.classifier_tags = ClassifierTags() if tags.estimator_type == "classifier" else None
        tags.regressor_tags = RegressorTags() if tags.estimator_type == "regressor" else None
        tags.target_tags.required = True
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        return tags

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Named):
            return NotImplemented
        ours, theirs = (one.get_params(deep=False) | {"changes": one.overrides} for one in (self, other))
        return bool(ours == theirs)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        plain = Named(self.name).get_params(deep=False)
        own = {word: value for word, value in self.get_params(deep=False).items() if word not in ("name", "changes")}
        options = {word: value for word, value in own.items() if value is not plain[word] and value != plain[word]}
        words = "".join(f", {word}={value!r}" for word, value in (options | self.overrides).items())
        return f"{'tune' if options else 'learner'}({self.name!r}{words})"[:N_CHAR_MAX]


def tune_named(name: str, space: Any, parameters: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    """The built-in learner of this name with its space, or this one, and the words of `fw.tune`."""
    if options["simpler"] is not None:
        raise BadSpace("a built-in learner knows which end of its parameters is simpler", "Leave simpler out")
    if isinstance(space, list | tuple):
        raise BadSpace(f"the learner {name!r} takes one dictionary as its space", "Name its parameters in one of them")
    twice = next((word for word in space or {} if word in parameters), None)
    if twice is not None:
        raise BadSpace(f"the parameter {twice!r} is given twice", "Keep it in the space or among the keywords")
    own = {word: value for word, value in options.items() if word != "simpler"}
    found = find_named(name, {**(space or {}), **parameters}, **own)
    if isinstance(found, Named):
        return found
    from foldwise.learners.tuned import Tuned, tune

    return found.set_params(**own) if isinstance(found, Tuned) else tune(found, **own)
