#!/usr/bin/env python3
"""What is printed: usage print_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import os
import pty
import subprocess
import sys

sys.dont_write_bytecode = True  # beside the sources
from model_texts import FREE  # noqa: E402
from program import MODELS, PROGRAM, ProgramTest, main  # noqa: E402


class PrintTest(ProgramTest):
    def test_table_is_short_and_quiet_is_quiet(self):
        result = self.call("run", "pendulum", "--end", 1)
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr, "")
        self.assertLess(len(result.stdout.splitlines()), 30)
        for word in ("rattle", "energy", "constraints |g|", "hidden constraints |G H_p|", "done"):
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
        process = subprocess.Popen([PROGRAM, "run", str(MODELS / "pendulum.toml"), "--end", "400000"], stderr=device,
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
        piped = self.call("run", MODELS / "pendulum.toml", "--end", "400000")
        self.assertEqual(piped.stderr, "")

    def test_help_teaches(self):
        for arguments in ([], ["--help"]):
            result = self.call(*arguments)
            self.assertEqual(result.returncode, 0)
            self.assertIn("Examples:", result.stdout)
            self.assertIn("cotangent run pendulum", result.stdout)
        self.assertIn("--step", self.call("run", "--help").stdout)


if __name__ == "__main__":
    main()
