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

QUARTIC = OSCILLATOR.replace("x^2)/2", "x^2)/2 + x^4/4")

# Free motion along z; what is kept is linear, quadratic and of degree six.
INVARIANTS = """
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2 + p_y^2 + p_z^2)/2 + (x^2 + y^2)/2 + (x^2 + y^2)^2/4"
[initial]
x = 1
y = 0
z = 0
p_x = 0.1
p_y = 0.5
p_z = 0.3
[invariants]
P = "p_z"
L = "x*p_y - y*p_x"
L3 = "(x*p_y - y*p_x)^3"
"""

FALL = """
[system]
coordinates = ["y"]
hamiltonian = "p_y^2/2 + 9.81*y"
[initial]
y = 0
p_y = 0
"""

# Two oscillators that exchange their energy in a time of about 400.
EXCHANGE = """
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + x^2)/2 + (p_y^2 + 4*y^2)/2 + 0.05*x^2*y"
[initial]
x = 1
y = 0
p_x = 0
p_y = 0
"""

VAN_DER_POL = """
[system]
coordinates = ["x"]
hamiltonian = "(p_x^2 + x^2)/2"
[forces]
x = "(1 - x^2)*v_x"
[initial]
x = 0.1
p_x = 0
"""

# Chaotic, with an exponent of 0.13.
DUFFING = """
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 - x^2/2 + x^4/4"
[forces]
x = "-0.25*v_x + 0.3*cos(t)"
[initial]
x = 0.5
p_x = 0
"""

SCATTERING = """
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 - 1/sqrt(x^2 + y^2)"
[initial]
x = -5
y = 1
p_x = 2
p_y = 0
[invariants]
L = "x*p_y - y*p_x"
"""


MORSE = """
[parameters]
v = 0.5
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 + (1 - exp(-x))^2"
[initial]
x = 0
p_x = "v"
"""

ANGLE = """
[parameters]
a0 = 1
[system]
coordinates = ["a"]
hamiltonian = "p_a^2/2 + 1 - cos(a)"
[initial]
a = "a0"
p_a = 0
"""

LARGE_CIRCLE = """
[parameters]
R = 1000
a = 0.1
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + 10*y"
[constraints]
c = "x^2 + (y - R)^2 = R^2"
[initial]
x = "a"
y = "R - sqrt(R^2 - a^2)"
p_x = 0
p_y = 0
"""


def pendulum_of_size(size):
    """A pendulum with coordinates and momenta of that size, which begins at rest."""
    return f"""
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + {size}*y"
[constraints]
rod = "x^2 + y^2 = {size}^2"
[initial]
x = {size}
y = 0
p_x = 0
p_y = 0
[invariants]
E = "(p_x^2 + p_y^2)/2 + {size}*y"
"""


