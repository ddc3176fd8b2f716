"""The kinds of cases: how each is made of random numbers, and by which laws it is judged beyond those of every run."""

import dataclasses
import difflib
import json
import random as randoms

import conservation
import faults
import laws
import physics
import texts
import truth
from box import Fault
from commands import inputs_of, targets_of, value_of

MODEL = "model.toml"


@dataclasses.dataclass
class Case:
    kind: str
    seed: int
    head: list                    # the command and its model
    groups: list                  # options with their values
    model: str | None = None      # the text of model.toml
    system: physics.System | None = None
    fault: Fault = Fault()

    def arguments(self):
        return [*self.head, *(word for group in self.groups for word in group)]

    def command(self):
        return [encodable(word) for word in self.arguments()]


def encodable(word):
    """What a command line can have: no zero bytes; file names stay in the folder of the case."""
    word = word.replace("\0", "")
    return word.lstrip("/") if word.startswith("/") else word.replace("=/", "=")


def put(case, box):
    """The files of a case."""
    faults.fill(box.folder)
    if case.model is not None:
        (box.folder / MODEL).write_bytes(case.model.encode("utf-8", "surrogateescape"))


def execute(case, box, arguments=None, fault=None):
    """A run of the case, or of other arguments in its folder, and what it breaks of the laws of every run."""
    arguments = case.command() if arguments is None else arguments
    result = box.run(arguments, case.fault if fault is None else fault, targets_of(arguments, case.model or ""),
                     inputs_of(arguments))
    return result, laws.broken(result)


def short(case, random, end=("0.02", "0.05", "0.1", "0.3")):
    """Makes a run short, and interprets it: setting LLVM up would take longer than all the rest."""
    words = [word.split("=")[0] for group in case.groups for word in group]
    if case.head[0] != "run":
        return case
    if "--step" not in words and (random.random() < 0.3 or "step" not in (case.model or "step")):
        case.groups.append(["--step", random.choice(("0.01", "0.02", "0.05"))])
    if "--end" not in words:
        case.groups.append(["--end", random.choice(end)])
    if "--backend" not in words and random.random() < 0.97:
        case.groups.append(["--backend", "interpreter"])
    return case


class Mutant:
    """A wrong model."""

    def make(self, seed, random, world):
        text = texts.shortened(random.choice(world.corpus))
        text = texts.bent(text, random) if random.random() < 0.7 else texts.mutant(text, random, world.corpus)
        head = ["check", MODEL] if random.random() < 0.3 else ["run", MODEL]
        case = Case("mutant", seed, head, [["--json"]] if random.random() < 0.5 else [], text)
        if head[0] == "run" and random.random() < 0.3:
            case.groups += world.vocabulary.groups(random)
        return short(case, random)

    def judge(self, case, box):
        put(case, box)
        return execute(case, box)[1]


class Command:
    """A wrong command line."""

    def make(self, seed, random, world):
        chance = random.random()
        if chance < 0.04:
            head = [random.choice(("list", "help", "", "runn", "--version", "--help", "check", "run", "-x"))]
            head += random.sample(("methods", "models", "monitors", "rattle", "pendulum", "--json", "", "x"), random.randrange(3))
            return Case("command", seed, head, [])
        model = random.choice(world.corpus) if chance < 0.5 else physics.system(random).text()
        head = ["run", MODEL]
        if chance < 0.15:
            head[1] = random.choice((*world.vocabulary.names["models"], "nowhere.toml", "", "folder", "device.csv", "circle.csv"))
        groups = world.vocabulary.groups(random)
        if random.random() < 0.4:
            groups.append(["--json"])
        random.shuffle(groups)
        return short(Case("command", seed, head, groups, model), random)

    judge = Mutant.judge


