#!/usr/bin/env python3
"""cotangent list, names of methods: usage list_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import json
import sys

sys.dont_write_bytecode = True  # beside the sources
from program import ProgramTest, main  # noqa: E402


class ListTest(ProgramTest):
    def test_lists(self):
        for what, word in (("methods", "rattle"), ("formulations", "direct"), ("projections", "both"),
                           ("monitors", "energy"), ("models", "pendulum")):
            self.assertIn(word, self.call("list", what).stdout)
            entries = json.loads(self.call("list", what, "--json").stdout)
            self.assertIn(word, [entry["name"] for entry in entries])

    def test_lists_fit_into_a_terminal_and_have_sheets(self):
        for what, name, fact in (("methods", "rattle", "order"), ("formulations", "dirac", "off the manifold")):
            overview = self.call("list", what).stdout
            entries = json.loads(self.call("list", what, "--json").stdout)
            for name_of_line in {entry.get("family", entry["name"]) for entry in entries}:
                self.assertEqual(overview.count(f"\n  {name_of_line} "), 1)
            sheet = self.call("list", what, name).stdout
            self.assertTrue(sheet.startswith(name + "\n"), sheet)
            self.assertIn(f"\n  {fact} ", sheet)
            for line in overview.splitlines() + sheet.splitlines():
                self.assertLessEqual(len(line), 100, line)
            self.assertEqual(json.loads(self.call("list", what, name, "--json").stdout),
                             [entry for entry in entries if entry["name"] == name])
        self.assertIn("did you mean 'rattle'?", self.refused("list", "methods", "ratle"))
        # Methods need not be listed one by one to have a sheet.
        for name, order in (("gauss:5", 10), ("compose:6(gauss:2)", 6), ("verlet", 2)):
            sheet = json.loads(self.call("list", "methods", name, "--json").stdout)[0]
            self.assertEqual(sheet["order"], order)
            self.assertIn("keeps_quadratic", sheet)
            self.assertIn("keeps_energy", sheet)

    def test_names_of_methods(self):
        for given, meant in (("RK4", "rk4"), ("radau5", "radau-iia:3"), ("ode45", "dopri5"),
                             ("compose:4( rattle )", "compose:4(rattle)"), ("symmetric(Gauss-Legendre:2)", "symmetric(gauss:2)")):
            self.assertEqual(self.summary("pendulum", "--method", given, "--end", 0.1)["method"], meant)
        self.assertEqual(self.summary("kepler", "--method", "leapfrog", "--end", 0.1)["method"], "stormer-verlet:kick")
        for given, column in (("compose:4(rattle", 10), ("rattle)", 7), ("compose:4(rattle))", 18), ("gauss:", 6)):
            self.assertIn(f"--method:1:{column}: error", self.refused("run", "pendulum", "--method", given))
        for given, instead in (("midpoint", "implicit-midpoint"), ("symmetric(symmetric(gauss:2))", "as it is"),
                               ("reich(symmetric(gauss:2))", "as it is"), ("reich(rattle)", "as it is"),
                               ("symmetric(stormer-verlet)", "reich(stormer-verlet)"),
                               ("reich(gonzalez)", "implicit-midpoint"), ("lsoda", "--tolerance")):
            self.assertIn(instead, self.refused("run", "pendulum", "--method", given))

    def test_the_solver_of_implicit_methods(self):
        self.assertIn("--solver changes nothing", self.call("run", "pendulum", "--method", "rk4", "--solver", "newton").stderr)
        self.assertNotIn("--solver changes nothing",
                         self.call("run", "pendulum", "--method", "gauss:2", "--solver", "newton").stderr)
        stiff = ("run", "elastic_pendulum", "--method", "gauss:2", "--set", "k=1e8", "--step", 0.02, "--end", 0.1)
        failed = self.call(*stiff, "--solver", "functional")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("--solver newton", failed.stderr)
        self.assertEqual(self.call(*stiff, "--solver", "newton").returncode, 0)


if __name__ == "__main__":
    main()
