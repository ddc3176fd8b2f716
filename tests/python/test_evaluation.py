"""H, g and fields at points, against formulas and against runs."""

import concurrent.futures
import unittest

import numpy as np
import scipy.sparse

import cotangent as ct


class EvaluationTest(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(7)

    def test_energy_and_constraints_of_many_points(self):
        model = ct.Model("pendulum")
        q, p = self.random.normal(size=(2, 5, 2))
        np.testing.assert_allclose(model.hamiltonian(q, p), (p**2).sum(1) / 2 + q[:, 1])
        np.testing.assert_allclose(model.constraints(q)[:, 0], ((q**2).sum(1) - 1) / 2)
        np.testing.assert_allclose(model.hidden_constraints(q, p)[:, 0], (q * p).sum(1))
        self.assertIsInstance(model.hamiltonian(q[0], p[0]), float)

    def test_jacobian_is_that_of_the_constraints(self):
        """In the order of arrays of NumPy, where the last index runs fastest."""
        model = ct.Model("methane")
        q = model.run(step=1e-3, end=1e-3).q[0]
        G = model.jacobian(q)
        self.assertTrue(scipy.sparse.issparse(G))
        a, h = self.random.normal(size=q.size), 1e-6
        difference = (model.constraints(q + h * a) - model.constraints(q - h * a)) / (2 * h)
        np.testing.assert_allclose(G @ a, difference, atol=1e-8)

    def test_formulations_agree_on_the_constraints_only(self):
        model = ct.Model("double_pendulum")
        q, p = model.project(*self.random.normal(size=(2, 4)) + [[0.5, -1, 1, -2], [0, 0, 0, 0]])
        self.assertLess(abs(model.constraints(q)).max(), 1e-14)
        self.assertLess(abs(model.hidden_constraints(q, p)).max(), 1e-14)
        standard, dirac = (np.concatenate(model.field(name)(q, p)) for name in ("standard", "dirac"))
        np.testing.assert_allclose(standard, dirac, atol=1e-12)
        off = np.concatenate(model.field("standard")(q, p + 0.1)), np.concatenate(model.field("dirac")(q, p + 0.1))
        self.assertGreater(abs(off[0] - off[1]).max(), 1e-3)
        gauged = np.concatenate(model.field("dirac", gauge=2)(q + 0.1, p))
        self.assertGreater(abs(gauged - np.concatenate(model.field("dirac")(q + 0.1, p))).max(), 1e-3)

    def test_multipliers_balance_the_forces(self):
        model = ct.Model("double_pendulum")
        run = model.run(step=0.01, end=0.1)
        q, p = run.q[-1], run.p[-1]
        momentum_rate = model.field()(q, p)[1]
        force = model.field("standard")(q, p)[1] + model.jacobian(q).T @ model.multipliers(q, p)
        np.testing.assert_allclose(momentum_rate, force - model.jacobian(q).T @ run.multipliers[-1], atol=1e-9)

    def test_equations_have_a_field(self):
        model = ct.Model(states="u w", equations={"u": "-u + u*w", "w": "w - t*u*w"}, initial={"u": 1, "w": 1})
        np.testing.assert_allclose(model.field()([2, 3], 5.0), [4, 3 - 30])

    def test_refuses_what_does_not_fit(self):
        model = ct.Model("pendulum")
        with self.assertRaisesRegex(ValueError, "q has 3 numbers"):
            model.constraints([1, 2, 3])
        with self.assertRaisesRegex(ValueError, "variables of its own"):
            model.field("impetus")([1, 0], [0, 0])
        with self.assertRaises(ValueError):
            model.field("dirak")([1, 0], [0, 0])
        with self.assertRaisesRegex(ct.OptionError, "did you mean 'gauge'"):
            model.field("dirac", guage=1)([1, 0], [0, 0])

    def test_threads_share_a_model(self):
        model = ct.Model("double_pendulum")
        q, p = self.random.normal(size=(2, 2000, 4))
        rates = np.hstack(model.field("standard")(q, p))
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for found in pool.map(lambda k: np.hstack(model.field("standard")(q, p)), range(8)):
                np.testing.assert_array_equal(found, rates)


if __name__ == "__main__":
    unittest.main()
