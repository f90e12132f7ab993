"""Standard output, which carries only one line in a plugin: the handshake.

Importing this module in a program that a host has started keeps a copy of descriptor
1 for the handshake and redirects descriptor 1 to standard error, so that nothing that
the plugin or a library prints is taken for the handshake. It removes the cookie from
the environment, so that a process that the plugin starts is not taken for a plugin.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Optional

COOKIE = "HYFAIR_PLUGIN"
COOKIE_VALUE = "8f0c7d5e-individual-fairness-v1"
APART = "HYFAIR_APART"

apart = os.environ.pop(APART, "") != ""
"""Whether this is the separate process in which a solver runs."""


def _divert() -> Optional[int]:
    if os.environ.pop(COOKIE, "") != COOKIE_VALUE and not apart:
        return None
    kept = os.dup(1)  # not inherited by children
    os.dup2(2, 1)
    sys.stdout.flush()  # buffered output goes to standard error too
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    return kept


descriptor = _divert()
"""The descriptor for the handshake, or for answers; None if no host started the program."""

parent = os.getppid()
"""The process that started the program, read before it can have ended."""
