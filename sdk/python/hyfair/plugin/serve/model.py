"""The service of a model."""

from __future__ import annotations

import math
from typing import Any, Iterable, List

from .. import errors
from .._pb.model.v1 import model_pb2
from .._wire import read, write
from ..model import Model
from .services import Described


class ModelService:
    """Answers the host's calls with an implementation."""

    def __init__(self, impl: Model) -> None:
        self._impl = impl
        self._described = Described(impl.describe)

    def describe(self, _: model_pb2.DescribeRequest) -> model_pb2.DescribeResponse:
        return model_pb2.DescribeResponse(description=write.model_description(self._described.get()))

    def score(self, m: model_pb2.ScoreRequest) -> model_pb2.ScoreResponse:
        try:
            rows = read.model_rows(m, len(self._described.get().features))
        except ValueError as e:
            raise errors.InvalidProblem(str(e)) from e
        return model_pb2.ScoreResponse(scores=numbers(self._impl.score(rows), len(rows)))


def numbers(values: Iterable[Any], rows: int) -> List[float]:
    """The scores of ``rows`` rows as floats. ValueError says what is wrong with them."""
    out = [float(v) for v in values]
    if len(out) != rows:
        raise ValueError(f"score returned {len(out):,} scores for {rows:,} rows: want one for each")
    at = next((i for i, v in enumerate(out) if not math.isfinite(v)), None)
    if at is not None:
        raise ValueError(f"score returned {out[at]} for row {at} of {rows:,}: want a finite number")
    return out
