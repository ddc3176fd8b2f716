#!/usr/bin/env python3
"""Fails if a page of the documentation shows a program that is not, to the letter, the example that is compiled and run.

  python3 tools/check_examples.py [ROOT]
"""

import pathlib
import sys

# Page -> the example that it shows.
SHOWN = {"docs/black-box.md": "examples/6_black_box.cpp"}


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    stale = [
        f"{page} does not show {example} as it is"
        for page, example in SHOWN.items()
        if f"```cpp\n{(root / example).read_text(encoding='utf-8')}```\n" not in (root / page).read_text(encoding="utf-8")
    ]
    sys.exit("\n".join(stale) or 0)


if __name__ == "__main__":
    main()
