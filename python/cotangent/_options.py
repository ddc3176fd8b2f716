"""Options of runs: keywords become texts, as they would stand on a command line."""

import os

from . import _core

_TABLE = {sheet["name"]: sheet for sheet in _core.options()}


def options():
    """The options of a run: a dictionary of their names with what help says of them.

    >>> import cotangent as ct
    >>> ct.options()["tolerance"]
    'adaptive steps: the relative error of a step that is tolerated'
    """
    return {name: sheet["help"] for name, sheet in _TABLE.items()}


def text_of(value):
    """A value as the text of an option: a list with commas, a number with all its digits."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(text_of(item) for item in value)
    if isinstance(value, float) or type(value).__module__ == "numpy":
        return repr(float(value)) if getattr(value, "ndim", 0) == 0 else ",".join(text_of(x) for x in value)
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def texts_of(keywords):
    """Pairs of an option and its text. None and False stand for an option that is not given."""
    texts = []
    for name, value in keywords.items():
        if value is None or value is False:
            continue
        is_flag = name in _TABLE and _TABLE[name]["kind"] == "flag"
        if name == "monitor" and not isinstance(value, str) and len(value) == 0:
            value = "none"
        texts.append((name.replace("_", "-"), "true" if is_flag else text_of(value)))
    return tuple(texts)


def set_of(values):
    """Parameters and initial values as the NAME=VALUE of --set."""
    return [f"{name}={text_of(value)}" for name, value in values.items()]
