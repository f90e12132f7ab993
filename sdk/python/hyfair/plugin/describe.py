"""The description of a plugin."""

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
    """Floating point up to a solver's tolerance."""


class Scale(enum.Enum):
    """What a model's scores are."""

    SHARE = 1
    """Shares or probabilities, from 0 to 1."""
    LOGIT = 2
    """Logits, whose sigmoid is the score."""
    NUMBER = 3
    """Any finite numbers."""


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
    """The command that installs it, if it was not found."""
    problem: str = ""
    """Why it cannot be used, if it was not found."""

    @classmethod
    def of_package(cls, package: str, hint: str, name: str = "", solver: str = "") -> Library:
        """The installed package with that name on the package index; it is not imported.
        ``name`` is its name in messages, ``solver`` the solver that a package such as PuLP
        wraps. The path is the file that lists the package's files and their checksums."""
        import importlib.metadata  # slow to import, and needed only here
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
    """A named setting of a strategy's options; its name selects the strategy with them."""

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
    """Describes a plugin. ``name`` is what --solver or --strategy selects: the
    plugin's file name without its hyfair-... prefix."""

    name: str
    version: str = "0.1.0"
    summary: str = ""
    options: List[Option] = field(default_factory=list)
    """The plugin's options; others are refused before the plugin sees them."""
    libraries: List[Library] = field(default_factory=list)

    # Solvers.

    serves: List[Service] = field(default_factory=list)
    """The MILP and SMT forms have only the goals DECIDE (feasible?) and MAXIMISE
    (optimise the objective in its direction)."""
    exactness: Exactness = Exactness.NUMERICAL
    """The best grade that the claims can have."""
    concurrent: bool = False
    """Whether several calls may run at once in one process."""
    sets: bool = False
    """Whether the solver supports ``MILP.sets``."""

    # Strategies.

    presets: List[Preset] = field(default_factory=list)
    needs_network: bool = False
    """Requests ``StartOptions.network``."""
    needs_rows: bool = False
    """Requests ``StartOptions.rows``."""
    needs_scores: bool = False
    """Requests ``Trial.scores``, which costs the host time."""
    needs_bins: bool = False
    """Requests ``Trial.bins``."""
    needs_pair: bool = False
    """Requests ``Trial.highest`` and ``Trial.lowest``."""
    lag: int = 0
    """The largest number of calls of ``next`` by which trials may lag behind their
    moves; 0: every call gets the trials of all moves of the call before."""

    # Models.

    features: List[str] = field(default_factory=list)
    """The features that a row has, in this order; empty: all of the study, in its order."""
    scale: Scale = Scale.SHARE
    """What the scores are."""
    identity: str = ""
    """Names everything that affects the scores, such as a digest of the fitted model: with
    the same identity, the same row has the same score. Empty: the host keeps no score beyond
    a run."""
    batch: int = 0
    """The most rows of one call; 0: 4096."""

    def answers(self, form: Form, goal: Goal) -> bool:
        """Whether the solver described serves the form and goal."""
        return any(s.form is form and s.goal is goal for s in self.serves)
