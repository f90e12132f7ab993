"""The interface of a strategy: it proposes where to look; the host evaluates
and counts."""

from __future__ import annotations

import abc
import enum
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Dict, List, Optional, Sequence

from .cancel import Cancel
from .describe import Description
from .network import Network
from .space import Point, Region, Space


class MoveKind(enum.Enum):
    """What the host must do with a move."""

    POINT = 1
    """Evaluate the point."""
    SEED_FROM = 2
    """Ask the solver for a 2-discriminant individual near the point and evaluate that."""


@dataclass
class Move:
    """A proposal. Its trial has the same id."""

    id: int
    """Unique in the session and strictly increasing."""
    point: Sequence[float]
    """An individual; its protected entries are ignored."""
    round: int = 0
    """The iteration of the search loop that the move belongs to, from 0; within a
    chain it never falls."""
    chain: int = 0
    """The number of the chain, if several run side by side."""
    kind: MoveKind = MoveKind.POINT


class TrialStatus(enum.Enum):
    """The outcome of a move."""

    EVALUATED = 1
    """``point``, ``k``, ``gap`` and the fields after them are set."""
    REFUSED = 2
    """A guardrail refuses the individual."""
    OUTSIDE = 3
    """The point is not in the space or the region."""
    NO_SEED = 4
    """The solver found no individual near the point."""
    NO_SOLVER = 5
    """The run has no solver."""


@dataclass
class Trial:
    """The result of a move."""

    id: int
    """The id of the move."""
    status: TrialStatus
    point: Point = field(default_factory=list)
    """The individual evaluated: the move's point, or the solver's."""
    k: int = 0
    """The number of bins that its counterfactuals' scores fall into."""
    gap: float = 0.0
    """Largest score minus smallest."""
    violates: bool = False
    """Whether the point violates what the search looks for, decided exactly: gap > epsilon
    or, if the user asks for them, copies in different bands or with different decisions."""
    shannon: float = 0.0
    """Shannon entropy, in bits, of the counterfactuals' distribution over the bins.
    Like min_entropy it comes from counts and is the same on every machine: prefer
    both to the gap to rank individuals with equal k."""
    min_entropy: float = 0.0
    """-log2 of the fullest bin's share."""
    scores: List[float] = field(default_factory=list)
    """The scores of the point's counterfactuals, in the order of
    ``Space.counterfactuals``, if the description requests them."""
    bins: List[int] = field(default_factory=list)
    """The bins of the point's counterfactuals, from 0, in the order of ``scores``, if the
    description requests them. Like ``k`` they are the same on every machine; scores may
    differ in the last digits."""
    highest: Point = field(default_factory=list)
    """The counterfactual with the highest score, with protected values filled in, if
    the description requests the pair."""
    lowest: Point = field(default_factory=list)
    """The counterfactual with the lowest score."""


@dataclass
class StartOptions:
    """What a session may know about the study. Not to be modified."""

    seed: int
    """Drives every random choice: same seed, same moves, on any machine."""
    region: Region
    """Bounds the search; the whole space unless the user says otherwise. Moves
    outside it come back as OUTSIDE."""
    epsilon: Optional[Fraction] = None
    rows: List[Point] = field(default_factory=list)
    """The data set's rows as points, if the description requests them."""
    network: Optional[Network] = None
    """The network, if the description requests it."""
    options: Dict[str, str] = field(default_factory=dict)
    """The strategy's options (``Description.options``), with defaults filled in."""
    chains: int = 0
    """The number of searches to advance side by side; 0 and 1 mean a single search. A
    strategy may interpret it differently (as the size of a population, for example)."""
    cancel: Cancel = field(default_factory=Cancel)
    """Set when the host has abandoned the session."""


class Session(abc.ABC):
    """One search. Calls come one at a time."""

    @abc.abstractmethod
    def next(self, told: List[Trial], want: int) -> List[Move]:
        """Gets the trials of earlier moves and proposes new moves: at least one and at
        most ``want``. Raises ``Finished`` when the search is over."""

    def evaluations(self) -> int:
        """How many individuals the session has evaluated by itself since it began, with
        the network that it requested. They count against the budget."""
        return 0

    def close(self) -> None:
        """Called once when the session is over."""


class Strategy(abc.ABC):
    """What ``hyfair.plugin.serve.strategy`` serves."""

    @abc.abstractmethod
    def describe(self) -> Description:
        """Returns the plugin's description, the same on every call."""

    @abc.abstractmethod
    def start(self, space: Space, options: StartOptions) -> Session:
        """Opens a session. Several may be open at once; they must not share
        state. Raises ``InvalidOption`` for an invalid value."""
