#!/usr/bin/env python3
"""Bad models, bad command lines and faults, made from seeds; laws that every run obeys.

    tests/hostile/hostile.py PROGRAM [--seed N] [--count M] [--jobs J] [--kind KIND] [--show]

One seed is one case. A finding is printed with its seed, its command, its law and a small case that still breaks it.
Exit status 1: there were findings.
"""

import argparse
import collections
import concurrent.futures
import os
import random as randoms
import shlex
import sys
import time
import traceback

sys.dont_write_bytecode = True  # beside the sources
sys.setrecursionlimit(5000)

import shrink  # noqa: E402
import texts  # noqa: E402
from box import Box, Fault  # noqa: E402
from commands import Vocabulary  # noqa: E402
from kinds import KINDS  # noqa: E402


class World:
    """What cases are made of."""

    def __init__(self, program, **limits):
        self.program, self.limits = program, limits
        self.vocabulary = Vocabulary(program)
        self.corpus = texts.corpus()
        self.dirac = texts.singular()


world = None


def begin(program, limits):
    global world
    world = World(program, **limits)


def make(seed, only):
    random = randoms.Random(f"hostile {seed}")
    kind = random.choices(list(KINDS), [weight for _, weight in KINDS.values()])[0]
    return KINDS[only or kind][0].make(seed, random, world)


def judge(case):
    """((law, what is wrong) or None, the box with its results)."""
    with Box(world.program, **world.limits) as box:
        try:
            return KINDS[case.kind][0].judge(case, box), box
        except Exception:
            return ("the suite understands the program", traceback.format_exc()), box


def run_seed(seed, only):
    case = make(seed, only)
    started = time.monotonic()
    wrong, box = judge(case)
    seconds = time.monotonic() - started
    report = None
    if wrong:
        small = shrink.smallest(case, wrong, lambda other: judge(other)[0])
        found, again = judge(small)
        report = describe(small, found or wrong, [result.arguments for result in again.results])
        if not found:
            report += "\n  (the same case again: nothing wrong)"
    return case.kind, [result.status for result in box.results], box.compared, seconds, wrong and wrong[0], report


def describe(case, wrong, commands):
    lines = [f"seed {case.seed}, {case.kind}: {wrong[0]}", f"  {wrong[1]}"]
    lines += [f"  cotangent {shlex.join(command)}" for command in commands]
    if case.fault != Fault():
        lines.append(f"  {case.fault}")
    if case.model is not None:
        shown = case.model if len(case.model) < 3000 else case.model[:3000] + "..."
        lines += ["    " + line for line in shown.split("\n")]
    return "\n".join(lines).encode("utf-8", "backslashreplace").decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=1000, help="how many")
    parser.add_argument("--jobs", type=int, default=1, help="side by side")
    parser.add_argument("--kind", choices=KINDS, help="cases of this kind only")
    parser.add_argument("--unlimited-memory", action="store_true", help="for sanitizers, which reserve all there is")
    parser.add_argument("--show", action="store_true", help="print the case, and run nothing")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    limits = {"memory": None} if options.unlimited_memory else {}
    if options.show:
        begin(program, limits)
        case = make(options.seed, options.kind)
        print(describe(case, ("", ""), [case.command()]))
        return 0

    started = time.monotonic()
    kinds, statuses, compared, seconds, found = (collections.Counter() for _ in range(5))
    seeds = range(options.seed, options.seed + options.count)
    with concurrent.futures.ProcessPoolExecutor(options.jobs, initializer=begin, initargs=(program, limits)) as pool:
        only, chunk = [options.kind] * len(seeds), max(1, min(20, len(seeds) // 50))
        for kind, ends, counts, took, law, report in pool.map(run_seed, seeds, only, chunksize=chunk):
            kinds[kind] += 1
            seconds[kind] += took
            statuses.update(ends)
            compared.update(counts)
            if law:
                found[law] += 1
                print(report + "\n", flush=True)
    print(f"{len(seeds)} cases in {time.monotonic() - started:.0f} s: "
          + ", ".join(f"{kinds[kind]} {kind} ({1000 * seconds[kind] / kinds[kind]:.0f} ms)" for kind in KINDS if kinds[kind]))
    print(f"{sum(statuses.values())} runs, by exit status: "
          + ", ".join(f"{count} of {status}" for status, count in sorted(statuses.items())))
    print("compared: " + (", ".join(f"{count} {what}" for what, count in compared.items()) or "nothing"))
    print("no findings" if not found else "findings: " + ", ".join(f"{n} {law}" for law, n in found.most_common()))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
