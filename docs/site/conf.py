"""What Sphinx is told; docs/site/build.py calls it."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

project = "cotangent"
_cmake = (pathlib.Path(__file__).resolve().parents[2] / "CMakeLists.txt").read_text(encoding="utf-8")
version = release = re.search(r"^project\(cotangent VERSION (\S+)", _cmake, re.MULTILINE)[1]
copyright = "the authors of cotangent"

extensions = ["myst_parser", "sphinx.ext.autodoc", "typeset"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"cotangent {version}"
html_copy_source = False
html_show_sourcelink = False
html_static_path = [str(pathlib.Path(__file__).resolve().parent / "style.css")]
html_css_files = ["style.css"]
html_math_renderer = "typeset"

exclude_patterns = ["extra"]
highlight_language = "none"  # of blocks that name none: what the program prints
default_role = "code"  # single backticks in docstrings
autodoc_member_order = "bysource"
# Examples that break off with "..." are no JSON.
suppress_warnings = ["misc.highlighting_failure"]
