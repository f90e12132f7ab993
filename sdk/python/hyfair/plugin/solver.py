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
    """What a solver claims of a problem."""

    FEASIBLE = 1
    """A point is held. With a reason, a limit stopped the solver before it could
    prove the point best; without one, a feasibility question was answered."""
    OPTIMAL = 2
    """The point held is best within the tolerances."""
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
    """The arithmetic got into trouble."""
    OTHER = 7
    """See ``Result.native`` and ``Result.detail``."""


@dataclass
class Progress:
    """A glimpse of a running call."""

    values: Optional[Sequence[Number]] = None
    """An incumbent; None for none new since the last glimpse."""
    objective: float = 0.0
    """Of values."""
    bound: Optional[float] = None
    """No point has a better objective."""
    nodes: int = 0
    elapsed: float = 0.0
    """Seconds."""
    settled: float = 0.0
    """The share of the region that needs no more looking at, from 0 to 1; 0 also
    where the solver does not know."""


def _ignore(_: Progress) -> None:
    pass


@dataclass
class SolveOptions:
    """Bounds and steers one call. None sets no limit."""

    seed: int = 0
    """Drives every random choice: same problem, options and seed, same result,
    as far as no time limit is hit."""
    threads: int = 1
    memory: Optional[int] = None
    """Bytes."""
    time_limit: Optional[float] = None
    """Seconds."""
    work_limit: Optional[int] = None
    """In the solver's own deterministic unit (branch-and-bound nodes)."""
    gap: float = 0.0
    """Relative optimality gap at which an optimising solver may stop; 0: the
    solver's tightest sensible setting."""
    target: Optional[float] = None
    """Stop as soon as a point's objective reaches it."""
    options: Dict[str, str] = field(default_factory=dict)
    """The solver's own (``Description.options``), complete: defaults filled in."""
    cancel: Cancel = field(default_factory=Cancel)
    """Set when the host wants the call to end: return soon, with what is held."""
    progress: Callable[[Progress], None] = _ignore
    """Call it now and then; it never blocks."""


@dataclass
class Witness:
    """Two copies of a person in feature values."""

    copy1: Sequence[float]
    """The individual with protected values filled in."""
    copy2: Sequence[float]
    """Differs in protected attributes, and in relaxed features only otherwise."""


@dataclass
class Result:
    """A claim about one problem."""

    status: Status
    reason: Reason = Reason.NONE
    native: str = ""
    """The solver's own status text."""
    detail: str = ""
    """A sentence for people."""
    values: Optional[Sequence[Number]] = None
    """The point held of a MILP or script, in column or symbol order."""
    witness: Optional[Witness] = None
    """The point held of a problem in network form."""
    objective: float = 0.0
    """Of the point held."""
    bound: Optional[float] = None
    """No point has a better objective."""
    tolerance: float = 0.0
    """Absolute error the arithmetic may leave in a row, an integer value or the
    bound; 0 for exact arithmetic."""
    nodes: int = 0
    elapsed: float = 0.0
    """Seconds."""


class Solver(abc.ABC):
    """What ``hyfair.plugin.serve.solver`` serves. One call is made at a time, unless
    the description says ``concurrent``."""

    @abc.abstractmethod
    def describe(self) -> Description:
        """The same each time."""

    @abc.abstractmethod
    def solve(self, problem: Problem, options: SolveOptions) -> Result:
        """Answers the problem, which has been checked and is not to be modified."""


class Loaded(abc.ABC):
    """A problem kept by an ``Incremental`` solver. One call at a time."""

    @abc.abstractmethod
    def solve(self, delta: Delta, options: SolveOptions) -> Result:
        """Applies the delta for good and answers the problem as it then stands."""

    def close(self) -> None:
        """Called once, when the problem is no longer needed."""


class Incremental(Solver):
    """A solver that gains from keeping a problem loaded while parts of it change.
    For others, ``hyfair.plugin.serve`` applies deltas itself."""

    @abc.abstractmethod
    def load(self, problem: Problem) -> Loaded:
        """Takes a problem in."""
