"""The page of the gallery: every ready model in a picture made from a run of it, some with the page of the program beside it."""

import base64
import html
import json
import math
import re
import zlib

import numpy as np

# Models whose pages are shown in motion.
LIVE = ("double_pendulum", "slider_crank", "four_bar", "heavy_top", "chain", "kepler")
SIZE, POINTS, WAYS = 240, 3000, 25


def _numbers(text, kind):
    """Numbers as cotangent/report/packed.hpp has them."""
    planes = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8)
    width = np.dtype(kind).itemsize
    return np.ascontiguousarray(planes.reshape(width, -1).T).view(kind).ravel()


def _frames(packed):
    """An array of columns and frames."""
    codes = _numbers(packed["data"], np.uint16).reshape(packed["columns"], packed["rows"])
    codes = codes.cumsum(axis=1, dtype=np.uint16).cumsum(axis=1, dtype=np.uint16)
    low, high = (_numbers(packed[name]["data"], np.float64)[:, None] for name in ("low", "high"))
    return low + (high - low) / 65535 * codes


def _projected(points, picture):
    """Points (number, component, frame) in the plane of the picture, as one looks at it first."""
    if points.shape[1] == 2:
        return points
    up = "xyz".index(picture["up"])
    x, y, z = (points[:, (up + k) % 3] for k in (1, 2, 0))
    a, e = math.radians(picture["azimuth"]), math.radians(picture["elevation"])
    return np.stack([-math.sin(a) * x + math.cos(a) * y, math.cos(e) * z - math.sin(e) * (math.cos(a) * x + math.sin(a) * y)], axis=1)


def mechanism(run):
    """What the picture of a model shows: ways (x, y) of points, what is joined at the end, and points there. None without one."""
    data = json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', run.page(), re.DOTALL)[1])
    picture = data["runs"][0].get("picture")
    count = sum(point["count"] for point in picture["points"]) if picture else 0
    if count == 0:
        return None
    dimension = picture["dimension"]
    points = _projected(_frames(picture["frames"])[: count * dimension].reshape(count, dimension, -1), picture)
    places = {kind: {k for path in picture[kind] for k in path} for kind in ("rods", "lines", "polygons", "trails")}
    left = sorted(places["trails"]) or range(count)
    joined = [(kind, [points[k, :, -1] for k in path]) for kind in ("rods", "lines", "polygons") for path in picture[kind]]
    # Points of lines only are not drawn.
    drawn = [k for k in range(count) if k not in (places["lines"] | places["polygons"]) - places["rods"] - places["trails"]]
    return [points[k] for k in left], joined, points[drawn, :, -1]


def portrait(run):
    """Without a picture: the first two numbers against each other, or the only one over the time."""
    rows = run.q if run.q.shape[1] else run.s
    way = np.stack([rows[:, 0], rows[:, 1]] if rows.shape[1] > 1 else [run.t, rows[:, 0]])
    return [way], [], way[None, :, -1]


def picture(run):
    ways, joined, points = mechanism(run) or portrait(run)
    ways = ways[:: -(-len(ways) // WAYS)]
    seen = np.concatenate([*ways, points.T, *(np.array(path).T for _, path in joined)], axis=1)
    low, high = seen.min(axis=1), seen.max(axis=1)
    scale = 0.88 * SIZE / ((high - low).max() or 1.0)

    def place(point):
        x, y = scale * (point - (low + high) / 2)
        return f"{SIZE / 2 + x:.1f},{SIZE / 2 - y:.1f}"

    def line(kind, path):
        return f'<polyline class="{kind}" points="{" ".join(map(place, path))}"/>'

    stride = max(1, ways[0].shape[1] * len(ways) // POINTS)
    parts = [line(f"way way-{k % 6}", way.T[::stride]) for k, way in enumerate(ways)]
    parts += [line(kind, path) for kind, path in joined]
    for point in points[:200]:
        x, y = place(point).split(",")
        parts.append(f'<circle cx="{x}" cy="{y}" r="3"/>')
    return f'<svg viewBox="0 0 {SIZE} {SIZE}" role="img" aria-label="{html.escape(run.model.title)}">{"".join(parts)}</svg>'


def card(name, run):
    link = f' <a href="../gallery/{name}.html">in motion</a>' if name in LIVE else ""
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
        cards.append(card(name, run))
    return ("# Gallery\n\nThe ready models, run as their files say: ways of points, and where everything is at the end. "
            "[The zoo](../models/README.md) says what each is about.\n\n"
            f'```{{raw}} html\n<div class="gallery">{"".join(cards)}</div>\n```\n')  # fmt: skip
