"""Analyses, comparisons and published experiments give what the program prints."""

import unittest

import cotangent as ct


class QuestionTest(unittest.TestCase):
    def test_check(self):
        report = ct.Model("redundant_four_bar").check()
        self.assertEqual(report.data["redundant"], report.redundant)
        self.assertIn("degrees of freedom", str(report))
        with self.assertRaises(AttributeError):
            report.nothing_of_that_name

    def test_analyze(self):
        analysis = ct.Model("pendulum").analyze()
        self.assertEqual(analysis.counts["second_class"], 4)
        self.assertEqual(analysis.bracket("x", "p_x"), ("y^2/l^2", 0.0))
        self.assertIn("y^2/l^2", str(analysis))
        self.assertIn("begin", analysis.latex())
        with self.assertRaises(ct.ModelError):
            analysis.bracket("x", "p_z")

    def test_analyzes_what_has_no_initial_values(self):
        model = ct.Model(coordinates="x y", lagrangian="(v_x - y)^2/2")
        self.assertEqual(model.analyze().data["counts"]["first_class"], 2)

    def test_large_systems_are_analysed_by_rank(self):
        analysis = ct.Model("chain").analyze()
        self.assertEqual(analysis.degrees_of_freedom, 100)
        expression, value = analysis.bracket("x[1]", "p_x[1]")
        self.assertIsNone(expression)
        self.assertIsInstance(value, float)

    def test_stability_and_equilibria(self):
        report = ct.Model("pendulum").stability(formulation="dirac", end=2)
        self.assertIn("dirac", str(report))
        modes = ct.Model("double_pendulum").equilibrium().data
        self.assertTrue(modes)

    def test_compare(self):
        model = ct.Model("pendulum")
        comparison = model.compare(method=["rattle", "gauss:2"], step=[0.1, 0.05], end=5, accuracy=1e-3)
        self.assertEqual(len(comparison.runs), 4)
        self.assertEqual(comparison.recommended["method"], "gauss:2")
        self.assertIn("recommended", comparison.recommendation)
        self.assertIn("<table>", comparison._repr_html_())
        with self.assertRaisesRegex(ValueError, "rattle"):
            model.compare(method="ratle", step=0.1)

    def test_reproduce(self):
        result = ct.reproduce("seiler/fig-1")
        self.assertTrue(result)
        self.assertEqual(set(result.claims[0]) >= {"experiment", "claim", "printed", "measured", "verdict"}, True)
        with self.assertRaisesRegex(ValueError, "did you mean 'seiler/fig-1'"):
            ct.reproduce("seiler/fig1")


if __name__ == "__main__":
    unittest.main()
