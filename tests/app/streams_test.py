#!/usr/bin/env python3
"""Closed and full streams, full disks, signals: usage streams_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import json
import os
import resource
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # beside the sources
from model_texts import PENDULUM  # noqa: E402
from program import MODELS, PROGRAM, ProgramTest, main  # noqa: E402


class StreamsTest(ProgramTest):
    # Commands with their exit status, and whether they write to standard output.
    COMMANDS = ((["--help"], 0, True), (["--version"], 0, True), (["list", "methods"], 0, True),
                (["check", "pendulum"], 0, True), (["run", "pendulum", "--end", "1"], 0, True),
                (["run", "pendulum", "--end", "1", "--json"], 0, True),
                (["run", "pendulum", "--step", "50", "--end", "100"], 1, True),
                (["run", "pendulum", "--stp", "1"], 2, False))

    def status(self, command, out, err):
        """The exit status with streams that are None (closed), "full", "left" (a pipe without a reader) or "good"."""
        def stream(number, kind):
            if kind is None:
                os.close(number)
                return
            if kind == "left":
                reader, end = os.pipe()
                os.close(reader)
            else:
                end = os.open("/dev/full" if kind == "full" else os.devnull, os.O_WRONLY)
            os.dup2(end, number)
            os.close(end)

        def prepare():
            stream(2, err)
            stream(1, out)
        return subprocess.run([PROGRAM, *command], cwd=self.folder, preexec_fn=prepare, timeout=60).returncode

    def test_streams_that_are_closed_or_full_end_in_a_status(self):
        for out, err in ((None, "good"), ("full", "good"), ("left", "good"), ("good", None), ("good", "full"),
                         (None, None), ("full", "full")):
            for command, status, prints in self.COMMANDS:
                with self.subTest(command=command, out=out, err=err):
                    expected = 1 if prints and status == 0 and out != "good" else status
                    self.assertEqual(self.status(command, out, err), expected)

    def test_a_summary_that_cannot_be_written_is_said(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write to standard output: No space left on device", result.stderr)
        # A reader that has read enough is no error to speak of.
        result = subprocess.run(["sh", "-c", f"'{PROGRAM}' list methods | head -n 1"], capture_output=True, text=True)
        self.assertEqual(result.stderr, "")

    def test_messages_do_not_go_into_a_record(self):
        command = ["run", "pendulum", "--end", "1", "--project-every", "7", "--out"]
        self.assertEqual(self.status([*command, "a.csv"], "good", "good"), 0)
        self.assertEqual(self.status([*command, "b.csv"], None, None), 1)
        self.assertEqual((self.folder / "b.csv").read_bytes(), (self.folder / "a.csv").read_bytes())


class FullDiskTest(ProgramTest):
    def limited(self, size, *arguments):
        """A run whose files may not grow beyond a size."""
        return subprocess.run([PROGRAM, "run", *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)), timeout=60)

    def test_a_record_never_ends_inside_a_line_and_goes_on_later(self):
        model = self.model(PENDULUM)
        run = [model, "--end", 50, "--section", "x"]
        self.summary(*run, "--out", "a.csv", "--section-out", "s.csv")
        whole, section = (self.folder / "a.csv").read_bytes(), (self.folder / "s.csv").read_bytes()
        for every in ([], ["--checkpoint-every", 77]):
            for size in (100_000, 100_001, 150_000):
                with self.subTest(size=size, every=every):
                    result = self.limited(size, *run, "--out", "b.csv", "--section-out", "t.csv", "--checkpoint", "c.ckpt",
                                          *every)
                    self.assertEqual(result.returncode, 1, result.stderr)
                    self.assertIn("cannot write b.csv: File too large", result.stderr)
                    self.assertIn("cotangent run --resume c.ckpt goes on", result.stderr)
                    part = (self.folder / "b.csv").read_bytes()
                    self.assertLessEqual(len(part), size)
                    self.assertTrue(part.endswith(b"\n") and whole.startswith(part))
                    # The rows that there was no room for are in the checkpoint.
                    self.summary("--resume", "c.ckpt")
                    self.assertEqual((self.folder / "b.csv").read_bytes(), whole)
                    self.assertEqual((self.folder / "t.csv").read_bytes(), section)

    def test_samples_of_adaptive_steps_go_on_later(self):
        run = [self.model(PENDULUM), "--method", "dopri5", "--tolerance", 1e-6, "--sample", 0.001, "--end", 5]
        self.summary(*run, "--out", "a.csv")
        result = self.limited(100_000, *run, "--out", "b.csv", "--checkpoint", "c.ckpt")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertTrue((self.folder / "b.csv").read_bytes().endswith(b"\n"))
        self.summary("--resume", "c.ckpt")
        self.assertEqual((self.folder / "b.csv").read_bytes(), (self.folder / "a.csv").read_bytes())

    def test_a_checkpoint_that_cannot_be_written_is_said_and_leaves_the_one_before(self):
        model = self.model(PENDULUM)
        self.summary(model, "--end", 1, "--checkpoint", "c.ckpt")
        before = (self.folder / "c.ckpt").read_bytes()
        result = self.limited(1000, model, "--end", 2, "--checkpoint", "c.ckpt")
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write c.ckpt: File too large", result.stderr)
        self.assertIn("there is no checkpoint of the end: it could not be written", result.stderr)
        self.assertNotIn("goes on", result.stderr)
        self.assertEqual((self.folder / "c.ckpt").read_bytes(), before)
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()), ["c.ckpt", "model.toml"])

    def test_the_absence_of_a_checkpoint_is_said_beside_a_lost_record(self):
        result = self.limited(1000, self.model(PENDULUM), "--end", 50, "--out", "a.csv", "--checkpoint", "c.ckpt")
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write a.csv: File too large", result.stderr)
        self.assertIn("there is no checkpoint of the end: it could not be written", result.stderr)

    def test_a_reader_of_a_pipe_may_leave(self):
        os.mkfifo(self.folder / "pipe.csv")
        process = subprocess.Popen([PROGRAM, "run", self.model(PENDULUM), "--end", "1e9", "--out", "pipe.csv", "--json",
                                    "--checkpoint", "c.ckpt"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        with open(self.folder / "pipe.csv") as pipe:
            self.assertTrue(pipe.readline().startswith("t,x,y"))
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertIn("cannot write pipe.csv: Broken pipe", err)
        self.assertEqual(json.loads(out)["status"], "failed")
        self.assertEqual(self.summary("--resume", "c.ckpt", "--out", "a.csv", "--end",
                                      json.loads(out)["time"] + 1)["status"], "done")


    def test_a_reader_that_stalls_does_not_hold_back_a_request_to_stop(self):
        os.mkfifo(self.folder / "pipe.csv")
        process = subprocess.Popen([PROGRAM, "run", self.model(PENDULUM), "--end", "1e9", "--out", "pipe.csv", "--json"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        with open(self.folder / "pipe.csv") as pipe:
            self.assertTrue(pipe.readline().startswith("t,x,y"))
            time.sleep(1)  # the pipe is full
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn("cannot write pipe.csv", err)
        self.assertEqual(json.loads(out)["status"], "failed")


class SignalTest(ProgramTest):
    def start(self, *arguments, **options):
        (self.folder / "a.csv").unlink(missing_ok=True)
        process = subprocess.Popen([PROGRAM, "run", *map(str, arguments), "--out", "a.csv", "--json"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(process.kill)
        while not (self.folder / "a.csv").exists() and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.2)  # the loop begins
        return process

    def test_requests_to_stop_end_the_run_with_its_checkpoint(self):
        model = self.model(PENDULUM)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                process = self.start(model, "--end", 1e9, "--every", 1000000, "--checkpoint", "c.ckpt")
                process.send_signal(number)
                out, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 1, err)
                summary = json.loads(out)
                self.assertEqual(summary["status"], "interrupted")
                self.assertEqual(float(self.read_csv("a.csv")[-1]["t"]), summary["time"])
                self.assertIn("cotangent run --resume c.ckpt goes on", err)
                self.assertEqual(self.summary("--resume", "c.ckpt", "--end", summary["time"] + 1)["status"], "done")

    def test_a_run_that_was_started_without_a_signal_goes_on(self):
        process = self.start(self.model(PENDULUM), "--end", 1e9, "--every", 1000000,
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(json.loads(out)["status"], "interrupted")

    def test_a_long_step_is_given_up(self):
        process = self.start(MODELS / "chain.toml", "--set", "N=20000", "--end", 10, "--method", "rattle", "--step", 0.01,
                             "--reference", "finer:10000", "--checkpoint", "c.ckpt")
        while (self.folder / "a.csv").stat().st_size == 0:  # a record of this size is written at once
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, err)
        summary = json.loads(out)
        self.assertEqual(summary["status"], "interrupted")
        self.assertIn("no-checkpoint", [warning["kind"] for warning in summary["warnings"]])
        self.assertNotIn("goes on", err)
        self.assertFalse((self.folder / "c.ckpt").exists())

    def long_step(self, *options):
        process = self.start(MODELS / "chain.toml", "--set", "N=20000", "--end", 10, "--method", "rattle", "--step", 0.01,
                             "--reference", "finer:10000", *options)
        while (self.folder / "a.csv").stat().st_size == 0:
            time.sleep(0.01)
        return process

    def test_a_signal_that_comes_twice_kills_but_for_a_lost_terminal(self):
        for number, status in ((signal.SIGHUP, 1), (signal.SIGINT, -signal.SIGINT)):
            process = self.long_step()
            for _ in range(2):
                process.send_signal(number)
                time.sleep(0.2)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, status)
            (self.folder / "a.csv").unlink()

    def test_what_goes_along_with_a_long_step_is_given_up(self):
        process = self.start(MODELS / "chain.toml", "--set", "N=3000", "--end", 1, "--method", "lobatto-iiib:6", "--certify",
                             "--every", 1000)
        began = time.time()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertIn(process.returncode, (1, -signal.SIGTERM))
        self.assertLess(time.time() - began, 30)

    def test_absurdly_fine_runs_are_refused(self):
        model = self.model(PENDULUM)
        for K in (10001, 1000000000):
            self.assertIn("K = 2, 3, ..., 10000", self.refused("run", model, "--reference", f"finer:{K}"))


if __name__ == "__main__":
    main()
