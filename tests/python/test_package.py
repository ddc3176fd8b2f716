"""The wheel holds all that the package needs, and works away from the source tree: pip installs it without a network."""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

PROGRAM = """
import pathlib, sys
import cotangent as ct
assert pathlib.Path(ct.__file__).is_relative_to(sys.argv[1]), ct.__file__
run = ct.Model("pendulum").run(end=1)
assert run.status == "done" and len(ct.models()) > 40
assert run.page().startswith("<!doctype html>")
assert ct.reproduce("seiler/fig-1")
"""


def output_of(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, **options)
    if done.returncode:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class PackageTest(unittest.TestCase):
    def test_a_wheel_works_by_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            pip = ("-m", "pip", "--quiet", "--disable-pip-version-check", "--no-cache-dir")
            output_of(sys.executable, *pip, "wheel", "--no-index", "--no-deps", "--no-build-isolation", "-w", folder, ROOT)
            (wheel,) = folder.glob("cotangent-*.whl")
            with zipfile.ZipFile(wheel) as archive:
                self.assertIsNone(archive.testzip())
                names = archive.namelist()
            for file in ("cotangent/models/pendulum.toml", "cotangent/experiments/seiler/fig-1.toml", "cotangent/py.typed",
                         "cotangent/__init__.pyi"):  # fmt: skip
                self.assertIn(file, names)
            self.assertEqual(sum("/_core." in name and name.endswith(".so") for name in names), 1)
            output_of(sys.executable, *pip, "install", "--no-index", "--no-deps", "--target", folder / "here", wheel)
            output_of(sys.executable, "-c", PROGRAM, folder / "here", cwd=folder, env={"PYTHONPATH": str(folder / "here"), "PATH": "/usr/bin:/bin"})


if __name__ == "__main__":
    unittest.main()
