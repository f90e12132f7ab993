"""The names of 1.0 give the same objects, and warn; ``import hyfair`` alone loads nothing of the plugins."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys

import pytest

import hyfair
import hyfair.plugin
from hyfair import _old


@pytest.mark.parametrize("name", sorted(set(hyfair.plugin.__all__) - {"Error"}))
def test_names(name):
    vars(hyfair).pop(name, None)  # which an import of the module has set
    with pytest.warns(DeprecationWarning, match=rf"hyfair\.{name} has moved to hyfair\.plugin\.{name};"):
        assert getattr(hyfair, name) is getattr(hyfair.plugin, name)


def test_errors_of_plugins_are_errors():
    assert hyfair.Error is not hyfair.plugin.Error and issubclass(hyfair.plugin.Error, hyfair.Error)


@pytest.mark.parametrize("name", [*sorted(_old.MODULES), "serve.apart"])
def test_modules(name):
    sys.modules.pop(f"hyfair.{name}", None)
    new = importlib.import_module(f"hyfair.plugin.{name}")
    spec = new.__spec__
    with pytest.warns(DeprecationWarning, match="has moved"):
        old = importlib.import_module(f"hyfair.{name}")
    assert old is new and new.__name__ == f"hyfair.plugin.{name}" and new.__spec__ is spec


def test_other_names():
    with pytest.raises(AttributeError, match="'hyfair' has no attribute 'Studies'"):
        hyfair.Studies
    with pytest.raises(ImportError, match="Nothing"):
        from hyfair import Nothing  # noqa: F401
    with pytest.raises(ImportError):
        importlib.import_module("hyfair.serve.nothing")
    assert dir(hyfair) == sorted([*hyfair.__all__, "plugin"])


def test_users_get_nothing_of_plugins():
    program = ("import hyfair, os, sys; print('seen'); "
               "print([m for m in sys.modules if m.startswith(('hyfair.plugin', 'grpc', 'google'))])")
    host = {"HYFAIR_PLUGIN": "8f0c7d5e-individual-fairness-v1"}  # as if a host had started it
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], env={
        **os.environ, **host, "PYTHONPATH": os.pathsep.join(sys.path)}, capture_output=True, text=True)
    assert run.stdout == "seen\n[]\n", run.stderr
