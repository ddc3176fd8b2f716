#!/usr/bin/env python3
"""Records in all formats: usage formats_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import csv
import json
import random
import resource
import subprocess
import sys
import time

import h5py
import numpy as np

sys.dont_write_bytecode = True  # beside the sources
from program import MODELS, PROGRAM, ProgramTest, main  # noqa: E402

FORMATS = ("csv", "npz", "h5")
PARTICLES = """
[system]
coordinates = ["r[5,3]"]
hamiltonian = "sum(i in 1..5, norm2(p_r[i])/2 + r[i,3])"
[constraints]
link = { each = "i in 2..5", equation = "norm2(r[i] - r[i-1]) = 1" }
[initial]
r = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0]]
p_r = [[0, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 1, 0]]
[observables]
height = "r[5,3]"
[run]
step = 0.01
end = 1
"""
TEXTS = {"model.toml", "description.json", "result.json"}


def entries(matrix):
    """The columns of a record's array with their indices, "[1]", "[1,2]"; of one that is a column itself the name is all."""
    if matrix.ndim == 1:
        return [("", matrix)]
    places = np.ndindex(*matrix.shape[1:])
    return [(str([k + 1 for k in at]).replace(" ", ""), matrix[(slice(None), *at)]) for at in places]


class FormatsTest(ProgramTest):
    def run_quietly(self, *arguments, status=0):
        result = self.call("run", *arguments, "--quiet")
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def arrays(self, name):
        """The columns of a record by their names, arrays as arrays."""
        path = self.folder / name
        if name.endswith(".npz"):
            with np.load(path) as file:
                return {key: file[key] for key in file.files if key not in TEXTS}
        if name.endswith(".h5"):
            with h5py.File(path) as file:
                return {key: file[key][...] for key in file if key not in TEXTS}
        rows = self.read_csv(name)
        return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}

    def expect_same(self, a, b):
        first, second = self.arrays(a), self.arrays(b)
        self.assertEqual(sorted(first), sorted(second))
        for name, column in first.items():
            np.testing.assert_array_equal(column, second[name], name)

    def test_arrays_stay_arrays_and_all_formats_have_the_same_numbers(self):
        model = self.model(PARTICLES)
        for ending in FORMATS:
            self.run_quietly(model, "--out", f"a.{ending}")
        table, archive, tree = (self.arrays(f"a.{ending}") for ending in FORMATS)
        self.assertEqual(archive["r"].shape, (101, 5, 3))
        self.assertEqual(archive["height"].shape, (101,))
        self.assertEqual(sorted(archive), sorted(tree))
        for name, column in archive.items():
            np.testing.assert_array_equal(column, tree[name], name)
        np.testing.assert_array_equal(archive["r"][:, 3, 1], table["r[4,2]"])
        np.testing.assert_array_equal(archive["energy"], table["energy"])

    def test_record_chooses_columns(self):
        model = self.model(PARTICLES)
        for ending in FORMATS:
            self.run_quietly(model, "--record", "t,v,lambda_link,hamiltonian,residuals,r[5,3]", "--out", f"a.{ending}")
        columns = self.arrays("a.h5")
        self.assertEqual(set(columns),
                         {"t", "v_r", "lambda_link", "hamiltonian", "g_link", "psi_link", "r[5,3]"})
        self.assertEqual(columns["lambda_link"].shape, (101, 4))
        self.assertEqual(list(self.read_csv("a.csv")[0])[-10:],
                         ["hamiltonian", *(f"{name}[{k}]" for name in ("g_link", "psi_link") for k in range(2, 6)),
                          "r[5,3]"][-10:])
        # H is what it is, residuals are rounding errors with both signs, and lambda pulls.
        self.assertLess(abs(columns["hamiltonian"] - columns["hamiltonian"][0]).max(), 1e-3)
        for name in ("g_link", "psi_link"):
            self.assertLess(abs(columns[name]).max(), 1e-13)
        self.assertLess(columns["psi_link"].min(), 0)
        self.assertGreater(columns["psi_link"].max(), 0)
        self.assertGreater(abs(columns["lambda_link"]).max(), 0.1)
        summary = self.summary(model)
        np.testing.assert_array_equal(columns["v_r"][-1], summary["state"]["v_r"])
        np.testing.assert_array_equal(columns["lambda_link"][-1], summary["multipliers"]["link"])

    def test_record_has_the_variables_of_formulations(self):
        options = ["pendulum", "--end", 1, "--method", "gauss:2"]
        self.run_quietly(*options, "--formulation", "impetus", "--record", "q,p,impetus,lambda", "--out", "i.npz")
        a = self.arrays("i.npz")
        # p* = p + G'l with G = (x, y), and l' = lambda: they come apart from the start on.
        for q, p in (("x", "p_x"), ("y", "p_y")):
            np.testing.assert_allclose(a["p_star_" + p[2:]], a[p] + a[q] * a["striction_rod"], atol=1e-12)
        self.assertEqual(a["striction_rod"][0], 0)
        slope = np.gradient(a["striction_rod"], a["t"])
        # But where p* is set back to p, between two records.
        is_close = np.isclose(slope, a["lambda_rod"], rtol=1e-3)
        self.assertGreaterEqual(is_close[1:-1].sum(), 97)
        # A chart of one coordinate: delta is x or y, theta' = ..., and both are there from the start.
        self.run_quietly(*options, "--formulation", "state-space", "--record", "q,chart", "--out", "c.npz")
        a = self.arrays("c.npz")
        self.assertEqual(a["delta"].shape, (101, 1))
        self.assertTrue(np.isfinite(a["delta"]).all() and np.isfinite(a["theta"]).all())
        is_one = (a["delta"][:, 0] == a["x"]) | (a["delta"][:, 0] == a["y"])
        self.assertTrue(is_one.all())

    def test_unknown_columns_are_refused_with_what_there_is(self):
        message = self.refused("run", "pendulum", "--record", "x,lamda_rod", "--out", "a.h5")
        self.assertIn("there is no column 'lamda_rod'", message)
        self.assertIn("did you mean 'lambda_rod'?", message)
        self.assertIn("velocities", self.refused("run", "pendulum", "--record", "impetus", "--out", "a.h5"))
        self.assertIn(".csv, .npz or .h5", self.refused("run", "pendulum", "--out", "a.mat"))

    def test_killed_at_any_time_a_record_is_whole_up_to_its_last_flush(self):
        random.seed(5)
        run = ("chain", "--set", "N=5")
        self.run_quietly(*run, "--end", 300, "--out", "whole.npz")
        whole = self.arrays("whole.npz")
        for turn in range(16):
            name = ("a.h5", "a.csv")[turn % 2]
            (self.folder / name).unlink(missing_ok=True)
            often = ("--checkpoint", "a.ckpt", "--checkpoint-every", "97") if turn % 8 < 4 else ()
            process = subprocess.Popen([PROGRAM, "run", *run, "--end", "1e6", "--out", name, "--quiet", "--compression",
                                        str(turn % 4 // 2), *often], cwd=self.folder)
            # From its first moment on the file can be read.
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and not (self.folder / name).exists():
                time.sleep(0.001)
            time.sleep(random.uniform(0, 0.3))
            process.kill()
            process.wait()
            if name == "a.csv":
                lines = (self.folder / name).read_text().split("\n")[:-1]
                names = next(csv.reader(lines[:1]))
                rows = [[float(x) for x in line.split(",")] for line in lines[1:]]
                columns = dict(zip(names, np.array(rows).reshape(-1, len(names)).T))
                expected = {f"{key}{at}": column for key, matrix in whole.items() for at, column in entries(matrix)}
            else:
                columns, expected = self.arrays(name), whole
            self.assertEqual(sorted(columns), sorted(expected))
            count = min(len(columns["t"]), len(whole["t"]))
            for key, column in columns.items():
                self.assertGreaterEqual(len(column), len(columns["t"]))
                np.testing.assert_array_equal(column[:count], expected[key][:count], key)

    def test_many_checkpoints_do_not_make_a_compressed_record_larger_than_one_that_is_not(self):
        run = ("pendulum", "--end", 100)
        sizes = []
        for options in (("--compression", 0), ("--compression", 1), ("--checkpoint", "a.ckpt", "--checkpoint-every", 97)):
            self.run_quietly(*run, *options, "--out", "a.h5")
            sizes.append((self.folder / "a.h5").stat().st_size)
            if len(sizes) == 1:
                plain = self.arrays("a.h5")
            np.testing.assert_equal(self.arrays("a.h5"), plain)
            (self.folder / "a.h5").unlink()
        self.assertLess(sizes[1], 0.6 * sizes[0])
        self.assertLess(sizes[2], 1.1 * sizes[0])

    def test_the_beginning_of_a_row_is_no_row(self):
        self.run_quietly("pendulum", "--end", 1, "--out", "a.csv")
        text = (self.folder / "a.csv").read_text()
        self.run_quietly("pendulum", "--end", 0.5, "--initial-from", "a.csv", "--out", "whole.csv")
        for tail in ("1.01,0.3", "1.01,0.3,0.4,0.5,0.6,0.7,0.8,0."):
            (self.folder / "a.csv").write_text(text + tail)
            facts = json.loads(self.call("info", "a.csv", "--json").stdout)
            self.assertEqual((facts["records"], facts["last"]), (101, 1))
            self.run_quietly("pendulum", "--end", 0.5, "--reference", "a.csv")
            self.run_quietly("pendulum", "--end", 0.5, "--initial-from", "a.csv", "--out", "cut.csv")
            self.expect_same("whole.csv", "cut.csv")

    def test_resumed_records_are_those_of_one_run(self):
        for ending in FORMATS:
            run = ("chain", "--set", "N=4")
            self.run_quietly(*run, "--end", 90, "--out", f"whole.{ending}")
            self.run_quietly(*run, "--end", 30, "--out", f"part.{ending}", "--checkpoint", "a.ckpt")
            first = (self.folder / "a.ckpt").read_bytes()
            self.run_quietly("--resume", "a.ckpt", "--end", 60)
            # The record is longer now than it was when the checkpoint was written.
            (self.folder / "b.ckpt").write_bytes(first)
            self.run_quietly("--resume", "b.ckpt", "--end", 90)
            self.expect_same(f"whole.{ending}", f"part.{ending}")
            # A file that is not the one is left alone.
            self.run_quietly(*run, "--end", 1, "--out", f"part.{ending}")
            before = (self.folder / f"part.{ending}").read_bytes()
            result = self.call("run", "--resume", "b.ckpt", "--end", 90)
            self.assertEqual(result.returncode, 2)
            self.assertIn("not what the run that is resumed has written", result.stderr)
            self.assertEqual((self.folder / f"part.{ending}").read_bytes(), before)

    def test_a_full_disk_ends_the_run_and_a_resumed_one_has_all_rows(self):
        size = 800_000  # of the checkpoint as well, which has the rows that did not fit
        for ending in ("csv", "h5"):
            run = ("chain", "--set", "N=4", "--end", 300, "--record", "x", "--compression", 0)
            self.run_quietly(*run, "--out", f"whole.{ending}")
            limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))  # noqa: E731
            result = subprocess.run([PROGRAM, "run", *map(str, run), "--out", f"a.{ending}", "--checkpoint",
                                     f"{ending}.ckpt", "--quiet"], cwd=self.folder, capture_output=True, text=True, preexec_fn=limit)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("cannot write", result.stderr)
            part = self.arrays(f"a.{ending}")
            whole = self.arrays(f"whole.{ending}")
            self.assertGreater(len(part["t"]), 100)
            self.assertLess(len(part["t"]), len(whole["t"]))
            np.testing.assert_array_equal(part["t"], whole["t"][: len(part["t"])])
            self.run_quietly("--resume", f"{ending}.ckpt")
            self.expect_same(f"whole.{ending}", f"a.{ending}")

    def test_files_of_others_are_left_alone(self):
        with h5py.File(self.folder / "a.h5", "w") as file:
            file["t"] = [1.0]
        np.savez(self.folder / "a.npz", t=[1.0])
        (self.folder / "b.csv.json").write_text('{"mine": 1}')
        for name in ("a.h5", "a.npz"):
            before = (self.folder / name).read_bytes()
            self.assertIn("is no record of this model", self.refused("run", "pendulum", "--out", name))
            self.assertEqual((self.folder / name).read_bytes(), before)
        self.assertIn("b.csv.json", self.refused("run", "pendulum", "--out", "b.csv"))
        # A record of another model is one, too.
        self.run_quietly("pendulum", "--end", 0.1, "--out", "c.h5")
        self.refused("run", "double_pendulum", "--out", "c.h5")
        self.run_quietly("pendulum", "--end", 0.2, "--out", "c.h5")
        self.assertEqual(len(self.arrays("c.h5")["t"]), 21)

    def test_info_says_what_a_record_is(self):
        model = self.model(PARTICLES)
        for ending in FORMATS:
            self.run_quietly(model, "--certify", "--out", f"a.{ending}")
            text = self.call("info", f"a.{ending}").stdout
            for part in ("rattle", "r[5,3]", "101, t = 0 to 1", "certificate", "holds", "done"):
                self.assertIn(part, text)
            facts = json.loads(self.call("info", f"a.{ending}", "--json").stdout)
            self.assertEqual(facts["records"], 101)
            self.assertIn({"name": "r", "shape": [5, 3]}, facts["columns"])
            self.assertEqual(facts["description"]["options"]["step"], "0.01")
            self.assertEqual(facts["description"]["model"]["text"], PARTICLES)
        with h5py.File(self.folder / "a.h5") as file:
            self.assertEqual(file["model.toml"][()].decode(), PARTICLES)
            self.assertTrue(json.loads(file["result.json"][...].tobytes())["certificate"]["holds"])
        with np.load(self.folder / "a.npz") as file:
            self.assertEqual(file["model.toml"].decode(), PARTICLES)
        self.assertEqual(self.call("info", "model.toml").returncode, 2)

    def test_the_run_of_a_record_is_made_again(self):
        model = self.model(PARTICLES)
        for ending in FORMATS:
            self.run_quietly(model, "--set", "r[5,3]=0.1", "--method", "gauss:2", "--record", "q,v", "--out",
                             f"a.{ending}")
            model.rename(self.folder / "gone.toml")  # its text is in the record
            self.run_quietly("--from", f"a.{ending}", "--out", f"b.{ending}")
            self.expect_same(f"a.{ending}", f"b.{ending}")
            self.run_quietly("--from", f"a.{ending}", "--method", "rk4", "--end", 0.5, "--out", f"c.{ending}")
            self.assertEqual(len(self.arrays(f"c.{ending}")["t"]), 51)
            (self.folder / "gone.toml").rename(model)
        self.assertEqual(self.call("run", "--from", "gone.h5").returncode, 2)

    def test_references_and_initial_data_come_from_every_format(self):
        for ending in FORMATS:
            self.run_quietly("pendulum", "--end", 2, "--out", f"a.{ending}")
            summary = self.summary("pendulum", "--end", 2, "--step", 0.02, "--reference", f"a.{ending}")
            self.assertLess(1e-6, summary["max"]["error"])
            self.assertLess(summary["max"]["error"], 1e-2)
            whole = self.summary("pendulum", "--end", 3)
            parts = self.summary("pendulum", "--initial-from", f"a.{ending}", "--start", 2, "--end", 3)
            self.assertAlmostEqual(whole["state"]["x"], parts["state"]["x"], delta=1e-10)

    def test_standard_output_takes_a_table(self):
        result = self.call("run", "pendulum", "--end", 0.02, "--out", "-")
        lines = result.stdout.split("\n")
        self.assertEqual(lines[0], "t,x,y,p_x,p_y,energy,position,momentum")
        self.assertEqual(len(lines), 5)  # and an empty one
        self.assertIn("rattle", result.stderr)  # the table goes there
        self.assertEqual(self.call("run", "pendulum", "--end", 0.02, "--out", "-", "--quiet").stderr, "")
        self.assertIn("standard output", self.refused("run", "pendulum", "--out", "-", "--json"))


if __name__ == "__main__":
    main()
