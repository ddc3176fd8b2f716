#!/usr/bin/env python3
"""Certificates of runs whose verdicts are known: usage certificate_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
MODELS = pathlib.Path()

OSCILLATOR = """
[system]
coordinates = ["x"]
hamiltonian = "(p_x^2 + x^2)/2"
[initial]
x = 1
p_x = 0
"""

# Energy 1/6.05: most orbits are chaotic.
HENON_HEILES = """
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + (x^2 + y^2)/2 + x^2*y - y^3/3"
[initial]
x = 0
y = -0.1
p_y = 0.1
p_x = "sqrt(2*(1/6.05 - 0.01 - 0.001/3))"
"""

PENDULUM = """
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = 1
y = 0
p_x = 0
p_y = -2
"""

DAMPED = PENDULUM.replace("[constraints]", 'dissipation = "0.02*(v_x^2 + v_y^2)/2"\n[constraints]')

DOUBLE_PENDULUM = """
[system]
coordinates = ["a[2]", "b[2]"]
hamiltonian = "norm2(p_a)/2 + norm2(p_b)/6 + a[2] + 3*b[2]"
[constraints]
upper = "norm2(a) = 1"
lower = "norm2(a - b) = 1"
[initial]
a = [1, 0]
b = [1.6, 0.8]
p_a = [0, 0]
p_b = [0, 0]
"""

class Certificates(unittest.TestCase):
    def certificate(self, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.toml"
            path.write_text(text, encoding="utf-8")
            command = [PROGRAM, "run", str(path), *options, "--certify", "--json"]
            result = subprocess.run(command, capture_output=True, text=True, timeout=300)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["certificate"]

    def expect(self, text, options, trend_of_error=None, holds=True, **verdicts):
        """Each verdict is "kept", "broken" or "not claimed", with trends that are right after a colon."""
        with self.subTest(options):
            certificate = self.certificate(text, *options.split())
            findings = {each["structure"]: each for each in certificate["structures"]}
            for structure, expected in verdicts.items():
                verdict, _, trends = expected.partition(":")
                finding = findings[structure]
                self.assertEqual(finding["verdict"], verdict, finding)
                if trends:
                    self.assertIn(finding["trend"], [each.strip() for each in trends.split("|")], finding)
                self.assertTrue(finding["claim"])
                self.assertTrue(finding["evidence"])
            self.assertEqual(certificate["holds"], holds, certificate)
            if trend_of_error:
                self.assertIn(certificate["error"]["trend"], trend_of_error, certificate["error"])
            return findings, certificate["error"]

    def test_symplectic_runs(self):
        everything = {
            "position": "kept:rounding",
            "momentum": "kept:rounding",
            "energy": "kept:bounded",
            "symplecticity": "kept:rounding",
            "reversibility": "kept",
        }
        for options in (
            "--method rattle --step 0.02 --end 200",
            "--method rattle --step 0.1 --end 2000",
            "--method lobatto:3 --step 0.1 --end 300",
            "--method compose:4(rattle) --step 0.1 --end 300",
        ):
            # Once the phase is lost the error grows no more.
            self.expect(PENDULUM, options, ["linear", "bounded"], **everything)
        self.expect(DOUBLE_PENDULUM, "--method rattle --step 0.01 --end 200", ["exponential"], **everything)

    def test_energy_that_is_kept_exactly(self):
        self.expect(
            HENON_HEILES,
            "--method gonzalez --step 0.05 --end 300",
            energy="kept:rounding",
            symplecticity="not claimed",
            reversibility="kept",
        )
        self.expect(
            HENON_HEILES,
            "--method rk4 --step 0.05 --end 300 --project-invariants energy",
            energy="kept:rounding",
            reversibility="not claimed",
        )

    def test_reversible_runs_that_are_not_symplectic(self):
        self.expect(
            PENDULUM,
            "--method symmetric(gauss:2) --step 0.1 --end 500",
            ["linear"],
            position="kept:rounding",
            energy="kept:bounded",
            symplecticity="not claimed",
            reversibility="kept",
        )
        self.expect(
            OSCILLATOR.replace("x^2)/2", "x^2)/2 + x^4/4"),
            "--method lobatto-iiia:3 --step 0.1 --end 1000",
            ["linear"],
            energy="kept:bounded",
            symplecticity="not claimed",
            reversibility="kept",
        )

    def test_drifting_runs(self):
        for options in ("--step 0.05 --end 200", "--step 0.02 --end 500"):
            self.expect(
                PENDULUM,
                "--method rk4 " + options,
                ["quadratic"],
                position="kept:rounding",
                energy="not claimed:linear",
                symplecticity="not claimed:linear",
                reversibility="not claimed",
            )
        self.expect(OSCILLATOR, "--method radau-iia:2 --step 0.1 --end 300", energy="not claimed:linear")
        self.expect(OSCILLATOR, "--method euler --step 0.01 --end 1000", energy="not claimed:exponential")

    def test_constraints_that_nobody_keeps(self):
        findings, _ = self.expect(
            PENDULUM,
            "--method rk4 --projection none --step 0.05 --end 300",
            position="not claimed:quadratic",
            momentum="not claimed:linear",
        )
        self.assertGreater(findings["position"]["figure"], 1e-6)
        findings, _ = self.expect(
            PENDULUM, "--method rk4 --projection both --project-above 1e-6 --step 0.05 --end 300", position="kept"
        )
        self.assertLessEqual(findings["position"]["figure"], 1e-6)

    def test_dissipative_runs(self):
        self.expect(
            DAMPED,
            "--method rattle --step 0.02 --end 400",
            energy="not claimed",
            symplecticity="not claimed",
            reversibility="kept",
        )

    def test_resonant_runs(self):
        # Just below its limit of stability the scheme of Verlet is bounded, with a large error; beyond it is not.
        self.expect(OSCILLATOR, "--method stormer-verlet --step 1.99 --end 2000", energy="kept:bounded")
        self.expect(
            OSCILLATOR,
            "--method stormer-verlet --step 2.01 --end 100",
            ["exponential"],
            holds=False,
            energy="broken:exponential",
            symplecticity="kept",
        )

    def test_chaotic_runs(self):
        for options in (
            "--method stormer-verlet --step 0.05 --end 1000",
            "--method gauss:2 --step 0.1 --end 1000",
        ):
            self.expect(
                HENON_HEILES,
                options,
                ["exponential"],
                energy="kept:bounded",
                symplecticity="kept:rounding",
                reversibility="kept",
            )
        self.expect(
            HENON_HEILES,
            "--method rk4 --step 0.05 --end 1000",
            ["exponential"],
            energy="not claimed:linear",
            symplecticity="not claimed",
        )

    def test_adaptive_runs(self):
        kepler = (MODELS / "kepler.toml").read_text(encoding="utf-8")
        self.expect(
            kepler,
            "--method rattle --tolerance 1e-5 --end 300",
            energy="kept:bounded",
            symplecticity="not claimed:rounding",
            reversibility="kept",
        )
        self.expect(
            kepler, "--method dopri5 --tolerance 1e-6 --end 300", energy="not claimed:linear", reversibility="not claimed"
        )

    def test_estimated_error_is_about_the_error(self):
        for method, step in (("stormer-verlet", "0.01"), ("rk4", "0.1"), ("gauss:2", "0.1")):
            certificate = self.certificate(OSCILLATOR, "--method", method, "--step", step, "--end", "100")
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "model.toml"
                path.write_text(OSCILLATOR, encoding="utf-8")
                result = subprocess.run(
                    [PROGRAM, "run", str(path), "--method", method, "--step", step, "--end", "100", "--json"],
                    capture_output=True, text=True, timeout=100)
            state = json.loads(result.stdout)["state"]
            error = max(abs(state["x"] - math.cos(100)), abs(state["p_x"] + math.sin(100)))
            self.assertAlmostEqual(certificate["error"]["final"] / error, 1, delta=0.1)
            self.assertAlmostEqual(certificate["error"]["exponent"], 1, delta=0.2)

    def test_a_short_run_is_not_judged(self):
        certificate = self.certificate(PENDULUM, "--step", "0.01", "--end", "0.03")
        energy = next(each for each in certificate["structures"] if each["structure"] == "energy")
        self.assertEqual(energy["verdict"], "unknown")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    MODELS = pathlib.Path(sys.argv.pop(1))
    unittest.main()
