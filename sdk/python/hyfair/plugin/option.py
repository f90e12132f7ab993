"""Reads the values of a plugin's options, which are sent as text::

    given = option.read(OPTIONS, options.options)
    rate, count = given.float("rate", 0, 1), given.int("count", 1, 1000)
    sampler = given.choice("sampler", "tpe", "random")

Options that are not given have their defaults. An invalid value raises InvalidOption,
which says what is allowed. The package sdk/option does the same in Go, with the same
names.
"""

from __future__ import annotations

import builtins
import math
from typing import Dict, Mapping, Optional, Sequence

from .describe import Option
from .errors import InvalidOption


def complete(plugin: str, described: Sequence[Option], given: Mapping[str, str]) -> Dict[str, str]:
    """The options with their defaults. Names that are not described are refused."""
    known = [o.name for o in described]
    for name in sorted(given):
        if name not in known:
            takes = "it takes " + ", ".join(known) if known else "it takes none"
            raise InvalidOption(f'{plugin} has no option "{name}"; {takes}')
    return {**{o.name: o.default for o in described}, **given}


def read(described: Sequence[Option], given: Mapping[str, str]) -> Reader:
    """A reader of the given values, with the defaults of the described options."""
    return Reader(described, given)


class Reader:
    """Reads one set of options: see ``read``."""

    def __init__(self, described: Sequence[Option], given: Mapping[str, str]) -> None:
        self._help = {o.name: o.help for o in described}
        self._values = complete("this plugin", described, given)

    def float(self, name: str, lo: builtins.float = -math.inf, hi: builtins.float = math.inf) -> builtins.float:
        """A finite number from lo to hi."""
        v = _number(self._values[name])
        if v is None or not (math.isfinite(v) and lo <= v <= hi):
            within = f"from {lo:g} to {hi:g}"
            if math.isinf(hi):
                within = "that is finite" if math.isinf(lo) else f"of at least {lo:g}"
            elif math.isinf(lo):
                within = f"of at most {hi:g}"
            self._refuse(name, f"is a number {within}")
        assert v is not None
        return v

    def int(self, name: str, lo: builtins.int, hi: builtins.int) -> builtins.int:
        """A whole number from lo to hi. It may be written as 1e6."""
        text = self._values[name]
        v = _number(text)
        if v is None or not (math.isfinite(v) and v == math.floor(v) and abs(v) < 1 << 63 and lo <= _whole(text, v) <= hi):
            self._refuse(name, f"is a whole number from {lo} to {hi}")
        assert v is not None
        return _whole(text, v)

    def bool(self, name: str) -> builtins.bool:
        """A truth value, written as true or false."""
        return self.choice(name, "true", "false") == "true"

    def choice(self, name: str, *words: str) -> str:
        """The value, which must be one of the words."""
        if self._values[name] not in words:
            self._refuse(name, "are " + ", ".join(words))
        return self._values[name]

    def require(self, name: str, ok: builtins.bool) -> None:
        """Refuses an option's value unless ok, for conditions other than a range. The
        option's help must say what is allowed."""
        if not ok:
            self._refuse(name, "")

    def _refuse(self, name: str, allowed: str) -> None:
        allowed = "; allowed " + allowed if allowed else ""
        raise InvalidOption(f'{name} = "{self._values[name]}"{allowed}; {name}: {self._help[name]}')


def _number(text: str) -> Optional[float]:
    """Reads a number as Go does: Python also accepts spaces and underscores."""
    try:
        return None if "_" in text or text != text.strip() else float(text)
    except ValueError:
        return None


def _whole(text: str, v: float) -> int:
    try:
        return int(text)  # a float has fewer digits
    except ValueError:
        return int(v)


def word(given: Mapping[str, str], name: str, words: Sequence[str]) -> str:
    """``Reader.choice`` for plugins that are older than ``Reader``."""
    return Reader([Option(name)], {name: given[name]}).choice(name, *words)
