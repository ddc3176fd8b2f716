#!/usr/bin/env python3
"""Pages and plots on the terminal: usage report_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import base64
import json
import re
import shutil
import struct
import sys
import unittest
import zlib

sys.dont_write_bytecode = True  # beside the sources
from program import MODELS, ProgramTest, main  # noqa: E402

SPIRAL = """
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + sqrt(0.7 - x)"
[initial]
x = 0
y = 0
p_x = 1
p_y = 0
[run]
method = "rk4"
step = 0.01
end = 5
"""


def planes(text, size):
    raw = zlib.decompress(base64.b64decode(text))
    count = len(raw) // size
    return b"".join(bytes(raw[b * count + k] for b in range(size)) for k in range(count))


def numbers(packed):
    return list(struct.unpack(f"<{packed['count']}d", planes(packed["data"], 8)))


def frames(packed):
    """Rows of numbers, as the page reads them."""
    rows, columns = packed["rows"], packed["columns"]
    steps = struct.unpack(f"<{rows * columns}H", planes(packed["data"], 2))
    table = [[0.0] * columns for _ in range(rows)]
    lows, highs = numbers(packed["low"]), numbers(packed["high"])
    for c in range(columns):
        value = difference = 0
        low, high = lows[c], highs[c]
        for r in range(rows):
            difference = (difference + steps[c * rows + r]) % 65536
            value = (value + difference) % 65536
            table[r][c] = low + (high - low) * value / 65535
    return table


class ReportTest(ProgramTest):
    def page(self, *arguments, status=0):
        result = self.call("run", *arguments, "--report", "page.html", "--quiet")
        if "built without the page" in result.stderr:
            raise unittest.SkipTest("built without Node.js")
        self.assertEqual(result.returncode, status, result.stderr)
        return self.data("page.html")

    def data(self, name):
        text = (self.folder / name).read_text()
        found = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)
        self.assertTrue(text.startswith("<!doctype html>"))
        return json.loads(found[1])

    def columns(self, record):
        return {"t": numbers(record["t"]), **{c["name"]: numbers(c["values"]) for c in record["columns"]}}

    def test_page_has_the_record_to_the_last_bit(self):
        page = self.page(MODELS / "pendulum.toml", "--end", 2, "--out", "a.csv", "--set", "l=1")
        run = page["runs"][0]
        rows = self.read_csv("a.csv")
        columns = self.columns(run["record"])
        self.assertEqual(list(columns), list(rows[0]))
        for name, values in columns.items():
            self.assertEqual(values, [float(row[name]) for row in rows], name)
        self.assertEqual(run["summary"]["method"], "rattle")
        self.assertEqual(page["source"]["text"], (MODELS / "pendulum.toml").read_text())
        self.assertEqual(page["source"]["set"], ["l=1"])
        self.assertIn("--end 2", page["command"])
        self.assertEqual(page["equations"][0]["text"], "(p_x^2 + p_y^2)/(2*m) + m*g*y")
        picture = run["picture"]
        self.assertEqual(picture["rods"], [[0, 1]])
        for frame, row in zip(frames(picture["frames"]), rows):
            self.assertAlmostEqual(frame[2], float(row["x"]), delta=1e-4)
            self.assertAlmostEqual(frame[3], float(row["y"]), delta=1e-4)

    def test_every_model_with_a_picture_moves(self):
        for path in sorted(MODELS.rglob("*.toml")):
            if "[picture]" not in path.read_text():
                continue
            with self.subTest(model=path.stem):
                if path.stem in ("butane", "outer_solar_system"):
                    continue  # a step longer than these few
                page = self.page(path, "--every", 20, "--end", 0.02 if path.stem == "andrews" else 1)
                picture = page["runs"][0]["picture"]
                self.assertTrue(picture["stated"])
                table = frames(picture["frames"])
                self.assertTrue(any(a != b for a, b in zip(table[0], table[-1])))

    def test_what_has_no_picture_gets_one_where_names_say_so(self):
        page = self.page(self.model(SPIRAL), "--end", 0.5)
        picture = page["runs"][0]["picture"]
        self.assertFalse(picture["stated"])
        self.assertEqual(picture["points"][0]["name"], "point")
        self.assertNotIn("picture", self.page(MODELS / "batch_reactor.toml", "--end", 0.01)["runs"][0])

    def test_a_run_that_fails_has_its_page(self):
        page = self.page(self.model(SPIRAL), status=1)
        summary = page["runs"][0]["summary"]
        self.assertEqual(summary["status"], "failed")
        self.assertGreater(summary["failure"]["time"], 0.1)
        self.assertEqual(numbers(page["runs"][0]["record"]["t"])[-1], summary["time"])

    def test_sections_spectra_and_certificates_are_there(self):
        page = self.page(MODELS / "henon_heiles.toml", "--end", 100, "--section", "x", "--periodogram", "y", "--certify")
        run = page["runs"][0]
        self.assertEqual(run["section"]["records"], run["summary"]["section"]["count"])
        self.assertTrue(all(abs(x) < 1e-9 for x in self.columns(run["section"])["x"]))
        peak = run["summary"]["periodogram"]["y"]["peaks"][0]["frequency"]
        power, frequency = (numbers(run["periodograms"][0][key]) for key in ("power", "frequency"))
        self.assertAlmostEqual(frequency[power.index(max(power))], peak, delta=0.01)
        self.assertIn("certificate", run["summary"])

    def test_large_systems_have_a_choice_of_columns(self):
        page = self.page(MODELS / "chain.toml", "--set", "N=100", "--end", 0.1)
        record = page["runs"][0]["record"]
        self.assertEqual(record["columns_in_all"], 403)
        names = [column["name"] for column in record["columns"]]
        self.assertEqual(len(names), 16 + 16 + 3)
        self.assertEqual((names[0], names[15]), ("x[1]", "y[100]"))
        self.assertEqual(len(page["runs"][0]["picture"]["rods"][0]), 101)
        self.assertNotIn("state", page["runs"][0]["summary"])

    def test_a_picture_that_is_too_large_is_left_out_with_a_note(self):
        page = self.page(MODELS / "chain.toml", "--set", "N=100001", "--end", 0.01, "--monitor", "energy")
        self.assertNotIn("picture", page["runs"][0])
        self.assertIn("200004 numbers", " ".join(page["runs"][0]["summary"]["notes"]))

    def test_thinned_records_know_their_extrema(self):
        record = self.page(MODELS / "pendulum.toml", "--end", 400)["runs"][0]["record"]
        self.assertEqual((record["records"], record["stride"]), (40001, 4))
        x = record["columns"][0]
        self.assertGreaterEqual(max(numbers(x["extrema"]["high"])), max(numbers(x["values"])))

    def test_text_of_a_model_cannot_end_the_script(self):
        text = SPIRAL.replace("[system]", '# </script><script>alert(1)</script> "\\\n[system]', 1)
        page = self.page(self.model(text), "--end", 0.1)
        self.assertIn("</script><script>alert(1)", page["source"]["text"])

    def test_a_page_takes_the_place_of_a_page_only(self):
        self.page(MODELS / "pendulum.toml", "--end", 1)
        self.page(MODELS / "pendulum.toml", "--end", 1)
        (self.folder / "other.html").write_text("my notes")
        self.assertIn("other.html", self.refused("run", "pendulum", "--report", "other.html"))

    def test_figures_from_records(self):
        self.summary(MODELS / "pendulum.toml", "--end", 5, "--out", "a.csv")
        if not shutil.which("gnuplot"):
            self.assertIn("gnuplot-nox", self.call("plot", "a.csv", "--out", "a.pdf").stderr)
            raise unittest.SkipTest("there is no gnuplot")
        for ending, begin in (("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")):
            for what in ([], ["--what", "energy,residuals,phase"], ["--what", "x:y,p_x,trajectories"]):
                result = self.call("plot", "a.csv", *what, "--out", f"fig.{ending}")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertTrue((self.folder / f"fig.{ending}").read_bytes().startswith(begin))
        svg = self.folder / "fig.svg"
        self.call("plot", "a.csv", "--what", "x,y", "--out", "fig.svg")
        self.assertEqual(len(re.findall(r'<g id="gnuplot_plot_1', svg.read_text())), 2)

    def test_figures_that_make_no_sense_are_refused(self):
        self.summary(MODELS / "pendulum.toml", "--end", 1, "--out", "a.csv")
        self.assertIn("'energy'", self.refused("plot", "a.csv", "--what", "enrgy", "--out", "a.pdf"))
        self.assertIn("'wedge'", self.refused("plot", "a.csv", "--what", "wedge", "--out", "a.pdf"))
        self.assertIn("'x'", self.refused("plot", "a.csv", "--what", "x:xx", "--out", "a.pdf"))
        self.assertIn(".pdf", self.refused("plot", "a.csv", "--out", "a.csv"))
        self.assertIn("No such file", self.refused("plot", "b.csv", "--out", "a.pdf"))
        self.assertIn("--out", self.refused("plot", "a.csv"))
        (self.folder / "notes.svg").write_text("my notes")
        self.assertIn("notes.svg", self.refused("plot", "a.csv", "--out", "notes.svg"))

    def test_comparisons_have_a_page(self):
        result = self.call("compare", "pendulum", "--method", "rattle,rk4", "--step", "0.1,0.05", "--end", 2, "--report",
                           "page.html")
        if "built without the page" in result.stderr:
            raise unittest.SkipTest("built without Node.js")
        self.assertEqual(result.returncode, 0, result.stderr)
        page = self.data("page.html")
        self.assertEqual((page["kind"], page["runs"]), ("compare", []))
        lines = page["parts"][0]["figures"][0]["lines"]
        self.assertEqual([line["label"] for line in lines], ["rattle", "rk4, standard, both"])
        for line in lines:
            self.assertEqual(line["x"], sorted(line["x"]))
            self.assertEqual(len(line["x"]), 2)
        self.assertEqual(len(page["parts"][1]["tables"][0]["rows"]), 5)

    def test_analyses_have_a_page(self):
        result = self.call("analyze", "pendulum", "--bracket", "x, p_x", "--report", "page.html", "--json")
        if "built without the page" in result.stderr:
            raise unittest.SkipTest("built without Node.js")
        page = self.data("page.html")
        self.assertEqual((page["kind"], page["runs"], page["parts"]), ("analyze", [], []))
        self.assertEqual(page["analysis"], json.loads(result.stdout))
        self.assertIn("--bracket 'x, p_x'", page["command"])
        self.assertEqual(self.call("analyze", "double_pendulum", "--equilibrium", "--report", "page.html").returncode, 0)
        self.assertEqual(self.data("page.html")["analysis"]["equilibrium"]["stability"], "stable")
        self.assertIn(".html", self.refused("analyze", "pendulum", "--report", "page.pdf"))

    def test_plot_on_the_terminal(self):
        result = self.call("run", "pendulum", "--end", 1, "--plot")
        self.assertEqual(result.returncode, 0)
        self.assertIn("energy |H - H(0)|", result.stdout)
        self.assertRegex(result.stdout, "[\u2801-\u28ff]")
        self.assertNotIn("\x1b", result.stdout)
        self.assertNotIn("\u2801", self.call("run", "pendulum", "--end", 1, "--plot", "--json").stdout)


if __name__ == "__main__":
    main()
