#!/usr/bin/env python3
"""Runs the program as a user does: usage run_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import csv
import json
import math
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""
MODELS = pathlib.Path()

FREE = """
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 + x^2/2"
[initial]
x = 1
p_x = 0
[run]
step = 0.01
end = 1
"""

COUPLED = """
title = "A mass that depends on the position"
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/(2 + 2*x^2) + y"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
x = 1
y = 0
v_x = 0
v_y = -1
[run]
step = 0.01
end = 1
"""

DAMPED = """
title = "A damped oscillator that warms up"
[parameters]
c = 0.1
weights = [1.0, 2.0, 3.0]
[system]
coordinates = ["x"]
states = ["heat"]
hamiltonian = "p_x^2/2 + x^2/2"
[equations]
heat = "c*v_x^2"
[forces]
x = "-c*v_x"
[observables]
speed = "v_x"
weighted = { each = "i in 1..3", value = "weights[i]*x" }
[invariants]
total = "p_x^2/2 + x^2/2 + heat"
[initial]
x = 1
p_x = 0
heat = 0
[run]
step = 0.01
end = 5
method = "rk4"
"""

MOLECULE = """
title = "Two rods in space, free"
[parameters]
pairs = [[1, 2], [2, 3]]
[system]
coordinates = ["r[3,3]"]
lagrangian = "sum(a in 1..3, a*norm2(v_r[a])/2)"
[constraints]
rod = { each = "(a,b) in pairs", equation = "norm2(r[a] - r[b]) = 1" }
[observables]
centre = "(r[1] + 2*r[2] + 3*r[3])/6"
pull = "lambda_rod[1,2]"
[invariants]
L = "sum(a in 1..3, cross(r[a], p_r[a]))"
[initial]
r = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
v_r = { each = "i in 1..3", value = "cross([0.3, 0.2, 1.0], r[i])" }
[run]
step = 0.01
end = 1
"""


class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=60,
                              cwd=self.folder)

    def summary(self, *arguments, status=0):
        result = self.call("run", *arguments, "--json")
        self.assertEqual(result.returncode, status, result.stderr)
        return json.loads(result.stdout)  # fails if anything else is there

    def refused(self, *arguments):
        """The message of a call that must be refused, leaving nothing behind."""
        before = sorted(self.folder.iterdir())
        result = self.call(*arguments)
        self.assertEqual(result.returncode, 2, result.stderr + result.stdout)
        self.assertEqual(result.stdout, "")
        self.assertEqual(sorted(self.folder.iterdir()), before)
        return result.stderr

    def model(self, text, name="model.toml"):
        path = self.folder / name
        path.write_text(text)
        return path

    # What a run gives.

    def test_every_ready_model_runs_and_keeps_its_constraints(self):
        files = sorted(MODELS.glob("*.toml"))
        self.assertGreater(len(files), 3)
        for file in files:
            with self.subTest(model=file.stem):
                summary = self.summary(file, "--end", 1)
                self.assertEqual(summary["status"], "done")
                self.assertEqual(summary["time"], 1)
                self.assertEqual("position" in summary["max"], "multipliers" in summary)
                self.assertLess(summary["max"].get("position", 0), 1e-11)

    def test_summary_has_the_promised_keys(self):
        summary = self.summary(MODELS / "pendulum.toml", "--end", 10)
        for key in ("status model method formulation projection time steps wall_seconds setup_seconds state "
                    "multipliers max final counts").split():
            self.assertIn(key, summary)
        self.assertEqual(summary["model"], "pendulum")
        self.assertEqual(summary["method"], "rattle")
        self.assertEqual(summary["projection"], "none")
        self.assertEqual(summary["steps"], 1000)
        self.assertEqual(sorted(summary["state"]), ["p_x", "p_y", "v_x", "v_y", "x", "y"])
        self.assertEqual(sorted(summary["max"]), ["energy", "momentum", "position"])
        self.assertLess(summary["max"]["position"], 1e-14)
        self.assertGreater(summary["counts"]["newton"], 0)
        self.assertGreater(summary["setup_seconds"], 0)
        self.assertNotIn("failure", summary)
        self.assertNotIn("initial_change", summary)
        # g = (x^2 + y^2 - 1)/2, m = 1: lambda = p^2 - y
        state = summary["state"]
        expected = state["p_x"] ** 2 + state["p_y"] ** 2 - state["y"]
        self.assertAlmostEqual(summary["multipliers"]["rod"], expected, delta=1e-13)

    def test_solution_is_that_of_the_oscillator(self):
        summary = self.summary(self.model(FREE), "--end", "2*pi", "--step", "pi/5000")
        self.assertEqual(summary["time"], 2 * math.pi)
        self.assertAlmostEqual(summary["state"]["x"], 1, delta=1e-6)
        self.assertNotIn("position", summary["max"])  # does not apply
        self.assertNotIn("multipliers", summary)

    def test_arrays_are_lists(self):
        summary = self.summary(MODELS / "chain.toml", "--set", "N=5", "--end", 0.5)
        self.assertEqual(len(summary["state"]["x"]), 5)
        self.assertEqual(len(summary["multipliers"]["rod"]), 4)
        self.assertIsInstance(summary["multipliers"]["anchor"], float)

    def test_backends_and_precisions_agree(self):
        runs = [self.summary(MODELS / "pendulum.toml", "--end", 1, *options)
                for options in ([], ["--backend", "interpreter"], ["--precision", "long"], ["--precision", "quad"])]
        self.assertEqual(runs[0]["state"], runs[1]["state"])
        self.assertAlmostEqual(runs[0]["state"]["x"], runs[3]["state"]["x"], delta=1e-13)
        self.assertLess(runs[3]["max"]["position"], 1e-32)

    def test_a_method_is_chosen_and_named(self):
        result = self.call("run", self.model(FREE))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("'rattle' was chosen", result.stderr)
        coupled = self.summary(self.model(COUPLED), "--end", 0.1)
        self.assertTrue(any("was chosen" in note for note in coupled["notes"]))
        if coupled["method"] == "rk4":
            self.assertEqual(coupled["projection"], "both")
            self.assertEqual(coupled["counts"]["projections"], 10)

    def test_velocities_are_taken_and_given(self):
        summary = self.summary(self.model(COUPLED), "--end", 0)
        # v = p / (1 + x^2)
        self.assertAlmostEqual(summary["state"]["p_y"], -2, delta=1e-15)
        self.assertAlmostEqual(summary["state"]["v_y"], -1, delta=1e-15)

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

    def test_stage_and_symmetric_projection_are_part_of_the_method(self):
        pendulum = MODELS / "pendulum.toml"
        staged = self.summary(pendulum, "--end", 1, "--projection", "stage")
        self.assertEqual((staged["method"], staged["formulation"]), ("implicit-midpoint", "standard"))
        self.assertEqual(staged["counts"]["projections"], 0)
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

    def test_monitors_are_those_asked_for(self):
        summary = self.summary(MODELS / "pendulum.toml", "--end", 1, "--monitor", "energy")
        self.assertEqual(list(summary["max"]), ["energy"])
        self.assertEqual(self.summary(MODELS / "pendulum.toml", "--end", 1, "--monitor", "none")["max"], {})

    def test_run_section_is_overridden_by_the_command_line(self):
        path = self.model(FREE + "monitor = \"energy\"\nevery = 7\nout = \"a.csv\"\n")
        summary = self.summary(path, "--step", 0.1, "--sample", 0.5, "--out", "b.csv")
        self.assertEqual(summary["steps"], 10)
        self.assertFalse((self.folder / "a.csv").exists())
        self.assertEqual([row["t"] for row in self.read_csv("b.csv")], ["0", "0.5", "1"])

    def test_states_observables_invariants_and_work_are_reported(self):
        summary = self.summary(self.model(DAMPED), "--out", "a.csv")
        state = summary["state"]
        self.assertEqual(list(state), ["x", "p_x", "v_x", "heat"])
        self.assertGreater(state["heat"], 0.1)
        self.assertAlmostEqual(summary["work"], -state["heat"], delta=1e-9)
        self.assertEqual(summary["observables"]["speed"], state["v_x"])
        self.assertEqual(summary["observables"]["weighted"], [state["x"], 2 * state["x"], 3 * state["x"]])
        self.assertLess(summary["max"]["energy"], 1e-9)  # less the work done
        self.assertLess(summary["max"]["invariants"]["total"], 1e-9)
        rows = self.read_csv("a.csv")
        self.assertEqual(list(rows[0]), ["t", "x", "p_x", "heat", "speed", "weighted[1]", "weighted[2]", "weighted[3]",
                                         "energy", "invariants.total"])
        self.assertEqual(float(rows[-1]["speed"]), state["v_x"])
        # Declared invariants are watched even if nothing else is.
        self.assertEqual(list(self.summary(self.model(DAMPED), "--monitor", "none")["max"]), ["invariants"])
        table = self.call("run", self.model(DAMPED)).stdout
        for word in ("heat", "speed", "total", "work done"):
            self.assertIn(word, table)

    def test_vectors_are_lists(self):
        summary = self.summary(self.model(MOLECULE))
        self.assertEqual(len(summary["observables"]["centre"]), 3)
        self.assertEqual(len(summary["multipliers"]["rod"]), 2)
        self.assertEqual(summary["observables"]["pull"], summary["multipliers"]["rod"][0])
        self.assertEqual([len(row) for row in summary["state"]["r"]], [3, 3, 3])
        self.assertLess(summary["max"]["invariants"]["L"], 1e-12)

    # Files.

    def read_csv(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_csv_has_every_step_and_reads_back_exactly(self):
        summary = self.summary(MODELS / "pendulum.toml", "--end", 1, "--out", "a.csv")
        rows = self.read_csv("a.csv")
        self.assertEqual(list(rows[0]), ["t", "x", "y", "p_x", "p_y", "energy", "position", "momentum"])
        self.assertEqual(len(rows), 101)
        self.assertEqual([row["t"] for row in rows[:4]], ["0", "0.01", "0.02", "0.03"])
        for name in ("x", "y", "p_x", "p_y"):
            self.assertEqual(float(rows[-1][name]), summary["state"][name])

    def test_csv_names_array_entries(self):
        self.summary(MODELS / "chain.toml", "--set", "N=3", "--end", 0.1, "--every", 5, "--out", "a.csv")
        rows = self.read_csv("a.csv")
        self.assertEqual(list(rows[0])[:4], ["t", "x[1]", "x[2]", "x[3]"])
        self.assertEqual(len(rows), 3)

    def test_samples_fall_on_steps(self):
        summary = self.summary(MODELS / "pendulum.toml", "--end", 1, "--step", 0.02, "--sample", 0.25, "--out", "a.csv")
        self.assertEqual([float(row["t"]) for row in self.read_csv("a.csv")], [0, 0.25, 0.5, 0.75, 1])
        self.assertAlmostEqual(summary["step"], 0.25 / 13)
        self.assertTrue(any("reduced" in note for note in summary["notes"]))

    # Adaptive steps.

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

    def test_a_tolerance_chooses_an_explicit_method_and_projects(self):
        text = COUPLED.replace("step = 0.01\n", "")
        result = self.call("run", self.model(text), "--tolerance", "1e-8")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("was chosen", result.stderr)
        summary = self.summary(self.model(text), "--tolerance", "1e-8")
        self.assertEqual(summary["projection"], "both")
        self.assertLess(summary["max"]["energy"], 1e-6)
        self.assertLess(summary["max"]["position"], 1e-14)

    def test_a_collision_ends_an_adaptive_run(self):
        text = FREE.replace("+ x^2/2", "- 1/x")
        result = self.call("run", self.model(text), "--method", "rk4", "--tolerance", "1e-8", "--end", "2", "--json",
                           "--out", "a.csv")
        self.assertEqual(result.returncode, 1)
        summary = json.loads(result.stdout)
        self.assertEqual(summary["failure"]["during"], "tolerance")
        self.assertGreater(summary["failure"]["error"], 1)
        self.assertAlmostEqual(summary["time"], math.pi / math.sqrt(8), delta=1e-5)
        self.assertEqual(float(self.read_csv("a.csv")[-1]["t"]), summary["time"])
        for word in ("t =", "tolerance", "advice"):
            self.assertIn(word, result.stderr)

    # Failures.

    def test_a_failing_run_keeps_what_it_has(self):
        # The chain starts slowly; its free end is soon too fast for the step.
        result = self.call("run", MODELS / "chain.toml", "--step", 0.2, "--end", 1000, "--out", "a.csv", "--json")
        self.assertEqual(result.returncode, 1, result.stdout)
        summary = json.loads(result.stdout)
        self.assertEqual(summary["status"], "failed")
        failure = summary["failure"]
        self.assertGreater(summary["steps"], 1)
        self.assertEqual(failure["step"], summary["steps"] + 1)
        self.assertEqual(failure["time"], summary["time"])
        for key in ("reason", "residual", "tolerance", "advice"):
            self.assertIn(key, failure)
        for word in ("step", "t =", "residual", "tolerance", "advice"):
            self.assertIn(word, result.stderr)
        rows = self.read_csv("a.csv")
        self.assertEqual(len(rows), summary["steps"] + 1)
        self.assertEqual(float(rows[-1]["x[7]"]), summary["state"]["x"][6])

    def test_an_interrupt_ends_cleanly(self):
        process = subprocess.Popen([PROGRAM, "run", str(MODELS / "pendulum.toml"), "--end", "1e9", "--every", "1000000",
                                    "--out", "a.csv", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, cwd=self.folder)
        deadline = time.time() + 30
        while not (self.folder / "a.csv").exists() and time.time() < deadline:
            time.sleep(0.02)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 1)
        summary = json.loads(out)
        self.assertEqual(summary["status"], "interrupted")
        self.assertGreater(summary["steps"], 0)
        self.assertEqual(float(self.read_csv("a.csv")[-1]["t"]), summary["time"])

    def test_a_full_disk_is_noticed(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        os.symlink("/dev/full", self.folder / "full.csv")
        result = self.call("run", MODELS / "pendulum.toml", "--end", 1, "--out", "full.csv")
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left", result.stderr)
        self.assertIn("after 100 steps", result.stderr)
        summary = self.summary(MODELS / "pendulum.toml", "--end", 1000, "--out", "full.csv", status=1)
        self.assertEqual(summary["status"], "failed")
        self.assertEqual(summary["failure"]["during"], "recording")
        self.assertLess(summary["steps"], 100000)

    def test_a_step_that_is_not_finite_leaves_no_trace(self):
        path = self.model(FREE.replace("p_x^2/2 + x^2/2", "p_x^2/2 + sqrt(x)^3"))
        for monitor in ("energy", "none"):
            with self.subTest(monitor=monitor):
                summary = self.summary(path, "--method", "rk4", "--step", 0.1, "--end", 10, "--monitor", monitor,
                                       "--out", "a.csv", status=1)
                rows = self.read_csv("a.csv")
                self.assertEqual(len(rows), summary["steps"] + 1)
                self.assertEqual(float(rows[-1]["t"]), summary["time"])
                self.assertEqual(float(rows[-1]["x"]), summary["state"]["x"])
                self.assertEqual(summary["failure"]["step"], summary["steps"] + 1)
                self.assertNotIn("nan", (self.folder / "a.csv").read_text())
                self.assertNotIn(None, summary["max"].values())

    def test_a_run_without_steps_has_nothing_per_step(self):
        process = self.call("run", "pendulum", "--step", 50, "--end", 100)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(process.stdout, r"steps +0 of 50\n  wall time +[^,]*; set-up")
        self.assertNotIn("per step", process.stdout)

    # Input that is refused.

    def test_bad_models_are_refused_and_nothing_is_written(self):
        for text, word in ((FREE.replace("p_x^2/2", "q_x^2/2"), "q_x"), ("[system", ""), (FREE + "stepp = 1", "step"),
                           (FREE.replace("step = 0.01", "step = \"a\""), "a"),
                           (FREE.replace("step = 0.01", "step = -0.01"), "step"),
                           (FREE.replace("x = 1\n", "x = \"1/0\"\n"), "x"),
                           (FREE + "tolerance = 2", "tolerance"), (FREE + "step-density = 3", "step-density"),
                           (FREE + "method = 3", "method")):
            with self.subTest(text=text):
                self.assertIn(word, self.refused("run", self.model(text), "--out", "a.csv"))

    def test_unknown_run_key_is_placed_and_corrected(self):
        message = self.refused("run", self.model(FREE + "projecton = \"both\""))
        self.assertIn("model.toml:", message)
        self.assertIn("'projection'", message)

    def test_mistakes_have_one_form(self):
        """PLACE: error: WHAT, the text with a mark under it, and a suggestion."""
        pendulum = str(MODELS / "pendulum.toml")
        for arguments, place, hint in (
                (["--step", "1+"], "--step:1:2: error: ", ""), (["--end", "x"], "--end:1:1: error: ", "parameters"),
                (["--method", "ratle"], "--method:1:1: error: ", "did you mean 'rattle'?"),
                (["--formulation", "standrd"], "--formulation:1:1: error: ", "did you mean 'standard'?"),
                (["--projection", "x"], "--projection:1:1: error: ", "choose none, position"),
                (["--precision", "half"], "--precision:1:1: error: ", "choose double, long, quad"),
                (["--every", "0"], "--every:1:1: error: ", ""), (["--set", "mm=1"], "--set:1:1: error: ", "'m'"),
                (["--out", "no/such/x.csv"], "--out:1:1: error: ", "")):
            with self.subTest(arguments=arguments):
                message = self.refused("run", pendulum, *arguments)
                self.assertTrue(message.startswith(place), message)
                self.assertIn(hint, message)
                self.assertIn("^", message)
        for line, column, hint in (("methd = \"rk4\"", 1, "did you mean 'method'?"), ("  every = 0", 11, "at least 1"),
                                   ("method = \"rk5\"", 11, "did you mean 'rk4'?"), ("json = 3", 8, "true or false"),
                                   ("threads = 2", 1, "not supported by this version yet")):
            with self.subTest(line=line):
                for command in ("run", "check"):
                    path = self.model(FREE + line)
                    if command == "check" and "rk5" in line:
                        continue  # the method is chosen by a run
                    message = self.refused(command, path)
                    self.assertTrue(message.startswith(f"{path}:{len(FREE.splitlines()) + 1}:{column}: error: "), message)
                    self.assertIn(hint, message)
                    self.assertIn("^", message)
                    self.assertIn(line, message)

    def test_unknown_options_are_pointed_at(self):
        for arguments, hint in ((["--tolerence", "3"], "'--tolerance'"), (["--step=0.1", "--metod=rk4"], "'--method'"),
                                (["--output", "a.csv"], "'--out'"), (["--proj", "none"], "command line"),
                                (["more"], "more"), (["--step"], "needs a value")):
            message = self.refused("run", "pendulum", *arguments)
            self.assertTrue(message.startswith("command line:1:"), message)
            self.assertIn("  1 | cotangent run pendulum " + " ".join(arguments), message)
            self.assertIn(hint, message)
        for option in "report threads seed".split():
            self.assertIn(f"'--{option}' is not supported by this version yet",
                          self.refused("run", "pendulum", f"--{option}", "1"))

    def test_a_start_where_something_is_undefined_is_refused(self):
        for hamiltonian, x, words in (("log(x)", -1, "the Hamiltonian is nan"), ("1/x", 0, "the Hamiltonian is inf"),
                                      ("abs(x)^0.5", 0, "the derivative of the Hamiltonian by x")):
            text = FREE.replace("+ x^2/2", "+ " + hamiltonian).replace("x = 1", f"x = {x}")
            message = self.refused("run", self.model(text), "--out", "a.csv")
            self.assertIn(words, message)
            self.assertIn("initial data", message)
        text = COUPLED.replace("x^2 + y^2 = 1", "y = log(-x)")
        self.assertIn("the constraint 'rod' is nan", self.refused("run", self.model(text)))

    def test_options_that_change_nothing_are_noted(self):
        pendulum = str(MODELS / "pendulum.toml")
        for model, arguments, word in (
                (pendulum, ["--project-every", 5], "--project-every"),
                (pendulum, ["--projection", "none", "--project-above", 1e-3], "--project-above"),
                (pendulum, ["--projection", "symmetric", "--project-every", 2], "part of every step"),
                (pendulum, ["--projection", "none", "--metric", "euclidean"], "--metric"),
                (pendulum, ["--projection", "symmetric", "--metric", "euclidean"], "--metric"),
                (pendulum, ["--every", 5], "--every"),
                (self.model(FREE), ["--projection", "both"], "--projection"),
                (self.model(FREE), ["--formulation", "baumgarte", "--baumgarte", 5], "no constraints"),
                (pendulum, ["--formulation", "impetus", "--projection", "both", "--impetus-reset", 5], "resets p*"),
                (pendulum, ["--formulation", "standard", "--gauge", 5], "dirac-weak"),
                (self.model(FREE), ["--monitor", "energy,position"], "'position'")):
            with self.subTest(arguments=arguments):
                notes = self.summary(model, "--end", 0.1, *arguments)["notes"]
                self.assertTrue(any(word in note for note in notes), notes)
        self.assertNotIn("notes", self.summary(pendulum, "--end", 0.1))

    def test_data_that_are_kept_are_noted_if_a_step_leaves_them(self):
        pendulum = str(MODELS / "pendulum.toml")
        kept = ["--set", "x=1.2", "--initial", "as-given", "--end", 0.1]
        for arguments, word in (([], "'rattle'"), (["--method", "rk4"], "'both'")):
            with self.subTest(arguments=arguments):
                notes = self.summary(pendulum, *kept, *arguments)["notes"]
                self.assertTrue(any("--initial" in note and word in note for note in notes), notes)
        self.assertNotIn("notes", self.summary(pendulum, *kept, "--method", "rk4", "--projection", "none"))
        impetus = [*kept, "--method", "gauss:2", "--formulation", "impetus", "--projection", "none"]
        self.assertNotIn("notes", self.summary(pendulum, *impetus))
        notes = self.summary(pendulum, *impetus, "--set", "p_x=1")["notes"]
        self.assertIn("returns to G H_p = 0, but not to g = 0", notes[0])
        self.assertNotIn("notes", self.summary(pendulum, "--initial", "as-given", "--end", 0.1))

    def test_a_function_that_is_not_finite_is_shown(self):
        text = COUPLED.replace("x^2 + y^2 = 1", "log(-x) + y^2 = 1")
        for command in ("run", "check"):
            shown = self.refused(command, self.model(text))
            self.assertIn("log(-x)", shown)
            self.assertRegex(shown, r"\.toml:\d+:\d+: error: ")
            self.assertIn("^~~~~~~", shown)

    def test_contradictory_data_name_the_constraint(self):
        text = COUPLED.replace("x^2 + y^2 = 1", "x^2 + y^2 = -1")
        self.assertIn("'rod'", self.refused("run", self.model(text), "--out", "a.csv"))

    def test_bad_options_are_refused(self):
        pendulum = str(MODELS / "pendulum.toml")
        for arguments, word in (
                (["--metod", "rattle"], "--method"), (["--method", "ratle"], "'rattle'"),
                (["--method", "rattle", "--formulation", "dirac"], "dirac"), (["--projection", "bothe"], "'both'"),
                (["--monitor", "enrgy"], "'energy'"), (["--out", "x.h5"], ".h5"), (["--out", "x.npz"], ".npz"),
                (["--out", "no/such/folder/x.csv"], "no/such"), (["--end", "-1"], "forward"), (["--step", "0"], "step"),
                (["--step", "0.1", "--step", "0"], "--step is given more than once"),
                (["--step", "abc"], "abc"), (["--end", "x"], "x"), (["--every", "0"], "every"),
                (["--every", "1.5"], "integer"), (["--every", "2", "--sample", "1"], "either"),
                (["--precision", "half"], "half"), (["--backend", "gpu"], "gpu"),
                (["--backend", "jit", "--precision", "quad"], "quad"), (["--initial", "guess"], "guess"),
                (["--set", "mm=1"], "mm"), (["--project-every", "0"], "project-every"),
                (["--report", "x.html"], "--report"), (["--tolerance", "0"], "--tolerance:1:1: error: "),
                (["--tolerance", "1e-20"], "--precision quad"), (["--tolerance", "x"], "parameters"),
                (["--tolerance", "1e-6", "--absolute-tolerance", "-1"], "--absolute-tolerance:1:1: error: "),
                (["--tolerance", "1e-6", "--controller", "reversibel"], "'reversible'"),
                (["--tolerance", "1e-6", "--controller", "reversible", "--method", "rk4"], "symmetric"),
                (["--tolerance", "1e-6", "--step-density", "q"], "--step-density:1:1: error: "),
                (["--tolerance", "1e-6", "--step-density", "x - 5"], "positive"),
                (["--tolerance", "1e-6", "--step-density", "3 + p_y"], "opposite momenta"),
                (["--tolerance", "1e-6", "--step", "-1"], "step")):
            with self.subTest(arguments=arguments):
                self.assertIn(word, self.refused("run", pendulum, *arguments))

    def test_options_of_formulations_are_blamed_themselves(self):
        pendulum = str(MODELS / "pendulum.toml")
        for option, value, word in (("chart", "foo", "partition, qr, svd"), ("chart-update", "foo", "midpoint"),
                                    ("baumgarte", "5,-1", "0 or more"), ("baumgarte", "5,", "missing"),
                                    ("baumgarte", "5,2*k", "unknown name 'k'"), ("impetus-reset", "0", "at least 1"),
                                    ("impetus-reset-above", "-1", "larger than 0"), ("gauge", "x", "parameters")):
            for formulation in ("state-space", "standard"):
                with self.subTest(option=option, value=value, formulation=formulation):
                    message = self.refused("run", pendulum, "--formulation", formulation, f"--{option}={value}")
                    self.assertTrue(message.startswith(f"--{option}:1:"), message)
                    self.assertEqual(message.count("error:"), 1, message)
                    self.assertIn(word, message)
        for line, column, word in (('chart = "foo"', 10, "partition"), ('baumgarte = [5, "k"]', 13, "unknown name 'k'"),
                                   ("impetus-reset = 0", 17, "at least 1"), ('gauge = "2*x"', 12, "'x'")):
            with self.subTest(line=line):
                path = self.model(COUPLED + 'formulation = "state-space"\n' + line + "\n")
                for command in ("run", "check"):
                    message = self.refused(command, path)
                    self.assertRegex(message, rf"^{path}:{len(COUPLED.splitlines()) + 2}:{column}: error: ")
                    self.assertEqual(message.count("error:"), 1, message)
                    self.assertIn(word, message)

    def test_rates_that_multiply_rounding_errors_are_refused(self):
        pendulum = str(MODELS / "pendulum.toml")
        for arguments, option in ((["--formulation", "dirac", "--gauge", "1e100"], "gauge"),
                                  (["--formulation", "dirac-weak", "--gauge", "-1e20"], "gauge"),
                                  (["--formulation", "dirac-weak", "--gauge", "1e20", "--tolerance", "1e-6"], "gauge"),
                                  (["--formulation", "baumgarte", "--baumgarte", "1e100,1"], "baumgarte"),
                                  (["--formulation", "baumgarte", "--baumgarte", "1,1e9"], "baumgarte")):
            with self.subTest(arguments=arguments):
                message = self.refused("run", pendulum, *arguments)
                self.assertTrue(message.startswith(f"--{option}:1:1: error: "), message)
                self.assertIn("rounding errors", message)
        self.summary(pendulum, "--formulation", "dirac-weak", "--gauge", "-1e6", "--end", 1)

    def test_numbers_of_formulations_may_be_expressions(self):
        pendulum = str(MODELS / "pendulum.toml")
        common = ["--method", "rk4", "--projection", "none", "--end", 0.5]
        base = [pendulum, "--formulation", "baumgarte", *common, "--set", "x=1.01", "--initial", "as-given"]
        plain = self.summary(*base, "--baumgarte", "5,8")["state"]
        self.assertEqual(self.summary(*base, "--baumgarte", "5*m, max(2, 3)+5*l")["state"], plain)
        self.assertNotEqual(self.summary(*base, "--baumgarte", "5")["state"], plain)
        self.assertEqual(self.summary(*base, "--baumgarte", "5")["state"],
                         self.summary(*base, "--baumgarte", "5,5")["state"])
        text = pathlib.Path(pendulum).read_text()
        for value in ('"5,8"', "[5, 8]", '["5*m", 8]', '"5*m,8*l"'):
            path = self.model(text.replace("[run]\n", f"[run]\nbaumgarte = {value}\n"))
            self.assertEqual(self.summary(path, *base[1:])["state"], plain, value)
        weak = ["--formulation", "dirac-weak", *common, "--set", "x=1.01", "--initial", "as-given"]
        gauge = self.model(text.replace("[run]\n", '[run]\ngauge = "-m/2"\n'))
        self.assertEqual(self.summary(gauge, *weak)["state"], self.summary(pendulum, *weak, "--gauge", "-0.5")["state"])

    # Minimal coordinates.

    def test_minimal_coordinates_that_do_not_fit_are_blamed(self):
        rod = COUPLED.replace("(2 + 2*x^2)", "2").replace("x = 1", "x = 0.6").replace("y = 0", "y = -0.8").replace(
            "v_y = -1", "v_y = 0") + 'formulation = "lagrange-2"\n'
        line = len(rod.splitlines()) + 1
        for minimal, word in (('x = "a"\ny = "sqrt(1 - a^2)"', "does not reach the initial position x = 0.6, y = -0.8"),
                              ('x = "a"\ny = "-2*sqrt(1 - a^2)"', "violates the constraint 'rod'")):
            path = self.model(rod + '[minimal]\ncoordinates = ["a"]\n' + minimal)
            message = self.refused("run", path, "--out", "a.csv")
            self.assertTrue(message.startswith(f"{path}:{line}:1: error: [minimal] "), message)
            self.assertIn(word, message)
        path = self.model(rod + '[minimal]\ncoordinates = ["a", "b"]\nx = "sin(a + b)"\ny = "-cos(a + b)"')
        self.assertTrue(self.refused("run", path).startswith(f"{path}:{line}:1: error: the minimal coordinates are not"))
        path = self.model(rod + '[minimal]\ncoordinates = ["a"]\nx = "sin(a)"\ny = "-cos(a)"\nguess = { a = 1e30 }')
        self.assertLess(self.summary(path)["max"]["energy"], 1e-5)

    def test_minimal_coordinates_have_no_points_off_the_constraints(self):
        for value in ("x=1.1", "p_x=1"):
            message = self.refused("run", "pendulum", "--formulation", "lagrange-2", "--method", "rk4", "--initial",
                                   "as-given", "--set", value)
            self.assertTrue(message.startswith("--initial:1:1: error: "), message)

    def test_a_branch_that_ends_is_told(self):
        text = COUPLED.replace("(2 + 2*x^2)", "2").replace("x = 1", "x = 0.6").replace("y = 0", "y = -0.8")
        text = text.replace("v_x = 0", "v_x = 2.4").replace("v_y = -1", "v_y = 1.8")
        path = self.model(text + '[minimal]\ncoordinates = ["a"]\nx = "a"\ny = "-sqrt(1 - a^2)"')
        result = self.call("run", path, "--formulation", "lagrange-2", "--method", "gauss:2", "--end", 3)
        self.assertEqual(result.returncode, 1)
        self.assertIn("[minimal]", result.stderr)
        for word in ("friction", "residual"):
            self.assertNotIn(word, result.stderr)

    def test_missing_files_and_commands_are_refused(self):
        self.assertIn("no such file", self.refused("run", "nowhere.toml"))
        self.assertIn("'pendulum'", self.refused("run", "pendulm"))
        self.assertIn("'run'", self.refused("rnu", "pendulum"))
        self.refused("run")
        self.refused("list")
        self.refused("list", "everything")

    def test_step_and_end_are_required(self):
        bare = self.model(FREE.split("[run]")[0])
        self.assertIn("--step", self.refused("run", bare, "--end", "1"))
        self.assertIn("--end", self.refused("run", bare, "--step", "1"))

    # What is printed.

    def test_table_is_short_and_quiet_is_quiet(self):
        result = self.call("run", "pendulum", "--end", 1)
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr, "")
        self.assertLess(len(result.stdout.splitlines()), 30)
        for word in ("rattle", "energy", "position", "momentum", "done"):
            self.assertIn(word, result.stdout)
        small = self.call("run", "chain", "--set", "N=2", "--end", 0.1)
        for word in ("x[1]", "y[2]", "rod[2]"):
            self.assertIn(word, small.stdout)
        big = self.call("run", "chain", "--end", 0.1)
        self.assertLess(len(big.stdout.splitlines()), 20)
        quiet = self.call("run", self.model(FREE), "--quiet")
        self.assertEqual((quiet.stdout, quiet.stderr), ("", ""))

    def test_progress_is_for_terminals_only(self):
        terminal, device = pty.openpty()
        process = subprocess.Popen([PROGRAM, "run", str(MODELS / "pendulum.toml"), "--end", "20000"], stderr=device,
                                   stdout=subprocess.DEVNULL)
        process.wait(timeout=60)
        os.close(device)
        drawn = b""
        try:
            while chunk := os.read(terminal, 65536):
                drawn += chunk
        except OSError:
            pass
        self.assertIn(b" %  t = ", drawn)
        piped = self.call("run", MODELS / "pendulum.toml", "--end", "20000")
        self.assertEqual(piped.stderr, "")

    def test_help_teaches(self):
        for arguments in ([], ["--help"]):
            result = self.call(*arguments)
            self.assertEqual(result.returncode, 0)
            self.assertIn("Examples:", result.stdout)
            self.assertIn("cotangent run pendulum", result.stdout)
        self.assertIn("--step", self.call("run", "--help").stdout)

    def test_check_says_what_was_understood(self):
        result = self.call("check", "chain", "--set", "N=7")
        self.assertEqual(result.returncode, 0, result.stderr)
        for word in ("Hanging chain", "N = 7", "n = 14", "m = 7", "rod (6)", "separable"):
            self.assertIn(word, result.stdout)
        facts = json.loads(self.call("check", self.model(COUPLED), "--json").stdout)
        self.assertEqual(facts["degrees_of_freedom"], 1)
        self.assertFalse(facts["separable"])
        self.assertEqual([entry["name"] for entry in facts["conserved"]], ["energy"])

    def test_check_finds_what_is_conserved(self):
        result = self.call("check", "spherical_pendulum")
        self.assertIn("angular momentum about z: x*p_y - y*p_x", result.stdout)
        self.assertIn("energy", result.stdout)
        facts = json.loads(self.call("check", self.model(MOLECULE), "--json").stdout)
        self.assertEqual(facts["kind"], "lagrangian")
        self.assertEqual(facts["degrees_of_freedom"], 7)
        self.assertEqual(facts["invariants"], {"L": 3})
        self.assertEqual(facts["observables"], {"centre": 3, "pull": 1})
        self.assertEqual(facts["parameters"]["pairs"], [[1, 2], [2, 3]])
        self.assertEqual(len(facts["conserved"]), 7)
        # What is found can be declared, and is then kept.
        found = [entry["expression"] for entry in facts["conserved"] if "expression" in entry]
        declared = "".join(f'found_{k} = "{expression}"\n' for k, expression in enumerate(found))
        summary = self.summary(self.model(MOLECULE.replace("[invariants]\n", "[invariants]\n" + declared)))
        self.assertEqual(len(summary["max"]["invariants"]), 7)
        self.assertLess(max(summary["max"]["invariants"].values()), 1e-12)

        damped = json.loads(self.call("check", self.model(DAMPED), "--json").stdout)
        self.assertEqual((damped["forces"], damped["conserved"], damped["states"]), (["x"], [], {"heat": []}))
        self.assertFalse(damped["time_dependent"])

    def test_redundant_constraints_are_named(self):
        facts = json.loads(self.call("check", "redundant_four_bar", "--json").stdout)
        self.assertEqual(facts["degrees_of_freedom"], 1)
        self.assertEqual(facts["redundant"], [{"constraint": "middle", "follows_from": ["left", "right"]}])
        summary = self.summary("redundant_four_bar", "--end", 1)
        self.assertEqual([warning["kind"] for warning in summary["warnings"]], ["redundant-constraints"])
        self.assertIn("'middle'", summary["warnings"][0]["text"])
        self.assertIn("warning: ", self.call("run", "redundant_four_bar", "--end", 1).stderr)
        self.assertNotIn("warnings", self.summary("four_bar", "--end", 1))

    def test_a_singular_configuration_is_told(self):
        warnings = self.summary("parallelogram")["warnings"]
        self.assertIn(warnings[0]["kind"], ("near-singular", "rank-loss"))
        self.assertGreater(warnings[0]["time"], 0)
        self.assertIn("condition number", warnings[0]["text"])

    def test_check_refuses_what_a_run_refuses(self):
        self.refused("check", self.model(FREE + "stepp = 1"))

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
    PROGRAM = os.path.abspath(sys.argv[1])
    MODELS = pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
