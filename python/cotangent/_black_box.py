"""Systems whose H and g are functions."""

import ctypes

from . import _core

_FUNCTIONS = (
    "H", "H_q", "H_p", "g", "G", "H_t", "g_t", "H_pp_times", "H_p_along", "H_q_along", "H_pt", "g_second", "g_t_along"
)  # fmt: skip


def _as_function(function):
    """A callable, or the address of what numba.cfunc and ctypes have compiled."""
    if isinstance(function, ctypes._CFuncPtr):
        return ctypes.cast(function, ctypes.c_void_p).value
    return getattr(function, "address", function)


class BlackBox:
    """H(q, p, t) and g(q, t) as functions, with their gradients.

    Functions of Python take arrays and return numbers or arrays: `H(q, p, t)`, `H_q(q, p, t)`, `H_p(q, p, t)`, `g(q, t)` and
    `G(q, t)`, which is dg/dq row by row, or its values at the places `G_pattern`. Those that numba.jit makes are such
    functions. What numba.cfunc or ctypes compile is called without the interpreter: double H(q, p, t) and
    void H_q(q, p, t, out), g(q, t, out), where q, p and out are pointers to doubles and t is a double.

    docs/black-box.md says which functions are optional and what they mean. `check` compares all derivatives with
    differences.

    >>> import cotangent as ct
    >>> box = ct.BlackBox(
    ...     n=2, m=1, H=lambda q, p, t: (p @ p) / 2 + q[1], H_q=lambda q, p, t: [0, 1], H_p=lambda q, p, t: p,
    ...     g=lambda q, t: [(q @ q - 1) / 2], G=lambda q, t: q, constraint_names=["rod"])
    >>> box.check([1.0, 0.1], [0.0, -2.0])
    True
    >>> m = ct.Model(black_box=box, coordinates="x y", initial={"x": 1, "y": 0, "p_x": 0, "p_y": -2})
    >>> run = m.run(method="rattle", step=0.01, end=1)
    >>> reference = ct.Model("pendulum").run(method="rattle", step=0.01, end=1)
    >>> bool(abs(run.q - reference.q).max() < 1e-14)
    True
    """

    def __init__(
        self, *, n, m=0, separable=False, diagonal_mass=False, G_pattern=(), constraint_names=(), q_scale=1.0,
        p_scale=1.0, t_scale=1.0, **functions
    ):  # fmt: skip
        for name in functions:
            _core.expect_name("function of a black box", name, list(_FUNCTIONS))
        self._kept = functions  # as long as their addresses are used
        self.m, self.constraint_names = m, list(constraint_names)
        compiled = {name: _as_function(function) for name, function in functions.items() if function is not None}
        self._core = _core.BlackBox(
            n, m, compiled, [tuple(place) for place in G_pattern], separable, diagonal_mass, self.constraint_names,
            (q_scale, p_scale, t_scale)
        )  # fmt: skip

    def check(self, q, p, t=0.0):
        """Whether all derivatives are those of H and g; what is not is printed as a table."""
        is_consistent, table = self._core.check(list(q), list(p), t)
        if not is_consistent:
            print(table)
        return is_consistent

    def placeholders(self, coordinate):
        """Sections of a model with as many constraints, whose contents mean nothing."""
        equation = f"{coordinate} = 0"
        if self.constraint_names:
            constraints = {name: equation for name in self.constraint_names}
        elif self.m > 1:
            constraints = {"g": {"each": f"i in 1..{self.m}", "equation": equation}}
        else:
            constraints = {"g": equation} if self.m == 1 else {}
        return {"hamiltonian": "0", "constraints": constraints}
