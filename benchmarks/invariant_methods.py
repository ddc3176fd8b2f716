#!/usr/bin/env python3
"""Work against error of methods that keep invariants: the tables of docs/invariants.md.

Runs the program: python3 benchmarks/invariant_methods.py build/bin/cotangent [MODEL ...]
Errors are those of the solution at the end, the largest of a state, against the same run in quad precision with a method
of order nine and small steps.
"""

import json
import subprocess
import sys

# Model, what is set, the end, the step, and the step of the reference.
PROBLEMS = [
    ("lotka_volterra", [], 50, 0.1, 0.01),
    ("cosine_oval", [], 20, 0.05, 0.005),
    ("circular_track", [], 4, 0.01, 0.001),
    ("modified_kepler", [], 50, 0.02, 0.0025),
    ("euler_top", ["I2=1.5"], 100, 0.2, 0.02),
    ("kepler", ["ecc=0.6"], 60, 0.02, 0.0025),
    ("toda_lattice", [], 50, 0.1, 0.01),
    ("three_body", [], 12, 0.02, 0.002),
]

# The name in the table, and the options that ask for it. {I} are the invariants of the model.
METHODS = [
    ("rk4", ["--method", "rk4", "--projection", "none"]),
    ("rk4, stabilise", ["--method", "rk4", "--projection", "stabilise"]),
    ("rk4, orthogonal", ["--method", "rk4", "--projection", "joint"]),
    ("rk4, relaxation", ["--method", "rk4", "--projection", "relaxation"]),
    ("rk4, scaling", ["--method", "rk4", "--projection", "scaling"]),
    ("gps", ["--method", "gps", "--projection", "none"]),
    ("mgps", ["--method", "mgps", "--projection", "none"]),
    ("discrete-gradient", ["--method", "discrete-gradient", "--projection", "none"]),
    ("projected-midpoint", ["--method", "projected-midpoint", "--projection", "none"]),
    ("implicit-midpoint", ["--method", "implicit-midpoint", "--projection", "none"]),
    ("gauss:2", ["--method", "gauss:2", "--projection", "none"]),
    ("stormer-verlet", ["--method", "stormer-verlet", "--projection", "none"]),
    ("forest-ruth", ["--method", "forest-ruth", "--projection", "none"]),
    ("dop853", ["--method", "dop853", "--projection", "none"]),
    ("dop853, orthogonal", ["--method", "dop853", "--projection", "joint"]),
]


def run(program, model, settings, end, step, options):
    """The summary of a run; nothing where the method does not take the model."""
    command = [program, "run", model, "--end", str(end), "--step", str(step), "--json"]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command + options, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode in (0, 1) and done.stdout else None


def numbers(value):
    return [x for part in value for x in numbers(part)] if isinstance(value, list) else [float(value)]


def state(summary):
    return [x for name, value in summary["state"].items() for x in numbers(value)]


def invariants(program, model):
    """The names of all invariants that a model declares, and the energy of a mechanical one."""
    summary = run(program, model, [], 0.01, 0.01, ["--method", "dop853", "--projection", "none"])
    names = list(summary["max"].get("invariants", {}))
    return names + ["energy"] if "energy" in summary["max"] or any(n.startswith("p_") for n in summary["state"]) else names


def table(program, model, settings, end, step, fine):
    reference = state(
        run(program, model, settings, end, fine, ["--precision", "quad", "--method", "vern9", "--projection", "none"])
    )
    kept = ",".join(invariants(program, model))
    title = " ".join([model] + ["--set " + setting for setting in settings])
    print(f"\n`{title}`, to t = {end}; invariants: {kept.replace(',', ', ')}\n")
    print(f"| method | error, h = {step} | h/2 | h/4 | invariants, h | evaluations per step | us per step |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, options in METHODS:
        if "none" not in options:
            options = options + ["--project-invariants", kept]
        errors, largest, first = [], "", None
        for part in (1, 2, 4):
            summary = run(program, model, settings, end, step / part, options)
            if summary is None:
                break
            if summary["status"] != "done":
                errors.append(f"fails at {summary['time']:.3g}")
                continue
            first = first or summary
            errors.append(f"{max(abs(a - b) for a, b in zip(state(summary), reference)):.1e}")
            if part == 1:
                of_energy = [summary["max"]["energy"]] if "energy" in summary["max"] else []
                largest = f"{max(list(summary['max'].get('invariants', {}).values()) + of_energy):.0e}"
        if not errors:
            continue
        if first is None:
            print(f"| {name} | {' | '.join(errors)} | | | |")
            continue
        evaluations = first["counts"]["rhs"] / first["steps"]
        again = [run(program, model, settings, end, step, options + ["--monitor", "none"]) for _ in range(5)]
        microseconds = min(1e6 * each["wall_seconds"] / each["steps"] for each in again)
        print(f"| {name} | {' | '.join(errors)} | {largest} | {evaluations:.3g} | {microseconds:.2g} |")


def main():
    program, only = sys.argv[1], sys.argv[2:]
    for model, settings, end, step, fine in PROBLEMS:
        if not only or model in only:
            table(program, model, settings, end, step, fine)


if __name__ == "__main__":
    main()
