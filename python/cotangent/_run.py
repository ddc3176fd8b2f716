"""Results of runs."""

import functools
import json
import re
import warnings

import numpy as np

from ._html import frame, verbatim


class RunWarning(UserWarning):
    """A run that ended early, or something about its numerics that a user should know."""


def _arrays(names):
    """Where the columns of names are: ("r", slice, shape). Entries of an array stand side by side, "r[1,1]", "r[1,2]"."""
    places = {}
    for k, name in enumerate(names):
        base, _, indices = name.partition("[")
        first, _, shape = places.get(base, (k, k, ()))
        shape = tuple(int(i) for i in re.findall(r"\d+", indices)) if indices else ()
        places[base] = (first, k + 1, shape)
    # Families such as rod[2], ..., rod[N] fill no box.
    return {
        base: (first, end, shape if np.prod(shape, dtype=int) == end - first else (end - first,))
        for base, (first, end, shape) in places.items()
    }


class Run:
    """A run that was made: its records as arrays of NumPy, which are views of one block of numbers.

    `t` are the times and `run["x"]` a column (a matrix or more for an array), `q`, `p`, `v` and `s` matrices with a row
    for each record; `energy` is H along the run, `multipliers` and `constraints` are lambda and g. `summary` is what the
    program prints as JSON.

    >>> import cotangent as ct
    >>> run = ct.Model("chain").run(step=0.01, end=0.1)
    >>> run.p.shape, run["x"].shape
    ((11, 200), (11, 100))
    >>> float(abs(run.constraints).max()) < 1e-13
    True
    """

    def __init__(self, model, options, prepared, names, rows, status, texts):
        self._prepared, self._texts = prepared, texts
        self.model, self.options, self.names, self._rows, self._status = model, options, names, rows, status
        if status == "failed":
            warnings.warn(f"the run ended at t = {self.t[-1]:g}: {self.failure}", RunWarning, stacklevel=4)

    @functools.cached_property
    def summary(self):
        """What the program prints as JSON, a dictionary: "max", "counts", "state", ..."""
        return json.loads(self._prepared.json(self._texts))

    @property
    def _table(self):
        return self._prepared.table(self._texts)

    @functools.cached_property
    def _places(self):
        return _arrays(self.names)

    status = property(
        lambda self: self._status,
        doc='"done", or "failed": then `failure` says why, and the records go as far as it came.',
    )
    method = property(lambda self: self.summary["method"], doc="The name of the method.")
    formulation = property(lambda self: self.summary["formulation"], doc="The name of the formulation.")
    warnings = property(lambda self: self.summary["warnings"], doc="What a user should know of the numbers, dictionaries.")
    certificate = property(lambda self: self.summary.get("certificate"), doc="What certify=True found, or None.")

    @property
    def failure(self):
        """Why a run ended early; None if it did not."""
        failure = self.summary.get("failure")
        if failure is None:
            return None
        parts = (failure.get(name) for name in ("reason", "message", "advice"))
        return "; ".join(part for part in parts if part)

    t = property(lambda self: self._rows[:, 0], doc="The times of the records.")

    def __len__(self):
        return len(self._rows)

    def _columns(self, prefix, variables):
        """The columns of all variables, which stand side by side."""
        if not variables:
            return self._rows[:, :0]
        places = [self._places[prefix + name] for name in variables]
        return self._rows[:, places[0][0] : places[-1][1]]

    q = property(lambda self: self._columns("", self.model.coordinates), doc="Coordinates, a row for each record.")
    p = property(lambda self: self._columns("p_", self.model.coordinates), doc="Momenta, a row for each record.")
    s = property(lambda self: self._columns("", self.model.states), doc="States, a row for each record.")

    @functools.cached_property
    def v(self):
        """Velocities H_p, a row for each record."""
        return self.model.velocities(self.q, self.p, self.t)

    @functools.cached_property
    def energy(self):
        """H at each record."""
        return self.model.hamiltonian(self.q, self.p, self.t, self.s)

    @functools.cached_property
    def constraints(self):
        """g, a row for each record."""
        return self.model.constraints(self.q, self.t)

    @functools.cached_property
    def multipliers(self):
        """lambda, a row for each record."""
        return self.model.multipliers(self.q, self.p, self.t, self.s)

    def __getitem__(self, name):
        """A column by its name: "x", "p_x", "r" or "r[1,2]", an observable, a monitor ("energy" is |H - H(0)|), a
        velocity "v_x" or a multiplier "lambda_rod"."""
        if name in self._places:
            first, end, shape = self._places[name]
            return self._rows[:, first:end].reshape(len(self), *shape)[...]
        if name in self.names:
            return self._rows[:, self.names.index(name)]
        for prefix, names, matrix in self._derived():
            derived = [prefix + one for one in names]
            if name in derived:
                return matrix()[:, derived.index(name)]
            first, end, shape = _arrays(derived).get(name, (0, 0, ()))
            if end > first:
                return matrix()[:, first:end].reshape(len(self), *shape)
        raise KeyError(f"{name!r}; there are {', '.join(self._places)}")

    def at(self, times):
        """Coordinates, momenta and states between the records: a row for each time, or one for a single time.

        The error is of the order of the method where every step is recorded.

        >>> import cotangent as ct
        >>> run = ct.Model("kepler").run(tolerance=1e-9, end=2)
        >>> coarse, fine = run.at([0.1, 0.2]), ct.Model("kepler").run(tolerance=1e-12, sample=0.1, end=0.2)
        >>> bool(abs(coarse - fine._rows[1:, 1:5]).max() < 1e-5)
        True
        """
        times = np.asarray(times, dtype=float)
        points = self._prepared.between(self.names, self._rows, np.atleast_1d(times))
        return points if times.ndim else points[0]

    def _derived(self):
        n = self.q.shape[1]
        yield "v_", self.names[1 : 1 + n], lambda: self.v
        yield "lambda_", self.model._evaluation.constraint_names, lambda: self.multipliers

    def keys(self):
        """The names of the columns, arrays by theirs."""
        return list(self._places)

    def __contains__(self, name):
        return name in self._places or name in self.names

    def to_dataframe(self):
        """A DataFrame of pandas with the time as its index."""
        import pandas

        return pandas.DataFrame(self._rows[:, 1:], columns=self.names[1:], index=pandas.Index(self.t, name="t"))

    def page(self):
        """The page of the program's --report, as a text: one HTML file with the summary, plots, the mechanism in motion and
        all that repeats the run.

        >>> import cotangent as ct
        >>> page = ct.Model("double_pendulum").run(end=1).page()
        >>> page[:15], len(page) > 10**5
        ('<!doctype html>', True)
        """
        return self._prepared.page(self.names, self._rows)

    def _repr_html_(self):
        """In notebooks: the page in a frame."""
        try:
            return frame(self.page())
        except (RuntimeError, ValueError):  # it was built without pages, or the record lacks columns
            return verbatim(self._table)

    def __repr__(self):
        return f"<Run of {self.model.title or self.model.name!r}: {self.method}, {len(self)} records, {self.status}>"

    def __str__(self):
        return self._table
