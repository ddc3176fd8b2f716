"""Expressions with the operators of Python. An expression is the text that a model file would have in its place.

>>> import cotangent as ct
>>> x, y = ct.coordinates("x y")
>>> (x.p**2 + y.p**2) / 2 + 9.81 * y
Expression('(p_x^2 + p_y^2)/2 + 9.81*y')
>>> x**2 + y**2 == 1
Equation('x^2 + y^2 = 1')
"""

import numbers
import re

# How tightly the outermost operation binds; signs bind like sums.
_SUM, _PRODUCT, _POWER, _ATOM = range(4)


class Expression:
    """A term of a model: a name, a number, or what operators and functions make of them.

    Functions of NumPy work, too: `np.sin(x)` is `ct.sin(x)`. Arrays have indices from 1, as in model files: `r[i, 3]`.
    """

    __slots__ = ("text", "_level")

    def __init__(self, text, level=_ATOM):
        self.text = str(text)
        self._level = level

    def __repr__(self):
        return f"{type(self).__name__}({self.text!r})"

    def __str__(self):
        return self.text

    def __hash__(self):
        return hash(self.text)

    @property
    def p(self):
        """The momentum of a coordinate."""
        return self._named("p_")

    @property
    def v(self):
        """The velocity of a coordinate."""
        return self._named("v_")

    def _named(self, prefix):
        if not re.fullmatch(r"[A-Za-z_]\w*(\[.*\])?", self.text):
            raise ValueError(f"'{self.text}' is no coordinate, and has no {'momentum' if prefix == 'p_' else 'velocity'}")
        return Expression(prefix + self.text)

    def __getitem__(self, indices):
        indices = indices if isinstance(indices, tuple) else (indices,)
        return Expression(f"{self.text}[{', '.join(as_expression(i).text for i in indices)}]")

    def _at_least(self, level):
        return f"({self.text})" if self._level < level else self.text

    def _join(self, sign, other, level):
        other = as_expression(other)
        # a - (b + c), a/(b*c): the right one binds more tightly.
        return Expression(self._at_least(level) + sign + other._at_least(level + 1), level)

    def __add__(self, other):
        return self._join(" + ", other, _SUM)

    def __sub__(self, other):
        return self._join(" - ", other, _SUM)

    def __mul__(self, other):
        return self._join("*", other, _PRODUCT)

    def __truediv__(self, other):
        return self._join("/", other, _PRODUCT)

    def __pow__(self, other):
        return Expression(f"{self._at_least(_ATOM)}^{as_expression(other)._at_least(_ATOM)}", _POWER)

    def __mod__(self, other):
        return call("mod", self, other)

    def __radd__(self, other):
        return as_expression(other) + self

    def __rsub__(self, other):
        return as_expression(other) - self

    def __rmul__(self, other):
        return as_expression(other) * self

    def __rtruediv__(self, other):
        return as_expression(other) / self

    def __rpow__(self, other):
        return as_expression(other) ** self

    def __neg__(self):
        return Expression("-" + self._at_least(_PRODUCT), _SUM)

    def __pos__(self):
        return self

    def __abs__(self):
        return call("abs", self)

    def __floor__(self):
        return call("floor", self)

    def __ceil__(self):
        return call("ceil", self)

    def __eq__(self, other):
        return Equation(self, "=", other)

    def __ne__(self, other):
        return Equation(self, "!=", other)

    def __lt__(self, other):
        return Equation(self, "<", other)

    def __le__(self, other):
        return Equation(self, "<=", other)

    def __gt__(self, other):
        return Equation(self, ">", other)

    def __ge__(self, other):
        return Equation(self, ">=", other)


class Equation:
    """left = right, or another relation of two expressions. It is true where both are the same text."""

    __slots__ = ("left", "sign", "right")

    def __init__(self, left, sign, right):
        self.left, self.sign, self.right = as_expression(left), sign, as_expression(right)

    @property
    def text(self):
        """As a model file has it."""
        return f"{self.left} {self.sign} {self.right}"

    @property
    def condition(self):
        """The text in a condition, where an equality is written '=='."""
        return f"{self.left} {'==' if self.sign == '=' else self.sign} {self.right}"

    def __repr__(self):
        return f"Equation({self.text!r})"

    def __str__(self):
        return self.text

    def __bool__(self):
        if self.sign not in ("=", "!="):
            raise TypeError(f"whether {self.text} holds depends on the point: use ct.where({self.condition}, a, b)")
        return (self.left.text == self.right.text) == (self.sign == "=")


