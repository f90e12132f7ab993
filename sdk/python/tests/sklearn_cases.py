"""Estimators of scikit-learn, for wheels_cases.py."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any, Callable, List, Tuple

from wheels import Case


def people(gaps: bool = False, numbers: bool = False, real: bool = True, categories: bool = False) -> Tuple[Any, Any]:
    """A frame of 240 people and their labels, "no" and "yes".

    gaps: cells are missing. numbers: no text. real: with an income. categories: text of the
    type category.
    """
    import numpy as np
    import pandas as pd

    draw = np.random.default_rng(1)
    n = 240
    frame = pd.DataFrame({
        "age": draw.integers(18, 71, n),
        "housing": draw.choice(["own", "rent", "free"], n),
        "hours": draw.integers(0, 61, n),
        "sex": draw.choice(["f", "m"], n),
        "married": draw.random(n) < 0.4,
    })
    if real:
        frame["income"] = draw.gamma(3, 900, n).round(2)
    logit = 0.05 * frame.age - 0.04 * frame.hours + (frame.sex == "m") + 0.8 * (frame.housing == "own") + 0.6 * frame.married - 2
    y = np.where(logit + draw.logistic(size=n) > 0, "yes", "no")
    if numbers:
        frame = frame.assign(housing=frame.housing.map({"own": 0, "rent": 1, "free": 2}).astype("int64"), sex=(frame.sex == "m").astype("int64"))
    if gaps:
        for i, name in enumerate(["hours", "housing"]):
            cells = frame[name].astype(float if name == "hours" or numbers else object)
            frame[name] = cells.where(draw.random(n) > 0.1 * (i + 1))
        if real and numbers:
            frame["income"] = frame.income.where(draw.random(n) > 0.1)
    if categories:
        frame = frame.astype({"sex": "category", "housing": "category"})
    return frame, y


def fitted(estimator: Callable[[], Any], **how: bool) -> Callable[[], Tuple[Any, Any]]:
    """The estimator, fitted to people."""

    def build() -> Tuple[Any, Any]:
        x, y = people(**how)
        return estimator().fit(x, y), x

    return build


def coded(**more: Any) -> Any:
    """A ColumnTransformer that encodes the text and keeps the rest."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.preprocessing import OneHotEncoder

    return make_column_transformer((OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude=["number", "bool"])), remainder="passthrough", **more)


@dataclass(frozen=True)
class Recipe:
    """Makes an estimator that is not fitted yet."""

    make: Callable[[], Any]

    def __call__(self) -> Any:
        return self.make()


def made(name: str, **parameters: Any) -> Recipe:
    """A class of scikit-learn, imported when it is made. Parameters may be recipes, too."""

    def make() -> Any:
        module, _, kind = name.rpartition(".")
        given = {k: v() if isinstance(v, Recipe) else v for k, v in parameters.items()}
        return getattr(import_module(f"sklearn.{module}"), kind)(**given)

    return Recipe(make)


def after(steps: Callable[[], Any], model: Recipe) -> Recipe:
    """A Pipeline of a step, or a list of steps, and the model."""

    def make() -> Any:
        from sklearn.pipeline import make_pipeline

        made = steps()
        return make_pipeline(*(made if isinstance(made, list) else [made]), model())

    return Recipe(make)


def standard(model: Recipe) -> Recipe:
    """Text as ones and all of it scaled, before the model."""
    return after(lambda: [coded(), made("preprocessing.StandardScaler")()], model)


def voters(*models: Recipe, **parameters: Any) -> Recipe:
    return Recipe(lambda: made("ensemble.VotingClassifier", estimators=[(f"m{i}", m()) for i, m in enumerate(models)], **parameters)())


def samme(**parameters: Any) -> Recipe:
    """AdaBoost as newer versions train it."""

    def make() -> Any:
        from sklearn.ensemble import AdaBoostClassifier

        older = signature(AdaBoostClassifier).parameters.get("algorithm")
        given = {"algorithm": "SAMME"} if older is not None and older.default == "SAMME.R" else {}
        return made("ensemble.AdaBoostClassifier", random_state=1, **given, **parameters)()

    return Recipe(make)


