"""Ordinary differential equations, the way SciPy has them."""

import numpy as np

from ._expressions import Variable, t
from ._model import Model


class DenseOutput:
    """The solution as a function of the time: a column for each of several times, one dimension for a single one.

    `t_min` and `t_max` are its ends; outside of them it raises ValueError.
    """

    def __init__(self, run, end):
        self._run = run
        self.t_min, self.t_max = sorted((float(run.t[0]), float(end)))

    def __call__(self, times):
        times = np.asarray(times, dtype=float)
        if times.size and (times.min() < self.t_min or times.max() > self.t_max):
            raise ValueError(f"a time is outside of the solution, from {self.t_min} to {self.t_max}")
        return self._run.at(times).T


class Events:
    """Events of a run: where functions of the time and the point pass zero between two of its records."""

    def __init__(self, functions, args):
        self.functions = [functions] if callable(functions) else list(functions)
        self.args = args
        self.directions = [getattr(one, "direction", 0) or 0 for one in self.functions]
        self.limits = [int(getattr(one, "terminal", 0) or 0) for one in self.functions]  # True is 1
        if min(self.limits, default=0) < 0:
            raise ValueError("`terminal` is true, false, or a positive number of events")
        self.values = []  # at each record
        self.counts = [0] * len(self.functions)
        self.passed = [False] * len(self.functions)  # in the last step

    def _at(self, k, t, y):
        return float(self.functions[k](t, y, *self.args))

    def _passes(self, k, before, after):
        up, down = before <= 0 <= after, before >= 0 >= after
        direction = self.directions[k]
        return up if direction > 0 else down if direction < 0 else up or down

    def watch(self, t, y):
        """Takes a record. Whether the run may end."""
        values = [self._at(k, t, y) for k in range(len(self.functions))]
        if self.values:
            for k, (before, after) in enumerate(zip(self.values[-1], values)):
                passes = self._passes(k, before, after)
                self.counts[k] += passes and not (before == 0 and self.passed[k])  # a zero at a record is one event
                self.passed[k] = passes
        self.values.append(values)
        return any(0 < limit <= count for limit, count in zip(self.limits, self.counts))

    def find(self, run):
        """The times of each event and the points there, and where the last of them ends the run; None if none does."""
        from scipy.optimize import brentq

        n = len(run.model.states)
        times, points = [[] for _ in self.functions], [[] for _ in self.functions]
        precision = 4 * np.finfo(float).eps

        for step in range(len(self.values) - 1):
            rows = run._rows[step : step + 2]

            def point(at):
                return run._prepared.between(run.names, rows, [at])[0][:n]

            found = []
            for k, (before, after) in enumerate(zip(self.values[step], self.values[step + 1])):
                if not self._passes(k, before, after):
                    continue
                # What dense output gives at the ends of a step is within rounding of the records.
                ends = {rows[0, 0]: before, rows[1, 0]: after}
                at = rows[0, 0] if before == 0 else rows[1, 0] if after == 0 else brentq(
                    lambda at, k=k: ends[at] if at in ends else self._at(k, at, point(at)),
                    rows[0, 0], rows[1, 0], xtol=precision, rtol=precision,
                )  # fmt: skip
                found.append((float(at), k))
            for at, k in sorted(found, reverse=bool(rows[1, 0] < rows[0, 0])):
                if times[k] and times[k][-1] == at:
                    continue
                times[k].append(at)
                points[k].append(point(at))
                if 0 < self.limits[k] <= len(times[k]):
                    return times, points, at
        return times, points, None


class Solution:
    """What solve_ivp has found, with the names of SciPy.

    `t`, `y` (a row for each number), `sol` (a `DenseOutput`, if it was asked for), `t_events`, `y_events`, `status` (0: the
    end was reached, 1: an event has ended it, -1: a step failed), `message`, `success`, `nfev`; and `run`, which has the
    rest.
    """

    def __init__(self, run, t_eval, dense, events):
        self.run = run
        end = None
        self.t_events = self.y_events = None
        if events is not None:
            times, points, end = events.find(run)
            shape = (0, len(run.model.states))
            self.t_events = [np.array(one) for one in times]
            self.y_events = [np.array(one) if one else np.empty(shape) for one in points]
        self.status = 1 if end is not None else 0 if run.status == "done" else -1
        self.success = self.status >= 0
        self.message = (str(run.failure), "The end was reached.", "A termination event occurred.")[self.status + 1]
        last = run.t[-1] if end is None else end
        direction = 1 if last >= run.t[0] else -1
        if t_eval is None:
            reached = direction * run.t < direction * last
            self.t = np.append(run.t[reached], last)
            self.y = np.vstack([run.s[reached], run.s[-1] if end is None else run.at(end)]).T
        else:
            self.t = t_eval[direction * t_eval <= direction * last]
            self.y = run.at(self.t).T if len(self.t) else np.empty((len(run.model.states), 0))
        self.sol = DenseOutput(run, last) if dense else None
        self.nfev = run.summary["counts"]["rhs"]

    def __getitem__(self, name):
        return getattr(self, name)

    def __repr__(self):
        return f"<Solution by {self.run.method}: {len(self.t)} points, {self.message}>"


