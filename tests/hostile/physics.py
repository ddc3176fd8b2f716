"""Random mechanical systems, as model text and as functions of the suite's own."""

import math

from algebra import call, derivative, name, number, substitute, total
from motion import Motion


class System:
    """Points in space, or a few general coordinates, with forces and constraints."""

    def __init__(self, q):
        self.q = q
        self.H = number(0)
        self.constraints = {}      # name -> g
        self.forces = {}           # coordinate -> expression in q, v, t
        self.dissipation = None    # in v
        self.invariants = {}
        self.initial = {}
        self.lagrangian = None     # in q and v, where there is one
        self.autonomous = True
        self.smooth = True         # the forces are
        self.jumps = {}            # expression -> function of a row of a record; where it changes, H or a force jumps

    def motion(self):
        forces = []
        for x in self.q:
            f = self.forces.get(x, number(0))
            forces.append(f - derivative(self.dissipation, f"v_{x}") if self.dissipation else f)
        return Motion(self.q, self.H, list(self.constraints.values()), forces)

    def conserves_energy(self):
        return self.autonomous and not self.forces and self.dissipation is None

    def text(self):
        lines = ["[system]", f"coordinates = [{', '.join(map(quoted, self.q))}]"]
        lines.append(f'lagrangian = "{self.lagrangian}"' if self.lagrangian else f'hamiltonian = "{self.H}"')
        if self.dissipation:
            lines.append(f'dissipation = "{self.dissipation}"')
        for section, entries in (("constraints", {k: f"{g} = 0" for k, g in self.constraints.items()}),
                                 ("forces", self.forces), ("invariants", self.invariants)):
            if entries:
                lines += [f"[{section}]", *(f'{key} = "{value}"' for key, value in entries.items())]
        lines += ["[initial]", *(f"{key} = {value!r}" for key, value in self.initial.items())]
        return "\n".join(lines) + "\n"


def quoted(text):
    return f'"{text}"'


def number_in(random, low, high):
    """Few digits, so that cases can be read."""
    return float(f"{random.uniform(low, high):.3g}")


def system(random):
    return random.choice((points, points, points, angles))(random)


def points(random):
    dimension = random.choice((1, 2, 2, 3))
    count = random.choice((1, 1, 2, 3) if dimension < 3 else (1, 2))
    letters = "xyz"[:dimension]
    at = [[letter if count == 1 else f"{letter}{k + 1}" for letter in letters] for k in range(count)]
    result = System([x for point in at for x in point])
    masses = [number_in(random, 0.5, 3) for _ in at]
    if random.random() < 0.3:
        masses = [1.0] * count
    place = [[number_in(random, -1, 1) + 1.5 * k for _ in point] for k, point in enumerate(at)]
    values = {x: value for point, where in zip(at, place) for x, value in zip(point, where)}
    result.initial = dict(values)
    result.initial |= {f"p_{x}": number_in(random, -1, 1) for x in result.q}
    r = [[name(x) for x in point] for point in at]
    V = total(term(random, r, result) for term in random.sample(POTENTIALS, random.choice((1, 1, 2, 3))))
    p = [[name(f"p_{x}") for x in point] for point in at]
    v = [[name(f"v_{x}") for x in point] for point in at]
    T = total(square(pk) / (2 * m) for pk, m in zip(p, masses))
    kind = random.random()
    if kind < 0.15:  # a rotating frame, or a magnetic field
        T = T + total((rk[0] * pk[1] - rk[1] * pk[0]) * number_in(random, -1, 1)
                      for rk, pk in zip(r, p) if dimension > 1)
    elif kind < 0.25:
        T = total(call("sqrt", number(m * m) + square(pk)) for pk, m in zip(p, masses))
    elif kind < 0.35:
        T = T / (number(1) + square(r[0]) * 0.2)
    elif kind < 0.6:
        result.lagrangian = total(square(vk) * (m / 2) for vk, m in zip(v, masses)) - V
    result.H = T + V
    if dimension > 1 and random.random() < 0.6:
        constrain(random, r, values, result)
    push(random, result)
    return result


def angles(random):
    """General coordinates with a mass matrix that depends on them."""
    names = ["a", "b", "c"][:random.choice((1, 2, 2, 3))]
    result = System(names)
    q, p = [name(x) for x in names], [name(f"p_{x}") for x in names]
    T = number(0)
    for k, (x, px) in enumerate(zip(q, p)):
        other = q[k - 1]
        T = T + px ** 2 / (2 * number_in(random, 0.5, 2)) / (number(1) + call("sin", other) ** 2 * number_in(random, 0, 0.5))
        if k and random.random() < 0.5:
            T = T + px * p[k - 1] * call("cos", x - other) * 0.2
    result.H = T - total(call("cos", x) * number_in(random, 0.5, 2) for x in q)
    result.initial = {x: number_in(random, -2, 2) for x in names} | {f"p_{x}": number_in(random, -1, 1) for x in names}
    if len(names) > 1 and random.random() < 0.3:
        g = q[0] + call("sin", q[1]) * number_in(random, 0.2, 1)
        result.constraints["link"] = g - value_at(g, result.initial)
    push(random, result)
    return result


