"""Constrained mechanical systems in Python: H(q, p) with constraints g(q) = 0.

>>> import cotangent as ct
>>> m = ct.Model("pendulum")
>>> run = m.run(method="rattle", step=0.01, end=10)
>>> run["x"].shape, run.p.shape
((1001,), (1001, 2))
>>> bool(abs(run.energy - run.energy[0]).max() < 2e-4)
True

Models are files, texts, ready models by name, or made of keywords: see `Model`. Options of runs are those of the command
line, with underscores: `cotangent.options()` lists them.
"""

from ._core import ModelError, OptionError, Stepper, __version__
from ._expressions import Equation, Expression, coordinates, parameters, states, t
from ._expressions import (
    acos,
    Index,
    asin,
    atan,
    atan2,
    call,
    ceil,
    cos,
    cosh,
    cross,
    dot,
    each,
    erf,
    erfc,
    exp,
    floor,
    log,
    maximum,
    minimum,
    mod,
    norm,
    norm2,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    sum_over,
    tan,
    tanh,
    where,
)
from ._model import Model
from ._options import options
from ._ready import experiments, models
from ._run import Run, RunWarning

__all__ = [name for name in dir() if not name.startswith("_")] + ["__version__"]
