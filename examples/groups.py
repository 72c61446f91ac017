"""Rows of one patient stay together: the risk for a new patient, and how much too good the naive one is."""

import numpy as np

import foldwise as fw

rng = np.random.default_rng(0)
patient = np.repeat(np.arange(40), 5)  # 40 patients, 5 visits each
X = rng.normal(size=(40, 3))[patient] + 0.1 * rng.normal(size=(200, 3))
y = X[:, 0] + rng.normal(size=40)[patient] + 0.3 * rng.normal(size=200)

learners = ["ridge:small", "k-nn:small"]
apart = fw.compare(learners, X, y, groups=patient, outer=5, inner=3, jobs=1)
mixed = fw.compare(learners, X, y, outer=5, inner=3, jobs=1, guards=False)
print(apart)
for method in learners:
    new, known = (result.table().set_index("method").risk[method] for result in (apart, mixed))
    print(f"{method}: {new:.2f} for a new patient; {known:.2f} if visits of one patient both train and judge")
