#!/usr/bin/env python3
"""Ways of keeping invariants: usage invariants_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import math
import sys

sys.dont_write_bytecode = True  # beside the sources
from program import ProgramTest, main  # noqa: E402

# Not a model of the program: a charged particle in a field that is not uniform, as first-order equations.
PARTICLE = """
[parameters]
b = 0.7
[system]
states = ["x[2]", "v[2]"]
[definitions]
field = "1 + b*x[1]*x[2]"
[equations]
x = "v[i]"
v = ["field*v[2] - x[1]", "-field*v[1] - 2*x[2]"]
[invariants]
energy = "norm2(v)/2 + x[1]^2/2 + x[2]^2"
[initial]
x = [0.9, -0.2]
v = [0.1, 0.6]
"""

# The circle with its radius and a height that follows from it.
FALSE = """
[system]
states = ["x", "y"]
[equations]
x = "-y"
y = "x"
[invariants]
wrong = "x^2 + 2*y^2"
[initial]
x = 1
y = 0.2
"""

# Kepler's problem from the pericentre. Energy, angular momentum and Lenz' vector A determine each other, A.A = 1 + 2 E L^2, and the
# first three of the four do so nearly at points near the start.
KEPLER = """
[parameters]
ecc = 0.5
[system]
states = ["r[2]"]
[definitions]
L = "r[1]*v_r[2] - r[2]*v_r[1]"
[equations]
"r''" = "-r/norm(r)^3"
[invariants]
energy = "norm2(v_r)/2 - 1/norm(r)"
moment = "L"
A = ["v_r[2]*L - r[1]/norm(r)", "-v_r[1]*L - r[2]/norm(r)"]
[initial]
r = ["1 - ecc", 0]
v_r = [0, "sqrt((1 + ecc)/(1 - ecc))"]
"""


VOLTERRA = """
[parameters]
N = 7
[system]
states = ["u[N]"]
[equations]
u = "u[i]*(if(i < N, u[min(i+1, N)], 0) - if(i > 1, u[max(i-1, 1)], 0))"
[invariants]
total = "sum(i in 1..N, u[i])"
square = "sum(i in 1..N, u[i]^2/2) + sum(i in 1..N-1, u[i]*u[i+1])"
[initial]
u = "1 + 0.3*sin(2*i)"
"""


KOVALEVSKAYA = """
[system]
states = ["w[3]", "g[3]"]
[equations]
w = ["w[2]*w[3]/2", "-w[1]*w[3]/2 + g[3]/2", "-g[2]"]
g = "cross(g, w)"
[invariants]
energy = "w[1]^2 + w[2]^2 + w[3]^2/2 + g[1]"
moment = "2*w[1]*g[1] + 2*w[2]*g[2] + w[3]*g[3]"
length = "norm2(g)"
quartic = "(w[1]^2 - w[2]^2 - g[1])^2 + (2*w[1]*w[2] - g[2])^2"
[initial]
w = [0.6, 0.4, 0.7]
g = [0.8, 0.36, 0.48]
"""


class InvariantsTest(ProgramTest):
    def run_particle(self, *arguments, **options):
        return self.summary(self.model(PARTICLE), *arguments, **options)

    def error(self, summary, exact):
        return max(abs(a - b) for name in "xv" for a, b in zip(summary["state"][name], exact["state"][name]))

    def test_relaxed_runs_end_where_they_are_to_and_have_the_order_of_the_method(self):
        exact = self.run_particle("--method", "vern9", "--step", 0.01, "--end", 5)
        errors = []
        for step in (0.1, 0.05):
            run = self.run_particle("--method", "rk4", "--projection", "relaxation", "--step", step, "--end", 5)
            self.assertEqual(run["time"], 5)
            self.assertLess(run["max"]["invariants"]["energy"], 1e-14)
            errors.append(self.error(run, exact))
        self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 4, delta=0.4)

    def test_relaxation_records_where_steps_end_and_samples_at_even_times(self):
        options = ("--method", "rk4", "--projection", "relaxation", "--step", 0.1, "--end", 3)
        self.run_particle(*options, "--out", "steps.csv")
        times = [float(row["t"]) for row in self.read_csv("steps.csv")]
        self.assertEqual(times[-1], 3)
        self.assertGreater(abs(times[10] - 1), 1e-9)
        self.assertLess(abs(times[10] - 1), 1e-3)
        self.run_particle(*options, "--sample", 0.25, "--out", "samples.csv")
        self.assertEqual([float(row["t"]) for row in self.read_csv("samples.csv")], [0.25 * k for k in range(13)])

    def test_relaxed_runs_go_on_bit_for_bit(self):
        options = ("--method", "dopri5", "--projection", "relaxation", "--tolerance", 1e-8)
        self.run_particle(*options, "--end", 4, "--checkpoint", "c", "--checkpoint-every", 7)
        model = self.model(PARTICLE)
        whole = self.call("run", model, *options, "--end", 4, "--json")
        again = self.call("run", "--resume", "c", "--end", 4, "--json")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn('"time": 4', again.stdout.replace('4.0', '4'))
        self.assertEqual(whole.returncode, 0)

    def test_every_way_takes_invariants_that_follow_from_others(self):
        """name: the largest error of an invariant, and the order of the solution."""
        ways = {("rk4", "joint"): (2e-15, 4), ("rk4", "relaxation"): (1e-14, 4), ("rk4", "stabilise"): (1e-8, 4), ("mgps", None): (2e-15, 1),
                ("mrk4", None): (4e-15, 4), ("projected-midpoint", None): (4e-15, 2), ("discrete-gradient", None): (1e-14, 2)}
        model = self.model(KEPLER)
        exact = self.summary(model, "--method", "vern9", "--step", 0.01, "--end", 4)["state"]["r"][1]
        for (method, projection), (kept, order) in ways.items():
            errors = []
            for step in (0.1, 0.05, 0.025):
                options = ["--projection", projection] if projection else []
                run = self.summary(model, "--method", method, "--step", step, "--end", 4, *options)
                with self.subTest(method=method, projection=projection, step=step):
                    self.assertLess(max(run["max"]["invariants"].values()), kept)
                errors.append(abs(run["state"]["r"][1] - exact))
            self.assertAlmostEqual(math.log2(errors[1]/errors[2]), order, delta=0.5, msg=f"{method} {errors}")

    def test_every_way_keeps_the_invariant_in_both_precisions_and_both_directions(self):
        for method in (["discrete-gradient"], ["projected-midpoint"], ["rk4", "--projection", "joint"],
                       ["project:relaxation(rk4)"], ["gauss:2", "--projection", "relaxation"]):
            for end in (2, -2):
                for precision, small in (("double", 1e-14), ("quad", 1e-31)):
                    run = self.run_particle("--method", *method, "--step", 0.1, "--end", end, "--precision", precision)
                    self.assertEqual(run["time"], end, method)
                    self.assertLess(run["max"]["invariants"]["energy"], small, (method, precision))

    def test_stabilisation_leaves_the_square_of_what_it_takes_away(self):
        def left(step, *projection):
            return self.run_particle("--method", "rk4", "--step", step, "--end", 0.6, "--precision", "quad",
                                     "--projection", *projection)["max"]["invariants"]["energy"]
        self.assertGreater(left(0.3, "none"), 1e-5)
        self.assertLess(left(0.3, "stabilise"), 1e-6)
        self.assertGreater(left(0.3, "stabilise"), 1e-20)
        self.assertGreater(math.log2(left(0.3, "stabilise") / left(0.15, "stabilise")), 8)

    def test_certificates_say_who_keeps_it(self):
        def finding(*method):
            run = self.run_particle("--method", *method, "--step", 0.05, "--end", 5, "--certify")
            return next(f for f in run["certificate"]["structures"] if f["structure"] == "invariants.energy")
        for method, by in ((["discrete-gradient"], "by the method"), (["rk4", "--projection", "relaxation"], "by the"),
                           (["rk4", "--projection", "joint"], "by the projection")):
            found = finding(*method)
            self.assertEqual(found["verdict"], "kept", method)
            self.assertIn(by, found["claim"])
        self.assertIn("none", finding("rk4", "--projection", "stabilise")["claim"])

    def test_an_invariant_that_is_none_is_refused_by_whoever_would_keep_it(self):
        model = self.model(FALSE)
        for method in (["discrete-gradient"], ["projected-midpoint"], ["project:relaxation(rk4)"],
                       ["rk4", "--projection", "stabilise"]):
            message = self.refused("run", model, "--method", *method, "--step", 0.1, "--end", 1)
            self.assertIn("wrong", message)

    def test_scalings_leave_out_invariants_that_follow_from_others(self):
        model = self.model(KEPLER)
        options = ("--step", 0.05, "--end", 4)
        found = self.summary(model, "--method", "mrk4", *options)
        self.assertEqual(found["scaling"]["fallbacks"], 0)
        self.assertLess(max(found["max"]["invariants"].values()), 1e-14)
        given = self.summary(model, "--method", "rk4", "--projection", "scaling", "--sets", "r[1]|r[2]|v_r", *options)
        self.assertLess(given["scaling"]["fallbacks"], 10)
        two = self.summary(model, "--method", "mrk4", "--sets", "r|v_r", "--project-invariants", "energy,moment", *options)
        self.assertEqual(two["method"], "mrk4:energy:moment")
        same = self.summary(model, "--method", "rk4", "--projection", "scaling", "--sets", "r|v_r", "--project-invariants",
                            "energy,moment", *options)
        self.assertEqual(two["state"], same["state"])
        for method in (["mrk4"], ["rk4", "--projection", "scaling"]):
            message = self.refused("run", model, "--method", *method, "--sets", "r|v_r", *options)
            for text in ("2 sets of variables for 4 invariants", "3 of which", "--project-invariants"):
                self.assertIn(text, message)

    def test_an_invariant_that_is_no_number_at_the_start_is_refused_as_that(self):
        model = self.model(FALSE.replace("wrong = \"x^2 + 2*y^2\"", "outside = \"log(x - 9)\""))
        for options in ([], ["--method", "rk4", "--project-invariants", "outside"]):
            message = self.refused("run", model, "--step", 0.1, "--end", 1, *options)
            self.assertIn("the invariant 'outside' is nan at the initial data: logarithm of -8", message)

    def test_what_cannot_be_is_refused_with_the_reason(self):
        model = self.model(PARTICLE)
        for options, reason in ((["--method", "euler", "--projection", "relaxation"], "order 1"),
                                (["--method", "discrete-gradient:enrgy"], "energy"),
                                (["--method", "rk4", "--projection", "relaxation", "--project-every", 3], "every=K"),
                                (["--method", "kahan"], "degree two")):
            self.assertIn(reason, self.refused("run", model, *options, "--step", 0.1, "--end", 1))
        for option in (["--method", "rk4", "--projection", "relaxation"], ["--method", "rk4"]):
            message = self.refused("run", model, *option, "--project-invariants", "enrgy", "--step", 0.1, "--end", 1)
            self.assertIn("--project-invariants:1:1", message)
            self.assertIn("did you mean 'energy'", message)
        self.assertIn("constraints", self.refused("run", "pendulum", "--method", "discrete-gradient:energy"))
        self.assertIn("constraints", self.refused("run", "pendulum", "--method", "rk4", "--projection", "relaxation",
                                                  "--project-invariants", "energy"))

    def test_a_step_without_a_root_or_a_nearest_point_ends_the_run_and_keeps_what_was_computed(self):
        result = self.call("run", self.model(PARTICLE), "--method", "rk4", "--projection", "relaxation", "--step", 2.5,
                           "--end", 10)
        self.assertEqual(result.returncode, 1, result.stderr + result.stdout)
        self.assertIn("invariant energy", result.stderr)

    def test_steps_without_a_root_go_to_the_nearest_point_and_are_counted(self):
        """Four invariants need four directions: rk4 has three."""
        model, options = self.model(KOVALEVSKAYA), ("--projection", "relaxation", "--step", 0.05, "--end", 2)
        few = self.summary(model, "--method", "rk4", *options)
        self.assertEqual(few["relaxation"]["fallbacks"], few["relaxation"]["points"])
        self.assertEqual(few["relaxation"]["first_fallback"], 0.05)
        self.assertLess(max(few["max"]["invariants"].values()), 1e-14)
        enough = self.summary(model, "--method", "dopri5", *options)
        self.assertLess(enough["relaxation"]["fallbacks"], enough["relaxation"]["points"] / 2)
        self.assertGreaterEqual(enough["relaxation"]["points"], enough["steps"])
        self.assertLess(enough["relaxation"]["largest_change"], 0.01)
        result = self.call("run", model, "--method", "rk4", *options)
        self.assertIn("went to the nearest point, the first at t = 0.05", result.stdout)

    def test_relaxation_goes_wherever_the_orthogonal_projection_does(self):
        """Last steps that are cut short end anywhere, at the ends of the axes of the ellipse too."""
        for ecc in (0.2, 0.3):
            run = self.summary(self.model(KEPLER), "--method", "rk4", "--step", 0.01, "--end", "2*pi", "--set",
                               f"ecc={ecc}", "--projection", "relaxation")
            self.assertAlmostEqual(run["time"], 2 * math.pi, delta=1e-14)
            self.assertLess(max(run["max"]["invariants"].values()), 1e-14)
            self.assertLess(abs(run["state"]["r"][1]), 1e-7)
            self.assertLessEqual(run["relaxation"]["fallbacks"], 3)

    def test_relaxation_of_several_invariants_makes_the_smallest_change(self):
        """In a Volterra lattice the length of the step hardly changes the second one: its embedded results do."""
        def error(projection):
            state = self.summary(self.model(VOLTERRA), "--method", "rk4", "--step", 0.05, "--end", 4, "--projection",
                                 projection)["state"]["u"]
            return max(abs(a - b) for a, b in zip(state, exact))
        exact = self.summary(self.model(VOLTERRA), "--method", "vern9", "--step", 0.02, "--end", 4)["state"]["u"]
        self.assertLess(error("relaxation"), 3 * error("joint"))

    def test_methods_that_keep_what_changes_are_told_and_certify_nothing(self):
        """As projections: a method that keeps E by itself shares the error with its steps of half the length."""
        late = ('[system]\nstates = ["x", "y"]\n[equations]\nx = "y"\ny = "-x - 0.05*max(t-5, 0)^3*y"\n'
                '[invariants]\nE = "x^2 + y^2"\n[initial]\nx = 1\ny = 0.3\n')
        for options in (["--method", "mrk4"], ["--method", "discrete-gradient"], ["--method", "projected-midpoint"],
                        ["--method", "rk4", "--projection", "scaling"]):
            with self.subTest(options=options):
                run = self.summary(self.model(late), *options, "--step", 0.05, "--end", 8, "--certify")
                self.assertFalse(run["certificate"]["holds"])
                self.assertIsNone(run["certificate"]["error"]["largest"])
                self.assertTrue(any("leads away from the motion" in each["text"] for each in run["warnings"]))


if __name__ == "__main__":
    main()
