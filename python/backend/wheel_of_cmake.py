"""Builds the wheel of the package with CMake and the standard library: a build backend [PEP 517] without requirements.

The folder build/ is used as it is, if there is one; a first build takes as long as `./dev build`.
"""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"


def version():
    return re.search(r"^project\(cotangent VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


def metadata():
    """The core metadata: what pyproject.toml says, as it has to be written."""
    return "\n".join(
        (
            "Metadata-Version: 2.1",
            "Name: cotangent",
            f"Version: {version()}",
            "Summary: Simulates constrained mechanical systems: H(q, p) with constraints g(q) = 0",
            "License: MIT",
            "Requires-Python: >=3.9",
            "Requires-Dist: numpy",
            "Provides-Extra: sparse",
            "Requires-Dist: scipy; extra == 'sparse'",
            "Provides-Extra: frames",
            "Requires-Dist: pandas; extra == 'frames'",
            "Description-Content-Type: text/markdown",
            "",
            (ROOT / "README.md").read_text(),
        )
    )


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def is_configured_for(python):
    """Whether build/ makes the package for that Python already."""
    cache = BUILD / "CMakeCache.txt"
    entries = dict(re.findall(r"^(\w+):\w+=(.*)$", cache.read_text(), re.MULTILINE)) if cache.exists() else {}
    chosen = entries.get("Python_EXECUTABLE")
    return entries.get("COTANGENT_PYTHON") == "ON" and chosen is not None and pathlib.Path(chosen).resolve() == python.resolve()


def install_into(folder):
    """Compiles the package and copies it there."""

    def run(*command):
        subprocess.run([str(word) for word in command], check=True, stdout=sys.stderr)

    # A virtual environment has no headers: those of the Python that it was made of are meant.
    python = pathlib.Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    if not is_configured_for(python):
        options = ["-DCOTANGENT_PYTHON=ON", f"-DPython_EXECUTABLE={python}"]
        if not (BUILD / "CMakeCache.txt").exists():
            options.append("-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", *options)
    run("cmake", "--build", BUILD, "--target", "cotangent_python")
    run("cmake", "--install", BUILD, "--component", "python", "--prefix", folder, "--strip")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"cotangent-{version()}"
    with tempfile.TemporaryDirectory() as folder:
        staging = pathlib.Path(folder)
        install_into(staging)
        info = staging / f"{name}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(metadata())
        (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: cotangent\nRoot-Is-Purelib: false\nTag: {tag()}\n")
        shutil.copy(ROOT / "LICENSE", info)
        file_name = f"{name}-{tag()}.whl"
        record = f"{info.name}/RECORD"
        lines = []
        with zipfile.ZipFile(pathlib.Path(wheel_directory) / file_name, "w", zipfile.ZIP_DEFLATED) as wheel:
            for file in sorted(path for path in staging.rglob("*") if path.is_file()):
                content, place = file.read_bytes(), file.relative_to(staging).as_posix()
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                lines.append(f"{place},sha256={digest},{len(content)}")
                wheel.write(file, place)
            wheel.writestr(record, "\n".join((*lines, f"{record},,", "")))
    return file_name


def build_sdist(sdist_directory, config_settings=None):
    name = f"cotangent-{version()}"
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        info = pathlib.Path(folder) / "PKG-INFO"
        info.write_text(metadata())
        with tarfile.open(os.path.join(sdist_directory, f"{name}.tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as sdist:
            sdist.add(info, f"{name}/PKG-INFO")
            for file in filter(None, files.split("\0")):
                sdist.add(ROOT / file, f"{name}/{file}")
    return f"{name}.tar.gz"
