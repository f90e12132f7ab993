"""The whole main of a plugin::

    serve.strategy(MyStrategy())
    serve.solver(MySolver())

Between the wire and the implementation it does what every plugin needs and no
author should have to write: problems arrive checked; options that ``describe``
does not list, and forms or goals it does not serve, are refused, and options
that are not set arrive with their defaults; deltas are applied for solvers that
are not ``Incremental``; one solve runs at a time unless the description says
``concurrent``; an exception in a call becomes that call's error; progress
reports never block; whatever the process prints goes to standard error, where
the host reads it; and the process ends when its host is gone.
"""

from __future__ import annotations

import os
import sys

from ..solver import Solver
from ..strategy import Strategy
from . import handshake as _handshake  # on import, before anything can be printed

__all__ = ["solver", "strategy"]


def strategy(impl: Strategy) -> None:
    """Serves a strategy until the host is gone. Run by hand, it says what the
    program is and exits with code 1."""
    _run("strategy", impl)


def solver(impl: Solver, apart: bool = False) -> None:
    """Serves a solver until the host is gone. Run by hand, it says what the
    program is and exits with code 1.

    With ``apart``, ``solve`` runs in a process of its own, for libraries that
    hold the interpreter lock, cannot be interrupted, or may crash: a call that
    overstays its time limit, its memory or a cancel is ended there, and its last
    progress report becomes its result. The class must not be ``Incremental``, and
    ``describe`` should not load the library, as it is asked here."""
    if apart:
        from .apart import Apart, work
        if _handshake.apart:
            work(impl)
        impl = Apart(impl)
    _run("solver", impl)


def _run(kind: str, impl: object) -> None:
    # A child that a plugin starts needs nothing of gRPC, whose handlers for
    # forks would only complain on standard error.
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    try:
        from . import process, services
    except ImportError as e:
        raise SystemExit(
            f"{sys.executable} cannot load what a plugin of hyfair needs ({e}): "
            f"{sys.executable} -m pip install 'grpcio>=1.48' 'protobuf>=4.21'") from None
    process.run(kind, services.handlers(kind, impl))
