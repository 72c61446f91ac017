"""Three learners on the classification sets that come with scikit-learn: ranks, tests, and a page.

Run it twice: the second time makes no fits.
"""

from __future__ import annotations

import foldwise as fw

found = fw.benchmark(
    ["iris", "wine", "breast_cancer"],
    ["k-nn:small", "tree:small", "naive-bayes"],
    outer=7,
    seed=7,
    store="runs/benchmark",
)
print(found)
found.report("benchmark.html", title="Three learners on three data sets")
