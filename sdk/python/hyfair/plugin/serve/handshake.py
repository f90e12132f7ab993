"""Standard output, which in a plugin carries one line: the handshake.

Importing this in a program that a host has started moves it out of the way:
descriptor 1 is kept for the handshake and then points at standard error, so that
nothing that is printed, by the plugin or by a library, can be taken for it. The
cookie is taken from the environment, so that a process that the plugin starts
is none itself.
"""

from __future__ import annotations

import os
import sys
from typing import Optional

COOKIE = "HYFAIR_PLUGIN"
COOKIE_VALUE = "8f0c7d5e-individual-fairness-v1"
APART = "HYFAIR_APART"

apart = os.environ.pop(APART, "") != ""
"""Whether this is the process that a solver works in."""


def _divert() -> Optional[int]:
    if os.environ.pop(COOKIE, "") != COOKIE_VALUE and not apart:
        return None
    kept = os.dup(1)  # not inherited by children
    os.dup2(2, 1)
    sys.stdout.flush()  # what waited there goes to standard error too
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True)
    return kept


descriptor = _divert()
"""Where the handshake, or an answer, goes; None in a program that no host has started."""

parent = os.getppid()
"""Who started the program, before it can have gone."""
