"""The values of a plugin's own options, which come as text. A value that will not
do is InvalidOption, which says what would."""

from __future__ import annotations

from typing import Mapping, Sequence

from .errors import InvalidOption


def word(given: Mapping[str, str], name: str, words: Sequence[str]) -> str:
    """One of some words."""
    if given[name] not in words:
        raise InvalidOption(f"{name}={given[name]}: want {', '.join(words[:-1])} or {words[-1]}")
    return given[name]
