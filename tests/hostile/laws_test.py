#!/usr/bin/env python3
"""The hostile suite sees what it is there to see: usage laws_test.py [unittest options]. It runs no program of ours."""

import collections
import dataclasses
import os
import random as randoms
import signal
import sys
import unittest

sys.dont_write_bytecode = True  # beside the sources

import conservation  # noqa: E402
import laws  # noqa: E402
import physics  # noqa: E402
import shrink  # noqa: E402
import texts  # noqa: E402
import truth  # noqa: E402
from algebra import FUNCTIONS, call, derivative, name, number  # noqa: E402
from box import Box, Fault, Result  # noqa: E402
from kinds import Case  # noqa: E402
from motion import Motion, zero_forces  # noqa: E402

GOOD = Result(["run", "model.toml"], 0, b"done\n", b"", {"m": ("file", b"1", 0o644)}, {"m": ("file", b"1", 0o644)}, 0.01,
              1 << 20, Fault(), (), True)
FULL = Fault(streams=(("stdout", "full"),))


def changed(**parts):
    return dataclasses.replace(GOOD, **parts)


class LawsTest(unittest.TestCase):
    def breaks(self, law, result):
        found = laws.broken(result)
        self.assertIsNotNone(found)
        self.assertEqual(found[0], law.__name__)

    def obeys(self, result):
        self.assertIsNone(laws.broken(result))

    def test_a_good_run_obeys_every_law(self):
        self.obeys(GOOD)

    def test_the_end(self):
        self.breaks(laws.ends_in_order, changed(status=-signal.SIGABRT))
        self.breaks(laws.ends_in_order, changed(status=-signal.SIGTERM))
        self.obeys(changed(status=-signal.SIGTERM, asked=(signal.SIGTERM,)))
        self.breaks(laws.ends_in_order, changed(status=-signal.SIGSEGV, asked=(signal.SIGSEGV,)))
        self.breaks(laws.ends_in_order, changed(status=127))
        self.breaks(laws.ends_in_order, changed(stopped=False))

    def test_words(self):
        self.breaks(laws.keeps_its_secrets, changed(status=1, stderr=b"error: vector::_M_range_check\n"))
        self.breaks(laws.refuses_with_a_reason, changed(status=1))
        self.breaks(laws.refuses_with_a_reason, changed(status=2, stderr=b"no\n", stdout=b""))
        self.breaks(laws.refuses_with_a_reason, changed(status=2, stderr=b"error: no\n"))
        self.obeys(changed(status=2, stderr=b"error: no\n", stdout=b""))
        self.breaks(laws.writes_plain_text, changed(stdout=b"\x1b[31m"))
        self.breaks(laws.writes_plain_text, changed(stderr="\x9b".encode()))
        self.breaks(laws.writes_plain_text, changed(stderr=b"\xff"))

    def test_memory(self):
        self.breaks(laws.uses_bounded_memory, changed(memory=1 << 31))

    def test_files(self):
        new = {"m": ("file", b"1", 0o644), "a.csv": ("file", b"t\n0\n", 0o644)}
        law = laws.changes_nothing_else
        self.breaks(law, changed(after=new))
        self.obeys(changed(after=new, targets=frozenset(["a.csv"])))
        self.breaks(law, changed(after=new, targets=frozenset(["a.csv"]), status=2, stdout=b"", stderr=b"error: x\n"))
        self.breaks(law, changed(after={"m": ("file", b"2", 0o644)}, targets=frozenset("m"), inputs=frozenset("m")))
        self.breaks(law, changed(after={}, targets=frozenset("m")))
        self.breaks(law, changed(after={"m": ("file", b"1", 0o600)}))
        device = {"m": ("device", (259, 7), 0o666)}
        self.breaks(law, changed(before=device, after={"m": ("file", b"", 0o666)}, targets=frozenset("m")))

    def test_records(self):
        def record(contents):
            return changed(after=GOOD.after | {"a.csv": ("file", contents, 0o644)}, targets=frozenset(["a.csv"]))

        self.obeys(record(b"t,x\n0,1\n"))
        for contents in (b"t,x\n0,1\n1,2.", b"t,x\n0\n", b"t,x\n0,\n", b"t,x\n0,1\nstatus done,1\n"):
            self.breaks(laws.records_whole_lines, record(contents))

    def test_checkpoints(self):
        def checkpoint(contents):
            return changed(after=GOOD.after | {"c": ("file", contents, 0o644)}, targets=frozenset("c"))

        self.obeys(checkpoint(b"cotangent checkpoint 4\nchecksum 0123456789abcdef\n"))
        self.breaks(laws.keeps_checkpoints_whole, checkpoint(b"cotangent checkpoint 4\npoint {\n"))

    def test_summaries(self):
        arguments = ["run", "model.toml", "--json"]

        def summary(text, status=0):
            return changed(arguments=arguments, stdout=text.encode(), status=status, stderr=b"failed\n")

        self.obeys(summary('{"status": "done", "time": 1, "state": {"x": [1, 2]}}'))
        self.obeys(summary('{"status": "failed"}', 1))
        for text, status in (('{"status": "done", "time": 1, "state": {"x": null}}', 0), ('{"status": "failed"}', 0),
                             ('{"status": NaN}', 0), ("{}{}", 0), ("Pendulum", 0), ("", 0)):
            self.breaks(laws.prints_sound_json, summary(text, status))

    def test_lost_output(self):
        self.breaks(laws.admits_lost_output, changed(fault=FULL))
        self.obeys(changed(fault=FULL, arguments=["run", "x", "--quiet"]))


