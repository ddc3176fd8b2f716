#!/usr/bin/env python3
"""cotangent analyze: usage analyze_test.py PROGRAM MODELS_FOLDER [unittest options].

Textbook systems with known answers. Sets of constraints are compared up to equivalence on the surface: every one that is
found vanishes at points of the known surface, and the other way round, which equal numbers of independent ones need only
one way.
"""

import json
import math
import random
import re
import sys

sys.dont_write_bytecode = True  # beside the sources
from program import MODELS, ProgramTest, main  # noqa: E402

# Parameters that occur in constraints, with their values in the files.
VALUES = {"sphere": {"m": 1, "R": 2}, "landau": {"B": 2}, "rotor": {"a": 1.5}, "covariant_particle": {"m": 1.5}, "einbein": {"m": 1},
          "friedmann": {"m": 0.5, "K": 1}, "spin": {"R": 1}, "bead_in_phase_space": {"R": 1}, "parametrised_oscillator": {"w": 2},
          "covariant_particle_fixed": {"m": 1.5}, "pendulum": {"m": 1, "l": 1, "g": 1}}


def shell(r, x, y, z):
    """Coordinates and velocities on a sphere, from any numbers."""
    size = math.hypot(x, y, z)
    return r * x / size, r * y / size, r * z / size


def sphere_point(u):
    x, y, z = shell(2, u(), u(), u())
    p = [u(), u(), u()]
    radial = (x * p[0] + y * p[1] + z * p[2]) / 4
    p = [a - radial * b for a, b in zip(p, (x, y, z))]
    return dict(x=x, y=y, z=z, p_x=p[0], p_y=p[1], p_z=p[2], p_lambda_sphere=0, lambda_sphere=sum(a * a for a in p) / 4)


def pendulum_point(u):
    a, w = u(), u()
    x, y = math.sin(a), math.cos(a)
    return dict(x=x, y=y, p_x=w * y, p_y=-w * x, p_lambda_rod=0, lambda_rod=w * w - y)


def free_point(**fixed):
    """All symbols at random, but for those that are functions of others: given in their order."""
    def point(u):
        class Values(dict):
            def __missing__(self, name):
                self[name] = u()
                return self[name]
        values = Values(sqrt=lambda x: x**0.5)
        for name, rule in fixed.items():
            values[name] = eval(rule, {}, values)
        return values
    return point


# name: (total, first class, free multipliers, degrees of freedom, points of the surface)
SYSTEMS = {
    "pendulum": (4, 0, 0, 1, pendulum_point),
    "sphere": (4, 0, 0, 2, sphere_point),
    "first_order": (2, 0, 0, 1, free_point(p_x="-y/2", p_y="x/2")),
    "christ_lee": (2, 2, 1, 1, free_point(p_a="0", p_theta="0")),
    "christ_lee_fixed": (4, 0, 0, 1, free_point(p_a="0", p_theta="0", a="0", theta="0")),
    "cawley": (3, 3, 1, None, free_point(p_y="0", z="0", p_x="0")),
    "exponential": (2, 2, 1, None, free_point(p_y="0", p_x="0")),
    "covariant_particle": (1, 1, 1, 3, free_point(p_x0="sqrt(1.5**2 + p_x_1**2 + p_x_2**2 + p_x_3**2)")),
    "covariant_particle_fixed": (2, 0, 0, 3, free_point(p_x0="sqrt(1.5**2 + p_x_1**2 + p_x_2**2 + p_x_3**2)", x0="t")),
    "einbein": (2, 2, 1, 1, free_point(p_e="0", p_x0="sqrt(1 + p_x1**2)")),
    "maxwell_lattice": (7, 7, 4, 5, None),
    "proca_lattice": (8, 0, 0, 8, None),
    "rotor": (4, 0, 0, 1, free_point(p_mu="0", r="1.5", p_r="0", mu="p_theta**2/r**3")),
    "three_generations": (3, 3, 1, 0, free_point(p_x1="0", p_x2="0", p_x3="0")),
    "tertiary": (3, 1, 1, 0, free_point(p_y="0", x="0", p_x="0")),
    "quaternary": (4, 0, 0, 1, free_point(p_z="0", x="-y", p_x="-p_y", z="0")),
    "landau": (2, 0, 0, 1, free_point(p_x="-y", p_y="x")),
    "bianchi_one": (2, 2, 1, 2, free_point(p_N="0", p_a="sqrt(p_b**2 + p_c**2)")),
    "bianchi_nine": (2, 2, 1, 2, None),
    "friedmann": (2, 2, 1, 1, free_point(p_N="0", p_a="sqrt(p_f**2/a**2 - a**2 + 0.25*f**2*a**4)")),
    "parametrised_oscillator": (2, 0, 0, 1, free_point(p_s="-p_x**2/2 - 2*x**2", s="t")),
    "mixed_classes": (4, 2, 1, 1, free_point(p_x="0", p_y="x", p_w="0", p_u="0")),
    "spin": (4, 2, 1, 0, free_point(x="sqrt(1 - y**2)", p_x="-y/2", p_y="x/2", p_mu="0")),
    "yang_mills": (6, 6, 3, 6, None),
    "bead_in_phase_space": (2, 0, 0, 2, free_point(x="sqrt(1 - y**2)", p_x="-y*p_y/x")),
}

