#!/usr/bin/env python3
"""Options of formulations, minimal coordinates: usage formulation_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import pathlib
import sys

sys.dont_write_bytecode = True  # beside the sources
from model_texts import COUPLED  # noqa: E402
from program import MODELS, ProgramTest, main  # noqa: E402


class FormulationTest(ProgramTest):
    def test_options_of_formulations_are_blamed_themselves(self):
        pendulum = str(MODELS / "pendulum.toml")
        for option, value, word in (("chart", "foo", "partition, qr, svd"), ("chart-update", "foo", "midpoint"),
                                    ("baumgarte", "5,-1", "0 or more"), ("baumgarte", "5,", "missing"),
                                    ("baumgarte", "5,2*k", "unknown name 'k'"), ("impetus-reset", "0", "at least 1"),
                                    ("impetus-reset-above", "-1", "larger than 0"), ("gauge", "x", "parameters")):
            for formulation in ("state-space", "standard"):
                with self.subTest(option=option, value=value, formulation=formulation):
                    message = self.refused("run", pendulum, "--formulation", formulation, f"--{option}={value}")
                    self.assertTrue(message.startswith(f"--{option}:1:"), message)
                    self.assertEqual(message.count("error:"), 1, message)
                    self.assertIn(word, message)
        for line, column, word in (('chart = "foo"', 10, "partition"), ('baumgarte = [5, "k"]', 13, "unknown name 'k'"),
                                   ("impetus-reset = 0", 17, "at least 1"), ('gauge = "2*x"', 12, "'x'")):
            with self.subTest(line=line):
                path = self.model(COUPLED + 'formulation = "state-space"\n' + line + "\n")
                for command in ("run", "check"):
                    message = self.refused(command, path)
                    self.assertRegex(message, rf"^{path}:{len(COUPLED.splitlines()) + 2}:{column}: error: ")
                    self.assertEqual(message.count("error:"), 1, message)
                    self.assertIn(word, message)

    def test_rates_that_multiply_rounding_errors_are_refused(self):
        pendulum = str(MODELS / "pendulum.toml")
        for arguments, option in ((["--formulation", "dirac", "--gauge", "1e100"], "gauge"),
                                  (["--formulation", "dirac-weak", "--gauge", "-1e20"], "gauge"),
                                  (["--formulation", "dirac-weak", "--gauge", "1e20", "--tolerance", "1e-6"], "gauge"),
                                  (["--formulation", "baumgarte", "--baumgarte", "1e100,1"], "baumgarte"),
                                  (["--formulation", "baumgarte", "--baumgarte", "1,1e9"], "baumgarte")):
            with self.subTest(arguments=arguments):
                message = self.refused("run", pendulum, *arguments)
                self.assertTrue(message.startswith(f"--{option}:1:1: error: "), message)
                self.assertIn("rounding errors", message)
        self.summary(pendulum, "--formulation", "dirac-weak", "--gauge", "-1e6", "--end", 1)

    def test_numbers_of_formulations_may_be_expressions(self):
        pendulum = str(MODELS / "pendulum.toml")
        common = ["--method", "rk4", "--projection", "none", "--end", 0.5]
        base = [pendulum, "--formulation", "baumgarte", *common, "--set", "x=1.01", "--initial", "as-given"]
        plain = self.summary(*base, "--baumgarte", "5,8")["state"]
        self.assertEqual(self.summary(*base, "--baumgarte", "5*m, max(2, 3)+5*l")["state"], plain)
        self.assertNotEqual(self.summary(*base, "--baumgarte", "5")["state"], plain)
        self.assertEqual(self.summary(*base, "--baumgarte", "5")["state"],
                         self.summary(*base, "--baumgarte", "5,5")["state"])
        text = pathlib.Path(pendulum).read_text()
        for value in ('"5,8"', "[5, 8]", '["5*m", 8]', '"5*m,8*l"'):
            path = self.model(text.replace("[run]\n", f"[run]\nbaumgarte = {value}\n"))
            self.assertEqual(self.summary(path, *base[1:])["state"], plain, value)
        weak = ["--formulation", "dirac-weak", *common, "--set", "x=1.01", "--initial", "as-given"]
        gauge = self.model(text.replace("[run]\n", '[run]\ngauge = "-m/2"\n'))
        self.assertEqual(self.summary(gauge, *weak)["state"], self.summary(pendulum, *weak, "--gauge", "-0.5")["state"])

    def test_charts_pass_the_flat_position_of_a_parallelogram(self):
        linkage = [MODELS / "parallelogram.toml", "--formulation", "state-space", "--step", 0.02, "--end", 10]
        for chart in ("qr", "partition"):
            summary = self.summary(*linkage, "--method", "rk4", "--chart", chart)
            self.assertLess(summary["max"]["position"], 1e-13)
            self.assertTrue(any(warning["kind"] == "near-singular" for warning in summary["warnings"]))
        self.assertLess(self.summary(*linkage, "--method", "gauss:2", "--chart", "qr")["max"]["energy"], 1e-4)
        # A step that fails may have needed a chart that does not lose digits there, which is told.
        failed = self.summary(linkage[0], "--formulation", "state-space", "--step", 0.5, "--method", "gauss:2", status=1)
        advice = [warning["text"] for warning in failed["warnings"] if warning["kind"] == "chart"]
        self.assertEqual(len(advice), 1)
        self.assertIn("--chart qr", advice[0])

    def test_minimal_coordinates_that_do_not_fit_are_blamed(self):
        rod = COUPLED.replace("(2 + 2*x^2)", "2").replace("x = 1", "x = 0.6").replace("y = 0", "y = -0.8").replace(
            "v_y = -1", "v_y = 0") + 'formulation = "lagrange-2"\n'
        line = len(rod.splitlines()) + 1
        for minimal, word in (('x = "a"\ny = "sqrt(1 - a^2)"', "does not reach the initial position x = 0.6, y = -0.8"),
                              ('x = "a"\ny = "-2*sqrt(1 - a^2)"', "violates the constraint 'rod'")):
            path = self.model(rod + '[minimal]\ncoordinates = ["a"]\n' + minimal)
            message = self.refused("run", path, "--out", "a.csv")
            self.assertTrue(message.startswith(f"{path}:{line}:1: error: [minimal] "), message)
            self.assertIn(word, message)
        path = self.model(rod + '[minimal]\ncoordinates = ["a", "b"]\nx = "sin(a + b)"\ny = "-cos(a + b)"')
        self.assertTrue(self.refused("run", path).startswith(f"{path}:{line}:1: error: the minimal coordinates are not"))
        path = self.model(rod + '[minimal]\ncoordinates = ["a"]\nx = "sin(a)"\ny = "-cos(a)"\nguess = { a = 1e30 }')
        self.assertLess(self.summary(path)["max"]["energy"], 1e-5)

    def test_minimal_coordinates_have_no_points_off_the_constraints(self):
        for value in ("x=1.1", "p_x=1"):
            message = self.refused("run", "pendulum", "--formulation", "lagrange-2", "--method", "rk4", "--initial",
                                   "as-given", "--set", value)
            self.assertTrue(message.startswith("--initial:1:1: error: "), message)

    def test_a_branch_that_ends_is_told(self):
        text = COUPLED.replace("(2 + 2*x^2)", "2").replace("x = 1", "x = 0.6").replace("y = 0", "y = -0.8")
        text = text.replace("v_x = 0", "v_x = 2.4").replace("v_y = -1", "v_y = 1.8")
        path = self.model(text + '[minimal]\ncoordinates = ["a"]\nx = "a"\ny = "-sqrt(1 - a^2)"')
        result = self.call("run", path, "--formulation", "lagrange-2", "--method", "gauss:2", "--end", 3)
        self.assertEqual(result.returncode, 1)
        self.assertIn("[minimal]", result.stderr)
        for word in ("friction", "residual"):
            self.assertNotIn(word, result.stderr)


if __name__ == "__main__":
    main()
