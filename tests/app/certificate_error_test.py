#!/usr/bin/env python3
"""Errors of solutions as certificates estimate and judge them: usage certificate_error_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import math

from certificates import HENON_HEILES, OSCILLATOR, PENDULUM, CertificateTest
from program import MODELS, main

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


class ErrorsInCertificates(CertificateTest):
    def test_solutions_that_are_lost(self):
        """A planet that is thrown out, and chaotic motions: what two runs are apart in the end is no estimate."""
        kepler = (MODELS / "kepler.toml").read_text(encoding="utf-8")
        for text, options in (
            (kepler, "--set ecc=0.95 --step 0.05 --end 500"),
            (kepler, "--set ecc=0.99 --step 0.01 --end 200"),
            (kepler, "--set ecc=0.99 --step 0.01 --method forest-ruth --end 200"),
            (DUFFING, "--step 0.02 --end 600"),
            (HENON_HEILES, "--method stormer-verlet --step 0.05 --end 1000"),
        ):
            _, error = self.expect(text, options, holds=None)
            self.assertIn("the solution is lost", error["evidence"])
            self.assertLess(error["lost_at"], 500)
            self.assertIsNone(error["final"])
            self.assertIsNotNone(error["largest"])
        # The exact solution tells the error all the same.
        _, error = self.expect(kepler, "--set ecc=0.99 --step 0.01 --end 200 --reference exact", holds=None)
        self.assertGreater(error["final"], 0.1)

    def test_growth_is_fitted_where_it_is_asked_for(self):
        options = ["--method", "rk4", "--step", "0.05", "--end", "200", "--certify"]
        alone = self.summary(self.model(VAN_DER_POL), *options)
        self.assertNotIn("growth", alone)
        self.assertNotIn("exponent", alone["certificate"]["error"])
        growth = self.summary(self.model(VAN_DER_POL), *options, "--growth")["growth"]["error"]
        self.assertLess(abs(growth["exponent"] - 1), 2 * growth["uncertainty"])

    def test_chaotic_runs(self):
        for options in (
            "--method stormer-verlet --step 0.05 --end 1000",
            "--method gauss:2 --step 0.1 --end 1000",
        ):
            self.expect(
                HENON_HEILES,
                options,
                energy="kept|undecided",
                symplecticity="kept",
                reversibility="kept",
            )
        self.expect(
            HENON_HEILES,
            "--method rk4 --step 0.05 --end 1000",
            energy="unclaimed broken",
            symplecticity="unclaimed",
        )

    def test_estimated_error_is_about_the_error(self):
        for method, step in (("stormer-verlet", "0.01"), ("rk4", "0.1"), ("gauss:2", "0.1")):
            certificate = self.certificate(OSCILLATOR, "--method", method, "--step", step, "--end", "100")
            state = self.summary(self.model(OSCILLATOR), "--method", method, "--step", step, "--end", 100)["state"]
            error = max(abs(state["x"] - math.cos(100)), abs(state["p_x"] + math.sin(100)))
            self.assertAlmostEqual(certificate["error"]["final"] / error, 1, delta=0.1)

    def test_forces_that_look_alike_to_equal_steps_are_seen(self):
        forced = OSCILLATOR.replace("+ x^2", "+ 2*x*cos(40*pi*t)")
        error = self.certificate(forced, "--method", "rattle", "--step", "0.1", "--end", "10")["error"]
        self.assertGreater(error["largest"], 10)

    def test_errors_of_each_kind_stand_apart(self):
        """A unit of mass that makes momenta large changes no relative error, and not that of the coordinates."""
        errors = []
        for mass in ("1", "1e6"):
            heavy = (
                f'[parameters]\nm = {mass}\n[system]\ncoordinates = ["x"]\n'
                'hamiltonian = "p_x^2/(2*m) + m*x^2/2"\n[initial]\nx = 1\np_x = 0\n'
            )
            options = ["--method", "rk4", "--step", "0.1", "--end", "100", "--certify"]
            summary = self.summary(self.model(heavy), *options)
            errors.append(summary["certificate"]["error"])
            self.assertEqual(summary["max"]["error"], max(summary["max"]["errors"].values()))
            table = self.call("run", self.model(heavy), *options).stdout
            for words in ("error of coordinates", "error of momenta", "relative to the size of the motion"):
                self.assertIn(words, table)
        light, heavy = errors
        for member in ("final", "largest"):
            self.assertAlmostEqual(heavy["q"][member] / light["q"][member], 1, delta=1e-6)
            self.assertAlmostEqual(heavy["p"][member] / light["p"][member], 1e6, delta=1)
            self.assertAlmostEqual(heavy["relative"][member] / light["relative"][member], 1, delta=1e-6)
            self.assertAlmostEqual(light["relative"][member], max(light[part][member] / light[part]["size"] for part in "qp"))
        self.assertAlmostEqual(heavy["p"]["size"], 1e6, delta=1e4)
        self.assertNotIn("s", light)

    def test_the_error_that_a_threshold_makes_is_seen(self):
        options = ["--step", "0.025", "--end", "300"]
        self.certificate(PENDULUM, *options, "--method", "gauss:6", "--out", "fine.csv")
        for projection in ("momentum", "both"):
            run = [*options, "--method", "rk4", "--projection", projection, "--project-above", "1e-6"]
            estimate = self.certificate(PENDULUM, *run)["error"]["largest"]
            error = self.certificate(PENDULUM, *run, "--reference", "fine.csv")["error"]["largest"]
            self.assertLess(abs(estimate / error - 1), 0.1, projection)
            exact = self.certificate(PENDULUM, *run[:-2], "--reference", "fine.csv")["error"]["largest"]
            self.assertGreater(error, 5 * exact)

    def test_what_changes_is_not_kept(self):
        false = OSCILLATOR + '[invariants]\nbad = "x"\ngood = "x^2 + p_x^2"\n'
        options = ["--step", "0.05", "--end", "20", "--method", "rk4", "--project-invariants"]
        for names in ("bad", "good"):
            certificate = self.certificate(false, *options, names)
            findings = {each["structure"]: (each["claimed"], each["verdict"]) for each in certificate["structures"]}
            self.assertEqual(findings["invariants.bad"], (names == "bad", "broken"))
            self.assertEqual(findings["invariants.good"][0], names == "good")
            if names == "good":
                self.assertEqual(findings["invariants.good"][1], "kept")
            # Shorter steps that are returned to what the equations do not keep share that error.
            self.assertEqual(certificate["holds"], names == "good")
            self.assertEqual(certificate["error"]["final"] is None, names == "bad")
            self.assertEqual("no estimate" in certificate["error"]["evidence"], names == "bad")

    def test_energy_that_is_lost_ever_faster(self):
        """Quadratic in time: no line, but a drift that is printed."""
        findings, _ = self.expect(
            PENDULUM, "--method rk4 --projection position --step 0.03 --end 300",
            position="kept", momentum="unclaimed broken", energy="unclaimed broken|undecided")
        self.assertIn("drift", findings["energy"]["evidence"])
        self.assertGreater(abs(findings["energy"]["drift"]), 3 * findings["energy"]["drift_error"])

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
    main()
