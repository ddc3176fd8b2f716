"""Models made with operators are those of their texts."""

import unittest

import numpy as np

import cotangent as ct


class ExpressionTest(unittest.TestCase):
    def test_operators_keep_their_order(self):
        a, b, c = ct.parameters("a b c")
        values = {"a": 2.0, "b": 3.0, "c": 5.0}
        for make in (
            lambda a, b, c: a - (b - c),
            lambda a, b, c: a / (b * c) - a / b * c,
            lambda a, b, c: -(a**b) + (-a) ** b,
            lambda a, b, c: (a**b) ** c - a ** (b - c),
            lambda a, b, c: 2 - a * (b + c) / (a - b),
            lambda a, b, c: abs(a - c) ** 2 % b - 1e-3 * a,
        ):
            model = ct.Model(
                parameters=values, states="u", equations={"u": make(a, b, c)}, initial={"u": 0}
            )  # fmt: skip
            self.assertAlmostEqual(model.field()([0.0])[0] / make(2.0, 3.0, 5.0), 1, 14, model.text)

    def test_functions_are_those_of_numpy(self):
        x = ct.states("x")
        functions = (np.sin, np.cos, np.tan, np.arctan, np.sinh, np.cosh, np.tanh, np.exp, np.log, np.sqrt, np.floor)
        for function in functions:
            model = ct.Model(states=[x], equations={x: function(x)}, initial={x: 1})
            self.assertAlmostEqual(model.field()([0.7])[0], function(0.7), 14, function.__name__)
        self.assertEqual(str(ct.asin(x)), str(np.arcsin(x)))

    def test_families(self):
        """A hanging chain with operators is the ready one."""
        N = ct.parameters("N")
        x, y = ct.coordinates("x[N] y[N]")
        i, j = ct.Index("i", 1, N), ct.Index("i", 2, N)
        chain = ct.Model(
            title="A chain",
            parameters={N: 10},
            coordinates=[x, y],
            hamiltonian=ct.sum_over(i, (x.p[i] ** 2 + y.p[i] ** 2) / 2 + y[i]),
            constraints={
                "anchor": x[1] ** 2 + y[1] ** 2 == 1,
                "rod": ct.each(j, (x[j] - x[j - 1]) ** 2 + (y[j] - y[j - 1]) ** 2 == 1),
            },
            initial={x: "i", y: 0, x.p: 0, y.p: 0},
        )
        own, ready = chain.run(step=0.01, end=1), ct.Model("chain", set={"N": 10}).run(step=0.01, end=1)
        np.testing.assert_allclose(own.q, ready.q, atol=1e-12)

    def test_conditions(self):
        u = ct.states("u")
        model = ct.Model(states=[u], equations={u: ct.where(u < 1, 2 * u, -u)}, initial={u: 0})
        self.assertEqual([model.field()([x])[0] for x in (0.5, 2)], [1, -2])
        with self.assertRaises(TypeError):
            bool(u < 1)

    def test_a_name_has_no_momentum_of_a_sum(self):
        x, y = ct.coordinates("x y")
        with self.assertRaises(ValueError):
            (x + y).p


if __name__ == "__main__":
    unittest.main()
