from __future__ import annotations

import sys

import pytest

from hyfair.plugin import Library


def test_what_is_said_of_a_package():
    there = Library.of_package("pytest", "pip install pytest", "the tests'")
    assert there.found and there.version == pytest.__version__ and there.path.endswith("RECORD")
    assert there.name == "the tests'" and "_pytest" in open(there.path, encoding="utf-8").read()
    missing = Library.of_package("no-such-package-anywhere", "the command")
    assert (missing.found, missing.name, missing.hint) == (False, "no-such-package-anywhere", "the command")
    assert sys.executable in missing.problem
    assert Library.of_package("pytest", "", "Tests", solver="CBC").name == "CBC in Tests"
