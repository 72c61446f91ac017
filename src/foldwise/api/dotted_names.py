"""Which learners a study file may name by their path, and which of their parameters it may set to which words.

A study file may come from a stranger. Parameters of the boosting libraries reach C++ that opens files and sockets
(`input_model`, `output_borders`, `machines`, ...), so that only those named here can be set, and text only where the
words are known: a short word is a file name too. The words of scikit-learn are those that it checks itself.
"""

from __future__ import annotations

from collections.abc import Mapping

Words = Mapping[str, tuple[str, ...]]  # of a parameter; none: it takes numbers, true, false and none alone

_SKLEARN = {
    "calibration": "CalibratedClassifierCV",
    "compose": "TransformedTargetRegressor",
    "cross_decomposition": "CCA PLSCanonical PLSRegression",
    "discriminant_analysis": "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis",
    "dummy": "DummyClassifier DummyRegressor",
    "ensemble": (
        "AdaBoostClassifier AdaBoostRegressor BaggingClassifier BaggingRegressor ExtraTreesClassifier"
        " ExtraTreesRegressor GradientBoostingClassifier GradientBoostingRegressor HistGradientBoostingClassifier"
        " HistGradientBoostingRegressor RandomForestClassifier RandomForestRegressor"
    ),
    "gaussian_process": "GaussianProcessClassifier GaussianProcessRegressor",
    "isotonic": "IsotonicRegression",
    "kernel_ridge": "KernelRidge",
    "linear_model": (
        "ARDRegression BayesianRidge ElasticNet ElasticNetCV GammaRegressor HuberRegressor Lars LarsCV Lasso LassoCV"
        " LassoLars LassoLarsCV LassoLarsIC LinearRegression LogisticRegression LogisticRegressionCV"
        " OrthogonalMatchingPursuit OrthogonalMatchingPursuitCV Perceptron PoissonRegressor QuantileRegressor"
        " RANSACRegressor Ridge RidgeCV RidgeClassifier RidgeClassifierCV SGDClassifier SGDRegressor TheilSenRegressor"
        " TweedieRegressor"
    ),
    "naive_bayes": "BernoulliNB CategoricalNB ComplementNB GaussianNB MultinomialNB",
    "neighbors": (
        "KNeighborsClassifier KNeighborsRegressor NearestCentroid RadiusNeighborsClassifier RadiusNeighborsRegressor"
    ),
    "neural_network": "MLPClassifier MLPRegressor",
    "semi_supervised": "LabelPropagation LabelSpreading",
    "svm": "LinearSVC LinearSVR NuSVC NuSVR SVC SVR",
    "tree": "DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier ExtraTreeRegressor",
}


def _words(numbers: str, **words: str) -> Words:
    return {**dict.fromkeys(numbers.split(), ()), **{name: tuple(text.split()) for name, text in words.items()}}


_LIGHTGBM = _words(
    "num_leaves max_depth learning_rate n_estimators subsample_for_bin min_split_gain min_child_weight"
    " min_child_samples subsample subsample_freq colsample_bytree reg_alpha reg_lambda random_state n_jobs"
    " max_bin min_data_in_bin extra_trees path_smooth max_delta_step feature_fraction_bynode linear_lambda cat_l2"
    " cat_smooth max_cat_threshold max_cat_to_onehot top_rate other_rate drop_rate max_drop skip_drop is_unbalance"
    " scale_pos_weight tweedie_variance_power alpha verbosity verbose",
    boosting_type="gbdt dart goss rf",
    data_sample_strategy="bagging goss",
    objective=(
        "regression regression_l1 huber fair poisson quantile mape gamma tweedie binary multiclass multiclassova"
        " cross_entropy"
    ),
    class_weight="balanced",
    importance_type="split gain",
)
_XGBOOST = _words(
    "max_depth max_leaves max_bin learning_rate n_estimators verbosity n_jobs gamma min_child_weight max_delta_step"
    " subsample colsample_bytree colsample_bylevel colsample_bynode reg_alpha reg_lambda scale_pos_weight base_score"
    " random_state num_parallel_tree enable_categorical max_cat_to_onehot max_cat_threshold",
    grow_policy="depthwise lossguide",
    booster="gbtree gblinear dart",
    tree_method="auto exact approx hist",
    sampling_method="uniform",
    device="cpu",
    importance_type="gain weight cover total_gain total_cover",
    multi_strategy="one_output_per_tree multi_output_tree",
    objective=(
        "reg:squarederror reg:squaredlogerror reg:logistic reg:pseudohubererror reg:absoluteerror reg:quantileerror"
        " reg:gamma reg:tweedie count:poisson binary:logistic binary:hinge multi:softmax multi:softprob"
    ),
)
_CATBOOST = _words(
    "iterations n_estimators num_trees learning_rate eta depth max_depth l2_leaf_reg reg_lambda rsm colsample_bylevel"
    " border_count max_bin random_seed random_state random_strength bagging_temperature subsample min_data_in_leaf"
    " min_child_samples max_leaves num_leaves leaf_estimation_iterations one_hot_max_size model_size_reg thread_count"
    " scale_pos_weight fold_permutation_block fold_len_multiplier approx_on_full_history boost_from_average langevin"
    " diffusion_temperature posterior_sampling penalties_coefficient has_time max_ctr_complexity verbose",
    loss_function=("RMSE MAE MAPE Poisson Quantile LogLinQuantile Logloss CrossEntropy MultiClass MultiClassOneVsAll"),
    objective="RMSE MAE MAPE Poisson Quantile Logloss CrossEntropy MultiClass MultiClassOneVsAll",
    grow_policy="SymmetricTree Depthwise Lossguide",
    bootstrap_type="Bayesian Bernoulli MVS Poisson No",
    leaf_estimation_method="Newton Gradient Exact Simple",
    boosting_type="Ordered Plain",
    auto_class_weights="Balanced SqrtBalanced",
    nan_mode="Min Max Forbidden",
    score_function="Cosine L2 NewtonCosine NewtonL2",
    sampling_frequency="PerTree PerTreeLevel",
    feature_border_type="Median Uniform UniformAndQuantiles MaxLogSum MinEntropy GreedyLogSum",
    task_type="CPU",
    logging_level="Silent",
)
NATIVE: Mapping[str, Words] = {"lightgbm": _LIGHTGBM, "xgboost": _XGBOOST, "catboost": _CATBOOST}
LEARNERS = frozenset(
    [
        *(f"sklearn.{module}.{name}" for module, names in _SKLEARN.items() for name in names.split()),
        *("lightgbm.LGBMClassifier", "lightgbm.LGBMRegressor"),
        *("xgboost.XGBClassifier", "xgboost.XGBRegressor", "xgboost.XGBRFClassifier", "xgboost.XGBRFRegressor"),
        *("catboost.CatBoostClassifier", "catboost.CatBoostRegressor"),
    ]
)
