"""What notebooks show."""

import html
import re


def frame(page):
    """A page in a frame that may run its scripts and give files, and nothing else; in any encoding of the document around it."""
    text = html.escape(page).encode("ascii", "xmlcharrefreplace").decode()
    return f'<iframe srcdoc="{text}" sandbox="allow-scripts allow-downloads" style="width: 100%; height: 45em; border: 0"></iframe>'


def verbatim(text):
    return f"<pre>{html.escape(text)}</pre>"


def table(rows, caption):
    """A table, whose first row are names of columns, and a sentence below it; what stands in backticks is code."""

    def line(kind, cells):
        return "<tr>" + "".join(f"<{kind}>{html.escape(cell)}</{kind}>" for cell in cells) + "</tr>"

    head, *body = rows
    lines = "".join(line("td", row) for row in body)
    sentence = re.sub("`([^`]*)`", r"<code>\1</code>", html.escape(caption))
    return f"<table>{line('th', head)}{lines}</table><p>{sentence}</p>"
