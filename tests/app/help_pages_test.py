#!/usr/bin/env python3
"""Completion of shells and the manual: usage help_pages_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # beside the sources
from program import PROGRAM, ProgramTest, main  # noqa: E402


class HelpPagesTest(ProgramTest):
    def options(self, command):
        return set(re.findall(r"^\s+(--[a-z-]+)", self.call(command, "--help").stdout, re.MULTILINE))

    def bash_words(self, *typed):
        """What bash offers for the last word."""
        with tempfile.NamedTemporaryFile("w", suffix=".bash") as script:
            script.write(self.call("completion", "bash").stdout)
            script.flush()
            words = " ".join(f"'{word}'" for word in ("cotangent", *typed))
            program = (f"source {script.name}; COMP_WORDS=({words}); COMP_CWORD={len(typed)}; _cotangent; "
                       'printf "%s\\n" "${COMPREPLY[@]}"')
            path = os.path.dirname(os.path.abspath(PROGRAM)) + os.pathsep + os.environ["PATH"]
            done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, env={**os.environ, "PATH": path})
            self.assertEqual(done.stderr, "")
            return done.stdout.split()

    def test_bash_offers_commands_options_and_values(self):
        self.assertIn("run", self.bash_words("r"))
        self.assertIn("reproduce", self.bash_words("r"))
        self.assertIn("--project-every", self.bash_words("run", "pendulum", "--project"))
        self.assertEqual(self.bash_words("run", "--projection", "sym"), ["symmetric"])
        self.assertIn("rattle", self.bash_words("run", "pendulum", "--method", "ra"))
        self.assertIn("pendulum", self.bash_words("run", "pend"))
        self.assertEqual(self.bash_words("completion", "z"), ["zsh"])

    def test_every_option_is_in_every_script_and_in_the_manual(self):
        manual = self.call("manual").stdout
        scripts = {shell: self.call("completion", shell).stdout for shell in ("bash", "zsh", "fish")}
        for command in ("run", "compare", "analyze", "plot"):
            for option in self.options(command):
                self.assertIn(".B " + option.replace("-", r"\-"), manual)
                for shell, script in scripts.items():
                    self.assertIn(f"-l {option[2:]} " if shell == "fish" else option, script + " ", shell)

    def test_scripts_are_programs(self):
        for shell in ("bash", "zsh", "fish"):
            if shutil.which(shell):
                script = self.call("completion", shell).stdout
                done = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)
        self.assertIn("zsh", self.refused("completion", "csh"))

    def test_the_manual_is_a_page(self):
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=self.call("manual").stdout,
                                  capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
            self.assertIn("COTANGENT(1)", done.stdout)


if __name__ == "__main__":
    main()
