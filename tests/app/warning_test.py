#!/usr/bin/env python3
"""What a run says of itself that is no success: usage warning_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import json
import sys

sys.dont_write_bytecode = True  # beside the sources
from program import ProgramTest, main  # noqa: E402

LINE = """
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 + {potential}"
{tables}
[initial]
x = -1
p_x = 1
[run]
method = "rattle"
step = 0.01
end = 3
"""


class WarningTest(ProgramTest):
    def kinds(self, *arguments, status=0):
        return [warning["kind"] for warning in self.summary(*arguments, status=status).get("warnings", [])]

    def line(self, potential, tables=""):
        return self.model(LINE.format(potential=potential, tables=tables))

    def test_an_explosion_is_no_success(self):
        options = ("pendulum", "--method", "rk4", "--projection", "none", "--step", 0.05)
        summary = self.summary(*options, "--end", 500, "--certify")
        self.assertGreater(abs(summary["state"]["x"]), 1e50)
        self.assertEqual([warning["kind"] for warning in summary["warnings"]], ["energy-lost"])
        self.assertFalse(summary["certificate"]["holds"])
        without = self.summary(*options, "--end", 500, "--monitor", "none")
        self.assertEqual([warning["kind"] for warning in without["warnings"]], ["energy-lost"])
        # Numbers that are no longer finite are a failure; a short run is good.
        self.assertEqual(self.summary(*options, "--end", 5000, status=1)["status"], "failed")
        good = self.summary(*options, "--end", 50, "--certify")
        self.assertEqual((good.get("warnings", []), good["certificate"]["holds"]), ([], True))

    def test_the_energy_is_measured_by_the_motion(self):
        # A constant in H changes nothing, nor does rest; what friction takes is no error.
        for potential, options, expected in (
            ("50*x^2 + 1e6", ("--step", 0.01), []),
            ("50*x^2 + 1e6", ("--step", 0.19, "--end", 20), ["energy-lost"]),
            ("50*x^2", ("--set", "x=0", "--set", "p_x=0"), []),
            ("50*x^2", ("--set", "p_x=0", "--method", "euler", "--step", 1e-4, "--end", 1), []),  # little energy at first
            ("50*(x - 1e3)^2 - 1", ("--set", "x=1e3", "--set", "p_x=0"), []),
        ):
            self.assertEqual(self.kinds(self.line(potential), *options), expected, (potential, options))
        slow = self.line("x", '[forces]\nx = "-1e4*v_x"')
        self.assertEqual(self.kinds(slow, "--method", "radau-iia:3", "--end", 10), [], "a layer is passed in one step")
        self.assertEqual(self.kinds(slow, "--method", "rk4", "--end", 0.05), ["energy-lost"])
        # Stable up to 0.2, and no motion of the oscillator from 0.141 on.
        for step, lost in ((0.13, []), (0.15, ["energy-lost"]), (0.199, ["energy-lost"])):
            summary = self.summary(self.line("50*x^2"), "--method", "stormer-verlet", "--set", "x=0", "--step", step,
                                   "--end", 100, "--certify")
            self.assertEqual(([warning["kind"] for warning in summary["warnings"]], summary["certificate"]["holds"]),
                             (lost, not lost), step)
        table = self.call("run", self.line("50*x^2")).stdout
        self.assertIn("H(0) = 50.5", table)
        self.assertEqual(self.summary(self.line("50*x^2"))["initial_energy"], 50.5)

    def test_the_energy_that_a_jump_takes_is_no_fault_of_the_steps(self):
        warnings = self.summary(self.line("if(x > 0, 10, 0)"))["warnings"]
        self.assertEqual(sorted(warning["kind"] for warning in warnings), ["energy-lost", "jump"])
        text = next(warning["text"] for warning in warnings if warning["kind"] == "energy-lost")
        self.assertIn("the Hamiltonian has jumped before", text)
        self.assertNotIn("shorter", text)

    def test_short_steps_across_a_jump_are_no_collision(self):
        for function, is_jump in (("2*abs(x)", True), ("-1/(1e-12 + x^2)^(1/2)", False)):
            warnings = self.summary(self.line(function), "--method", "dop853", "--tolerance", 1e-10)["warnings"]
            texts = [warning["text"] for warning in warnings if warning["kind"] == "short-steps"]
            self.assertEqual([text.endswith("steps become short across a jump, too") for text in texts], [is_jump])

    def test_jumps_are_told_at_the_first_crossing(self):
        summary = self.summary(self.line("if(x > 0, 1, 0)"), "--certify")
        jump = [warning for warning in summary["warnings"] if warning["kind"] == "jump"]
        self.assertEqual(len(jump), 1)
        self.assertAlmostEqual(jump[0]["time"], 1, delta=1e-9)
        self.assertIn("the Hamiltonian jumps at t = 1, at '0 < x'", jump[0]["text"])
        self.assertIsNone(summary["certificate"]["error"]["final"])
        self.assertEqual(self.kinds(self.line("abs(x)")), ["jump"])
        self.assertEqual(self.kinds(self.line("max(x, 0)^2")), [])
        self.assertEqual(self.kinds(self.line("if(x > 9, 1, 0)")), [])
        # Nothing of the run changes, and a run that is resumed says the same.
        kink = self.line("abs(x)")
        whole = self.summary(kink, "--end", 3)
        self.summary(kink, "--end", 0.5, "--checkpoint", "half.ckpt")
        resumed = self.summary("--resume", "half.ckpt", "--end", 3)
        self.assertEqual((resumed["state"], resumed["warnings"]), (whole["state"], whole["warnings"]))

    def test_sticking_friction_is_blamed_for_a_failure(self):
        text = """
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[forces]
x = "{force}"
[constraints]
line = "y = 0"
[initial]
x = 0
y = 0
p_x = 1
p_y = 0
[run]
step = 0.01
end = 5
"""
        for start in (1, 1.0031):  # at the end of a step, and within one
            failed = self.summary(self.model(text.format(force="-0.5*sign(v_x)")), "--set", f"p_x={start}", status=1)
            self.assertIn("jumps", failed["failure"]["advice"])
            self.assertIn("the force on 'x' jumps", failed["warnings"][0]["text"])
        self.assertEqual(self.kinds(self.model(text.format(force="-0.5*tanh(v_x/0.1)"))), [])

    def test_initial_data_that_are_moved_far(self):
        self.assertEqual(self.kinds("pendulum", "--set", "x=1.1", "--end", 1), [])
        self.assertEqual(self.kinds("pendulum", "--set", "x=3", "--end", 1), ["moved-initial-data"])
        self.assertEqual(self.kinds("pendulum", "--set", "x=0.3", "--end", 1), ["moved-initial-data"])
        late = self.summary("pendulum", "--set", "x=0.3", "--start", 5, "--end", 6)["warnings"]
        self.assertEqual([(warning["kind"], warning["time"]) for warning in late], [("moved-initial-data", 5)])
        self.assertIn("lengths of the system", self.call("check", "pendulum", "--set", "x=3").stdout)

    def test_invariants_are_tested_along_the_run(self):
        wall = self.line("if(x > 10, 500*(x - 10)^2, 0)", '[invariants]\nP = "p_x"')
        options = (wall, "--method", "rk4", "--project-invariants", "P", "--certify")
        free = self.summary(*options, "--end", 9)
        self.assertEqual((free.get("warnings", []), free["certificate"]["holds"]), ([], True))
        summary = self.summary(*options, "--end", 12)
        changing = [warning for warning in summary["warnings"] if warning["kind"] == "changing-invariant"]
        self.assertEqual(len(changing), 1)
        self.assertAlmostEqual(changing[0]["time"], 11, delta=0.02)
        self.assertFalse(summary["certificate"]["holds"])
        # Momenta that symmetries conserve near the start only.
        box = self.line("max(x - 10, 0)^2")
        self.assertIn("p_x (near the initial data)", self.call("check", box).stdout)
        conserved = json.loads(self.call("check", box, "--json").stdout)["conserved"]
        self.assertEqual([entry.get("near_initial_data") for entry in conserved], [None, True])
        self.assertEqual(self.kinds(box, "--monitor", "symmetries", "--end", 9), [])
        self.assertEqual(self.kinds(box, "--monitor", "symmetries", "--end", 13), ["changing-invariant"])

    def test_degrees_of_freedom_are_those_near_a_singular_start(self):
        flat = [word for value in ("xb=1", "yb=0", "xc=3", "yc=0", "p_xb=0", "p_yb=1", "p_xc=0", "p_yc=1")
                for word in ("--set", value)]
        facts = json.loads(self.call("check", "parallelogram", *flat, "--json").stdout)
        self.assertEqual((facts["degrees_of_freedom"], facts["redundant"]), (1, []))
        self.assertEqual(self.kinds("parallelogram", *flat, "--end", 1)[0], "rank-loss")


if __name__ == "__main__":
    main()
