#!/usr/bin/env python3
"""Files of records: usage record_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import sys

sys.dont_write_bytecode = True  # beside the sources
from program import MODELS, ProgramTest, main  # noqa: E402


class RecordTest(ProgramTest):
    def test_csv_has_every_step_and_reads_back_exactly(self):
        summary = self.summary(MODELS / "pendulum.toml", "--end", 1, "--out", "a.csv")
        rows = self.read_csv("a.csv")
        self.assertEqual(list(rows[0]), ["t", "x", "y", "p_x", "p_y", "energy", "position", "momentum"])
        self.assertEqual(len(rows), 101)
        self.assertEqual([row["t"] for row in rows[:4]], ["0", "0.01", "0.02", "0.03"])
        for name in ("x", "y", "p_x", "p_y"):
            self.assertEqual(float(rows[-1][name]), summary["state"][name])

    def test_csv_names_array_entries(self):
        self.summary(MODELS / "chain.toml", "--set", "N=3", "--end", 0.1, "--every", 5, "--out", "a.csv")
        rows = self.read_csv("a.csv")
        self.assertEqual(list(rows[0])[:4], ["t", "x[1]", "x[2]", "x[3]"])
        self.assertEqual(len(rows), 3)

    def test_samples_fall_on_steps(self):
        summary = self.summary(MODELS / "pendulum.toml", "--end", 1, "--step", 0.02, "--sample", 0.25, "--out", "a.csv")
        self.assertEqual([float(row["t"]) for row in self.read_csv("a.csv")], [0, 0.25, 0.5, 0.75, 1])
        self.assertAlmostEqual(summary["step"], 0.25 / 13)
        self.assertTrue(any("reduced" in note for note in summary["notes"]))


if __name__ == "__main__":
    main()
