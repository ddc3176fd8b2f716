"""The examples of docstrings are run."""

import doctest
import importlib
import pathlib
import unittest

import cotangent


def load_tests(loader, tests, pattern):
    for file in sorted(pathlib.Path(cotangent.__file__).parent.glob("*.py")):
        name = "cotangent" if file.stem == "__init__" else f"cotangent.{file.stem}"
        tests.addTests(doctest.DocTestSuite(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE))
    tests.addTests(doctest.DocTestSuite(cotangent._core))
    return tests


if __name__ == "__main__":
    unittest.main()
