"""The package and its examples pass mypy --strict, where mypy is to be had."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent.parent


PLUGINS = sorted("../../plugins/" + p.parent.name for p in HERE.glob("../../plugins/*/main.py"))


@pytest.mark.parametrize("what", [
    "hyfair", "examples/minimal", "examples/hyfair-search-cem", "examples/hyfair-solver-scipy", *PLUGINS])
def test_mypy(what, tmp_path):
    pytest.importorskip("mypy")
    files = [what] if what == "hyfair" else sorted(str(p) for p in (HERE / what).glob("*.py") if "test" not in p.name)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), *files], cwd=HERE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
