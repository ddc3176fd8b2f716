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

from ._analysis import Analysis, Bracket
from ._black_box import BlackBox
from ._compare import Comparison, Reproduction, reproduce
from ._core import ModelError, OptionError, Stepper, __version__
from ._expressions import (
    Equation, Expression, Index, acos, asin, atan, atan2, call, ceil, coordinates, cos, cosh, cross, dot, each, erf, erfc,
    exp, floor, log, maximum, minimum, mod, norm, norm2, parameters, pi, sign, sin, sinh, sqrt, states, sum_over, t, tan,
    tanh, where
)  # fmt: skip
from ._ivp import DenseOutput, Solution, solve_ivp
from ._model import Model
from ._options import options
from ._ready import experiments, models
from ._run import Run, RunWarning

__all__ = [name for name in dir() if not name.startswith("_")] + ["__version__"]
