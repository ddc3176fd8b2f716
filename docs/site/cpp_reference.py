"""A page of the C++ interface: the headers behind <cotangent/cotangent.hpp> that users name, as they are written."""

import re

# In the order of docs/library.md.
HEADERS = (
    ("Models", "cotangent/run/models.hpp"),
    ("Models made with operators", "cotangent/model/building/model_builder.hpp"),
    ("Terms", "cotangent/model/building/term.hpp"),
    ("Black boxes", "cotangent/model/black_box.hpp"),
    ("Checks of black boxes", "cotangent/system/black_box/black_box_check.hpp"),
    ("Mistakes in models", "cotangent/model/source/source.hpp"),
    ("Options", "cotangent/run/options/run_plan.hpp"),
    ("Options in words", "cotangent/run/options/plan_run.hpp"),
    ("Runs", "cotangent/run/run.hpp"),
    ("What a run comes to", "cotangent/simulation/summary.hpp"),
    ("Points", "cotangent/run/evaluation.hpp"),
    ("Comparisons", "cotangent/run/compare/compare.hpp"),
    ("Initial values from files", "cotangent/run/initial_files.hpp"),
)


def _without_private(code):
    """Private parts of classes are left out: they end with the class."""
    return re.sub(r"\n*^( *) private:\n.*?(?=^\1};)", "\n", code, flags=re.DOTALL | re.MULTILINE)


def _declarations(header):
    """What stands in the namespace: pieces that blank lines divide, whole classes among them."""
    body = re.search(r"^namespace cotangent \{\n(.*)^\}  // namespace cotangent", header, re.DOTALL | re.MULTILINE)[1]
    piece, depth = [], 0
    for line in _without_private(body).split("\n"):
        if not line.strip() and depth == 0:
            if piece:
                yield piece
            piece = []
            continue
        piece.append(line)
        code = line.split("//")[0]
        depth += code.count("{") - code.count("}")
    if piece:
        yield piece


def _name(code):
    """What is declared: a class, or the last word before the first parenthesis."""
    found = re.search(r"^(?:enum )?(?:class|struct)(?: \[\[\w+\]\])? (\w+)|(\w+|operator\S+)\(|using (\w+)", code, re.MULTILINE)
    return next((name for name in found.groups() if name), None) if found else None


def page(root):
    text = ["# C++ reference", "", "`#include <cotangent/cotangent.hpp>` has all of this, in the namespace `cotangent`. "
            "[The library](library.md) shows how it goes together.", ""]  # fmt: skip
    for title, file in HEADERS:
        text += [f"## {title}", "", f"`{file}`", ""]
        for piece in _declarations((root / file).read_text(encoding="utf-8")):
            # Comments above a declaration explain it; an example among them is indented.
            comment = [line for line in piece if line.startswith("///")]
            code = piece[len(comment):] if piece[: len(comment)] == comment else piece
            if not code:
                text += [re.sub(r"^/// ?", "", line) for line in comment] + [""]
                continue
            if name := _name("\n".join(code)):
                text += [f"### `{name}`", ""]
            text += ["```cpp", *piece, "```", ""]
    return "\n".join(text)
