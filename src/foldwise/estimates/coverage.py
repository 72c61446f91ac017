"""What each interval was measured to cover, in a sentence; the simulations are in docs/coverage.md."""

from __future__ import annotations

# At the 95% level, over the problems of foldwise.lab with 50, 100 and 500 rows, each for the interval's own target.
MEASURED = {
    "corrected t": "0.93 to 0.99 on ordinary problems, 0.90 with 50 rows in 17 groups; 0.91 where columns are many for "
    "the rows (least squares, 50 rows, 20 columns; 0.81 at the 90% level with 1000 columns and 90 rows), and 0.79 to "
    "0.91 with heavy tails",
    "Bates": "0.93 to 0.96 on ordinary problems of 50 and 100 rows",
    "Bayle": "0.86 to 0.93 on ordinary problems of 50 and 100 rows, 0.76 where columns are many for the rows",
    "Clopper-Pearson": "0.95 to 0.97, and never less than 0.95 in theory",
    "betting": "0.99 to 1.00, and never less than 0.95 in theory",
    "Hoeffding": "more than 0.99, and never less than 0.95 in theory",
    "empirical Bernstein": "more than 0.99, and never less than 0.95 in theory",
    "DeLong": "0.94 with 50 to 500 test rows",
    "AUC influence curve": "0.82 with 50 rows, 0.90 with 100, 0.94 with 500",
    "conservative z": "at the 90% level 0.98 to 0.99, on least squares with 100 and 200 rows",
    "t": "0.91 to 0.95 on ordinary problems with 50 to 500 test rows, 0.70 to 0.75 with heavy tails",
}


# The same interval over random splits, which overlap in their test rows too.
RANDOM_SPLITS = {
    "corrected t": "short, at the 90% level 0.88 with 100 rows and 0.91 with 200 on least squares with 20 columns "
    "(25 random splits), 0.78 with 40 rows; folds cover better",
}


def measured(interval: str, scheme: str = "folds") -> str:
    """The measured coverage of an interval at the 95% level, or at the level that is said.

    >>> measured("unknown")
    'not measured'
    """
    known = RANDOM_SPLITS if scheme == "random splits" and interval in RANDOM_SPLITS else MEASURED
    return known.get(interval, "not measured")
