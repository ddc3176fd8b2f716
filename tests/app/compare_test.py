#!/usr/bin/env python3
"""One system under several choices: usage compare_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import json
import sys

sys.dont_write_bytecode = True  # beside the sources
from program import ProgramTest, main  # noqa: E402


OSCILLATOR = """
[system]
coordinates = ["x"]
hamiltonian = "p_x^2/2 + x^2/2"
[initial]
x = 1
p_x = 0
[run]
end = 3
"""


class CompareTest(ProgramTest):
    def compare(self, *arguments):
        result = self.call("compare", *arguments, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def test_errors_are_those_of_the_solution(self):
        runs = self.compare("kepler", "--method", "gauss:2,rk4", "--step", "0.04,0.02", "--end", 20)
        self.assertEqual([(run["method"], run["step"]) for run in runs],
                         [("gauss:2", 0.04), ("gauss:2", 0.02), ("rk4", 0.04), ("rk4", 0.02)])
        for coarse, fine in (runs[:2], runs[2:]):
            self.assertEqual(coarse["solution_error"]["by"], "the exact solution")
            ratio = coarse["solution_error"]["largest"] / fine["solution_error"]["largest"]
            self.assertGreater(ratio, 12)
            self.assertLess(ratio, 40)
        alone = self.summary("kepler", "--method", "gauss:2", "--step", 0.02, "--end", 20, "--reference", "exact",
                             "--projection", "none")
        largest = max(alone["max"]["errors"].values())
        size = runs[1]["solution_error"]["largest"]
        self.assertGreater(largest / size, 0.9)  # positions are of the size 1 to 2
        self.assertLess(largest / size, 4)

    def test_a_run_of_its_own_is_the_reference_where_nothing_else_is(self):
        runs = self.compare("pendulum", "--method", "gauss:2", "--step", "0.04,0.02", "--end", 10)
        errors = [run["solution_error"] for run in runs]
        self.assertIn("dop853", errors[0]["by"])
        self.assertLess(errors[0]["known_to"], 1e-3 * errors[1]["largest"])
        self.assertGreater(errors[0]["largest"] / errors[1]["largest"], 14)
        self.assertLess(errors[0]["largest"] / errors[1]["largest"], 18)

    def test_the_cheapest_accurate_run_is_recommended(self):
        for model in ("pendulum", "lotka_volterra"):
            runs = self.compare(model, "--accuracy", "1e-5", "--end", 20)
            self.assertGreater(len({run["method"] for run in runs}), 4)
            recommended = [run for run in runs if run["recommended"]]
            self.assertEqual(len(recommended), 1)
            accurate = [run for run in runs if run["solution_error"].get("largest", 1) <= 1e-5]
            self.assertEqual(recommended[0]["loop_seconds"], min(run["loop_seconds"] for run in accurate))

    def test_steps_that_are_told_were_made(self):
        arguments = (self.model(OSCILLATOR), "--method", "rk4,gauss:3")
        runs = self.compare(*arguments)
        for method in ("rk4", "gauss:3"):
            made = [run for run in runs if run["method"] == method]
            self.assertGreater(len(made), 1)
            self.assertEqual(len({run["steps"] for run in made}), len(made))
            for run in made:
                self.assertLess(abs(run["steps"] * run["step"] - 3), run["step"])
        # Steps are as long as the accuracy permits: the error of gauss:3 is 2e-5 h^6.
        self.assertGreater(max(run["step"] for run in runs if run["method"] == "gauss:3"), 0.3)
        told = self.call("compare", *arguments).stdout.split("recommended: ")[1].split("--step ")[1].split(":")[0]
        self.assertIn(float(told), [run["step"] for run in runs])

    def test_what_a_model_says_of_files_does_not_matter(self):
        plain = self.model(OSCILLATOR, "plain.toml")
        model = self.model(OSCILLATOR + """
out = "a.csv"
every = 7
section = "x"
section-out = "s.csv"
checkpoint = "c.ckpt"
report = "r.html"
""")
        before = sorted(path.name for path in self.folder.iterdir())
        given = ("--method", "rk4,gauss:2", "--step", "0.1,0.05")
        runs = self.compare(model, *given)
        self.assertEqual([run["state"] for run in runs], [run["state"] for run in self.compare(plain, *given)])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), before)

    def test_nothing_is_recommended_where_nothing_is_accurate(self):
        result = self.call("compare", "pendulum", "--method", "rattle", "--step", 0.1, "--end", 10)
        self.assertEqual(result.returncode, 0)
        last = result.stdout.splitlines()[-1]
        self.assertTrue(last.startswith("nothing is recommended"), last)
        self.assertIn("--method rattle", last)

    def test_what_does_not_apply_is_listed_with_its_reason(self):
        arguments = ("pendulum", "--method", "ruth3,rattle", "--step", "0.1,0.05", "--end", 1)
        runs = self.compare(*arguments)
        self.assertEqual([run["status"] for run in runs], ["refused", "refused", "done", "done"])
        self.assertIn("constraints", runs[0]["reason"])
        table = self.call("compare", *arguments).stdout
        self.assertEqual(table.count("ruth3: "), 1)

    def test_all_formulations_and_projections(self):
        runs = self.compare("pendulum", "--method", "rk4", "--formulation", "all", "--projection", "none,both", "--step",
                            0.1, "--end", 1)
        made = {(run["formulation"], run["projection"]) for run in runs if run["status"] != "refused"}
        for formulation in ("standard", "dirac", "impetus", "state-space", "ggl"):
            self.assertTrue({(formulation, "none"), (formulation, "both")} <= made)

    def test_a_failed_run_is_no_failure_of_the_comparison(self):
        runs = self.compare("pendulum", "--method", "gauss:2", "--formulation", "total", "--projection", "none", "--step",
                            0.1, "--end", 20)
        self.assertEqual(runs[0]["status"], "failed")
        self.assertNotIn("largest", runs[0]["solution_error"])

    def test_growth_is_there_if_it_was_asked_for(self):
        arguments = ("pendulum", "--method", "rk4", "--projection", "none", "--step", 0.05, "--end", 200)
        table = self.call("compare", *arguments, "--growth").stdout
        self.assertIn("energy as t^k", table)
        self.assertNotIn("energy as t^k", self.call("compare", *arguments).stdout)

    def test_wrong_words_are_refused_once(self):
        for arguments, words in ((("--method", "foo"), "foo"), (("--step", "fast"), "fast"),
                                 (("--accuracy", "-1"), "-1"), (("--threads", "many"), "many"),
                                 (("--projection", "none,sideways"), "sideways"), (("--formulation", "pure"), "pure")):
            self.assertIn(words, self.refused("compare", "pendulum", *arguments))
        self.assertIn("out", self.refused("compare", "pendulum", "--out", "x.csv"))


main()
