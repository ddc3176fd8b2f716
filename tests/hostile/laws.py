"""The laws that every run of the program obeys, whatever its model, its command line and the faults around it.

A law takes the result of a run and says what is wrong, or None. `targets` of a result are the files that the command
names to be written, `inputs` those that it reads.
"""

import csv
import json
import math
import re
import signal

# More than any small model needs.
RESIDENT = 600 << 20
CHECKPOINT = b"cotangent checkpoint"  # the beginning of such a file
# Signals that end a run in order; before it has begun they end the program as they end any other.
POLITE = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def faulty(result, *streams):
    return any(stream in streams for stream, _ in result.fault.streams)


def text(data):
    return data.decode("utf-8", "replace")


def ends_in_order(result):
    """Exit status 0, 1 or 2, and no signal but one that was sent."""
    if not result.stopped:
        return "it goes on after SIGTERM"
    if result.status < 0:
        number = -result.status
        if number in result.asked and number in POLITE:
            return None
        return f"killed by {signal.Signals(number).name}"
    if result.status not in (0, 1, 2):
        return f"exit status {result.status}"
    return None


def keeps_its_secrets(result):
    """No words of the machinery underneath."""
    found = re.search(rb"terminate called|Sanitizer|runtime error:|internal error|COTANGENT_CHECK|std::|what\(\)|"
                      rb"filesystem error|basic_string|vector::|_M_|stack smashing|corrupted", result.stderr + result.stdout)
    return f"it says '{text(found.group())}'" if found else None


def uses_bounded_memory(result):
    return f"{result.memory >> 20} MB" if result.memory > RESIDENT else None


def changes_nothing_else(result):
    """Files change if they are targets, of a command that was accepted; other things never do."""
    before, after = result.before, result.after
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) == after.get(path):
            continue
        what = "made" if path not in before else "gone" if path not in after else "changed"
        if result.status == 2:
            return f"refused, but {path} is {what}"
        if path in result.inputs:
            return f"{path}, which is read, is {what}"
        is_description = path.endswith(".csv.json") and path.removesuffix(".json") in result.targets
        if path not in result.targets and not is_description:
            return f"{path} is {what}"
        if path in before and before[path][0] != "file":
            return f"{path}, a {before[path][0]}, is {what}"
        if what == "gone":
            return f"{path} is gone"
    return None


def refuses_with_a_reason(result):
    """Exit status 2: nothing on standard output, a message on standard error. 1: a message as well."""
    if result.status == 2 and result.stdout:
        return "refused, but something is on standard output"
    if result.status == 1 and (result.asked or dict(result.fault.streams).get("stdout") == "broken"):
        return None  # whoever interrupts a run, or stops reading, knows the reason
    if result.status in (1, 2) and not faulty(result, "stderr") and result.fault.file_size is None:
        if not result.stderr.strip():
            return f"exit status {result.status} without a message"
        if result.status == 2 and b"error: " not in result.stderr:
            return "refused without 'error: '"
    return None


def writes_plain_text(result):
    """UTF-8 without control characters: nothing that a terminal would obey."""
    for name, data in (("standard output", result.stdout), ("standard error", result.stderr)):
        try:
            found = re.search(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]", data.decode())
        except UnicodeDecodeError:
            if result.fault.file_size is not None:
                continue
            return f"{name} is not UTF-8"
        if found:
            return f"{name} has the control character {found.group()!r}"
    return None


def wants_json(result):
    words = result.arguments
    return words[:1] in (["run"], ["check"], ["list"], ["analyze"]) and "--json" in words and not {"--help", "-h"} & set(words)


def summary_of(result):
    """The JSON on standard output; None where there is none to be had."""
    if faulty(result, "stdout") or result.fault.file_size is not None or not result.stdout.startswith((b"{", b"[")):
        return None
    return json.loads(result.stdout)


def refuse_constant(word):
    raise ValueError(f"{word} is no JSON")


def prints_sound_json(result):
    """With --json standard output is one JSON text, or empty; its status is that of the process."""
    if not wants_json(result) or faulty(result, "stdout") or result.fault.file_size is not None or result.status < 0:
        return None
    if not result.stdout:
        return "done without a summary" if result.status == 0 and "--quiet" not in result.arguments else None
    try:
        summary = json.loads(result.stdout, parse_constant=refuse_constant)
    except ValueError as error:
        return f"no JSON: {error}"
    if result.arguments[:1] == ["run"] and isinstance(summary, dict):
        expected = {0: ("done",), 1: ("failed", "interrupted", "done")}
        if summary.get("status") not in expected.get(result.status, ()):
            return f"exit status {result.status}, but status '{summary.get('status')}'"
        if result.status == 0:
            return not_finite(summary.get("state"), "state") or not_finite(summary.get("time"), "time")
    return None


def not_finite(value, place):
    """Done means finite: JSON has null in place of other numbers."""
    if isinstance(value, dict):
        return next(filter(None, (not_finite(v, f"{place}.{k}") for k, v in value.items())), None)
    if isinstance(value, list):
        return next(filter(None, (not_finite(v, f"{place}[]") for v in value)), None)
    return f"done, but {place} is not finite" if value is None or not math.isfinite(value) else None


def admits_lost_output(result):
    """Exit status 0 says that everything was written."""
    if result.status == 0 and dict(result.fault.streams).get("stdout") in ("full", "closed", "broken"):
        if "--quiet" not in result.arguments:
            return "success, but standard output cannot be written"
    return None


def records_whole_lines(result):
    """A record is a table of finite numbers, with whole lines, even where the disk was full."""
    for path in sorted(result.targets):
        kind, contents, *_ = result.after.get(path, ("none", b""))
        if kind != "file" or not path.endswith(".csv") or result.after.get(path) == result.before.get(path):
            continue
        if contents.startswith(CHECKPOINT) or (result.status < 0 and not contents):
            continue
        lines = text(contents).split("\n")
        if lines.pop():
            return f"{path} ends inside a line"
        columns = len(next(csv.reader(lines[:1]), []))  # r[1,2] is a name with a comma
        for number, line in enumerate(lines[1:], 2):
            fields = line.split(",")
            if len(fields) != columns:
                return f"{path}, line {number}: {len(fields)} fields, the header has {columns}"
            try:
                list(map(float, fields))
            except ValueError:
                return f"{path}, line {number}: '{line[:40]}' is not numbers"
    return None


def keeps_checkpoints_whole(result):
    """A checkpoint ends with its checksum."""
    for path, (kind, contents, *_) in result.after.items():
        if kind == "file" and contents.startswith(CHECKPOINT) and result.before.get(path) != result.after[path]:
            if not re.search(rb"\nchecksum [0-9a-f]{16}\n\Z", contents):
                return f"{path} is cut off"
    return None


EVERYWHERE = (ends_in_order, keeps_its_secrets, uses_bounded_memory, changes_nothing_else, refuses_with_a_reason,
              writes_plain_text, prints_sound_json, admits_lost_output, records_whole_lines, keeps_checkpoints_whole)


def broken(result):
    """(law, what is wrong) of the first law that a result breaks, or None."""
    for law in EVERYWHERE:
        wrong = law(result)
        if wrong:
            return law.__name__, wrong
    return None
