#!/usr/bin/env python3
"""The tutorial, word by word: usage tutorial_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import math
import re
import shutil
import sys
import unittest

sys.dont_write_bytecode = True  # beside the sources
from program import MODELS, ProgramTest, main  # noqa: E402

PAGE = MODELS.parent / "docs" / "tutorial.md"


def is_near(word, other):
    """Words are equal, numbers almost: the last digits of the energy error are those of the processor."""
    try:
        return math.isclose(float(word), float(other), rel_tol=0.02, abs_tol=1e-12)
    except ValueError:
        return word == other


def stands_in(line, text):
    """Whether some line begins with these words."""
    words = line.split()
    return any(len(other) >= len(words) and all(map(is_near, words, other)) for other in map(str.split, text.splitlines()))


class TutorialTest(ProgramTest):
    def test_every_block(self):
        output, commands, told = "", 0, 0
        for kind, block in re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.S | re.M):
            if kind == "toml":
                file, is_more = re.match(r"# (\w+\.toml)(, continued)?\n", block).groups()
                with (self.folder / file).open("a" if is_more else "w") as stream:
                    stream.write("\n" * bool(is_more) + block)
            elif kind == "sh":
                for line in block.splitlines():
                    words = line.split()
                    self.assertEqual(words[0], "cotangent")
                    if words[1] == "plot" and not shutil.which("gnuplot"):
                        continue
                    result = self.call(*words[1:])
                    if "built without the page" in result.stderr:
                        continue
                    self.assertEqual(result.returncode, 0, line + "\n" + result.stderr)
                    output = result.stdout
                    commands += 1
            else:
                for line in block.splitlines():
                    self.assertTrue(stands_in(line, output), f"'{line}' is not in\n{output}")
                    told += 1
        self.assertGreater(commands, 9)
        self.assertGreater(told, 15)
        self.assertTrue((self.folder / "crane.csv").exists())

    def test_the_swing_has_the_frequency_that_is_told(self):
        self.assertAlmostEqual(math.sqrt(9.81 / 2 * (1 + 1 / 3)), 2.557342371, delta=1e-9)


if __name__ == "__main__":
    main()
