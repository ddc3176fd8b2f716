#!/usr/bin/env python3
"""Projections and what they are given: usage projection_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import sys

sys.dont_write_bytecode = True  # beside the sources
from model_texts import DAMPED, FREE, MOLECULE  # noqa: E402
from program import MODELS, ProgramTest, main  # noqa: E402

# Its invariants follow from the constraint, from each other and from the energy, or contradict it.
ROD = """
[parameters]
c = 0
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = 1"
[forces]
x = "-c*v_x"
y = "-c*v_y"
[invariants]
r2 = "x^2 + y^2"
radial = "x*p_x + y*p_y"
twoE = "p_x^2 + p_y^2 + 2*y"
growing = "x^2 + y^2 + t"
[initial]
x = 1
y = 0
p_x = 0
p_y = 1
[run]
step = 0.01
end = 10
"""

# H is not defined beyond x = 1.5.
WALL = """
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + log(1.5 - x)"
[constraints]
curve = "y = x^2"
[initial]
x = 0
y = 0
v_x = 1
v_y = 0
[run]
step = 0.01
end = 10
"""


class ProjectionTest(ProgramTest):
    def test_inconsistent_data_are_projected_or_kept(self):
        pendulum = MODELS / "pendulum.toml"
        summary = self.summary(pendulum, "--set", "x=1.2", "--end", 0)
        self.assertAlmostEqual(summary["initial_change"]["position"], 0.2, delta=1e-12)
        self.assertLess(summary["max"]["position"], 1e-15)
        kept = self.summary(pendulum, "--set", "x=1.2", "--end", 0, "--initial", "as-given")
        self.assertAlmostEqual(kept["max"]["position"], 0.22, delta=1e-12)

    def test_projection_is_counted(self):
        pendulum = MODELS / "pendulum.toml"
        for options, count in ((["both"], 100), (["both", "--project-every", "10"], 10), (["none"], 0),
                               (["position", "--project-above", "1"], 0)):
            summary = self.summary(pendulum, "--method", "rk4", "--end", 1, "--projection", *options)
            self.assertEqual(summary["counts"]["projections"], count)
            self.assertEqual(summary["projection"], options[0])

    def test_projections_of_every_kind(self):
        pendulum = [MODELS / "pendulum.toml", "--end", 1, "--projection"]
        for kind in ("position", "momentum", "both", "joint"):
            for metric in ("mass", "euclidean"):
                summary = self.summary(*pendulum, kind, "--metric", metric, "--method", "rk4")
                self.assertEqual(summary["projection"], kind)
                self.assertEqual(summary["counts"]["projections"], 100)
                moved = summary["projection_displacement"]
                self.assertEqual(moved["largest"]["q"] > 0, kind != "momentum")
                self.assertEqual(moved["largest"]["p"] > 0, kind != "position")
                for part in "qp":
                    self.assertLessEqual(moved["largest"][part], moved["total"][part])
                    self.assertLess(moved["total"][part], 1e-6)
                self.assertEqual(summary["max"]["position"] < 1e-14, kind != "momentum")
                self.assertEqual(summary["max"]["momentum"] < 1e-14, kind != "position")
        self.assertNotIn("projection_displacement", self.summary(*pendulum, "none", "--method", "rk4"))
        table = self.call("run", *pendulum, "joint", "--method", "rk4").stdout
        self.assertRegex(table, r"projections +100, by \|dq\| = \S+, \|dp\| = \S+ at most, .* in all")

    def test_projections_do_not_depend_on_units(self):
        pendulum = """
