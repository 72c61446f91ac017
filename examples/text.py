"""Documents as a table of one column: TF-IDF is learnt inside every fold."""

import numpy as np

import foldwise as fw

rng = np.random.default_rng(0)
words = {
    "sport": ["match", "goal", "team", "coach", "league", "win", "player"],
    "science": ["cell", "energy", "theory", "sample", "orbit", "protein", "data"],
}
both = ["the", "new", "first", "year", "people", "after", "long"]
topics = rng.choice(list(words), size=120)
documents = [" ".join([*rng.choice(words[topic], 2), *rng.choice(both, 6)]) for topic in topics]

result = fw.compare(["logistic:small", "naive-bayes", "k-nn:small"], documents, topics, outer=5, inner=3, jobs=1)
print(result)
model = result.refit()
print(model.predict(["the coach was long after the goal", "a new theory of the first protein"]))
