"""The motion of a constrained Hamiltonian system, computed with nothing of the program.

    q' = H_p,   p' = -H_q + f - G' lambda,   g(q, t) = 0

The multipliers are those that keep psi = G H_p + g_t at zero:

    psi_p G' lambda = psi_q q' + psi_p (f - H_q) + psi_t

The equations are integrated by the midpoint rule with 2, 4, ..., 16 substeps, extrapolated (Gragg, Bulirsch, Stoer).
"""

from algebra import derivative, function, name, number, substitute, total

SUBSTEPS = (2, 4, 6, 8, 10, 12, 14, 16)


class Motion:
    def __init__(self, q, H, constraints, forces):
        """q: names of coordinates; forces: expressions in q, p_q, v_q and t, one per coordinate."""
        self.q, self.p = q, [f"p_{x}" for x in q]
        arguments = [*self.q, *self.p, "t"]
        v = [derivative(H, p) for p in self.p]
        velocities = {f"v_{x}": e for x, e in zip(q, v)}
        F = [substitute(f, velocities) - derivative(H, x) for f, x in zip(forces, q)]
        G = [[derivative(g, x) for x in q] for g in constraints]
        psi = [total(a * b for a, b in zip(row, v)) + derivative(g, "t") for row, g in zip(G, constraints)]
        psi_p = [[derivative(e, p) for p in self.p] for e in psi]
        matrix = [total(a * b for a, b in zip(row, other)) for row in psi_p for other in G]
        right = [total(derivative(e, x) * w for x, w in zip(q, v)) + total(a * f for a, f in zip(row, F))
                 + derivative(e, "t") for e, row in zip(psi, psi_p)]
        self.n, self.m = len(q), len(constraints)
        self.field_parts = function(arguments, [*v, *F, *matrix, *right, *(e for row in G for e in row)])
        self.energy = function(arguments, [H])
        self.residuals = function(arguments, [*constraints, *psi])

    def field(self, z, t):
        n, m = self.n, self.m
        values = self.field_parts(*z, t)
        F = values[n:2 * n]
        if m:
            matrix, right, G = values[2 * n:2 * n + m * m], values[2 * n + m * m:2 * n + m * m + m], values[-m * n:]
            multipliers = solve([matrix[k * m:k * m + m] for k in range(m)], right)
            F = [F[i] - sum(multipliers[k] * G[k * n + i] for k in range(m)) for i in range(n)]
        return [*values[:n], *F]

    def midpoint(self, z, t, h, count):
        """count steps of the explicit midpoint rule, with a step of Euler's before them."""
        d = h / count
        before, now = z, [a + d * f for a, f in zip(z, self.field(z, t))]
        for k in range(1, count):
            before, now = now, [a + 2 * d * f for a, f in zip(before, self.field(now, t + k * d))]
        return now

    def step(self, z, t, h):
        """A step of order 16: Aitken and Neville's scheme in (h/count)^2."""
        rows = []
        for count in SUBSTEPS:
            rows.append([self.midpoint(z, t, h, count)])
            for k in range(1, len(rows)):
                ratio = (count / SUBSTEPS[len(rows) - 1 - k]) ** 2 - 1
                rows[-1].append([a + (a - b) / ratio for a, b in zip(rows[-1][k - 1], rows[-2][k - 1])])
        return rows[-1][-1]

    def solution(self, z, start, end, count):
        """The solution at `end`, by `count` steps."""
        h = (end - start) / count
        for k in range(count):
            z = self.step(z, start + k * h, h)
        return z


def solve(matrix, right):
    """Elimination with pivots."""
    rows = [[*row, b] for row, b in zip(matrix, right)]
    m = len(rows)
    for k in range(m):
        best = max(range(k, m), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        for i in range(k + 1, m):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    x = [0.0] * m
    for k in reversed(range(m)):
        x[k] = (rows[k][m] - sum(rows[k][j] * x[j] for j in range(k + 1, m))) / rows[k][k]
    return x


def zero_forces(q):
    return [number(0) for _ in q]


def variables(names):
    return [name(text) for text in names]