# Brackets, and values that they must have on the surface.
BRACKETS = {
    "pendulum": {"x, p_x": "1 - x**2", "x, p_y": "-x*y", "x, y": "0", "p_x, p_y": "y*p_x - x*p_y"},
    "sphere": {"x, p_x": "1 - x**2/4", "p_x, p_y": "(y*p_x - x*p_y)/4", "x, y": "0"},
    "first_order": {"x, y": "-1", "x, p_y": "0", "x, p_x": "1/2"},
    "landau": {"x, y": "-1/2"},
    "rotor": {"theta, p_theta": "1", "r, p_r": "0", "theta, mu": "2*p_theta/1.5**3"},
    "quaternary": {"x, p_x": "1/2", "x, p_y": "-1/2"},
    "christ_lee_fixed": {"r, p_r": "1", "theta, p_theta": "0"},
    "parametrised_oscillator": {"x, p_x": "1", "x, p_s": "-p_x", "s, p_s": "0"},
    "covariant_particle_fixed": {"x[1], p_x[1]": "1", "x0, p_x0": "0", "x[1], p_x0": "p_x_1/p_x0"},
    "mixed_classes": {"x, y": "-1", "u, p_u": "1"},
    "bead_in_phase_space": {"x, p_x": "y**2", "z, p_z": "1"},
}

# Systems of other kinds: statement, then (total, first class, degrees of freedom), as one finds them on paper.
FURTHER = {
    "massive particle with an einbein": ("""coordinates = ["e", "x0", "x[3]"]
lagrangian = "(norm2(v_x) - v_x0^2)/(2*e) - e/2\"""", (2, 2, 3)),
    "spinning particle": ("""coordinates = ["x[3]", "th", "ph"]
lagrangian = "norm2(v_x)/2 + cos(th)*v_ph + x[1]*cos(th)\"""", (2, 0, 4)),
    "Chern-Simons": ("""coordinates = ["x", "y", "a"]
lagrangian = "((v_x - a*y)^2 + (v_y + a*x)^2)/2 - (x^2 + y^2)/2 - 0.6*a\"""", (2, 2, 1)),
    "five numbers of first order": ("""coordinates = ["x[5]"]
lagrangian = "sum(i in 1..4, (i^2*x[i] + x[1])*v_x[i + 1]) - norm2(x)/2\"""", (6, 0, 2)),
    "higher derivatives": ("""coordinates = ["x", "y", "l"]
lagrangian = "l*(v_x - y) + y^2/2 - v_y^2/8\"""", (2, 0, 2)),
    # q x p = 0 is two conditions: the turns about q do nothing to q.
    "a vector with a gauge field of rotations": ("""coordinates = ["q[3]", "A[3]"]
lagrangian = "norm2(v_q + cross(A, q))/2 - norm2(q)^2/4\"""", (5, 5, 1)),
    "a mechanism without motion": ("""coordinates = ["x", "l"]
lagrangian = "v_x^2/2 + l*x\"""", (4, 0, 0)),
    "a constraint that follows from others": ("""coordinates = ["x", "y", "z", "u"]
lagrangian = "(v_x - y*u)^2/2 + (v_y - z)^2/2 + x*z\"""", (7, 1, 0)),
    "a curve without a parameter": ("""coordinates = ["x", "y"]
lagrangian = "sqrt((4 - x^2 - 2*y^2)*(v_x^2 + v_y^2))\"""", (1, 1, 1)),
    "two relativistic particles": ("""coordinates = ["t1", "x1", "t2", "x2"]
hamiltonian = "0"
[definitions]
across = "((x1 - x2)^2 - (t1 - t2)^2 - ((x1 - x2)*(p_x1 + p_x2) + (t1 - t2)*(p_t1 + p_t2))^2/((p_x1 + p_x2)^2 - (p_t1 + p_t2)^2))/2"
[primary_constraints]
first = "p_x1^2 - p_t1^2 + 1 + across = 0"
second = "p_x2^2 - p_t2^2 + 1 + across = 0\"""", (2, 2, 2)),
    "a table of fifteen by fifteen": ("""coordinates = ["x[15]"]
lagrangian = "sum(i in 1..15, j in 1..15, A[i,j]*x[i]*v_x[j])/7 - norm2(x)/2 - sum(i in 2..15, x[i]*x[i-1])/3"
[parameters]
A = """ + str([[(i * j * j - i * i * j) % 5 - 2 if i < j else 2 - (i * i * j - i * j * j) % 5 if j < i else 0
              for j in range(15)] for i in range(15)]), (16, 0, 7)),
    "roots that cancel": ("""coordinates = ["x", "y", "z"]
lagrangian = "(sqrt(2)*v_x + sqrt(3)*v_y)^2/2 + (sqrt(6)*v_x + 3*v_y + pi*v_z)^2/2 - x^2 - (y/7)^2 - z^2\"""", (2, 0, 2)),
    "no quadratic form": ("""coordinates = ["x", "y"]
lagrangian = "-abs(v_x - v_y) - x^2\"""", None),
    "a string of two ends": ("""coordinates = ["x[2]", "r[2]"]
lagrangian = "-sqrt((v_x[2]*r[2] - v_x[1]*r[1])^2 - (v_x[2]^2 - v_x[1]^2)*(r[2]^2 - r[1]^2))\"""", (4, 0, 2)),
}


