"""What a model file may name without `--trust`: classes and functions one by one, never a package.

A class is listed if it does nothing but arithmetic on what it holds: it opens no file, imports nothing, calls nothing
that is handed to it, and what its compiled code reads without looking is checked (`api/model_state.py`). So these are
not here: gradient boosting of scikit-learn other than by histograms, text vectorizers, clusterings, and the learners
of LightGBM, XGBoost and CatBoost, whose compiled readers were not written for hostile files.
`tests/api/test_trusted.py` saves and loads every built-in learner, and looks each name up.
"""

from __future__ import annotations

_OURS = {
    "conformal": "IntervalModel SetModel",
    "sample": "RowSample",
    "blend": "WeightedMean BlendedModel",
    "estimators.calibrated": "Calibrated",
    "estimators.seasonal": "SeasonalNaive",
    "estimators.nearest": "NearestRegressor NearestClassifier",
    "estimators.neural_net": "NeuralNetRegressor NeuralNetClassifier",
    "preprocessing.category_means": "CategoryMeans",
    "preprocessing.curves": "Curves",
    "preprocessing.date_parts": "DateParts",
    "preprocessing.empty_columns": "EmptyColumnFiller",
    "preprocessing.text_words": "TextWords",
    "preprocessing.table_columns": "TableColumns NativeColumns",
}
_SKLEARN = {
    "_loss.link": "HalfLogitLink IdentityLink Interval LogLink LogitLink MultinomialLogit",
    "_loss.loss": (
        "AbsoluteError HalfBinomialLoss HalfGammaLoss HalfMultinomialLoss HalfPoissonLoss HalfSquaredError"
        " HalfTweedieLoss HalfTweedieLossIdentity PinballLoss"
    ),
    "calibration": "CalibratedClassifierCV _CalibratedClassifier _SigmoidCalibration",
    "compose._column_transformer": "ColumnTransformer",
    "compose._target": "TransformedTargetRegressor",
    "cross_decomposition._pls": "PLSRegression PLSCanonical CCA",
    "decomposition._factor_analysis": "FactorAnalysis",
    "decomposition._fastica": "FastICA",
    "decomposition._incremental_pca": "IncrementalPCA",
    "decomposition._kernel_pca": "KernelPCA",
    "decomposition._pca": "PCA",
    "decomposition._truncated_svd": "TruncatedSVD",
    "discriminant_analysis": "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis",
    "dummy": "DummyClassifier DummyRegressor",
    "ensemble._bagging": "BaggingClassifier BaggingRegressor",
    "ensemble._forest": "ExtraTreesClassifier ExtraTreesRegressor RandomForestClassifier RandomForestRegressor",
    "ensemble._hist_gradient_boosting.binning": "_BinMapper",
    "ensemble._hist_gradient_boosting.gradient_boosting": (
        "HistGradientBoostingClassifier HistGradientBoostingRegressor"
    ),
    "ensemble._hist_gradient_boosting.predictor": "TreePredictor",
    "ensemble._stacking": "StackingClassifier StackingRegressor",
    "ensemble._voting": "VotingClassifier VotingRegressor",
    "ensemble._weight_boosting": "AdaBoostClassifier AdaBoostRegressor",
    "feature_selection._from_model": "SelectFromModel",
    "feature_selection._rfe": "RFE RFECV",
    "feature_selection._sequential": "SequentialFeatureSelector",
    "feature_selection._univariate_selection": (
        "GenericUnivariateSelect SelectFdr SelectFpr SelectFwe SelectKBest SelectPercentile"
    ),
    "feature_selection._variance_threshold": "VarianceThreshold",
    "frozen._frozen": "FrozenEstimator",
    "gaussian_process._gpc": "GaussianProcessClassifier _BinaryGaussianProcessClassifierLaplace",
    "gaussian_process._gpr": "GaussianProcessRegressor",
    "gaussian_process.kernels": (
        "CompoundKernel ConstantKernel DotProduct ExpSineSquared Exponentiation Matern Product RBF RationalQuadratic"
        " Sum WhiteKernel"
    ),
    "impute._base": "MissingIndicator SimpleImputer",
    "impute._iterative": "IterativeImputer",
    "impute._knn": "KNNImputer",
    "isotonic": "IsotonicRegression",
    "kernel_approximation": "AdditiveChi2Sampler Nystroem RBFSampler SkewedChi2Sampler",
    "kernel_ridge": "KernelRidge",
    "linear_model._base": "LinearRegression",
    "linear_model._bayes": "ARDRegression BayesianRidge",
    "linear_model._coordinate_descent": (
        "ElasticNet ElasticNetCV Lasso LassoCV MultiTaskElasticNet MultiTaskElasticNetCV MultiTaskLasso"
        " MultiTaskLassoCV"
    ),
    "linear_model._glm.glm": "GammaRegressor PoissonRegressor TweedieRegressor",
    "linear_model._huber": "HuberRegressor",
    "linear_model._least_angle": "Lars LarsCV LassoLars LassoLarsCV LassoLarsIC",
    "linear_model._logistic": "LogisticRegression LogisticRegressionCV",
    "linear_model._omp": "OrthogonalMatchingPursuit OrthogonalMatchingPursuitCV",
    "linear_model._perceptron": "Perceptron",
    "linear_model._quantile": "QuantileRegressor",
    "linear_model._ransac": "RANSACRegressor",
    "linear_model._ridge": "Ridge RidgeCV RidgeClassifier RidgeClassifierCV _RidgeGCV",
    "linear_model._stochastic_gradient": "SGDClassifier SGDRegressor",
    "linear_model._theil_sen": "TheilSenRegressor",
    "metrics._dist_metrics": "ChebyshevDistance64 EuclideanDistance64 ManhattanDistance64",
    "metrics._scorer": "_PassthroughScorer",
    "model_selection._classification_threshold": "FixedThresholdClassifier",
    "model_selection._search": "GridSearchCV RandomizedSearchCV",
    "model_selection._split": (
        "GroupKFold KFold LeaveOneOut RepeatedKFold RepeatedStratifiedKFold ShuffleSplit StratifiedKFold"
        " StratifiedShuffleSplit TimeSeriesSplit"
    ),
    "multiclass": "OneVsOneClassifier OneVsRestClassifier OutputCodeClassifier _ConstantPredictor",
    "multioutput": "MultiOutputRegressor RegressorChain",
    "naive_bayes": "BernoulliNB CategoricalNB ComplementNB GaussianNB MultinomialNB",
    "neighbors._ball_tree": "BallTree",
    "neighbors._classification": "KNeighborsClassifier RadiusNeighborsClassifier",
    "neighbors._kd_tree": "KDTree",
    "neighbors._nearest_centroid": "NearestCentroid",
    "neighbors._regression": "KNeighborsRegressor RadiusNeighborsRegressor",
    "neural_network._multilayer_perceptron": "MLPClassifier MLPRegressor",
    "neural_network._stochastic_optimizers": "AdamOptimizer SGDOptimizer",
    "pipeline": "FeatureUnion Pipeline",
    "preprocessing._data": (
        "Binarizer KernelCenterer MaxAbsScaler MinMaxScaler Normalizer PowerTransformer QuantileTransformer"
        " RobustScaler StandardScaler"
    ),
    "preprocessing._discretization": "KBinsDiscretizer",
    "preprocessing._encoders": "OneHotEncoder OrdinalEncoder",
    "preprocessing._function_transformer": "FunctionTransformer",
    "preprocessing._label": "LabelBinarizer LabelEncoder MultiLabelBinarizer",
    "preprocessing._polynomial": "PolynomialFeatures SplineTransformer",
    "preprocessing._target_encoder": "TargetEncoder",
    "random_projection": "GaussianRandomProjection SparseRandomProjection",
    "svm._classes": "LinearSVC LinearSVR NuSVC NuSVR SVC SVR",
    "tree._classes": "DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier ExtraTreeRegressor",
}
_LOSSES = (
    "AbsoluteError ExponentialLoss HalfBinomialLoss HalfGammaLoss HalfMultinomialLoss HalfPoissonLoss"
    " HalfSquaredError HalfTweedieLoss HalfTweedieLossIdentity HuberLoss PinballLoss"
)
_SGD_LOSSES = "EpsilonInsensitive Hinge ModifiedHuber SquaredEpsilonInsensitive SquaredHinge"
_NUMBERS = "bool_ float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 str_ datetime64 timedelta64"
_FORMULAS = (
    "abs absolute arcsinh arctan cbrt ceil cos deg2rad exp exp2 expm1 fabs floor log log10 log1p log2 negative rad2deg"
    " reciprocal rint sign sin sinh sqrt square tan tanh trunc"
)
_SCORES = "chi2 f_classif f_regression r_regression"


