"""Comparisons of runs, and published experiments."""

import json

from . import _core
from ._options import text_of, texts_of
from ._ready import experiments, models


def _list(value):
    return "" if value is None else text_of(value if isinstance(value, (str, list, tuple)) else [value])


class Comparison:
    """Runs side by side. `runs` are their summaries; `recommended` the options of the cheapest that is accurate enough.

    >>> import cotangent as ct
    >>> m = ct.Model("pendulum")
    >>> comparison = m.compare(method=["rattle", "gauss:2"], step=0.02, end=2, accuracy=1e-2)
    >>> [run["method"] for run in comparison.runs]
    ['rattle', 'gauss:2']
    >>> best = m.run(**comparison.recommended)
    """

    def __init__(self, core):
        self._core = core
        self.runs = json.loads(core.json())

    @property
    def recommended(self):
        words = self._core.recommended
        return None if words is None else {name.replace("-", "_"): text for name, text in words}

    recommendation = property(lambda self: self._core.recommendation, doc="The same as a sentence.")

    def __str__(self):
        return self._core.table()

    __repr__ = __str__

    def _repr_html_(self):
        head, *rows = self._core.rows
        cells = "".join(f"<th>{name}</th>" for name in head)
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
        return f"<table><tr>{cells}</tr>{body}</table><p>{self.recommendation}</p>"


def compare(model, method=None, formulation=None, projection=None, step=None, tolerance=None, accuracy=None, threads=None,
            **options):  # fmt: skip
    """Every method with every formulation, projection and step: see `Comparison`."""
    choices = (_list(one) for one in (method, formulation, projection, step, tolerance, accuracy, threads))
    return Comparison(_core.compare(model._core, *choices, texts_of(options)))


class Reproduction:
    """The claims of published experiments beside what was measured. It is true where no claim is a surprise."""

    def __init__(self, table, json_text, is_well):
        self._table, self.claims, self._is_well = table, json.loads(json_text), is_well

    def __bool__(self):
        return self._is_well

    def __str__(self):
        return self._table

    __repr__ = __str__


def reproduce(*names, threads=0):
    """Makes published experiments again: by their names, by papers, or from files. `ct.experiments()` lists them.

    >>> import cotangent as ct
    >>> bool(ct.reproduce("seiler/fig-1"))
    True
    """
    files, ready = ({name: str(file) for name, file in found.items()} for found in (experiments(), models()))
    return Reproduction(*_core.reproduce([str(name) for name in names], files, ready, threads))
