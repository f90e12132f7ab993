"""Readers of estimators: each turns a fitted model into a file that hyfair reads.

A reader uses an estimator's public attributes only. It imports its library only when an
object of that library is handed over.
"""

from __future__ import annotations

from typing import Any, Sequence

from ..exceptions import ModelNotReadable
from .core import Copy
from .inputs import Column

__all__ = ["ModelNotReadable", "read", "scores"]


def read(estimator: Any, columns: Sequence[Column]) -> Copy:
    """Read a fitted estimator of the frame's ``columns``, in their order.

    Raises ModelNotReadable, naming the part that cannot be read and what to do.
    """
    copy: Copy = _reader(estimator).read(estimator, columns)
    return copy


def scores(estimator: Any, frame: Any, positive: Any = 1) -> Any:
    """The score that the estimator itself gives each row of a frame: what predict_proba says of
    the class ``positive``. A Booster, a module and a network have none, and their readers say
    what their score is.
    """
    if hasattr(estimator, "predict_proba"):
        return estimator.predict_proba(frame)[:, list(getattr(estimator, "classes_", (0, 1))).index(positive)]
    return _reader(estimator).scores(estimator, frame)


def _reader(estimator: Any) -> Any:
    from importlib import import_module

    for kind in type(estimator).__mro__:
        library = _READERS.get(kind.__module__.partition(".")[0])
        if library:
            return import_module(f"{__name__}.{library}")
    raise ModelNotReadable(
        f"{type(estimator).__module__}.{type(estimator).__qualname__} is no model that hyfair reads: "
        f"want an estimator of {', '.join(_NAMES)}, or a function of X that gives probabilities", asked=True)


# The reader of each library, by the package that defines an estimator's class.
_READERS = {
    "sklearn": "sklearn_", "xgboost": "xgboost_", "lightgbm": "lightgbm_", "catboost": "catboost_",
    "torch": "torch_", "keras": "keras_", "interpret": "interpret_", "optbinning": "optbinning_",
}
_NAMES = ("scikit-learn", "XGBoost", "LightGBM", "CatBoost", "PyTorch", "Keras", "interpret", "optbinning")
