"""The notebooks of examples/ are executed: their cells in order, as a kernel does it, with what the last line of each would show."""

import ast
import contextlib
import io
import json
import pathlib
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples"


def show(value):
    """What a notebook shows of a value: HTML where it has some."""
    return value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)


def execute(notebook, name):
    """The texts that its cells show."""
    shown, names = [], {"__name__": "__main__"}
    for number, cell in enumerate(notebook["cells"], 1):
        if cell["cell_type"] != "code":
            continue
        where = f"{name}, cell {number}"
        tree = ast.parse("".join(cell["source"]), where)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(tree, where, "exec"), names)
            value = eval(compile(ast.Expression(last.value), where, "eval"), names) if last else None
        shown.append(printed.getvalue() + (show(value) if value is not None else ""))
    return shown


class NotebookTest(unittest.TestCase):
    def test_there_are_three(self):
        self.assertEqual(sorted(file.stem for file in FOLDER.glob("*.ipynb")), ["formulations", "own_mechanism", "papers"])

    def execute(self, name):
        notebook = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
        self.assertEqual(notebook["nbformat"], 4)
        for cell in notebook["cells"]:  # outputs are made by whoever runs it
            self.assertIn(cell["cell_type"], ("code", "markdown"))
            self.assertFalse(cell.get("outputs"))
        return execute(notebook, name)

    def test_own_mechanism(self):
        shown = self.execute("own_mechanism")
        self.assertIn("[constraints]", shown[1])
        self.assertIn("<iframe", shown[2])
        self.assertIn("<table", shown[-3])

    def test_papers(self):
        shown = self.execute("papers")
        self.assertIn("reproduced", shown[1])

    def test_formulations(self):
        shown = self.execute("formulations")
        self.assertIn("<iframe", shown[-1])


if __name__ == "__main__":
    unittest.main()
