"""Readers of estimators: each turns a fitted model into a file that hyfair reads.

A reader uses an estimator's public attributes only. It imports its library only when an
object of that library is handed over.
"""

from __future__ import annotations

from typing import Any, Sequence

from .core import Copy
from .inputs import Column


class ModelNotReadable(ValueError):
    """The estimator, or one of its steps, is none that hyfair can read."""


def read(estimator: Any, columns: Sequence[Column]) -> Copy:
    """Read a fitted estimator of the frame's ``columns``, in their order.

    Raises ModelNotReadable, naming the part that cannot be read and what to do.
    """
    from importlib import import_module

    for kind in type(estimator).__mro__:
        library = _READERS.get(kind.__module__.partition(".")[0])
        if library:
            copy: Copy = import_module(f"{__name__}.{library}").read(estimator, columns)
            return copy
    raise ModelNotReadable(
        f"{type(estimator).__module__}.{type(estimator).__qualname__} is no model that hyfair reads: "
        f"want an estimator of {', '.join(_NAMES)}")


# The reader of each library, by the package that defines an estimator's class.
_READERS = {
    "sklearn": "sklearn_", "xgboost": "xgboost_", "lightgbm": "lightgbm_", "catboost": "catboost_",
    "torch": "torch_", "keras": "keras_", "interpret": "interpret_", "optbinning": "optbinning_",
}
_NAMES = ("scikit-learn", "XGBoost", "LightGBM", "CatBoost", "PyTorch", "Keras", "interpret", "optbinning")
