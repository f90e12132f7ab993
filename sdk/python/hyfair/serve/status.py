"""Exceptions as gRPC statuses, one code for each meaning."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Tuple

import grpc

from .. import errors

# The order does not matter: no class is another's.
CODES = {
    errors.Unsupported: grpc.StatusCode.UNIMPLEMENTED,
    errors.InvalidProblem: grpc.StatusCode.INVALID_ARGUMENT,
    errors.InvalidOption: grpc.StatusCode.OUT_OF_RANGE,
    errors.Incompatible: grpc.StatusCode.FAILED_PRECONDITION,
    errors.Cancelled: grpc.StatusCode.CANCELLED,
}

# The Go side puts the name of its error before the text; so does this one.
PREFIXES = {
    errors.Unsupported: "unsupported: ",
    errors.InvalidProblem: "invalid problem: ",
    errors.InvalidOption: "invalid option: ",
    errors.Incompatible: "incompatible: ",
}

# gRPC carries the text in a header, whose size peers limit.
MAX_TEXT = 4000


def of(e: BaseException) -> Tuple[grpc.StatusCode, str]:
    """The code and the text for what a call raised. An exception that is none of
    the package's is a fault of the plugin: its traceback goes to standard error,
    and the text says what and where."""
    for kind, code in CODES.items():
        if isinstance(e, kind):
            return code, (PREFIXES.get(kind, "") + str(e))[:MAX_TEXT]
    if isinstance(e, errors.Error):
        return grpc.StatusCode.UNKNOWN, str(e)[:MAX_TEXT]
    traceback.print_exception(type(e), e, e.__traceback__)
    sys.stderr.flush()
    what = "".join(traceback.format_exception_only(type(e), e)).strip()
    return grpc.StatusCode.INTERNAL, f"the plugin raised {what[:MAX_TEXT]}{_place(e)}"


def _place(e: BaseException) -> str:
    """Where: the innermost line of the plugin's own folder, or else of all."""
    frames = traceback.extract_tb(e.__traceback__)
    if not frames:
        return ""
    home = os.path.dirname(os.path.abspath(sys.argv[0])) + os.sep
    own = [f for f in frames if os.path.abspath(f.filename).startswith(home)]
    at = (own or frames)[-1]
    return f" (at {os.path.basename(at.filename)}:{at.lineno}, in {at.name})"
