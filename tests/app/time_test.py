#!/usr/bin/env python3
"""Runs that begin later, and runs that go backwards: usage time_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import math
import sys

sys.dont_write_bytecode = True  # beside the sources
from program import MODELS, ProgramTest, main  # noqa: E402

# x = sin(t) + cos(t/2), driven and with a constraint that moves: everything knows the time.
DRIVEN = """
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2"
[constraints]
lead = "y = 2*sin(t)"
[forces]
x = "-sin(t) - cos(t/2)/4"
[exact]
x = "sin(t) + cos(t/2)"
y = "2*sin(t)"
[initial]
x = "sin(t) + cos(t/2)"
y = "2*sin(t)"
p_x = "cos(t) - sin(t/2)/2"
p_y = "2*cos(t)"
[run]
step = 0.01
end = 1
"""

STATES = ("x", "y", "p_x", "p_y")


class TimeTest(ProgramTest):
    def expect_state(self, summary, state, places):
        for name in STATES:
            self.assertAlmostEqual(summary["state"][name], float(state[name]), places, name)

    def test_a_run_there_and_back_ends_where_it_began(self):
        """To rounding for symmetric methods, to the order of their errors for others."""
        pendulum = MODELS / "pendulum.toml"
        start = {"x": 1, "y": 0, "p_x": 0, "p_y": -2}
        for method, places in (("rattle", 12), ("gauss:2", 12), ("lobatto:3", 12), ("symmetric(gauss:2)", 12),
                               ("compose:4(rattle)", 12), ("shake", 12), ("rk4", 7), ("dop853", 12), ("hem4", 6),
                               ("radau-iia:3", 8)):
            with self.subTest(method=method):
                forth = self.summary(pendulum, "--method", method, "--step", 0.01, "--end", 1, "--out", "f.csv")
                self.assertEqual(forth["time"], 1)
                back = self.summary(pendulum, "--method", method, "--step", 0.01, "--start", 1, "--end", 0,
                                    "--initial-from", "f.csv", "--every", 50, "--out", "b.csv", "--certify")
                self.expect_state(back, start, places if method != "shake" else 2)
                self.assertEqual(back["time"], 0)
                self.assertEqual(back["steps"], 100)
                self.assertEqual(back["step"], 0.01)
                self.assertEqual([row["t"] for row in self.read_csv("b.csv")], ["1", "0.5", "0"])
        short = self.summary(pendulum, "--start", 1.005, "--end", 0, "--every", 50, "--out", "b.csv")
        self.assertEqual(short["steps"], 101)
        self.assertEqual([row["t"] for row in self.read_csv("b.csv")], ["1.005", "0.505", "0.005", "0"])

    def test_adaptive_steps_go_backwards(self):
        pendulum = MODELS / "pendulum.toml"
        start = {"x": 1, "y": 0, "p_x": 0, "p_y": -2}
        for options, places in ((["--method", "dop853", "--tolerance", 1e-11], 9),
                                (["--method", "rattle", "--tolerance", 1e-5], 9),
                                (["--method", "radau-iia:3", "--tolerance", 1e-9], 6)):
            with self.subTest(options=options):
                self.summary(pendulum, *options, "--end", 3, "--out", "f.csv")
                back = self.summary(pendulum, *options, "--initial-from", "f.csv", "--start", 3, "--end", 0, "--sample", 1,
                                    "--out", "b.csv", "--certify")
                self.assertEqual([row["t"] for row in self.read_csv("b.csv")], ["3", "2", "1", "0"])
                self.assertGreater(back["smallest_step"], 0)
                self.assertGreater(back["step"], 0)
                # Reversible steps are chosen anew at the end: they do not meet the points of the way there.
                self.expect_state(back, start, places if "rattle" not in options else 2)

    def test_functions_of_the_time_know_it(self):
        model = self.model(DRIVEN)
        for start, end in ((0, 2), (2, 5), (2, -1.5), (-3, -4)):
            for options in ([], ["--tolerance", 1e-10], ["--method", "gauss:2"]):
                with self.subTest(start=start, end=end, options=options):
                    run = self.summary(model, "--start", start, "--end", end, "--reference", "exact", *options)
                    self.assertEqual(run["time"], end)
                    self.assertAlmostEqual(run["state"]["x"], math.sin(end) + math.cos(end / 2), 4)
                    self.assertLess(run["max"]["error"], 1e-4)
                    self.assertGreater(run["max"]["error"], 0)
                    self.assertNotIn("notes", [note for note in run.get("notes", []) if "[exact]" in note])

    def test_references_and_certificates_of_backward_runs(self):
        pendulum = MODELS / "pendulum.toml"
        run = self.summary(pendulum, "--start", 2, "--end", -3, "--certify", "--growth")
        self.assertTrue(run["certificate"]["holds"])
        self.assertLess(run["certificate"]["error"]["final"], 1e-2)
        self.assertIn("energy", run["growth"])
        self.summary(pendulum, "--start", 2, "--end", -3, "--sample", 0.5, "--out", "r.csv")
        half = self.summary(pendulum, "--start", 2, "--end", -3, "--step", 0.005, "--sample", 0.5, "--reference", "r.csv")
        self.assertGreater(half["max"]["error"], 0)
        self.assertLess(half["max"]["error"], 1e-2)
        self.assertEqual(half["warnings"], [])

    def test_a_section_is_the_same_in_both_directions(self):
        points = {}
        for name, options in (("f", ["--end", 30]), ("b", ["--initial-from", "f.csv", "--start", 30, "--end", 0])):
            self.summary("henon_heiles", "--method", "gauss:3", "--section", "x", "--section-out", name + "s.csv", "--out",
                         name + ".csv", *options)
            points[name] = [(float(row["t"]), float(row["y"])) for row in self.read_csv(name + "s.csv")]
        self.assertGreater(len(points["f"]), 2)
        self.assertEqual(len(points["f"]), len(points["b"]))
        for forth, back in zip(points["f"], reversed(points["b"])):
            self.assertAlmostEqual(forth[0], back[0], 9)
            self.assertAlmostEqual(forth[1], back[1], 9)

    def test_backward_runs_are_resumed_to_the_bit(self):
        model = self.model(DRIVEN)
        for options in (["--method", "rattle"], ["--method", "dop853", "--tolerance", 1e-8, "--sample", 0.3]):
            with self.subTest(options=options):
                common = [model, "--start", 1.5, *options, "--certify"]
                whole = self.summary(*common, "--end", -2, "--out", "a.csv")
                interrupted = self.call("run", *common, "--end", -2, "--out", "b.csv", "--checkpoint", "b.ckpt",
                                        "--checkpoint-every", 7)
                self.assertEqual(interrupted.returncode, 0, interrupted.stderr)
                self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes())
                if "rattle" in options:
                    self.summary(*common, "--end", -1, "--out", "b.csv", "--checkpoint", "b.ckpt")
                    resumed = self.summary("--resume", "b.ckpt", "--end", -2)
                    self.assertEqual(resumed["state"], whole["state"])
                    self.assertEqual(resumed["max"], whole["max"])
                    self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes())
                    message = self.refused("run", "--resume", "b.ckpt", "--end", 3)
                    self.assertIn("--end", message)
                    self.assertIn("backwards", message)

    def test_lyapunov_and_periodograms_know_where_a_run_began(self):
        forth = self.summary("pendulum", "--end", 20, "--monitor", "lyapunov", "--periodogram", "x")
        later = self.summary("pendulum", "--start", 5, "--end", 25, "--monitor", "lyapunov", "--periodogram", "x")
        self.assertAlmostEqual(forth["final"]["lyapunov"], later["final"]["lyapunov"], 9)
        for one, other in zip(forth["periodogram"]["x"]["peaks"], later["periodogram"]["x"]["peaks"]):
            self.assertAlmostEqual(one["frequency"], other["frequency"], 9)

    def test_bad_times_are_refused_by_name(self):
        for options, option, words in ((["--start", "inf"], "--start", "finite"), (["--step", -0.1], "--step", "positive"),
                                       (["--step", -0.1, "--end", -1], "--step", "positive"),
                                       (["--sample", "1e300"], "--sample", "more parts"),
                                       (["--end", "1e300"], "--end", "more parts"),
                                       (["--end", "1e300", "--step", "0.1"], "--step", "more parts"),
                                       (["--start", "1e17", "--end", "1.0000000000001e17", "--step", 1], "--step", "no difference"),
                                       (["--tolerance", "1e-6", "--step", "1e-30"], "--step", "no difference"),
                                       (["--tolerance", "2.2e-15"], "--tolerance", "no less than 2.3e-15")):
            with self.subTest(options=options):
                message = self.refused("run", "pendulum", *options)
                self.assertTrue(message.startswith(option + ":1:1: error: "), message)
                self.assertIn(words, message)
        self.summary("pendulum", "--tolerance", "2.3e-15", "--end", 0.01)
        self.assertEqual(self.summary("pendulum", "--end", 0)["steps"], 0)


if __name__ == "__main__":
    main()