def _full(package: str, table: dict[str, str]) -> frozenset[str]:
    return frozenset(f"{package}.{module}.{name}" for module, names in table.items() for name in names.split())


NUMBERS = frozenset(f"numpy.{name}" for name in [*_NUMBERS.split(), "bool"])
OBJECTS = (
    _full("sklearn", _SKLEARN) | _full("foldwise.learners", _OURS) | frozenset({"scipy.interpolate._bsplines.BSpline"})
)
FUNCTIONS = (
    _full("numpy", {"_core._multiarray_umath": _FORMULAS})
    | frozenset(f"numpy.{name}" for name in _FORMULAS.split())
    | _full("sklearn.feature_selection", {"_univariate_selection": _SCORES})
    | _full("scipy", {"_lib.array_api_compat.numpy._aliases": "asarray"})  # of splines
    | frozenset({"sklearn.utils.validation.check_array"})  # of histogram boosting on categories
    | _full(
        "foldwise.learners.preprocessing",
        {"preprocess": "as_dense booleans_as_numbers gaps_as_numbers text_with_gaps text_without_gaps"},
    )
)
# What each kind of part in a skops file may be. Kinds that are not here, as bytes and methods, are refused.
BY_LOADER: dict[str, frozenset[str]] = {
    "JsonNode": frozenset({"builtins.str"}),
    "DictNode": frozenset({"builtins.dict", "collections.OrderedDict", "sklearn.utils._bunch.Bunch"}),
    "ListNode": frozenset({"builtins.list"}),
    "SetNode": frozenset({"builtins.set"}),
    "TupleNode": frozenset({"builtins.tuple", "sklearn.impute._iterative._ImputerTriplet"}),
    "SliceNode": frozenset({"builtins.slice"}),
    # A type is called with a key of a dictionary, or with a table by a FunctionTransformer: numbers and text alone.
    "TypeNode": frozenset({"builtins.int", "builtins.float", "builtins.str", "builtins.bool"}) | NUMBERS,
    "FunctionNode": FUNCTIONS,
    "PartialNode": frozenset({"functools.partial"}),
    "ObjectNode": OBJECTS,
    "NdArrayNode": frozenset({"numpy.ndarray"}) | NUMBERS,
    "MaskedArrayNode": frozenset({"numpy.ma.MaskedArray", "numpy.ma.core.MaskedArray"}),
    "DTypeNode": frozenset({"numpy.dtype"}),
    "SparseMatrixNode": _full("scipy.sparse", {"_csr": "csr_array csr_matrix", "_csc": "csc_array csc_matrix"}),
    "RandomStateNode": frozenset({"numpy.random.mtrand.RandomState"}),
    "RandomGeneratorNode": frozenset({"numpy.random._generator.Generator"}),
    "TreeNode": frozenset({"sklearn.tree._tree.Tree"}),
    "LossNode": _full("sklearn", {"linear_model._sgd_fast": _SGD_LOSSES})
    | frozenset(f"sklearn._loss._loss.Cy{name}" for name in _LOSSES.split()),
}
