#!/usr/bin/env python3
"""Ordinary differential equations: usage equations_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import math
import sys

sys.dont_write_bytecode = True  # beside the sources
from program import MODELS, ProgramTest, main  # noqa: E402

PREY = """
[system]
states = ["x", "y"]
[equations]
x = "-x + x*y"
y = "y - x*y"
[invariants]
level = "log(x) - x + log(y) - y"
[initial]
x = 0.5
y = 0.5
"""

LATTICE = """
[parameters]
N = 40
[system]
states = ["u[N]"]
[equations]
u = "(u[if(i == N, 1, i + 1)] - u[if(i <= 2, N - 2 + i, i - 2)])*u[if(i == 1, N, i - 1)] - u[i] + 8"
[initial]
u = "8 + if(i == 1, 0.01, 0)"
"""


def prey_rate(z):
    x, y = z
    return [-x + x * y, y - x * y]


def lattice_rate(u):
    n = len(u)
    return [(u[(i + 1) % n] - u[i - 2]) * u[i - 1] - u[i] + 8 for i in range(n)]


def rk4(rate, z, h, steps):
    def ahead(a, k):
        return [x + a * y for x, y in zip(z, k)]
    for _ in range(steps):
        k1 = rate(z)
        k2 = rate(ahead(h / 2, k1))
        k3 = rate(ahead(h / 2, k2))
        k4 = rate(ahead(h, k3))
        z = [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(z, k1, k2, k3, k4)]
    return z


class EquationsTest(ProgramTest):
    def test_a_method_is_that_of_anybody_else(self):
        summary = self.summary(self.model(PREY), "--method", "rk4", "--step", 0.1, "--end", 2)
        for name, value in zip("xy", rk4(prey_rate, [0.5, 0.5], 0.1, 20)):
            self.assertAlmostEqual(summary["state"][name], value, delta=1e-14)
        self.assertEqual(summary["formulation"], "equations")
        self.assertEqual(set(summary["max"]), {"invariants"}, "there is no energy")
        start = [8.01] + 39 * [8.0]
        summary = self.summary(self.model(LATTICE), "--method", "rk4", "--step", 0.01, "--end", 0.5)
        for mine, value in zip(summary["state"]["u"], rk4(lattice_rate, start, 0.01, 50)):
            self.assertAlmostEqual(mine, value, delta=1e-11)

    def test_all_backends_and_precisions_agree(self):
        model = self.model(PREY)
        jit = self.summary(model, "--method", "gauss:3", "--step", 0.1, "--end", 2)
        plain = self.summary(model, "--method", "gauss:3", "--step", 0.1, "--end", 2, "--backend", "interpreter")
        quad = self.summary(model, "--method", "gauss:3", "--step", 0.1, "--end", 2, "--precision", "quad")
        self.assertEqual(jit["state"], plain["state"])
        for name in "xy":
            self.assertAlmostEqual(jit["state"][name], float(quad["state"][name]), delta=1e-14)

    def test_invariants_are_kept_where_that_is_asked_for(self):
        model = self.model(PREY)
        free = self.summary(model, "--method", "rk4", "--step", 0.2, "--end", 20)
        kept = self.summary(model, "--method", "rk4", "--step", 0.2, "--end", 20, "--project-invariants", "level",
                            "--certify")
        self.assertGreater(free["max"]["invariants"]["level"], 1e-6)
        self.assertLess(kept["max"]["invariants"]["level"], 1e-14)
        verdicts = {each["structure"]: each["verdict"] for each in kept["certificate"]["structures"]}
        self.assertEqual(verdicts["invariants.level"], "kept")
        self.assertNotIn("symplecticity", verdicts)

    def test_second_derivatives_are_written_as_such(self):
        model = self.model("""
