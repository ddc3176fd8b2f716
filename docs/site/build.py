#!/usr/bin/env python3
"""Builds the documentation site with Sphinx: docs/site/build.py FOLDER writes FOLDER/html.

The pages are those of the repository as they are. They are staged in FOLDER/source in the same places, so that their links hold; pages
made from the sources of the library and of the Python package stand beside them. A warning is an error.

PYTHONPATH leads to the package; docs/README.md is the table of contents.
"""

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # beside the sources
import cpp_reference  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = pathlib.Path(__file__).resolve().parent
LINK = re.compile(r"(\]\()([^)#\s]+)(#[^)\s]*)?\)")


def pages():
    """The pages of the site: where they are in the repository, and there."""
    yield ROOT / "README.md", "index.md"
    yield ROOT / "CHANGELOG.md", "CHANGELOG.md"
    yield ROOT / "models/README.md", "models/README.md"
    for page in sorted((ROOT / "docs").glob("*.md")):
        yield page, f"docs/{page.name}"


def with_links(text, page, staged):
    """Links to pages of the site lead there; those to other files of the repository lead to copies; folders have no page."""

    def moved(match):
        target, anchor = match[2], match[3] or ""
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        file = (page.parent / target).resolve()
        if file.is_dir() and (file / "README.md") in staged:
            file = file / "README.md"
        if file in staged:
            depth = len(pathlib.PurePosixPath(staged[page]).parts) - 1
            return f"{match[1]}{'../' * depth}{staged[file]}{anchor})"
        if file.is_dir():
            return f"{match[1]}{'../' * (len(pathlib.PurePosixPath(staged[page]).parts) - 1)}docs/README.md)"
        return match[0]

    return LINK.sub(moved, text)


def outside_code(text, change):
    """Changes what is not in a fenced block."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if k % 2 else change(part) for k, part in enumerate(parts))


def contents(text):
    """The lists of docs/README.md as tables of contents with captions."""
    trees = []
    for caption, entries in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE):
        names = [name for name in re.findall(r"^- \[[^]]*\]\(([^)]*)\)", entries, re.MULTILINE) if name.endswith(".md")]
        lines = "\n".join(str(pathlib.PurePosixPath("docs") / name) for name in names)
        lines = re.sub(r"docs/\.\./", "", lines)
        trees.append(f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lines}\n```\n")
    notebooks = "\n".join(f"examples/{file.stem}" for file in sorted((ROOT / "examples").glob("*.ipynb")))
    named = re.findall(r"\]\(([^)]*)\)", text)
    more = "\n".join(f"docs/{page.stem}" for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in (*named, "README.md"))
    for caption, lines in (("Notebooks", notebooks), ("More", more)):
        if lines:
            trees.append(f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lines}\n```\n")
    trees.append("```{toctree}\n:hidden:\n:caption: Reference\n\ndocs/gallery-of-models\ndocs/reference-python\ndocs/reference-cpp\ndocs/README\n```\n")
    return "\n".join(trees)


def page_of_notebook(file):
    """The cells of a notebook."""
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    return "\n\n".join(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```" for cell, text in zip(cells, texts)) + "\n"


def stage(folder):
    import gallery  # needs the package

    staged = {file: place for file, place in pages()}
    for notebook in sorted((ROOT / "examples").glob("*.ipynb")):
        staged[notebook] = f"examples/{notebook.stem}.md"
        (folder / "examples").mkdir(parents=True, exist_ok=True)
        (folder / staged[notebook]).write_text(page_of_notebook(notebook), encoding="utf-8")
    for made in ("reference-cpp.md", "reference-python.md"):
        staged[ROOT / "docs" / made] = f"docs/{made}"
    for file, place in pages():
        to = folder / place
        to.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text(encoding="utf-8")
        text = outside_code(text, lambda part: with_links(part, file, staged))  # noqa: B023
        text = text.replace("\n```math\n", "\n```{math}\n")
        if place == "index.md":
            text += "\n" + contents((ROOT / "docs/README.md").read_text(encoding="utf-8"))
        to.write_text(text, encoding="utf-8")
    for kind in ("docs/*.png", "docs/*.svg", "docs/*.bib", "docs/*.json", "docs/*/*.png", "docs/*/*.svg", "examples/*.*", "LICENSE",
                 "models/*.toml", "models/*/*.toml", "experiments/*/*.toml"):  # fmt: skip
        for file in ROOT.glob(kind):
            to = folder / file.relative_to(ROOT)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, to)
    (folder / "docs/reference-cpp.md").write_text(cpp_reference.page(ROOT), encoding="utf-8")
    (folder / "docs/gallery-of-models.md").write_text(gallery.make(folder / "extra/gallery"), encoding="utf-8")
    shutil.copy(OWN / "reference-python.md", folder / "docs")


def mistakes(folder):
    """What is wrong with the pages: links and places in them that are not there, and whatever a browser would fetch from elsewhere."""
    names, found = {}, []
    for page in folder.rglob("*.html"):
        names[page.resolve()] = set(re.findall(r'\bid="([^"]+)"', page.read_text(encoding="utf-8")))
    for page in sorted(names):
        if page.parent.name == "gallery":  # pages of the program, which have tests of their own
            continue
        text = page.read_text(encoding="utf-8")
        for tag, link in re.findall(r'<(\w+)\b[^>]*?\b(?:href|src)="([^"]*)"', text):
            target, _, anchor = html.unescape(link).partition("#")
            if re.match(r"[a-z]+:", target):
                if tag != "a" and not target.startswith("data:"):
                    found.append(f"{page.relative_to(folder)} fetches {target}")
                continue
            file = (page.parent / target.partition("?")[0]).resolve() if target else page
            if not file.exists():
                found.append(f"{page.relative_to(folder)} leads to {link}, which is not there")
            elif anchor and file in names and anchor not in names[file] and "." not in anchor[:1]:
                found.append(f"{page.relative_to(folder)} leads to {link}, a place that is not there")
    for style in folder.rglob("*.css"):
        found += [f"{style.relative_to(folder)} fetches {url}" for url in re.findall(r"url\(([\"']?https?:[^)]*)\)", style.read_text(encoding="utf-8"))]
    return found


def main():
    out = pathlib.Path(sys.argv[1]).resolve()
    for folder in ("source", "html"):
        shutil.rmtree(out / folder, ignore_errors=True)
    stage(out / "source")
    shutil.copytree(out / "source/extra", out / "html", dirs_exist_ok=True)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", OWN, "-d", out / "doctrees", out / "source",
               out / "html"]  # fmt: skip
    if subprocess.run([str(word) for word in command]).returncode:
        sys.exit("the site was not built")
    sys.exit("\n".join(mistakes(out / "html")) or 0)


if __name__ == "__main__":
    main()
