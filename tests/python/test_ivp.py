"""Differential equations, against SciPy."""

import unittest

import numpy as np
import scipy.integrate

import cotangent as ct


def lorenz(t, y, sigma=10.0, rho=28.0, beta=8 / 3):
    return [sigma * (y[1] - y[0]), y[0] * (rho - y[2]) - y[1], y[0] * y[1] - beta * y[2]]


class IvpTest(unittest.TestCase):
    def test_is_what_scipy_finds(self):
        ours = ct.solve_ivp(lorenz, (0, 5), [1, 1, 1], rtol=1e-11, t_eval=np.linspace(0, 5, 20), dense_output=True)
        theirs = scipy.integrate.solve_ivp(
            lorenz, (0, 5), [1, 1, 1], "DOP853", rtol=1e-12, atol=1e-12, t_eval=np.linspace(0, 5, 20)
        )
        self.assertTrue(ours.success)
        np.testing.assert_allclose(ours.y, theirs.y, atol=1e-6)
        np.testing.assert_allclose(ours.sol(ours.t), ours.y)
        self.assertEqual(ours.sol(2.5).shape, (3,))

    def test_dense_output_has_the_order_of_the_method(self):
        errors = []
        for step in (0.2, 0.1):
            solution = ct.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 2), [1, 0], "rk4", dense_output=True, step=step)
            times = np.arange(0.05, 2, 0.1)
            errors.append(abs(solution.sol(times)[0] - np.cos(times)).max())
        self.assertAlmostEqual(np.log2(errors[0] / errors[1]), 4, delta=0.5)

    def test_matrices_arguments_and_times(self):
        A = np.array([[0.0, 1.0], [-4.0, 0.0]])
        solution = ct.solve_ivp(lambda t, y: A @ y + np.array([0, np.cos(t)]), (1, 4), [0, 0], rtol=1e-11)
        theirs = scipy.integrate.solve_ivp(
            lambda t, y: A @ y + np.array([0, np.cos(t)]), (1, 4), [0, 0], "DOP853", rtol=1e-12, atol=1e-12
        )
        np.testing.assert_allclose(solution.y[:, -1], theirs.y[:, -1], atol=1e-9)
        shifted = ct.solve_ivp(lorenz, (0, 0.1), [1, 1, 1], args=(1.0, 2.0, 3.0), rtol=1e-10)
        theirs = scipy.integrate.solve_ivp(lorenz, (0, 0.1), [1, 1, 1], args=(1.0, 2.0, 3.0), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(shifted.y[:, -1], theirs.y[:, -1], atol=1e-8)

    def test_a_failure_gives_the_times_that_were_reached(self):
        with self.assertWarns(ct.RunWarning):
            solution = ct.solve_ivp(lambda t, y: y**2, (0, 2), [1], rtol=1e-8, t_eval=[0, 0.5, 0.9, 1.5])
        self.assertFalse(solution.success)
        np.testing.assert_allclose(solution.t, [0, 0.5, 0.9])
        np.testing.assert_allclose(solution.y[0], 1 / (1 - solution.t), rtol=1e-5)
        self.assertIn("tolerance", solution.message)

    def test_backwards(self):
        forth = ct.solve_ivp(lorenz, (0, 1), [1, 1, 1], rtol=1e-12)
        back = ct.solve_ivp(lorenz, (1, 0), forth.y[:, -1], rtol=1e-12, dense_output=True)
        np.testing.assert_allclose(back.y[:, -1], [1, 1, 1], atol=1e-8)
        np.testing.assert_allclose(back.sol(1.0), forth.y[:, -1])

    def test_refuses_what_makes_no_sense(self):
        with self.assertRaisesRegex(ValueError, "2 numbers"):
            ct.solve_ivp(lambda t, y: [y[0], y[0]], (0, 1), [1])
        with self.assertRaisesRegex(TypeError, "ct.where"):
            ct.solve_ivp(lambda t, y: [1 if y[0] > 0 else 2], (0, 1), [1])
        solution = ct.solve_ivp(lambda t, y: -y, (0, 1), [1], dense_output=True)
        with self.assertRaisesRegex(ValueError, "outside"):
            solution.sol(2)


if __name__ == "__main__":
    unittest.main()
