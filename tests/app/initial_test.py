#!/usr/bin/env python3
"""Initial data from files: usage initial_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import os
import struct
import sys

sys.dont_write_bytecode = True  # beside the sources
from model_texts import DAMPED, MOLECULE  # noqa: E402
from program import MODELS, ProgramTest, main  # noqa: E402


def npy(shape, numbers, kind="<d", descr="<f8", fortran=False):
    """An array of NumPy, as numpy.save writes it."""
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + b"".join(
        struct.pack(kind, x) for x in numbers)


class InitialTest(ProgramTest):
    def test_the_last_frame_of_a_record_is_taken_to_the_bit(self):
        for text, method in ((MOLECULE, "rattle"), (DAMPED, "dop853")):
            with self.subTest(text=text):
                model = self.model(text)
                (self.folder / "a.csv").unlink(missing_ok=True)
                first = self.summary(model, "--end", 0.5, "--out", "a.csv")
                begun = self.summary(model, "--initial-from", "a.csv", "--initial", "as-given", "--method", method, "--end",
                                     0)
                for name, value in first["state"].items():
                    if not name.startswith("v_"):
                        self.assertEqual(begun["state"][name], value, name)
                self.assertIn("a.csv at t = 0.5, and the run begins at t = 0", begun["notes"][0])
                later = self.summary(model, "--initial-from", "a.csv", "--start", 0.5, "--end", 0.6)
                self.assertFalse(any("begins" in note for note in later.get("notes", [])))
                self.assertAlmostEqual(later["time"], 0.6)

    def test_a_checkpoint_is_as_good_whatever_its_method_and_precision(self):
        model = self.model(MOLECULE)
        for options in ([], ["--precision", "quad", "--method", "gauss:2"],
                        ["--tolerance", 1e-6, "--sample", 0.1, "--periodogram", "r[1,1]"]):
            with self.subTest(options=options):
                first = self.summary(model, "--end", 0.3, *options, "--checkpoint", "a.ckpt")
                begun = self.summary(model, "--initial-from", "a.ckpt", "--initial", "as-given", "--end", 0)
                self.assertEqual(begun["state"]["r"], first["state"]["r"])
                self.assertEqual(begun["state"]["p_r"], first["state"]["p_r"])
        message = self.refused("run", MODELS / "pendulum.toml", "--initial-from", "a.ckpt")
        self.assertTrue(message.startswith("--initial-from:1:1: error: "), message)
        self.assertIn("a system with r[3,3], and the model has x, y", message)

    def test_a_run_from_files_is_resumed_without_them(self):
        model = self.model(MOLECULE)
        self.summary(model, "--end", 0.5, "--out", "a.csv")
        whole = self.summary(model, "--initial-from", "a.csv", "--end", 0.4)
        self.summary(model, "--initial-from", "a.csv", "--end", 0.2, "--checkpoint", "b.ckpt")
        os.remove(self.folder / "a.csv")
        self.assertEqual(self.summary("--resume", "b.ckpt", "--end", 0.4)["state"], whole["state"])
        self.assertIn("--initial-from", self.refused("run", "--resume", "b.ckpt", "--initial-from", "b.ckpt"))

    def test_arrays_come_from_csv_and_npy(self):
        model = self.model(MOLECULE)
        rows = [[0, 0, 0.5], [1, 0, 0.5], [1, 1, 0.5]]
        flat = [x for row in rows for x in row]
        by_column = [row[k] for k in range(3) for row in rows]
        text = "\n".join(",".join(map(str, row)) for row in rows)
        (self.folder / "plain.csv").write_text(text)
        (self.folder / "named.csv").write_text("x,y,z\n" + text + "\n\n")
        (self.folder / "c.npy").write_bytes(npy((3, 3), flat))
        (self.folder / "fortran.npy").write_bytes(npy((3, 3), by_column, fortran=True))
        (self.folder / "single.npy").write_bytes(npy((3, 3), flat, "<f", "<f4"))
        velocities = None
        for file in ("plain.csv", "named.csv", "c.npy", "fortran.npy", "single.npy"):
            with self.subTest(file=file):
                run = self.summary(model, "--initial-array", "r=" + file, "--end", 0)
                self.assertEqual(run["state"]["r"], rows)
                # v_r is an expression in r.
                self.assertEqual(run["state"]["v_r"][0][:2], [0.1, -0.15])
                velocities = velocities or run["state"]["v_r"]
                self.assertEqual(run["state"]["v_r"], velocities)
        run = self.summary(model, "--initial-array", "v_r=plain.csv", "--set", "r[1]=[0,0,0]", "--initial", "as-given",
                           "--end", 0)
        self.assertEqual(run["state"]["v_r"], rows)

    def test_pipes_are_no_initial_data(self):
        os.mkfifo(self.folder / "pipe.csv")  # nobody writes: they would be waited for
        for options in (["--initial-from", "pipe.csv"], ["--initial-array", "r=pipe.csv"]):
            self.assertIn("cannot read pipe.csv: it is no ordinary file", self.refused("run", self.model(MOLECULE), *options))

    def test_long_arrays_are_taken(self):
        N = 20000
        (self.folder / "x.csv").write_text("\n".join(str(k + 1 + (k % 7) * 1e-3) for k in range(N)))
        run = self.summary("chain", "--set", f"N={N}", "--initial-array", "x=x.csv", "--initial", "as-given", "--end", 0,
                           "--monitor", "none")
        self.assertEqual(run["state"]["x"][:3], [1, 2.001, 3.002])
        self.assertEqual(len(run["state"]["x"]), N)

    def test_files_that_do_not_fit_are_refused_with_the_reason(self):
        model = self.model(MOLECULE)
        pendulum = MODELS / "pendulum.toml"
        files = {"few.csv": "t,x,y,p_x\n0,1,0,0\n", "nan.csv": "t,x,y,p_x,p_y\n0,1,nan,0,0\n", "empty.csv": "",
                 "cut.csv": "t,x,y,p_x,p_y\n0,1,0,0,0\n1,1,0", "none.csv": "t,x,y,p_x,p_y\n", "word.csv": "1\n2\nx\n",
                 "long.csv": "1\n" * 100, "uneven.csv": "1,2,3\n4,5\n"}
        for name, text in files.items():
            (self.folder / name).write_text(text)
        (self.folder / "circle.csv").symlink_to("circle.csv")
        (self.folder / "flat.npy").write_bytes(npy((9,), range(9)))
        (self.folder / "cut.npy").write_bytes(npy((3, 3), range(8)))
        (self.folder / "big.npy").write_bytes(npy((10**9, 10**9), []))
        (self.folder / "complex.npy").write_bytes(npy((3, 3), [], descr="<c16"))
        for arguments, words in (
                ([pendulum, "--initial-from", "few.csv"], "few.csv has no column 'p_y'"),
                ([model, "--initial-from", "few.csv"], "... (18 are missing)"),
                ([pendulum, "--initial-from", "nan.csv"], "nan.csv, line 2: 'y' is not a finite number"),
                ([pendulum, "--initial-from", "empty.csv"], "empty.csv is empty"),
                ([pendulum, "--initial-from", "none.csv"], "none.csv has no records"),
                ([pendulum, "--initial-from", "cut.csv"], "the last record is not whole"),
                ([pendulum, "--initial-from", "no.csv"], "cannot read no.csv: No such file or directory"),
                ([pendulum, "--initial-from", "/dev/zero"], "cannot read /dev/zero: it is no ordinary file"),
                ([pendulum, "--initial-from", "circle.csv"], "cannot read circle.csv: Too many levels of symbolic links"),
                ([pendulum, "--initial-array", "x=no.npy"], "cannot read no.npy: No such file or directory"),
                ([pendulum, "--initial-array", "x=circle.csv"], "cannot read circle.csv: Too many levels of symbolic links"),
                ([pendulum, "--initial-from", "."], "cannot read .: it is a folder"),
                ([pendulum, "--initial-array", "x"], "expected NAME=FILE"),
                ([pendulum, "--initial-array", "z=few.csv"], "there is no coordinate"),
                ([pendulum, "--initial-array", "x=/dev/zero"], "cannot read /dev/zero: it is no ordinary file"),
                ([model, "--initial-array", "r=word.csv"], "'x' of column '1' is not a number"),
                ([model, "--initial-array", "r=long.csv"], "more numbers than the 9 that are needed"),
                ([model, "--initial-array", "r=uneven.csv"], "uneven.csv, line 2: 2 numbers after lines of 3"),
                ([model, "--initial-array", "r=flat.npy"], "the shape [9], and r is an array [3,3]"),
                ([model, "--initial-array", "r=cut.npy"], "ends too early"),
                ([model, "--initial-array", "r=big.npy"], "more numbers"),
                ([model, "--initial-array", "r=complex.npy"], "'<c16'"),
                ([pendulum, "--initial-from", "few.csv", "--out", "few.csv"], "")):
            with self.subTest(arguments=arguments):
                message = self.refused("run", *arguments)
                self.assertIn(words, message)
        self.summary(pendulum, "--end", 0.1, "--out", "good.csv")
        self.assertIn("initial data", self.refused("run", pendulum, "--initial-from", "good.csv", "--out", "good.csv"))

    def test_a_model_file_reads_nothing(self):
        self.summary("pendulum", "--end", 0.1, "--out", "good.csv")
        text = (MODELS / "pendulum.toml").read_text()
        for key in ('initial-from = "good.csv"', 'initial-array = "x=good.csv"'):
            self.assertIn("initial-", self.refused("run", self.model(text + "\n" + key + "\n")))


if __name__ == "__main__":
    main()
