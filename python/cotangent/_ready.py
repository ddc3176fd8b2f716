"""Ready models and published experiments, which come with the package."""

import pathlib

from . import _core

_FOLDER = pathlib.Path(__file__).absolute().parent


def models():
    """The names of the ready models, with their files.

    >>> import cotangent as ct
    >>> "pendulum" in ct.models()
    True
    """
    return {file.stem: file for file in sorted((_FOLDER / "models").rglob("*.toml"))}


def experiments():
    """The names of the published experiments, with their files.

    >>> import cotangent as ct
    >>> "seiler/fig-1" in ct.experiments()
    True
    """
    folder = _FOLDER / "experiments"
    return {file.relative_to(folder).with_suffix("").as_posix(): file for file in sorted(folder.rglob("*.toml"))}


def find_model(name):
    """The file that a user names: a path or, where there is no such file, a ready model."""
    path = pathlib.Path(name)
    if path.exists() or path.suffix or path.parent != pathlib.Path("."):
        return path
    ready = models()
    _core.expect_name("file or ready model", str(name), list(ready))
    return ready[str(name)]
