"""The text of a model file, from keywords."""

import json

from ._expressions import Equation, Expression, Family, Variable, as_expression, symbols

# What stands in [system]; every other keyword is a table of its own.
_SYSTEM = (
    "coordinates", "hamiltonian", "hamiltonian_alternative", "lagrangian", "dissipation", "states", "algebraic"
)  # fmt: skip


def _string(text):
    return json.dumps(text, ensure_ascii=False)


def _value(value, content="value"):
    if isinstance(value, Family):
        loops = ", ".join(index.loop for index in value.loops)
        return f"{{ each = {_string(loops)}, {content} = {_value(value.content)} }}"
    if isinstance(value, (Expression, Equation)):
        return _string(value.text)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_string(_name(k))} = {_value(v)}" for k, v in value.items()) + " }"
    if hasattr(value, "tolist"):  # an array of NumPy, or a number
        return _value(value.tolist())
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return as_expression(value).text


def _name(name):
    return name.text if isinstance(name, Expression) else str(name)


def _declared(value):
    """The names that are declared, with their sizes."""
    if isinstance(value, str):
        return symbols(value)
    return [getattr(one, "declaration", str(one)) for one in ([value] if isinstance(value, Variable) else value)]


def first_entry(declared):
    """An entry of the coordinates that are declared: "x", or "r[1,1]" of "r[N,3]"."""
    name, _, sizes = _declared(declared)[0].partition("[")
    return f"{name}[{','.join('1' for _ in sizes.split(','))}]" if sizes else name


def model_text(title="", **sections):
    """The model file that keywords stand for.

    >>> import cotangent as ct
    >>> x, y = ct.coordinates("x y")
    >>> print(model_text(coordinates=[x, y], hamiltonian=(x.p**2 + y.p**2)/2 + y,
    ...                  constraints={"rod": x**2 + y**2 == 1}, initial={x: 1, y: 0, x.p: 0, y.p: 0}))
    [system]
    "coordinates" = ["x", "y"]
    "hamiltonian" = "(p_x^2 + p_y^2)/2 + y"
    <BLANKLINE>
    [constraints]
    "rod" = "x^2 + y^2 = 1"
    <BLANKLINE>
    [initial]
    "x" = 1
    "y" = 0
    "p_x" = 0
    "p_y" = 0
    <BLANKLINE>
    """
    lines = [f"title = {_string(title)}", ""] if title else []
    system = {name: sections.pop(name) for name in _SYSTEM if sections.get(name) is not None}
    if system:
        lines.append("[system]")
        for name, value in system.items():
            is_list = name in ("coordinates", "states", "algebraic")
            lines.append(f"{_string(name)} = {_value(_declared(value)) if is_list else _value(value)}")
        lines.append("")
    for section, entries in sections.items():
        if entries is None:
            continue
        content = "equation" if section in ("constraints", "algebraic_equations") else "value"
        lines.append(f"[{section}]")
        lines += [f"{_string(_name(name))} = {_value(value, content)}" for name, value in entries.items()]
        lines.append("")
    return "\n".join(lines)
