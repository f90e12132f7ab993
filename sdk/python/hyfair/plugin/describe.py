"""What a plugin says of itself."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Dict, List

from .problem import Form, Goal


class Exactness(enum.Enum):
    """The arithmetic behind a solver's claims, from the strongest to the weakest."""

    EXACT = 1
    """Rational arithmetic from end to end."""
    RIGOROUS = 2
    """Floating point with every rounding bounded outward."""
    NUMERICAL = 3
    """A solver's tolerance is inside."""


@dataclass
class Option:
    """A plugin option, set with ``--set name=value``. Values are text."""

    name: str
    default: str = ""
    help: str = ""


@dataclass
class Library:
    """A library that the plugin needs."""

    name: str
    found: bool
    version: str = ""
    path: str = ""
    hint: str = ""
    """The command that installs it, where it was not found."""
    problem: str = ""
    """What was tried and seen, where it was not found."""

    @classmethod
    def of_package(cls, package: str, hint: str, name: str = "", solver: str = "") -> Library:
        """The installed package of that name on the package index, which is not
        imported; under another name for people, with the solver before it that a package
        such as PuLP wraps. Its path is that of the list of all its files and their checksums."""
        import importlib.metadata  # which takes its time, and is needed here only
        import sys

        name = name or package
        if solver:
            name = f"{solver} in {name}"
        try:
            found = importlib.metadata.distribution(package)
        except importlib.metadata.PackageNotFoundError:
            return cls(name, False, hint=hint, problem=f"{sys.executable} has no package {package}")
        record = next((str(f.locate()) for f in found.files or () if f.name == "RECORD"), "")
        return cls(name, True, found.version, record)


@dataclass
class Preset:
    """A named setting of a strategy's options; the strategy can be chosen by it."""

    name: str
    summary: str = ""
    options: Dict[str, str] = field(default_factory=dict)


@dataclass
class Service:
    """A form and a goal that a solver answers."""

    form: Form
    goal: Goal


@dataclass
class Description:
    """What a plugin says of itself. ``name`` is what --solver or --strategy
    selects: the plugin's file name without its hyfair-... prefix."""

    name: str
    version: str = "0.1.0"
    summary: str = ""
    options: List[Option] = field(default_factory=list)
    """Options the plugin takes; others are refused before it sees them."""
    libraries: List[Library] = field(default_factory=list)

    # Solvers.

    serves: List[Service] = field(default_factory=list)
    """MILP and SMT know only DECIDE (feasible?) and MAXIMISE (optimise the
    objective in its own direction)."""
    exactness: Exactness = Exactness.NUMERICAL
    """The grade the claims can have at best."""
    concurrent: bool = False
    """Whether several calls may run at once in one process."""
    sets: bool = False
    """Whether the solver takes ``MILP.sets``."""

    # Strategies.

    presets: List[Preset] = field(default_factory=list)
    needs_network: bool = False
    """Asks that ``StartOptions.network`` be set."""
    needs_rows: bool = False
    """Asks that ``StartOptions.rows`` be set."""
    needs_scores: bool = False
    """Asks that ``Trial.scores`` be set. The host spends time on what is asked for."""
    needs_bins: bool = False
    """Asks that ``Trial.bins`` be set."""
    needs_pair: bool = False
    """Asks that ``Trial.highest`` and ``Trial.lowest`` be set."""
    lag: int = 0
    """The largest number of calls of ``next`` by which trials may lag behind the
    moves they answer; 0: every call is told all moves of the one before."""

    def answers(self, form: Form, goal: Goal) -> bool:
        """Whether the solver described serves the form and goal."""
        return any(s.form is form and s.goal is goal for s in self.serves)
