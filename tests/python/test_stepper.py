"""Steps one by one."""

import threading
import timeit
import unittest

import numpy as np

import cotangent as ct


class StepperTest(unittest.TestCase):
    def test_makes_the_steps_of_a_run(self):
        model = ct.Model("double_pendulum")
        run = model.run(method="rattle", step=0.01, end=1)
        stepper = model.stepper("rattle", step=0.01)
        np.testing.assert_array_equal(stepper.q, run.q[0])
        stepper.step()
        np.testing.assert_array_equal(stepper.p, run.p[1])
        stepper.step(99)
        np.testing.assert_array_equal(stepper.q, run.q[-1])
        self.assertAlmostEqual(stepper.t, 1)
        np.testing.assert_allclose(stepper.multipliers, run.multipliers[-1], rtol=1e-9)
        np.testing.assert_allclose(stepper.v, run.v[-1], rtol=1e-14)

    def test_serves_one_thread_at_a_time(self):
        stepper = ct.Model("double_pendulum").stepper("rattle", step=0.001)
        threads = [threading.Thread(target=lambda: [stepper.step(5000) for _ in range(10)]) for _ in range(3)]
        for thread in threads:
            thread.start()
        lengths = []
        while any(thread.is_alive() for thread in threads):
            q = stepper.q
            lengths.append(abs(q[0]**2 + q[1]**2 - 1))
        for thread in threads:
            thread.join()
        self.assertAlmostEqual(stepper.t, 150, 9)
        self.assertLess(max(lengths, default=0), 1e-14)

    def test_steps_have_any_length(self):
        stepper = ct.Model("pendulum").stepper("rattle", step=0.01)
        start = stepper.q
        stepper.step(50)
        stepper.h = -0.01
        stepper.step(50)
        np.testing.assert_allclose(stepper.q, start, atol=1e-13)

    def test_watches(self):
        stepper = ct.Model("pendulum").stepper("rk4", step=0.1, projection="none", monitor="position")
        stepper.step(10)
        self.assertGreater(stepper["position"], 1e-8)

    def test_refuses_adaptive_steps(self):
        with self.assertRaisesRegex(ct.OptionError, "tolerance"):
            ct.Model("pendulum").stepper("dopri5", tolerance=1e-8, end=1)

    def test_a_call_costs_little(self):
        stepper = ct.Model("pendulum").stepper("rattle", step=0.01)
        stepper.step(1000)
        count = 20000
        inside = min(timeit.repeat(lambda: stepper.step(count), number=1, repeat=10)) / count
        one = min(timeit.repeat(stepper.step, number=count, repeat=10)) / count
        self.assertLess(one - inside, 1e-6)


if __name__ == "__main__":
    unittest.main()
