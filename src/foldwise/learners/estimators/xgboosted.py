"""XGBoost with class labels of any kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from xgboost import XGBClassifier

from foldwise.arrays import AnyArray


class LabelledXGBClassifier(XGBClassifier):  # type: ignore[misc]
    """XGBoost's classifier, which by itself takes only the labels 0, 1, 2 and so on."""

    def fit(self, X: Any, y: Any, *, sample_weight: Any = None, **more: Any) -> LabelledXGBClassifier:
        """Learn the classes as their places among the sorted labels."""
        self.__dict__.pop("labels_", None)  # while it fits, its classes are the places
        labels, places = np.unique(np.asarray(y), return_inverse=True)
        if more.get("eval_set"):
            more["eval_set"] = [(table, np.searchsorted(labels, np.asarray(own))) for table, own in more["eval_set"]]
        super().fit(X, places, sample_weight=sample_weight, **more)
        self.labels_: AnyArray = labels
        return self

    @property
    def classes_(self) -> AnyArray:
        """The labels in order."""
        return np.asarray(self.__dict__.get("labels_", np.arange(self.n_classes_)))

    def predict(self, X: Any, **more: Any) -> AnyArray:
        return np.asarray(self.classes_[np.asarray(super().predict(X, **more), dtype=np.int64)])
