"""hyfair.answers is what scripts/python_results.py makes of the schemas."""

import importlib.util
import pathlib

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "python_results.py"


def test_current():
    spec = importlib.util.spec_from_file_location("python_results", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.OUT.read_text("utf-8") == script.written(), "run scripts/python_results.py"
