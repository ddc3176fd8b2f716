"""What `check` calls conserved is conserved in runs: its expressions are evaluated along a record, by Python.

Two things may change, with a warning of the run: what is called conserved near the initial data, and anything where H
jumps, which no method sees.
"""

import csv
import io

from algebra import FUNCTIONS

# A run with a tolerance of 1e-11 keeps what is conserved by the exact motion; a kink in a force costs it some digits.
ALLOWED = 1e-6


def broken(system, claims, summary, record, compared):
    rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(io.StringIO(record))]
    motion = system.motion()
    for claim in claims:
        if "expression" in claim:
            code = compile(claim["expression"].replace("^", "**"), claim["name"], "eval")
            values = [eval(code, dict(FUNCTIONS), row) for row in rows]
        elif claim["name"] == "energy":
            if not system.conserves_energy():
                return "energy is conserved where nothing does work", "the model has forces, or the time in it"
            values = [motion.energy(*(row[x] for x in motion.q + motion.p), row["t"])[0] for row in rows]
        else:
            continue
        compared["conserved quantities"] += 1
        scale = 1 + max(abs(row[x]) for row in rows for x in motion.q + motion.p) ** 2
        change = max(values) - min(values)
        if change > ALLOWED * scale and not (summary.get("warnings") and (claim.get("near_initial_data") or system.jumps)):
            return "what check calls conserved is conserved", f"{claim.get('expression', claim['name'])} changes by {change:.3g}"
    return None
