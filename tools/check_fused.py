#!/usr/bin/env python3
"""Fails if a library has fused instructions that nobody wrote.

  python3 tools/check_fused.py OBJDUMP LIBRARY

fma() becomes vfmadd, vfmsub and their like. Only a vectoriser makes vfmaddsub and vfmsubadd, of products and sums that
were to be rounded apart.
"""

import re
import subprocess
import sys

FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
FUSED = re.compile(r"\svfm(addsub|subadd)")


def main():
    objdump, library = sys.argv[1:]
    listing = subprocess.run([objdump, "-dC", "--no-show-raw-insn", library], check=True, capture_output=True, text=True)
    function, fused, written = "", [], 0
    for line in listing.stdout.splitlines():
        if match := FUNCTION.match(line):
            function = match[1]
        elif FUSED.search(line):
            fused.append(function)
        elif "vfmadd" in line or "vfnmadd" in line:
            written += 1
    for name in sorted(set(fused)):
        print(f"fused by the compiler: {name}")
    if written == 0:
        print(f"{library}: no fma() has become an instruction")
    sys.exit(bool(fused) or written == 0)


main()
