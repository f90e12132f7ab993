"""Estimators of scikit-learn, for wheels_cases.py."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

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


def after(step: Callable[[], Any], model: Callable[[], Any]) -> Callable[[], Any]:
    """A Pipeline of the steps and the model."""

    def build() -> Any:
        from sklearn.pipeline import make_pipeline

        steps = step()
        return make_pipeline(*(steps if isinstance(steps, list) else [steps]), model())

    return build


def made(name: str, **parameters: Any) -> Callable[[], Any]:
    """A class of scikit-learn, imported when it is called. Parameters may be such functions."""

    def build() -> Any:
        import importlib

        module, _, kind = name.rpartition(".")
        given = {k: v() if callable(v) and getattr(v, "made", False) else v for k, v in parameters.items()}
        return getattr(importlib.import_module(f"sklearn.{module}"), kind)(**given)

    build.made = True  # type: ignore[attr-defined]
    return build


logistic = made("linear_model.LogisticRegression", max_iter=200)
tree = made("tree.DecisionTreeClassifier", max_depth=4, random_state=1)
forest = made("ensemble.RandomForestClassifier", n_estimators=20, max_depth=6, random_state=1)
extra = made("ensemble.ExtraTreesClassifier", n_estimators=20, max_depth=6, random_state=1)
boosted = made("ensemble.GradientBoostingClassifier", n_estimators=20, random_state=1)
hist = made("ensemble.HistGradientBoostingClassifier", max_iter=15, random_state=1)
mlp = made("neural_network.MLPClassifier", hidden_layer_sizes=(6, 4), max_iter=60, random_state=1)


def scaled() -> Any:
    """Every affine scaler, and text as ones."""
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, OneHotEncoder, RobustScaler, StandardScaler

    return ColumnTransformer([
        ("age", StandardScaler(), ["age"]), ("hours", MinMaxScaler(), slice("hours", "hours")), ("income", RobustScaler(), [5]),
        ("again", MaxAbsScaler(), ["income", "age"]), ("text", OneHotEncoder(drop="if_binary"), ["sex", "housing"]), ("out", "drop", ["married"]),
    ], verbose_feature_names_out=False)


def _case(estimator: str, steps: str, build: Callable[[], Tuple[Any, Any]], refused: str = "") -> Case:
    return Case("scikit-learn", estimator, steps, build, refused)


CASES: List[Case] = [
    _case("LogisticRegression", "", fitted(logistic, numbers=True)),
    _case("LogisticRegression", "Standard, MinMax, Robust, MaxAbs, OneHot", fitted(after(scaled, logistic))),
    _case("RandomForest", "OneHot", fitted(after(coded, forest))),
    _case("HistGradientBoosting", "", fitted(hist, numbers=True, gaps=True)),
]
