"""The process that SciPy runs in: tasks from standard input, answers to what was
standard output when it began. An answer that is text says why there are none."""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
from typing import Any, Callable, Dict, Union

Answer = Union[str, Dict[str, Any]]

LOOK = 0.1
"""Seconds between two looks at the parent."""


def main() -> None:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    solve = _solver()
    while True:
        try:
            task = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(solve(task), out)
        out.flush()


def _end_with(parent: int) -> None:
    """Ends the process with its parent, also in the middle of a solve."""
    while os.getppid() == parent:
        time.sleep(LOOK)
    os._exit(0)


def _solver() -> Callable[[Dict[str, Any]], Answer]:
    try:
        import numpy
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_matrix
    except ImportError as e:
        missing = f"SciPy cannot be used ({e}): {sys.executable} -m pip install 'scipy>=1.9'"
        return lambda task: missing

    def solve(task: Dict[str, Any]) -> Answer:
        width, height = len(task["c"]), len(task["row_lo"])
        rows = None
        if height:
            matrix = csr_matrix((task["data"], task["indices"], task["starts"]), shape=(height, width), dtype=float)
            rows = LinearConstraint(matrix, task["row_lo"], task["row_hi"])
        r = milp(
            numpy.array(task["c"]), integrality=numpy.array(task["integrality"]),
            bounds=Bounds(task["lo"], task["hi"]), constraints=rows, options=dict(task["options"]))
        return {
            "message": r.message, "x": None if r.x is None else [float(v) for v in r.x],
            "nodes": r.get("mip_node_count"), "bound": r.get("mip_dual_bound"),
        }

    return solve


if __name__ == "__main__":
    main()
