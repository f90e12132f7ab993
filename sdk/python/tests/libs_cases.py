"""Estimators of XGBoost, LightGBM, CatBoost, PyTorch, Keras, interpret and optbinning, for wheels_cases.py."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Callable, List, Tuple

from sklearn_cases import people
from wheels import Case

os.environ.setdefault("KERAS_BACKEND", "jax" if find_spec("jax") else "torch")
# How far scores may differ that a library computes in single precision.
SINGLE = 5e-6


def evaluate(core: Any, x: Any) -> Any:
    """The scores of a library's own file, by the library."""
    if type(core).__module__.endswith("xgboost_"):
        xgboost = import_module("xgboost")
        booster = xgboost.Booster(model_file=bytearray(core.file()[1]))
        booster.feature_names = None
        types = booster.feature_types
        return booster.predict(xgboost.DMatrix(x, feature_types=types, enable_categorical=True))
    return import_module("lightgbm").Booster(model_str=core.file()[1].decode()).predict(x)


def labelled(**how: bool) -> Tuple[Any, Any]:
    """The people, and 1 for yes."""
    x, y = people(**how)
    return x, (y == "yes").astype(int)


def xgb(kind: str = "XGBClassifier", early: bool = False, gap: float = float("nan"), target: str = "", how: Any = None, **more: Any) -> Callable[[], Tuple[Any, Any]]:
    def build() -> Tuple[Any, Any]:
        x, y = labelled(**(how or {"gaps": True, "numbers": True}))
        if gap == gap:
            x = x.fillna(gap)
            more["missing"] = gap
        if target:
            y = x.pop(target).astype(int)
        estimator = getattr(import_module("xgboost"), kind)(**{"n_estimators": 4, "max_depth": 3, "n_jobs": 1, "random_state": 0, **more})
        if kind == "XGBRanker":
            return estimator.fit(x, y, group=[len(x)]), x
        if early:
            half = len(x) // 2
            return estimator.fit(x[:half], y[:half], eval_set=[(x[half:], y[half:])], verbose=False), x
        return estimator.fit(x, y), x

    return build


def xgb_booster(rounds: int = 5, best: bool = False, **more: Any) -> Callable[[], Tuple[Any, Any]]:
    def build() -> Tuple[Any, Any]:
        xgboost = import_module("xgboost")
        x, y = labelled(categories=True)
        data = xgboost.DMatrix(x, y, enable_categorical=True)
        booster = xgboost.train({"objective": "binary:logistic", "max_depth": 3, "nthread": 1, "seed": 0, **more}, data, rounds)
        if best:
            booster.set_attr(best_iteration="1")
        return booster, x

    return build


def reversed_columns(build: Callable[[], Tuple[Any, Any]]) -> Callable[[], Tuple[Any, Any]]:
    def backwards() -> Tuple[Any, Any]:
        estimator, x = build()
        return estimator, x[x.columns[::-1]]

    return backwards


def after_encoding(library: str, kind: str, sparse: bool = False, **more: Any) -> Callable[[], Tuple[Any, Any]]:
    """A Pipeline: text as ones, numbers as they are."""
    def build() -> Tuple[Any, Any]:
        from sklearn.compose import make_column_transformer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder

        x, y = labelled()
        steps = make_column_transformer((OneHotEncoder(), ["sex", "housing"]), remainder="passthrough", sparse_threshold=1.0 if sparse else 0.0)
        return make_pipeline(steps, getattr(import_module(library), kind)(**more)).fit(x, y), x

    return build


def lgb(kind: str = "LGBMClassifier", booster: bool = False, early: bool = False, target: str = "", how: Any = None, **more: Any) -> Callable[[], Tuple[Any, Any]]:
    def build() -> Tuple[Any, Any]:
        lightgbm = import_module("lightgbm")
        x, y = people(**(how or {"gaps": True, "numbers": True}))
        settings = {"n_estimators": 5, "num_leaves": 6, "n_jobs": 1, "verbose": -1, "random_state": 0, **more}
        if target:
            y = x.pop(target).astype(int)
        elif early or kind != "LGBMClassifier":
            y = (y == "yes").astype(int)
        estimator = getattr(lightgbm, kind)(**settings)
        if kind == "LGBMRanker":
            return estimator.fit(x, y, group=[len(x)]), x
        if early:
            half = len(x) // 2
            estimator.fit(x[:half], y[:half], eval_X=x[half:], eval_y=y[half:], callbacks=[lightgbm.early_stopping(1, verbose=False)])
        else:
            estimator.fit(x, y)
        return estimator.booster_ if booster else estimator, x

    return build


