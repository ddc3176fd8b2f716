#!/usr/bin/env python3
"""Certificates of runs whose verdicts are known: usage certificate_test.py PROGRAM MODELS_FOLDER [unittest options]."""

from certificates import HENON_HEILES, OSCILLATOR, PENDULUM, QUARTIC, CertificateTest
from program import MODELS, main

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


class Certificates(CertificateTest):
    def test_forces_across_the_velocity_do_no_work(self):
        text = HENON_HEILES.replace("[initial]", '[forces]\nx = "0.7*v_y"\ny = "-0.7*v_x"\n[initial]')
        for method in ("rattle", "lobatto:3", "gauss:2", "implicit-midpoint"):
            self.expect(text, f"--method {method} --step 0.02 --end 100", reversibility="kept", symplecticity="unclaimed")

    def test_symplectic_runs(self):
        everything = {
            "position": "kept",
            "momentum": "kept",
            "energy": "kept",
            "symplecticity": "kept",
            "reversibility": "kept",
        }
        for options in (
            "--method rattle --step 0.02 --end 200",
            "--method rattle --step 0.1 --end 2000",
            "--method lobatto:3 --step 0.1 --end 300",
            "--method compose:4(rattle) --step 0.1 --end 300",
        ):
            # Once the phase is lost the error grows no more.
            self.expect(PENDULUM, options, **everything)
        self.expect(DOUBLE_PENDULUM, "--method rattle --step 0.01 --end 200", **everything)

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
        findings, _ = self.expect(torus, options, symplecticity="kept")
        self.assertIn("dp*", findings["symplecticity"]["claim"])
        self.expect(torus, options + " --impetus-reset 10", symplecticity="unclaimed")
        sphere = torus.replace("(sqrt(x^2 + y^2) - 2)^2 + z^2 = 0.49", "x^2 + y^2 + z^2 = 7.29")
        self.expect(sphere, options + " --impetus-reset 10", symplecticity="kept")

    def test_energy_that_is_kept_exactly(self):
        self.expect(
            HENON_HEILES,
            "--method gonzalez --step 0.05 --end 300",
            energy="kept",
            symplecticity="unclaimed",
            reversibility="kept",
        )
        self.expect(
            HENON_HEILES,
            "--method rk4 --step 0.05 --end 300 --project-invariants energy",
            energy="kept",
            reversibility="unclaimed",
        )

    def test_reversible_runs_that_are_not_symplectic(self):
        self.expect(
            PENDULUM,
            "--method symmetric(gauss:2) --step 0.1 --end 500",
            position="kept",
            energy="unclaimed kept",
            symplecticity="unclaimed",
            reversibility="kept",
        )
        self.expect(
            QUARTIC,
            "--method lobatto-iiia:3 --step 0.1 --end 1000",
            energy="unclaimed kept",
            symplecticity="unclaimed",
            reversibility="kept",
        )

    def test_drifting_runs(self):
        for options in ("--step 0.05 --end 200", "--step 0.02 --end 500"):
            self.expect(
                PENDULUM,
                "--method rk4 " + options,
                position="kept",
                energy="unclaimed broken",
                symplecticity="unclaimed broken",
                reversibility="unclaimed",
            )
        self.expect(OSCILLATOR, "--method radau-iia:2 --step 0.1 --end 300", energy="unclaimed broken")
        # In the end there is more than twice as much energy as at the start.
        self.expect(OSCILLATOR, "--method euler --step 0.01 --end 50", energy="unclaimed broken|undecided")
        self.expect(OSCILLATOR, "--method euler --step 0.01 --end 100", holds=False, energy="unclaimed broken|undecided")

    def test_constraints_that_nobody_keeps(self):
        findings, _ = self.expect(
            PENDULUM,
            "--method rk4 --projection none --step 0.05 --end 300",
            position="unclaimed broken",
            momentum="unclaimed broken",
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
            energy="unclaimed",
            symplecticity="unclaimed",
            reversibility="kept",
        )

    def test_resonant_runs(self):
        # Just below its limit of stability the scheme of Verlet is bounded, with a large error.
        self.expect(OSCILLATOR, "--method stormer-verlet --step 1.99 --end 2000", holds=False, energy="kept")
        # Beyond it the map still is symplectic, and the energy explodes: nothing that a line could be fitted to.
        findings, _ = self.expect(OSCILLATOR, "--method stormer-verlet --step 2.01 --end 100", holds=False,
                                  energy="undecided", symplecticity="kept")
        self.assertGreater(findings["energy"]["figure"], 1e3)

    def test_beats_break_nothing(self):
        for options in (
            "--method stormer-verlet --step 0.1 --end 100",
            "--method stormer-verlet --step 0.1 --end 150",
            "--method stormer-verlet --step 0.1 --end 200",
            "--method forest-ruth --step 0.2 --end 150",
            "--method blanes-moan4 --step 0.2 --end 150",
        ):
            self.expect(EXCHANGE, options, energy="undecided|kept")
        self.expect(EXCHANGE, "--method stormer-verlet --step 0.1 --end 10000", energy="kept")

    def test_adaptive_runs(self):
        kepler = (MODELS / "kepler.toml").read_text(encoding="utf-8")
        self.expect(
            kepler,
            "--method rattle --tolerance 1e-5 --end 300",
            energy="unclaimed kept",
            symplecticity="unclaimed kept",
            reversibility="kept",
        )
        self.expect(
            kepler, "--method dopri5 --tolerance 1e-6 --end 300", energy="unclaimed broken", reversibility="unclaimed"
        )

    def test_a_short_run_is_not_judged(self):
        certificate = self.certificate(PENDULUM, "--step", "0.01", "--end", "0.03")
        energy = next(each for each in certificate["structures"] if each["structure"] == "energy")
        self.assertEqual(energy["verdict"], "undecided")
        self.assertFalse(certificate["complete"])

    def test_a_single_step(self):
        self.expect(
            PENDULUM, "--step 0.05 --end 0.05",
            position="kept", momentum="kept", energy="undecided", symplecticity="kept", reversibility="kept")

    def test_no_step_decides_nothing(self):
        for options, returncode in ((["--step", "0.05", "--end", "0"], 0), (["--step", "0.9", "--end", "900"], 1)):
            certificate = self.certificate(PENDULUM, *options, returncode=returncode)
            self.assertFalse(certificate["complete"])
            for each in certificate["structures"]:
                self.assertEqual(each["verdict"], "undecided", each)

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

    def test_motion_that_is_not_bounded(self):
        self.expect(
            FALL, "--method stormer-verlet --step 0.01 --end 100",
            energy="kept", symplecticity="kept", reversibility="kept")
        findings, _ = self.expect(
            SCATTERING, "--method stormer-verlet --step 0.01 --end 100",
            symplecticity="kept", reversibility="kept")
        self.assertEqual(findings["invariants.L"]["verdict"], "kept", findings)
        self.assertIn(findings["energy"]["verdict"], ("kept", "undecided"), findings)

    def test_redundant_and_moving_constraints(self):
        self.expect(
            PENDULUM.replace("[initial]", 'again = "sqrt(x^2 + y^2) = 1"\n[initial]'),
            "--method rattle --step 0.05 --end 100",
            position="kept", momentum="kept", energy="kept", symplecticity="kept",
            reversibility="kept")
        self.expect(
            PENDULUM.replace("x^2 + y^2 = 1", "(x - 0.3*sin(1.3*t))^2 + y^2 = 1"), "--method rattle --step 0.05 --end 50",
            position="kept", momentum="kept", energy="unclaimed", symplecticity="kept",
            reversibility="kept")


if __name__ == "__main__":
    main()
