#!/usr/bin/env python3
"""References, growth, periodograms, sections, symmetries: usage signals_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import csv
import json
import math
import os
import sys

sys.dont_write_bytecode = True  # beside the sources
from model_texts import FREE, MOLECULE  # noqa: E402
from program import MODELS, ProgramTest, main  # noqa: E402

OSCILLATOR = """
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2 + x^2 + 4*y^2)/2"
[exact]
x = "cos(t)"
p_x = "-sin(t)"
[initial]
x = 1
y = 0.5
p_x = 0
p_y = 0
[run]
step = 0.05
end = 10
"""


class SignalsTest(ProgramTest):
    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    # References.

    def test_errors_against_an_exact_solution_have_the_order_of_the_method(self):
        model = self.model(OSCILLATOR)
        errors = [self.summary(model, "--reference", "exact", "--step", step)["max"]["error"] for step in (0.05, 0.025)]
        self.assertAlmostEqual(math.log2(errors[0] / errors[1]), 2, delta=0.02)
        quad = self.summary(model, "--reference", "exact", "--method", "gauss:8", "--precision", "quad")["max"]["error"]
        self.assertLess(quad, 1e-24)
        long = self.summary(model, "--reference", "exact", "--method", "gauss:8", "--precision", "long")["max"]["error"]
        self.assertEqual(long, quad)

    def test_the_exact_solution_of_kepler_is_one(self):
        for ecc, step, level in ((0, 0.02, 1e-30), (0.6, 0.02, 1e-30), (0.95, 0.0025, 1e-23)):
            summary = self.summary(MODELS / "kepler.toml", "--set", f"ecc={ecc}", "--reference", "exact",
                                   "--method", "gauss:12", "--step", step, "--end", 7, "--precision", "quad")
            self.assertLess(summary["max"]["error"], level, ecc)

    def test_a_record_agrees_with_the_run_it_was_made_of(self):
        model = self.model(OSCILLATOR)
        for precision in ("double", "long", "quad"):
            self.summary(model, "--out", "a.csv", "--precision", precision)
            summary = self.summary(model, "--reference", "a.csv", "--precision", precision, "--out", "b.csv")
            self.assertEqual(summary["max"]["error"], 0, precision)
            self.assertEqual(summary["warnings"], [])
        self.assertIn("error", self.rows("b.csv")[0])
        # Another precision, and another step that has times in common.
        self.assertLess(self.summary(model, "--reference", "a.csv")["max"]["error"], 1e-13)
        coarse = self.summary(model, "--reference", "a.csv", "--step", 0.1)
        exact = self.summary(model, "--reference", "exact", "--step", 0.1)
        self.assertGreater(coarse["max"]["error"], 0.5 * exact["max"]["error"])
        self.assertEqual(coarse["status"], "done")

    def test_records_are_compared_with_samples_of_adaptive_steps(self):
        model = self.model(OSCILLATOR)
        self.summary(model, "--method", "gauss:4", "--sample", 0.5, "--out", "a.csv")
        loose = [self.summary(model, "--tolerance", tolerance, "--method", "dopri5", "--sample", 0.5, "--out", "b.csv",
                              "--reference", "a.csv") for tolerance in (1e-4, 1e-9)]
        self.assertEqual(loose[0]["warnings"], [])
        self.assertGreater(loose[0]["max"]["error"], 1e-6)
        self.assertLess(loose[1]["max"]["error"], 1e-6)
        self.assertEqual(max(row["error"] for row in self.rows("b.csv")), loose[1]["max"]["error"])

    def test_records_of_arrays_are_read(self):
        model = self.model(MOLECULE)
        self.summary(model, "--out", "a.csv")
        self.assertEqual(self.summary(model, "--reference", "a.csv")["max"]["error"], 0)
        self.assertGreater(self.summary(model, "--reference", "a.csv", "--step", 0.02)["max"]["error"], 1e-9)

    def test_records_with_nothing_in_common_are_told(self):
        model = self.model(OSCILLATOR)
        self.summary(model, "--step", 0.03, "--end", 0.3, "--out", "a.csv")
        summary = self.summary(model, "--reference", "a.csv", "--step", 0.04, "--end", 0.1)
        self.assertIn("no time in common", summary["warnings"][0]["text"])
        summary = self.summary(model, "--reference", "a.csv", "--step", 0.03, "--end", 0.6)
        self.assertIn("the record ends at t = 0.3", summary["warnings"][0]["text"])
        (self.folder / "b.csv").write_text("t,u\n0,1\n")
        self.assertIn("such as 'x'", self.refused("run", model, "--reference", "b.csv"))
        (self.folder / "b.csv").write_text("x,y\n0,1\n")
        self.assertIn("no column 't'", self.refused("run", model, "--reference", "b.csv"))
        (self.folder / "b.csv").write_text("t,x\n0,one\n")
        self.assertIn("line 2: 'one' of column 'x' is not a number", self.refused("run", model, "--reference", "b.csv"))
        self.assertIn("cannot read none.csv: No such file", self.refused("run", model, "--reference", "none.csv"))

    def test_references_that_make_no_sense_are_refused(self):
        model = self.model(FREE)
        self.assertIn("the model states no exact solution", self.refused("run", model, "--reference", "exact"))
        self.assertIn("there is no reference 'exakt'", self.refused("run", model, "--reference", "exakt"))

    def test_an_exact_solution_with_another_start_is_noted(self):
        model = self.model(OSCILLATOR)
        checked = json.loads(self.call("check", model, "--json").stdout)
        self.assertEqual(checked["exact"], ["x", "p_x"])
        self.assertEqual(checked["notes"], [])
        note = "not that of the initial data: x is 1 at t = 0, not 2"
        self.assertIn(note, self.call("check", model, "--set", "x=2").stdout)
        self.assertIn(note, self.call("run", model, "--set", "x=2", "--reference", "exact").stderr)
        self.assertNotIn(note, self.call("run", model, "--set", "x=2").stderr)

    def test_records_that_are_not_numbers_are_refused(self):
        model = self.model(OSCILLATOR)
        self.summary(model, "--end", 0.2, "--out", "record.csv")
        lines = (self.folder / "record.csv").read_text().splitlines()
        names = lines[0].split(",")
        for name, value, told in (("x", "nan", "nan"), ("p_y", "-inf", "-inf"), ("t", "inf", "inf")):
            fields = lines[3].split(",")
            fields[names.index(name)] = value
            # An empty line counts as a line.
            (self.folder / "wrong.csv").write_text("\n".join([lines[0], "", *lines[1:3], ",".join(fields), *lines[4:]]))
            message = self.refused("run", model, "--reference", "wrong.csv")
            self.assertIn(f"wrong.csv cannot be compared with: '{name}' is {told} in line 5", message)
        # What is not compared may be anything.
        fields = lines[3].split(",")
        fields[names.index("energy")] = "nan"
        (self.folder / "right.csv").write_text("\n".join([*lines[:3], ",".join(fields), *lines[4:]]))
        self.assertEqual(self.summary(model, "--end", 0.2, "--reference", "right.csv")["max"]["error"], 0)

    # Growth.

    def test_growth_has_exponents_and_uncertainties(self):
        model = self.model(OSCILLATOR)
        summary = self.summary(model, "--method", "rk4", "--step", 0.1, "--end", 500, "--reference", "exact", "--growth")
        growth = summary["growth"]
        self.assertEqual(list(growth), list(summary["max"]))
        for name in ("energy", "error"):  # rk4 loses energy at a constant rate; its phase runs away at another
            self.assertAlmostEqual(growth[name]["exponent"], 1, delta=0.1)
            self.assertLess(growth[name]["uncertainty"], 0.2)
            self.assertLess(growth[name]["from"], growth[name]["until"])
        bounded = self.summary(model, "--end", 500, "--growth")["growth"]["energy"]
        self.assertAlmostEqual(bounded["exponent"], 0, delta=0.05)
        self.assertNotIn("growth", self.summary(model))
        self.assertIn("nothing is watched", self.call("run", model, "--growth", "--monitor", "none").stderr)
        self.assertIn("growth as t^k", self.call("run", model, "--growth").stdout)

    def test_rounding_errors_have_no_exponent(self):
        for method in ("rattle", "gauss:2"):
            growth = self.summary(MODELS / "pendulum.toml", "--method", method, "--step", 0.025, "--end", 500,
                                  "--growth")["growth"]
            self.assertIsNone(growth["position"]["exponent"])
            self.assertIsNone(growth["momentum"]["exponent"])

    def test_growth_of_errors_is_that_of_theory(self):
        expected = {"none": {"error": 3, "energy": 2, "position": 2, "momentum": 1},
                    "position": {"error": 3, "energy": 2, "momentum": 1},
                    "momentum": {"error": 2, "energy": 1, "position": 1}}
        for projection, exponents in expected.items():
            growth = self.summary(MODELS / "pendulum.toml", "--method", "rk4", "--projection", projection,
                                  "--step", 0.025, "--end", 500, "--reference", "finer:2", "--growth")["growth"]
            for name, exponent in exponents.items():
                with self.subTest(projection=projection, name=name):
                    self.assertAlmostEqual(growth[name]["exponent"], exponent, delta=0.1)
                    self.assertLess(growth[name]["uncertainty"], 0.15)

    def test_growth_of_invariants_stands_with_them(self):
        growth = self.summary(self.model(MOLECULE), "--growth")["growth"]
        self.assertIn("exponent", growth["invariants"]["L"])

    # Periodograms.

    def test_periodograms_find_the_lines(self):
        model = self.model(OSCILLATOR)
        summary = self.summary(model, "--method", "gauss:4", "--end", 500, "--periodogram", "x,p_y,energy,v_x")
        found = summary["periodogram"]
        self.assertEqual(list(found), ["x", "p_y", "energy", "v_x"])
        x, y = found["x"]["peaks"][0], found["p_y"]["peaks"][0]
        self.assertAlmostEqual(x["frequency"], 1 / (2 * math.pi), delta=1e-5)
        self.assertAlmostEqual(x["amplitude"], 1, delta=0.02)
        self.assertAlmostEqual(x["power"], 0.5, delta=0.02)
        self.assertAlmostEqual(y["frequency"], 1 / math.pi, delta=1e-5)
        self.assertAlmostEqual(found["x"]["resolution"], 1 / 500, delta=1e-5)
        self.assertLess(x["width"], 2 * found["x"]["resolution"])
        self.assertIn("periodogram", self.call("run", model, "--periodogram", "x").stdout)

    def test_periodograms_are_of_records(self):
        model = self.model(OSCILLATOR)
        for options in (["--every", 4], ["--sample", 0.2], ["--sample", 0.2, "--tolerance", 1e-8],
                        ["--sample", 0.2, "--out", "a.csv"]):
            summary = self.summary(model, "--end", 300.07, "--periodogram", "x", *options)
            peak = summary["periodogram"]["x"]["peaks"][0]
            self.assertAlmostEqual(peak["frequency"], 1 / (2 * math.pi), delta=2e-4)
            self.assertAlmostEqual(summary["periodogram"]["x"]["resolution"], 1 / 300, delta=1e-5)
            self.assertNotIn("every", " ".join(summary.get("notes", [])))
        self.assertAlmostEqual(self.rows("a.csv")[-1]["t"], 300.07)

    def test_the_pendulum_has_its_line_where_it_was_published(self):
        summary = self.summary(MODELS / "pendulum.toml", "--step", 0.025, "--end", 1000, "--periodogram", "x",
                               "--method", "gauss:3", "--formulation", "dirac")
        self.assertAlmostEqual(summary["periodogram"]["x"]["peaks"][0]["frequency"], 0.302, delta=5e-4)

    def test_periodograms_that_make_no_sense_are_refused(self):
        model = self.model(MOLECULE)
        self.assertIn("add --sample DT", self.refused("run", model, "--tolerance", 1e-6, "--periodogram", "r[1,2]"))
        self.assertIn("signal 'r[1,4]'", self.refused("run", model, "--periodogram", "r[1,4]"))
        self.assertIn("did you mean 'energy'?", self.refused("run", model, "--periodogram", "enrgy"))
        self.assertIn("add --monitor wedge", self.refused("run", model, "--periodogram", "energy,wedge"))
        self.assertIn("add --reference finer:2", self.refused("run", model, "--periodogram", "error"))
        kepler = MODELS / "kepler.toml"
        self.assertIn("'invariants.lenz_x'", self.refused("run", kepler, "--periodogram", "lenz_x"))
        self.assertIn("at most", self.refused("run", model, "--end", 1e6, "--periodogram", "r[1,2]"))
        self.assertIn("names are missing", self.refused("run", model, "--periodogram", ","))
        found = self.summary(model, "--end", 10, "--periodogram", "r[1,2], pull,centre[1]")["periodogram"]
        self.assertEqual(list(found), ["r[1,2]", "pull", "centre[1]"])

    # Sections.

    def test_sections_of_an_oscillator_are_a_period_apart(self):
        model = self.model(OSCILLATOR)
        for options in ([], ["--precision", "quad"], ["--tolerance", 1e-9], ["--monitor", "none"]):
            summary = self.summary(model, "--method", "gauss:4", "--end", 29, "--section", "x", "--section-out", "s.csv",
                                   *options)
            rows = self.rows("s.csv")
            self.assertEqual(summary["section"], {"count": 4, "file": "s.csv"})
            self.assertEqual(list(rows[0]), ["t", "x", "y", "p_x", "p_y"])
            for k, row in enumerate(rows):
                self.assertLess(abs(row["x"]), 1e-15)
                self.assertGreater(row["p_x"], 0)
                self.assertAlmostEqual(row["t"], (1.5 + 2 * k) * math.pi, delta=1e-8)
        self.assertIn("4 points", self.call("run", model, "--end", 29, "--section", "x").stdout)

    def test_sections_have_directions(self):
        model = self.model(OSCILLATOR)
        count = lambda direction: self.summary(model, "--end", 29, "--section", "x", "--section-direction",
                                               direction)["section"]["count"]
        self.assertEqual([count(direction) for direction in ("up", "down", "both")], [4, 5, 9])

    def test_sections_that_are_not_crossed_say_why(self):
        model = self.model(OSCILLATOR)
        run = lambda *section: self.summary(model, "--end", 9, "--section", *section)
        empty = lambda summary: [each["text"] for each in summary.get("warnings", []) if each["kind"] == "section-empty"]
        self.assertEqual(empty(run("x")), [])
        for arguments, words in ((["3"], "is 3 in all of the run"), (["x - 2"], "is between -2.9999"),
                                 (["0*x + sqrt(-1 - x^2)"], "not a number anywhere"),
                                 (["sin(t/4)-0.5", "--section-direction", "down"], "crossed upwards, and not downwards")):
            summary = run(*arguments)
            self.assertEqual(summary["section"]["count"], 0)
            self.assertEqual(len(empty(summary)), 1, arguments)
            self.assertIn(words, empty(summary)[0])
            constant = [note for note in summary.get("notes", []) if "is constant, and never passes zero" in note]
            self.assertEqual(len(constant), 1 if arguments == ["3"] else 0)
        self.assertIn("not crossed", self.call("run", model, "--end", 9, "--section", "x - 2").stderr)

    def test_section_points_are_as_good_as_those_of_the_run(self):
        hamiltonian = lambda r: (r["p_x"]**2 + r["p_y"]**2 + r["x"]**2 + r["y"]**2) / 2 + r["x"]**2*r["y"] - r["y"]**3/3
        summary = self.summary(MODELS / "henon_heiles.toml", "--end", 500, "--section", "x", "--section-out",
                               "s.csv")
        rows = self.rows("s.csv")
        self.assertGreater(len(rows), 50)
        self.assertLess(max(abs(row["x"]) for row in rows), 1e-13)
        self.assertLess(max(abs(hamiltonian(row) - 0.125) for row in rows), 2 * summary["max"]["energy"])
        # With constraints, by a method and by a projection.
        for options in ([], ["--method", "rk4"]):
            summary = self.summary(MODELS / "pendulum.toml", "--end", 50, "--section", "x", "--section-out",
                                   "s.csv", *options)
            for row in self.rows("s.csv"):
                self.assertLess(abs(row["x"]), 1e-13)
                self.assertLess(abs(row["x"]**2 + row["y"]**2 - 1), 1e-13)
                self.assertLess(abs(row["x"] * row["p_x"] + row["y"] * row["p_y"]), 1e-13)
                self.assertLess(abs((row["p_x"]**2 + row["p_y"]**2) / 2 + row["y"] - 2), 2 * summary["max"]["energy"])

    def test_a_section_leaves_the_run_alone(self):
        for options in ([], ["--tolerance", 1e-6], ["--method", "rk4"]):
            runs = [self.summary(MODELS / "pendulum.toml", "--end", 10, *options, *section)["state"]
                    for section in ([], ["--section", "x", "--section-direction", "both"])]
            self.assertEqual(*runs)

    def test_sections_that_make_no_sense_are_refused(self):
        pendulum = MODELS / "pendulum.toml"
        message = self.refused("run", pendulum, "--section", "x + z")
        self.assertIn("unknown name 'z'", message)
        self.assertIn("--section", message)
        self.assertIn("did you mean 'down'?", self.refused("run", pendulum, "--section", "x", "--section-direction", "dwn"))
        self.assertIn("a record is a .csv", self.refused("run", pendulum, "--section", "x", "--section-out", "a.txt"))
        self.assertIn("is the file of the trajectory", self.refused("run", pendulum, "--section", "x", "--out", "a.csv", "--section-out", "a.csv"))
        self.assertIn("there is no --section", self.call("run", pendulum, "--section-out", "a.csv").stderr)
        if os.path.exists("/dev/full"):
            os.symlink("/dev/full", self.folder / "full.csv")
            result = self.call("run", pendulum, "--section", "x", "--section-out", "full.csv")
            self.assertEqual(result.returncode, 1)
            self.assertIn("cannot write full.csv", result.stderr)

    # Symmetries.

    def test_symmetries_are_watched(self):
        spherical = MODELS / "spherical_pendulum.toml"
        result = self.call("run", spherical, "--end", 10, "--monitor", "energy,symmetries")
        self.assertIn("symmetries conserve, and the run watches: angular_momentum_z = x*p_y - y*p_x", result.stderr)
        largest = self.summary(spherical, "--end", 10, "--monitor", "symmetries")["max"]["invariants"]
        self.assertEqual(list(largest), ["angular_momentum_z"])
        self.assertLess(largest["angular_momentum_z"], 1e-14)
        worse = self.summary(spherical, "--end", 10, "--monitor", "symmetries", "--method", "rk2", "--step", 0.1)
        self.assertGreater(worse["max"]["invariants"]["angular_momentum_z"], 1e-6)
        self.assertIn("--monitor symmetries", self.call("check", spherical).stdout)
        none = self.call("run", MODELS / "pendulum.toml", "--end", 1, "--monitor", "symmetries")
        self.assertIn("no momenta were found", none.stderr)
        many = self.summary(self.model(MOLECULE), "--monitor", "symmetries")["max"]["invariants"]
        self.assertEqual(len(many), 7)  # L of the model, three linear and three angular momenta
        self.assertLess(max(many.values()), 1e-13)


if __name__ == "__main__":
    main()
