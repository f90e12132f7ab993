"""What goes wrong, as one hierarchy of exceptions under ``hyfair.Error``."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """Every exception that hyfair raises about a study, a model or an answer."""


class StudyError(Error, ValueError):
    """The study, or something given to it, has a mistake."""


class ModelNotReadable(Error, ValueError):
    """hyfair cannot read the estimator, or one of its steps.

    ``asked``: no reader reads it, so that ``hyfair.Study`` asks the estimator itself.
    """

    def __init__(self, message: str, asked: bool = False) -> None:
        super().__init__(message)
        self.asked = asked


class DisagreesWithModel(Error):
    """The copy of the estimator gives other scores, or other decisions, than the estimator.

    ``rows`` are the rows that differ, as the frame's own kind, with the two scores.
    """

    def __init__(self, message: str, rows: Any) -> None:
        super().__init__(message)
        self.rows = rows


class ProgramNotFound(Error):
    """The program hyfair is not installed."""


class CommandFailed(Error):
    """The program could not answer. ``code`` is its exit code, ``result`` what it found before."""

    def __init__(self, message: str, code: int, result: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.result = result


class Contradiction(CommandFailed):
    """An exact evaluation refuted a claim of a solver; ``result`` names it."""


class CheckFailed(Error, AssertionError):
    """A bound given to a command does not hold. Only ``check()`` of a result raises it."""


class Undecided(Error):
    """A limit left a bound or a verdict open. Only ``check()`` of a result raises it."""
