"""``python -m hyfair`` and the console script ``hyfair`` are the program itself."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn


def bundled() -> Path:
    """Where a wheel has the program ``hyfair``."""
    return Path(__file__).resolve().parent / "_bin" / ("hyfair.exe" if os.name == "nt" else "hyfair")


def program() -> Path:
    """The program ``hyfair``: the wheel's, or that of the source tree that the package lies in.

    Raises FileNotFoundError if there is neither.
    """
    places = [bundled()]
    here = Path(__file__).resolve().parent
    if here.parts[-3:] == ("sdk", "python", "hyfair"):
        places.append(here.parents[2] / "bin" / bundled().name)
    for place in places:
        if place.is_file():
            return place
    raise FileNotFoundError(
        f"the program hyfair is not at {' or '.join(map(str, places))}: install a wheel, "
        "which `make wheel` builds in the source tree, or run `make build` there")


def main() -> NoReturn:
    """Becomes the program, on Windows starts it: its arguments, signals and exit code are this process's."""
    try:
        path = str(program())
    except FileNotFoundError as e:
        sys.exit(f"hyfair: {e}")
    if os.name == "nt":  # os.execv would return to the shell at once
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program gets Ctrl-C itself
        sys.exit(subprocess.call([path, *sys.argv[1:]]))
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
