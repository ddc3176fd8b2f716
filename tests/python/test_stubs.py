"""The types of the package say what the package has: the same names, the same parameters."""

import ast
import inspect
import pathlib
import unittest

import cotangent as ct

STUB = pathlib.Path(ct.__file__).with_name("__init__.pyi")


def parameters_of(function):
    """Names, kinds and whether there is a default, of a signature."""
    return [(one.name, one.kind.name, one.default is not one.empty) for one in inspect.signature(function).parameters.values()]


def stated_parameters(function):
    """The same of a stub."""
    a, result = function.args, []
    required = len(a.args) - len(a.defaults)
    result += [(one.arg, "POSITIONAL_OR_KEYWORD", k >= required) for k, one in enumerate(a.args)]
    result += [(a.vararg.arg, "VAR_POSITIONAL", False)] if a.vararg else []
    result += [(one.arg, "KEYWORD_ONLY", default is not None) for one, default in zip(a.kwonlyargs, a.kw_defaults)]
    result += [(a.kwarg.arg, "VAR_KEYWORD", False)] if a.kwarg else []
    return result


def names_of(statement):
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return [statement.name]
    if isinstance(statement, ast.AnnAssign):
        return [statement.target.id]
    return []


class StubTest(unittest.TestCase):
    def setUp(self):
        self.tree = ast.parse(STUB.read_text(encoding="utf-8"))
        self.stated = {name: node for node in self.tree.body for name in names_of(node) if name == "__version__" or name[0] != "_"}

    def test_has_the_names_of_the_package(self):
        self.assertEqual(set(self.stated), set(ct.__all__))

    def test_has_their_parameters(self):
        checked = 0
        for name, node in self.stated.items():
            if isinstance(node, ast.FunctionDef):
                self.assertEqual(stated_parameters(node), parameters_of(getattr(ct, name)), name)
                checked += 1
        self.assertGreater(checked, 30)

    def test_has_the_members_of_classes(self):
        for name in ("Model", "Run", "Stepper", "Analysis", "Comparison", "BlackBox"):
            node, made = self.stated[name], getattr(ct, name)
            members = {one: part for part in node.body for one in names_of(part)}
            attributes = {one for one in members if one[0] != "_"}
            public = {one for one in dir(made) if one[0] != "_"}
            self.assertLessEqual(public, attributes, name)
            # What is set in __init__ is no member of the class.
            self.assertLessEqual({one for one in attributes - public}, {"model", "options", "names", "runs", "m", "constraint_names"}, name)
            for one, part in members.items():
                if isinstance(part, ast.FunctionDef) and not part.decorator_list and name != "Stepper":
                    self.assertEqual(stated_parameters(part)[1:], parameters_of(getattr(made, one))[1:], f"{name}.{one}")


if __name__ == "__main__":
    unittest.main()
