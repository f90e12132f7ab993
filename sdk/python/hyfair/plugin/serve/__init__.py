"""Runs a plugin. A plugin's main is one call::

    serve.strategy(MyStrategy())
    serve.solver(MySolver())
    serve.model(MyModel())

Between the wire and the implementation it does what every plugin needs: it checks
problems; refuses options, forms and goals that ``describe`` does not list; fills in
the defaults of options; applies deltas for solvers that are not ``Incremental``; runs
one solve at a time unless the description says ``concurrent``; turns an exception in
a call into that call's error; reports progress without blocking; sends everything
that the process prints to standard error, where the host reads it; and ends the
process when its host has ended.
"""

from __future__ import annotations

import os
import sys

from ..model import Model
from ..solver import Solver
from ..strategy import Strategy
from . import handshake as _handshake  # on import, before anything can be printed

__all__ = ["model", "solver", "strategy"]


def model(impl: Model) -> None:
    """Serves a model until the host has ended. In a program started by hand, it
    prints what the program is and exits with code 1."""
    _run("model", impl)


def strategy(impl: Strategy) -> None:
    """Serves a strategy until the host has ended. In a program started by hand, it
    prints what the program is and exits with code 1."""
    _run("strategy", impl)


def solver(impl: Solver, apart: bool = False) -> None:
    """Serves a solver until the host has ended. In a program started by hand, it
    prints what the program is and exits with code 1.

    With ``apart``, ``solve`` runs in a separate process, for libraries that hold
    the interpreter lock, cannot be interrupted, or may crash. A call that exceeds
    its time limit or its memory, or does not return after a cancel, is killed
    there, and its last progress report becomes its result. The class must not be
    ``Incremental``, and ``describe``, which runs in this process, should not load
    the library."""
    if apart:
        from .apart import Apart, work
        if _handshake.apart:
            work(impl)
        impl = Apart(impl)
    _run("solver", impl)


def _run(kind: str, impl: object) -> None:
    # A child that a plugin starts does not use gRPC, whose fork handlers would
    # only print warnings to standard error.
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    try:
        from . import process, services
    except ImportError as e:
        raise SystemExit(
            f"{sys.executable} cannot load what a plugin of hyfair needs ({e}): "
            f"{sys.executable} -m pip install 'grpcio>=1.48' 'protobuf>=4.21'") from None
    process.run(kind, services.handlers(kind, impl))
