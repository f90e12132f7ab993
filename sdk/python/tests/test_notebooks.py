"""The notebooks run: as Jupyter runs them where nbclient is installed, else each cell in turn, its last expression shown as a notebook shows it.

$HYFAIR is the program, and $HYFAIR_NOTEBOOK the notebook. sdk/python/pythontest and make test-wheels start them.
"""

import ast
import json
import os
import unittest
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "examples" / "notebooks"
if not os.environ.get("HYFAIR_NOTEBOOK"):
    raise unittest.SkipTest("go test ./sdk/python/pythontest and make test-wheels run them, in the environments that have their libraries")


class Notebook(unittest.TestCase):
    def test_cells(self):
        path = NOTEBOOKS / os.environ["HYFAIR_NOTEBOOK"]
        cells = [c for c in json.loads(path.read_text("utf-8"))["cells"] if c["cell_type"] == "code"]
        self.assertTrue(all(cell["outputs"] == [] for cell in cells), "clear the outputs")
        pages, study = (in_jupyter if find_spec("nbclient") and find_spec("ipykernel") else in_turn)(path, cells)
        self.assertGreater(len([page for page in pages if "<" in page]), 1)
        self.assertIn("all decisions are equal", study)


def in_jupyter(path, _):
    import nbformat
    from nbclient import NotebookClient

    os.environ["PYTHONPATH"] = str(ROOT)  # for the kernel
    notebook = nbformat.read(path, 4)
    notebook.cells.append(nbformat.v4.new_code_cell("print(repr(study))"))
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(NOTEBOOKS)}}).execute()
    outputs = [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]
    return [o.data["text/html"] for o in outputs if "text/html" in o.get("data", {})], outputs[-1].text


def in_turn(_, cells):
    os.chdir(NOTEBOOKS)
    seen, pages = {}, []
    for cell in cells:
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, cell["id"], "exec"), seen)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), cell["id"], "eval"), seen)
            if hasattr(value, "_repr_html_"):
                pages.append(value._repr_html_())
    return pages, repr(seen["study"])


if __name__ == "__main__":
    unittest.main()