def scaled() -> Any:
    """Every affine scaler, and text as ones, or as all but one of two."""
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, OneHotEncoder, RobustScaler, StandardScaler

    return ColumnTransformer([
        ("age", StandardScaler(), ["age"]), ("hours", MinMaxScaler(clip=True), slice("hours", "hours")), ("income", RobustScaler(), [5]),
        ("again", MaxAbsScaler(), ["income", "age"]), ("text", OneHotEncoder(drop="if_binary"), ["sex", "housing"]), ("out", "drop", ["married"]),
    ], verbose_feature_names_out=False)


def rescaled() -> List[Any]:
    """Affine steps in a chain."""
    return [made(f"preprocessing.{name}")() for name in ("StandardScaler", "MinMaxScaler", "RobustScaler", "MaxAbsScaler")]


def curved() -> Any:
    """Steps that are not affine, for whole numbers."""
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import Binarizer, FunctionTransformer, KBinsDiscretizer, PowerTransformer, QuantileTransformer, SplineTransformer
    import numpy as np

    return make_column_transformer(
        (PowerTransformer(), ["age"]), (QuantileTransformer(n_quantiles=20), ["hours", "age"]), (KBinsDiscretizer(4, encode="onehot"), ["hours"]),
        (KBinsDiscretizer(5, encode="ordinal"), ["age"]), (Binarizer(threshold=30), ["age"]), (FunctionTransformer(np.log1p), ["hours"]),
        (FunctionTransformer(np.clip, kw_args={"a_min": 20, "a_max": 40}), ["age"]), (SplineTransformer(4), ["age"]), (FunctionTransformer(), ["married"]))