class BoxTest(unittest.TestCase):
    """With a shell in place of the program."""

    def run_shell(self, script, fault=Fault(), **options):
        with Box("/bin/sh") as box:
            os.mkfifo(box.folder / "fifo")
            return box.run(["-c", script], fault, **options)

    def test_streams_and_files(self):
        result = self.run_shell("echo out; echo err >&2; echo 1 >../a; exit 3")
        self.assertEqual((result.status, result.stdout, result.stderr), (3, b"out\n", b"err\n"))
        self.assertEqual(result.after["a"][:2], ("file", b"1\n"))
        self.assertNotIn("a", result.before)

    def test_faults(self):
        for kind in ("closed", "full", "broken"):
            result = self.run_shell("echo out || exit 7; exit 0", Fault(streams=(("stdout", kind),)))
            self.assertNotEqual(result.status, 0, kind)
        self.assertEqual(self.run_shell("echo 12345 >a", Fault(file_size=2)).after["here/a"][1], b"12")
        self.assertEqual(self.run_shell("exec sleep 30", Fault(signals=((0.05, signal.SIGINT),))).status, -signal.SIGINT)
        self.assertEqual(self.run_shell("cat fifo", Fault(writer=("fifo", b"text"))).stdout, b"text")
        self.assertEqual(self.run_shell("trap '' PIPE; yes >fifo || exit 5", Fault(reader=("fifo", 10))).status, 5)

    def test_endless_runs_are_asked_to_stop(self):
        result = self.run_shell("trap 'exit 1' TERM; while :; do :; done", patience=0.1)
        self.assertEqual((result.status, result.asked), (1, (signal.SIGTERM,)))


class PhysicsTest(unittest.TestCase):
    def test_derivatives(self):
        x = name("x")
        for e in (call("sin", x ** 2), call("sqrt", x ** 2 + 1), number(1) / (x + 2), call("max", x - 1, 0) ** 2,
                  call("if", x, 0.5, x ** 3, x), call("erf", x) * call("atan", x), call("exp", call("tanh", x))):
            at = [eval(e.code(), dict(FUNCTIONS), {"x": 1.3 + d}) for d in (-1e-5, 1e-5)]
            exact = eval(derivative(e, "x").code(), dict(FUNCTIONS), {"x": 1.3})
            self.assertAlmostEqual((at[1] - at[0]) / 2e-5, exact, delta=1e-8, msg=str(e))

    def test_the_motion_of_a_pendulum(self):
        x, y, p_x, p_y = map(name, ("x", "y", "p_x", "p_y"))
        motion = Motion(["x", "y"], (p_x ** 2 + p_y ** 2) / 2 + y, [(x ** 2 + y ** 2 - 1) / 2], zero_forces("xy"))
        end = motion.solution([1.0, 0.0, 0.0, -2.0], 0.0, 2.0, 16)
        # By dop853 in quad precision with a tolerance of 1e-13.
        for value, exact in zip(end, (-0.476484421350329, 0.879182913966395, 1.316320390100795, 0.713396665728185)):
            self.assertAlmostEqual(value, exact, delta=1e-12)

    def test_checkpoints_are_sealed_again(self):
        self.assertEqual(texts.fnv(b"a"), 0xAF63DC4C8601EC8C)
        changed = texts.changed_checkpoint("cotangent checkpoint 4\nsteps 5\nchecksum 0\n", randoms.Random("1"))
        self.assertRegex(changed, r"\nchecksum [0-9a-f]{16}\n$")

    def test_one_seed_is_one_case(self):
        make = [physics.system(randoms.Random("5")).text() for _ in range(2)]
        self.assertEqual(*make)
        corpus = ["[system]\nx = 1\n"]
        self.assertEqual(*(texts.mutant(corpus[0], randoms.Random("5"), corpus) for _ in range(2)))


