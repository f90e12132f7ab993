"""Write solver, strategy and model plugins for hyfair in Python.

A plugin is a class and one line: ``serve.strategy(MyStrategy())``,
``serve.solver(MySolver())`` or ``serve.model(MyModel())``. Only ``hyfair.plugin.serve`` needs grpcio and
protobuf; the types can be used without them.
"""

from . import draw, milp, option, serve, smt
from .cancel import Cancel
from .describe import Description, Exactness, Library, Option, Preset, Scale, Service
from .evaluate import Evaluator, Outcome
from .errors import Cancelled, Error, Finished, Incompatible, InvalidOption, InvalidProblem, Unsupported
from .model import Model
from .network import Head, Layer, Network, sigmoid
from .problem import (
    MILP, Column, ColumnBound, Delta, Form, Goal, Notion, Number, Objective, Problem, Query, Relaxation, Role, Row,
    Script, Set, Stack, Symbol, Terms)
from .solver import Incremental, Loaded, Progress, Reason, Result, SolveOptions, Solver, Status, Witness
from .space import Condition, Feature, Input, Interval, Kind, Point, Predicate, Region, Space, holds
from .strategy import Move, MoveKind, Session, StartOptions, Strategy, Trial, TrialStatus

__all__ = [
    "Cancel", "Cancelled", "Column", "ColumnBound", "Condition", "Delta", "Description", "Error", "Evaluator",
    "Exactness", "Feature", "Finished", "Form", "Goal", "Head", "Incompatible", "Incremental", "Input", "Interval",
    "InvalidOption", "InvalidProblem", "Kind", "Layer", "Library", "Loaded", "MILP", "Model", "Move", "MoveKind", "Network",
    "Notion", "Number", "Objective", "Option", "Outcome", "Point", "Predicate", "Preset", "Problem", "Progress", "Query",
    "Reason", "Region", "Relaxation", "Result", "Role", "Row", "Script", "Service", "Session", "Set", "SolveOptions",
    "Solver", "Space", "Stack", "StartOptions", "Status", "Strategy", "Symbol", "Terms", "Trial", "TrialStatus",
    "Unsupported", "Witness", "draw", "holds", "milp", "option", "serve", "sigmoid", "smt",
]
