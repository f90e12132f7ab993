"""The interface of a model: it scores rows; the host asks and counts."""

from __future__ import annotations

import abc
from typing import Any, List

from .describe import Description
from .space import Point

ROUNDING = 1e-6
"""The relative difference up to which two scores of a row count as equal, here and for the host: libraries sum in
another order in batches of another size, some of them in single precision."""


def same(a: float, b: float) -> bool:
    """Whether two scores of a row differ by no more than ``ROUNDING``."""
    return abs(a - b) <= ROUNDING * max(1.0, abs(a), abs(b))


class Model(abc.ABC):
    """What ``hyfair.plugin.serve.model`` serves."""

    @abc.abstractmethod
    def describe(self) -> Description:
        """Returns the plugin's description, the same on every call, with ``scale``."""

    @abc.abstractmethod
    def score(self, rows: List[Point]) -> Any:
        """Returns one finite number for each row, in their order. A row has the values of
        ``Description.features``, or of all features of the study: numbers, and for a
        category its place in the study's list, from 0. A missing value is the number after
        the last. A row's score depends on that row alone. Calls come one at a time."""
