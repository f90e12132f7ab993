"""What a solver of the SMT form needs around its library: it checks the commands of a
script before the library runs them, and reads the values that the library prints."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Iterator, List, Tuple

from .errors import InvalidProblem

ALLOWED = {"assert", "declare-const", "declare-fun", "declare-sort", "define-fun", "define-const", "define-sort", "set-logic"}
"""The commands that a script may contain: the logic, declarations, definitions and
assertions. Any other command could start a search, print, or end the library's session."""
IGNORED = {"set-info", "set-option"}

_TOKEN = re.compile(r'[()]|;[^\n]*|"[^"]*"|\|[^|]*\||[^\s()";|]+|\S')
_OUTLINE = re.compile(r'[()]|;[^\n]*|"[^"]*"|\|[^|]*\||["|]')


def commands(text: str) -> Iterator[Tuple[str, str]]:
    """The commands of a script, each with its name. Raises InvalidProblem if the text is
    not a list of allowed commands; the library parses their contents."""
    depth, start, end = 0, 0, 0
    for token in _OUTLINE.finditer(text):
        word = token.group()
        if word in ('"', "|"):
            raise _fault(text, token.start(), f"the text ends inside {word}...{word}")
        if depth == 0 and (word != "(" and word[0] != ";" or text[end:token.start()].strip()):
            raise _fault(text, _next(text, end), "want a command in parentheses")
        if word == "(":
            start, depth = (start if depth else token.start()), depth + 1
        elif word == ")":
            depth -= 1
            if depth == 0:
                command = text[start:token.end()]
                name = command[1:].split(None, 1)[0].rstrip(")") if command[1:-1].strip() else ""
                if name in ALLOWED:
                    yield name, command
                elif name not in IGNORED:
                    raise _fault(text, start, f"command {name!r}; a script holds declarations and assertions only")
        end = token.end() if depth == 0 else end
    if depth:
        raise _fault(text, start, "a parenthesis is never closed")
    if text[end:].strip():
        raise _fault(text, _next(text, end), "want a command in parentheses")


def _next(text: str, at: int) -> int:
    """The position of the first character after white space."""
    return len(text) - len(text[at:].lstrip())


def _fault(text: str, at: int, what: str) -> InvalidProblem:
    return InvalidProblem(f"line {text.count(chr(10), 0, at) + 1}: {what}")


def values(text: str) -> List[Fraction]:
    """The numbers and truth values (1 or 0) in the answer to get-value, such as
    ``((x (- (/ 1 3))) (p true))``, in order. Raises ValueError for any that is not rational."""
    pairs = _read(iter(_TOKEN.findall(text)))
    return [_number(value) for _, value in pairs[0]]


def _read(tokens: Iterator[str]) -> list:  # type: ignore[type-arg]
    """Nested lists up to the parenthesis that closes this one."""
    out: list = []  # type: ignore[type-arg]
    for token in tokens:
        if token == ")":
            break
        if token[0] != ";":
            out.append(_read(tokens) if token == "(" else token)
    return out


def _number(value: object) -> Fraction:
    if value in ("true", "false"):
        return Fraction(value == "true")
    if isinstance(value, str):
        return Fraction(value)
    if isinstance(value, list) and len(value) == 2 and value[0] == "-":
        return -_number(value[1])
    if isinstance(value, list) and len(value) == 3 and value[0] == "/":
        return _number(value[1]) / _number(value[2])
    raise ValueError(f"{value} is no rational number")
