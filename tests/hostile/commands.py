"""Command lines, made of what the program itself says it understands: `--help` of its commands, and `list`."""

import json
import re
import subprocess

# Values that no option wants, or that few do.
ODD = ("", " ", "0", "-1", "nan", "inf", "-inf", "1e309", "1e-320", "1/0", "x", "0.1.2", "1e", "é", "\x1b[31m", "a\nb", "\x7f",
       "--", "-", "=", "1,2", ",", "2^10000", "((((", ")", "[1,2]", "none", "all", "1e300", "99999999999999999999", "1.5",
       "sqrt(-1)", "a" * 3000, "\udcff", "../x", "gauss:", ":", "rattle(", "2147483648", "9223372036854775807", "-0")
NUMBERS = ("0.1", "0.01", "0.05", "0.3", "1", "2", "pi/100", "1e-3", "0.07", "1/3")
INTEGERS = ("1", "2", "3", "5", "10", "100")
SMALL = ("1e-3", "1e-6", "1e-8", "1e-10", "1e-12", "1e-13")
EXPRESSIONS = ("x", "y", "x - 0.5", "p_x", "x*y", "x^2 + y^2 - 1", "t - 0.05", "1", "x^2 + y^2", "v_x", "sin(t)", "q", "z",
               "if(x > 0, 1, -1)", "lambda_rod", "energy", "hamiltonian", "floor(10*x)", "1/(x - 1)")
NAMES = ("x", "y", "p_x", "v_x", "m", "l", "g", "N", "k", "w", "c", "t", "pi", "ecc", "r", "x[1]", "r[1,1]", "r[1]", "title")
FILES = ("a.csv", "b.csv", "c.ckpt", "d.csv", "folder/a.csv", "missing/a.csv", "folder", "link.csv", "dangling.csv",
         "circle.csv", "model.toml", "other.csv", "text.csv", "model-link.csv", "device.csv", "a.CSV", "a", ".csv", "a.npz",
         "old.ckpt", "a.html", "link.csv.html", "a.svg", "a.pdf", "denied/a.csv", "here/../a.csv", "./a.csv", "long" * 80 + ".csv")

# Of the words in the help of an option, those that are values of some option; an option with others takes any of its words.
CHOICES = set("""given alternative auto functional newton project as-given mass euclidean partition qr svd midpoint hysteresis
              every-step reversible pi up down both jit interpreter double quad long""".split())


class Option:
    def __init__(self, flag, argument, words):
        self.flag, self.argument, self.words = flag, argument, words


# Commands beside `run` that take a model or a record.
STUDIES = ("analyze", "compare", "plot")


