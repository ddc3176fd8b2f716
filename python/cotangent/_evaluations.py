"""H, g and what follows from them at points of one's own."""

import numpy as np

from . import _core
from ._options import texts_of


class Evaluations:
    """The part of a model that is evaluated at points.

    Vectors are in the order of the columns of a record, where the last index of an array runs fastest. A matrix stands
    for many points, one in each row, and gives a row for each.
    """

    _core_evaluation = None

    @property
    def _evaluation(self):
        if self._core_evaluation is None:
            self._core_evaluation = _core.Evaluation(self._core)
        return self._core_evaluation

    def _at(self, values, t, *vectors):
        """Values at one point, or at many."""
        vectors = [np.asarray([] if x is None else x, dtype=float) for x in vectors]
        times = np.asarray(t, dtype=float)
        many = max([times.ndim] + [x.ndim - 1 for x in vectors])
        count = max([times.size] + [len(x) for x in vectors if x.ndim > 1])
        times = np.broadcast_to(times, (count,))
        vectors = [np.broadcast_to(x, (count, x.shape[-1])) for x in vectors]
        rows = values(times, *vectors)
        return rows if many else rows[0]

    def hamiltonian(self, q, p, t=0.0, s=None):
        """H.

        >>> import cotangent as ct
        >>> ct.Model("pendulum").hamiltonian([1, 0], [0, -2])
        2.0
        """
        return self._at(self._evaluation.H, t, q, p, s)[..., 0][()]

    def velocities(self, q, p, t=0.0):
        """v = H_p."""
        return self._at(self._evaluation.velocities, t, q, p, None)

    def constraints(self, q, t=0.0):
        """g.

        >>> import cotangent as ct
        >>> ct.Model("pendulum").constraints([[2, 0], [1, 1]])
        array([[1.5],
               [0.5]])
        """
        return self._at(self._evaluation.constraints, t, q, None, None)

    def hidden_constraints(self, q, p, t=0.0):
        """psi = G H_p + g_t."""
        return self._at(self._evaluation.hidden_constraints, t, q, p, None)

    def jacobian(self, q, t=0.0):
        """G = dg/dq, a sparse matrix of SciPy.

        >>> import cotangent as ct
        >>> ct.Model("pendulum").jacobian([0.6, 0.8]).toarray()
        array([[0.6, 0.8]])
        """
        from scipy.sparse import csr_matrix

        values, rows, columns, *shape = self._evaluation.jacobian(t, np.asarray(q, dtype=float))
        return csr_matrix((values, (rows, columns)), shape=shape)

    def multipliers(self, q, p, t=0.0, s=None):
        """The multipliers of the constrained motion through a point: p' = -H_q + forces - G' lambda."""
        return self._at(self._evaluation.multipliers, t, q, p, s)

    def observables_at(self, q, p, t=0.0, s=None):
        """The observables of the model, one number for each of their components."""
        return self._at(self._evaluation.observables, t, q, p, s)

    def project(self, q, p, t=0.0):
        """The point (q, p) of the constraints that is nearest in the mass metric.

        >>> import cotangent as ct
        >>> q, p = ct.Model("pendulum").project([2, 0], [1, 1])
        >>> q, p
        (array([1., 0.]), array([0., 1.]))
        """
        point = self._at(self._evaluation.project, t, q, p, None)
        n = point.shape[-1] // 2
        return point[..., :n], point[..., n:]

    def field(self, formulation=None, **options):
        """The vector field of a formulation in q and p, as a function.

        It takes (q, p, t, s) and gives (q', p'), or (q', p', s') where there are states beside them; for differential
        equations it takes (s, t) and gives s'. Options are those of the formulation, such as gauge=1.

        >>> import cotangent as ct
        >>> f = ct.Model("pendulum").field("dirac")
        >>> f([1, 0], [0, -2])
        (array([ 0., -2.]), array([-4., -1.]))
        """
        evaluation, texts = self._evaluation, texts_of(options)
        n = sum(int(np.prod(shape)) for shape in self.coordinates.values())
        states = len(self.states)
        name = formulation or ("standard" if n else "equations")

        def rates(times, q, p, s):
            return evaluation.field(name, texts, times, q, p, s)

        def of_equations(s, t=0.0):
            return self._at(rates, t, None, None, s)

        def of_mechanics(q, p, t=0.0, s=None):
            x = self._at(rates, t, q, p, s)
            parts = x[..., :n], x[..., n : 2 * n], x[..., 2 * n :]
            return parts if states else parts[:2]

        return of_mechanics if n else of_equations
