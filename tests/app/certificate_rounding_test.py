#!/usr/bin/env python3
"""What certificates take for rounding errors, and what they do not: usage certificate_rounding_test.py PROGRAM MODELS_FOLDER [unittest options]."""

from certificates import OSCILLATOR, PENDULUM, QUARTIC, CertificateTest
from model_texts import FREE
from program import MODELS, main

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


class RoundingInCertificates(CertificateTest):
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

    def test_nothing_moves(self):
        self.expect(
            PENDULUM.replace("x = 1\ny = 0", "x = 0\ny = -1").replace("p_y = -2", "p_y = 0"),
            "--step 0.1 --end 50",
            position="kept", momentum="kept", energy="kept", symplecticity="kept",
            reversibility="kept")

    def test_next_to_nothing_moves(self):
        # Impulses cancel in momenta, but their rounding errors do not.
        kept = dict(position="kept", momentum="kept")
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
            self.expect(MORSE, f"--method gonzalez --set v={speed} --step 0.05 --end 300", energy="kept")
        for angle in ("1", "0.1", "1e-3"):
            self.expect(ANGLE, f"--method gonzalez --set a0={angle} --step 0.05 --end 300", energy="kept",
                        reversibility="kept")
        # What is not kept is seen all the same.
        self.expect(ANGLE, "--method rk4 --set a0=0.1 --step 0.05 --end 300", energy="unclaimed broken")
        self.expect(LARGE_CIRCLE, "--method rattle --set a=1 --step 0.05 --end 1000", position="kept",
                    momentum="kept", energy="kept|undecided", symplecticity="kept")
        self.expect(LARGE_CIRCLE, "--method rk4 --set a=0.1 --step 0.05 --end 100", position="kept",
                    momentum="kept", energy="unclaimed")
        for method in ("rattle", "compose:4(rattle)", "gauss:2", "lobatto:3"):
            self.expect(LARGE_CIRCLE, f"--method {method} --set a=0.1 --step 0.05 --end 100", reversibility="kept")

    def test_discrete_gradients_near_rest(self):
        """Constraint forces balance the others: there is next to no motion to divide by."""
        hanging = """
[parameters]
a = 0.01
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = "sin(a)"
y = "-cos(a)"
p_x = 0
p_y = 0
"""
        for options in ("--step 0.05", "--step 0.2 --set a=3e-3"):
            self.expect(hanging, f"--method gonzalez {options} --end 100", energy="kept", reversibility="kept")

    def test_units_of_momenta(self):
        """Discrete gradients measure by numbers, whatever they are numbers of."""
        heavy = FREE.replace("p_x^2/2 + x^2/2", "p_x^2/10000 + 5000*(0.6*x^2/2 + 0.4*x^4/4)")
        self.assertNotEqual(heavy, FREE)
        self.expect(heavy, "--method gonzalez --step 0.03 --end 400", energy="kept", reversibility="kept")

    def test_long_runs_of_a_shear(self):
        """Where a tangent vector changes by the same number again and again its rounding errors have one sign."""
        shear = FREE.replace("+ x^2/2", "+ abs(x)")
        self.assertNotEqual(shear, FREE)
        self.expect(shear, "--step 0.037 --end 40000", symplecticity="kept", reversibility="kept")

    def test_the_limit_of_stability(self):
        findings, _ = self.expect(FREE, "--method stormer-verlet --step 2 --end 2000", energy="undecided|broken",
                                  symplecticity="kept", holds=None)
        self.assertGreater(findings["energy"]["figure"], 1e3)

    def test_leaving_a_point_of_rest_is_no_explosion(self):
        well = FREE.replace("+ x^2/2", "- x^2/2 + x^4/4").replace("x = 1", "x = 0.01")
        self.assertNotEqual(well, FREE)
        for end in (20, 30):
            verdict = self.certificate(well, *f"--method stormer-verlet --step 0.7 --end {end}".split())
            energy = [each for each in verdict["structures"] if each["structure"] == "energy"][0]
            self.assertIn(energy["verdict"], ("kept", "undecided"), energy)

    def test_explosions_are_not_rounding(self):
        """Beyond its limit of stability the method is thrown out within ten steps; the numbers become so large that
        rounding errors are, too."""
        for step, x in (("0.9", "1"), ("1.9", "0.3"), ("1.5", "2")):
            certificate = self.certificate(
                QUARTIC, "--method", "stormer-verlet", "--set", "x=" + x, "--step", step, "--end", "5000", returncode=1)
            findings = {each["structure"]: each for each in certificate["structures"]}
            self.assertNotEqual(findings["energy"]["verdict"], "kept", certificate)
            for name in ("symplecticity", "reversibility"):
                self.assertNotEqual(findings[name]["verdict"], "broken", certificate)
            self.assertGreater(findings["energy"]["figure"], 1e100)
            self.assertFalse(certificate["complete"])
        # Without projections the pendulum flies away in the end: nobody claims that it does not, but it is no motion.
        self.expect(PENDULUM, "--method rk4 --projection none --step 0.05 --end 500", holds=False,
                    position="unclaimed broken", momentum="unclaimed broken", energy="unclaimed")

    def test_all_scales(self):
        for size in ("1e-12", "1e12"):
            self.expect(
                pendulum_of_size(size), "--method rattle --step 0.05 --end 100",
                position="kept", momentum="kept", energy="kept",
                symplecticity="kept", reversibility="kept")
            findings, _ = self.expect(
                pendulum_of_size(size), "--method rk4 --step 0.05 --end 100 --project-invariants energy",
                position="kept", momentum="kept", energy="kept", reversibility="unclaimed")
            self.assertEqual(findings["invariants.E"]["verdict"], "kept")

    def test_other_precisions(self):
        self.expect(QUARTIC, "--method gonzalez --step 0.1 --end 100 --precision long",
                    energy="kept", reversibility="kept")

    def test_invariants_by_their_degree(self):
        findings, _ = self.expect(INVARIANTS, "--method gauss:2 --step 0.1 --end 200", energy="kept")
        for name in ("P", "L", "L3"):
            self.assertEqual(findings["invariants." + name]["verdict"], "kept", findings)
        findings, _ = self.expect(
            INVARIANTS, "--method rk4 --step 0.1 --end 500", energy="unclaimed broken")
        self.assertEqual(findings["invariants.P"]["verdict"], "kept", findings)
        for name in ("L", "L3"):
            self.assertEqual(findings["invariants." + name]["verdict"], "broken", findings)

    def test_momenta_that_are_small_differences(self):
        # Momenta of 'impetus' grow with the time, and their rounding errors with them.
        self.expect(
            PENDULUM, "--method gauss:2 --formulation impetus --projection none --step 0.1 --end 200",
            momentum="kept", energy="kept", symplecticity="kept", reversibility="kept")

    def test_dying_tangents(self):
        self.expect(
            OSCILLATOR.replace("[initial]", 'dissipation = "0.05*v_x^2/2"\n[initial]'),
            "--method implicit-midpoint --step 0.1 --end 300", energy="unclaimed", symplecticity="unclaimed broken",
            reversibility="kept")


if __name__ == "__main__":
    main()
