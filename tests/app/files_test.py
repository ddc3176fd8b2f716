#!/usr/bin/env python3
"""Files that the program reads and writes: usage files_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time
import unittest

sys.dont_write_bytecode = True  # beside the sources
from model_texts import PENDULUM  # noqa: E402
from program import PROGRAM, ProgramTest, main, signed  # noqa: E402

NOBODY = 65534


class FilesTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path = self.model(PENDULUM)
        (self.folder / "sub").mkdir()

    def run_once(self, *arguments):
        return self.summary(self.path, "--end", 0.1, *arguments)

    def refused_here(self, *arguments):
        return self.refused("run", self.path, "--end", 0.1, *arguments)

    def endless(self, *arguments):
        """A run that has opened its files, ended at the end of the test."""
        process = subprocess.Popen([PROGRAM, "run", self.path, "--end", "1e9", "--every", "1000000", *arguments],
                                   cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, condition):
        deadline = time.time() + 60
        while not condition():
            self.assertLess(time.time(), deadline)
            time.sleep(0.01)

    def is_begun(self, name):
        file = self.folder / name
        return file.exists() and file.read_bytes() != b""

    # What may be replaced.

    def test_a_checkpoint_replaces_checkpoints_only(self):
        self.run_once("--out", "a.csv")
        for name in ("model.toml", "a.csv"):
            before = (self.folder / name).read_bytes()
            other = self.model(PENDULUM, "other.toml")
            message = self.refused("run", other, "--checkpoint", name)
            self.assertIn(f"cannot write {name}: it exists and is no checkpoint", message)
            self.assertEqual((self.folder / name).read_bytes(), before)
        (self.folder / "c.ckpt").touch()
        for _ in range(2):  # over an empty file, and over a checkpoint
            self.run_once("--checkpoint", "c.ckpt")
            self.assertTrue((self.folder / "c.ckpt").read_text().startswith("cotangent checkpoint "))

    def test_a_record_replaces_records_only(self):
        os.symlink("model.toml", self.folder / "m.csv")
        other = self.model(PENDULUM, "other.toml")
        self.assertIn("is no record", self.refused("run", other, "--out", "m.csv"))
        self.run_once("--checkpoint", "c.csv")
        for option in (["--out"], ["--section", "x", "--section-out"]):
            self.assertIn("is no record", self.refused_here(*option, "c.csv"))
            (self.folder / "a.csv").touch()
            for _ in range(2):
                self.run_once(*option, "a.csv")
                self.assertTrue((self.folder / "a.csv").read_text().startswith("t,x,y"))

    def test_a_table_of_something_else_is_no_record(self):
        other = self.model(PENDULUM.replace('"y"]', '"y", "z"]').replace("y = 0\n", "y = 0\nz = 0\np_z = 0\n"), "other.toml")
        self.summary(other, "--end", 0.1, "--out", "other.csv")
        for name, text in (("mine.csv", "t,x\n0,1\n"), ("longer.csv", "t,x,y,p_x,p_y2\n0,1,0,0,0\n"), ("cut.csv", "t,x,y,p_x,p_y")):
            (self.folder / name).write_text(text)
        for name in ("mine.csv", "longer.csv", "cut.csv", "other.csv"):
            before = (self.folder / name).read_bytes()
            for option in (["--out"], ["--section", "x", "--section-out"]):
                self.assertIn("it exists and is no record of this model", self.refused_here(*option, name))
            self.assertEqual((self.folder / name).read_bytes(), before)
        # Of this model it is, whatever was watched.
        self.run_once("--out", "a.csv", "--monitor", "energy")
        self.run_once("--out", "a.csv", "--monitor", "none")
        self.run_once("--out", "a.csv")

    def test_nothing_but_ordinary_files_is_replaced(self):
        os.mkfifo(self.folder / "fifo")
        os.mkfifo(self.folder / "fifo.csv")
        self.assertIn("no ordinary file", self.refused_here("--checkpoint", "fifo"))
        os.symlink("fifo", self.folder / "link")
        self.assertIn("no ordinary file", self.refused_here("--checkpoint", "link"))
        self.assertIn("it is a folder", self.refused_here("--checkpoint", "sub"))
        (self.folder / "folder.csv").mkdir()
        self.assertIn("it is a folder", self.refused_here("--out", "folder.csv"))
        self.assertTrue(stat.S_ISFIFO(os.stat(self.folder / "fifo").st_mode))

    @unittest.skipUnless(os.geteuid() == 0, "root makes devices")
    def test_devices_stay_devices(self):
        try:
            os.mknod(self.folder / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
            os.mknod(self.folder / "disk.csv", stat.S_IFBLK | 0o666, os.makedev(7, 4095))  # a loop that is not there
        except PermissionError:
            self.skipTest("no devices can be made here")
        self.assertIn("no ordinary file", self.refused_here("--checkpoint", "null"))
        self.assertTrue(stat.S_ISCHR(os.stat(self.folder / "null").st_mode))
        self.assertIn("no ordinary file", self.refused_here("--out", "disk.csv"))
        os.symlink("null", self.folder / "null.csv")
        self.run_once("--out", "null.csv")  # a stream will do for a record
        self.assertTrue(stat.S_ISCHR(os.stat(self.folder / "null").st_mode))

    def test_links_are_followed_and_stay(self):
        for name, option in (("real.ckpt", "--checkpoint"), ("real.csv", "--out")):
            os.symlink(f"sub/{name}", self.folder / name)
            for _ in range(2):  # before the file exists, and after
                self.run_once(option, name)
                self.assertTrue((self.folder / name).is_symlink())
                self.assertGreater((self.folder / "sub" / name).stat().st_size, 0)
        self.assertEqual(self.summary("--resume", "real.ckpt", "--end", 0.2)["time"], 0.2)

    def test_rights_stay(self):
        self.run_once("--checkpoint", "c.ckpt")
        self.assertEqual(stat.S_IMODE(os.stat(self.folder / "c.ckpt").st_mode), 0o666 & ~self.mask())
        os.chmod(self.folder / "c.ckpt", 0o640)
        self.run_once("--checkpoint", "c.ckpt")
        self.assertEqual(stat.S_IMODE(os.stat(self.folder / "c.ckpt").st_mode), 0o640)

    @staticmethod
    def mask():
        mask = os.umask(0)
        os.umask(mask)
        return mask

    def test_a_file_beside_the_checkpoint_is_nobodys_business(self):
        (self.folder / "c.ckpt.tmp").write_text("mine")
        self.run_once("--checkpoint", "c.ckpt", "--out", "a.csv")
        self.assertEqual((self.folder / "c.ckpt.tmp").read_text(), "mine")
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()),
                         ["a.csv", "a.csv.json", "c.ckpt", "c.ckpt.tmp", "model.toml", "sub"])

    def test_a_run_that_is_refused_leaves_files_as_they_were(self):
        self.run_once("--out", "a.csv", "--checkpoint", "c.ckpt")
        text = (self.folder / "c.ckpt").read_text()
        (self.folder / "d.ckpt").write_text(signed(text.replace("last_recorded", "lost_recorded")))
        with open(self.folder / "a.csv", "a") as file:
            file.write("0.11,half a ro")
        before = (self.folder / "a.csv").read_bytes()
        for out in ([], ["--out", "b.csv"]):
            self.assertIn("'last_recorded' is expected", self.refused("run", "--resume", "d.ckpt", "--end", 1, *out))
            self.assertEqual((self.folder / "a.csv").read_bytes(), before)

    # Which are the same.

    def test_nothing_is_written_twice(self):
        section = ["--section", "x", "--section-out"]
        os.symlink("sub", self.folder / "way")
        os.symlink("a.csv", self.folder / "dangling.csv")
        os.symlink("../a.csv", self.folder / "sub" / "back.csv")
        for other in ("./a.csv", "sub/../a.csv", "way/../a.csv", self.folder / "a.csv", "dangling.csv", "sub/back.csv",
                      "way/back.csv", "//" + str(self.folder / "a.csv")):
            for exists in (False, True):
                with self.subTest(other=other, exists=exists):
                    if exists:
                        (self.folder / "a.csv").touch()
                    self.assertIn("is the file of the trajectory", self.refused_here("--out", "a.csv", *section, other))
                    self.assertIn("is the file of the trajectory", self.refused_here("--out", other, "--checkpoint", "a.csv"))
                    (self.folder / "a.csv").unlink(missing_ok=True)
        (self.folder / "a.csv").touch()
        os.link(self.folder / "a.csv", self.folder / "hard.csv")
        self.assertIn("is the file of the trajectory", self.refused_here("--out", "a.csv", *section, "hard.csv"))
        os.symlink("model.toml", self.folder / "link.csv")
        os.link(self.path, self.folder / "model.csv")
        for name in ("link.csv", "model.csv"):
            self.assertIn("is the file of the model", self.refused_here("--out", name))
        # A folder of another name is another place.
        self.run_once("--out", "a.csv", *section, "sub/a.csv")

    def test_nothing_goes_where_the_program_prints(self):
        os.symlink("so.csv", self.folder / "link.csv")
        for stream in ("stdout", "stderr"):
            for option in (["--out"], ["--checkpoint"], ["--section", "x", "--section-out"]):
                for name in ("so.csv", "link.csv"):
                    with self.subTest(stream=stream, option=option, name=name):
                        with open(self.folder / "so.csv", "w") as file:
                            streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: file}
                            result = subprocess.run([PROGRAM, "run", self.path, "--end", "0.1", *option, name],
                                                    cwd=self.folder, text=True, timeout=60, **streams)
                        self.assertEqual(result.returncode, 2)
                        message = (self.folder / "so.csv").read_text() if stream == "stderr" else result.stderr
                        self.assertIn(f"standard {'output' if stream == 'stdout' else 'error'} goes to '{name}'", message)
                        if stream == "stdout":
                            self.assertEqual((self.folder / "so.csv").read_text(), "")

    def test_a_second_run_is_kept_out_while_the_first_lives(self):
        os.symlink("a.csv", self.folder / "link.csv")
        os.symlink("c.ckpt", self.folder / "link.ckpt")
        process = self.endless("--out", "a.csv", "--checkpoint", "c.ckpt")
        self.wait_for(lambda: self.is_locked("a.csv"))
        for out in ("a.csv", "link.csv", "sub/../a.csv"):
            self.assertIn("another run is writing it", self.refused_here("--out", out))
        self.wait_for(lambda: self.is_taken("c.ckpt"))
        for checkpoint in ("c.ckpt", "link.ckpt", "sub/../c.ckpt"):
            self.assertIn("another run is writing it", self.refused_here("--checkpoint", checkpoint))
        self.run_once("--out", "sub/a.csv", "--checkpoint", "sub/c.ckpt")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), 1)
        self.run_once("--out", "a.csv", "--checkpoint", "c.ckpt")

    def is_locked(self, name):
        if not (self.folder / name).exists():
            return False
        return self.call("run", self.path, "--end", 0, "--out", name).returncode == 2

    def is_taken(self, name):
        return self.call("run", self.path, "--end", 0, "--checkpoint", name).returncode == 2

    def test_a_run_that_was_killed_locks_nothing(self):
        process = self.endless("--out", "a.csv", "--checkpoint", "c.ckpt", "--checkpoint-every", "1000")
        self.wait_for(lambda: self.is_begun("c.ckpt"))
        process.kill()
        process.wait()
        self.run_once("--out", "a.csv", "--checkpoint", "c.ckpt")

    # Places that there are not.

    def test_paths_that_lead_nowhere_are_refused_with_the_reason(self):
        os.symlink("round.csv", self.folder / "round.csv")
        os.symlink("two.ckpt", self.folder / "one.ckpt")
        os.symlink("one.ckpt", self.folder / "two.ckpt")
        self.run_once("--checkpoint", "c.ckpt")
        for option, path, reason in (("--out", "round.csv", "Too many levels of symbolic links"),
                                     ("--checkpoint", "one.ckpt", "Too many levels of symbolic links"),
                                     ("--resume", "one.ckpt", "Too many levels of symbolic links"),
                                     ("--reference", "round.csv", "Too many levels of symbolic links"),
                                     ("--out", "none/a.csv", "No such file or directory"),
                                     ("--checkpoint", "none/c.ckpt", "No such file or directory"),
                                     ("--checkpoint", "none/", "No such file or directory"),
                                     ("--resume", "none/c.ckpt", "No such file or directory"),
                                     ("--reference", "none/a.csv", "No such file or directory"),
                                     ("--out", "model.toml/a.csv", "Not a directory"),
                                     ("--checkpoint", "c.ckpt/c", "Not a directory"),
                                     ("--checkpoint", "x" * 300, "File name too long"),
                                     ("--out", "x" * 300 + ".csv", "File name too long")):
            with self.subTest(option=option, path=path):
                message = self.refused("run", self.path, option, path)
                self.assertIn(reason, message)
                self.assertIn(path, message)
        os.symlink("round.toml", self.folder / "round.toml")
        self.assertIn("Too many levels", self.refused("check", "round.toml"))
        self.path.write_text(PENDULUM + 'out = "a\\u0000.csv"\n')
        self.assertIn("zero byte", self.refused("run", self.path))

    def test_places_without_permission_are_refused(self):
        closed = self.folder / "closed"
        closed.mkdir()
        (closed / "c.ckpt").write_text("")
        (self.folder / "a.csv").write_text("")
        os.chmod(self.folder / "a.csv", 0o444)
        os.chmod(self.folder, 0o755)
        os.chmod(closed, 0o555)
        self.addCleanup(os.chmod, closed, 0o755)
        as_user = {"user": NOBODY} if os.geteuid() == 0 else {}
        for option, path in (("--out", "closed/a.csv"), ("--checkpoint", "closed/c"), ("--checkpoint", "closed/c.ckpt"),
                             ("--out", "a.csv")):
            with self.subTest(option=option, path=path):
                try:
                    result = subprocess.run([PROGRAM, "run", self.path, "--end", "0.1", option, path], cwd=self.folder,
                                            capture_output=True, text=True, timeout=60, **as_user)
                except PermissionError:
                    self.skipTest("an ordinary user cannot start the program here")
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(f"cannot write {path}: Permission denied", result.stderr)

    # Inputs without an end.

    def test_endless_and_huge_inputs_are_refused(self):
        os.symlink("/dev/zero", self.folder / "zero.csv")
        with open(self.folder / "huge.csv", "w") as file:
            file.write("t,x\n0,1\n")
            file.truncate(1 << 40)  # takes no room
        with open(self.folder / "huge.ckpt", "w") as file:
            file.write("cotangent checkpoint 6\n")
            file.truncate(1 << 40)
        self.assertIn("no text", self.refused("run", self.path, "--reference", "zero.csv"))
        self.assertIn("is no checkpoint", self.refused("run", "--resume", "/dev/zero"))
        self.assertIn("no text", self.refused("check", "/dev/zero"))
        for name in ("huge.csv", "huge.ckpt"):
            option = "--reference" if name == "huge.csv" else "--resume"
            self.assertIn("it is larger than", self.refused("run", self.path, option, name))

    def test_a_pipe_is_read_up_to_a_limit(self):
        for name, first in (("endless.csv", "t,x\n"), ("endless.ckpt", "cotangent checkpoint 6\n")):
            os.mkfifo(self.folder / name)

            def feed():
                try:
                    with open(self.folder / name, "w") as pipe:
                        pipe.write(first)
                        while True:
                            pipe.write("0.5,0.5\n" * 8192)
                except BrokenPipeError:
                    pass
            feeder = threading.Thread(target=feed)
            feeder.start()
            option = "--reference" if name == "endless.csv" else "--resume"
            self.assertIn("it is larger than 64 MiB", self.refused("run", self.path, option, name))
            feeder.join()

    # Checkpoints that somebody has changed.

    def test_checkpoints_that_make_no_sense_are_refused(self):
        self.summary(self.path, "--end", 1, "--monitor", "wedge", "--checkpoint", "c.ckpt")
        text = (self.folder / "c.ckpt").read_text()

        def message(before, after):
            self.assertIn(before, text)
            (self.folder / "d.ckpt").write_text(signed(text.replace(before, after, 1)))
            return self.refused("run", "--resume", "d.ckpt", "--end", 2)
        q = next(line for line in text.splitlines() if line.startswith("  q 2 "))
        for number in ("nan", "inf", "1e999"):
            self.assertIn("the point is not finite", message(q, f"  q 2 {number} 0x0p+0"))
            self.assertIn("the time is not finite", message("\n  t 0x1p+0", f"\n  t {number}"))
            self.assertIn("the time is not finite", message("\n  time 0x1p+0", f"\n  time {number}"))
        for count in (1, -1):
            self.assertIn("the system has other states", message("        states 0", f"        states {count}"))
        self.assertIn("the state is that of the method 'rattle'", message('"method=rattle"', '"method=shake"'))
        self.assertIn("the state is that of the method 'rk4'", message('\nmethod "rattle"', '\nmethod "rk4"'))
        self.assertIn("the time does not match the number of steps", message("\n  t 0x1p+0", "\n  t 0x1p+10"))
        self.assertIn("the time does not match the number of steps", message("\nsteps 100", "\nsteps -100"))

    def test_a_run_that_is_resumed_knows_where_it_is(self):
        for end in (1.4, 1.5):  # an odd and an even number of steps
            self.summary(self.path, "--step", 0.1, "--end", end, "--checkpoint", "c.ckpt")
            message = self.refused("run", "--resume", "c.ckpt", "--end", end - 0.05)
            self.assertIn(f"the run that is resumed is at t = {end} already", message)
            notes = self.summary("--resume", "c.ckpt", "--end", 2)["notes"]
            self.assertIn(f"the run goes on from t = {end} ", " ".join(notes))


if __name__ == "__main__":
    main()
