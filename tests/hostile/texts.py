"""Wrong models: texts of good ones, changed at random."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

NUMBERS = ("0", "1", "2", "3", "-1", "0.5", "1e-3", "10", "1/3", "-0.0")
ODD_NUMBERS = ("1e308", "1e-308", "1e309", "5e-324", "-1e300", "1e16", "9007199254740993", "9223372036854775808", "nan",
               "inf", "-inf", "1e99999", "0x10", "1_000", "1e", ".", "1..2", "99999999999999999999999", "1000000007")
NAMES = ("x", "y", "r", "p_x", "v_x", "t", "i", "N", "pi", "e", "lambda_rod", "sum", "in", "each", "value", "equation",
         "hamiltonian", "lagrangian", "coordinates", "states", "energy", "if", "é", "x'")
WRAPS = ("sqrt({})", "log({})", "1/({})", "({})^2", "-{}", "abs({})", "sin({})", "exp({})", "exp(exp({}))", "({})^0.5",
         "{}^-1", "if({} > 0, {}, 0)", "max({}, 0)", "min({}, 1, 2)", "sum(k in 1..3, {})", "norm({})", "cross({}, {})",
         "[{}, 0]", "floor({})", "ceil({})", "round({})", "mod({}, 1)", "sign({})", "erf({})", "erfc({})", "atan2({}, 0)",
         "pow({}, {})", "asin({})", "({} - {})", "0*({})", "1e200*({})", "sqrt(abs({}))", "{}[1]", "{}[i,j]", "({} == 0)")
BENT_NUMBERS = ("1e-6", "1e6", "100", "1e-12", "1e12", "0.1", "1e-300", "1e150", "7", "-2.5", "1e-20")
BENDS = ("sin({})", "cos({})", "({}^2)", "(1 + {}^2)", "sqrt(1 + {}^2)", "abs({})", "max({}, 0)", "min({}, 0.5)", "(-{})",
         "(2*{})", "({} - 1)", "tanh({})", "exp({})", "log({})", "sqrt({})", "(1/{})", "if({} > 0, {}, 0)", "({}^3)", "({}*t)",
         "(1e8*{})", "(1e-8*{})", "({} + 1e6)", "floor({})", "ceil({})", "round({})", "mod({}, 0.7)", "sign({})", "erf({})",
         "erfc({})", "atan2({}, 1)", "({}^0.5)", "({}/{})", "sum(k in 1..3, k*{})")
OPERATORS = ("+", "-", "*", "/", "^", "=", "==", "<", ",", "..", "(", ")", "[", "]", "{", "}", '"', "'", ".", "#", "\\")
LINES = ("[run]", "[system]", "[constraints]", "[initial]", "[invariants]", "[observables]", "[definitions]", "[exact]",
         "[minimal]", "[forces]", "[[run]]", "[x.y.z]", 'title = "\\u001b[31mred\\u0007"', 'states = ["s"]', "method = 3",
         'method = "gauss:2"', 'step = "1/0"', "end = -1", "end = inf", 'dissipation = "v_x^2"', 'x = "t/0"',
         'again = "x^2 + y^2 = 1"', 'energy = "x"', 'tolerance = 1e-6', 'x = { each = "i in 1..N", value = "i" }',
         'extra = "x = 0"', 'extra = "0 = 0"', 'extra = "1 = 0"', 'extra = "x*0 = 0"', 'extra = "sin(t) = 0"',
         'extra = "(x - 1)^2 = 0"', 'f = "-10*v_x"', 'guess = { a = 0 }', 'certify = true', 'json = true')

TOKEN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|[0-9.]+(?:e-?[0-9]+)?|\n|[^\s]")


def ready_models():
    """name -> text of the models that come with the program."""
    return {path.stem: path.read_text() for path in sorted((ROOT / "models").glob("*.toml"))}


def corpus():
    """Good texts: ready models, the examples of the manual, and what the fuzzer begins with."""
    texts = list(ready_models().values())
    texts += [path.read_text(errors="replace") for path in sorted((ROOT / "tests/fuzz/corpus").glob("*.toml"))]
    manual = (ROOT / "docs/model-files.md").read_text()
    return texts + [text for text in re.findall(r"```toml\n(.*?)```", manual, re.S) if "[system]" in text]


def singular():
    """Models for the Dirac algorithm."""
    return [path.read_text() for path in sorted((ROOT / "models/dirac").glob("*.toml"))]


def shortened(text):
    """A text without its comments, which would only take mutations away."""
    return "\n".join(line for line in text.split("\n") if line.strip() and not line.startswith("#")) + "\n"


def bent(text, random):
    """A text that is mostly still a model, of another system: changes within its expressions and values."""
    for _ in range(random.choice((1, 1, 2, 3))):
        lines = text.split("\n")
        able = [k for k, line in enumerate(lines) if "=" in line and not re.match(r"\s*(coordinates|states|each|title|method)\b", line)]
        if not able:
            return text
        at = random.choice(able)
        key, value = lines[at].split("=", 1)
        action = random.randrange(8)
        numbers = [m.span() for m in re.finditer(r"(?<![\w.\[])[0-9][0-9.]*(?:e-?[0-9]+)?(?![\w.])", value)]
        names = [m.span() for m in re.finditer(r"[a-z]\w*(?:\[[^\]\n]*\])?(?![\w(\[])(?!\s*(?:=|in\b))", value)] if '"' in value else []
        if action < 3 and numbers:
            value = replaced(value, random.choice(numbers), random.choice(NUMBERS + BENT_NUMBERS))
        elif action < 5 and names:
            span = random.choice(names)
            value = replaced(value, span, random.choice(BENDS).replace("{}", value[span[0]:span[1]]))
        elif action == 5 and names:
            span, other = random.choice(names), random.choice(names)
            value = replaced(value, span, value[other[0]:other[1]])
        elif action == 6 and '"' in value:
            signs = [m.span() for m in re.finditer(r"(?<=[\w)\]])\s*[-+*/]\s*(?=[\w(])", value)]
            value = replaced(value, random.choice(signs), random.choice("+-*/")) if signs else value
        elif action == 7 and re.match(r"\w+\s*$", key):
            lines.insert(at, f"{key.strip()}_again ={value}")
            text = "\n".join(lines)
            continue
        lines[at] = f"{key}={value}"
        text = "\n".join(lines)
    return text


def mutant(text, random, others):
    """A text with one to five changes, of any kind."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 5))):
        text = random.choice(CHANGES)(text, random, others)
    return tame_paths(text)


