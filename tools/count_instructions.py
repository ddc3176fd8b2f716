#!/usr/bin/env python3
"""Counts the instructions of a few steps under callgrind, and fails if some need more than they did.

  count_instructions.py PROGRAM BASELINE [--update]

PROGRAM is bin/instructions, BASELINE a table of instructions per step. Callgrind runs a processor of its own, with
AVX2 and without AVX-512, so that the counts are those of every machine but for what compilers choose; they depend on
nothing else that goes on there. A step may need a tenth more than its baseline. --update writes what was counted.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

MARGIN = 0.10


def counted(program):
    """What each step needs: {name: instructions}."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--toggle-collect=measured_steps",
             "--dump-after=measured_steps", program], capture_output=True, text=True, check=False)  # fmt: skip
        if run.returncode != 0:
            sys.exit(f"count_instructions.py: {program} failed under valgrind:\n{run.stderr}")
        needs = {}
        for number, line in enumerate(run.stdout.splitlines(), 1):
            steps, name = line.split(" ", 1)
            dump = pathlib.Path(f"{out}.{number}").read_text(encoding="utf-8")
            total = next(line for line in dump.splitlines() if line.startswith(("summary:", "totals:")))
            needs[name] = int(total.split()[1]) / int(steps)
        return needs


def read(baseline):
    rows = [line.split("\t") for line in baseline.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {name: float(figure) for figure, name in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("baseline", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        print("valgrind is not installed: instructions are not counted")
        return 0
    needs = counted(arguments.program)
    if arguments.update:
        head = "# Instructions per step, as `./dev bench instructions` counts them; `./dev bench instructions --update` writes them.\n"
        rows = [f"{figure:.1f}\t{name}\n" for name, figure in needs.items()]
        arguments.baseline.write_text(head + "".join(rows), encoding="utf-8")
    known = read(arguments.baseline)
    print(f"{'instructions per step':>22}{'baseline':>12}{'ratio':>8}")
    failed = sorted(set(known) - set(needs))
    for name, figure in needs.items():
        if name not in known:
            failed.append(name)
            print(f"{figure:>22.1f}{'none':>12}{'':>8}  {name}")
            continue
        ratio = figure / known[name]
        print(f"{figure:>22.1f}{known[name]:>12.1f}{ratio:>8.3f}  {name}")
        if ratio > 1 + MARGIN:
            failed.append(name)
        elif ratio < 1 - MARGIN:
            print(f"{'':>44}needs less than it did: --update makes that the baseline")
    for name in failed:
        print(f"count_instructions.py: {name}: more than {MARGIN:.0%} above its baseline, or only on one side",
              file=sys.stderr)  # fmt: skip
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