def cat(kind: str = "CatBoostClassifier", cats: Tuple[str, ...] = (), target: str = "", threshold: float = 0.0, how: Any = None, **more: Any) -> Callable[[], Tuple[Any, Any]]:
    def build() -> Tuple[Any, Any]:
        x, y = people(**(how or {"gaps": not cats, "numbers": not cats}))
        if target:
            y = x.pop(target).astype(int)
        elif kind != "CatBoostClassifier":
            y = (y == "yes").astype(int)
        settings = {"iterations": 6, "depth": 3, "verbose": 0, "thread_count": 1, "random_seed": 0, "allow_writing_files": False, "cat_features": list(cats), **more}
        made = getattr(import_module("catboost"), kind)
        estimator = made(settings) if kind == "CatBoost" else made(**settings)
        estimator.fit(x, y)
        if threshold:
            estimator.set_probability_threshold(threshold)
        return estimator, x

    return build


def ebm(kind: str = "ExplainableBoostingClassifier", array: bool = False, target: str = "", how: Any = None, **more: Any) -> Callable[[], Tuple[Any, Any]]:
    def build() -> Tuple[Any, Any]:
        x, y = people(**(how or {}))
        if target:
            y = x.pop(target)
        settings = {"max_bins": 16, "max_interaction_bins": 6, "max_rounds": 20, "outer_bags": 1, "n_jobs": 1, "random_state": 0, **more}
        estimator = getattr(import_module("interpret.glassbox"), kind)(**settings)
        return estimator.fit(x.to_numpy(float) if array else x, y if kind.endswith("Classifier") else y == "yes"), x

    return build


def card(last: str = "LogisticRegression", fit: Any = None, how: Any = None, **more: Any) -> Callable[[], Tuple[Any, Any]]:
    def build() -> Tuple[Any, Any]:
        from optbinning import BinningProcess, Scorecard
        from sklearn import linear_model

        x, y = labelled(**(how or {}))
        process = BinningProcess(list(x.columns), categorical_variables=[n for n in ("sex", "housing", "married") if x[n].dtype.kind not in "if"], **more)
        points = {"scaling_method": "min_max", "scaling_method_params": {"min": 0, "max": 100}}
        return Scorecard(process, getattr(linear_model, last)(), **points).fit(x, y, **(fit or {})), x

    return build


def binned(last: str = "LogisticRegression") -> Callable[[], Tuple[Any, Any]]:
    def build() -> Tuple[Any, Any]:
        from optbinning import BinningProcess
        from sklearn import linear_model
        from sklearn.pipeline import make_pipeline

        x, y = labelled()
        names = [n for n in ("sex", "housing", "married") if x[n].dtype.kind not in "if"]
        return make_pipeline(BinningProcess(list(x.columns), categorical_variables=names), getattr(linear_model, last)()).fit(x, y), x

    return build


def net(make: Callable[[Any, Any, int], Any], text: bool = False, double: bool = False, train: bool = False) -> Callable[[], Tuple[Any, Any]]:
    """A module that ``make`` makes of torch, torch.nn and the number of columns."""
    def build() -> Tuple[Any, Any]:
        import numpy as np

        torch = import_module("torch")
        x, _ = people(numbers=not text)
        torch.manual_seed(0)
        module = make(torch, torch.nn, len(x.columns))
        module = module.double() if double else module
        if not text:
            rows = torch.as_tensor(np.asarray(x, np.float64)).to(torch.float64 if double else torch.float32)
            with torch.no_grad():
                for _ in range(40):  # what BatchNorm1d keeps of them
                    try:
                        module(rows)
                    except TypeError:
                        break
        return module if train else module.eval(), x

    return build


def chain(torch: Any, nn: Any, width: int) -> Any:
    return nn.Sequential(
        nn.BatchNorm1d(width), nn.Linear(width, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 4), nn.BatchNorm1d(4), nn.LeakyReLU(0.1), nn.Linear(4, 1), nn.Sigmoid())


def ending(*last: Any) -> Callable[[Any, Any, int], Any]:
    """A hidden layer, a last one with so many units, and layers by name."""
    def make(torch: Any, nn: Any, width: int) -> Any:
        return nn.Sequential(nn.BatchNorm1d(width), nn.Linear(width, 8), nn.ReLU(), nn.BatchNorm1d(8), nn.Linear(8, last[0]), *(
            getattr(nn, name)(*given) for name, *given in last[1:]))

    return make


