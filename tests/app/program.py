"""What tests of the program have in common: they are called with PROGRAM MODELS_FOLDER [unittest options]."""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
MODELS = pathlib.Path(sys.argv[2]).resolve()


class ProgramTest(unittest.TestCase):
    """Runs the program as a user does, in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=60,
                              cwd=self.folder)

    def summary(self, *arguments, status=0):
        result = self.call("run", *arguments, "--json")
        self.assertEqual(result.returncode, status, result.stderr)
        return json.loads(result.stdout)  # fails if anything else is there

    def refused(self, *arguments):
        """The message of a call that must be refused, leaving nothing behind."""
        before = sorted(self.folder.iterdir())
        result = self.call(*arguments)
        self.assertEqual(result.returncode, 2, result.stderr + result.stdout)
        self.assertEqual(result.stdout, "")
        self.assertEqual(sorted(self.folder.iterdir()), before)
        return result.stderr

    def model(self, text, name="model.toml"):
        path = self.folder / name
        path.write_text(text)
        return path

    def read_csv(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))


def signed(text):
    """A checkpoint that was changed, with the checksum that it has now: FNV-1a."""
    text = text[:text.rindex("checksum ")]
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return f"{text}checksum {value:016x}\n"


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
