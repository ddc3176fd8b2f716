#!/usr/bin/env python3
"""Projections and what they are given: usage projection_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import sys

sys.dont_write_bytecode = True  # beside the sources
from model_texts import DAMPED, FREE, MOLECULE  # noqa: E402
from program import MODELS, ProgramTest, main  # noqa: E402


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
        # Those of steps that are made again count as well.
        adaptive = self.summary(*pendulum, "--method", "project:both(dopri5)", "--tolerance", 1e-6)
        self.assertEqual(adaptive["counts"]["projections"], adaptive["steps"] + adaptive["counts"]["rejected"])

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
