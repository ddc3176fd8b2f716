"""Ordinary differential equations, the way SciPy has them."""

import numpy as np

from ._expressions import Variable, t
from ._model import Model


class Solution:
    """What solve_ivp has found: `t`, `y` (a row for each number), `sol` (a function of the time), `success`, `message`,
    `nfev`, and `run`, which has the rest."""

    def __init__(self, run, t_eval, dense):
        self.run = run
        self.t = run.t if t_eval is None else np.asarray(t_eval, dtype=float)
        if t_eval is not None and run.status != "done":  # as far as it came
            self.t = self.t[abs(self.t - run.t[0]) <= abs(run.t[-1] - run.t[0])]
        self.y = (run.s if t_eval is None else run.at(self.t)).T
        self.sol = (lambda times: run.at(times).T) if dense else None
        self.success = run.status == "done"
        self.status = 0 if self.success else -1
        self.message = "The end was reached." if self.success else str(run.failure)
        self.nfev = run.summary["counts"]["rhs"]

    def __repr__(self):
        return f"<Solution by {self.run.method}: {len(self.run)} points, {self.message}>"


def solve_ivp(fun, t_span, y0, method=None, t_eval=None, dense_output=False, *, rtol=None, atol=None, args=(),
              invariants=None, **options):  # fmt: skip
    """Integrates y' = fun(t, y) from t_span[0] to t_span[1], like scipy.integrate.solve_ivp.

    The function is called once, with expressions in the place of numbers: what it returns is differentiated and compiled.
    So it may use operators, functions of NumPy and of this package, and ct.where, but no if that depends on t or y.
    Invariants are functions of t and y that stay what they are at the start; every step returns to them. Without a method
    the program chooses one, and without a step the tolerance is 1e-9. Other options are those of runs.

    >>> import cotangent as ct, numpy as np
    >>> solution = ct.solve_ivp(lambda t, y: [y[1], -np.sin(y[0])], (0, 10), [1, 0], rtol=1e-10, dense_output=True,
    ...                         invariants={"energy": lambda t, y: y[1]**2 / 2 - np.cos(y[0])})
    >>> solution.success, solution.y.shape[0], solution.sol([0, 5, 10]).shape
    (True, 2, (2, 3))
    >>> bool(np.ptp(solution.y[1]**2 / 2 - np.cos(solution.y[0])) < 1e-13)
    True
    """
    y0 = np.atleast_1d(np.asarray(y0, dtype=float))
    names = [f"y{k}" for k in range(len(y0))]
    y = np.array([Variable(name) for name in names], dtype=object)
    rates = np.atleast_1d(np.asarray(fun(t, y, *args), dtype=object))
    if len(rates) != len(y0):
        raise ValueError(f"fun has returned {len(rates)} numbers, and y0 has {len(y0)}")
    model = Model(
        states=names,
        equations=dict(zip(names, rates)),
        invariants={name: function(t, y) for name, function in invariants.items()} if invariants else None,
        initial=dict(zip(names, y0)),
    )
    run = model.run(
        method=method, tolerance=rtol, absolute_tolerance=atol, start=t_span[0], end=t_span[1], monitor=[], **options
    )
    return Solution(run, t_eval, dense_output)
