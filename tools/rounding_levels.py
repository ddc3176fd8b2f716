#!/usr/bin/env python3
"""What certificates say of honest runs: usage rounding_levels.py PROGRAM [--steps N] [--jobs N].

Certifies all models with several methods, for some steps each, and prints how many claims that hold to rounding are
kept, undecided and broken, with all that are not kept. docs/certificate.md has the result.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor

MODELS = sorted((pathlib.Path(__file__).parent.parent / "models").glob("*.toml"))
METHODS = ("rattle", "lobatto:3", "gauss:2")


def findings(program, model, method, steps):
    """Those of one run, or nothing where the method is not for that model."""
    step = tomllib.loads(model.read_text(encoding="utf-8"))["run"]["step"]
    command = [program, "run", str(model), "--method", method, "--step", repr(step), "--end", repr(steps * step),
               "--certify", "--json"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode not in (0, 1) or not result.stdout:
        return []
    return json.loads(result.stdout)["certificate"]["structures"]


def is_exact(finding):
    return finding["claimed"] and (finding["structure"] != "energy" or finding["claim"].startswith("kept"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    runs = [(model, method) for model in MODELS for method in METHODS]
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda run: findings(options.program, *run, options.steps), runs))
    print(f"{sum(1 for result in results if result)} runs of {options.steps} steps")
    verdicts = collections.Counter(each["verdict"] for result in results for each in result if is_exact(each))
    print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.items()))
    for (model, method), result in zip(runs, results, strict=True):
        for each in filter(is_exact, result):
            if each["verdict"] != "kept":
                print(f"  {model.stem}, {method}: {each['structure']} {each['verdict']}, {each['figure']:.2g} of "
                      f"{each['rounding']:.2g}; {each['evidence']}")


if __name__ == "__main__":
    main()
