#!/usr/bin/env python3
"""cotangent analyze --stability and its like: usage stability_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import json
import math
import sys

sys.dont_write_bytecode = True  # beside the sources
from program import ProgramTest, main  # noqa: E402


class StabilityTest(ProgramTest):
    def analysis(self, *arguments, status=0):
        result = self.call("analyze", *arguments, "--json")
        self.assertEqual(result.returncode, status, result.stderr)
        return json.loads(result.stdout)

    def test_a_closed_orbit_has_multipliers(self):
        found = self.analysis("pendulum", "--stability", "--end", 10)["stability"]
        self.assertTrue(found["orbit"]["closed"])
        self.assertAlmostEqual(found["orbit"]["duration"], 3.3132763, 6)
        parts = {part["formulation"]: part for part in found["formulations"]}
        self.assertEqual(parts["standard"]["fate"]["kind"], "power")
        self.assertEqual(parts["total"]["fate"]["kind"], "exponential")
        self.assertEqual(parts["dirac-weak"]["fate"]["kind"], "bounded")
        self.assertEqual(parts["baumgarte"]["fate"]["kind"], "decay")
        self.assertIn("refusal", parts["linear-hamiltonian"])
        text = self.call("analyze", "pendulum", "--stability", "--end", 10).stdout
        for words in ("closed orbit with the period 3.3132", "grow as t^1", "which decide nothing"):
            self.assertIn(words, text)

    def test_one_formulation_with_its_options(self):
        found = self.analysis("pendulum", "--stability", "--formulation", "baumgarte", "--baumgarte", "2,2", "--end", 5)
        [part] = found["stability"]["formulations"]
        self.assertAlmostEqual(part["fate"]["rate"], -2, 6)

    def test_an_equilibrium_has_modes(self):
        found = self.analysis("double_pendulum", "--equilibrium")["equilibrium"]
        self.assertEqual((found["stability"], found["mode_count"]), ("stable", 2))
        self.assertAlmostEqual(found["modes"][0]["omega"], math.sqrt(2 - math.sqrt(2)), 9)
        self.assertAlmostEqual(found["state"]["y2"], -2, 9)
        self.assertAlmostEqual(found["modes"][0]["shape"]["x1"], math.sqrt(2) - 1, 6)
        both = self.analysis("pendulum", "--equilibrium", "--stability", "--end", 5)
        self.assertEqual(set(both), {"model", "equilibrium", "stability"})

    def test_a_long_chain_has_modes(self):
        found = self.analysis("chain", "--set", "N=500", "--equilibrium", "--modes", 3)["equilibrium"]
        self.assertEqual(len(found["modes"]), 3)
        # The smallest root of Laguerre's polynomial, to first order.
        self.assertAlmostEqual(found["modes"][0]["omega"] ** 2 * 500.5 / (2.404825557695773 / 2) ** 2, 1, 4)

    def test_a_conical_pendulum_is_a_relative_equilibrium(self):
        found = self.analysis("spherical_pendulum", "--relative-equilibrium")["relative_equilibrium"]
        rate = found["rates"]["angular momentum about z"]
        self.assertAlmostEqual(rate**2 * -found["state"]["z"], 1, 9)  # w^2 = g/h

    def test_what_has_no_equilibrium_is_said(self):
        found = self.analysis("kepler", "--equilibrium", status=1)
        self.assertIn("no equilibrium was found", found["equilibrium"]["failure"])
        self.assertIn("error: no equilibrium was found", self.call("analyze", "kepler", "--equilibrium").stderr)
        self.assertIn("changes with the time", self.refused("analyze", "driven_pendulum", "--equilibrium"))
        self.assertIn("full matrices", self.refused("analyze", "chain", "--set", "N=1000", "--stability"))
        self.assertIn("no momentum is conserved", self.refused("analyze", "pendulum", "--relative-equilibrium"))

    # Of the pendulum off the constraint, with phi = g and mu = (p'p - y)/q'q: (42)-(44) and (50) of [seiler99].
    def test_equations_are_written_for_papers(self):
        equations = self.analysis("pendulum")["equations"]
        x, y, p_x, p_y = 0.6, -0.7, 1.2, 0.9

        def values(section, **more):
            found = {"x": x, "y": y, "p_x": p_x, "p_y": p_y, "m": 1, "l": 1, "g": 1, **more}
            for equation in equations[section]["equations"]:
                found[equation["left"]] = eval(equation["right"].replace("^", "**"), {}, found)
            return found

        def expect(found, expected):
            for name, value in zip(("x'", "y'", "p_x'", "p_y'"), expected):
                self.assertAlmostEqual(found[name], value, 12, name)

        q2 = x**2 + y**2
        phi, psi, mu = (q2 - 1) / 2, x * p_x + y * p_y, (p_x**2 + p_y**2 - y) / q2
        expect(values("standard", lambda_rod=values("multipliers")["lambda_rod"]), (p_x, p_y, -mu * x, -mu * y - 1))
        expect(values("total"), (p_x + 2 * p_x / q2 * phi, p_y + 2 * p_y / q2 * phi,
                                 -mu * x + 2 * x * mu / q2 * phi, -mu * y - 1 + (2 * y * mu + 1) / q2 * phi))
        expect(values("dirac-weak"), (p_x - x / q2 * psi, p_y - y / q2 * psi,
                                      -mu * x + p_x / q2 * psi, -mu * y - 1 + p_y / q2 * psi))
        found = values("impetus", pi_x=p_x, pi_y=p_y)
        striction = psi / q2
        self.assertAlmostEqual(found["x'"], p_x - striction * x, 12)
        self.assertAlmostEqual(found["pi_y'"], striction * (p_y - striction * y) - 1, 12)
        self.assertIn("\\begin{align*}", self.call("analyze", "pendulum", "--latex").stdout)
        self.assertIn("coordinates", self.analysis("chain", "--set", "N=20")["equations"]["summary"])


if __name__ == "__main__":
    main()
