#!/usr/bin/env python3
"""Every model says what it is, where it comes from and what to look at, and the command in its header works.

  commands_test.py PROGRAM MODELS
"""

import concurrent.futures
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

PROGRAM, MODELS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()


def header(model):
    """The comment that a file begins with, without its signs."""
    lines = []
    for line in model.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line[1:].strip())
    return lines


def run_command(model):
    """The command in the header of a model, run in a folder of its own."""
    command = next(line for line in header(model) if line.startswith("Run: ")).removeprefix("Run: cotangent")
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([PROGRAM, *shlex.split(command)], cwd=folder, capture_output=True, text=True, timeout=60,
                              check=False)


class Headers(unittest.TestCase):
    def test_say_source_and_what_to_look_at(self):
        for model in sorted(MODELS.glob("*.toml")):
            with self.subTest(model.stem):
                text = "\n".join(header(model))
                for word in ("Source: ", "Look at: ", "Run: cotangent run " + model.stem):
                    self.assertIn(word, text)

    def test_are_all_in_the_list_of_the_zoo(self):
        readme = (MODELS / "README.md").read_text(encoding="utf-8")
        for model in sorted(MODELS.glob("*.toml")):
            self.assertIn(f"`{model.stem}`", readme)

    def test_have_commands_that_work(self):
        models = sorted(MODELS.glob("*.toml"))
        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
            for model, run in zip(models, pool.map(run_command, models)):
                with self.subTest(model.stem):
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertRegex(run.stdout, r"status +done")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