def module(forward: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any, int], Any]:
    """A module of an own class; ``forward`` gets torch, the module and the rows."""
    def make(torch: Any, nn: Any, width: int) -> Any:
        class Own(nn.Module):  # type: ignore[misc, name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.norm, self.first, self.last = nn.BatchNorm1d(width), nn.Linear(width, 6), nn.Linear(6, 1)

            def forward(self, x: Any) -> Any:
                return forward(torch, self, x)

        return Own()

    return make


def by_functions(torch: Any, own: Any, x: Any) -> Any:
    functional = torch.nn.functional
    hidden = functional.leaky_relu(own.first(own.norm(x)), negative_slope=0.3)
    return torch.sigmoid(own.last(functional.dropout(hidden, 0.1, own.training))).squeeze(1)


def residual(torch: Any, own: Any, x: Any) -> Any:
    hidden = own.first(own.norm(x))
    return own.last(hidden + torch.relu(hidden))


def branching(torch: Any, own: Any, x: Any) -> Any:
    return own.last(own.first(x)) if x.sum() > 0 else own.last(own.first(-x))


def layers(make: Callable[[Any, Any, Any], Any], text: bool = False) -> Callable[[], Tuple[Any, Any]]:
    """A network that ``make`` makes of keras, keras.layers and a layer Normalization of the rows."""
    def build() -> Tuple[Any, Any]:
        import numpy as np

        keras = import_module("keras")
        keras.utils.set_random_seed(0)
        x, _ = people(numbers=True)
        norm = keras.layers.Normalization()
        norm.adapt(np.asarray(x, np.float64))
        network = make(keras, keras.layers, norm)
        draw = np.random.default_rng(0)
        for v in network.weights:
            if "batch_normalization" in v.path:
                v.assign(draw.uniform(0.5, 2, v.shape))
        return network, x

    return build


def sequential(*names: Any) -> Callable[[Any, Any, Any], Any]:
    """Layers by name after the Normalization: ("Dense", 8, "relu")."""
    def make(keras: Any, kinds: Any, norm: Any) -> Any:
        return keras.Sequential([keras.Input((6,)), norm, *(getattr(kinds, name)(*given) for name, *given in names)])

    return make


def functional(joined: bool = False) -> Callable[[Any, Any, Any], Any]:
    def make(keras: Any, kinds: Any, norm: Any) -> Any:
        rows = keras.Input((6,))
        inner = keras.Sequential([keras.Input((6,)), kinds.Dense(5, activation="relu")])
        hidden = inner(norm(rows))
        if joined:
            hidden = kinds.Concatenate()([hidden, rows])
        return keras.Model(rows, kinds.Dense(1, activation="sigmoid")(hidden))

    return make


def _cases(library: str, needs: str, *cases: Tuple[Any, ...], rounding: float = 1e-12) -> List[Case]:
    return [Case(library, name, steps, build, *rest, needs=(*needs.split(), "pandas"), rounding=rounding) for name, steps, build, *rest in cases]


