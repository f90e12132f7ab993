"""The notebooks run: each cell in turn, its last expression shown as a notebook shows it.

$HYFAIR is the program, and $HYFAIR_NOTEBOOK the notebook. sdk/python/pythontest starts them.
"""

import ast
import json
import os
import unittest
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parents[1] / "examples" / "notebooks"
if not os.environ.get("HYFAIR_NOTEBOOK"):
    raise unittest.SkipTest("go test ./sdk/python/pythontest runs them, in the environments that have their libraries")


class Notebook(unittest.TestCase):
    def test_cells(self):
        cells = json.loads((NOTEBOOKS / os.environ["HYFAIR_NOTEBOOK"]).read_text("utf-8"))["cells"]
        os.chdir(NOTEBOOKS)
        seen, pages = {}, 0
        for cell in cells:
            if cell["cell_type"] != "code":
                continue
            self.assertEqual(cell["outputs"], [], "clear the outputs")
            tree = ast.parse("".join(cell["source"]))
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, cell["id"], "exec"), seen)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), cell["id"], "eval"), seen)
                if hasattr(value, "_repr_html_"):
                    self.assertIn("<", value._repr_html_())
                    pages += 1
        self.assertGreater(pages, 1)
        self.assertIn("all decisions are equal", repr(seen["study"]))
