"""Models: files, texts, keywords, and what mistakes look like."""

import pathlib
import tempfile
import unittest

import numpy as np

import cotangent as ct

PENDULUM = """
[parameters]
l = 1
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = "x^2 + y^2 = l^2"
[initial]
x = "l"
y = 0
p_x = 0
p_y = -1
"""


class ModelTest(unittest.TestCase):
    def test_is_a_file_a_text_or_a_name(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "own.toml"
            file.write_text(PENDULUM)
            for model in (ct.Model(file), ct.Model(str(file)), ct.Model(PENDULUM)):
                self.assertEqual(model.coordinates, {"x": (), "y": ()})
                self.assertEqual(model.constraint_names, ["rod"])
        self.assertEqual(ct.Model("pendulum").name, "pendulum")

    def test_has_values(self):
        model = ct.Model(PENDULUM, set={"l": 2})
        self.assertEqual(model.parameters, {"l": 2.0})
        self.assertEqual(model.run(step=0.1, end=0.1).q[0].tolist(), [2, 0])
        longer = model.with_values(l=3)
        self.assertEqual((longer.parameters["l"], model.parameters["l"]), (3, 2))

    def test_has_arrays_as_initial_values_in_the_order_of_numpy(self):
        model = ct.Model(
            coordinates="r[2,3]",
            hamiltonian="sum(i in 1..2, norm2(p_r[i])/2)",
            initial={"r": np.zeros((2, 3)), "p_r": [[0, 0, 0], [0, 0, 0]]},
        )
        momenta = np.arange(6.0).reshape(2, 3)
        run = model.with_initial(p_r=momenta).run(method="rk4", step=0.1, end=1)
        np.testing.assert_array_equal(run["p_r"][0], momenta)
        np.testing.assert_allclose(run["r"][-1], momenta, rtol=1e-14)
        np.testing.assert_array_equal(run["r[2,1]"], run["r"][:, 1, 0])
        with self.assertRaisesRegex(ValueError, "shape"):
            model.with_initial(p_r=momenta.T)

    def test_mistakes_have_places(self):
        with self.assertRaises(ct.ModelError) as caught:
            ct.Model(PENDULUM.replace("x^2 + y^2 =", "x^2 + z ="))
        error = caught.exception
        self.assertEqual((error.line, error.column, error.message), (8, 14, "unknown name 'z'"))
        self.assertIn("^", str(error))
        self.assertIsInstance(error, ValueError)
        with self.assertRaisesRegex(ValueError, "did you mean 'pendulum'"):
            ct.Model("pendulun")
        with self.assertRaises(TypeError):
            ct.Model("pendulum", coordinates="x")

    def test_initial_values_may_be_missing_until_a_run_needs_them(self):
        model = ct.Model(coordinates="x", hamiltonian="p_x^2/2", initial={"x": 0})
        with self.assertRaisesRegex(ct.ModelError, "p_x"):
            model.run(step=0.1, end=1)


if __name__ == "__main__":
    unittest.main()