class Study:
    """A wrong model, or a wrong command line, for what does more with a model than to run it."""

    def make(self, seed, random, world):
        command = random.choice(("analyze", "analyze", "analyze", "compare", "plot"))
        text, argument = None, random.choice(("other.csv", "text.csv", "folder", "fifo.csv", "circle.csv", "nowhere.csv"))
        if command != "plot":
            chosen = random.choice(world.dirac if command == "analyze" and random.random() < 0.5 else world.corpus)
            text = physics.system(random).text() if random.random() < 0.3 else texts.bent(texts.shortened(chosen), random)
            argument = MODEL
        groups = world.vocabulary.groups(random, command)
        if command == "compare":  # short ones
            groups += [["--end", random.choice(("0.1", "0.5"))], ["--accuracy", random.choice(("1e-2", "1e-4"))]]
        return Case("study", seed, [command, argument], groups, text)

    judge = Mutant.judge


class Faulty:
    """A right command line in a wrong place."""

    def make(self, seed, random, world):
        model = texts.ready_models()["pendulum"] if random.random() < 0.3 else physics.system(random).text()
        fault = faults.fault(random)
        groups = [["--step", "0.01"]]
        if random.random() < 0.7:
            groups.append(["--out", random.choice(("a.csv", "link.csv", "folder/a.csv", "dangling.csv", "other.csv"))])
        if random.random() < 0.5:
            groups.append(["--checkpoint", random.choice(("c.ckpt", "folder/c.ckpt", "new.ckpt"))])
            if random.random() < 0.5:
                groups.append(["--checkpoint-every", random.choice(("1", "3", "50"))])
        if fault.reader:
            groups = [group for group in groups if group[0] != "--out"] + [["--out", fault.reader[0]]]
        groups += random.sample([["--json"], ["--quiet"], ["--certify"], ["--every", "7"], ["--growth"],
                                 ["--section", "t - 0.1"], ["--section-out", "s.csv"]], random.randrange(3))
        long = fault.signals or random.random() < 0.2
        groups.append(["--end", random.choice(("1000", "100")) if long else random.choice(("0.2", "1", "3"))])
        head = ["run", MODEL] if random.random() < 0.95 else random.choice((["--help"], ["run", "--help"], ["list", "methods"],
                                                                           ["check", MODEL], ["--version"]))
        return short(Case("fault", seed, head, groups if head[-1] == MODEL and head[0] == "run" else [], model, fault=fault),
                     random)

    judge = Mutant.judge


class Twins:
    """Runs that must agree to the last bit: made twice, by both backends, in one part and in two."""

    def make(self, seed, random, world):
        system = physics.system(random)
        step, count = random.choice(("0.01", "0.05", "0.02")), random.choice((4, 10, 40))
        head = ["run", MODEL, "--step", step, "--end", f"{float(step) * count:.10g}"]
        groups = []
        if random.random() < 0.7:
            groups.append(["--method", world.vocabulary.method(random)])
        if random.random() < 0.3:
            groups.append(["--certify"])
        if random.random() < 0.3:
            groups.append(["--monitor", random.choice(("energy", "wedge", "symmetries", "lyapunov", "condition,multipliers"))])
        return Case("twins", seed, head, groups, system.text(), system)

    def judge(self, case, box):
        put(case, box)
        plain = [*case.command(), "--json"]
        first, wrong = execute(case, box, [*plain, "--backend", "interpreter", "--out", "a.csv"])
        if wrong or first.status != 0:
            return wrong
        summary = digits(first)
        way = case.seed % 8
        if way == 0:
            other, wrong = execute(case, box, [*plain, "--out", "b.csv"])
            law = "both backends give the same digits"
        elif way < 4:
            other, wrong = execute(case, box, [*plain, "--backend", "interpreter", "--out", "b.csv"])
            law = "a run can be repeated"
        else:
            end = float(value_of(plain, "--end")[0])
            half = [f"{end / 2:.10g}" if word == f"{end:.10g}" else word for word in plain]
            _, wrong = execute(case, box, [*half, "--backend", "interpreter", "--out", "b.csv", "--checkpoint", "c.ckpt"])
            if wrong:
                return wrong
            resumed = ["run", "--resume", "c.ckpt", "--end", f"{end:.10g}", "--json", "--out", "b.csv"]
            other, wrong = execute(case, box, resumed)
            law = "a resumed run is the same run"
        if wrong or other.status != 0:
            return wrong or (law, f"exit status {other.status}")
        box.compared["twins"] += 1
        different = first_difference(summary, digits(other))
        if different:
            return law, different
        same = (box.folder / "a.csv").read_bytes() == (box.folder / "b.csv").read_bytes()
        return None if same else (law, "the records differ")


