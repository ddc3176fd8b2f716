"""The page of the gallery: every ready model in a picture made from a run of it, some with the page of the program beside it."""

import html
import itertools
import re

# Models whose pages are shown in motion.
LIVE = ("double_pendulum", "slider_crank", "four_bar", "heavy_top", "chain", "kepler")
SIZE, POINTS, WAYS = 240, 3000, 25


def paths(run):
    """The ways of points in a plane, lists of (x, y): of coordinates x.., y.., of arrays of vectors, or of the first two numbers."""
    numbers, rows = run.names[1:], run.q if run.q.shape[1] else run.s
    names = numbers[: rows.shape[1]]
    found = []
    for k, name in enumerate(names):
        partner = "y" + name[1:] if name.startswith("x") else re.sub(r"(,|\[)1\]$", r"\g<1>2]", name)
        if partner != name and partner in names:
            found.append((rows[:, k], rows[:, names.index(partner)]))
    if found or len(names) == 1:
        return found or [(run.t, rows[:, 0])]
    return [(rows[:, 0], rows[:, 1])]


def picture(run):
    """An SVG: the ways, and where the points are at the end."""
    ways = paths(run)
    low = [min(float(way[k].min()) for way in ways) for k in (0, 1)]
    high = [max(float(way[k].max()) for way in ways) for k in (0, 1)]
    middle, width = [(a + b) / 2 for a, b in zip(low, high)], max(b - a for a, b in zip(low, high)) or 1.0
    scale = 0.88 * SIZE / width

    def place(x, y):
        return f"{SIZE / 2 + scale * (x - middle[0]):.1f},{SIZE / 2 - scale * (y - middle[1]):.1f}"

    ways = ways[:: -(-len(ways) // WAYS)]
    stride, lines = max(1, len(run) * len(ways) // POINTS), []
    for k, (x, y) in enumerate(ways):
        points = " ".join(place(*point) for point in itertools.islice(zip(x, y), 0, None, stride))
        lines.append(f'<polyline class="way way-{k % 6}" points="{points}"/>')
        cx, cy = place(x[-1], y[-1]).split(",")
        lines.append(f'<circle class="way-{k % 6}" cx="{cx}" cy="{cy}" r="3"/>')
    return f'<svg viewBox="0 0 {SIZE} {SIZE}" role="img" aria-label="{html.escape(run.model.title)}">{"".join(lines)}</svg>'


def card(name, run, has_page):
    link = f' <a href="../gallery/{name}.html">in motion</a>' if has_page else ""
    return (f'<figure class="card">{picture(run)}<figcaption>{html.escape(run.model.title)}<br/>'
            f"<code>cotangent run {name}</code>{link}</figcaption></figure>")  # fmt: skip


def make(folder):
    """Writes pages in motion into a folder. The text of the page."""
    import cotangent as ct

    cards = []
    folder.mkdir(parents=True, exist_ok=True)
    for name, file in ct.models().items():
        if file.parent.name != "models":
            continue
        run = ct.Model(name).run(monitor=["energy"] if name in LIVE else [])
        if name in LIVE:
            (folder / f"{name}.html").write_text(run.page(), encoding="utf-8")
        cards.append(card(name, run, name in LIVE))
    return ("# Gallery\n\nThe ready models, as their files have them: ways of their points, and where these are at the end. "
            "[The zoo](../models/README.md) says what each is about.\n\n"
            f'```{{raw}} html\n<div class="gallery">{"".join(cards)}</div>\n```\n')  # fmt: skip
