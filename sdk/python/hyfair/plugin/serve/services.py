"""The gRPC services, with handwritten handlers instead of generated stubs."""

from __future__ import annotations

import threading
from typing import Any, Callable, Optional, TypeVar

import grpc

from .._pb.model.v1 import model_pb2
from .._pb.solver.v1 import solver_pb2
from .._pb.strategy.v1 import strategy_pb2
from ..describe import Description
from . import status

T = TypeVar("T")


def handlers(kind: str, impl: Any) -> grpc.GenericRpcHandler:
    """The service of that kind around an implementation."""
    from .model import ModelService
    from .solver import SolverService
    from .strategy import StrategyService

    if kind == "model":
        model = ModelService(impl)
        return grpc.method_handlers_generic_handler("hyfair.model.v1.Model", {
            "Describe": _unary(model.describe, model_pb2.DescribeRequest),
            "Score": _unary(model.score, model_pb2.ScoreRequest),
        })
    if kind == "strategy":
        strategy = StrategyService(impl)
        return grpc.method_handlers_generic_handler("hyfair.strategy.v1.Strategy", {
            "Describe": _unary(strategy.describe, strategy_pb2.DescribeRequest),
            "Session": grpc.stream_stream_rpc_method_handler(
                strategy.session, strategy_pb2.SessionRequest.FromString, _serialize),
        })
    solver = SolverService(impl)
    return grpc.method_handlers_generic_handler("hyfair.solver.v1.Solver", {
        "Describe": _unary(solver.describe, solver_pb2.DescribeRequest),
        "Load": _unary(solver.load, solver_pb2.LoadRequest),
        "Unload": _unary(solver.unload, solver_pb2.UnloadRequest),
        "Interrupt": _unary(solver.interrupt, solver_pb2.InterruptRequest),
        "Solve": grpc.unary_stream_rpc_method_handler(
            solver.solve, solver_pb2.SolveRequest.FromString, _serialize),
        "SolveLoaded": grpc.unary_stream_rpc_method_handler(
            solver.solve_loaded, solver_pb2.SolveLoadedRequest.FromString, _serialize),
    })


def on_end(context: grpc.ServicerContext, callback: Callable[[], None]) -> None:
    """Calls ``callback`` when the call ends, even if the host has ended already."""
    if not context.add_callback(callback):
        callback()


def _serialize(message: Any) -> bytes:
    data: bytes = message.SerializeToString()
    return data


def _unary(method: Callable[[Any], Any], request: Any) -> grpc.RpcMethodHandler:
    def call(message: Any, context: grpc.ServicerContext) -> Any:
        try:
            return method(message)
        except BaseException as e:
            code, text = status.of(e)
        context.abort(code, text)

    return grpc.unary_unary_rpc_method_handler(call, request.FromString, _serialize)


class Described:
    """An implementation's description, requested when it is first needed. Exceptions
    are not stored: the next call asks again."""

    def __init__(self, ask: Callable[[], Description]) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._known: Optional[Description] = None

    def get(self) -> Description:
        with self._lock:
            if self._known is None:
                self._known = expect(self._ask(), Description, "describe")
            return self._known


def expect(value: T, kind: type, method: str) -> T:
    """The value, if it is what the method must return."""
    if not isinstance(value, kind):
        raise TypeError(f"{method} returned {_a(type(value).__name__)}, not {_a(kind.__name__)}")
    return value


def _a(name: str) -> str:
    return f"an {name}" if name[0] in "AEIOUaeiou" else f"a {name}"