class Certificates(unittest.TestCase):
    def certificate(self, text, *options, returncode=0):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.toml"
            path.write_text(text, encoding="utf-8")
            command = [PROGRAM, "run", str(path), *options, "--certify", "--json"]
            result = subprocess.run(command, capture_output=True, text=True, timeout=300)
        self.assertEqual(result.returncode, returncode, result.stderr)
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

    def test_long_chains_are_symplectic_to_rounding(self):
        """The figure itself: a level that grows with the chain would hide much larger ones."""
        text = (MODELS / "chain.toml").read_text(encoding="utf-8")
        for method in ("rattle", "lobatto:3", "gauss:2"):
            with self.subTest(method):
                certificate = self.certificate(text, "--method", method, "--end", "1")
                finding = next(each for each in certificate["structures"] if each["structure"] == "symplecticity")
                self.assertEqual(finding["verdict"], "kept", finding)
                self.assertLess(finding["figure"], 1e-13)

    def test_stages_are_solved_to_rounding(self):
        """By functional iterations that change q and p in turn, and of a stiff oscillator whose guess is exact."""
        planets = (MODELS / "outer_solar_system.toml").read_text(encoding="utf-8")
        for text, options in (
            (planets, "--method gauss:2 --step 100 --end 10000"),
            (planets, "--method implicit-midpoint --step 100 --end 10000"),
            (OSCILLATOR, "--method implicit-midpoint --step 10 --end 2000"),
        ):
            with self.subTest(options):
                certificate = self.certificate(text, *options.split())
                findings = {each["structure"]: each for each in certificate["structures"]}
                self.assertLess(findings["symplecticity"]["figure"], 2e-14)
                self.assertLess(findings["reversibility"]["figure"], 2e-13)

    def test_forces_across_the_velocity_do_no_work(self):
        text = HENON_HEILES.replace("[initial]", '[forces]\nx = "0.7*v_y"\ny = "-0.7*v_x"\n[initial]')
        for method in ("rattle", "lobatto:3", "gauss:2", "implicit-midpoint"):
            self.expect(text, f"--method {method} --step 0.02 --end 100", reversibility="kept", symplecticity="not claimed")

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

    def test_impetus_keeps_a_form_of_its_own(self):
        torus = """
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2 + p_y^2 + p_z^2)/2 + z/2"
[constraints]
tube = "(sqrt(x^2 + y^2) - 2)^2 + z^2 = 0.49"
[initial]
x = 2.7
y = 0
z = 0
p_x = 0
p_y = 0.6
p_z = 0.8
"""
        options = "--method gauss:2 --formulation impetus --projection none --step 0.05 --end 120"
        findings, _ = self.expect(torus, options, symplecticity="kept:rounding")
        self.assertIn("dp*", findings["symplecticity"]["claim"])
        self.expect(torus, options + " --impetus-reset 10", symplecticity="not claimed")
        sphere = torus.replace("(sqrt(x^2 + y^2) - 2)^2 + z^2 = 0.49", "x^2 + y^2 + z^2 = 7.29")
        self.expect(sphere, options + " --impetus-reset 10", symplecticity="kept:rounding")

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
            QUARTIC,
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

    def test_beats_break_nothing(self):
        for options in (
            "--method stormer-verlet --step 0.1 --end 100",
            "--method stormer-verlet --step 0.1 --end 150",
            "--method stormer-verlet --step 0.1 --end 200",
            "--method forest-ruth --step 0.2 --end 150",
            "--method blanes-moan4 --step 0.2 --end 150",
        ):
            findings, _ = self.expect(EXCHANGE, options, energy="unknown")
            self.assertIn("shorter than a beat", findings["energy"]["evidence"])
        self.expect(EXCHANGE, "--method stormer-verlet --step 0.1 --end 1000", energy="kept:bounded")
        # At the limit of stability the error is as large as all that is added up.
        self.expect(OSCILLATOR, "--method stormer-verlet --step 2 --end 100", holds=False, energy="broken:quadratic")

    def test_a_planet_that_is_thrown_out(self):
        kepler = (MODELS / "kepler.toml").read_text(encoding="utf-8")
        for options in (
            "--set ecc=0.95 --step 0.05 --end 500",
            "--set ecc=0.9 --step 0.02 --end 200",
            "--set ecc=0.8 --step 0.2 --end 500",
            "--set ecc=0.99 --step 0.01 --method forest-ruth --end 200",
        ):
            _, error = self.expect(kepler, options, ["unknown", "exponential"], holds=False, energy="broken")
            self.assertIn("the solution is lost at t = ", error["evidence"])
        _, error = self.expect(kepler, "--set ecc=0.99 --step 0.01 --end 200", ["unknown"], holds=False, energy="broken")
        lost = float(error["evidence"].split("lost at t = ")[1].split(",")[0])
        self.assertLess(lost, 2 * math.pi)
        self.assertIsNone(error["exponent"])

    def test_errors_are_judged_after_the_first_periods(self):
        kepler = (MODELS / "kepler.toml").read_text(encoding="utf-8")
        self.expect(kepler, "--method dop853 --tolerance 1e-8 --end 200", ["quadratic"])
        self.expect(kepler, "--method dopri5 --step 0.05 --end 63", ["quadratic", "unknown"])
        self.expect(kepler, "--method dopri5 --step 0.05 --end 314", ["quadratic"])
        self.expect(kepler, "--method stormer-verlet --end 63", ["linear", "unknown"])
        self.expect(VAN_DER_POL, "--method rk4 --step 0.05 --end 200", ["linear"])
        for end in ("150", "600"):
            _, error = self.expect(DUFFING, "--step 0.02 --end " + end, ["exponential"])
            self.assertIn("neighbours separate exponentially", error["evidence"])

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

    def test_a_single_step(self):
        self.expect(
            PENDULUM, "--step 0.05 --end 0.05", ["unknown"],
            position="kept", momentum="kept", energy="unknown", symplecticity="kept", reversibility="kept")

    def test_no_step_keeps_nothing(self):
        for options, returncode in ((["--step", "0.05", "--end", "0"], 0), (["--step", "0.9", "--end", "900"], 1)):
            certificate = self.certificate(PENDULUM, *options, returncode=returncode)
            self.assertFalse(certificate["holds"])
            for each in certificate["structures"]:
                self.assertEqual(each["verdict"], "unknown", each)

    def test_other_monitors_go_along(self):
        options = ["--step", "0.05", "--end", "20"]
        alone = self.certificate(DOUBLE_PENDULUM, *options)
        others = self.certificate(DOUBLE_PENDULUM, *options, "--monitor",
                                  "energy,lyapunov,symplectic,condition,multipliers")
        self.assertTrue(others["holds"])
        self.assertEqual(alone["error"], others["error"])
        for one, other in zip(alone["structures"], others["structures"], strict=True):
            self.assertEqual((one["structure"], one["verdict"]), (other["structure"], other["verdict"]))

    def test_data_as_given_are_not_those_of_steps(self):
        options = ["--step", "0.025", "--end", "100", "--initial", "as-given"]
        off = PENDULUM.replace("x = 1\n", "x = 1.02\n")
        verdicts = {each["structure"]: each for each in self.certificate(off, *options)["structures"]}
        for name in ("position", "momentum", "reversibility"):
            self.assertEqual(verdicts[name]["verdict"], "kept", verdicts[name])
            self.assertLess(verdicts[name]["figure"], 1e-14)
        # Where no step returns to them they are those of the start.
        free = self.certificate(off, *options, "--method", "rk4", "--projection", "none")["structures"]
        self.assertGreater(next(each for each in free if each["structure"] == "position")["figure"], 0.04)

    def test_the_error_that_a_threshold_makes_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            fine = pathlib.Path(folder) / "fine.csv"
            options = ["--step", "0.025", "--end", "300"]
            self.certificate(PENDULUM, *options, "--method", "gauss:6", "--out", str(fine))
            for projection in ("momentum", "both"):
                run = [*options, "--method", "rk4", "--projection", projection, "--project-above", "1e-6"]
                estimate = self.certificate(PENDULUM, *run)["error"]["largest"]
                error = self.certificate(PENDULUM, *run, "--reference", str(fine))["error"]["largest"]
                self.assertLess(abs(estimate / error - 1), 0.1, projection)
                exact = self.certificate(PENDULUM, *run[:-2], "--reference", str(fine))["error"]["largest"]
                self.assertGreater(error, 5 * exact)

    def test_what_changes_is_not_kept(self):
        false = OSCILLATOR + '[invariants]\nbad = "x"\ngood = "x^2 + p_x^2"\n'
        options = ["--step", "0.05", "--end", "20", "--method", "rk4", "--project-invariants"]
        for names in ("bad", "good"):
            certificate = self.certificate(false, *options, names)
            verdicts = {each["structure"]: each["verdict"] for each in certificate["structures"]}
            self.assertEqual(verdicts["invariants.bad"], "not claimed")
            self.assertEqual(verdicts["invariants.good"], "kept" if names == "good" else "not claimed")
            # Shorter steps that are returned to what the equations do not keep share that error.
            self.assertEqual(certificate["holds"], names == "good")
            self.assertEqual(certificate["error"]["final"] is None, names == "bad")
            self.assertEqual("no estimate" in certificate["error"]["evidence"], names == "bad")

    def test_nothing_moves(self):
        self.expect(
            PENDULUM.replace("x = 1\ny = 0", "x = 0\ny = -1").replace("p_y = -2", "p_y = 0"),
            "--step 0.1 --end 50", ["rounding"],
            position="kept:rounding", momentum="kept:rounding", energy="kept:rounding", symplecticity="kept",
            reversibility="kept")

    def test_next_to_nothing_moves(self):
        # Impulses cancel in momenta, but their rounding errors do not.
        kept = dict(position="kept:rounding", momentum="kept:rounding")
        at_rest = PENDULUM.replace("p_y = -2", "p_y = 0")
        for method in ("rattle", "lobatto:3", "shake", "hem4", "compose:4(rattle)", "gauss:2", "rk4 --projection both"):
            for x in ("0", "0.003"):
                self.expect(at_rest.replace("x = 1\ny = 0", f"x = {x}\ny = -1"), f"--method {method} --step 0.01 --end 50",
                            **kept)
        chain = (MODELS / "chain.toml").read_text(encoding="utf-8")
        self.expect(chain, "--set N=5 --set x=0 --set y=-i --end 20", **kept)
        self.expect((MODELS / "driven_pendulum.toml").read_text(encoding="utf-8"), "--set A=0.001", **kept)

    def test_small_differences_of_large_numbers(self):
        for speed in ("0.5", "0.03"):
            self.expect(MORSE, f"--method gonzalez --set v={speed} --step 0.05 --end 300", energy="kept:rounding")
        for angle in ("1", "0.1", "1e-3"):
            self.expect(ANGLE, f"--method gonzalez --set a0={angle} --step 0.05 --end 300", energy="kept:rounding")
        # What is not kept is seen all the same.
        self.expect(ANGLE, "--method rk4 --set a0=0.1 --step 0.05 --end 300", energy="not claimed:linear")
        self.expect(LARGE_CIRCLE, "--method rattle --set a=1 --step 0.05 --end 1000", position="kept:rounding",
                    momentum="kept:rounding", energy="kept:bounded", symplecticity="kept:rounding")
        self.expect(LARGE_CIRCLE, "--method rk4 --set a=0.1 --step 0.05 --end 100", position="kept:rounding",
                    momentum="kept:rounding", energy="not claimed")
        for method in ("rattle", "compose:4(rattle)", "gauss:2"):
            self.expect(LARGE_CIRCLE, f"--method {method} --set a=0.1 --step 0.05 --end 100", reversibility="kept")

    def test_explosions_of_forces(self):
        """Forces, and with them the impulses of a step, grow faster than anything else."""
        for step, x in (("1.9", "0.3"), ("1.5", "2")):
            certificate = self.certificate(
                QUARTIC, "--method", "stormer-verlet", "--set", "x=" + x, "--step", step, "--end", "5000", returncode=1)
            finding = next(each for each in certificate["structures"] if each["structure"] == "energy")
            self.assertEqual(finding["verdict"], "broken", finding)

    def test_explosions_are_not_rounding(self):
        # Beyond its limit of stability the method is thrown out within ten steps; the numbers become so large that
        # rounding errors are, too.
        certificate = self.certificate(
            QUARTIC, "--method", "stormer-verlet", "--step", "0.9", "--end", "2000", returncode=1)
        findings = {each["structure"]: each for each in certificate["structures"]}
        self.assertEqual(findings["energy"]["verdict"], "broken", certificate)
        self.assertNotEqual(findings["reversibility"]["verdict"], "broken", certificate)
        self.assertNotEqual(certificate["error"]["trend"], "rounding", certificate)
        self.assertGreater(findings["energy"]["figure"], 1e140)
        self.assertFalse(certificate["holds"])
        # Without projections the pendulum flies away in the end: nobody claims that it does not.
        certificate = self.certificate(
            PENDULUM, "--method", "rk4", "--projection", "none", "--step", "0.05", "--end", "500")
        for each in certificate["structures"]:
            if each["structure"] in ("position", "momentum", "energy"):
                self.assertEqual((each["verdict"], each["trend"]), ("not claimed", "exponential"), each)

    def test_all_scales(self):
        for size in ("1e-12", "1e12"):
            self.expect(
                pendulum_of_size(size), "--method rattle --step 0.05 --end 100", ["linear"],
                position="kept:rounding", momentum="kept:rounding", energy="kept:bounded",
                symplecticity="kept:rounding", reversibility="kept")
            findings, _ = self.expect(
                pendulum_of_size(size), "--method rk4 --step 0.05 --end 100 --project-invariants energy",
                position="kept:rounding", momentum="kept:rounding", energy="kept:rounding", reversibility="not claimed")
            self.assertEqual(findings["invariants.E"]["trend"], "rounding")

    def test_other_precisions(self):
        self.expect(QUARTIC, "--method gonzalez --step 0.1 --end 100 --precision long", ["linear"],
                    energy="kept:rounding", reversibility="kept")

    def test_invariants_by_their_degree(self):
        findings, _ = self.expect(INVARIANTS, "--method gauss:2 --step 0.1 --end 200", ["linear"], energy="kept:bounded")
        for name in ("P", "L", "L3"):
            self.assertEqual(findings["invariants." + name]["trend"], "rounding", findings)
        findings, _ = self.expect(
            INVARIANTS, "--method rk4 --step 0.1 --end 500", ["quadratic"], energy="not claimed:linear")
        self.assertEqual(findings["invariants.P"]["trend"], "rounding", findings)
        for name in ("L", "L3"):
            self.assertEqual(findings["invariants." + name]["trend"], "linear", findings)

    def test_motion_that_is_not_bounded(self):
        self.expect(
            FALL, "--method stormer-verlet --step 0.01 --end 100", ["rounding"],
            energy="kept:rounding", symplecticity="kept:rounding", reversibility="kept")
        findings, _ = self.expect(
            SCATTERING, "--method stormer-verlet --step 0.01 --end 100",
            symplecticity="kept:rounding", reversibility="kept")
        self.assertEqual(findings["invariants.L"]["trend"], "rounding", findings)
        self.assertIn(findings["energy"]["verdict"], ("kept", "unknown"), findings)

    def test_momenta_that_are_small_differences(self):
        # Momenta of 'impetus' grow with the time, and their rounding errors with them.
        self.expect(
            PENDULUM, "--method gauss:2 --formulation impetus --projection none --step 0.1 --end 200", ["linear"],
            momentum="kept", energy="kept:bounded", symplecticity="kept:rounding", reversibility="kept")

    def test_solutions_that_are_lost_late(self):
        self.expect(
            PENDULUM, "--method rk4 --projection position --step 0.03 --end 300", ["cubic"],
            position="kept:rounding", momentum="not claimed:linear", energy="not claimed:quadratic")

    def test_dying_tangents(self):
        self.expect(
            OSCILLATOR.replace("[initial]", 'dissipation = "0.05*v_x^2/2"\n[initial]'),
            "--method implicit-midpoint --step 0.1 --end 300", energy="not claimed", symplecticity="not claimed:decaying",
            reversibility="kept")

    def test_redundant_and_moving_constraints(self):
        self.expect(
            PENDULUM.replace("[initial]", 'again = "sqrt(x^2 + y^2) = 1"\n[initial]'),
            "--method rattle --step 0.05 --end 100", ["linear"],
            position="kept:rounding", momentum="kept:rounding", energy="kept:bounded", symplecticity="kept:rounding",
            reversibility="kept")
        self.expect(
            PENDULUM.replace("x^2 + y^2 = 1", "(x - 0.3*sin(1.3*t))^2 + y^2 = 1"), "--method rattle --step 0.05 --end 50",
            position="kept:rounding", momentum="kept:rounding", energy="not claimed", symplecticity="kept:rounding",
            reversibility="kept")

    def test_errors_of_adaptive_runs_are_about_the_errors(self):
        kepler = (MODELS / "kepler.toml").read_text(encoding="utf-8")
        for options in (
            ("--method", "rattle", "--tolerance", "1e-6", "--end", "150"),
            ("--method", "dop853", "--tolerance", "1e-9", "--end", "300"),
        ):
            estimated = self.certificate(kepler, *options)["error"]["largest"]
            actual = self.certificate(kepler, *options, "--reference", "exact")["error"]["largest"]
            self.assertAlmostEqual(estimated / actual, 1, delta=0.15, msg=options)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    MODELS = pathlib.Path(sys.argv.pop(1))
    unittest.main()
