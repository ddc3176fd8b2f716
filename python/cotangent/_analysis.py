"""What follows from a model before it is integrated."""

import collections
import functools
import json

from . import _core


class Report:
    """Something that was found: a table for people, str(), and the same as a dictionary, `data`.

    The members of `data` are attributes, too.
    """

    def __init__(self, table, json_text):
        self._table, self._json = table, json_text

    @functools.cached_property
    def data(self):
        return json.loads(self._json)

    def __getattr__(self, name):
        if not name.startswith("_") and name in self.data:
            return self.data[name]
        raise AttributeError(name)

    def __dir__(self):
        return [*super().__dir__(), *self.data]

    def __str__(self):
        return self._table

    __repr__ = __str__


Bracket = collections.namedtuple("Bracket", "expression value")
Bracket.__doc__ = "The Dirac bracket of two expressions, as a text, and its value at the initial point; None if not known."


class Analysis:
    """The constraints of a model in phase space, and their brackets, by Dirac's algorithm.

    >>> import cotangent as ct
    >>> analysis = ct.Model("pendulum").analyze()
    >>> analysis.degrees_of_freedom
    1
    >>> analysis.bracket("x", "p_x")
    Bracket(expression='y^2/l^2', value=0.0)
    """

    def __init__(self, model):
        self._core = _core.Analysis(model._core)

    @property
    def data(self):
        """Everything, as a dictionary."""
        return json.loads(self._core.json())

    is_consistent = property(lambda self: self.data["consistent"], doc="Whether there is a motion at all.")
    degrees_of_freedom = property(lambda self: self.data["degrees_of_freedom"], doc="Half the dimension of what is left.")
    constraints = property(lambda self: self.data["constraints"], doc="Dictionaries: name, expression, generation, class.")
    counts = property(lambda self: self.data["counts"], doc='How many there are: "primary", "total", "second_class", ...')

    def bracket(self, a, b):
        """The Dirac bracket {a, b}. Large systems give its value only."""
        return Bracket(*self._core.bracket(f"{a}, {b}"))

    def latex(self):
        """The constraints, and the equations of motion of the formulations, in LaTeX."""
        return self._core.text(True)

    def __str__(self):
        return self._core.text(False)

    __repr__ = __str__


class Analyses:
    """The part of a model that is analysed."""

    def check(self):
        """What was understood of the model: degrees of freedom, redundant constraints, conserved quantities.

        >>> import cotangent as ct
        >>> ct.Model("pendulum").check().degrees_of_freedom
        1
        """
        return Report(*_core.check(self._core))

    def analyze(self):
        """Constraints in phase space, their classes and brackets: see `Analysis`."""
        return Analysis(self)

    def stability(self, **options):
        """What errors of the constraints do under every formulation, at the start and along the motion."""
        from ._options import texts_of

        return Report(*_core.stability(self._core, texts_of(options)))

    def equilibrium(self, modes=10, relative=False):
        """The equilibrium that the initial point leads to, its stability and normal modes."""
        return Report(*_core.equilibrium(self._core, modes, relative))
