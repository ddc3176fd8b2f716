"""Models."""

import os

import numpy as np

from . import _core
from ._analysis import Analyses
from ._compare import compare
from ._evaluations import Evaluations
from ._options import set_of, texts_of
from ._ready import find_model
from ._run import Run
from ._text import first_entry, model_text


class Model(Evaluations, Analyses):
    """A system: a file, a ready model by its name, a text, or keywords.

    >>> import cotangent as ct
    >>> ct.Model("pendulum")
    Model('Planar pendulum in Cartesian coordinates')
    >>> ct.Model("pendulum", set={"l": 2}).parameters["l"]
    2.0
    >>> x, y = ct.coordinates("x y")
    >>> m = ct.Model(coordinates=[x, y], hamiltonian=(x.p**2 + y.p**2) / 2 + y, constraints={"rod": x**2 + y**2 == 1},
    ...              initial={x: 1, y: 0, x.p: 0, y.p: 0})
    >>> m.run(method="rattle", step=0.01, end=1).status
    'done'

    Keywords are the sections of a model file: coordinates, hamiltonian or lagrangian, states, algebraic and dissipation
    stand in [system], the others (parameters, constraints, forces, equations, initial, ...) are dictionaries.
    A mistake raises ModelError, with its line and column. With `black_box` H and g are functions, see `BlackBox`.
    """

    def __init__(self, model=None, *, set=None, black_box=None, **sections):
        if (model is None) == (not sections):
            raise TypeError("a model is a file, a text or a name, or it is made of keywords")
        self._prepared = {}
        values = set_of(set or {})
        self._black_box = black_box
        if black_box is not None:
            stated = sections.keys() & {"hamiltonian", "lagrangian", "constraints"}
            if stated:
                raise TypeError(f"H and g are functions of the black box, and the model states {', '.join(sorted(stated))}")
            sections |= black_box.placeholders(first_entry(sections["coordinates"]))
            self._core = black_box._core.model(model_text(**sections), values)
        elif model is None:
            self._core = _core.Model.from_text(model_text(**sections), "model", values)
        elif isinstance(model, _core.Model):
            self._core = model
        elif isinstance(model, str) and "\n" in model:
            self._core = _core.Model.from_text(model, "model", values)
        else:
            self._core = _core.Model.from_file(os.fspath(find_model(model)), values)

    def __repr__(self):
        return f"Model({self.title or self.name!r})"

    name = property(lambda self: self._core.name, doc="The stem of the file.")
    title = property(lambda self: self._core.title, doc="The title, a line.")
    text = property(lambda self: self._core.text, doc="The model file.")
    notes = property(lambda self: self._core.notes, doc="What a user should know.")
    parameters = property(lambda self: self._core.parameters, doc="The numbers among the parameters.")
    coordinates = property(lambda self: self._core.coordinates, doc="Names of coordinates with their shapes.")
    states = property(lambda self: self._core.states, doc="Names of states with their shapes.")
    constraint_names = property(lambda self: self._core.constraints, doc="Names of constraints; a family has one.")
    invariants = property(lambda self: self._core.invariants, doc="Names of invariants.")
    observables = property(lambda self: self._core.observables, doc="Names of observables.")

    def with_values(self, **values):
        """The same model with other parameters or initial values. Compiled code is shared.

        >>> import cotangent as ct
        >>> ct.Model("pendulum").with_values(l=2, p_y="-l").parameters["l"]
        2.0
        """
        return self._like(self._core.with_values(set_of(values)))

    def with_initial(self, **arrays):
        """The same model with other initial values: arrays `r`, `p_r` or `v_r` of the shape of a coordinate."""
        return self._like(self._core.with_initial([(name, np.asarray(array)) for name, array in arrays.items()]))

    def with_initial_from(self, record):
        """The same model, which begins where a run has ended: a run of Python, or the file that a run has written.

        >>> import cotangent as ct
        >>> m = ct.Model("pendulum")
        >>> forth = m.run(step=0.01, end=10)
        >>> back = m.with_initial_from(forth).run(step=0.01, start=10, end=0)
        >>> bool(abs(back.q[-1] - forth.q[0]).max() < 1e-12)
        True
        """
        if isinstance(record, (str, os.PathLike)):
            return self._like(self._core.with_initial_from(os.fspath(record)))
        names = [prefix + name for name in record.model.coordinates for prefix in ("", "p_")] + list(record.model.states)
        return self.with_initial(**{name: record[name][-1] for name in names})

    def _like(self, core):
        model = Model(core)
        model._black_box = self._black_box  # whose functions it uses
        return model

    def run(self, **options):
        """Integrates the system: see `Run`. Options are those of the command line, with underscores.

        >>> import cotangent as ct
        >>> run = ct.Model("pendulum").run(method="gauss:2", step=0.1, end=10, monitor=["energy", "position"])
        >>> run.t[-1], run.method
        (10.0, 'gauss:2')
        """
        return self._run(options)

    def _run(self, options, watch=None):
        """The same; `watch` is called with each record, its time and its values, and ends the run where it returns true."""
        texts = texts_of(options)
        # The run that was made last needs no preparation to be made again.
        prepared = self._prepared.pop(texts, None) or _core.Run(self._core, texts)
        made = prepared(watch)
        if prepared.is_repeatable:
            self._prepared = {texts: prepared}
        return Run(self, options, prepared, *made)

    compare = compare

    def stepper(self, method="", *, step=None, **options):
        """Steps of one length, one by one: see `Stepper`. There is no end; what is watched is asked for with monitor."""
        if step is not None and "end" not in options:
            options["end"] = f"({options.get('start', 0)}) + ({step})"  # a run has one
        given = {"method": method or None, "step": step, "monitor": "none", **options}
        return _core.Stepper(self._core, texts_of(given))
