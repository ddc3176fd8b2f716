#!/usr/bin/env python3
"""Checkpoints and runs that go on from them: usage resume_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # beside the sources
from model_texts import DAMPED, MOLECULE, PENDULUM  # noqa: E402
from program import MODELS, PROGRAM, ProgramTest, main  # noqa: E402

FAILING = """
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 + sqrt(1 - x)"
[initial]
x = 0
p_x = 1
[run]
step = 0.01
end = 9
method = "rk4"
"""


class ResumeTest(ProgramTest):

    def numbers(self, summary):
        """What must be the same: all but times of the clock and notes."""
        return {key: value for key, value in summary.items() if not key.endswith("_seconds") and key != "notes"}

    def expect_same(self, model, *options, half=1, end=2, every=50):
        kept = ["--checkpoint-every", every, "--checkpoint"]
        whole = self.summary(model, *options, "--end", end)
        self.assertEqual(self.numbers(self.summary(model, *options, "--end", end, *kept, "a.ckpt")), self.numbers(whole))
        self.summary(model, *options, "--end", half, *kept, "b.ckpt")
        resumed = self.summary("--resume", "b.ckpt", "--end", end)
        self.assertEqual(self.numbers(resumed), self.numbers(whole))
        return resumed

    # What is the same.

    def test_a_resumed_run_is_the_same_to_the_bit(self):
        model = self.model(PENDULUM)
        for options in ([], ["--method", "rk4"], ["--method", "rk4", "--projection", "joint", "--project-every", 7],
                        ["--method", "rk4", "--project-invariants", "energy"], ["--projection", "symmetric"],
                        ["--projection", "stage"], ["--method", "gauss:2", "--formulation", "impetus"],
                        ["--method", "gauss:2", "--formulation", "state-space", "--chart", "qr"],
                        ["--precision", "quad", "--method", "gauss:3"], ["--precision", "long"], ["--set", "l=1.5"],
                        ["--monitor", "energy,wedge,lyapunov,symplectic,multipliers"],
                        ["--method", "gauss:2", "--formulation", "impetus", "--projection", "none", "--monitor",
                         "wedge,lyapunov,symplectic"],
                        ["--growth", "--reference", "finer:2"], ["--certify"],
                        ["--periodogram", "x,energy", "--every", 3], ["--section", "x"], ["--backend", "interpreter"]):
            with self.subTest(options=options):
                self.expect_same(model, *options)

    def test_the_watch_of_jumps_goes_on_with_dependent_constraints(self):
        # The end of the first run is a place that says nothing of how many are dependent elsewhere: flat.
        text = (MODELS / "redundant_four_bar.toml").read_text().replace("g*(yb + yc)", "g*(yb + yc) + abs(xb - 0.2)")
        model = self.model(text)
        resumed = self.expect_same(model, "--set", "theta=0.8", half=0.5, end=3, every=20)
        self.assertIn("jump", [warning["kind"] for warning in resumed["warnings"]])
        self.assertRegex((self.folder / "b.ckpt").read_text(), r"numbers \{\s+nullity 1\s+\}\s+arguments \{\s+nullity 1\s")

    def test_adaptive_runs_go_on_with_the_finer_ones_beside_them(self):
        for method in ("rattle", "dopri5"):  # reversible steps, and those of a tolerance
            with self.subTest(method=method):
                options = [MODELS / "kepler.toml", "--method", method, "--tolerance", 1e-7, "--end", 60, "--certify",
                           "--monitor", "wedge", "--checkpoint-every", 150, "--checkpoint"]
                whole = self.summary(*options, "a.ckpt")
                self.killed(f"{method}.ckpt", *options, f"{method}.ckpt")
                self.assertEqual(self.numbers(self.summary("--resume", f"{method}.ckpt")), self.numbers(whole))

    def test_states_forces_arrays_and_moving_constraints_go_on(self):
        self.expect_same(self.model(DAMPED), end=2)
        self.expect_same(self.model(MOLECULE))
        for name in ("driven_pendulum", "friction_hoop", "redundant_four_bar"):
            with self.subTest(model=name):
                self.expect_same(MODELS / f"{name}.toml", "--step", 0.01)

    def test_the_file_of_the_trajectory_is_that_of_one_run(self):
        model = self.model(PENDULUM)
        for options in (["--every", 7], ["--sample", 0.1]):
            kept = [*options, "--checkpoint-every", 50, "--checkpoint", "c.ckpt"]
            self.summary(model, *kept, "--end", 1.5, "--out", "a.csv", "--section", "x", "--section-out", "s.csv")
            whole, section = (self.folder / "a.csv").read_bytes(), (self.folder / "s.csv").read_bytes()
            self.summary(model, *kept, "--end", 0.5, "--out", "b.csv", "--section", "x", "--section-out", "t.csv")
            # What an interrupted run wrote after the checkpoint does not stay.
            with open(self.folder / "b.csv", "a") as file:
                file.write("0.51,half a ro")
            self.summary("--resume", "c.ckpt", "--end", 1.5)
            self.assertEqual((self.folder / "b.csv").read_bytes(), whole)
            self.assertEqual((self.folder / "t.csv").read_bytes(), section)

    def test_another_file_begins_after_the_checkpoint(self):
        model = self.model(PENDULUM)
        self.summary(model, "--end", 1, "--out", "a.csv", "--checkpoint", "c.ckpt")
        before = (self.folder / "a.csv").read_text()
        self.summary("--resume", "c.ckpt", "--end", 1.1, "--out", "b.csv", "--every", 5)
        rows = (self.folder / "b.csv").read_text().splitlines()
        self.assertEqual(rows[0], before.splitlines()[0])
        self.assertEqual([row.split(",")[0] for row in rows[1:]], ["1.05", "1.1"])
        self.assertEqual((self.folder / "a.csv").read_text(), before)

    # Interrupted.

    def started(self, kept, *arguments):
        """A run that has written its first checkpoint, or is over."""
        process = subprocess.Popen([PROGRAM, "run", *map(str, arguments)], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not (self.folder / kept).exists() and process.poll() is None:
            time.sleep(0.001)
        return process

    def killed(self, kept, *arguments):
        process = self.started(kept, *arguments)
        process.kill()
        process.communicate()

    def interrupted(self, kept, *arguments):
        process = self.started(kept, *arguments)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, err)
        return err

    def resumed_elsewhere(self, kept, *arguments):
        """In another folder, with a file a.csv of its own."""
        other = self.folder / "other"
        other.mkdir()
        (other / "a.csv").write_text("mine")
        done = subprocess.run([PROGRAM, "run", "--resume", str(self.folder / kept), *map(str, arguments), "--quiet"], cwd=other)
        self.assertEqual(done.returncode, 0)
        self.assertEqual((other / "a.csv").read_text(), "mine")

    def test_a_run_that_was_terminated_goes_on(self):
        model = self.model(PENDULUM)
        for options in (["--method", "rk4", "--step", 0.001], ["--tolerance", 1e-9, "--method", "dopri5"]):
            (self.folder / "c.ckpt").unlink(missing_ok=True)
            err = self.interrupted("c.ckpt", model, *options, "--end", 100000, "--checkpoint", "c.ckpt", "--checkpoint-every", 1000)
            self.assertIn("cotangent run --resume c.ckpt goes on", err)
            reached = float(re.search(r"interrupted at t = (\S+),", err)[1])
            end = round(reached) + 1
            resumed = self.summary("--resume", "c.ckpt", "--end", end)
            self.assertEqual(resumed["time"], end)
            # An explicit method keeps nothing from step to step: a checkpoint leaves no mark.
            if "--tolerance" not in options:
                whole = self.summary(model, *options, "--end", end)
                self.assertEqual(self.numbers(resumed), self.numbers(whole))
        self.assertFalse((self.folder / "c.ckpt.tmp").exists())

    def test_adaptive_runs_that_were_interrupted_are_the_same(self):
        model = self.model(PENDULUM)
        for options in (["--tolerance", 1e-8], ["--tolerance", 1e-8, "--method", "dopri5"]):
            (self.folder / "d.ckpt").unlink(missing_ok=True)
            whole = self.summary(model, *options, "--end", 300)
            self.killed("d.ckpt", model, *options, "--end", 300, "--checkpoint", "d.ckpt", "--checkpoint-every", 100)
            resumed = self.summary("--resume", "d.ckpt")
            self.assertEqual(self.numbers(resumed), self.numbers(whole))

    def test_a_run_that_fails_keeps_its_last_good_point(self):
        failed = self.summary(self.model(FAILING), "--checkpoint", "c.ckpt", status=1)
        self.assertEqual(failed["status"], "failed")
        again = self.summary("--resume", "c.ckpt", status=1)
        self.assertEqual(again["steps"], failed["steps"])
        self.assertEqual(again["state"], failed["state"])

    # What may change, and what may not.

    def test_options_that_contradict_are_refused_by_name(self):
        model = self.model(PENDULUM)
        self.summary(model, "--end", 1, "--checkpoint", "c.ckpt")
        resume = ["run", "--resume", "c.ckpt"]
        for option, value, has in (("method", "rk4", "'rattle'"), ("step", 0.02, "'0.01'"), ("precision", "quad", ""),
                                   ("projection", "both", "'none'"), ("tolerance", 1e-6, "made without it"),
                                   ("monitor", "energy", "'energy,momentum,position'"), ("metric", "euclidean", "'mass'"),
                                   ("gauge", 1, "'0'"), ("section", "x", "made without it")):
            message = self.refused(*resume, f"--{option}", value)
            self.assertIn(f"--{option}", message)
            self.assertIn("the run that is resumed", message)
            self.assertIn(has, message)
        for flag in ("--certify", "--growth"):
            self.assertIn(f"{flag}: the run that is resumed was made without it", self.refused(*resume, flag))
        self.assertIn("--set l=2: the run that is resumed has none", self.refused(*resume, "--set", "l=2"))
        self.assertIn("is at t = 1 already", self.refused(*resume, "--end", 0.5))
        self.assertIn("would change the step", self.refused(*resume, "--end", 2, "--sample", 0.015))
        # What agrees is taken, and so is the model.
        same = self.summary(model, "--resume", "c.ckpt", "--method", "rattle", "--step", "1/100", "--projection", "none",
                            "--end", 2)
        self.assertEqual(same["time"], 2)
        self.assertIn("goes on from t = 1", " ".join(same["notes"]))
        self.assertIn("--end T goes further", " ".join(self.summary("--resume", "c.ckpt")["notes"]))

    # Options with what they mean where they are not given, and something else.
    DEFAULTS = {"metric": ("mass", "euclidean"), "solver": ("auto", "newton"), "initial": ("project", "as-given"),
                "hamiltonian": ("given", "alternative"), "chart": ("partition", "qr"), "precision": ("double", "long"),
                "chart-update": ("midpoint", "hysteresis"), "gauge": ("1 - l", "l"), "baumgarte": ("10*l", "10,11"),
                "project-every": (1, 2), "section-direction": ("up", "both"), "method": ("auto", "rk4"),
                "monitor": ("momentum, energy ,position", "energy,position,wedge")}

    def test_what_means_the_same_may_be_said_again(self):
        model = self.model(PENDULUM)
        self.summary(model, "--end", 1, "--checkpoint", "c.ckpt")
        resume = ["--resume", "c.ckpt", "--end", 2]
        plain = self.summary(*resume)
        again = [word for name, (usual, _) in self.DEFAULTS.items() for word in (f"--{name}", usual)]
        self.assertEqual(self.numbers(self.summary(*resume, *again, "--set", "l=2/2", "--set", "y=0.0")),
                         self.numbers(plain))
        for name, (_, other) in self.DEFAULTS.items():
            self.assertIn(f"--{name}:1:1: error: the run that is resumed has", self.refused("run", *resume, f"--{name}", other))
        for text, hint in (("--metric=mas", "did you mean 'mass'?"), ("--method=ratle", "did you mean 'rattle'?"),
                           ("--monitor=enery", "did you mean 'energy'?")):
            self.assertIn(hint, self.refused("run", *resume, text))
        self.assertIn("has none", self.refused("run", *resume, "--set", "y=1e-9"))

    def test_defaults_are_what_a_run_does_without_them(self):
        model = self.model(PENDULUM)
        for options in ([], ["--method", "rk4"], ["--formulation", "state-space"], ["--projection", "stage"],
                        ["--formulation", "baumgarte", "--projection", "none"], ["--section", "x"],
                        ["--formulation", "dirac", "--projection", "none"]):
            with self.subTest(options=options):
                usual = [word for name, (usual, _) in self.DEFAULTS.items() for word in (f"--{name}", usual)
                         if not (name == "method" and "--method" in options) and name != "monitor"]
                self.assertEqual(self.numbers(self.summary(model, *options, *usual)),
                                 self.numbers(self.summary(model, *options)))

    def test_other_words_for_the_same_are_known(self):
        model = self.model(PENDULUM)
        for first, again, other in (
                (["--set", "l=1.5"], ["--set", "l=3/2"], ["--set", "l=1.6"]),
                (["--method", "rk4", "--project-invariants", "energy"], ["--project-invariants", " energy"],
                 ["--project-invariants", "nothing"]),
                (["--section", "x + y"], ["--section", "y+x"], ["--section", "x - y"]),
                (["--formulation", "baumgarte", "--baumgarte", "5,5"], ["--baumgarte", "5"], ["--baumgarte", "5,6"]),
                (["--projection", "symmetric"], ["--method", "gauss:2"], ["--method", "gauss:3"]),
                (["--certify"], ["--reference", "finer:2"], ["--reference", "finer:3"]),
                (["--certify"], ["--monitor", "wedge,energy"], ["--monitor", "lyapunov"])):
            with self.subTest(first=first):
                self.summary(model, *first, "--end", 0.5, "--checkpoint", "c.ckpt")
                plain = self.summary("--resume", "c.ckpt", "--end", 1)
                self.assertEqual(self.numbers(self.summary("--resume", "c.ckpt", "--end", 1, *again)), self.numbers(plain))
                self.assertIn("the run that is resumed has", self.refused("run", "--resume", "c.ckpt", "--end", 1, *other))

    def test_a_record_that_was_changed_is_refused(self):
        model = self.model(PENDULUM)
        self.summary(model, "--out", "a.csv", "--method", "gauss:2")
        self.expect_same(model, "--reference", "a.csv")
        record = (self.folder / "a.csv").read_text()
        resume = ["run", "--resume", self.folder / "b.ckpt", "--end", 2]
        (self.folder / "a.csv").write_text(record.replace("\n0.5,", "\n0.5,1"))
        message = self.refused(*resume)
        self.assertIn("a.csv is not the record that the run was compared with", message)
        self.assertIn("restore it", message)
        self.assertIn("--reference:1:1", self.refused(*resume, "--reference", "a.csv"))
        # A record that has moved is known by what stands in it; what else was not a record is none now.
        (self.folder / "a.csv").unlink()
        self.assertIn("No such file", self.refused(*resume))
        (self.folder / "moved.csv").write_text(record)
        self.assertEqual(self.call(*resume, "--reference", "moved.csv").returncode, 0)
        self.assertIn("the run that is resumed has", self.refused(*resume, "--reference", "finer:2"))

    def test_a_record_is_that_of_the_folder_in_which_it_was_named(self):
        self.summary(self.model(PENDULUM), "--out", "a.csv")
        self.summary(self.model(PENDULUM), "--end", 1, "--reference", "a.csv", "--checkpoint", "c.ckpt")
        self.resumed_elsewhere("c.ckpt", "--end", 2)

    def test_another_model_is_refused(self):
        model = self.model(PENDULUM)
        self.summary(model, "--end", 1, "--checkpoint", "c.ckpt")
        other = self.model(PENDULUM.replace("p_y = -1", "p_y = -2"), "other.toml")
        self.assertIn("is not that of the checkpoint c.ckpt", self.refused("run", other, "--resume", "c.ckpt"))
        self.model(PENDULUM + "# a word\n")
        self.assertIn("its text has changed since", self.refused("run", "--resume", "c.ckpt"))
        model.unlink()
        self.assertIn("name the model", self.refused("run", "--resume", "c.ckpt"))
        moved = self.model(PENDULUM, "moved.toml")
        self.assertEqual(self.summary(moved, "--resume", "c.ckpt", "--end", 2)["time"], 2)

    def test_files_that_are_no_checkpoints_are_refused(self):
        self.summary(self.model(PENDULUM), "--end", 1, "--checkpoint", "c.ckpt")
        good = (self.folder / "c.ckpt").read_text()
        self.assertTrue(good.startswith("cotangent checkpoint 6\n"))
        self.assertRegex(good.splitlines()[-1], "^checksum [0-9a-f]{16}$")

        def message(text):
            (self.folder / "d.ckpt").write_text(text)
            return self.refused("run", "--resume", "d.ckpt")
        self.assertIn("is damaged", message(good.replace("t 0x1p+0", "t 0x1p+1", 1)))
        self.assertIn("is not whole", message(good[:len(good) // 2]))
        self.assertIn("is not whole", message(good[:-1]))
        self.assertIn("has the format 5", message(good.replace("checkpoint 6", "checkpoint 5", 1)))
        self.assertIn("is no checkpoint", message(PENDULUM))
        self.assertIn("is no checkpoint", message(""))
        self.assertIn("cannot read none.ckpt: No such file", self.refused("run", "--resume", "none.ckpt"))
        self.assertIn("MODEL", self.refused("run", "--end", 1))

    def test_files_that_were_changed_are_not_continued(self):
        self.summary(self.model(PENDULUM), "--end", 1, "--out", "a.csv", "--checkpoint", "c.ckpt")
        written = (self.folder / "a.csv").read_text()
        # Cut off, of another run, and longer than it was but not the same.
        for text, told in ((written[:100], "is not what the run that is resumed has written"),
                           ("t,u\n", "is no record of this model"),
                           (written.replace("0.5", "0.6") + written, "is not what the run that is resumed has written")):
            (self.folder / "a.csv").write_text(text)
            self.assertIn(told, self.refused("run", "--resume", "c.ckpt", "--end", 2))
            self.assertEqual((self.folder / "a.csv").read_text(), text)

    def test_files_are_those_of_the_folder_in_which_they_were_named(self):
        self.summary(self.model(PENDULUM), "--end", 1, "--out", "a.csv", "--checkpoint", "c.ckpt")
        length = len((self.folder / "a.csv").read_text().splitlines())
        self.resumed_elsewhere("c.ckpt", "--end", 2)
        self.assertEqual(len((self.folder / "a.csv").read_text().splitlines()), 2 * length - 2)

    def test_files_that_are_gone_are_not_continued(self):
        self.summary(self.model(PENDULUM), "--end", 1, "--out", "a.csv", "--checkpoint", "c.ckpt")
        (self.folder / "a.csv").unlink()
        self.assertIn("is gone; use another file", self.refused("run", "--resume", "c.ckpt", "--end", 2))

    def test_checkpoints_that_cannot_be_written_are_refused_at_once(self):
        model = self.model(PENDULUM)
        self.assertIn("cannot write none/c.ckpt", self.refused("run", model, "--checkpoint", "none/c.ckpt"))
        self.assertIn("it is a folder", self.refused("run", model, "--checkpoint", "."))
        self.assertIn("it is a folder", self.refused("run", "--resume", "."))
        self.assertIn("needs a name", self.refused("run", model, "--checkpoint", ""))
        self.assertIn("at least 1", self.refused("run", model, "--checkpoint", "c", "--checkpoint-every", 0))
        self.assertIn("nothing is kept", self.call("run", model, "--checkpoint-every", 5).stderr)

    def test_an_end_between_two_steps_is_gone_on_from(self):
        model = self.model(PENDULUM)
        self.summary(model, "--end", 0.995, "--checkpoint", "c.ckpt")
        resumed = self.summary("--resume", "c.ckpt", "--end", 2, "--out", "a.csv")
        self.assertEqual(resumed["steps"], 201)
        times = [row.split(",")[0] for row in (self.folder / "a.csv").read_text().splitlines()[1:4]]
        self.assertEqual(times, ["1", "1.01", "1.02"])
        whole = self.summary(model, "--end", 2)
        self.assertAlmostEqual(resumed["state"]["x"], whole["state"]["x"], delta=1e-4)

    def test_a_checkpoint_may_stand_in_the_model(self):
        model = self.model(PENDULUM + 'checkpoint = "c.ckpt"\ncheckpoint-every = 100\n')
        self.summary(model)
        self.assertTrue((self.folder / "c.ckpt").exists())
        self.assertEqual(self.summary("--resume", "c.ckpt", "--end", 3)["time"], 3)
        self.assertIn("checkpoint-every=100", (self.folder / "c.ckpt").read_text())


if __name__ == "__main__":
    main()
