"""H and g as functions of Python and of the machine."""

import ctypes
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

import cotangent as ct

INITIAL = {"x": 1, "y": 0, "p_x": 0, "p_y": -2}

C_SOURCE = """
double H(const double* q, const double* p, double t) { return (p[0]*p[0] + p[1]*p[1])/2 + q[1]; }
void H_q(const double* q, const double* p, double t, double* out) { out[0] = 0; out[1] = 1; }
void H_p(const double* q, const double* p, double t, double* out) { out[0] = p[0]; out[1] = p[1]; }
void g(const double* q, double t, double* out) { out[0] = (q[0]*q[0] + q[1]*q[1] - 1)/2; }
void G(const double* q, double t, double* out) { out[0] = q[0]; out[1] = q[1]; }
"""


def pendulum_box(**changes):
    functions = {
        "H": lambda q, p, t: (p @ p) / 2 + q[1],
        "H_q": lambda q, p, t: np.array([0.0, 1.0]),
        "H_p": lambda q, p, t: p,
        "g": lambda q, t: (q @ q - 1) / 2,
        "G": lambda q, t: q,
    }
    return ct.BlackBox(n=2, m=1, separable=True, **(functions | changes))


class BlackBoxTest(unittest.TestCase):
    def setUp(self):
        self.reference = ct.Model("pendulum").run(method="rattle", step=0.01, end=2)

    def test_runs_as_the_model_does(self):
        model = ct.Model(black_box=pendulum_box(), coordinates="x y", initial=INITIAL, observables={"height": "y"})
        for method in ("rattle", "gauss:2"):
            run = model.run(method=method, step=0.01, end=2)
            reference = ct.Model("pendulum").run(method=method, step=0.01, end=2)
            np.testing.assert_allclose(run.q, reference.q, atol=1e-11)
        np.testing.assert_array_equal(run["height"], run["y"])
        changed = model.with_values(p_y=-1).run(method="rattle", step=0.01, end=2)
        self.assertEqual(changed.p[0, 1], -1)
        stepper = model.stepper("rattle", step=0.01)
        stepper.step(200)
        np.testing.assert_allclose(stepper.q, self.reference.q[-1], atol=1e-13)

    def test_takes_functions_of_the_machine(self):
        """What numba.cfunc compiles has the attribute `address`; functions of ctypes are taken as well."""
        if not shutil.which("cc"):
            self.skipTest("there is no C compiler")
        with tempfile.TemporaryDirectory() as folder:
            library = pathlib.Path(folder) / "pendulum.so"
            command = ["cc", "-O2", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)]
            subprocess.run(command, input=C_SOURCE, text=True, check=True)
            functions = ctypes.CDLL(str(library))

            class Compiled:
                address = ctypes.cast(functions.H, ctypes.c_void_p).value

            names = {name: getattr(functions, name) for name in ("H_q", "H_p", "g", "G")}
            box = pendulum_box(H=Compiled(), **names)
            self.assertTrue(box.check([1.0, 0.1], [0.0, -2.0]))
            run = ct.Model(black_box=box, coordinates="x y", initial=INITIAL).run(method="rattle", step=0.01, end=2)
            np.testing.assert_allclose(run.q, self.reference.q, atol=1e-13)

    def test_takes_functions_of_numba(self):
        """numba.cfunc: called without the interpreter. numba.njit: called as functions of Python."""
        try:
            import numba
        except ImportError:
            self.skipTest("there is no numba")
        pointer, double, nothing = numba.types.CPointer(numba.types.double), numba.types.double, numba.types.void

        @numba.cfunc(double(pointer, pointer, double))
        def H(q, p, t):
            return (p[0] * p[0] + p[1] * p[1]) / 2 + q[1]

        @numba.cfunc(nothing(pointer, double, pointer))
        def G(q, t, out):
            out[0], out[1] = q[0], q[1]

        @numba.njit
        def g(q, t):
            return (q[0] ** 2 + q[1] ** 2 - 1) / 2

        box = pendulum_box(H=H, G=G, g=g)
        self.assertTrue(box.check([1.0, 0.1], [0.0, -2.0]))
        run = ct.Model(black_box=box, coordinates="x y", initial=INITIAL).run(method="rattle", step=0.01, end=2)
        np.testing.assert_allclose(run.q, self.reference.q, atol=1e-13)

    def test_exceptions_come_through(self):
        def fails(q, t):
            raise ZeroDivisionError("in G")

        with self.assertRaisesRegex(ZeroDivisionError, "in G"):
            model = ct.Model(black_box=pendulum_box(G=fails), coordinates="x y", initial=INITIAL)
            model.run(method="rattle", step=0.01, end=1)
        with self.assertRaisesRegex(ValueError, "H_p has returned 3 numbers in place of 2"):
            model = ct.Model(black_box=pendulum_box(H_p=lambda q, p, t: [1, 2, 3]), coordinates="x y", initial=INITIAL)
            model.run(method="rattle", step=0.01, end=1)

    def test_refuses_what_makes_no_sense(self):
        with self.assertRaisesRegex(ValueError, "did you mean 'H_q'"):
            pendulum_box(H_qq=lambda q, p, t: q)
        with self.assertRaisesRegex(TypeError, "hamiltonian"):
            ct.Model(black_box=pendulum_box(), coordinates="x y", hamiltonian="p_x^2", initial=INITIAL)
        self.assertFalse(pendulum_box(H_q=lambda q, p, t: [0, 2]).check([1.0, 0.1], [0.0, -2.0]))


if __name__ == "__main__":
    unittest.main()