def digits(result):
    """A summary without the clock."""
    summary = json.loads(result.stdout)
    for key in ("wall_seconds", "setup_seconds", "backend", "notes"):
        summary.pop(key, None)
    return summary


def first_difference(a, b, place="summary"):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in [*a, *(key for key in b if key not in a)]:
            found = first_difference(a.get(key), b.get(key), f"{place}.{key}")
            if found:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return next(filter(None, (first_difference(x, y, f"{place}[]") for x, y in zip(a, b))), None)
    return None if a == b else f"{place}: {a} and {b}"


class Pair:
    """The same run twice at the same time, with the same files to write."""

    def make(self, seed, random, world):
        groups = random.sample([["--out", "a.csv"], ["--checkpoint", "c.ckpt"], ["--section-out", "s.csv"]], random.choice((1, 2)))
        groups += [["--section", "t - 0.1"], ["--checkpoint-every", random.choice(("1", "20"))]]
        head = ["run", MODEL, "--step", "0.01", "--end", random.choice(("0.3", "1")), "--backend", "interpreter"]
        return Case("pair", seed, head, groups, physics.system(random).text())

    def judge(self, case, box):
        put(case, box)
        alone, wrong = execute(case, box)
        if wrong or alone.status != 0:
            return wrong
        targets = targets_of(case.command())
        files = {name: (box.folder / name).read_bytes() for name in targets}
        for name in targets:
            (box.folder / name).unlink()
        results = box.run_together([case.command()] * 2, targets=targets, inputs=[MODEL])
        # One that is refused because of the other has not made the files of the other.
        results = [dataclasses.replace(r, before=r.after) if r.status == 2 else r for r in results]
        wrong = next(filter(None, map(laws.broken, results)), None)
        if wrong:
            return wrong
        box.compared["pairs of runs"] += 1
        if all(result.status != 0 for result in results):
            return "one of two runs with the same files is done", f"exit statuses {[r.status for r in results]}"
        for name, contents in files.items():
            if (box.folder / name).read_bytes() != contents and not name.endswith(".ckpt"):
                return "two runs with the same files leave what one leaves", f"{name} differs"
        return None


class Resumed:
    """A checkpoint that somebody has changed, with a checksum that is right nevertheless."""

    def make(self, seed, random, world):
        system = physics.system(random)
        head = ["run", MODEL, "--step", "0.05", "--end", "0.2", "--backend", "interpreter", "--checkpoint", "c.ckpt", "--out", "a.csv"]
        groups = [["--method", world.vocabulary.method(random)]] if random.random() < 0.5 else []
        groups += random.sample([["--certify"], ["--growth"], ["--tolerance", "1e-6"], ["--periodogram", system.q[0]],
                                 ["--section", system.q[0]], ["--monitor", "wedge"]], random.randrange(3))
        return Case("resumed", seed, head, groups, system.text())

    def judge(self, case, box):
        put(case, box)
        first, wrong = execute(case, box)
        path = box.folder / "c.ckpt"
        if wrong or not path.exists():
            return wrong
        old = path.read_text()
        path.write_text(texts.changed_checkpoint(old, randoms.Random(f"checkpoint {case.seed}")))
        arguments = ["run", "--resume", "c.ckpt", "--end", "0.3", "--json", *(["--out", "b.csv"] if case.seed % 2 else [])]
        result = box.run(arguments, targets=["a.csv", "b.csv"], inputs=["c.ckpt", MODEL])
        box.compared["changed checkpoints"] += 1
        wrong = laws.broken(result)
        changes = [line for line in difflib.ndiff(old.split("\n"), path.read_text().split("\n")) if line[0] in "+-"][:-2]
        return wrong and (wrong[0], wrong[1] + "".join(f"\n    {line[:120]}" for line in changes))