class Index(Expression):
    """The index of a loop, for sums and families: `i = ct.Index("i", 2, N)` runs over 2..N."""

    __slots__ = ("loop",)

    def __init__(self, name, low, high):
        super().__init__(name)
        self.loop = f"{name} in {as_expression(low)}..{as_expression(high)}"


class Family:
    """One equation or value for every turn of loops, see `each`."""

    __slots__ = ("loops", "content")

    def __init__(self, loops, content):
        self.loops, self.content = loops, content


def as_expression(value):
    """An expression of an expression, a number or a text."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, str):
        return Expression(value, _SUM)
    if isinstance(value, numbers.Integral):
        return Expression(int(value), _SUM if value < 0 else _ATOM)
    if isinstance(value, numbers.Real):
        text = repr(float(value))
        return Expression(text, _SUM if text.startswith("-") else _ATOM)
    raise TypeError(f"{value!r} is no term of a model")


def symbols(text):
    """The names of a text, with their sizes."""
    names = re.findall(r"[^\s,\[]+(?:\[[^\]]*\])?", text)
    if not names:
        raise ValueError("a name is missing")
    return names


class Variable(Expression):
    """A name that is declared, with the sizes of an array: `r[5,3]` is declared by `ct.coordinates("r[5,3]")`."""

    __slots__ = ("declaration",)

    def __init__(self, declaration):
        super().__init__(declaration.split("[")[0])
        self.declaration = declaration


def _variables(text):
    made = [Variable(name) for name in symbols(text)]
    return made[0] if len(made) == 1 else tuple(made)


def coordinates(text):
    """Coordinates, by names between blanks or commas; `x.p` and `x.v` are the momentum and the velocity.

    >>> import cotangent as ct
    >>> r = ct.coordinates("r[5,3]")
    >>> ct.norm2(r[1] - r[2])
    Expression('norm2(r[1] - r[2])')
    """
    return _variables(text)


def states(text):
    """States of differential equations, by names between blanks or commas."""
    return _variables(text)


def parameters(text):
    """Parameters, by names between blanks or commas; their values are given to the model."""
    return _variables(text)


def call(function, *arguments):
    """A function of the language of models."""
    return Expression(f"{function}({', '.join(as_expression(a).text for a in arguments)})")


def sum_over(loops, term):
    """The sum of a term over an index, or over several, the first one outermost.

    >>> import cotangent as ct
    >>> i, x = ct.Index("i", 1, "N"), ct.coordinates("x[N]")
    >>> ct.sum_over(i, x.p[i]**2 / 2)
    Expression('sum(i in 1..N, p_x[i]^2/2)')
    """
    term = as_expression(term)
    for index in reversed(_loops(loops)):
        term = Expression(f"sum({index.loop}, {term})")
    return term


def each(loops, content):
    """One equation, or value, for every turn of the loops: `{"rod": ct.each(i, x[i] == i)}`."""
    return Family(_loops(loops), content)


def _loops(loops):
    return [loops] if isinstance(loops, Index) else list(loops)


def where(condition, a, b):
    """a where the condition holds, b elsewhere."""
    text = condition.condition if isinstance(condition, Equation) else str(condition)
    return Expression(f"if({text}, {as_expression(a)}, {as_expression(b)})")


def _function(name, numpy_name=None):
    def function(*arguments):
        return call(name, *arguments)

    function.__name__ = function.__qualname__ = numpy_name or name
    function.__doc__ = f"{name} of terms of a model."
    # NumPy calls these methods of what it does not know.
    setattr(Expression, numpy_name or name, function)
    return function


sin, cos, tan = map(_function, ("sin", "cos", "tan"))
sinh, cosh, tanh = map(_function, ("sinh", "cosh", "tanh"))
exp, log, sqrt = map(_function, ("exp", "log", "sqrt"))
floor, ceil, sign, erf, erfc = map(_function, ("floor", "ceil", "sign", "erf", "erfc"))
asin, acos, atan = _function("asin", "arcsin"), _function("acos", "arccos"), _function("atan", "arctan")
atan2 = _function("atan2", "arctan2")
minimum, maximum, mod = _function("min", "minimum"), _function("max", "maximum"), _function("mod")
dot, cross, norm, norm2 = map(_function, ("dot", "cross", "norm", "norm2"))

pi = Expression("pi")
t = Expression("t")