[system]
states = ["u[2]"]
[equations]
"u''" = "-u[i]*i^2"
[initial]
u = 1
v_u = "i"
""")
        state = self.summary(model, "--method", "dop853", "--tolerance", 1e-11, "--end", 3)["state"]
        for i in (1, 2):
            self.assertAlmostEqual(state["u"][i - 1], math.cos(3 * i) + math.sin(3 * i), delta=1e-9)
            self.assertAlmostEqual(state["v_u"][i - 1], i * (math.cos(3 * i) - math.sin(3 * i)), delta=1e-9)

    def test_a_run_goes_on_from_a_checkpoint_to_the_bit(self):
        model = self.model(PREY)
        options = ["--method", "dop853", "--tolerance", 1e-8]
        whole = self.summary(model, *options, "--end", 4)
        self.summary(model, *options, "--end", 4, "--checkpoint", "a.ckpt", "--checkpoint-every", 5)
        again = self.summary(model, *options, "--resume", "a.ckpt")
        self.assertEqual(whole["state"], again["state"])

    def test_an_exact_solution_measures_the_error(self):
        summary = self.summary(MODELS / "circular_track.toml", "--method", "gauss:2", "--end", 2, "--reference", "exact")
        finer = self.summary(MODELS / "circular_track.toml", "--method", "gauss:2", "--end", 2, "--reference", "exact",
                             "--step", 0.0025)
        self.assertAlmostEqual(math.log2(summary["final"]["error"] / finer["final"]["error"]), 4, delta=0.2)

    def test_without_a_method_it_is_accurate_and_keeps_what_is_declared(self):
        summary = self.summary(self.model(PREY), "--end", 20)
        self.assertEqual(summary["method"], "dop853")
        self.assertLess(summary["max"]["invariants"]["level"], 1e-13)
        stiff = self.model("""
[system]
states = ["u"]
[equations]
u = "-10000*(u - cos(t))"
[initial]
u = 0
""")
        self.assertEqual(self.summary(stiff, "--tolerance", 1e-6, "--end", 10)["method"], "radau-iia:3")

    def test_kahan_takes_quadratic_fields(self):
        self.assertEqual(self.summary(self.model(PREY), "--method", "kahan", "--step", 0.1, "--end", 1)["status"], "done")
        cubic = self.model(PREY.replace('"y - x*y"', '"y - x*y^2"').replace("[invariants]", "[observables]"))
        self.assertIn("not polynomials of degree two",
                      self.refused("run", cubic, "--method", "kahan", "--step", 0.1, "--end", 1))

    def test_mechanics_is_refused(self):
        model = self.model(PREY)
        self.assertIn("no coordinates", self.refused("run", model, "--method", "rattle", "--step", 0.1, "--end", 1))
        self.assertIn("use 'equations'",
                      self.refused("run", model, "--method", "rk4", "--formulation", "standard", "--step", 0.1, "--end", 1))
        for section, place in (("[constraints]\nc = \"x = 1\"", "[constraints]"), ("[forces]\nx = 1", "[forces]")):
            self.assertIn(f"{place} belongs to coordinates", self.refused("check", self.model(PREY + section)))
        self.assertIn("the state 'y' has no equation",
                      self.refused("check", self.model(PREY.replace('y = "y - x*y"\n', ""))))

    def test_volume_is_that_of_the_discrete_map(self):
        linear = self.model("""
[system]
states = ["x", "y"]
[equations]
x = "-x + y"
y = "2*y"
[initial]
x = 1
y = 0.5
""")
        final = self.summary(linear, "--method", "euler", "--step", 0.1, "--end", 3, "--monitor", "volume,lyapunov")["final"]
        self.assertAlmostEqual(final["volume"], 30*math.log(0.9*1.2), delta=1e-12)
        exact = self.summary(linear, "--method", "dop853", "--tolerance", 1e-12, "--end", 30, "--monitor",
                             "volume,lyapunov")["final"]
        self.assertAlmostEqual(exact["volume"], 30, delta=1e-8)
        self.assertAlmostEqual(exact["lyapunov"], 2, delta=0.1)
        canonical = self.model("""
