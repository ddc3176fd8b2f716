"""A certificate that holds is true.

The reference is the motion computed by the suite itself (motion.py), with its own error bar; where that bar is too wide,
a run in quad precision by another method, dop853, with a tolerance of 1e-13.
"""

import csv
import io
import math

# An error estimate from two runs knows the leading term of the error only; steps that are not small are off by more.
# It is untrue if the error is this many times larger.
FACTOR = 10
# Rounding errors of a few hundred steps in double precision, of the largest number, and what they grow to.
ROUNDING = 1e-10
# Steps of the suite's own method per unit of time, and its error bar as a part of the numbers beyond which it says nothing.
STEPS = 8
BLURRED = 1e-7


def rows_of(record):
    return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(io.StringIO(record))]


def size(z):
    return max(map(abs, z))


def distance(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def broken(system, summary, record, quad, compared):
    certificate = summary["certificate"]
    for what, jumps in system.jumps.items():
        sides = {jumps(row) for row in rows_of(record)}
        if len(sides) > 1 and not summary.get("warnings"):
            return "a jump that is crossed is a warning", what
    if not certificate["holds"]:
        return None
    compared["certificates that hold"] += 1
    names = [*system.q, *(f"p_{x}" for x in system.q)]
    first, *_, last = rows_of(record)
    start, end = [first[x] for x in names], [last[x] for x in names]
    motion = system.motion()
    scale = max(size(start), size(end))
    T0, T = first["t"], last["t"]

    if not system.constraints and any(system.initial[x] != first[x] for x in system.q):
        return "initial data that nothing constrains stay as they are", f"{system.initial} became {first}"
    for structure in certificate["structures"]:
        if structure["structure"] in ("position", "momentum") and structure["verdict"] == "kept":
            m = motion.m
            residuals = motion.residuals(*end, T)
            residuals = residuals[:m] if structure["structure"] == "position" else residuals[m:]
            if size(residuals or [0.0]) > ROUNDING * 100 * (1 + scale) ** 2:
                return "constraints that are kept are kept", f"{structure['structure']}: {size(residuals):.2g}"
    if system.conserves_energy():
        # What the exact motion can never do, and an explosion does.
        before, after = motion.energy(*start, T0)[0], motion.energy(*end, T)[0]
        if abs(after - before) > 100 * (1 + abs(before)) * (1 + size(start)) ** 2:
            return "an explosion is no success", f"H goes from {before:.3g} to {after:.3g}"

    error = certificate.get("error") or {}
    if error.get("final") is None or not system.smooth:
        return None  # where a derivative of the force jumps, two runs may agree by chance
    reference = own_reference(motion, start, T0, T)
    compared["errors of solutions"] += 1
    if reference is None or distance(reference[0], end) > bound(error, reference[1], scale):
        # Two witnesses are asked before a certificate is called untrue.
        other = quad()
        if other is None:
            return None
        exact = [other["state"][x] for x in names]
        difference = distance(exact, end)
        bar = reference[1] if reference else 0.0
        if reference and distance(reference[0], exact) > 1e-6 * scale + 100 * bar:
            return "two references agree", f"they differ by {distance(reference[0], exact):.2g}, bar {bar:.2g}"
        if difference > bound(error, bar, scale):
            return "the error is what the certificate says", (
                f"error {difference:.3g} (of numbers up to {scale:.2g}), estimate {error['final']:.3g}")
    return None


def broken_against_quad(summary, quad, compared):
    """The same of a model that the suite cannot compute itself."""
    certificate = summary["certificate"]
    error = certificate.get("error") or {}
    if not certificate["holds"] or error.get("final") is None:
        return None
    other = quad()
    if other is None:
        return None
    compared["errors of ready models"] += 1
    end, exact = (numbers(state["state"]) for state in (summary, other))
    difference, scale = distance(exact, end), size(end)
    if difference > bound(error, 0.0, scale):
        return "the error is what the certificate says", (
            f"error {difference:.3g} (of numbers up to {scale:.2g}), estimate {error['final']:.3g}")
    return None


def numbers(state):
    """Coordinates, momenta and states; velocities follow from them."""
    def flat(value):
        return [x for part in value for x in flat(part)] if isinstance(value, list) else [value]

    return [x for key, value in state.items() if key[:2] != "v_" or f"p_{key[2:]}" not in state for x in flat(value)]


def bound(error, bar, scale):
    return FACTOR * max(error["final"], 0.0) + 10 * bar + ROUNDING * scale


def own_reference(motion, start, T0, T):
    """(solution, error bar), or None where it cannot be had."""
    count = max(4, math.ceil(STEPS * abs(T - T0)))
    try:
        coarse, fine = (motion.solution(start, T0, T, k) for k in (count, 2 * count))
    except (ArithmeticError, ValueError, OverflowError):
        return None
    bar = distance(coarse, fine)
    return (fine, bar) if bar < BLURRED * (1 + size(fine)) else None
