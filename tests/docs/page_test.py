"""Runs everything that a page of the documentation tells its reader to type: page_test.py PROGRAM ROOT PAGE.md

Blocks of sh are commands, in a folder that looks like the repository after `./dev build`, without changing it. Blocks of python are one
program; blocks of toml that are models or experiments are read. What is not run is named here, with the reason.
"""

import importlib.util
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

# Commands of ./dev that compile, test or measure: that there is such a command is all that is looked at.
DEV = ("build", "test", "python", "docs", "bench", "sanitize", "fuzz", "format", "lint", "clean")
# What other tests run (package, examples/, python.*, app.reproduce), what measures for minutes, and what would install something.
ELSEWHERE = re.compile(r"cmake |\./dev build && cmake|pip install|build/venv/|apt-get |python3 benchmarks/|cotangent reproduce |build/bin/cotangent reproduce ")
# Programs that may be missing.
NEEDS = ((["cotangent", "plot"], "gnuplot"), (["man"], "man"))
# Commands that a page shows because they end in another status.
STATUS = {
    "cotangent run elastic_pendulum --method gauss:2 --step 0.02 --end 20 --set k=1e6 --set x=0.6 --set y=-0.8 --solver functional": 1
}

program, root, page = map(pathlib.Path, sys.argv[1:])


def blocks(*languages):
    """Pairs of a language and a text, in the order of the page."""
    text = re.sub(r"^> ?", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return re.findall(rf"^```({'|'.join(languages)})\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def named_file(text):
    """The file that a block is, or continues: its first line is a comment that begins with the name."""
    found = re.match(r"# ([\w.-]+\.toml)\b", text)
    return found[1] if found else None


def commands(folder):
    """Lines with their words. Files that the reader is told to save are written before what comes after them."""
    for language, block in blocks("sh", "toml"):
        if language == "toml":
            if name := named_file(block):
                with open(folder / name, "a", encoding="utf-8") as file:
                    file.write(block)
            continue
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words:
                yield line.strip(), words


def look_like_the_repository(folder):
    for name in ("models", "experiments", "examples", "benchmarks", "tests", "docs"):
        (folder / name).symlink_to(root / name)
    (folder / "build/bin").mkdir(parents=True)
    (folder / "build/bin/cotangent").symlink_to(program)
    dev = folder / "dev"
    dev.write_text('#!/bin/sh\n[ "$1" = run ] && exec cotangent "$@"\necho "no $1 here" >&2\nexit 2\n')
    dev.chmod(0o755)


def run_commands(folder):
    look_like_the_repository(folder)
    usage = subprocess.run([root / "dev"], capture_output=True, text=True, check=True).stdout
    environment = {**os.environ, "PATH": f"{folder / 'build/bin'}{os.pathsep}{os.environ['PATH']}"}
    failed = []
    for line, words in commands(folder):
        if ELSEWHERE.match(line):
            continue
        if words[0] == "./dev" and words[1] in DEV:
            if not re.search(rf"^  {words[1]}\b", usage, re.MULTILINE):
                failed.append(f"{line}: there is no ./dev {words[1]}")
            continue
        if any(words[: len(start)] == start and not shutil.which(needed) for start, needed in NEEDS):
            continue
        done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, timeout=240)
        if done.returncode != STATUS.get(" ".join(words), STATUS.get(line, 0)):
            failed.append(f"{line}\n  ended in {done.returncode}\n{done.stderr}")
    return failed


def run_models(folder):
    """Models are checked, those without initial values analysed; experiments are made."""
    failed = []
    for number, (_, text) in enumerate(blocks("toml"), 1):
        if named_file(text):
            continue
        command = "check" if "[initial]" in text else "analyze"
        command = "reproduce" if "[[claims]]" in text else command if "[system]" in text else None
        if command:
            file = folder / f"block_{number}.toml"
            file.write_text(text, encoding="utf-8")
            done = subprocess.run([program, command, file], cwd=folder, capture_output=True, text=True, timeout=240)
            failed += [f"{command} of block {number} of toml\n{done.stderr}{done.stdout}"] if done.returncode else []
    return failed


def run_python(folder):
    """Without blocks that import what is not installed."""

    def can_run(code):
        names = re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE)
        return all(name == "cotangent" or importlib.util.find_spec(name) for name in names)

    code = "\n".join(text for _, text in blocks("python") if can_run(text))
    if not code:
        return []
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=folder, capture_output=True, text=True, timeout=240)
    return [done.stderr] if done.returncode else []


with tempfile.TemporaryDirectory() as folder:
    mistakes = [mistake for run in (run_commands, run_models, run_python) for mistake in run(pathlib.Path(folder))]
sys.exit("\n".join(mistakes) or 0)
