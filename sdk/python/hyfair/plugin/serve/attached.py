"""Serves a model from a process that does its own work: the host attaches to it."""

from __future__ import annotations

import json
import os
import queue
import threading
from pathlib import Path
from typing import Any, Iterable, Iterator, Optional, Union

import grpc

from .. import errors
from .._pb.model.v1 import model_pb2
from ..model import Model
from .fault import MAX_TEXT
from .model import ModelService
from .process import PROTOCOL_VERSION, Life, _listen, _server
from .services import _serialize, _unary, on_end

PATIENCE = 1.0
"""Seconds that the host has to give up the call during which it was interrupted."""
THREADS = 8
"""Calls at once, of which all but one wait; each takes a thread."""


class Attached(Iterator[str]):
    """Serves a model while a ``with`` lasts, to a host that finds it by the file ``file``.

    The model is asked in the thread that iterates over the host's lines, not in one of the
    server's: libraries keep settings by thread, and an interrupt reaches the model there.
    ``fault`` is the exception that it raised; it is not asked again after that.
    """

    def __init__(self, impl: Model, file: Path) -> None:
        self.fault: Optional[BaseException] = None
        self._file, self._service, self._life = file, ModelService(impl), Life()
        self._events: "queue.SimpleQueue[Union[str, _Call, None]]" = queue.SimpleQueue()

    def __enter__(self) -> "Attached":
        self._server = _server(THREADS, grpc.method_handlers_generic_handler("hyfair.model.v1.Model", {
            "Describe": _unary(self._service.describe, model_pb2.DescribeRequest),
            "Score": grpc.unary_unary_rpc_method_handler(self._score, model_pb2.ScoreRequest.FromString, _serialize),
        }))
        try:
            network, address = _listen(self._server, self._life)
        except SystemExit as e:
            raise errors.Error(str(e)) from None
        self._server.start()
        self._file.write_text(json.dumps({
            "protocol": "grpc", "protocol_version": PROTOCOL_VERSION, "network": network, "address": address, "pid": os.getpid()}))
        return self

    def __exit__(self, *_: Any) -> None:
        self._file.unlink()
        self._server.stop(None).wait()
        self._life.remove()

    def over(self, lines: Iterable[str]) -> "Attached":
        """Iterates over the lines as well."""
        threading.Thread(target=self._pump, args=(lines,), daemon=True).start()
        return self

    def _pump(self, lines: Iterable[str]) -> None:
        try:
            for line in lines:
                self._events.put(line)
        except ValueError:
            pass  # they were closed
        self._events.put(None)

    def __next__(self) -> str:
        while True:
            event = self._events.get()
            if event is None:
                self._events.put(None)  # for another iteration, after an interrupt
                raise StopIteration
            if isinstance(event, str):
                return event
            try:
                self._answer(event)
            except KeyboardInterrupt:
                event.patience = PATIENCE
                self._events.put(event)
                raise

    def _answer(self, call: "_Call") -> None:
        if call.done.wait(call.patience):
            return  # the host has given it up
        if self.fault is None:
            try:
                call.answer = self._service.score(call.message)
            except KeyboardInterrupt:
                raise
            except BaseException as e:
                self.fault = e
        call.done.set()

    def _score(self, message: model_pb2.ScoreRequest, context: grpc.ServicerContext) -> Any:
        call = _Call(message)
        on_end(context, call.done.set)
        self._events.put(call)
        call.done.wait()
        if call.answer is None:
            code = grpc.StatusCode.CANCELLED if self.fault is None else grpc.StatusCode.INTERNAL
            context.abort(code, f"the model raised {type(self.fault).__name__}: {self.fault}"[:MAX_TEXT])
        return call.answer


class _Call:
    """A call of the host, which waits in a thread of the server."""

    def __init__(self, message: model_pb2.ScoreRequest) -> None:
        self.message, self.patience, self.done = message, 0.0, threading.Event()
        self.answer: Optional[model_pb2.ScoreResponse] = None
