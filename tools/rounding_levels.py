#!/usr/bin/env python3
"""How near to their rounding levels runs come: usage rounding_levels.py PROGRAM [--steps N] [--jobs N].

Certifies all models with several methods, for some steps each, and prints for each kind of figure the largest part of
its level in runs that keep it, and all that exceed theirs. docs/certificate.md has the result.
"""

import argparse
import json
import pathlib
import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor

MODELS = sorted((pathlib.Path(__file__).parent.parent / "models").glob("*.toml"))
METHODS = (["rattle"], ["lobatto:3"], ["gauss:2"])
KINDS = {"position": "residuals, energy, invariants", "momentum": "residuals, energy, invariants",
         "energy": "residuals, energy, invariants", "symplecticity": "wedge product", "reversibility": "steps back"}


def findings(program, model, method, steps):
    """Those of one run, or nothing where the method is not for that model."""
    step = tomllib.loads(model.read_text(encoding="utf-8"))["run"]["step"]
    command = [program, "run", str(model), "--method", *method, "--step", repr(step), "--end", repr(steps * step),
               "--certify", "--json"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode not in (0, 1) or not result.stdout:
        return None
    return json.loads(result.stdout)["certificate"]["structures"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    runs = [(model, method) for model in MODELS for method in METHODS]
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda run: findings(options.program, *run, options.steps), runs))
    largest, broken, count = {}, [], 0
    for (model, method), structures in zip(runs, results, strict=True):
        if structures is None:
            continue
        count += 1
        for each in structures:
            is_exact = each["structure"] != "energy" or each["claim"].startswith("kept to rounding")
            if not is_exact or each["verdict"] not in ("kept", "broken"):
                continue
            part = each["figure"] / each["rounding"]
            where = f"{model.stem}, {' '.join(method)}, {each['structure']}: {part:.2g}"
            if each["verdict"] == "broken":
                broken.append(where)
                continue
            kind = KINDS.get(each["structure"], KINDS["position"])
            largest.setdefault(kind, []).append((part, where))
    print(f"{count} runs of {options.steps} steps; the largest parts of the level that were kept")
    for kind, parts in largest.items():
        for _, where in sorted(parts, reverse=True)[:4]:
            print(f"  {kind:32}{where}")
    for where in broken:
        print(f"  beyond it                       {where}")


if __name__ == "__main__":
    main()