class Truth:
    """Certificates against solutions that were computed without the program, or in quad precision."""

    def make(self, seed, random, world):
        if random.random() < 0.25:
            model = random.choice(world.vocabulary.names["models"])
            step = random.choice((0.001, 0.005, 0.02))
            # A model that is run with a tolerance may have layers that fixed steps pass unseen: docs/certificate.md.
            is_fixed = "\ntolerance" not in texts.ready_models().get(model, "")
            pace = ["--step", str(step)] if is_fixed else ["--tolerance", "1e-7"]
            head = ["run", model, "--certify", *pace, "--end", f"{step * random.choice((2, 5, 10)):.10g}"]
            return Case("truth", seed, head, [["--method", world.vocabulary.method(random)]])
        system = physics.system(random)
        method = world.vocabulary.method(random)
        step = random.choice((0.01, 0.02, 0.05, 0.1, 0.2))
        start, end = 0.0, step * random.choice((4, 10, 25))
        if "--start" in world.vocabulary.flags() and random.random() < 0.3:
            start = float(random.choice(("1", "-0.5", "3")))
            end = start + random.choice((end, -end))
        head = ["run", MODEL, "--certify", "--step", str(step), "--end", f"{end:.10g}"]
        if start:
            head += ["--start", f"{start:.10g}"]
        groups = []
        if random.random() < 0.9:
            groups.append(["--method", method])
        if random.random() < 0.1:
            groups.append(["--project-invariants", "energy"])
        if random.random() < 0.15:
            groups.append(["--tolerance", random.choice(("1e-4", "1e-6", "1e-9"))])
        if random.random() < 0.1:
            x = random.choice(system.q)
            system.invariants["L"] = random.choice((f"p_{x}", f"{x}*p_{x}", f"{x}^2", " + ".join(f"p_{y}" for y in system.q)))
            groups.append(["--project-invariants", "L"])
        return Case("truth", seed, head, groups, system.text(), system)

    def judge(self, case, box):
        put(case, box)
        arguments = [*case.command(), "--json", "--backend", "interpreter", "--out", "a.csv"]
        result, wrong = execute(case, box, arguments)
        if wrong or result.status != 0:
            return wrong

        def quad():
            words = ["run", case.head[1], "--precision", "quad", "--method", "dop853", "--tolerance", "1e-13", "--json",
                     *(word for flag in ("--start", "--end") for value in value_of(arguments, flag) for word in (flag, value))]
            other, _ = execute(case, box, words)
            return json.loads(other.stdout) if other.status == 0 else None

        if case.system is None:
            return truth.broken_against_quad(json.loads(result.stdout), quad, box.compared)
        return truth.broken(case.system, json.loads(result.stdout), (box.folder / "a.csv").read_text(), quad, box.compared)


class Conserved:
    """What `check` calls conserved, along a run."""

    def make(self, seed, random, world):
        system = physics.system(random)
        return Case("conserved", seed, ["check", MODEL, "--json"], [], system.text(), system)

    def judge(self, case, box):
        put(case, box)
        result, wrong = execute(case, box)
        if wrong or result.status != 0:
            return wrong
        claims = json.loads(result.stdout)["conserved"]
        arguments = ["run", MODEL, "--method", "dop853", "--tolerance", "1e-11", "--end", "6", "--sample", "0.1", "--out",
                     "a.csv", "--json", "--backend", "interpreter", "--monitor", "symmetries"]
        run, wrong = execute(case, box, arguments)
        if wrong or run.status != 0:
            return wrong
        return conservation.broken(case.system, claims, json.loads(run.stdout), (box.folder / "a.csv").read_text(),
                                   box.compared)


KINDS = {"mutant": (Mutant(), 40), "command": (Command(), 25), "study": (Study(), 8), "fault": (Faulty(), 12), "twins": (Twins(), 4),
         "pair": (Pair(), 1), "resumed": (Resumed(), 4), "truth": (Truth(), 10), "conserved": (Conserved(), 4)}
