"""Converts exceptions to gRPC statuses, one code for each meaning."""

from __future__ import annotations

from typing import Tuple

import grpc

from .. import errors
from .fault import MAX_TEXT, told

# The order does not matter: no class is a subclass of another.
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


def of(e: BaseException) -> Tuple[grpc.StatusCode, str]:
    """The code and the text for what a call raised. An exception that is none of
    the package's is a fault of the plugin: its traceback goes to standard error,
    and the text says what and where."""
    for kind, code in CODES.items():
        if isinstance(e, kind):
            return code, (PREFIXES.get(kind, "") + str(e))[:MAX_TEXT]
    if isinstance(e, errors.Error):
        return grpc.StatusCode.UNKNOWN, str(e)[:MAX_TEXT]
    return grpc.StatusCode.INTERNAL, told(e)
