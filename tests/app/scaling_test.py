#!/usr/bin/env python3
"""Projections by scaling: usage scaling_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""


def run(model, *options):
    command = [PROGRAM, "run", model, *options, "--json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{result.stderr}{result.stdout}")
    return json.loads(result.stdout)


def recorded(model, *options):
    """The rows of a record, as numbers by the names of columns, beside the summary."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "run.csv")
        summary = run(model, *options, "--out", name)
        with open(name, newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)], summary


TORUS = """
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 - 1/sqrt(x^2 + y^2) - 0.01/(2*sqrt(x^2 + y^2)^3)"
[initial]
x = 0.4
y = 0
p_x = 0
p_y = 2
"""


class Torus(unittest.TestCase):
    """Figure 13: the modified Kepler problem until t = 500, steps of 0.1. The other figures, and the tables, are experiments."""

    def test_radius(self):
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "hamiltonian.toml")
            with open(model, "w") as file:
                file.write(TORUS)
            rows, symplectic = recorded(model, "--method", "forest-ruth", "--step", "0.1", "--end", "500")
        self.assertAlmostEqual(symplectic["max"]["energy"], 0.28e-2, delta=0.005e-2)
        self.assertAlmostEqual(max(math.hypot(row["x"], row["y"]) for row in rows), 1.32, delta=0.005)
        rows, _ = recorded("modified_kepler", "--set", "eps=0.01", "--step", "0.1", "--end", "500", "--method", "mrk4",
                           "--sets", "q|p")
        # The aphelion that H and M determine.
        self.assertAlmostEqual(max(math.hypot(row["q[1]"], row["q[2]"]) for row in rows), 1.3133, delta=1e-4)


def refusal(model, *options):
    command = [PROGRAM, "run", model, *options]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return result.returncode, result.stderr


class Scaling(unittest.TestCase):
    """What --projection scaling and --sets say and take."""

    def test_what_scalings_came_to_is_reported(self):
        options = ["modified_kepler", "--method", "mrk4", "--end", "20"]
        fixed = run(*options, "--sets", "q|p")["scaling"]
        found = run(*options)["scaling"]
        self.assertEqual(fixed["points"], 637)
        self.assertEqual((fixed["fallbacks"], found["fallbacks"]), (0, 0))
        self.assertGreater(fixed["largest_condition"], 100)
        self.assertLess(found["largest_condition"], 100)

    def test_points_without_a_root_go_to_the_nearest_point(self):
        # Scaling both populations moves along the level line where x + y = 2.
        summary = run("lotka_volterra", "--method", "rk2", "--step", "0.2", "--projection", "scaling", "--sets", "x,y",
                      "--end", "30")
        self.assertGreater(summary["scaling"]["fallbacks"], 0)
        self.assertGreater(summary["scaling"]["first_fallback"], 0)
        self.assertLess(summary["max"]["invariants"]["energy"], 1e-14)

    def test_energy_of_a_mechanical_system(self):
        summary = run("kepler", "--method", "rk4", "--step", "0.05", "--projection", "scaling", "--project-invariants",
                      "energy", "--sets", "p_x,p_y", "--end", "20")
        self.assertLess(summary["max"]["energy"], 1e-14)
        self.assertEqual(summary["scaling"]["fallbacks"], 0)

    def test_every_base_method(self):
        for method in ("dop853", "gauss:2", "radau-iia:3", "odex:4", "tsit5"):
            summary = run("euler_top", "--method", method, "--step", "0.1", "--projection", "scaling", "--end", "10")
            self.assertLess(max(summary["max"]["invariants"].values()), 1e-15, method)
        adaptive = run("euler_top", "--method", "dopri5", "--tolerance", "1e-6", "--projection", "scaling", "--end", "10")
        self.assertLess(max(adaptive["max"]["invariants"].values()), 1e-15)

    def test_centres(self):
        summary = run("lotka_volterra", "--method", "mrk4", "--sets", "x-1,y-2/2", "--step", "0.05", "--end", "10")
        self.assertEqual(summary["scaling"]["fallbacks"], 0)
        self.assertLess(summary["scaling"]["largest_condition"], 30)
        self.assertLess(summary["max"]["invariants"]["energy"], 1e-14)

    def test_quad_precision(self):
        summary = run("modified_kepler", "--method", "mrk4", "--sets", "q|p", "--end", "3", "--precision", "quad")
        self.assertLess(max(summary["max"]["invariants"].values()), 1e-31)

    def test_certificate(self):
        certificate = run("euler_top", "--method", "mrk4", "--end", "10", "--certify")["certificate"]
        verdicts = {entry["structure"]: entry["verdict"] for entry in certificate["structures"]}
        self.assertEqual({verdicts["invariants.casimir"], verdicts["invariants.energy"]}, {"kept"}, verdicts)
        self.assertTrue(certificate["holds"])

    def test_resumed_runs_are_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "run.ckpt")
            options = ["modified_kepler", "--method", "mrk4", "--sets", "q|p", "--step", "0.01"]
            run(*options, "--end", "1", "--checkpoint", name)
            result = subprocess.run([PROGRAM, "run", "--resume", name, "--end", "2", "--json"], capture_output=True, text=True)
            resumed, whole = json.loads(result.stdout), run(*options, "--end", "2")
            self.assertEqual(resumed["state"], whole["state"])
            self.assertEqual(resumed["scaling"], whole["scaling"])

    def test_refusals(self):
        for options, words in (
            (["euler_top", "--sets", "m1|m4"], "m4"),
            (["euler_top", "--sets", "m1,m2|m1"], "twice"),
            (["euler_top", "--sets", "m1,,m2|m3"], "a variable is missing"),
            (["euler_top", "--sets", "m1*2|m3"], "'m1*2'"),
            (["euler_top", "--sets", "m1,m2,m3"], "1 set of variables for 2 invariants"),
            (["pendulum", "--project-invariants", "energy"], "constraints"),
            (["henon_heiles"], "declares none"),
        ):
            status, text = refusal(*options, "--method", "rk4", "--projection", "scaling")
            self.assertEqual(status, 2, text)
            self.assertIn(words, text)
        status, text = refusal("euler_top", "--method", "hamiltonian-mgps")
        self.assertEqual(status, 2, text)
        self.assertIn("one invariant", text)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    sys.argv.pop(1)
    unittest.main()