[system]
states = ["u", "w"]
[equations]
u = "exp(w) - 1"
w = "1 - exp(u)"
[initial]
u = -0.7
w = -0.4
""")
        for method, least, most in (("gauss:2", 0, 1e-13), ("rk4", 1e-7, 1e-2)):
            largest = self.summary(canonical, "--method", method, "--step", 0.1, "--end", 20, "--monitor", "volume")["max"]
            self.assertGreaterEqual(largest["volume"], least, method)
            self.assertLessEqual(largest["volume"], most, method)

    def test_monitors_of_mechanics_are_said_not_to_apply(self):
        text = self.call("run", self.model(PREY), "--method", "rk4", "--step", 0.1, "--end", 1, "--monitor",
                         "energy,wedge,symmetries").stderr
        for name in ("energy", "wedge", "symmetries"):
            self.assertIn(f"'{name}' is not monitored: the model has no coordinates", text)
        self.assertIn("'volume' is not monitored: the model has constraints",
                      self.call("run", MODELS / "pendulum.toml", "--end", 0.1, "--monitor", "volume").stderr)

    def test_a_state_that_leaves_a_domain_ends_the_run_with_the_cause(self):
        model = self.model("""
[system]
states = ["x", "y"]
[equations]
x = "-1 - 0.1*y"
y = "sqrt(x)"
[initial]
x = 1
y = 0.5
""")
        for options in (("--method", "rk4", "--step", 0.01), ("--method", "gauss:2", "--step", 0.01), ("--tolerance", 1e-8)):
            result = self.call("run", model, *options, "--end", 3, "--out", "some.csv")
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, r"cause: .*: the rate of 'y' is nan at t = 0\.9\d+: square root of -")
            self.assertGreater(len(self.read_csv("some.csv")), 20, options)
            (self.folder / "some.csv").unlink()

    def test_an_invariant_that_leaves_its_domain_is_the_cause_too(self):
        model = self.model("""
[system]
states = ["x", "y"]
[equations]
x = "-1"
y = "1/x"
[invariants]
level = "y + log(x)"
[initial]
x = 1
y = 0
""")
        result = self.call("run", model, "--method", "rk4", "--step", 0.07, "--end", 2)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"cause: .*:8:14: the invariant 'level' is nan at t = 1\.0\d+: logarithm of -")

    def test_an_invariant_that_is_a_number_is_not_called_broken(self):
        model = self.model("""
[system]
states = ["x", "y"]
[equations]
x = "y"
y = "-x"
[invariants]
radius = "x^2 + y^2"
flat = "sqrt(x + 2)*sqrt(x + 2) - x"
[initial]
x = 1
y = 0
""")
        for options in (("--method", "rk4", "--step", 0.05), ()):
            run = self.summary(model, *options, "--end", 20)
            self.assertEqual(run["warnings"], [])

    def test_invariants_that_depend_on_each_other_are_found(self):
        model = self.model(PREY.replace("[initial]", 'twice = "2*(log(x) - x + log(y) - y) + 1"\n[initial]'))
        self.assertIn("'twice' follows from level", self.call("check", model).stdout)
        kept = self.call("run", model, "--end", 2)
        self.assertIn("'twice' follows from level", kept.stderr)
        self.assertNotIn("depend", self.call("check", self.model(PREY)).stdout)

    def test_indices_that_go_round_are_those_of_lists(self):
        start = [8.01] + 39 * [8.0]
        summary = self.summary(MODELS / "lorenz96.toml", "--end", 0.5)
        for mine, value in zip(summary["state"]["x"], rk4(lattice_rate, start, 0.01, 50)):
            self.assertAlmostEqual(mine, value, delta=1e-11)

    def test_stiff_problems_end_soon_and_right(self):
        robertson = self.summary(MODELS / "robertson.toml")
        self.assertEqual(robertson["method"], "radau-iia:3")
        self.assertLess(robertson["steps"], 1000)
        for name, value in (("A", 2.083340149701255e-8), ("B", 8.333360770334713e-14), ("C", 0.9999999791665050)):
            self.assertAlmostEqual(robertson["state"][name] / value, 1, delta=1e-6)
        van_der_pol = self.model("""
