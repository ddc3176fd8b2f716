"""What `check` calls conserved is conserved in runs: its expressions are evaluated along a record, by Python."""

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
        if change > ALLOWED * scale and not qualified(claim, summary):
            return "what check calls conserved is conserved", f"{claim.get('expression', claim['name'])} changes by {change:.3g}"
    return None


def qualified(claim, summary):
    """Called conserved near the initial data only, and the run has warned of its change."""
    return len(claim.keys() - {"name", "expression"}) > 0 and bool(summary.get("warnings"))
