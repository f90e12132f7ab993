"""The text for an unexpected exception of a plugin."""

from __future__ import annotations

import os
import sys
import traceback

# gRPC sends the text in a header, whose size peers limit.
MAX_TEXT = 4000


def told(e: BaseException) -> str:
    """What was raised, and where; the traceback goes to standard error."""
    traceback.print_exception(type(e), e, e.__traceback__)
    sys.stderr.flush()
    what = "".join(traceback.format_exception_only(type(e), e)).strip()
    return f"the plugin raised {what[:MAX_TEXT]}{_place(e)}"


def _place(e: BaseException) -> str:
    """Where it was raised: the innermost line in the plugin's folder, or else of all."""
    frames = traceback.extract_tb(e.__traceback__)
    if not frames:
        return ""
    home = os.path.dirname(os.path.abspath(sys.argv[0])) + os.sep
    own = [f for f in frames if os.path.abspath(f.filename).startswith(home)]
    at = (own or frames)[-1]
    return f" (at {os.path.basename(at.filename)}:{at.lineno}, in {at.name})"