def filled() -> Any:
    """Fills missing numbers and text, and says where they were."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import MissingIndicator, SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    return make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler()), ["hours", "age"]),
        (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), ["housing"]), (SimpleImputer(strategy="constant", fill_value=-1), ["hours"]),
        (MissingIndicator(), ["hours", "age"]), remainder="drop")


def ordinal() -> Any:
    """Text as numbers, unknown and missing text apart."""
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

    return make_column_transformer(
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2), ["housing"]),
        (OneHotEncoder(min_frequency=0.25, handle_unknown="infrequent_if_exist", sparse_output=False), ["housing"]), (OneHotEncoder(drop="first"), ["sex"]),
        remainder="passthrough", sparse_threshold=0)


def targeted() -> Any:
    """Text as the share of yes among those who have it."""
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import TargetEncoder

    return make_column_transformer((TargetEncoder(), ["housing", "sex"]), remainder="passthrough")


def joined() -> List[Any]:
    """A union of unions, after which inputs are chosen."""
    from sklearn.feature_selection import SelectKBest, VarianceThreshold
    from sklearn.pipeline import FeatureUnion
    from sklearn.preprocessing import KBinsDiscretizer, MinMaxScaler, StandardScaler

    union = FeatureUnion([
        ("a", StandardScaler()), ("b", KBinsDiscretizer(3, encode="onehot-dense")), ("c", "passthrough"), ("d", "drop")], transformer_weights={"a": 0.5})
    return [union, "passthrough", VarianceThreshold(0.01), MinMaxScaler(feature_range=(-1, 1)), SelectKBest(k=9)]


def chosen() -> List[Any]:
    """Inputs that another model finds important."""
    from sklearn.feature_selection import SelectFromModel

    return [coded(), SelectFromModel(forest(), max_features=4)]


def framed() -> List[Any]:
    """Frames between the steps, by whose names the second one chooses."""
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    first = make_column_transformer((OneHotEncoder(sparse_output=False), ["sex", "housing"]), remainder="passthrough", verbose_feature_names_out=False)
    second = make_column_transformer((StandardScaler(), ["hours", "age"]), ("passthrough", ["sex_m", "housing_own"]))
    return [first.set_output(transform="pandas"), second.set_output(transform="pandas")]


def projected(name: str, **parameters: Any) -> Callable[[], List[Any]]:
    """A projection of what is encoded and scaled."""
    return lambda: [coded(), made("preprocessing.StandardScaler")(), made(f"decomposition.{name}", **parameters)()]


def impute(*before: str, **parameters: Any) -> Callable[[], List[Any]]:
    """Steps, an imputer and a scaler."""
    return lambda: [*(made(f"preprocessing.{name}")() for name in before), made("impute.SimpleImputer", **parameters)(), made("preprocessing.StandardScaler")()]


def prefit(model: Recipe, **parameters: Any) -> Callable[[], Tuple[Any, Any]]:
    """A model of encoded people, fitted before it is calibrated."""

    def build() -> Tuple[Any, Any]:
        x, y = people()
        inner = after(coded, model)().fit(x, y)
        try:
            from sklearn.frozen import FrozenEstimator
        except ImportError:  # Before 1.6.
            return made(CALIBRATED, estimator=inner, cv="prefit", **parameters)().fit(x, y), x
        return made(CALIBRATED, estimator=FrozenEstimator(inner), ensemble=False, **parameters)().fit(x, y), x

    return build


def unseen() -> Tuple[Any, Any]:
    """Codes of categories, one of which the model has not seen, and a missing one that decides much."""
    x, y = people(numbers=True, gaps=True, real=False)
    y[(x.housing != x.housing) & (x.age > 22)] = "yes"
    known = (x.housing != 1).to_numpy()
    model = made("ensemble.HistGradientBoostingClassifier", categorical_features=[1], max_iter=15, min_samples_leaf=5)
    return model().fit(x[known], y[known]), x


def empty() -> Tuple[Any, Any]:
    """A column without a value in training, which the imputer leaves out."""
    x, y = people()
    x["hours"] = x.hours.astype(float)
    return after(filled, logistic)().fit(x.assign(hours=float("nan")), y), x


def positional() -> Tuple[Any, Any]:
    """A model that was fitted without names."""
    x, y = people(numbers=True)
    return after(made("preprocessing.StandardScaler"), logistic)().fit(x.to_numpy(dtype=float), y), x


def unknown(domain: str) -> Callable[[], Tuple[Any, Any]]:
    """A frame with a value that the encoder has not seen."""

    def build() -> Tuple[Any, Any]:
        from sklearn.compose import make_column_transformer
        from sklearn.preprocessing import OneHotEncoder

        x, y = people()
        model = after(lambda: make_column_transformer((OneHotEncoder(), ["sex", "housing"]), remainder="passthrough"), logistic)().fit(x, y)
        return model, x.assign(housing=x.housing.where(x.age != 30, domain))

    return build


def three() -> Tuple[Any, Any]:
    x, _ = people(numbers=True)
    return logistic().fit(x, x.housing), x


def several() -> Tuple[Any, Any]:
    x, _ = people(numbers=True)
    return forest().fit(x, x[["sex", "married"]]), x


def unfitted() -> Tuple[Any, Any]:
    return after(coded, logistic)(), people()[0]


def gone() -> Tuple[Any, Any]:
    """A model that takes no missing values, and a frame that has some."""
    x, y = people()
    return after(coded, logistic)().fit(x, y), people(gaps=True)[0]


def fitted_numbers(estimator: Callable[[], Any]) -> Callable[[], Tuple[Any, Any]]:
    def build() -> Tuple[Any, Any]:
        x, _ = people(numbers=True)
        return estimator().fit(x, x.income), x

    return build


def shout(x: Any) -> Any:
    return x * x


def _case(estimator: str, steps: str, build: Callable[[], Tuple[Any, Any]], refused: str = "", since: str = "") -> Case:
    return Case("scikit-learn", estimator, steps, build, refused, since)


logistic = made("linear_model.LogisticRegression", max_iter=200)
tree = made("tree.DecisionTreeClassifier", max_depth=4, random_state=1)
forest = made("ensemble.RandomForestClassifier", n_estimators=20, max_depth=6, random_state=1)
extra = made("ensemble.ExtraTreesClassifier", n_estimators=20, max_depth=6, random_state=1)
boosted = made("ensemble.GradientBoostingClassifier", n_estimators=20, random_state=1)
hist = made("ensemble.HistGradientBoostingClassifier", max_iter=15, random_state=1)
mlp = made("neural_network.MLPClassifier", hidden_layer_sizes=(6, 4), max_iter=60, random_state=1)
linear = made("svm.LinearSVC", random_state=1)
CALIBRATED = "calibration.CalibratedClassifierCV"

CASES: List[Case] = [
    _case("LogisticRegression", "", fitted(logistic, numbers=True)),
    _case("LogisticRegression", "Standard, MinMax, Robust, MaxAbs, OneHot", fitted(after(scaled, logistic))),
    _case("LogisticRegression", "Power, Quantile, KBins, Binarizer, Spline, log1p, clip", fitted(after(curved, logistic))),
    _case("LogisticRegression", "SimpleImputer, MissingIndicator, OneHot", fitted(after(filled, logistic), gaps=True)),
    _case("LogisticRegression", "TargetEncoder", fitted(after(targeted, logistic)), since="1.3"),
    _case("LogisticRegression", "FeatureUnion, VarianceThreshold, SelectKBest", fitted(after(joined, logistic), numbers=True, real=False)),
    _case("LogisticRegression", "set_output(pandas), twice", fitted(after(framed, logistic))),
    _case("LogisticRegression", "Standard, of an array", positional),
    _case("LogisticRegression", "Standard, MinMax, MaxAbs, one after another", fitted(after(rescaled, logistic), numbers=True)),
    _case("LogisticRegression", "SimpleImputer, a column without values", empty),
    _case("LogisticRegressionCV", "OneHot, Standard", fitted(standard(made("linear_model.LogisticRegressionCV", cv=2, Cs=3)))),
    _case("SGDClassifier (log loss)", "OneHot, Standard", fitted(standard(made("linear_model.SGDClassifier", loss="log_loss", random_state=1)))),
    _case("LinearDiscriminantAnalysis", "OneHot, Standard", fitted(standard(made("discriminant_analysis.LinearDiscriminantAnalysis")))),
    _case("MLPClassifier", "OneHot, Standard", fitted(standard(mlp))),
    _case("MLPClassifier (identity)", "Standard", fitted(after(made("preprocessing.StandardScaler"), made("neural_network.MLPClassifier", activation="identity", max_iter=60, random_state=1)), numbers=True)),
    _case("DecisionTree", "Ordinal, OneHot (infrequent, drop)", fitted(after(ordinal, tree), gaps=False)),
    _case("DecisionTree", "", fitted(tree, numbers=True, gaps=True, real=False), since="1.3"),
    _case("RandomForest", "OneHot", fitted(after(coded, forest))),
    _case("RandomForest", "", fitted(forest, numbers=True, gaps=True, real=False), since="1.4"),
    _case("RandomForest", "SimpleImputer, MissingIndicator, OneHot", fitted(after(filled, forest), gaps=True)),
    _case("ExtraTrees", "TargetEncoder", fitted(after(targeted, extra)), since="1.3"),
    _case("ExtraTrees", "OneHot, SelectFromModel", fitted(after(chosen, extra))),
    _case("GradientBoosting", "OneHot", fitted(after(coded, boosted))),
    _case("GradientBoosting (exponential)", "OneHot, Standard", fitted(standard(made("ensemble.GradientBoostingClassifier", loss="exponential", n_estimators=10, random_state=1)))),
    _case("GradientBoosting (init=zero)", "Ordinal", fitted(after(ordinal, made("ensemble.GradientBoostingClassifier", init="zero", n_estimators=10, random_state=1)))),
    _case("HistGradientBoosting", "", fitted(hist, numbers=True, gaps=True, real=False)),
    _case("HistGradientBoosting", "categories of the frame", fitted(hist, categories=True, gaps=True), since="1.4"),
    _case("HistGradientBoosting", "Ordinal, categories by number", fitted(after(ordinal, made("ensemble.HistGradientBoostingClassifier", categorical_features=[0, 3], max_iter=15)), gaps=True), since="1.4"),
    _case("HistGradientBoosting", "categories by number, one not seen", unseen),
    _case("AdaBoost (SAMME)", "OneHot", fitted(after(coded, samme(n_estimators=10)))),
    _case("Bagging of trees", "OneHot", fitted(after(coded, made("ensemble.BaggingClassifier", estimator=tree, max_features=0.7, n_estimators=8, random_state=1)))),
    _case("Voting (soft) of forests and trees", "steps of their own", fitted(voters(after(coded, forest), after(targeted, extra), after(ordinal, tree), voting="soft", weights=[2, 1, 1])), since="1.3"),
    _case("Calibrated (sigmoid) LogisticRegression", "OneHot, Standard", fitted(made(CALIBRATED, estimator=standard(logistic), ensemble=False))),
    _case("Calibrated (sigmoid) LinearSVC", "OneHot, Standard", fitted(standard(made(CALIBRATED, estimator=linear, ensemble=False)))),
    _case("Calibrated (sigmoid) RandomForest", "OneHot", prefit(forest)),
    _case("Calibrated (sigmoid) HistGradientBoosting", "OneHot", prefit(hist)),
    _case("Calibrated (isotonic) DecisionTree", "OneHot", prefit(tree, method="isotonic")),
    _case("Calibrated (temperature) GradientBoosting", "OneHot", prefit(boosted, method="temperature"), since="1.8"),
    _case("FixedThreshold of RandomForest", "OneHot", fitted(made("model_selection.FixedThresholdClassifier", estimator=after(coded, forest), threshold=0.3)), since="1.5"),
    _case("FixedThreshold of LogisticRegression, first class", "OneHot, Standard", fitted(made("model_selection.FixedThresholdClassifier", estimator=standard(logistic), threshold=0.4, pos_label="no")), since="1.5"),
    _case("Voting (soft) of one FixedThreshold", "OneHot", fitted(voters(made("model_selection.FixedThresholdClassifier", estimator=after(coded, forest), threshold=0.3), voting="soft")), since="1.5"),
    _case("TunedThreshold of ExtraTrees", "OneHot", fitted(made("model_selection.TunedThresholdClassifierCV", estimator=after(coded, extra), cv=2)), since="1.5"),
    _case("GridSearchCV of DecisionTree", "OneHot", fitted(made("model_selection.GridSearchCV", estimator=after(coded, tree), param_grid={"decisiontreeclassifier__max_depth": [2, 3]}, cv=2))),
    _case("RandomForest", "Standard, clipped MinMax of real numbers", fitted(after(scaled, forest))),
    _case("LogisticRegression", "SimpleImputer of real numbers, Standard", fitted(after(impute(), logistic), numbers=True, gaps=True)),
    _case("LogisticRegression", "Standard, SimpleImputer of real numbers", fitted(after(impute("StandardScaler"), logistic), numbers=True, gaps=True), "SimpleImputer after another step is not affine, and column 'income' is real"),
    _case("LogisticRegression", "SimpleImputer with an indicator, of real numbers", fitted(after(impute(add_indicator=True), logistic), numbers=True, gaps=True), "MissingIndicator is not affine, and column 'income' is real"),
    _case("HistGradientBoosting", "missing real numbers", fitted(hist, numbers=True, gaps=True), "column 'income' is real or has more than 10,000 values and may be missing: put a SimpleImputer first"),
    _case("LogisticRegression", "Quantile of real numbers", fitted(after(made("preprocessing.QuantileTransformer", n_quantiles=20), logistic), numbers=True),
          "QuantileTransformer is not affine, and column 'income' is real"),
    _case("LogisticRegression", "FunctionTransformer of an own function", fitted(after(made("preprocessing.FunctionTransformer", func=shout), logistic), numbers=True),
          "FunctionTransformer of shout is no step that hyfair reads"),
    _case("LogisticRegression", "OneHot, Standard, PCA", fitted(after(projected("PCA", n_components=3, whiten=True), logistic))),
    _case("MLPClassifier", "OneHot, Standard, TruncatedSVD", fitted(after(projected("TruncatedSVD", n_components=3), mlp))),
    _case("RandomForest", "OneHot, Standard, PCA", fitted(after(projected("PCA", n_components=3), forest)), "PCA mixes columns"),
    _case("LogisticRegression", "PCA, Standard", fitted(after(lambda: [made("decomposition.PCA", n_components=2)(), made("preprocessing.StandardScaler")()], logistic), numbers=True),
          "PCA is no step that hyfair reads: its outputs depend on several columns"),
    _case("LogisticRegression", "OneHot, a value that it has not seen", unknown("tent"), "ColumnTransformer fails for values of the domain: Found unknown categories ['tent']"),
    _case("LogisticRegression of 3 classes", "", three, "LogisticRegression has 3 classes: hyfair.Study reads models of two"),
    _case("RandomForest of 2 outputs", "", several, "RandomForestClassifier has 2 outputs"),
    _case("LogisticRegression, not fitted", "OneHot", unfitted, "Pipeline is not fitted: call fit"),
    _case("LogisticRegression, missing cells", "OneHot", gone, "LogisticRegression takes no missing values: Input X contains NaN"),
    _case("LinearRegression", "", fitted_numbers(made("linear_model.LinearRegression")), "LinearRegression is no classifier"),
    _case("SGDClassifier (hinge)", "OneHot, Standard", fitted(standard(made("linear_model.SGDClassifier", random_state=1))), "SGDClassifier with loss='hinge' gives no probabilities"),
    _case("MLPClassifier (tanh)", "OneHot, Standard", fitted(standard(made("neural_network.MLPClassifier", activation="tanh", max_iter=5))), "activation='tanh' is not piecewise linear"),
    _case("GradientBoosting (init=LogisticRegression)", "OneHot", fitted(after(coded, made("ensemble.GradientBoostingClassifier", init=logistic, n_estimators=3))), "init=LogisticRegression begins with another model"),
    _case("AdaBoost of LogisticRegression", "OneHot, Standard", fitted(standard(samme(estimator=logistic, n_estimators=3))), "AdaBoostClassifier of LogisticRegression is not read"),
    _case("Bagging of LogisticRegression", "OneHot, Standard", fitted(standard(made("ensemble.BaggingClassifier", estimator=logistic, n_estimators=3))), "BaggingClassifier is the mean of the sigmoids of several models"),
    _case("Voting (soft) of LogisticRegression and RandomForest", "OneHot", fitted(after(coded, voters(logistic, forest, voting="soft"))), "VotingClassifier is the mean of the sigmoids"),
    _case("Voting (hard)", "OneHot", fitted(after(coded, voters(forest, tree))), "voting='hard' gives votes and no probabilities"),
    _case("Calibrated (5 copies) LogisticRegression", "OneHot, Standard", fitted(standard(made(CALIBRATED, estimator=logistic))), "CalibratedClassifierCV is the mean of 5 models"),
    _case("Calibrated (isotonic) RandomForest", "OneHot", prefit(forest, method="isotonic"), "method='isotonic' bends the sum of Pipeline"),
    _case("Calibrated (isotonic) LogisticRegression", "OneHot, Standard", fitted(standard(made(CALIBRATED, estimator=logistic, method="isotonic", ensemble=False))), "hyfair.Study(make_pipeline(*model[:-1], "),
    _case("Calibrated (sigmoid) MLPClassifier", "OneHot, Standard", fitted(standard(made(CALIBRATED, estimator=mlp, ensemble=False, cv=2))), "the calibration of MLPClassifier is a sigmoid of its probabilities"),
    _case("Stacking", "OneHot", fitted(after(coded, Recipe(lambda: made("ensemble.StackingClassifier", estimators=[("a", tree()), ("b", logistic())], cv=2)()))), "StackingClassifier is no model that hyfair reads: its last model sees the scores of others"),
    _case("SVC", "OneHot, Standard", fitted(standard(made("svm.SVC"))), "SVC is no model that hyfair reads: its decision is a sum of kernels"),
    _case("KNeighbors", "OneHot, Standard", fitted(standard(made("neighbors.KNeighborsClassifier"))), "KNeighborsClassifier is no model that hyfair reads: it asks for the nearest rows"),
    _case("GaussianNB", "Standard", fitted(after(made("preprocessing.StandardScaler"), made("naive_bayes.GaussianNB")), numbers=True), "GaussianNB is no model that hyfair reads"),
]