def _times(t_eval, start, end):
    """As SciPy wants them."""
    t_eval = np.asarray(t_eval, dtype=float)
    if t_eval.ndim != 1:
        raise ValueError("`t_eval` must be 1-dimensional.")
    if np.any(t_eval < min(start, end)) or np.any(t_eval > max(start, end)):
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    if np.any(np.diff(t_eval) * (1 if end > start else -1) <= 0):
        raise ValueError("Values in `t_eval` are not properly sorted.")
    return t_eval


def solve_ivp(fun, t_span, y0, method=None, t_eval=None, dense_output=False, events=None, vectorized=False, args=None, *,
              rtol=None, atol=None, first_step=None, max_step=np.inf, jac=None, jac_sparsity=None, lband=None, uband=None,
              invariants=None, **options):  # fmt: skip
    """Integrates y' = fun(t, y) from t_span[0] to t_span[1], like scipy.integrate.solve_ivp.

    The function is called once, with expressions in the place of numbers: what it returns is differentiated and compiled.
    So it may use operators, functions of NumPy and of this package, and ct.where, but no if that depends on t or y.

    Events are functions of t and y that are called with numbers, after every step: so these may use whatever they like.
    Where one passes zero is found on the dense output; its attributes `terminal` (true, or after how many events the run
    ends) and `direction` (1: from below only, -1: from above only) mean what they mean in SciPy.

    Invariants are functions of t and y that stay what they are at the start; every step returns to them. Without a method
    the program chooses one, and without a step the tolerance is 1e-9: rtol is relative, atol the error of numbers near zero.
    jac, jac_sparsity, lband, uband and vectorized are accepted and not needed. Other options are those of runs.

    >>> import cotangent as ct, numpy as np
    >>> solution = ct.solve_ivp(lambda t, y: [y[1], -np.sin(y[0])], (0, 10), [1, 0], rtol=1e-10, dense_output=True,
    ...                         invariants={"energy": lambda t, y: y[1]**2 / 2 - np.cos(y[0])})
    >>> solution.success, solution.y.shape[0], solution.sol([0, 5, 10]).shape
    (True, 2, (2, 3))
    >>> bool(np.ptp(solution.y[1]**2 / 2 - np.cos(solution.y[0])) < 1e-13)
    True
    >>> def hits_ground(t, y):
    ...     return y[0]
    >>> hits_ground.terminal, hits_ground.direction = True, -1
    >>> shot = ct.solve_ivp(lambda t, y: [y[1], -0.5], (0, 100), [0, 10], events=[hits_ground, lambda t, y: y[1]],
    ...                     t_eval=[0, 10, 90])
    >>> shot.status, shot.t, shot.t_events[0].round(9), abs(shot.y_events[1]).round(9)
    (1, array([ 0., 10.]), array([40.]), array([[100.,   0.]]))
    """
    start, end = map(float, t_span)
    y0 = np.atleast_1d(np.asarray(y0, dtype=float))
    if y0.ndim > 1:
        raise ValueError("`y0` must be 1-dimensional.")
    if t_eval is not None:
        t_eval = _times(t_eval, start, end)
    if np.ndim(atol or 0) or np.ndim(rtol or 0):
        raise ValueError("rtol and atol are one number each, for all components")
    if max_step is not None and max_step < abs(end - start):
        raise ValueError("steps have no upper bound: a smaller rtol makes them shorter, and step=... without rtol gives all "
                         "of them one length")  # fmt: skip
    try:
        args = () if args is None else tuple(args)
    except TypeError:
        raise TypeError(f"`args` is a tuple, such as args=({args!r},)") from None

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
    given = dict(method=method, tolerance=rtol, absolute_tolerance=atol, step=first_step, start=start, end=end, monitor=[])
    if first_step is not None and rtol is None:
        given["tolerance"] = 1e-9
    watched = None if events is None else Events(events, args)
    run = model._run({**given, **options}, watched and watched.watch)
    return Solution(run, t_eval, dense_output, watched)