def in_python(expression):
    return re.sub(r"\[([\d,]+)\]", lambda entry: "_" + entry[1].replace(",", "_"), expression).replace("^", "**")


def value(expression, point, parameters):
    point.update(parameters)
    return eval(in_python(expression), {"sqrt": lambda x: x**0.5}, point)


class TextbookTest(ProgramTest):
    def analysis(self, model, *options):
        result = self.call("analyze", model, *options, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_questions_of_two_kinds_are_not_asked_at_once(self):
        for question in ("--stability", "--equilibrium", "--relative-equilibrium"):
            for other in (["--latex"], ["--bracket", "x, p_x"]):
                message = self.refused("analyze", "pendulum", question, *other)
                self.assertRegex(message, "excludes")

    def test_constraints_classes_and_counts(self):
        generator = random.Random(1)
        for name, (total, first, free, freedom, point) in SYSTEMS.items():
            with self.subTest(name):
                found = self.analysis(name)
                self.assertTrue(found["consistent"])
                self.assertNotIn("undecided", found)
                self.assertEqual(found["counts"]["total"], total)
                self.assertEqual(found["counts"]["first_class"], first)
                self.assertEqual(found["counts"]["second_class"], total - first)
                self.assertEqual(sum(c["class"] == "first" for c in found["constraints"]), first)
                self.assertEqual(found["multipliers"]["free"], free)
                self.assertEqual(found["multipliers"]["fixed"], found["counts"]["primary"] - free)
                self.assertEqual(found["degrees_of_freedom"], freedom)
                for _ in range(3 if point else 0):
                    at = point(lambda: generator.uniform(0.2, 0.9))
                    for constraint in found["constraints"]:
                        self.assertLess(abs(value(constraint["expression"], at, VALUES.get(name, {}))), 1e-12, constraint)

    def test_further_systems(self):
        for name, (statement, known) in FURTHER.items():
            with self.subTest(name):
                model = self.model(f"[system]\n{statement}\n")
                if known is None:
                    self.assertIn("not algorithmic", self.refused("analyze", model))
                    continue
                found = self.analysis(model)
                self.assertNotIn("undecided", found)
                self.assertEqual((found["counts"]["total"], found["counts"]["first_class"], found["degrees_of_freedom"]), known)

    def test_branches_are_those_of_the_initial_values(self):
        """x y = 0 by a multiplier, with an initial value of x or of y that is not zero; that of the multiplier is open."""
        for start, last in (("x = 1\ny = 0", ["y", "p_y", "l"]), ("x = 0\ny = 2", ["x", "p_x", "l"])):
            found = self.analysis(self.model(
                f'[system]\ncoordinates = ["x", "y", "l"]\nlagrangian = "(v_x^2 + v_y^2)/2 + l*x*y"\n[initial]\n{start}\n'))
            self.assertEqual([c["expression"] for c in found["constraints"]], ["p_l"] + last)

    def test_what_is_stated_becomes_irreducible(self):
        """Powers and products in a model, and those that later constraints make of earlier ones."""
        for condition, start in (("z^2 = 0", ""), ("x*z = 0", "x = 1"), ("x^2*z^3 = 0", "x = 1")):
            found = self.analysis(self.model(
                '[system]\ncoordinates = ["x", "z"]\nhamiltonian = "(p_x^2 + p_z^2)/2"\n'
                f'[primary_constraints]\na = "{condition}"\n[initial]\n{start}\n'))
            self.assertEqual([c["expression"] for c in found["constraints"]], ["z", "p_z"])
            self.assertIn("is replaced by z = 0", found["constraints"][0]["remark"])
        # The moment x p_y - y p_x is x p_y in the gauge y = 0.
        for gauge in ("y = 0", "y^2 = 0"):
            model = self.model(
                '[system]\ncoordinates = ["x", "y", "a"]\nlagrangian = "((v_x + a*y)^2 + (v_y - a*x)^2)/2 - (x^2 + y^2)/2"\n'
                f'[gauge]\nangle = "{gauge}"\n[initial]\nx = 1\np_x = 0.3\n')
            found = self.analysis(model)
            self.assertEqual([c["expression"] for c in found["constraints"]], ["p_a", "p_y", "y", "a"])
            self.assertIn("x = 0 is another branch", found["constraints"][1]["remark"])
            self.assertEqual((found["counts"]["second_class"], found["degrees_of_freedom"]), (4, 1))
            summary = self.summary(model, "--end", 2)
            self.assertAlmostEqual(summary["state"]["x"], math.cos(2) + 0.3*math.sin(2), 8)
        # Factors that do not vanish together are branches by themselves: x^2 + y^2 = 1 at x = 0.
        found = self.analysis(self.model(
            '[system]\ncoordinates = ["x", "y"]\nhamiltonian = "(p_x^2 + p_y^2)/2"\n'
            '[primary_constraints]\na = "x^2 + y^2 = 1"\nb = "x = 0"\n'))
        self.assertEqual(found["constraints"][0]["expression"], "x^2 + y^2 - 1")

    def test_brackets_of_large_systems_are_numbers(self):
        """Spheres beside each other: {q, p} = 1 - q q', {p_i, p_j} = q_j p_i - q_i p_j on each, whatever their number."""
        text = """[parameters]
N = 3
[system]
coordinates = ["q[N, 3]"]
lagrangian = "sum(a in 1..N, norm2(v_q[a])/2) + sum(a in 2..N, dot(q[a - 1], q[a]))"
[constraints]
unit = { each = "a in 1..N", equation = "norm2(q[a]) = 1" }
[initial]
q = "if(j == 1, 0.6, if(j == 2, 0.8, 0))"
v_q = "if(j == 1, -0.8, if(j == 2, 0.6, 0.3))"
"""
        known = {"q[1,1], p_q[1,2]": -0.48, "p_q[2,1], p_q[2,3]": -0.18, "p_q[2,1], p_q[3,3]": 0,
                 "q[2,1]^2*p_q[2,1], exp(p_q[2,3])": -0.0648 * math.exp(0.3)}
        options = [word for pair in known for word in ("--bracket", pair)]
        for N in (3, 5):
            found = self.analysis(self.model(text), "--set", f"N={N}", *options)
            self.assertEqual(found.get("by_rank", False), N == 5)
            self.assertEqual(sum(c.get("count", 1) for c in found["constraints"]), 4 * N)
            for pair, number in known.items():
                self.assertAlmostEqual(found["brackets"][pair]["value"], number, 14, pair)

    def test_brackets(self):
        generator = random.Random(2)
        for name, brackets in BRACKETS.items():
            with self.subTest(name):
                options = [word for text in brackets for word in ("--bracket", text)]
                found = self.analysis(name, *options)
                point = SYSTEMS[name][-1]
                for text, known in brackets.items():
                    for _ in range(3):
                        at = point(lambda: generator.uniform(0.2, 0.9))
                        printed = value(found["brackets"][text]["expression"], at, VALUES.get(name, {}))
                        self.assertLess(abs(printed - value(known, at, {})), 1e-12, (text, found["brackets"][text]))
                for law, residual in found["bracket_laws"].items():
                    self.assertLess(residual, 1e-18, law)

    def test_value_of_a_bracket_is_at_the_initial_point(self):
        found = self.analysis("pendulum", "--bracket", "x, p_x", "--set", "x=0.6", "--set", "y=0.8", "--set", "p_x=0", "--set", "p_y=0")
        self.assertAlmostEqual(found["brackets"]["x, p_x"]["value"], 1 - 0.36, 14)
        # A point beside the surface is moved there.
        moved = self.analysis("pendulum", "--bracket", "x, p_x", "--set", "x=1.2", "--set", "y=1.6", "--set", "p_x=0", "--set", "p_y=0")
        self.assertAlmostEqual(moved["brackets"]["x, p_x"]["value"], 1 - 0.36, 14)

    def test_generations_parents_and_effective_constraints(self):
        found = self.analysis("quaternary")["constraints"]
        self.assertEqual([c["generation"] for c in found], [1, 2, 3, 4])
        self.assertEqual([c.get("parent") for c in found], [None] + [c["name"] for c in found[:-1]])
        self.assertEqual([c["consistency"] for c in found], ["new constraint"] * 3 + ["multiplier"])
        replaced = self.analysis("cawley")["constraints"][1]
        self.assertEqual(replaced["expression"], "z")
        self.assertIn("is replaced by z = 0", replaced["remark"])

    def test_factors_roots_and_contradictions(self):
        """name: statement, then the constraint found last, or None where there is no solution."""
        for statement, last in (
                ('coordinates = ["th", "a"]\nlagrangian = "(v_th - a)^2/2 + cos(th)"', "a"),
                ('coordinates = ["x", "y"]\nlagrangian = "v_x^2/2 - y*(x^2 + 1)"', None),
                ('coordinates = ["x"]\nhamiltonian = "p_x^2"\n[primary_constraints]\na = "x = 0"\nb = "x = 1"', None),
                ('coordinates = ["x", "y", "l"]\nlagrangian = "(v_x^2 + v_y^2)/2 - l*(x^2 + y^2)"', "p_y"),
                ('coordinates = ["x", "y"]\nhamiltonian = "sqrt(p_x^2 + p_y^2)"\n[constraints]\nc = "x^2 + y^2 = 1"',
                 "2*lambda_c - sqrt(p_x^2 + p_y^2)")):
            with self.subTest(statement):
                found = self.analysis(self.model(f"[system]\n{statement}\n"))
                self.assertEqual(found["consistent"], last is not None)
                self.assertNotIn("undecided", found)
                if last:
                    self.assertEqual(found["constraints"][-1]["expression"], last)

    def test_what_touches_the_surface_only_is_not_taken_for_what_follows(self):
        """x^2 + y^2 + z^2 = 1 and z = 1 leave one point, at which gradients depend on each other."""
        found = self.analysis(self.model(
            '[system]\ncoordinates = ["x", "y", "z"]\nhamiltonian = "(p_x^2 + p_y^2 + p_z^2)/2"\n'
            '[primary_constraints]\na = "x^2 + y^2 + z^2 = 1"\nb = "z = 1"\n'))
        self.assertIn("undecided", found)

    def test_dirac_s_conjecture(self):
        for name in ("cawley", "exponential"):
            found = self.analysis(name)
            self.assertIsNone(found["degrees_of_freedom"])
            self.assertTrue(any("Dirac's conjecture" in note for note in found["notes"]), found["notes"])

    def test_gauge_transformations(self):
        chains = {"christ_lee": {"theta": "epsilon_1", "a": "epsilon_1'"},
                  "three_generations": {"x1": "epsilon_1", "x2": "epsilon_1'", "x3": "epsilon_1''"}}
        for name, changes in chains.items():
            [transformation] = self.analysis(name)["gauge_transformations"]
            self.assertEqual(transformation["changes"], changes)
            self.assertTrue(transformation["closed"])

    def test_gauge_transformations_of_fields_close(self):
        """Every multiplier belongs to a symmetry: delta A = g A x epsilon and the covariant derivative of epsilon."""
        for name in ("maxwell_lattice", "yang_mills"):
            found = self.analysis(name)
            self.assertEqual([len(g["chain"]) for g in found["gauge_transformations"]], [2] * found["multipliers"]["free"])
            self.assertTrue(all(g["closed"] for g in found["gauge_transformations"]))
        self.assertEqual(found["gauge_transformations"][0]["changes"], {
            **{f"A[{i},2]": f"g*A[{i},3]*epsilon_1" for i in (1, 2, 3)}, **{f"A[{i},3]": f"-g*A[{i},2]*epsilon_1" for i in (1, 2, 3)},
            "B[1]": "epsilon_1'", "B[2]": "g*B[3]*epsilon_1", "B[3]": "-g*B[2]*epsilon_1"})

    def test_an_inconsistent_system_is_an_answer(self):
        found = self.analysis("inconsistent")
        self.assertEqual(found["counts"], {"primary": 1, "total": 1, "first_class": None, "second_class": None})
        self.assertFalse(found["consistent"])
        self.assertIsNone(found["degrees_of_freedom"])
        self.assertEqual(found["constraints"][0]["outcome"], "would need 1 = 0, which cannot hold")

    def test_gauges_that_do_not_do(self):
        model = MODELS / "dirac" / "christ_lee.toml"
        for condition, word in (("p_theta = 0", "fixes nothing"), ("r = 1", "inadmissible")):
            text = model.read_text() + f'\n[gauge]\nmine = "{condition}"\n'
            found = self.analysis(self.model(text))
            self.assertTrue(any(word in note for note in found["notes"]), (condition, found["notes"]))

    def test_a_condition_that_has_another_value_all_over_the_surface_contradicts(self):
        """p_x = 2 leads to x + y = 0, and that to p_x = 0: the normal form of p_x by p_y - p_x and p_x - 2 does not show it."""
        found = self.analysis(self.model('''
[system]
coordinates = ["x", "y"]
lagrangian = "(v_x + v_y)^2/2 - (x + y)^2/2"
[gauge]
mine = "p_x = 2"
'''))
        self.assertFalse(found["consistent"])
        self.assertTrue(any("it is 2 on the surface" in chi["outcome"] for chi in found["constraints"]), found["constraints"])
        self.assertTrue(any("contradict" in note for note in found["notes"]), found["notes"])

    def test_gauges_are_judged_on_the_branch_that_is_followed(self):
        """y = 0 fixes rotations except at the origin, where x = 0 is the shortest factor of x p_y."""
        text = '''
[system]
coordinates = ["x", "y", "a"]
lagrangian = "((v_x + a*y)^2 + (v_y - a*x)^2)/2 - (x^2 + y^2)/2"
[gauge]
axis = "y = 0"
'''
        origin = self.analysis(self.model(text))
        self.assertTrue(any("on the branch that is followed" in note for note in origin["notes"]), origin["notes"])
        found = self.analysis(self.model(text + "[initial]\nx = 1\ny = 0\np_y = 0\np_x = 0.3\na = 0\n"))
        self.assertEqual((found["degrees_of_freedom"], found["counts"]["second_class"], found["notes"]), (1, 4, []))

    def test_parameters_that_vanish_change_the_structure(self):
        self.assertEqual(self.analysis("landau", "--set", "m=1")["counts"]["total"], 0)
        self.assertEqual(self.analysis("einbein", "--set", "m=0")["counts"]["first_class"], 2)

    def test_large_systems_are_counted(self):
        found = self.analysis("chain", "--set", "N=1000")
        self.assertEqual(found["counts"], {"primary": 1000, "total": 4000, "first_class": 0, "second_class": 4000})
        self.assertEqual(found["degrees_of_freedom"], 1000)
        redundant = self.analysis("redundant_four_bar")
        self.assertEqual((redundant["counts"]["first_class"], redundant["degrees_of_freedom"]), (1, 1))

    def test_latex(self):
        result = self.call("analyze", "sphere", "--latex", "--bracket", "x, p_x")
        self.assertIn(r"\frac{x^{2}}{R^{2}}", result.stdout)
        self.assertIn("latex", self.analysis("sphere")["constraints"][0])

    def test_runs_of_determined_systems(self):
        """Hamilton-Dirac equations against solutions that are known; every constraint is kept."""
        speed = 1 / math.sqrt(1.5**2 + 0.45**2)
        solutions = {"first_order": lambda t: {"x": math.cos(3 * t), "y": math.sin(3 * t)},
                     "landau": lambda t: {"x": math.cos(t / 2), "y": math.sin(t / 2)},
                     "parametrised_oscillator": lambda t: {"x": math.cos(2 * t), "s": t},
                     "covariant_particle_fixed": lambda t: {"x0": t, "x": [0.36 * speed * t, 0.27 * speed * t, 0]},
                     "christ_lee_fixed": lambda t: {"r": math.cos(t) + 0.5 * math.sin(t), "a": 0},
                     "rotor": lambda t: {"r": 1.5, "theta": t / 1.5**2}}
        for name, solution in solutions.items():
            with self.subTest(name):
                summary = self.summary(name, "--end", 1, "--tolerance", 1e-10, "--certify")
                self.assertTrue(summary["certificate"]["holds"])
                for variable, known in solution(1).items():
                    found = summary["state"][variable]
                    for a, b in zip(*([found], [known]) if not isinstance(known, list) else (found, known)):
                        self.assertAlmostEqual(a, b, 8, variable)
                self.assertTrue(summary["max"]["invariants"])
                for constraint, size in summary["max"]["invariants"].items():
                    self.assertLess(size, 1e-13, constraint)

    def test_runs_start_from_what_the_constraints_leave_open(self):
        text = """[system]
coordinates = ["x", "y"]
lagrangian = "x*v_y - y*v_x - x^2 - y^2"
"""
        given = self.model(text + "[initial]\nx = 1\ny = 0\n")
        state = self.summary(given, "--end", 1)["state"]
        for name, known in {"x": math.cos(1), "y": math.sin(1), "p_x": -math.sin(1), "p_y": math.cos(1)}.items():
            self.assertAlmostEqual(state[name], known, 8, name)
        self.assertIn("'y' has no initial value", self.refused("run", self.model(text + "[initial]\nx = 1\n"), "--end", 1))
        moved = self.summary(self.model(text + "[initial]\nx = 1\ny = 0\np_x = 0\np_y = 3\n"), "--end", 1)
        self.assertTrue(any("moved to the constraint surface: x by" in note for note in moved["notes"]), moved["notes"])

    def test_multipliers_of_families_run_beside_constraints_in_phase_space(self):
        summary = self.summary(self.model("""[system]
coordinates = ["r[2, 2]", "a", "b"]
lagrangian = "sum(i in 1..2, norm2(v_r[i])/2) + a*v_b - (a^2 + b^2)/2"
[constraints]
c = { each = "i in 1..2", equation = "norm2(r[i]) = 1" }
[initial]
r = [[1, 0], [0, 1]]
v_r = [[0, 0.5], [0.3, 0]]
a = 0
b = 1
"""), "--end", 2)
        for known, found in zip((math.cos(1), math.sin(0.6), math.cos(2)),
                                (summary["state"]["r"][0][0], summary["state"]["r"][1][0], summary["state"]["b"])):
            self.assertAlmostEqual(known, found, 8)
        self.assertAlmostEqual(summary["state"]["lambda_c_2"], 0.045, 8)

    def test_runs_need_a_gauge(self):
        text = (MODELS / "dirac" / "christ_lee.toml").read_text()
        start = "[initial]\nr = 1\ntheta = 0\na = 0\np_r = 0\np_theta = 0\np_a = 0\n[run]\nstep = 0.01\nend = 1\n"
        self.assertIn("the motion is not determined", self.refused("run", self.model(text + start)))
        self.summary(self.model(text + '[gauge]\nangle = "theta = 0"\n' + start))

    def test_refusals(self):
        self.assertIn("not algorithmic", self.refused("analyze", self.model(
            '[system]\ncoordinates = ["x"]\nlagrangian = "v_x^4"\n')))
        self.assertIn("stated by equations", self.refused("analyze", "lotka_volterra"))
        self.assertIn("not a pair", self.refused("analyze", "pendulum", "--bracket", "x"))
        self.assertIn("is a velocity", self.refused("analyze", "pendulum", "--bracket", "x, v_x"))
        self.assertIn("does not depend on any", self.refused("analyze", self.model(
            '[system]\ncoordinates = ["x"]\nhamiltonian = "p_x^2/2"\n[primary_constraints]\nc = "t = 0"\n')))


if __name__ == "__main__":
    main()
