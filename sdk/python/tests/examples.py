"""Loads the examples' programs, all of which are called main."""

from __future__ import annotations

import importlib.util
import pathlib
import types

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "examples"


def program(folder: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(folder.replace("-", "_"), FOLDER / folder / "main.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
