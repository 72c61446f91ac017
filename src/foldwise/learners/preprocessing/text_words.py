"""Free text as numbers; loads scikit-learn, so import it only when it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from foldwise.arrays import AnyArray, FloatArray

MOST_WORDS = 20_000
FACTORS = 50  # columns that stand for the words of a text where the learner needs a dense table


class TextWords(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """TF-IDF of the words of each text column: how often they are in a text, and in how few training texts.

    Counts enter as 1 + log(count), texts have length 1. Words are those of two training texts or more, the `most_words`
    most frequent. With `factors` the words are summed up in so many columns by a truncated SVD (latent semantic
    analysis), and `scaled` brings the widest of them to variance 1. New words count nothing. The state is plain arrays:
    scikit-learn's vectorizers, which open files and call functions where their parameters say so, are made when needed.

    >>> texts = np.array([["red wine"], ["white wine"], ["red red meat"], ["meat"]], dtype=object)
    >>> words = TextWords().fit(texts)
    >>> words.terms_[0].tolist()
    ['meat', 'red', 'wine']
    >>> words.transform(np.array([["blue wine"]], dtype=object)).toarray().round(2).tolist()
    [[0.0, 0.0, 1.0]]
    """

    def __init__(self, factors: int | None = None, scaled: bool = False, most_words: int = MOST_WORDS) -> None:
        self.factors = factors
        self.scaled = scaled
        self.most_words = most_words

    def fit(self, X: Any, y: Any = None) -> TextWords:
        texts = _texts(X)
        self.n_features_in_ = texts.shape[1]
        self.terms_, self.weights_, self.parts_, self.scales_ = [], [], [], []
        for column in texts.T:
            terms, weights = _vocabulary(column, self.most_words)
            self.terms_.append(terms)
            self.weights_.append(weights)
            if self.factors is not None:
                parts = _components(_tf_idf(column, terms, weights), self.factors)
                self.parts_.append(parts)
                spread = (_tf_idf(column, terms, weights) @ parts.T).std(axis=0).max(initial=0.0)
                self.scales_.append(float(spread) if self.scaled and spread > 0 else 1.0)
        return self

    def transform(self, X: Any) -> Any:
        check_is_fitted(self, "terms_")
        tables = [_tf_idf(*known) for known in zip(_texts(X).T, self.terms_, self.weights_, strict=True)]
        if self.factors is not None:
            dense = zip(tables, self.parts_, self.scales_, strict=True)
            return np.hstack([(table @ parts.T) / scale for table, parts, scale in dense])
        from scipy.sparse import hstack

        return hstack(tables, format="csr")

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        names = [f"x{j}" for j in range(self.n_features_in_)] if input_features is None else list(input_features)
        known: list[Any] = [range(len(parts)) for parts in self.parts_] if self.factors is not None else self.terms_
        found = [f"{name}_{word}" for name, words in zip(names, known, strict=True) for word in words]
        return np.array(found, dtype=object)


def _texts(X: Any) -> AnyArray:
    """Text of every cell, empty where it is missing."""
    import pandas as pd

    table = np.asarray(X, dtype=object)
    return np.where(pd.isna(table), "", table)


def _vocabulary(column: AnyArray, most: int) -> tuple[AnyArray, FloatArray]:
    """The words in order, and the weight of each; one word that no text has where there are none."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    for least in (2, 1):
        try:
            found = TfidfVectorizer(min_df=least, max_features=most).fit(map(str, column))
        except ValueError:  # no words, or none that often
            continue
        return np.array(found.get_feature_names_out(), dtype=str), np.asarray(found.idf_, np.float64)
    return np.array([" "]), np.ones(1)


def _tf_idf(column: AnyArray, terms: AnyArray, weights: FloatArray) -> Any:
    """A row for each text, a column for each word."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.preprocessing import normalize

    counter = CountVectorizer(vocabulary={str(word): at for at, word in enumerate(terms)}, dtype=np.float64)
    table = counter.transform(map(str, column)).tocsr()
    table.data = (1.0 + np.log(table.data)) * weights[table.indices]
    return normalize(table, copy=False)


def _components(table: Any, factors: int) -> FloatArray:
    """Directions of the largest singular values, always the same ones for the same training texts."""
    from sklearn.decomposition import TruncatedSVD

    count = min(factors, table.shape[1], table.shape[0])
    if not table.nnz or table.shape[1] == 1:
        return np.ones((1, table.shape[1]))
    # texts that are all alike have no variance to explain, which it divides by
    with np.errstate(all="ignore"):
        return np.asarray(TruncatedSVD(count, random_state=0).fit(table).components_, np.float64)
