"""Expressions of the suite's own: written as model text, compiled to Python, differentiated.

Nothing here is shared with the program, so that what it computes can be compared with what the program computes.
"""

import math


class Expression:
    """A number, a name, or an operation upon expressions; immutable."""

    def __init__(self, operation, *arguments):
        self.operation = operation
        self.arguments = arguments

    def __add__(self, other):
        other = wrap(other)
        if is_number(self, 0):
            return other
        return self if is_number(other, 0) else Expression("+", self, other)

    def __mul__(self, other):
        other = wrap(other)
        for one, two in ((self, other), (other, self)):
            if is_number(one, 0):
                return one
            if is_number(one, 1):
                return two
        return Expression("*", self, other)

    def __sub__(self, other):
        return self + wrap(other) * -1

    def __truediv__(self, other):
        other = wrap(other)
        return self if is_number(self, 0) or is_number(other, 1) else Expression("/", self, other)

    def __pow__(self, power):
        return self if power == 1 else Expression("^", self, wrap(power))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * -1

    def __str__(self):
        """The expression in the language of model files."""
        return write(self, "^", "if")

    def code(self):
        """The expression in Python."""
        return write(self, "**", "choose")


def number(value):
    return Expression("number", value)


def name(text):
    return Expression("name", text)


def call(function, *arguments):
    return Expression(function, *map(wrap, arguments))


def wrap(value):
    return value if isinstance(value, Expression) else number(value)


def is_number(e, value):
    return e.operation == "number" and e.arguments[0] == value


def total(terms):
    result = number(0)
    for term in terms:
        result = result + term
    return result


def write(e, power, choice):
    if e.operation == "number":
        value = e.arguments[0]
        return repr(value) if value >= 0 else f"({value!r})"
    if e.operation == "name":
        return e.arguments[0]
    parts = [write(argument, power, choice) for argument in e.arguments]
    if e.operation in "+*/":
        return f"({parts[0]} {e.operation} {parts[1]})"
    if e.operation == "^":
        return f"{parts[0]}{power}{parts[1]}" if e.arguments[0].operation == "name" else f"({parts[0]}){power}{parts[1]}"
    if e.operation == "if":  # if(a > b, c, d)
        if choice == "if":
            return f"if({parts[0]} > {parts[1]}, {parts[2]}, {parts[3]})"
        return f"({parts[2]} if {parts[0]} > {parts[1]} else {parts[3]})"
    return f"{e.operation}({', '.join(parts)})"


OUTER = {  # derivative of f(u) with respect to u
    "sin": lambda u: call("cos", u),
    "cos": lambda u: -call("sin", u),
    "exp": lambda u: call("exp", u),
    "log": lambda u: number(1) / u,
    "sqrt": lambda u: number(0.5) / call("sqrt", u),
    "tanh": lambda u: number(1) - call("tanh", u) ** 2,
    "atan": lambda u: number(1) / (number(1) + u ** 2),
    "erf": lambda u: number(2 / math.sqrt(math.pi)) * call("exp", -(u ** 2)),
    "floor": lambda u: number(0),
}


def derivative(e, variable):
    operation, arguments = e.operation, e.arguments
    if operation == "number":
        return number(0)
    if operation == "name":
        return number(1 if arguments[0] == variable else 0)
    if operation == "+":
        return derivative(arguments[0], variable) + derivative(arguments[1], variable)
    if operation == "*":
        a, b = arguments
        return derivative(a, variable) * b + a * derivative(b, variable)
    if operation == "/":
        a, b = arguments
        return derivative(a, variable) / b - a * derivative(b, variable) / b ** 2
    if operation == "^":  # the exponent is a number
        a, k = arguments[0], arguments[1].arguments[0]
        return number(k) * a ** (k - 1) * derivative(a, variable)
    if operation == "if":
        a, b, yes, no = arguments
        yes, no = derivative(yes, variable), derivative(no, variable)
        return yes if is_number(yes, 0) and is_number(no, 0) else Expression("if", a, b, yes, no)
    if operation == "max":
        a, b = arguments
        return derivative(Expression("if", a, b, a, b), variable)
    inner = derivative(arguments[0], variable)
    return inner if is_number(inner, 0) else OUTER[operation](arguments[0]) * inner


def substitute(e, values):
    """The expression with names replaced by expressions."""
    if e.operation == "name":
        return values.get(e.arguments[0], e)
    if e.operation == "number":
        return e
    return Expression(e.operation, *(substitute(argument, values) for argument in e.arguments))


FUNCTIONS = {f: getattr(math, f) for f in
             ("sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "atan", "atan2", "erf", "erfc", "floor", "pi")}
FUNCTIONS |= {"max": max, "min": min, "abs": abs}


def function(arguments, expressions):
    """The function (arguments) -> [values of the expressions], compiled."""
    source = f"lambda {', '.join(arguments)}: [{', '.join(e.code() for e in expressions)}]"
    return eval(source, dict(FUNCTIONS))
