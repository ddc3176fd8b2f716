"""Differential equations, against SciPy."""

import inspect
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

    def expect_same_events(self, ours, theirs):
        self.assertEqual(ours.status, theirs.status)
        self.assertEqual(ours.message.split()[:2], theirs.message.split()[:2] if theirs.status else ["The", "end"])
        for a, b in zip(ours.t_events, theirs.t_events, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-8)
        for a, b in zip(ours.y_events, theirs.y_events, strict=True):
            self.assertEqual(a.size, b.size)
            if b.size:
                np.testing.assert_allclose(a, b, atol=1e-7)

    def test_events_are_those_of_scipy(self):
        def ground(t, y):
            return y[0]

        def apex(t, y):
            return y[1]

        def cannon(t, y):
            return [y[1], -0.5]

        precise = dict(method="DOP853", rtol=1e-11, atol=1e-12)
        times = np.linspace(0, 100, 11)
        for terminal, direction, events, t_eval in (
            (False, 0, ground, None), (False, -1, [ground, apex], times), (True, 0, (apex, ground), None),
            (True, -1, [ground, apex], None), (True, -1, ground, times), (True, 1, ground, None),
        ):  # fmt: skip
            with self.subTest(terminal=terminal, direction=direction):
                ground.terminal, ground.direction = terminal, direction
                given = dict(fun=cannon, t_span=(0, 100), y0=[0, 10], events=events, t_eval=t_eval, dense_output=True)
                ours, theirs = ct.solve_ivp(**given), scipy.integrate.solve_ivp(**given, **precise)
                self.expect_same_events(ours, theirs)
                np.testing.assert_allclose(ours.t[-1], theirs.t[-1], atol=1e-9)
                np.testing.assert_allclose(ours.y[:, -1], theirs.y[:, -1], atol=1e-7)
                self.assertAlmostEqual(ours.sol.t_max, theirs.sol.t_max)
                if t_eval is not None:
                    np.testing.assert_array_equal(ours.t, theirs.t)

    def test_events_backwards_with_arguments_and_at_records(self):
        given = (lambda t, y, w: [w * y[1], -w * y[0]], (10, 0), [0, 1])
        events = [lambda t, y, w: y[0] + 0.25 * w, lambda t, y, w: t - 3]
        ours = ct.solve_ivp(*given, events=events, args=(2.0,))
        self.expect_same_events(ours, scipy.integrate.solve_ivp(*given, events=events, args=(2.0,), rtol=1e-11, atol=1e-12))
        # A zero at a record is one event.
        exact = ct.solve_ivp(lambda t, y: [1], (0, 1), [-0.5], "rk4", step=0.25, events=lambda t, y: y[0])
        np.testing.assert_array_equal(exact.t_events[0], [0.5])

    def test_a_terminal_event_ends_the_run_itself(self):
        def third(t, y):
            return y[0]

        third.terminal = 3
        solution = ct.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 1e9), [1, 0], events=third)
        np.testing.assert_allclose(solution.t_events[0], np.pi * np.array([0.5, 1.5, 2.5]), atol=1e-8)
        self.assertLess(solution.nfev, 10**4)
        # Before a failure, too.
        small = lambda t, y: y[0] - 100  # noqa: E731
        small.terminal = True
        self.assertTrue(ct.solve_ivp(lambda t, y: y**2, (0, 2), [1], events=small).success)

        def wrong(t, y):
            raise KeyError("own")

        with self.assertRaisesRegex(KeyError, "own"):
            ct.solve_ivp(lambda t, y: -y, (0, 1), [1], events=wrong)

    def test_takes_what_scipy_takes(self):
        ours, theirs = (list(inspect.signature(one.solve_ivp).parameters) for one in (ct, scipy.integrate))
        self.assertEqual(ours[: len(theirs) - 1], theirs[:-1])
        given = (lambda t, y: -y, (0, 1), [1])
        solution = ct.solve_ivp(*given, vectorized=True, jac=lambda t, y: [[-1]], max_step=np.inf, first_step=1e-3, atol=1e-12)
        np.testing.assert_allclose(solution["y"][0], np.exp(-solution.t), rtol=1e-7)
        self.assertAlmostEqual(solution.t[1], 1e-3)
        np.testing.assert_array_equal(ct.solve_ivp(lambda t, y: -y, (1, 1), [2]).t, [1])
        for wrong, error, text in (
            (dict(max_step=0.1), ValueError, "smaller rtol"),
            (dict(atol=[1e-3]), ValueError, "one number"),
            (dict(args=3), TypeError, r"\(3,\)"),
            (dict(t_eval=[2]), ValueError, "within"),
            (dict(t_eval=[0.5, 0.1]), ValueError, "sorted"),
            (dict(method="LSODA"), ct.OptionError, "radau-iia:3"),
        ):
            with self.subTest(wrong), self.assertRaisesRegex(error, text):
                ct.solve_ivp(*given, **wrong)

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
