#!/usr/bin/env python3
"""Published experiments, in numbers: usage reproduction_test.py PROGRAM MODELS_FOLDER [unittest options].

Seiler, Stable Underlying Equations for Constrained Hamiltonian Systems, section 8; Leimkuhler and Reich, The Numerical
Solution of Constrained Hamiltonian Systems, sections 3 and 4. See docs/reproductions.md.
"""

import json
import math
import subprocess
import sys
import unittest

PROGRAM = ""


def run(*options):
    command = [PROGRAM, "run", "pendulum", "--set", "p_y=-2", *options, "--json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if not result.stdout:
        raise RuntimeError(result.stderr)
    return json.loads(result.stdout)


class Seiler(unittest.TestCase):
    """rk4 on the standard equations, h = 0.025, until t = 1023; g = (x^2 + y^2 - 1)/2."""

    @classmethod
    def setUpClass(cls):
        def experiment(*projection):
            options = "--method rk4 --formulation standard --step 0.025 --end 1023 --growth --periodogram x --sample 1"
            return run(*options.split(), "--reference", "finer:10", "--projection", *projection)

        cls.without = experiment("none")
        cls.position = experiment("position", "--project-above", "1e-6")
        cls.momentum = experiment("momentum", "--project-above", "1e-6")
        cls.tighter = experiment("momentum", "--project-above", "1e-8")

    def exponents(self, summary, **expected):
        for name, power in expected.items():
            growth = summary["growth"][name]
            self.assertAlmostEqual(growth["exponent"], power, delta=0.25, msg=f"{name}: {growth}")

    def test_growth_without_projections(self):
        self.exponents(self.without, error=3, energy=2, position=2, momentum=1)

    def test_growth_with_position_projections(self):
        self.exponents(self.position, error=3, energy=2, momentum=1)

    def test_growth_with_momentum_projections(self):
        self.exponents(self.momentum, error=2, energy=1, position=1)

    def test_number_of_projections(self):
        self.assertEqual(self.momentum["counts"]["projections"], 155)
        self.assertGreater(self.position["counts"]["projections"], 0.8 * self.position["steps"])
        every = self.tighter["steps"] / self.tighter["counts"]["projections"]
        self.assertGreater(every, 1)
        self.assertLess(every, 6)

    def test_errors_with_momentum_projections(self):
        self.assertGreater(self.without["max"]["position"], 100 * self.momentum["max"]["position"])
        self.assertLess(self.momentum["max"]["position"], 1e-3)
        self.assertLess(self.tighter["max"]["energy"], 5e-5)
        self.assertLess(self.tighter["max"]["position"], 2e-5)
        self.assertAlmostEqual(self.position["max"]["energy"] / self.without["max"]["energy"], 1, delta=0.2)

    def test_line_of_the_periodogram(self):
        line = self.momentum["periodogram"]["x"]["peaks"][0]
        self.assertAlmostEqual(line["frequency"], 0.302, delta=0.0005)
        # The paper has frequencies k/1024 only, of which none is at the top of the line.
        off = 1024 * line["frequency"] - round(1024 * line["frequency"])
        self.assertAlmostEqual(line["power"] * (math.sin(math.pi * off) / (math.pi * off)) ** 2, 0.39, delta=0.01)
        smeared = self.without["periodogram"]["x"]["peaks"][0]
        self.assertLess(smeared["power"], 0.06)
        self.assertGreater(smeared["frequency"], 0.27)
        self.assertLess(smeared["frequency"], 0.38)


class LeimkuhlerReich(unittest.TestCase):
    """The implicit midpoint rule on formulations, from (1, 0, 0, -2)."""

    def experiment(self, end, formulation, *projection):
        options = f"--method implicit-midpoint --metric euclidean --step 0.01 --end {end} --formulation {formulation}"
        return run(*options.split(), "--monitor", "energy,position,momentum,wedge", "--projection", *projection)["max"]

    def test_dirac_keeps_the_wedge_product(self):  # figure 3.1
        largest = self.experiment(10, "dirac", "none")
        self.assertLess(largest["wedge"], 1e-13)
        self.assertGreater(largest["position"], 1e-6)
        self.assertLess(largest["position"], 1e-3)

    def test_total_keeps_it_but_is_unstable(self):  # figure 3.2
        largest = self.experiment(1, "total", "none")
        self.assertLess(largest["wedge"], 1e-13)
        self.assertGreater(self.experiment(2, "total", "none")["position"], 10 * largest["position"])

    def test_standard_does_not_keep_it(self):  # figure 4.1
        largest = self.experiment(10, "standard", "none")
        self.assertGreater(largest["wedge"], 1e-4)
        self.assertLess(largest["position"], 1e-3)

    def test_weakly_hamiltonian_form(self):  # figure 4.2: with solves to rounding g and psi are kept
        largest = self.experiment(10, "dirac-weak", "none")
        self.assertLess(largest["position"], 1e-14)
        self.assertGreater(largest["wedge"], 1e-6)
        self.assertLess(largest["wedge"], 1e-4)

    def test_endpoint_projection(self):  # figure 4.3
        largest = self.experiment(10, "dirac", "joint")
        self.assertLess(largest["position"], 1e-14)
        self.assertLess(largest["momentum"], 1e-14)
        self.assertGreater(largest["wedge"], 1e-5)

    def test_midpoint_projection(self):  # figure 4.4
        largest = self.experiment(10, "dirac", "stage")
        self.assertGreater(largest["position"], 2 * self.experiment(10, "dirac", "none")["position"])
        self.assertGreater(largest["wedge"], 1e-4)

    def test_infrequent_projection(self):  # figure 4.5
        largest = self.experiment(10, "dirac-weak", "joint", "--project-every", "20")
        self.assertLess(largest["position"], 1e-14)
        self.assertGreater(largest["wedge"], 1e-6)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    sys.argv.pop(1)
    unittest.main()
