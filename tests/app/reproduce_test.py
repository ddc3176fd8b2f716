#!/usr/bin/env python3
"""Published experiments as data: usage reproduce_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import json
import sys

sys.dont_write_bytecode = True  # beside the sources
from program import ProgramTest, main  # noqa: E402

OWN = """
title = "My own"
[common]
model = "pendulum"
method = "gauss:2"
end = 2
reference = "finer:10"
[runs.coarse]
step = 0.1
[runs.fine]
step = 0.05
[[claims]]
claim = "order"
measured = "log(coarse.max.error/fine.max.error)/log(2)"
printed = {order}
tolerance = 0.2
[[claims]]
claim = "colour"
not_checkable = "the figure is in black and white"
"""


class ReproduceTest(ProgramTest):
    def reproduce(self, *arguments, status=0):
        result = self.call("reproduce", *arguments, "--json")
        self.assertEqual(result.returncode, status, result.stderr)
        return json.loads(result.stdout)

    def test_what_there_is(self):
        experiments = self.reproduce("--list")
        self.assertGreaterEqual(sum(one["claims"] for one in experiments), 60)
        self.assertIn("leimkuhler_reich/figures", [one["name"] for one in experiments])

    def test_all_experiments(self):
        claims = self.reproduce("--all")
        for claim in claims:
            if claim["verdict"] == "not reproduced":
                self.assertTrue(claim["known"], claim)
                self.assertTrue(claim["remark"])
        known = [claim for claim in claims if claim["known"]]
        self.assertGreater(len(known), 1)
        for claim in known:  # a claim that holds after all is no longer known not to
            self.assertEqual(claim["verdict"], "not reproduced", claim)

    def test_an_experiment_of_ones_own(self):
        right = self.reproduce(self.model(OWN.format(order=4)))
        self.assertEqual([claim["verdict"] for claim in right], ["reproduced", "not checkable"])
        self.assertAlmostEqual(right[0]["measured"], 4, delta=0.2)
        wrong = self.reproduce(self.model(OWN.format(order=3)), status=1)
        self.assertEqual(wrong[0]["verdict"], "not reproduced")

    def test_mistakes_have_a_place(self):
        for change, words in ((("[runs.fine]", "[runs.finer]"), "fine.max.error"), (("max.error/", "max.eror/"), "eror"),
                              (("tolerance = 0.2", ""), "allows everything"), (("step = 0.1\n", "steps = 1\n"), "steps"),
                              (('claim = "order"', ""), "claim"), (('method = "gauss:2"', 'method = "gaus:2"'), "gaus")):
            message = self.refused("reproduce", self.model(OWN.format(order=4).replace(*change)))
            self.assertIn(words, message)
            self.assertIn("model.toml:", message)

    def test_unknown_names(self):
        self.assertIn("leimkuhler_reich", self.refused("reproduce", "leimkuhler_rich/figures"))
        self.assertIn("--all", self.refused("reproduce"))


main()
