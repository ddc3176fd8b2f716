#!/usr/bin/env python3
"""Published experiments as data: usage reproduce_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import json
import re
import sys
import unittest

sys.dont_write_bytecode = True  # beside the sources
from program import MODELS, ProgramTest, main  # noqa: E402

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


RICH = """
title = "All that a file may have"
[models]
oscillator = '''
[parameters]
k = 1
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 + k*x^2/2"
[initial]
x = 1
p_x = 0
'''
[common]
model = "oscillator"
method = "gauss:2"
step = 0.01
end = "2*pi"
[runs.once]
signals = ["x", "v_x"]
[runs.stiff]
each = { k = [1, 2, 4] }
[runs.long]
step = 0.02
end = 200
[analyses.rest]
question = "equilibrium"
set = ["k=4"]
[analyses.residuals]
model = "pendulum"
formulation = "total"
end = 5
[[plots]]
title = "orbit"
lines = ["once: x, p_x"]
[[plots]]
title = "energies"
x = "stiffness"
log = "xy"
lines = ["stiff: initial_energy"]
[[plots]]
title = "long"
lines = ["long: x"]
[[claims]]
claim = "the largest x"
measured = "once.signals.x.max"
printed = 1
tolerance = 1e-9
[[claims]]
claim = "the mean velocity"
measured = "once.signals.v_x.mean"
printed = 0
tolerance = 1e-3
[[claims]]
claim = "energies: doubled"
measured = "stiff_4.initial_energy/stiff_2.initial_energy"
printed = 2
tolerance = 1e-12
[[claims]]
claim = "the frequency"
measured = "rest.modes.1.omega"
printed = 2
tolerance = 1e-9
[[claims]]
claim = "an eigenvalue"
measured = "residuals.formulations.1.residual_eigenvalues.1.1"
printed = 4
tolerance = 1e-9
"""


class ReproduceTest(ProgramTest):
    def reproduce(self, *arguments, status=0):
        result = self.call("reproduce", *arguments, "--json")
        self.assertEqual(result.returncode, status, result.stderr)
        return json.loads(result.stdout)

    def test_what_there_is(self):
        experiments = self.reproduce("--list")
        self.assertGreaterEqual(sum(one["claims"] for one in experiments), 60)
        names = [one["name"] for one in experiments]
        for name in ("seiler/fig-1", "seiler/fig-2", "leimkuhler-reich/fig-3.1", "leimkuhler-reich/fig-4.5", "liu/table-2",
                     "liu/fig-13", "ruhoff/chains"):
            self.assertIn(name, names)

    def test_times_fail_nothing(self):
        text = """
title = "Times"
[runs.a]
model = "pendulum"
end = 1
[[claims]]
claim = "a run takes no time"
measured = "a.wall_seconds"
at_most = 0
"""
        [claim] = self.reproduce(self.model(text, "times.toml"))
        self.assertEqual((claim["verdict"], claim["known"], claim["of_time"]), ("not reproduced", False, True))
        self.reproduce(self.model(text.replace("wall_seconds", "steps"), "steps.toml"), status=1)

    def test_other_names(self):
        names = {one["name"] for one in self.reproduce("--list", "leimkuhler_reich/figures")}
        self.assertIn("leimkuhler-reich/fig-4.1", names)
        self.assertEqual([one["name"] for one in self.reproduce("--list", "seiler/projections")], ["seiler/fig-1"])

    def test_quick_experiments(self):
        claims = self.reproduce("--quick")
        self.assertGreater(len(claims), 100)
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

    def test_models_families_signals_plots_and_analyses(self):
        claims = self.reproduce(self.model(RICH))
        self.assertEqual([claim["verdict"] for claim in claims], ["reproduced"] * 5, claims)
        result = self.call("reproduce", "model.toml", "--report", "page.html")
        if "built without the page" in result.stderr:
            raise unittest.SkipTest("built without Node.js")
        page = (self.folder / "page.html").read_text()
        data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1])
        part = data["parts"][0]
        orbit, family, long = part["figures"]
        self.assertEqual(max(orbit["lines"][0]["x"]), 1)
        self.assertEqual(family["lines"][0]["x"], [1, 2, 4])
        self.assertEqual(family["x"]["label"], "stiffness")
        self.assertTrue(family["y"]["log"])
        # Thinned lines keep what is largest and smallest.
        y = long["lines"][0]["y"]
        self.assertLess(len(y), 2000)
        self.assertGreater(max(y), 0.99999)
        self.assertLess(min(y), -0.99999)
        self.assertEqual([row[4].split(":")[0] for row in part["tables"][0]["rows"][1:]], ["good"] * 5)

    def test_the_example_of_the_manual(self):
        manual = (MODELS.parent / "docs" / "reproductions.md").read_text(encoding="utf-8")
        claims = self.reproduce(self.model(re.search(r"```toml\n(.*?)```", manual, re.S)[1]))
        self.assertEqual([claim["verdict"] for claim in claims], ["reproduced"] * 3)

    def test_signals_of_an_impetus(self):
        # l' = lambda: without gravitation the pendulum has lambda = |p|^2 = 4.
        self.assertEqual(self.call("run", "pendulum", "--set", "g=0", "--method", "gauss:3", "--formulation", "impetus", "--projection",
                                   "none", "--end", 5, "--step", 0.02, "--monitor", "striction,impetus,residuals", "--out",
                                   "a.csv", "--quiet").returncode, 0)
        last = self.read_csv("a.csv")[-1]
        self.assertAlmostEqual(float(last["striction_rod"]), 20, delta=1e-9)
        for name in ("x", "y"):
            star = float(last["p_" + name]) + 20 * float(last[name])
            self.assertAlmostEqual(float(last["p_star_" + name]), star, delta=1e-9)
        self.assertLess(abs(float(last["g_rod"])), 1e-12)
        note = self.call("run", "pendulum", "--end", 1, "--monitor", "striction").stderr
        self.assertIn("carry no impetus", note)

    def test_mistakes_have_a_place(self):
        for change, words in ((("[runs.fine]", "[runs.finer]"), "fine.max.error"), (("max.error/", "max.eror/"), "eror"),
                              (("tolerance = 0.2", ""), "allows everything"), (("step = 0.1\n", "steps = 1\n"), "steps"),
                              (('claim = "order"', ""), "claim"), (("[[claims]]", '[[plots]]\nlines = ["corse: x"]\n[[claims]]'), "coarse"), (('method = "gauss:2"', 'method = "gaus:2"'), "gaus")):
            message = self.refused("reproduce", self.model(OWN.format(order=4).replace(*change)))
            self.assertIn(words, message)
            self.assertIn("model.toml:", message)

    def test_unknown_names(self):
        self.assertIn("leimkuhler_reich", self.refused("reproduce", "leimkuhler_rich/figures"))
        self.assertIn("--all", self.refused("reproduce"))


main()