OSCILLATOR = physics.System(["x"])
OSCILLATOR.H = name("p_x") ** 2 / 2 + name("x") ** 2 / 2
OSCILLATOR.initial = {"x": 1.0, "p_x": 0.0}


class TruthTest(unittest.TestCase):
    RECORD = "t,x,p_x\n0,1,0\n1,{},-0.8414709848078965\n"

    def judge(self, x, estimate, holds=True, **parts):
        summary = {"time": 1.0, "certificate": {"holds": holds, "structures": [], "error": {"final": estimate}}}
        exact = {"state": {"x": 0.5403023058681398, "p_x": -0.8414709848078965}}
        return truth.broken(OSCILLATOR, summary | parts, self.RECORD.format(x), lambda *_: exact, collections.Counter())

    def test_errors(self):
        self.assertIsNone(self.judge(0.5403023058681398, 1e-15))
        self.assertIsNone(self.judge(0.5404, 1e-4))
        self.assertIsNone(self.judge(0.5404, None))
        self.assertIsNone(self.judge(0.5404, 1e-6, holds=False))
        self.assertEqual(self.judge(0.5404, 1e-6)[0], "the error is what the certificate says")

    def test_jumps(self):
        OSCILLATOR.jumps["if(x > 0.9, 1, 0)"] = lambda row: row["x"] > 0.9
        self.addCleanup(OSCILLATOR.jumps.clear)
        self.assertEqual(self.judge(0.5403023058681398, 1e-15)[0], "a jump that is crossed is a warning")
        self.assertIsNone(self.judge(0.5403023058681398, 1e-15, warnings=[{"kind": "jump"}]))

    def test_explosions(self):
        self.assertEqual(self.judge(5e99, None)[0], "an explosion is no success")

    def test_conserved_quantities(self):
        claims = [{"name": "energy"}, {"name": "momentum", "expression": "p_x"}]
        self.assertIsNone(conservation.broken(OSCILLATOR, claims[:1], {}, self.RECORD.format(0.5403023058681398),
                                              collections.Counter()))
        found = conservation.broken(OSCILLATOR, claims, {}, self.RECORD.format(0.5403023058681398), collections.Counter())
        self.assertIn("p_x changes by 0.84", found[1])
        claims[1]["near_initial_data"] = True
        for warnings, allowed in (([], False), ([{"kind": "symmetry"}], True)):
            found = conservation.broken(OSCILLATOR, claims, {"warnings": warnings}, self.RECORD.format(0.5403023058681398),
                                        collections.Counter())
            self.assertEqual(found is None, allowed)


class ShrinkTest(unittest.TestCase):
    def test_only_what_is_needed_is_left(self):
        case = Case("command", 0, ["run"], [["--a"], ["--b", "1"], ["--c"]], "\n".join("abcdefgh"))
        small = shrink.smallest(case, ("law", "at 3"), lambda other: (
            ("law", "at 4") if ["--b", "1"] in other.groups and "c" in other.model else None))
        self.assertEqual((small.groups, small.model), ([["--b", "1"]], "c"))


if __name__ == "__main__":
    unittest.main()
