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

sys.dont_write_bytecode = True  # beside the sources
sys.setrecursionlimit(5000)

import shrink  # noqa: E402
import texts  # noqa: E402
from box import Box  # noqa: E402
from commands import Vocabulary  # noqa: E402
from kinds import KINDS  # noqa: E402


class World:
    """What cases are made of."""

    def __init__(self, program):
        self.program = program
        self.vocabulary = Vocabulary(program)
        self.corpus = texts.corpus()


world = None


def begin(program):
    global world
    world = World(program)


def make(seed, only):
    random = randoms.Random(f"hostile {seed}")
    kind = random.choices(list(KINDS), [weight for _, weight in KINDS.values()])[0]
    return KINDS[only or kind][0].make(seed, random, world)


def judge(case):
    """((law, what is wrong) or None, exit statuses of the runs)."""
    with Box(world.program) as box:
        wrong = KINDS[case.kind][0].judge(case, box)
        return wrong, [result.status for result in box.results]


def run_seed(seed, only):
    case = make(seed, only)
    started = time.monotonic()
    wrong, statuses = judge(case)
    seconds = time.monotonic() - started
    report = None
    if wrong:
        report = describe(case, wrong, shrink.smallest(case, wrong, lambda other: judge(other)[0]))
    return case.kind, statuses, seconds, wrong and wrong[0], report


def describe(case, wrong, small):
    lines = [f"seed {case.seed}, {case.kind}: {wrong[0]}", f"  {wrong[1]}",
             f"  cotangent {shlex.join(small.command())}".encode("utf-8", "backslashreplace").decode()]
    if small.fault != type(small.fault)():
        lines.append(f"  {small.fault}")
    if small.model is not None and any("model.toml" in word for word in small.command()):
        shown = small.model if len(small.model) < 3000 else small.model[:3000] + "..."
        lines += ["  " + line for line in shown.encode("utf-8", "backslashreplace").decode().split("\n")]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=1000, help="how many")
    parser.add_argument("--jobs", type=int, default=1, help="side by side")
    parser.add_argument("--kind", choices=KINDS, help="cases of this kind only")
    parser.add_argument("--show", action="store_true", help="print the case, and run nothing")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    if options.show:
        begin(program)
        print(describe(make(options.seed, options.kind), ("", ""), make(options.seed, options.kind)))
        return 0

    started = time.monotonic()
    kinds, statuses, seconds, found = (collections.Counter() for _ in range(4))
    seeds = range(options.seed, options.seed + options.count)
    with concurrent.futures.ProcessPoolExecutor(options.jobs, initializer=begin, initargs=(program,)) as pool:
        only = [options.kind] * len(seeds)
        for kind, ends, took, law, report in pool.map(run_seed, seeds, only, chunksize=max(1, min(20, len(seeds) // 50))):
            kinds[kind] += 1
            seconds[kind] += took
            statuses.update(ends)
            if law:
                found[law] += 1
                print(report + "\n", flush=True)
    print(f"{len(seeds)} cases in {time.monotonic() - started:.0f} s: "
          + ", ".join(f"{kinds[kind]} {kind} ({1000 * seconds[kind] / kinds[kind]:.0f} ms)" for kind in KINDS if kinds[kind]))
    print(f"{sum(statuses.values())} runs, by exit status: "
          + ", ".join(f"{count} of {status}" for status, count in sorted(statuses.items())))
    print("no findings" if not found else "findings: " + ", ".join(f"{n} {law}" for law, n in found.most_common()))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
