#!/usr/bin/env python3
"""Fails if a file includes what its layer must not know.

  python3 tools/check_layers.py [ROOT]

- A file of the library includes headers of its own layer and of earlier ones, by their path from the root.
- LLVM is seen only by cotangent/kernel/llvm_*, toml++ only by cotangent/model, FLINT only by cotangent/analyze/algebra.
"""

import pathlib
import re
import sys

LAYERS = (
    "base analysis expr derivatives model elements kernel solve system manifold scheme projection formulation integrator "
    "monitor simulation ensemble output report analyze run"
).split()
RANK = {name: rank for rank, name in enumerate(LAYERS)}

# What users include; it belongs to no layer.
UMBRELLA = "cotangent/cotangent.hpp"

# Headers of a library -> the only files that may include them.
CONFINED = {
    re.compile(r"llvm(-c)?/"): re.compile(r"cotangent/kernel/llvm_[^/]*"),
    re.compile(r"flint/"): re.compile(r"cotangent/analyze/algebra/.*"),
    re.compile(r"Eigen/|Spectra/"): re.compile(r"cotangent/analyze/(dense|equilibria)/.*\.cpp|tests/.*"),
    re.compile(r"toml\+\+/|toml\.hpp"): re.compile(r"cotangent/model/.*"),
}

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def faults_of_include(root, path, header, quoted):
    """What is wrong with one #include, as sentences."""
    for headers, allowed in CONFINED.items():
        if headers.match(header) and not allowed.fullmatch(path):
            yield f"<{header}> may be included only by {allowed.pattern}"

    parts = path.split("/")
    if parts[0] != "cotangent":
        return
    here = parts[1]
    if quoted and not (header.startswith("cotangent/") and (root / header).is_file()):
        yield f'"{header}" is not the path of a header from the root'
    elif header.startswith("cotangent/"):
        there = header.split("/")[1]
        if there in RANK and here in RANK and RANK[there] > RANK[here]:
            yield f'the layer {here} must not include "{header}": {there} comes after it'


def faults(root):
    for folder in ("cotangent", "apps", "tests", "benchmarks", "examples", "python"):
        for file in sorted((root / folder).rglob("*.[hc]pp")):
            path = file.relative_to(root).as_posix()
            if folder == "cotangent" and path != UMBRELLA and path.split("/")[1] not in RANK:
                yield f"{path}: the folder is not in the list of layers in tools/check_layers.py"
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                if include := INCLUDE.match(line):
                    for fault in faults_of_include(root, path, include[2], include[1] == '"'):
                        yield f"{path}:{number}: {fault}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    found = list(faults(root))
    if not (root / "cotangent").is_dir():
        found.append(f"{root}: there is no folder cotangent here")
    sys.exit("\n".join(found) or 0)


if __name__ == "__main__":
    main()
