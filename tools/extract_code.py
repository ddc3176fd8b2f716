#!/usr/bin/env python3
"""Writes the first block of C++ of a page that is a whole file.

  python3 tools/extract_code.py PAGE.md OUTPUT.cpp
"""

import pathlib
import re
import sys

page, output = map(pathlib.Path, sys.argv[1:])
found = re.search(r"^```cpp\n(#include.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
if not found:
    sys.exit(f"{page} has no block of C++ that begins with #include")
output.write_text(found.group(1))
