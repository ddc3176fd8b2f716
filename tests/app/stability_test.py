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
        self.assertIn("changes with the time", self.refused("analyze", "driven_pendulum", "--equilibrium"))
        self.assertIn("full matrices", self.refused("analyze", "chain", "--set", "N=1000", "--stability"))
        self.assertIn("no momentum is conserved", self.refused("analyze", "pendulum", "--relative-equilibrium"))

    def test_equations_are_written_for_papers(self):
        equations = self.analysis("pendulum")["equations"]
        self.assertIn("standard", equations)
        self.assertIn("\\begin{align*}", self.call("analyze", "pendulum", "--latex").stdout)
        self.assertIn("coordinates", self.analysis("chain", "--set", "N=20")["equations"]["summary"])


if __name__ == "__main__":
    main()