def tame_paths(text):
    """File names stay in the folder of the run."""
    return text.replace('"/', '"./')


def changed_checkpoint(text, random):
    """A checkpoint with one or two changes, and the checksum of what it has become."""
    lines = text.split("\n")[:-2]
    for _ in range(random.choice((1, 1, 2))):
        at = random.choice([k for k, line in enumerate(lines) if k and '"/' not in line])
        words = lines[at].split(" ")
        action = random.randrange(5)
        if action < 3:
            numbers = [k for k, word in enumerate(words) if re.fullmatch(r"-?(0x)?[0-9a-f.]+(p[-+]\d+)?", word)]
            if numbers:
                words[random.choice(numbers)] = random.choice(("nan", "inf", "-inf", "0x1p+1023", "0x0p+0", "-1", "2", "0x1.8p-3",
                                                               "99999999999999999999", "1000000000", "x", ""))
            lines[at] = " ".join(words)
        elif action == 3:
            del lines[at]
        else:
            lines.insert(at, random.choice(lines[1:at + 1]))
    body = "\n".join(lines) + "\n"
    return f"{body}checksum {fnv(body.encode()):016x}\n"


def fnv(data):
    """FNV-1a, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def tokens(text):
    return [match.span() for match in TOKEN.finditer(text)]


def replaced(text, span, by):
    return text[:span[0]] + by + text[span[1]:]


def change_number(text, random, _):
    spans = [m.span() for m in re.finditer(r"(?<![\w.])[0-9][0-9.]*(?:e-?[0-9]+)?", text)]
    if not spans:
        return text
    return replaced(text, random.choice(spans), random.choice(NUMBERS if random.random() < 0.6 else ODD_NUMBERS))


def change_name(text, random, _):
    spans = [m.span() for m in re.finditer(r"[A-Za-z_]\w*", text)]
    if not spans:
        return text
    other = random.choice(spans)
    return replaced(text, random.choice(spans), random.choice((text[other[0]:other[1]], random.choice(NAMES))))


def change_sign(text, random, _):
    spans = [m.span() for m in re.finditer(r"[-+*/^=<>(),\[\]{}\"]", text)]
    return replaced(text, random.choice(spans), random.choice(OPERATORS)) if spans else text


def wrap_term(text, random, _):
    spans = [m.span() for m in re.finditer(r"[A-Za-z_]\w*(?:\[[^\]\n]*\])?|(?<![\w.])[0-9][0-9.]*", text)]
    if not spans:
        return text
    span = random.choice(spans)
    term = text[span[0]:span[1]]
    return replaced(text, span, random.choice(WRAPS).replace("{}", term))


def change_line(text, random, others):
    lines = text.split("\n")
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    action = random.randrange(6)
    if action == 0:
        del lines[at]
    elif action == 1:
        lines[at], lines[other] = lines[other], lines[at]
    elif action == 2:
        lines.insert(at, lines[other])
    elif action == 3:
        lines.insert(at, random.choice(LINES))
    elif action == 4:
        lines.insert(at, random.choice(random.choice(others).split("\n")))
    else:
        del lines[at:at + random.randrange(1, 6)]
    return "\n".join(lines)


def change_token(text, random, _):
    spans = tokens(text)
    if not spans:
        return text
    other = random.choice(spans)
    return replaced(text, random.choice(spans), random.choice(("", text[other[0]:other[1]])))


def change_bytes(text, random, _):
    if not text:
        return text
    at = random.randrange(len(text))
    return random.choice((text[:at], text[at:], text[:at] + chr(random.randrange(1, 0x250)) + text[at:],
                          text[:at] + text[at + random.randrange(1, 40):], "\ufeff" + text,
                          text.replace("\n", "\r\n"), text[:at] + "\x00" + text[at:]))


def nest(text, random, _):
    spans = tokens(text)
    if not spans:
        return text
    span = random.choice(spans)
    opening, closing = random.choice((("(", ")"), ("[", "]"), ("-", ""), ("sin(", ")"), ("2^", ""), ("{a=", "}")))
    depth = random.choice((3, 30, 150, 300, 3000))
    return replaced(text, span, opening * depth + text[span[0]:span[1]] + closing * random.choice((depth, depth - 1)))


CHANGES = (change_number, change_number, change_number, change_name, change_name, change_sign, wrap_term, wrap_term,
           wrap_term, change_line, change_line, change_token, change_bytes, nest)
