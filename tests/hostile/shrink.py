"""Smaller cases that break the same law: options, then lines of the model, are left out as long as that works."""

import dataclasses
import re

TRIALS = 120


def smallest(case, wrong, judge):
    trials = 0

    def essence(wrong):
        return wrong and (wrong[0], re.sub(r"[-+.\d]+(e[-+]\d+)?", "#", wrong[1]))

    def breaks(other):
        nonlocal trials
        trials += 1
        return essence(judge(other)) == essence(wrong)

    def without_parts(parts, rebuilt):
        """The parts that are needed, first by halves, then one by one."""
        length = max(1, len(parts) // 2)
        while length and trials < TRIALS:
            at = 0
            while at < len(parts) and trials < TRIALS:
                fewer = parts[:at] + parts[at + length:]
                if breaks(rebuilt(fewer)):
                    parts = fewer
                else:
                    at += length
            length //= 2
        return parts

    groups = without_parts(case.groups, lambda groups: dataclasses.replace(case, groups=groups)) if case.groups else []
    case = dataclasses.replace(case, groups=groups)
    if case.model is not None and case.system is None:
        lines = without_parts(case.model.split("\n"), lambda lines: dataclasses.replace(case, model="\n".join(lines)))
        case = dataclasses.replace(case, model="\n".join(lines))
    return case