def square(vector):
    return total(component ** 2 for component in vector)


def difference(a, b):
    return [x - y for x, y in zip(a, b)]


def value_at(g, values):
    value = substitute(g, {k: number(v) for k, v in values.items()})
    return eval(value.code(), {f: getattr(math, f) for f in ("sin", "cos", "sqrt", "exp", "tanh", "log", "atan")})


def pairs(r):
    return [(a, b) for k, a in enumerate(r) for b in r[k + 1:]]


# Terms of potentials: (random, points, system) -> expression.


def gravity(random, r, _):
    return total(point[-1] for point in r) * number_in(random, 0.2, 2)


def spring_to_origin(random, r, _):
    return total(square(point) for point in r) * number_in(random, 0.2, 2)


def springs_between(random, r, _):
    k = number_in(random, 0.2, 2)
    return total(square(difference(a, b)) * k for a, b in pairs(r))


def attraction(random, r, _):
    k, s = number_in(random, 0.2, 1.5), number_in(random, 0.1, 0.5)
    return total(number(-k) / call("sqrt", square(difference(a, b)) + s) for a, b in pairs(r))


def centre(random, r, _):
    k, s = number_in(random, 0.2, 1.5), number_in(random, 0.2, 0.8)
    return total(number(-k) / call("sqrt", square(point) + s) for point in r)


def quartic(random, r, _):
    return total(x ** 4 for point in r for x in point[:1]) * number_in(random, 0.1, 1)


def wave(random, r, _):
    k = number_in(random, 0.5, 3)
    return total(call("cos", point[0] * k) for point in r) * number_in(random, 0.2, 1)


def wall(random, r, result):
    """A soft wall, somewhere the motion may or may not reach."""
    result.smooth = False
    at = number_in(random, 0.5, 3)
    return total(call("max", point[0] - at, 0) ** 2 for point in r) * number_in(random, 1, 10)


def box(random, r, result):
    result.smooth = False
    at = number_in(random, 1, 4)
    return total(call("max", square(point) - at, 0) ** 2 for point in r)


def field_beyond(random, r, result):
    """A field that begins beyond a plane, continuous with its derivative."""
    result.smooth = False
    at, x = number_in(random, 0.5, 3), r[0][0]
    return call("if", x, at, (x - at) ** 2 * number_in(random, 0.5, 3), 0)


def step(random, r, result):
    """A potential that jumps: nothing that a method can see, and a warning where the motion crosses it."""
    result.smooth = False
    at, x = number_in(random, -0.5, 2), r[0][0]
    jump = call("if", x, at, number_in(random, 0.1, 2), 0)
    result.jumps[str(jump)] = lambda row: row[str(x)] > at
    return jump


def driving(random, r, result):
    result.autonomous = False
    # Now and then as fast as steps of 0.2, 0.1 or 0.05 are.
    w = random.choice((number_in(random, 0.5, 6), number_in(random, 0.5, 6), 31.4159265358979, 125.663706143592))
    return r[0][0] * call("cos", name("t") * w) * number_in(random, 0.1, 1)


def nothing(*_):
    return number(0)


POTENTIALS = (gravity, gravity, spring_to_origin, springs_between, springs_between, attraction, attraction, centre, quartic,
              wave, wall, box, field_beyond, step, driving, nothing)


def constrain(random, r, values, result):
    """Constraints that the initial positions satisfy, mostly."""
    def add(key, g):
        result.constraints[key] = g - value_at(g, values | {"t": 0.0})

    kind = random.random()
    if kind < 0.5:  # a chain of rods
        scale = random.choice((1, 1, 0.5, 3))
        last = None
        for k, point in enumerate(r):
            if last is None and random.random() < 0.8:
                add("rod1", square(point) * scale)
            elif last is not None:
                add(f"rod{k + 1}", square(difference(point, last)) * scale)
            last = point
    elif kind < 0.65:
        add("plane", total(x * number_in(random, -1, 1) for x in r[0]) + r[0][0] * 1.5)
    elif kind < 0.8:
        add("surface", r[0][-1] - total(x ** 2 for x in r[0][:-1]) * number_in(random, 0.2, 0.8))
    elif kind < 0.9:
        add("ellipsoid", total(x ** 2 * number_in(random, 0.5, 2) for x in r[0]))
    else:
        result.autonomous = False
        length = number(1) + call("sin", name("t") * number_in(random, 0.5, 3)) * number_in(random, 0.02, 0.2)
        add("moving", square(r[0]) - length ** 2)
    if random.random() < 0.1:
        result.initial[result.q[0]] += 0.05  # has to be moved


def push(random, result):
    """Friction and forces."""
    if random.random() < 0.15:
        c = number_in(random, 0.02, 0.5)
        result.dissipation = total(name(f"v_{x}") ** 2 for x in result.q) * c
    if random.random() < 0.12:
        x = random.choice(result.q)
        result.forces[x] = random.choice((
            call("sin", name("t") * number_in(random, 0.5, 5)) * 0.5, name(f"v_{x}") * -0.2,
            name(result.q[0]) * 0.3 - name(f"v_{x}") * 0.1))
