"""What a notebook shows of a run, in a browser: test_frame.py NODE BROWSER.mjs MODULES CHROMIUM"""

import pathlib
import subprocess
import sys
import tempfile

import cotangent as ct

node, driver, modules, chromium = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    page = pathlib.Path(folder) / "notebook.html"
    # No encoding is told.
    page.write_text(f"<!doctype html><body>{ct.Model('double_pendulum').run(end=20)._repr_html_()}", encoding="ascii")
    test = pathlib.Path(__file__).with_name("frame_test.mjs")
    sys.exit(subprocess.run([node, test, driver, modules, chromium, page], timeout=120).returncode)