CATEGORIES = {"categories": True}
BOTH = {"categories": True, "gaps": True}
DROPPED = [("Dense", 8, "relu"), ("Dropout", 0.2)]
CASES: List[Case] = [
    *_cases(
        "XGBoost", "xgboost sklearn",
        ("XGBClassifier", "missing cells", xgb()),
        ("XGBClassifier, sets of categories", "categories, missing cells", xgb(how=BOTH, enable_categorical=True, max_cat_to_onehot=1)),
        ("XGBClassifier, one category against others", "categories", xgb(how=CATEGORIES, enable_categorical=True, max_cat_to_onehot=9)),
        ("XGBClassifier (early stopping)", "", xgb(early=True, n_estimators=40, learning_rate=0.9, early_stopping_rounds=2)),
        ("XGBClassifier (dart)", "", xgb(booster="dart", rate_drop=0.5)),
        ("XGBClassifier (missing=-1)", "", xgb(gap=-1.0)),
        ("XGBClassifier (base_score=0.3)", "", xgb(base_score=0.3)),
        ("XGBClassifier", "OneHot", after_encoding("xgboost", "XGBClassifier", n_estimators=4, max_depth=3)),
        ("XGBClassifier", "OneHot, sparse", after_encoding("xgboost", "XGBClassifier", sparse=True, n_estimators=4, max_depth=3)),
        ("XGBRFClassifier", "", xgb("XGBRFClassifier")),
        ("Booster", "categories", xgb_booster()),
        ("Booster with a best iteration", "categories", xgb_booster(best=True)),
        ("XGBClassifier of 3 classes", "", xgb(target="housing", how={"numbers": True}), "the model has 3 classes"),
        ("XGBClassifier (gblinear)", "", xgb(booster="gblinear", max_depth=None), "the booster gblinear is no sum of trees"),
        ("XGBClassifier (binary:hinge)", "", xgb(objective="binary:hinge"), "the objective binary:hinge gives no probability"),
        ("XGBRegressor", "", xgb("XGBRegressor"), "XGBRegressor gives no probability of a class"),
        ("XGBRanker", "", xgb("XGBRanker"), "XGBRanker gives no probability of a class"),
        ("Booster (reg:squarederror)", "categories", xgb_booster(objective="reg:squarederror"), "the objective reg:squarederror gives no probability"),
        ("XGBClassifier", "columns in another order", reversed_columns(xgb()), "give those columns in that order"),
        ("XGBClassifier, not fitted", "", lambda: (import_module("xgboost").XGBClassifier(), people(numbers=True)[0]), "XGBClassifier is not fitted"),
        rounding=SINGLE),
    *_cases(
        "LightGBM", "lightgbm sklearn",
        ("LGBMClassifier", "missing cells", lgb()),
        ("LGBMClassifier", "categories, missing cells", lgb(how=BOTH, min_child_samples=5, cat_smooth=1, min_data_per_group=5)),
        ("LGBMClassifier (dart)", "", lgb(boosting_type="dart")),
        ("LGBMClassifier (rf)", "", lgb(boosting_type="rf", subsample=0.6, subsample_freq=1)),
        ("LGBMClassifier (early stopping)", "", lgb(early=True, n_estimators=60, learning_rate=0.9)),
        ("LGBMClassifier (zero_as_missing)", "", lgb(zero_as_missing=True)),
        ("LGBMClassifier (is_unbalance)", "", lgb(is_unbalance=True)),
        ("LGBMClassifier", "OneHot", after_encoding("lightgbm", "LGBMClassifier", n_estimators=5, num_leaves=6, verbose=-1)),
        ("Booster", "categories", lgb(booster=True, how=CATEGORIES)),
        ("LGBMClassifier of 3 classes", "", lgb(target="housing", how={"numbers": True}), "the model has 3 classes"),
        ("LGBMClassifier (linear_tree)", "", lgb(linear_tree=True), "leaves with linear models are no sum of constants"),
        ("LGBMRegressor", "", lgb("LGBMRegressor"), "LGBMRegressor gives no probability of a class"),
        ("LGBMRanker", "", lgb("LGBMRanker"), "LGBMRanker gives no probability of a class"),
        ("LGBMClassifier", "columns in another order", reversed_columns(lgb()), "give those columns in that order"),
        ("LGBMClassifier, not fitted", "", lambda: (import_module("lightgbm").LGBMClassifier(), people(numbers=True)[0]), "LGBMClassifier is not fitted")),
    *_cases(
        "CatBoost", "catboost sklearn",
        ("CatBoostClassifier", "missing cells", cat()),
        ("CatBoostClassifier (nan_mode=Max)", "missing cells", cat(nan_mode="Max")),
        ("CatBoostClassifier, one-hot", "categories", cat(cats=("sex", "housing", "married", "hours"), one_hot_max_size=255)),
        ("CatBoostClassifier (Lossguide), one-hot", "categories", cat(cats=("sex", "housing"), one_hot_max_size=255, grow_policy="Lossguide")),
        ("CatBoostClassifier (Depthwise)", "missing cells", cat(grow_policy="Depthwise")),
        ("CatBoostClassifier with a threshold", "", cat(threshold=0.3)),
        ("CatBoostClassifier", "OneHot", after_encoding("catboost", "CatBoostClassifier", iterations=6, depth=3, verbose=0, allow_writing_files=False)),
        ("CatBoost (Logloss)", "", cat("CatBoost", loss_function="Logloss")),
        ("CatBoostClassifier, statistics of labels", "categories", cat(cats=("sex", "housing"), one_hot_max_size=2, max_ctr_complexity=1), "train with one_hot_max_size=255 or encode categories as numbers"),
        ("CatBoostClassifier of 3 classes", "", cat(target="housing", how={"numbers": True}), "the loss MultiClass gives no probability of one class of two"),
        ("CatBoostRegressor", "", cat("CatBoostRegressor"), "the loss RMSE gives no probability of one class of two"),
        ("CatBoostClassifier", "columns in another order", reversed_columns(cat()), "give those columns in that order"),
        ("CatBoostClassifier, not fitted", "", lambda: (import_module("catboost").CatBoostClassifier(), people(numbers=True)[0]), "CatBoostClassifier is not fitted")),
    *_cases(
        "PyTorch", "torch",
        ("Sequential with a Sigmoid", "BatchNorm1d, Dropout, LeakyReLU", net(chain)),
        ("Sequential in training mode", "BatchNorm1d, Dropout, LeakyReLU", net(chain, train=True)),
        ("Sequential with a logit", "BatchNorm1d", net(ending(1))),
        ("Sequential with two logits", "BatchNorm1d", net(ending(2))),
        ("Sequential with a Softmax", "BatchNorm1d", net(ending(2, ("Softmax", -1)))),
        ("Module by functions", "leaky_relu, dropout, sigmoid, squeeze", net(module(by_functions))),
        ("Module of double precision", "leaky_relu, dropout, sigmoid, squeeze", net(module(by_functions), double=True)),
        ("Sequential with Tanh", "", net(ending(1, ("Tanh",))), "(Tanh) is not read"),
        ("Sequential of 3 outputs", "", net(ending(3)), "Sequential has 3 outputs"),
        ("Module with a residual", "", net(module(residual)), "joins branches"),
        ("Module with an if", "", net(module(branching)), "torch.fx cannot trace Own.forward"),
        ("Sequential", "columns of text", net(chain, text=True), "takes the column housing as a number"),
        rounding=SINGLE),
    *_cases(
        "Keras", "keras",
        ("Sequential with a sigmoid", "Normalization, Dropout", layers(sequential(*DROPPED, ("Dense", 1, "sigmoid")))),
        ("Sequential with a logit", "Normalization, BatchNormalization, LeakyReLU", layers(sequential(("Dense", 8), ("BatchNormalization",), ("LeakyReLU", 0.2), ("Dense", 1)))),
        ("Sequential with two logits", "Normalization, Rescaling", layers(sequential(("Rescaling", 0.5, -1), ("Dense", 8, "leaky_relu"), ("Dense", 2)))),
        ("Sequential with a softmax", "Normalization", layers(sequential(*DROPPED, ("Dense", 2, "softmax")))),
        ("Functional with an inner Sequential", "Normalization", layers(functional())),
        ("Functional with a Concatenate", "Normalization", layers(functional(joined=True)), "belongs to a branch"),
        ("Sequential with tanh", "Normalization", layers(sequential(("Dense", 4, "tanh"), ("Dense", 1))), "has the activation tanh"),
        ("Sequential of 3 outputs", "Normalization", layers(sequential(("Dense", 3, "softmax"))), "has 3 outputs"),
        rounding=SINGLE),
    *_cases(
        "interpret", "interpret sklearn",
        ("ExplainableBoostingClassifier (interactions=0)", "text", ebm(interactions=0)),
        ("ExplainableBoostingClassifier", "text, missing cells", ebm(interactions=3, how={"gaps": True})),
        ("ExplainableBoostingClassifier, three columns", "", ebm(interactions=[(0, 1), (0, 1, 2)], how={"numbers": True})),
        ("ExplainableBoostingClassifier of an array", "", ebm(array=True, how={"numbers": True})),
        ("ExplainableBoostingClassifier of 3 classes", "", ebm(target="housing", interactions=0, how={"numbers": True}), "the model has 3 classes"),
        ("ExplainableBoostingRegressor", "", ebm("ExplainableBoostingRegressor", interactions=0), "ExplainableBoostingRegressor is not read")),
    *_cases(
        "optbinning", "optbinning sklearn",
        ("Scorecard", "text, BinningProcess", card()),
        ("Scorecard (metric_missing=empirical)", "text, missing cells, BinningProcess", card(how={"gaps": True}, fit={"metric_missing": "empirical"})),
        ("Scorecard of selected columns", "BinningProcess", card(selection_criteria={"iv": {"min": 0.3}})),
        ("Pipeline of LogisticRegression", "text, BinningProcess", binned()),
        ("Scorecard of SGDClassifier", "text, BinningProcess", card("SGDClassifier"), "the last step SGDClassifier is not read")),
]