[system]
states = ["x"]
[equations]
"x''" = "1000*(1 - x^2)*v_x - x"
[initial]
x = 2
v_x = 0
""")
        state = self.summary(van_der_pol, "--end", 2000)["state"]
        self.assertAlmostEqual(state["x"], 1.706167732170483, delta=1e-6)
        self.assertAlmostEqual(state["v_x"], -0.8928097010247975e-3, delta=1e-8)
        self.assertEqual(self.summary(MODELS / "heat.toml", "--tolerance", 1e-6)["method"], "radau-iia:3")

    def test_check_tells_what_was_understood(self):
        text = self.call("check", self.model(PREY)).stdout
        self.assertIn("ordinary differential equations", text)
        self.assertRegex(text, r"dimension +2")
        self.assertNotIn("degrees of freedom", text)
        self.assertNotIn("energy", text)

    def test_an_invariant_that_is_none_is_not_enforced(self):
        model = self.model(PREY.replace('"log(x) - x + log(y) - y"', '"x + y"'))
        message = self.refused("run", model, "--method", "rk4", "--step", 0.1, "--end", 1, "--project-invariants", "level")
        self.assertIn("the equations do not keep the invariant 'level'", message)
        # Where nothing was chosen points would return to it.
        message = self.refused("run", model, "--end", 1)
        self.assertRegex(message, r"\.toml:\d+:\d+: error: the equations do not keep the invariant 'level'")
        self.assertIn("--projection none", message)
        self.assertEqual(self.summary(model, "--end", 1, "--projection", "none")["status"], "done")
        watched = self.summary(model, "--method", "rk4", "--step", 0.1, "--end", 1)
        [text] = [warning["text"] for warning in watched["warnings"] if warning["kind"] == "changing-invariant"]
        self.assertIn("do not keep", text)

    def test_errors_of_steps_are_not_blamed_on_the_equations(self):
        """The circle is kept on itself only, and errors lead away from it."""
        found = self.summary(MODELS / "circular_track.toml", "--method", "rk4", "--projection", "none", "--step", 0.01, "--end", 4)
        [text] = [warning["text"] for warning in found["warnings"] if warning["kind"] == "changing-invariant"]
        self.assertIn("errors of steps", text)
        # What returns to it is not wrong to do so.
        kept = self.summary(MODELS / "circular_track.toml", "--method", "rk4", "--project-invariants", "circle", "--certify")
        [circle] = [each for each in kept["certificate"]["structures"] if "circle" in each["structure"]]
        self.assertEqual(circle["verdict"], "kept")


    def test_samples_of_stiff_equations_are_as_good_as_steps(self):
        model = self.model("""
[parameters]
rate = 1e4
[system]
states = ["x"]
[equations]
x = "-rate*(x - cos(t))"
[initial]
x = 1
""")
        for method in ("radau-iia:3", "radau-iia:5", "lobatto-iiic:4", "sdirk4"):
            self.summary(model, "--method", method, "--tolerance", 1e-6, "--end", 20, "--sample", 0.25, "--out", "x.csv")
            rows = self.read_csv("x.csv")
            self.assertEqual(len(rows), 81)
            for row in rows[1:]:
                t, x = float(row["t"]), float(row["x"])
                exact = (1e8*math.cos(t) + 1e4*math.sin(t))/(1 + 1e8)
                self.assertLess(abs(x - exact), 2e-6, f"{method}, t = {t}")


if __name__ == "__main__":
    main()
