"""A rare class: judged by probabilities, with the usual metrics beside them."""

import foldwise as fw

result = fw.compare(
    ["logistic:small", "forest:small"],
    "breast_cancer",
    loss=["log", "roc_auc", "zero_one"],
    outer=5,
    inner=3,
    seed=1,
    jobs=1,
)
print(result)
print(result.metrics().round(3).to_string(index=False))
print(result.predictions().query("method == 'logistic:small'").head())
