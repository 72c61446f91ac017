"""What the answer says of a learner before any fit: what it does not take, and which rows it learns from."""

from __future__ import annotations

from foldwise.data.dataset import Dataset
from foldwise.learners.early_stopping import SHARE, stops_at_random, stops_early
from foldwise.learners.learner import Learner
from foldwise.learners.model import takes_steps, takes_weights
from foldwise.studies.study import Note


def learner_notes(learner: Learner, data: Dataset) -> tuple[Note, ...]:
    """Notes on one learner, in the order in which they are printed."""
    from foldwise.learners.sample import sampled_rows

    name, notes = learner.name, list[Note]()
    if data.weights is not None and not takes_weights(learner.estimator) and name != "baseline":
        notes.append(("weights", f"{name} takes no row weights: they enter its losses, not its fits"))
    if most := sampled_rows(learner.estimator):
        notes.append(("sample", f"{name} learns from at most {most:,} rows, drawn from its training rows"))
    if takes_steps(learner.estimator) and data.time is None:
        notes.append(("time", f"{name} takes the rows in their order, as no time is given"))
    return (*notes, *_stopping_notes(learner, data))


def _stopping_notes(learner: Learner, data: Dataset) -> list[Note]:
    """What is held out of the training rows to find the number of rounds."""
    role = "time" if data.time is not None else "groups" if data.groups is not None else ""
    if stops_early(learner.estimator):
        how = {"time": ", the latest in time", "groups": ", whole groups"}.get(role, "")
        text = f"finds its rounds on {SHARE:.0%} of its training rows{how}, and is fitted again on all of them"
        return [("early stopping", f"{learner.name} {text}")]
    if role and stops_at_random(learner.estimator):
        text = f"is stopped early by rows of its training part that scikit-learn draws at random, whatever {role} says"
        return [("early stopping", f"{learner.name} {text}")]
    return []