[parameters]
l = 1
m = 1
T = 1
[system]
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2 + p_y^2 + p_z^2)/(2*m) + m*l/T^2*z"
[constraints]
rod = "x^2 + y^2 + z^2 = l^2"
[observables]
height = "z/l"
[initial]
x = "0.8*l"
y = 0
z = "-0.6*l"
p_x = 0
p_y = "m*0.7*l/T"
p_z = 0
[run]
step = "T/8"
end = "40*T"
method = "rk4"
"""
        units = ["--set", f"l={2**-20}", "--set", "m=1024", "--set", f"T={2**-30}"]
        heights = set()
        for options in (["--projection", "joint"], ["--projection", "joint", "--project-invariants", "energy"],
                        ["--projection", "stage"], ["--method", "project:joint(rk4)", "--projection", "none"]):
            height = [self.summary(self.model(pendulum), *options, *other)["observables"]["height"]
                      for other in ([], units)]
            self.assertAlmostEqual(*height, delta=1e-11, msg=options)
            heights.add(height[0])
        self.assertEqual(len(heights), 3, "the last of them is the first")
        # Of a parallelogram a constraint follows from the others.
        redundant = """
[parameters]
l = 1
m = 1
T = 1
[system]
coordinates = ["xb", "yb", "xc", "yc"]
hamiltonian = "(p_xb^2 + p_yb^2 + p_xc^2 + p_yc^2)/(2*m) + m*l/T^2*(yb + yc)"
[constraints]
left = "xb^2 + yb^2 = l^2"
right = "(xc - 2*l)^2 + yc^2 = l^2"
platform = "(xc - xb)^2 + (yc - yb)^2 = 4*l^2"
middle = "((xb + xc)/2 - l)^2 + ((yb + yc)/2)^2 = l^2"
[observables]
height = "yb/l"
[initial]
xb = "l*sin(1)"
yb = "-l*cos(1)"
xc = "2*l + l*sin(1)"
yc = "-l*cos(1)"
p_xb = 0
p_yb = 0
p_xc = 0
p_yc = 0
[run]
step = "T/8"
end = "10*T"
method = "rk4"
"""
        for options in (["--projection", "joint"], ["--projection", "joint", "--project-invariants", "energy"]):
            height = [self.summary(self.model(redundant), *options, "--set", f"T={T}")["observables"]["height"]
                      for T in (1, 2**-30, 2**20)]
            self.assertLess(max(height) - min(height), 1e-11, msg=options)
        # All numbers are alike in the euclidean metric.
        euclidean = ["--projection", "joint", "--metric", "euclidean"]
        height = [self.summary(self.model(pendulum), *euclidean, *other)["observables"]["height"]
                  for other in ([], ["--set", "T=8"])]
        self.assertGreater(abs(height[0] - height[1]), 1e-9)

    def test_projections_inside_methods_are_counted(self):
        pendulum = [MODELS / "pendulum.toml", "--end", 1]
        for kind in ("position", "both", "joint"):
            inside = self.summary(*pendulum, "--method", f"project:{kind}(rk4)", "--formulation", "standard",
                                  "--projection", "none")
            after = self.summary(*pendulum, "--method", "rk4", "--formulation", "standard", "--projection", kind)
            self.assertEqual(inside["state"], after["state"])
            self.assertEqual(inside["counts"]["projections"], 100)
            self.assertEqual(inside["projection_displacement"], after["projection_displacement"])
        nested = self.summary(*pendulum, "--method", "project:none:energy(project:both(rk4))",
                              "--projection", "none")
        self.assertEqual(nested["counts"]["projections"], 200)
        # Steps that are made again are not projected.
        adaptive = self.summary(*pendulum, "--method", "project:both(dopri5)", "--tolerance", 1e-6)
        self.assertEqual(adaptive["counts"]["projections"], adaptive["steps"])

    def test_stage_and_symmetric_projection_are_part_of_the_method(self):
        pendulum = MODELS / "pendulum.toml"
        staged = self.summary(pendulum, "--end", 1, "--projection", "stage")
        self.assertEqual((staged["method"], staged["formulation"]), ("implicit-midpoint", "standard"))
        self.assertEqual(staged["counts"]["projections"], staged["counts"]["rhs"])
        self.assertGreater(staged["max"]["position"], 1e-12)
        staged = self.summary(pendulum, "--end", 1, "--projection", "stage", "--method", "rk4", "--formulation", "dirac",
                              "--metric", "euclidean")
        self.assertEqual((staged["method"], staged["formulation"]), ("rk4", "dirac"))
        symmetric = self.summary(pendulum, "--end", 1, "--projection", "symmetric", "--method", "implicit-midpoint")
        same = self.summary(pendulum, "--end", 1, "--method", "symmetric(implicit-midpoint)")
        self.assertEqual(symmetric["method"], same["method"])
        self.assertEqual(symmetric["state"], same["state"])
        self.assertEqual(symmetric["projection"], "symmetric")
        self.assertLess(symmetric["max"]["position"], 1e-14)
        self.assertEqual(symmetric["counts"]["projections"], 100)
        composed = self.summary(pendulum, "--end", 1, "--method", "compose:4(symmetric(implicit-midpoint))")
        self.assertEqual(composed["counts"]["projections"] % 100, 0)
        self.assertGreater(composed["counts"]["projections"], 200)
        # What leaves the manifold goes as h^3 for this method, and so does the way back.
        finer = self.summary(pendulum, "--end", 1, "--projection", "symmetric", "--method", "implicit-midpoint", "--step", 0.005)
        ratio = (symmetric["projection_displacement"]["largest"]["q"] / finer["projection_displacement"]["largest"]["q"])
        self.assertAlmostEqual(ratio, 8, delta=0.5)
        self.assertEqual(self.summary(pendulum, "--end", 1, "--projection", "symmetric")["method"], "symmetric(gauss:2)")
        for arguments, word in ((["stage", "--method", "rattle"], "has no stages"),
                                (["stage", "--method", "gauss:2", "--formulation", "state-space"], "not q and p"),
                                (["symmetric", "--method", "rk4"], "is not symmetric"),
                                (["joint", "--metric", "euclidian"], "'euclidean'")):
            self.assertIn(word, self.refused("run", pendulum, "--projection", *arguments))

    def test_invariants_are_returned_to(self):
        orbit = [MODELS / "kepler.toml", "--method", "rk4", "--step", 0.02, "--end", 20]
        free = self.summary(*orbit)
        kept = self.summary(*orbit, "--project-invariants", "energy")
        self.assertGreater(free["max"]["energy"], 1e-8)
        self.assertLess(kept["max"]["energy"], 1e-14)
        self.assertEqual(kept["counts"]["projections"], 1000)
        self.assertEqual(self.summary(*orbit, "--project-invariants", "energy", "--project-every", 10)
                         ["counts"]["projections"], 100)
        rare = self.summary(*orbit, "--project-invariants", "energy", "--project-above", 1e-7)
        self.assertGreater(rare["counts"]["projections"], 0)
        self.assertLess(rare["counts"]["projections"], 1000)
        # Constraints are returned to as well, whatever the method.
        for method in ("rk4", "rattle"):
            chain = self.summary(MODELS / "double_pendulum.toml", "--method", method, "--end", 1,
                                 "--project-invariants", "energy")
            self.assertEqual(chain["projection"], "both")
            for name in ("energy", "position", "momentum"):
                self.assertLess(chain["max"][name], 1e-12, name)
        # With states, of a vector, and from [run].
        damped = self.summary(self.model(DAMPED + 'project-invariants = "total"\nproject-every = 5\n'))
        self.assertLess(damped["final"]["invariants"]["total"], 1e-15)
        self.assertGreater(damped["projection_displacement"]["largest"]["s"], 0)
        molecule = self.summary(self.model(MOLECULE), "--method", "rk4", "--project-invariants", "L,energy")
        self.assertLess(molecule["max"]["invariants"]["L"], 1e-13)
        self.assertLess(molecule["max"]["energy"], 1e-13)
        message = self.refused("run", *orbit, "--project-invariants", "enrgy")
        self.assertIn("--project-invariants:1:1: error: ", message)
        self.assertIn("'energy'", message)

    def test_invariants_move_p_alone_if_asked_to(self):
        kepler = [MODELS / "kepler.toml", "--method", "rk4", "--project-invariants", "energy", "--end", 5]
        summary = self.summary(*kepler, "--projection", "momentum")
        self.assertEqual(summary["projection_displacement"]["largest"]["q"], 0)
        self.assertNotIn("changes nothing", " ".join(summary.get("notes", [])))
        both = self.summary(*kepler, "--projection", "both")
        self.assertGreater(both["projection_displacement"]["largest"]["q"], 0)
        self.assertIn("--projection changes nothing", " ".join(both["notes"]))

    def test_dependent_invariants_are_returned_to(self):
        summary = self.summary(MODELS / "kepler.toml", "--method", "rk4", "--step", 0.02, "--end", 100,
                               "--project-invariants", "energy,angular_momentum,lenz_x,lenz_y")
        for largest in summary["max"]["invariants"].values():
            self.assertLess(largest, 1e-13)

    def test_invariants_that_follow_from_constraints_are_met_with_them(self):
        rod = self.model(ROD)
        for names in ("r2", "radial", "r2,radial", "r2,energy", "twoE,energy,r2"):
            for method in (["rk4", "--project-invariants", names],
                           [f"project:both:{names.replace(',', ':')}(rk4)"]):
                summary = self.summary(rod, "--method", *method)
                self.assertEqual((summary["status"], summary["steps"]), ("done", 1000))
                self.assertLess(summary["max"]["position"], 2e-15)
                self.assertLess(summary["max"]["invariants"]["r2"], 2e-15)
                self.assertLess(summary["max"]["invariants"]["radial"], 4e-15)
        self.assertLess(summary["max"]["energy"], 1e-12)

    def test_what_cannot_be_returned_to_is_named(self):
        rod = self.model(ROD)
        for method in (["rk4", "--project-invariants", "r2,growing"], ["project:both:r2:growing(rk4)"],
                       ["project:joint:euclidean:growing(rk4)", "--projection", "none"]):
            result = self.call("run", rod, "--method", *method)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("; invariant growing", result.stderr)
            self.assertEqual(self.summary(rod, "--method", *method, status=1)["failure"]["constraint"], "growing")
        # Nearly at rest the energy has hardly a gradient. That does not matter unless steps lead away from it.
        rest = [rod, "--set", "x=1e-7", "--set", "y=-1", "--set", "p_y=0", "--step", 0.3, "--end", 100, "--method"]
        for method in (["rk4", "--project-invariants", "energy"], ["project:both:energy(rk4)"]):
            self.assertLess(self.summary(*rest, *method)["max"]["energy"], 1e-15)
        result = self.call("run", *rest, "project:joint:energy(euler)")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("; invariant energy", result.stderr)
        # It comes to rest, where the energy has no gradient, and is kept all the same.
        damped = [rod, "--set", "c=0.5", "--step", 0.05, "--end", 400, "--method", "rk4"]
        self.assertLess(self.summary(*damped, "--project-invariants", "energy")["max"]["energy"], 1e-14)
        # Without invariants nothing is said of them.
        for options in (["--projection", "stage"], ["--method", "project:joint(rk4)"]):
            result = self.call("run", rod, "--set", "p_y=200", "--step", 1, *options)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("did not converge", result.stderr)
            self.assertNotIn("invariant", result.stderr[result.stderr.index("error: "):])

    def test_names_of_invariants_keep_their_capitals(self):
        rod = [self.model(ROD), "--end", 1]
        summary = self.summary(*rod, "--method", "Project:Both:twoE(RK4)")
        self.assertEqual(summary["method"], "project:both:twoE(rk4)")
        self.assertLess(summary["max"]["invariants"]["twoE"], 1e-13)
        self.assertIn("did you mean 'twoE'?", self.refused("run", *rod, "--method", "project:both:twoe(rk4)"))
        for metric in ("euclid", "euclidian", "Euclid"):
            self.assertIn("did you mean 'euclidean'?", self.refused("run", *rod, "--method", f"project:both:{metric}(rk4)"))
        self.assertEqual(self.summary(*rod, "--method", "project:both:Euclidean(rk4)")["status"], "done")
        for empty in ("", " , "):
            message = self.refused("run", *rod, "--method", "rk4", "--project-invariants", empty)
            self.assertIn("names no invariant", message)
            self.assertIn("energy", message)

    def test_families_of_methods_speak_for_themselves(self):
        listed = self.call("list", "methods").stdout
        self.assertRegex(listed, r"project:KIND\(M\) +order of M ")
        self.assertNotIn("then the projection 'both'", listed)

    def test_nothing_of_a_failed_step_is_counted(self):
        # The last one makes many steps at once, at which nothing looks.
        nested = ["project:none:energy(project:both(rk4))", "--projection", "none"]
        for options in (["rk4"], ["project:both(rk4)"], ["rk4", "--projection", "joint"],
                        ["rk4", "--projection", "stage"], nested, [*nested, "--monitor", "none"]):
            run = [self.model(WALL), "--checkpoint", self.folder / "wall.ckpt", "--method", *options]
            failed = self.summary(*run, status=1)
            steps = failed["steps"]
            self.assertGreater(steps, 100)
            self.assertEqual(failed["counts"]["rhs"], 4 * steps)
            each = 4 if "stage" in options else 2 if "energy" in " ".join(options) else 1
            self.assertEqual(failed["counts"]["projections"], each * steps)
            resumed = self.summary("--resume", self.folder / "wall.ckpt", status=1)
            for key in ("steps", "counts", "projection_displacement", "state"):
                self.assertEqual(resumed[key], failed[key], options)
            # Up to there it is the same.
            done = self.summary(*run, "--end", 0.01 * steps)
            for key in ("steps", "counts", "projection_displacement", "state"):
                self.assertEqual(done[key], failed[key], options)

    def test_invariants_that_change_are_told(self):
        # At rest all rates that are odd in p vanish: the start alone does not show it.
        text = FREE + '[invariants]\nbad = "x"\n'
        for options in ([], ["--project-invariants", "bad", "--method", "rk4"]):
            summary = self.summary(self.model(text), *options, "--end", 1, "--step", 0.01)
            warning = next(each for each in summary["warnings"] if each["kind"] == "changing-invariant")
            self.assertRegex(warning["text"], r"'bad': dbad/dt = \S+ at t = ")
            self.assertEqual("leads away" in warning["text"], bool(options))
        self.assertIn("do not keep the invariant 'bad'", self.call("check", self.model(text)).stdout)
        for model in sorted(MODELS.glob("*.toml")):
            if "[invariants]" in model.read_text():
                self.assertNotIn("do not keep", self.call("check", model).stdout, model)

    def test_a_gradient_that_vanishes_is_named(self):
        # The energy of an equilibrium cannot be changed to first order.
        path = self.model(FREE.replace("x = 1", "x = 0") + 'method = "rk4"')
        self.assertEqual(self.summary(path, "--project-invariants", "energy")["status"], "done")
        # What is no invariant cannot be returned to.
        path = self.model(DAMPED.replace("total =", 'clock = "t"\ntotal ='))
        result = self.call("run", path, "--project-invariants", "energy,clock")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("; invariant clock", result.stderr)
        self.assertIn("--project-invariants", result.stderr)
        failure = self.summary(path, "--project-invariants", "energy,clock", status=1)["failure"]
        self.assertEqual((failure["during"], failure["constraint"]), ("projection", "clock"))

    def test_projections_adapt(self):
        double = [MODELS / "double_pendulum.toml", "--tolerance", 1e-8, "--end", 2]
        reference = self.summary(MODELS / "double_pendulum.toml", "--tolerance", 1e-12, "--end", 2)["state"]
        for options in (["--projection", "joint"], ["--projection", "both", "--metric", "euclidean"],
                        ["--projection", "stage", "--method", "dopri5"], ["--project-invariants", "energy"],
                        ["--projection", "symmetric", "--method", "gauss:3"],
                        ["--method", "project:joint(dopri5)", "--projection", "none"]):
            state = self.summary(*double, *options)["state"]
            self.assertLess(max(abs(state[name] - reference[name]) for name in reference), 1e-5, options)


if __name__ == "__main__":
    main()
