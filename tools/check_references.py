#!/usr/bin/env python3
"""Fails if a reference that is cited has no complete entry in docs/references.bib.

  python3 tools/check_references.py [ROOT]

A citation is a key in brackets in a comment or in the documentation, [hlw06] or [hlw06, VII.1.4], several separated
by semicolons, or the text of a `.reference = "hlw06"` in a fact sheet.
"""

import pathlib
import re
import sys

KEY = r"[a-z]{3,}(?:-[a-z]+)*(?:\d{4}|\d{2})[a-z]?"
BRACKET = re.compile(rf"\[({KEY}(?:,[^;\]]*)?(?:;\s*{KEY}(?:,[^;\]]*)?)*)\](?!\()")
SHEET = re.compile(rf'\.reference = "({KEY})"')
ENTRY = re.compile(r"^@(\w+)\{([^,\s]+),(.*?)^\}", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^\s*(\w+)\s*=", re.MULTILINE)

# What may hold a citation in each kind of file; the rest of a source file is code, where brackets are indices.
COMMENTS = {
    ".hpp": re.compile(r"//.*"),
    ".cpp": re.compile(r"//.*"),
    ".py": re.compile(r"#.*"),
    ".toml": re.compile(r"#.*"),
    ".md": re.compile(r".*"),
}
FOLDERS = ("cotangent", "apps", "tests", "benchmarks", "examples", "python", "models", "experiments", "docs")


def citations(root):
    """(key, place) of every citation."""
    files = [file for folder in FOLDERS for file in sorted((root / folder).rglob("*"))] + sorted(root.glob("*.md"))
    for file in files:
        if file.suffix not in COMMENTS:
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            place = f"{file.relative_to(root)}:{number}"
            comment = COMMENTS[file.suffix].search(line)
            for bracket in BRACKET.findall(comment[0]) if comment else ():
                for part in bracket.split(";"):
                    yield part.split(",")[0].strip(), place
            for key in SHEET.findall(line):
                yield key, place


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    found, known = [], {}
    for _, key, body in ENTRY.findall((root / "docs/references.bib").read_text(encoding="utf-8")):
        if key in known:
            found.append(f"docs/references.bib: the key {key} occurs twice")
        known[key] = set(FIELD.findall(body))
        if missing := {"author", "title", "year"} - known[key]:
            found.append(f"docs/references.bib: {key} has no {', '.join(sorted(missing))}")
    for key, place in citations(root):
        if key not in known:
            found.append(f"{place}: [{key}] is not in docs/references.bib")
    sys.exit("\n".join(found) or 0)


if __name__ == "__main__":
    main()
