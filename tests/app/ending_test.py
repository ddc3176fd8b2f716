#!/usr/bin/env python3
"""Runs that end early: usage ending_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import json
import os
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # beside the sources
from model_texts import FREE  # noqa: E402
from program import MODELS, PROGRAM, ProgramTest, main  # noqa: E402


class EndingTest(ProgramTest):
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


if __name__ == "__main__":
    main()
