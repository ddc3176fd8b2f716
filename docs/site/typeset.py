"""Formulas typeset by KaTeX while the site is built: pages need no script, and a formula that is wrong is a warning."""

import base64
import json
import os
import pathlib
import re
import subprocess

from sphinx.util import logging

KATEX = pathlib.Path("/usr/share/nodejs/katex/dist")  # Debian's package katex
PROGRAM = pathlib.Path(__file__).resolve().parent / "typeset.cjs"
logger = logging.getLogger(__name__)


class Typesetter:
    """A process that answers a formula in each line by its HTML."""

    process = None

    def __call__(self, text, is_display, where):
        if self.process is None:
            self.process = subprocess.Popen(
                ["node", PROGRAM, KATEX / "katex.js"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
            )
        self.process.stdin.write(json.dumps([text, is_display]) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            logger.warning("%s: %s", text, answer["error"], location=where)
        return answer.get("html", "")


typeset = Typesetter()


def visit_inline(writer, node):
    from docutils import nodes

    writer.body.append(typeset(node.astext(), False, node))
    raise nodes.SkipNode


def visit_block(writer, node):
    from docutils import nodes

    writer.body.append(f'<div class="math">{typeset(node.astext(), True, node)}</div>\n')
    raise nodes.SkipNode


def write_style(app):
    """The style sheet of KaTeX with its fonts inside: it works from the disk as well."""
    if app.builder.format != "html":
        return

    def font(match):
        data = base64.b64encode((KATEX / match[1]).read_bytes()).decode()
        return f'src:url(data:font/woff2;base64,{data}) format("woff2")'

    style = (KATEX / "katex.min.css").read_text(encoding="utf-8")
    style = re.sub(r"src:url\((fonts/[\w-]+\.woff2)\) format\('woff2'\)[^;}]*", font, style)
    folder = pathlib.Path(app.outdir) / "_static"
    os.makedirs(folder, exist_ok=True)
    (folder / "katex.css").write_text(style, encoding="utf-8")


def setup(app):
    app.add_html_math_renderer("typeset", (visit_inline, None), (visit_block, None))
    app.add_css_file("katex.css")
    app.connect("builder-inited", write_style)
    return {"parallel_read_safe": True}
