"""The interface of a solver: it answers one problem at a time, and claims; only
the host concludes."""

from __future__ import annotations

import abc
import enum
from dataclasses import dataclass, field
from typing import Callable, Dict, Optional, Sequence

from .cancel import Cancel
from .describe import Description
from .problem import Delta, Number, Problem


class Status(enum.Enum):
    """A solver's claim about a problem."""

    FEASIBLE = 1
    """The solver holds a point. With a reason, it stopped before it could prove the
    point optimal; without one, the problem has no objective, or the point reaches the
    target."""
    OPTIMAL = 2
    """The point held is optimal within the tolerances."""
    INFEASIBLE = 3
    """No point exists."""
    UNKNOWN = 4
    """Nothing is claimed; the reason says why."""


class Reason(enum.Enum):
    """Why a solver stopped short of an answer."""

    NONE = 0
    """It did not stop short."""
    TIME_LIMIT = 1
    WORK_LIMIT = 2
    MEMORY_LIMIT = 3
    INTERRUPTED = 4
    """``SolveOptions.cancel`` was set."""
    INCOMPLETE = 5
    """The method cannot decide this problem."""
    NUMERICAL = 6
    """The arithmetic failed."""
    OTHER = 7
    """See ``Result.native`` and ``Result.detail``."""


@dataclass
class Progress:
    """A report on a running call."""

    values: Optional[Sequence[Number]] = None
    """An incumbent; None if there is no new one since the last report."""
    objective: float = 0.0
    """The objective of ``values``."""
    bound: Optional[float] = None
    """No point has a better objective."""
    nodes: int = 0
    elapsed: float = 0.0
    """Seconds since the call began."""
    settled: float = 0.0
    """The share of the region that is decided, from 0 to 1; 0 also if it is unknown."""


def _ignore(_: Progress) -> None:
    pass


@dataclass
class SolveOptions:
    """Limits and options of one call. None sets no limit."""

    seed: int = 0
    """Drives every random choice: the same problem, options and seed give the same
    result unless a time limit is reached."""
    threads: int = 1
    memory: Optional[int] = None
    """The memory limit in bytes."""
    time_limit: Optional[float] = None
    """The time limit of this call in seconds."""
    work_limit: Optional[int] = None
    """In the solver's deterministic unit (branch-and-bound nodes)."""
    gap: float = 0.0
    """Relative optimality gap at which an optimising solver may stop; 0: the
    solver's tightest sensible setting."""
    target: Optional[float] = None
    """Stop as soon as a point's objective reaches it."""
    options: Dict[str, str] = field(default_factory=dict)
    """The solver's options (``Description.options``), with defaults filled in."""
    cancel: Cancel = field(default_factory=Cancel)
    """Set when the host wants the call to end: return soon, with what is held."""
    progress: Callable[[Progress], None] = _ignore
    """The solver calls it at intervals; it never blocks."""


@dataclass
class Witness:
    """Two copies of a person in feature values."""

    copy1: Sequence[float]
    """The individual with protected values filled in."""
    copy2: Sequence[float]
    """Differs in protected features, and otherwise in relaxed features only."""


@dataclass
class Result:
    """A claim about one problem."""

    status: Status
    reason: Reason = Reason.NONE
    native: str = ""
    """The solver's native status."""
    detail: str = ""
    """A sentence for the user."""
    values: Optional[Sequence[Number]] = None
    """The point held for a MILP or script, in column or symbol order."""
    witness: Optional[Witness] = None
    """The point held for a problem in the network form."""
    objective: float = 0.0
    """The objective of the point held."""
    bound: Optional[float] = None
    """No point has a better objective."""
    tolerance: float = 0.0
    """The absolute error that the arithmetic may leave in a row, an integer value or
    the bound; 0 for exact arithmetic."""
    nodes: int = 0
    elapsed: float = 0.0
    """Seconds that the solver measured."""


class Solver(abc.ABC):
    """What ``hyfair.plugin.serve.solver`` serves. One call is made at a time, unless
    the description says ``concurrent``."""

    @abc.abstractmethod
    def describe(self) -> Description:
        """Returns the plugin's description, the same on every call."""

    @abc.abstractmethod
    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        """Answers the problem, which has been checked and must not be modified."""


class Loaded(abc.ABC):
    """A problem kept by an ``Incremental`` solver. One call at a time."""

    @abc.abstractmethod
    def solve(self, delta: Delta, options: SolveOptions) -> Result:
        """Applies the delta permanently and answers the changed problem."""

    def close(self) -> None:
        """Called once, when the problem is no longer needed."""


class Incremental(Solver):
    """A solver that benefits from keeping a problem loaded while parts of it change.
    For other solvers, ``hyfair.plugin.serve`` applies the deltas."""

    @abc.abstractmethod
    def load(self, problem: Problem) -> Loaded:
        """Keeps the problem, which has been checked and must not be modified."""