class Vocabulary:
    """What may stand on a command line."""

    def __init__(self, program):
        self.program = program
        self.options = self.read_options("run")
        self.of_study = {command: self.read_options(command) for command in STUDIES}
        self.methods = self.read_methods()
        self.names = {kind: [entry["name"] for entry in self.list(kind)]
                      for kind in ("formulations", "projections", "monitors")}
        # Models of other folders are for `analyze`.
        self.names["models"] = [entry["name"] for entry in self.list("models") if "/models/dirac/" not in entry["file"]]

    def flags(self):
        return [option.flag for option in self.options]

    def ask(self, *arguments):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True, timeout=60, check=True).stdout

    def list(self, kind):
        return json.loads(self.ask("list", kind, "--json"))

    def read_options(self, command):
        """The lines "  --flag ARGUMENT  words" of the help, and what is continued below them."""
        found = []
        for line in self.ask(command, "--help").split("\n"):
            match = re.match(r'  (?:-h,)?(--[a-z-]+)(?: ("[^"]*"|[A-Z][^ ]*))?(?: +(.*)|$)', line)
            if match:
                found.append(Option(match[1], match[2], match[3] or ""))
            elif found and line.startswith(" " * 20):
                found[-1].words += " " + line.strip()
            elif line.startswith("Examples"):
                break
        return found

    def read_methods(self):
        """Names, from the families: gauss:1..12, odex[:2..8], compose:4|6(M)."""
        names = []
        for entry in self.list("methods"):
            names.append(entry["name"])
            family = entry["family"]
            numbers = re.search(r"(\d+)\.\.(\d+)", family)
            if numbers:
                low, high = int(numbers[1]), int(numbers[2])
                stem = family[:numbers.start()].rstrip("[:")
                names += [f"{stem}:{k}" for k in (low - 1, low, low + 1, high, high + 1)]
            names.append(family)
        return sorted(set(names))

    def method(self, random):
        name = random.choice(self.methods)
        while "(M)" in name or "(METHOD)" in name:
            name = re.sub(r"\((M|METHOD)\)", f"({random.choice(self.methods)})", name, count=1)
            name = name.replace("KIND", random.choice(self.names["projections"]))
            if len(name) > 80:
                break
        return name

    def value(self, option, random):
        """A value for an option: sensible, wrong in kind, or odd."""
        chance = random.random()
        if chance < 0.08:
            return random.choice(ODD)
        if chance < 0.11:
            return self.value(random.choice([o for o in self.options if o.argument]), random)
        flag, argument = option.flag, option.argument
        if argument == "LIST" and random.random() < 0.4 and flag in ("--method", "--formulation", "--projection", "--step"):
            one = Option(flag, "H" if flag == "--step" else "M", option.words)
            return ",".join(self.value(one, random) for _ in range(random.choice((2, 3))))
        if argument.startswith('"'):
            return ", ".join(random.choice(EXPRESSIONS + NAMES) for _ in range(random.choice((1, 2, 2, 2, 3))))
        if flag == "--method":
            return self.method(random)
        if flag in ("--formulation", "--projection"):
            return random.choice(self.names[flag[2:] + "s"])
        if flag in ("--monitor", "--periodogram", "--project-invariants"):
            words = self.names["monitors"] if flag == "--monitor" else ["energy", "x", "y", "p_x", "v_x", "L"]
            return ",".join(random.choice(words) for _ in range(random.choice((1, 1, 2, 3))))
        if flag == "--set":
            return f"{random.choice(NAMES)}={random.choice(NUMBERS + ODD + EXPRESSIONS)}"
        if flag == "--initial-array":
            return f"{random.choice(NAMES)}={random.choice(FILES)}"
        if flag == "--reference":
            return random.choice(("finer:2", "finer:3", "exact", "other.csv", "finer:0", "finer:1", "finer:-1", "missing.csv",
                                  "text.csv", "finer:1000"))
        if "FILE" in argument:
            return random.choice(FILES)
        if "tolerance" in flag:
            return random.choice(SMALL)
        if argument == "EXPRESSION":
            return random.choice(EXPRESSIONS)
        if argument == "K" or argument.startswith("K:") or argument == "N":
            return random.choice(INTEGERS)
        if argument in ("T", "H", "DT", "A", "E", "EPS", "ALPHA", "ALPHA,BETA"):
            return random.choice(NUMBERS)
        # Alternatives stand in the help: "auto (default), functional (iteration only) or newton".
        words = re.findall(r"[a-z][a-z0-9-]+", option.words)
        return random.choice([word for word in words if word in CHOICES] or words or ODD)

    def groups(self, random, command="run"):
        """Options with their values, each a short list."""
        result = []
        for _ in range(random.choice((0, 1, 2, 2, 3, 3, 4, 6))):
            option = random.choice(self.of_study.get(command, self.options))
            if option.flag == "--help" and random.random() < 0.9:
                continue
            if not option.argument:
                result.append([option.flag])
                continue
            value = self.value(option, random)
            result.append([f"{option.flag}={value}"] if random.random() < 0.15 else [option.flag, value])
        if random.random() < 0.05:  # a typing error
            group = random.choice(result or [["--end"]])
            at = random.randrange(len(group[0]))
            group[0] = group[0][:at] + random.choice(("", "-", "x", " ", group[0][at] * 2)) + group[0][at + 1:]
        return result


def value_of(arguments, flag):
    """All values that a flag has on a command line."""
    values = [b for a, b in zip(arguments, arguments[1:]) if a == flag]
    return values + [a[len(flag) + 1:] for a in arguments if a.startswith(flag + "=")]


TARGETS = ("--out", "--section-out", "--checkpoint", "--report")
INPUTS = ("--reference", "--resume", "--initial-from")


def targets_of(arguments, text=""):
    """Files that a command writes: by options, and by the keys of [run]."""
    names = [value for flag in TARGETS for value in value_of(arguments, flag)]
    return names + re.findall(r'\b(?:out|section-out|checkpoint|report)"?\s*=\s*"([^"\n]+)"', text)


def inputs_of(arguments):
    names = [value for flag in INPUTS for value in value_of(arguments, flag)]
    names += [value.split("=", 1)[-1] for value in value_of(arguments, "--initial-array")]
    return names + [a for a in arguments[1:] if a.endswith(".toml")] + (arguments[1:2] if arguments[:1] == ["plot"] else [])
