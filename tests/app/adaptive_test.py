#!/usr/bin/env python3
"""Adaptive steps: usage adaptive_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import json
import math
import sys

sys.dont_write_bytecode = True  # beside the sources
from model_texts import COUPLED, FREE  # noqa: E402
from program import MODELS, ProgramTest, main  # noqa: E402


# Into rest, from rest: momenta become, and are, much smaller than what rounding leaves of the forces.
CHARGES = """
[system]
coordinates = ["r[6,3]"]
hamiltonian = "sum(i in 1..6, norm2(p_r[i])/2) + sum(i in 1..6, sum(j in i+1..6, 1/norm(r[i] - r[j])))"
dissipation = "0.15*sum(i in 1..6, norm2(v_r[i]))"
[constraints]
on = { each = "i in 1..6", equation = "r[i,1]^2 + r[i,2]^2/2.25 + r[i,3]^2/4 = 1" }
[initial]
r = [[0.9, 0.3, 0.2], [-0.8, 0.5, 0.6], [0.1, 1.4, 0.1], [-0.2, -1.2, 1.1], [0.3, 0.4, 1.9], [0.2, -0.3, -1.9]]
p_r = { each = "i in 1..6", value = "[0, 0, 0]" }
"""

BOWL = """
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 - 0.6*x + 0.8*y"
[constraints]
circle = "x^2 + y^2 = 1"
[initial]
x = 0.6
y = -0.8
p_x = 0
p_y = 0
"""


class AdaptiveTest(ProgramTest):
    def test_motions_into_rest_become_no_dearer(self):
        model = self.model(CHARGES)
        for method in ("radau-iia:3", "lobatto-iiic:3", "dop853", "rattle", "gauss:2"):
            with self.subTest(method=method):
                early, late = [self.summary(model, "--method", method, "--tolerance", 1e-6, "--end", end)
                               for end in (50, 1000)]
                self.assertLess(late["steps"], 10 * early["steps"])
                # Longer steps of stiff methods take more, but not a hundred times as much.
                cost = [run["counts"]["rhs"] / run["steps"] for run in (early, late)]
                self.assertLess(cost[1], 5 * cost[0])

    def test_short_steps_from_rest_can_be_made(self):
        model = self.model(CHARGES)
        for step in (1e-4, 1e-6, 1e-8):
            summary = self.summary(model, "--method", "rattle", "--step", step, "--end", 20 * step)
            self.assertLess(summary["counts"]["newton"], 6 * 20, step)
        loose, tight = [self.summary(model, "--method", "rattle", "--tolerance", tolerance, "--end", 0.5)
                        for tolerance in (1e-7, 1e-10)]
        self.assertEqual((loose["warnings"], tight["warnings"]), ([], []))
        self.assertAlmostEqual(tight["steps"] / loose["steps"], 10, delta=2)

    def test_rest_is_the_same_in_both_directions(self):
        model = self.model(BOWL)
        for method in ("dop853", "radau-iia:3"):
            for tolerance in (1e-6, 1e-12):
                steps = [self.summary(model, "--method", method, "--tolerance", tolerance, "--end", end)["steps"]
                         for end in (1000, -1000)]
                self.assertEqual(steps[0], steps[1], (method, tolerance))
                self.assertLess(steps[0], 500, (method, tolerance))

    def test_a_start_at_rest_has_nothing_but_rounding_errors(self):
        model = self.model(BOWL.replace("[constraints]", 'dissipation = "0.05*(v_x^2 + v_y^2)"\n[constraints]'))
        for method in ("rattle", "gauss:2", "lobatto:3"):
            for tolerance in (1e-6, 1e-9, 1e-12):
                for end, most in ((10, 20), (1000, 2000)):  # longer steps shake the momenta that rounding makes
                    with self.subTest(method=method, tolerance=tolerance, end=end):
                        summary = self.summary(model, "--method", method, "--tolerance", tolerance, "--end", end)
                        self.assertEqual(summary["warnings"], [])
                        self.assertLess(summary["steps"], most)

    def test_a_tolerance_needs_no_step_and_samples_do_not_change_steps(self):
        bare = self.model(FREE.split("[run]")[0])
        summary = self.summary(bare, "--end", 3, "--tolerance", 1e-7, "--method", "rk4")
        sampled = self.summary(bare, "--end", 3, "--tolerance", 1e-7, "--method", "rk4", "--sample", 0.1, "--out", "a.csv")
        self.assertEqual(summary["state"], sampled["state"])
        self.assertEqual((summary["time"], summary["controller"], summary["tolerance"]), (3, "pi", 1e-7))
        self.assertLess(summary["smallest_step"], summary["largest_step"])
        self.assertAlmostEqual(summary["state"]["x"], math.cos(3), delta=1e-5)
        rows = self.read_csv("a.csv")
        self.assertEqual([row["t"] for row in rows][1:4], ["0.1", "0.2", "0.3"])
        for row in rows:
            self.assertAlmostEqual(float(row["x"]), math.cos(float(row["t"])), delta=1e-5)

    def test_symmetric_methods_get_reversible_steps(self):
        kepler = MODELS / "kepler.toml"
        summary = self.summary(kepler, "--set", "ecc=0.9", "--tolerance", 1e-4, "--end", "2*pi")
        self.assertEqual(summary["controller"], "reversible")
        self.assertEqual(summary["counts"]["rejected"], 0)
        self.assertGreater(summary["largest_step"], 20 * summary["smallest_step"])
        naive = self.summary(kepler, "--set", "ecc=0.9", "--tolerance", 1e-4, "--end", "2*pi", "--controller", "pi")
        self.assertEqual(naive["controller"], "pi")
        given = self.summary(kepler, "--tolerance", 1e-4, "--end", "2*pi", "--step-density", "(x^2 + y^2)^(-3/4)")
        self.assertAlmostEqual(given["largest_step"] / given["smallest_step"], 8, delta=1)

    def test_forces_and_equations_have_steps_by_their_errors(self):
        friction = self.model(BOWL.replace("[constraints]", 'dissipation = "0.1*(v_x^2 + v_y^2)"\n[constraints]'))
        for model in (friction, MODELS / "lotka_volterra.toml"):
            summary = self.summary(model, "--method", "gauss:2", "--tolerance", 1e-6, "--end", 20)
            self.assertEqual(summary["controller"], "pi")
            self.assertLess(summary["largest_step_error"], 1)
        given = self.summary(friction, "--method", "rattle", "--tolerance", 1e-4, "--end", 1, "--step-density", "1")
        self.assertEqual(given["controller"], "reversible")

    def test_a_tolerance_chooses_an_explicit_method_and_projects(self):
        text = COUPLED.replace("step = 0.01\n", "")
        result = self.call("run", self.model(text), "--tolerance", "1e-8")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("was chosen", result.stderr)
        summary = self.summary(self.model(text), "--tolerance", "1e-8")
        self.assertEqual(summary["projection"], "both")
        self.assertLess(summary["max"]["energy"], 1e-6)
        self.assertLess(summary["max"]["position"], 1e-14)

    def test_near_collisions_are_told(self):
        kepler = [MODELS / "kepler.toml", "--tolerance", 1e-6, "--method", "rattle", "--end", 7]
        kinds = [[each["kind"] for each in self.summary(*kepler, "--set", f"ecc={ecc}").get("warnings", [])]
                 for ecc in (0.9, 0.99999)]
        self.assertNotIn("short-steps", kinds[0])
        self.assertIn("short-steps", kinds[1])

    def test_steps_that_lose_their_density_do_not_become_ever_shorter(self):
        wall = FREE.replace("+ x^2/2", "+ if(x < 0, 500*x^2, 0) + x/10")
        summary = self.summary(self.model(wall), "--method", "rattle", "--tolerance", 1e-5, "--end", 100)
        self.assertLess(summary["steps"], 20000)
        self.assertIn("lost-density", [each["kind"] for each in summary["warnings"]])

    def test_reversible_steps_end_where_no_step_is_short_enough(self):
        stick = """
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
c = "x^2 + y^2 = 1"
[forces]
x = "-sign(v_x)/10"
y = "-sign(v_y)/10"
[initial]
x = "sin(1)"
y = "-cos(1)"
p_x = 0
p_y = 0
"""
        summary = self.summary(self.model(stick), "--tolerance", 1e-6, "--method", "rattle", "--end", 50,
                               "--controller", "reversible", status=1)
        self.assertLess(summary["steps"], 20000)

    def test_a_collision_ends_an_adaptive_run(self):
        text = FREE.replace("+ x^2/2", "- 1/x")
        result = self.call("run", self.model(text), "--method", "rk4", "--tolerance", "1e-8", "--end", "2", "--json",
                           "--out", "a.csv")
        self.assertEqual(result.returncode, 1)
        summary = json.loads(result.stdout)
        self.assertEqual(summary["failure"]["during"], "tolerance")
        if summary["failure"]["error"] is not None:  # of a step that was tried
            self.assertGreater(summary["failure"]["error"], 1)
        self.assertAlmostEqual(summary["time"], math.pi / math.sqrt(8), delta=1e-5)
        self.assertEqual(float(self.read_csv("a.csv")[-1]["t"]), summary["time"])
        for word in ("t =", "tolerance", "advice"):
            self.assertIn(word, result.stderr)


if __name__ == "__main__":
    main()
