#!/usr/bin/env python3
"""What a run gives: usage run_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import math
import sys

sys.dont_write_bytecode = True  # beside the sources
from model_texts import COUPLED, DAMPED, FREE, MOLECULE  # noqa: E402
from program import MODELS, ProgramTest, main  # noqa: E402


class RunTest(ProgramTest):
    def test_warnings_are_a_list(self):
        self.assertEqual(self.summary("pendulum", "--end", 1)["warnings"], [])
        warnings = self.summary("redundant_four_bar", "--end", 0.1)["warnings"]
        self.assertEqual(set(warnings[0]), {"time", "kind", "text"})

    def test_step_or_tolerance_replaces_the_other_one_of_the_model(self):
        notes = self.summary("pendulum", "--tolerance", 1e-5, "--end", 1)["notes"]
        self.assertIn("--tolerance 1e-05 takes the place of 'step' in [run]", notes)
        text = (MODELS / "pendulum.toml").read_text().replace("step = 0.01", "tolerance = 1e-5")
        run = self.summary(self.model(text), "--step", 0.1, "--end", 1)
        self.assertEqual(run["steps"], 10)
        self.assertIn("--step 0.1 takes the place of 'tolerance' in [run]", run["notes"])

    def test_watching_many_steps_at_once_tells_what_watching_each_does(self):
        for model, h, end in (("pendulum", 0.0003, 20), ("double_pendulum", 0.001, 60), ("pendulum", 0.02, 2000),
                              ("double_pendulum", 0.02, 2000), ("spherical_pendulum", 0.001, 60)):
            with self.subTest(model=model, h=h):
                options = [model, "--method", "rattle", "--step", h, "--end", end]
                at_once, each = self.summary(*options), self.summary(*options, "--out", f"{model}-{h}.csv")
                for key in ("state", "max", "final", "counts", "warnings", "steps", "multipliers"):
                    self.assertEqual(at_once.get(key), each.get(key), key)

    def test_growth_is_in_the_table(self):
        for options in ([], ["--end", 1], ["--monitor", "energy", "--end", 0.02], ["--tolerance", 1e-6, "--end", 5]):
            table = self.call("run", "pendulum", "--growth", *options).stdout
            self.assertIn("growth as t^k", table, options)

    def test_functions_of_the_language(self):
        text = FREE + '[observables]\n'
        values = {"floor(-2.5*x)": -3, "ceil(-2.5*x)": -2, "round(-2.5*x)": -3, "mod(-x, 3)": 2, "sign(-x)": -1,
                  "sign(x - 1)": 0, "erf(x/2)": 0.5204998778130465, "erfc(x/2)": 0.4795001221869535, "hamiltonian": 0.5}
        text += "".join(f'o{k} = "{expression}"\n' for k, expression in enumerate(values))
        for options in ([], ["--backend", "interpreter"], ["--precision", "quad"]):
            observed = self.summary(self.model(text), "--end", 0, *options)["observables"]
            for k, value in enumerate(values.values()):
                self.assertAlmostEqual(observed[f"o{k}"], value, 15)

    def test_every_ready_model_runs_and_keeps_its_constraints(self):
        files = sorted(MODELS.glob("*.toml"))
        self.assertGreater(len(files), 3)
        for file in files:
            with self.subTest(model=file.stem):
                summary = self.summary(file, "--end", 1)
                self.assertEqual(summary["status"], "done")
                self.assertEqual(summary["time"], 1)
                self.assertEqual("position" in summary["max"], bool(summary.get("multipliers")))
                self.assertLess(summary["max"].get("position", 0), 1e-11)

    def test_summary_has_the_promised_keys(self):
        summary = self.summary(MODELS / "pendulum.toml", "--end", 10)
        for key in ("status model method formulation projection time steps wall_seconds setup_seconds state "
                    "multipliers max final counts").split():
            self.assertIn(key, summary)
        self.assertEqual(summary["model"], "pendulum")
        self.assertEqual(summary["method"], "rattle")
        self.assertEqual(summary["projection"], "none")
        self.assertEqual(summary["steps"], 1000)
        self.assertEqual(sorted(summary["state"]), ["p_x", "p_y", "v_x", "v_y", "x", "y"])
        self.assertEqual(sorted(summary["max"]), ["energy", "momentum", "position"])
        self.assertLess(summary["max"]["position"], 1e-14)
        self.assertGreater(summary["counts"]["newton"], 0)
        self.assertGreater(summary["setup_seconds"], 0)
        self.assertNotIn("failure", summary)
        self.assertNotIn("initial_change", summary)
        # g = (x^2 + y^2 - 1)/2, m = 1: lambda = p^2 - y
        state = summary["state"]
        expected = state["p_x"] ** 2 + state["p_y"] ** 2 - state["y"]
        self.assertAlmostEqual(summary["multipliers"]["rod"], expected, delta=1e-13)

    def test_solution_is_that_of_the_oscillator(self):
        summary = self.summary(self.model(FREE), "--end", "2*pi", "--step", "pi/5000")
        self.assertEqual(summary["time"], 2 * math.pi)
        self.assertAlmostEqual(summary["state"]["x"], 1, delta=1e-6)
        self.assertNotIn("position", summary["max"])  # does not apply
        self.assertEqual((summary["multipliers"], summary["observables"]), ({}, {}))

    def test_arrays_are_lists(self):
        summary = self.summary(MODELS / "chain.toml", "--set", "N=5", "--end", 0.5)
        self.assertEqual(len(summary["state"]["x"]), 5)
        self.assertEqual(len(summary["multipliers"]["rod"]), 4)
        self.assertIsInstance(summary["multipliers"]["anchor"], float)

    def test_backends_and_precisions_agree(self):
        runs = [self.summary(MODELS / "pendulum.toml", "--end", 1, *options)
                for options in ([], ["--backend", "interpreter"], ["--precision", "long"], ["--precision", "quad"])]
        self.assertEqual(runs[0]["state"], runs[1]["state"])
        self.assertAlmostEqual(runs[0]["state"]["x"], runs[3]["state"]["x"], delta=1e-13)
        self.assertLess(runs[3]["max"]["position"], 1e-32)

    def test_a_method_is_chosen_and_named(self):
        result = self.call("run", self.model(FREE))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("'rattle' was chosen", result.stderr)
        coupled = self.summary(self.model(COUPLED), "--end", 0.1)
        self.assertTrue(any("was chosen" in note for note in coupled["notes"]))
        if coupled["method"] == "rk4":
            self.assertEqual(coupled["projection"], "both")
            self.assertEqual(coupled["counts"]["projections"], 10)

    def test_velocities_are_taken_and_given(self):
        summary = self.summary(self.model(COUPLED), "--end", 0)
        # v = p / (1 + x^2)
        self.assertAlmostEqual(summary["state"]["p_y"], -2, delta=1e-15)
        self.assertAlmostEqual(summary["state"]["v_y"], -1, delta=1e-15)

    def test_monitors_are_those_asked_for(self):
        summary = self.summary(MODELS / "pendulum.toml", "--end", 1, "--monitor", "energy")
        self.assertEqual(list(summary["max"]), ["energy"])
        self.assertEqual(self.summary(MODELS / "pendulum.toml", "--end", 1, "--monitor", "none")["max"], {})

    def test_methods_with_stages_pass_places_where_constraints_are_dependent(self):
        # The last node is found with the gradients there: those of the middle of a step are far from them.
        for method, level in (("gauss:2", 1e-7), ("gauss:3", 1e-10), ("lobatto:3", 1e-7), ("lobatto:4", 1e-8)):
            for step in (0.02, 0.01, 0.0099):
                with self.subTest(method=method, step=step):
                    summary = self.summary("parallelogram", "--method", method, "--step", step, "--end", 20)
                    self.assertEqual((summary["status"], summary["time"]), ("done", 20))
                    self.assertLess(summary["max"]["energy"], level)
                    self.assertLess(summary["max"]["position"], 5e-14)

    def test_none_stands_alone(self):
        pendulum = MODELS / "pendulum.toml"
        self.assertEqual(self.summary(pendulum, "--end", 1, "--monitor", " none ")["max"], {})
        for text in ("none,energy", "energy, none", "none,none"):
            message = self.refused("run", pendulum, "--monitor", text)
            self.assertIn("--monitor:1:1: error: 'none' says that nothing is watched, and stands alone", message)
            self.assertIn("leave out 'none'", message)

    def test_run_section_is_overridden_by_the_command_line(self):
        path = self.model(FREE + "monitor = \"energy\"\nevery = 7\nout = \"a.csv\"\n")
        summary = self.summary(path, "--step", 0.1, "--sample", 0.5, "--out", "b.csv")
        self.assertEqual(summary["steps"], 10)
        self.assertFalse((self.folder / "a.csv").exists())
        self.assertEqual([row["t"] for row in self.read_csv("b.csv")], ["0", "0.5", "1"])

    def test_states_observables_invariants_and_work_are_reported(self):
        summary = self.summary(self.model(DAMPED), "--out", "a.csv")
        state = summary["state"]
        self.assertEqual(list(state), ["x", "p_x", "v_x", "heat"])
        self.assertGreater(state["heat"], 0.1)
        self.assertAlmostEqual(summary["work"], -state["heat"], delta=1e-9)
        self.assertEqual(summary["observables"]["speed"], state["v_x"])
        self.assertEqual(summary["observables"]["weighted"], [state["x"], 2 * state["x"], 3 * state["x"]])
        self.assertLess(summary["max"]["energy"], 1e-9)  # less the work done
        self.assertLess(summary["max"]["invariants"]["total"], 1e-9)
        rows = self.read_csv("a.csv")
        self.assertEqual(list(rows[0]), ["t", "x", "p_x", "heat", "speed", "weighted[1]", "weighted[2]", "weighted[3]",
                                         "energy", "invariants.total"])
        self.assertEqual(float(rows[-1]["speed"]), state["v_x"])
        # Declared invariants are watched even if nothing else is.
        self.assertEqual(list(self.summary(self.model(DAMPED), "--monitor", "none")["max"]), ["invariants"])
        table = self.call("run", self.model(DAMPED)).stdout
        for word in ("heat", "speed", "total", "work done"):
            self.assertIn(word, table)

    def test_vectors_are_lists(self):
        summary = self.summary(self.model(MOLECULE))
        self.assertEqual(len(summary["observables"]["centre"]), 3)
        self.assertEqual(len(summary["multipliers"]["rod"]), 2)
        self.assertEqual(summary["observables"]["pull"], summary["multipliers"]["rod"][0])
        self.assertEqual([len(row) for row in summary["state"]["r"]], [3, 3, 3])
        self.assertLess(summary["max"]["invariants"]["L"], 1e-12)

    def test_help_fits_a_window_and_names_what_a_newcomer_looks_for(self):
        for command in ("run", "check", "list"):
            text = self.call(command, "--help").stdout
            self.assertIn("Examples:", text)
            self.assertLessEqual(max(map(len, text.splitlines())), 100)
        text = self.call("run", "--help").stdout
        for word in ("--projection", "--certify", "--monitor", "wedge", "Checkpoints:", "--resume", "--checkpoint-every"):
            self.assertIn(word, text)


if __name__ == "__main__":
    main()
