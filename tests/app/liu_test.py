#!/usr/bin/env python3
"""The experiments of Liu, Preserving Constraints of Differential Equations by Numerical Methods Based on Integrating
Factors (2006), in numbers: usage liu_test.py PROGRAM MODELS_FOLDER [unittest options].

See docs/reproductions.md.
"""

import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""


def run(model, *options):
    command = [PROGRAM, "run", model, *options, "--json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{result.stderr}{result.stdout}")
    return json.loads(result.stdout)


def recorded(model, *options):
    """The rows of a record, as numbers by the names of columns, beside the summary."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "run.csv")
        summary = run(model, *options, "--out", name)
        with open(name, newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)], summary


# Of each method: how it is run, and the rows of Table 2 with |q_2| at 2 pi, 4 pi, 20 pi and 50 pi and the largest error
# of H and of M. None: printed as a cross. Zero: kept. A printed number that contradicts itself has the corrected one
# behind it: see docs/reproductions.md.
TABLE_2 = {
    "implicit-midpoint": (
        ["modified_kepler", "--method", "implicit-midpoint"],
        ["0.16", "0.30", "0.72", "0.10", "0.42e-2", None],
        ["0.16e-2", "0.32e-2", "0.16e-1", "0.40e-1", "0.42e-4", None],
    ),
    "rk2": (
        ["modified_kepler", "--method", "rk2"],
        ["0.12", "0.18", "0.67", "0.52", "0.36e-1", None],
        ["0.15e-2", "0.29e-2", "0.12e-1", "0.20e-1", "0.41e-4", None],
    ),
    "stabilised implicit-midpoint": (
        ["modified_kepler", "--method", "implicit-midpoint", "--projection", "stabilise", "--project-invariants", "energy"],
        ["0.54e-2", "0.11e-1", "0.54e-1", "0.13", "0.81e-7", None],
        ["0.54e-4", "0.11e-3", "0.54e-3", "0.14e-2", "0.83e-13", None],
    ),
    "stabilised rk2": (
        ["modified_kepler", "--method", "rk2", "--projection", "stabilise", "--project-invariants", "energy"],
        ["0.40e-2", "0.81e-2", "0.40e-1", "0.10", "0.15e-6", None],
        ["0.40e-4", "0.81e-4", "0.40e-3", "0.10e-2", "0.86e-13", None],
    ),
    "projected-midpoint": (
        ["modified_kepler", "--method", "projected-midpoint", "--project-invariants", "energy"],
        ["0.14e-2", "0.28e-2", "0.14e-1", "0.34e-1", 0, None],
        ["0.14e-4", "0.29e-4", "0.14e-3", "0.36e-3", 0, None],
    ),
    "rk4": (
        ["modified_kepler", "--method", "rk4"],
        ["0.18e-3", "0.49e-3", "0.74e-2", "0.42e-1", "0.84e-4", "0.15e-4"],
        ["0.12e-7", "0.26e-7", "0.18e-6", "0.69e-6", "0.11e-8", "0.15e-9"],
    ),
    "forest-ruth": (
        ["kepler", "--method", "forest-ruth", "--monitor", "energy,invariants"],
        ["0.76e-3", "0.15e-2", "0.76e-2", "0.19e-1", "0.20e-4", 0],
        ["0.78e-7", "0.16e-6", "0.78e-6", "0.20e-5", "0.20e-8", 0],
    ),
    "mrk4": (
        ["modified_kepler", "--method", "mrk4", "--sets", "q|p"],
        ["0.16e-5", "0.33e-5", "0.16e-4", "0.41e-4", 0, 0],
        ["0.22e-8", "0.45e-8", "0.22e-7", "0.56e-7", 0, 0],
    ),
}


def table_2_row(name, h):
    model, *options = TABLE_2[name][0]
    rows, summary = recorded(model, *options, "--step", h, "--end", "50*pi", "--sample", "2*pi")
    q2 = "y" if model == "kepler" else "q[2]"
    errors = [abs(rows[k][q2]) for k in (1, 2, 10, 25)]
    worst = summary["max"]
    if model == "kepler":
        return errors + [worst["energy"], worst["invariants"]["angular_momentum"]], summary
    return errors + [worst["invariants"]["energy"], worst["invariants"]["momentum"]], summary


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    sys.argv.pop(1)
    unittest.main()
