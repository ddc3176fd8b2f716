#!/usr/bin/env python3
"""Completion of shells and the manual: usage help_pages_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True  # beside the sources
from program import PROGRAM, ProgramTest, main  # noqa: E402

PATH = os.path.dirname(PROGRAM) + os.pathsep + os.environ["PATH"]


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
            done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, env={**os.environ, "PATH": PATH})
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
        self.assertIn("seiler/fig-1", self.bash_words("reproduce", "seiler/"))
        self.assertIn("experiments", self.bash_words("list", "ex"))

    @unittest.skipUnless(shutil.which("fish"), "there is no fish")
    def test_fish_offers_commands_options_and_values(self):
        script = self.folder / "cotangent.fish"
        script.write_text(self.call("completion", "fish").stdout)

        def words(typed):
            done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{typed}'"], capture_output=True, text=True,
                                  env={**os.environ, "PATH": PATH, "HOME": str(self.folder)})
            self.assertEqual(done.stderr, "", typed)
            return [line.split("\t")[0] for line in done.stdout.splitlines()]

        self.assertEqual(words("cotangent repr"), ["reproduce"])
        self.assertIn("pendulum", words("cotangent run pend"))
        self.assertIn("--project-every", words("cotangent run pendulum --project"))
        self.assertEqual(words("cotangent run --projection sym"), ["symmetric"])
        self.assertEqual(words("cotangent completion z"), ["zsh"])
        self.assertIn("seiler/fig-1", words("cotangent reproduce seiler/"))
        self.assertIn("rattle", words("cotangent run --method ra"))
        # Every method, those with parentheses among them.
        shown = " ".join(words("cotangent run --method co"))
        self.assertIn("compose:4(rattle)", shown.replace("\\", ""))

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh_completes_what_is_typed(self):
        (self.folder / "_cotangent").write_text(self.call("completion", "zsh").stdout)
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {"PATH": PATH, "TERM": "dumb", "HOME": str(self.folder), "LANG": "C.UTF-8"})

        def type_until(text, answer):
            os.write(terminal, text.encode())
            seen, end = b"", time.monotonic() + 30
            while answer.encode() not in seen and time.monotonic() < end:
                if select.select([terminal], [], [], 0.1)[0]:
                    seen += os.read(terminal, 65536)
            self.assertIn(answer, seen.decode(errors="replace"))

        try:
            type_until(f"PS1='$ '; fpath=({self.folder} $fpath); autoload -Uz compinit; compinit -u -D; echo rea''dy\n", "ready\r\n")
            for typed, rest in (("cotangent repr", "oduce "), ("cotangent run pendul", "um "), ("cotangent run --method rattl", "e "),
                                ("cotangent run pendulum --project-ev", "ery "), ("cotangent run --projection sc", "aling "),
                                ("cotangent completion z", "sh "), ("cotangent reproduce seiler/d", "opri5 ")):
                type_until("\x15" + typed + "\t", typed + rest)
        finally:
            os.close(terminal)
            os.waitpid(process, 0)

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
