#!/usr/bin/env python3
"""Input that is refused, and options that change nothing: usage refusal_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import sys

sys.dont_write_bytecode = True  # beside the sources
from model_texts import COUPLED, FREE  # noqa: E402
from program import MODELS, ProgramTest, main  # noqa: E402


class RefusalTest(ProgramTest):
    def test_bad_models_are_refused_and_nothing_is_written(self):
        for text, word in ((FREE.replace("p_x^2/2", "q_x^2/2"), "q_x"), ("[system", ""), (FREE + "stepp = 1", "step"),
                           (FREE.replace("step = 0.01", "step = \"a\""), "a"),
                           (FREE.replace("step = 0.01", "step = -0.01"), "step"),
                           (FREE.replace("x = 1\n", "x = \"1/0\"\n"), "x"),
                           (FREE + "tolerance = 2", "tolerance"), (FREE + "step-density = 3", "step-density"),
                           (FREE + "method = 3", "method")):
            with self.subTest(text=text):
                self.assertIn(word, self.refused("run", self.model(text), "--out", "a.csv"))

    def test_unknown_run_key_is_placed_and_corrected(self):
        message = self.refused("run", self.model(FREE + "projecton = \"both\""))
        self.assertIn("model.toml:", message)
        self.assertIn("'projection'", message)

    def test_mistakes_have_one_form(self):
        """PLACE: error: WHAT, the text with a mark under it, and a suggestion."""
        pendulum = str(MODELS / "pendulum.toml")
        for arguments, place, hint in (
                (["--step", "1+"], "--step:1:2: error: ", ""), (["--end", "x"], "--end:1:1: error: ", "parameters"),
                (["--method", "ratle"], "--method:1:1: error: ", "did you mean 'rattle'?"),
                (["--formulation", "standrd"], "--formulation:1:1: error: ", "did you mean 'standard'?"),
                (["--projection", "x"], "--projection:1:1: error: ", "choose none, position"),
                (["--precision", "half"], "--precision:1:1: error: ", "choose double, long, quad"),
                (["--every", "0"], "--every:1:1: error: ", ""), (["--set", "mm=1"], "--set:1:1: error: ", "'m'"),
                (["--out", "no/such/x.csv"], "--out:1:1: error: ", "")):
            with self.subTest(arguments=arguments):
                message = self.refused("run", pendulum, *arguments)
                self.assertTrue(message.startswith(place), message)
                self.assertIn(hint, message)
                self.assertIn("^", message)
        for line, column, hint in (("methd = \"rk4\"", 1, "did you mean 'method'?"), ("  every = 0", 11, "at least 1"),
                                   ("method = \"rk5\"", 11, "did you mean 'rk4'?"), ("json = 3", 8, "true or false"),
                                   ("threads = 2", 1, "not supported by this version yet")):
            with self.subTest(line=line):
                for command in ("run", "check"):
                    path = self.model(FREE + line)
                    if command == "check" and "rk5" in line:
                        continue  # the method is chosen by a run
                    message = self.refused(command, path)
                    self.assertTrue(message.startswith(f"{path}:{len(FREE.splitlines()) + 1}:{column}: error: "), message)
                    self.assertIn(hint, message)
                    self.assertIn("^", message)
                    self.assertIn(line, message)

    def test_unknown_options_are_pointed_at(self):
        for arguments, hint in ((["--tolerence", "3"], "'--tolerance'"), (["--step=0.1", "--metod=rk4"], "'--method'"),
                                (["--output", "a.csv"], "'--out'"), (["--section-dir", "up"], "'--section-direction'"),
                                (["--proj", "none"], "'--projection' or '--project-invariants' or"),
                                (["--checkpoint_every", "5"], "'--checkpoint-every'"), (["--certfy"], "'--certify'"),
                                (["--wedge"], "'--monitor wedge'"), (["--joint"], "'--projection joint'"),
                                (["--rk4"], "'--method rk4'"), (["--monitor", "wedge", "energy"], "--monitor wedge,energy"),
                                (["more"], "more"), (["--step"], "needs a value")):
            message = self.refused("run", "pendulum", *arguments)
            self.assertTrue(message.startswith("command line:1:"), message)
            self.assertIn("  1 | cotangent run pendulum " + " ".join(arguments), message)
            self.assertIn(hint, message)
        self.assertIn("'cotangent run --resume'", self.refused("resume", "p.ckpt"))
        message = self.refused("run", "--", "pendulum", "--end", "1")
        self.assertIn("'--end' is no option after '--'", message)
        self.assertIn("leave out '--'", message)
        for option in "threads seed".split():
            self.assertIn(f"'--{option}' is not supported by this version yet",
                          self.refused("run", "pendulum", f"--{option}", "1"))

    def test_names_of_projections_after_steps(self):
        message = self.refused("run", "pendulum", "--method", "project:foo(rk4)")
        self.assertIn("joint", message)
        for name in ("stage", "symmetric"):
            self.assertNotIn(name, message)
            self.assertIn(f"project:{name}(rk4)", self.refused("run", "pendulum", "--method", f"project:{name}(rk4)"))
        self.assertIn("this one has 1 constraint;", self.refused("run", "pendulum", "--method", "forest-ruth"))

    def test_control_characters_do_not_reach_the_terminal(self):
        title = 'title = "\\u001b[31mred\\u0007"\n'
        for arguments in (["run", self.model(title + FREE)], ["check", self.model(title + FREE)],
                          ["run", self.model(title + FREE), "--set", "x\x1b=1"], ["run", self.model("x = \x1b[31m")],
                          ["run", "pendulum", "--step", "\x1b[31m"], ["run", "\x1b[31m.toml"], ["\x1b[31m"],
                          ["run", "pendulum", "--method", "\x1b[31m"]):
            result = self.call(*arguments)
            for character in "\x1b\x07":
                self.assertNotIn(character, result.stdout + result.stderr, arguments)
        self.assertIn("--out a?.txt: a figure is", self.call("plot", "a.csv", "--out", "a\udcff.txt").stderr)

    def test_a_start_where_something_is_undefined_is_refused(self):
        for hamiltonian, x, words in (("log(x)", -1, "the Hamiltonian is nan"), ("1/x", 0, "the Hamiltonian is inf"),
                                      ("abs(x)^0.5", 0, "the derivative of the Hamiltonian by x")):
            text = FREE.replace("+ x^2/2", "+ " + hamiltonian).replace("x = 1", f"x = {x}")
            message = self.refused("run", self.model(text), "--out", "a.csv")
            self.assertIn(words, message)
            self.assertIn("initial data", message)
        text = COUPLED.replace("x^2 + y^2 = 1", "y = log(-x)")
        self.assertIn("the constraint 'rod' is nan", self.refused("run", self.model(text)))

    def test_options_that_change_nothing_are_noted(self):
        pendulum = str(MODELS / "pendulum.toml")
        for model, arguments, word in (
                (pendulum, ["--project-every", 5], "--project-every"),
                (pendulum, ["--projection", "none", "--project-above", 1e-3], "--project-above"),
                (pendulum, ["--projection", "symmetric", "--project-every", 2], "part of every step"),
                (pendulum, ["--projection", "none", "--metric", "euclidean"], "--metric"),
                (pendulum, ["--projection", "symmetric", "--metric", "euclidean"], "--metric"),
                (pendulum, ["--every", 5], "--every"),
                (self.model(FREE), ["--projection", "both"], "--projection"),
                (self.model(FREE), ["--formulation", "baumgarte", "--baumgarte", 5], "no constraints"),
                (pendulum, ["--formulation", "impetus", "--projection", "both", "--impetus-reset", 5], "resets p*"),
                (pendulum, ["--formulation", "standard", "--gauge", 5], "dirac-weak"),
                (self.model(FREE), ["--monitor", "energy,position"], "'position'")):
            with self.subTest(arguments=arguments):
                notes = self.summary(model, "--end", 0.1, *arguments)["notes"]
                self.assertTrue(any(word in note for note in notes), notes)
        self.assertNotIn("notes", self.summary(pendulum, "--end", 0.1))

    def test_data_that_are_kept_are_noted_if_a_step_leaves_them(self):
        pendulum = str(MODELS / "pendulum.toml")
        kept = ["--set", "x=1.2", "--initial", "as-given", "--end", 0.1]
        for arguments, word in (([], "'rattle'"), (["--method", "rk4"], "'both'")):
            with self.subTest(arguments=arguments):
                notes = self.summary(pendulum, *kept, *arguments)["notes"]
                self.assertTrue(any("--initial" in note and word in note for note in notes), notes)
        self.assertNotIn("notes", self.summary(pendulum, *kept, "--method", "rk4", "--projection", "none"))
        impetus = [*kept, "--method", "gauss:2", "--formulation", "impetus", "--projection", "none"]
        self.assertNotIn("notes", self.summary(pendulum, *impetus))
        notes = self.summary(pendulum, *impetus, "--set", "p_x=1")["notes"]
        self.assertIn("returns to G H_p = 0, but not to g = 0", notes[0])
        self.assertNotIn("notes", self.summary(pendulum, "--initial", "as-given", "--end", 0.1))

    def test_a_function_that_is_not_finite_is_shown(self):
        text = COUPLED.replace("x^2 + y^2 = 1", "log(-x) + y^2 = 1")
        for command in ("run", "check"):
            shown = self.refused(command, self.model(text))
            self.assertIn("log(-x)", shown)
            self.assertRegex(shown, r"\.toml:\d+:\d+: error: ")
            self.assertIn("^~~~~~~", shown)

    def test_contradictory_data_name_the_constraint(self):
        text = COUPLED.replace("x^2 + y^2 = 1", "x^2 + y^2 = -1")
        self.assertIn("'rod'", self.refused("run", self.model(text), "--out", "a.csv"))

    def test_bad_options_are_refused(self):
        pendulum = str(MODELS / "pendulum.toml")
        for arguments, word in (
                (["--metod", "rattle"], "--method"), (["--method", "ratle"], "'rattle'"),
                (["--method", "rattle", "--formulation", "dirac"], "dirac"), (["--projection", "bothe"], "'both'"),
                (["--monitor", "enrgy"], "'energy'"), (["--out", "x.mat"], ".mat"), (["--out", "x.h5", "--compression", 10], "between 0 and 9"),
                (["--out", "no/such/folder/x.csv"], "no/such"), (["--end", "inf"], "finite"), (["--step", "0"], "step"),
                (["--step", "0.1", "--step", "0"], "--step is given more than once"),
                (["--step", "abc"], "abc"), (["--end", "x"], "x"), (["--every", "0"], "every"),
                (["--every", "1.5"], "integer"), (["--every", "2", "--sample", "1"], "either"),
                (["--precision", "half"], "half"), (["--backend", "gpu"], "gpu"),
                (["--backend", "jit", "--precision", "quad"], "quad"), (["--initial", "guess"], "guess"),
                (["--set", "mm=1"], "mm"), (["--project-every", "0"], "project-every"),
                (["--report", "x.pdf"], ".html"), (["--report", "no/such/x.html"], "no/such"),
                (["--out", "x.csv", "--report", "x.csv"], ".html"), (["--tolerance", "0"], "--tolerance:1:1: error: "),
                (["--tolerance", "1e-20"], "--precision quad"), (["--tolerance", "x"], "parameters"),
                (["--tolerance", "1e-6", "--absolute-tolerance", "-1"], "--absolute-tolerance:1:1: error: "),
                (["--tolerance", "1e-6", "--controller", "reversibel"], "'reversible'"),
                (["--tolerance", "1e-6", "--controller", "reversible", "--method", "rk4"], "symmetric"),
                (["--tolerance", "1e-6", "--step-density", "q"], "--step-density:1:1: error: "),
                (["--tolerance", "1e-6", "--step-density", "x - 5"], "positive"),
                (["--tolerance", "1e-6", "--step-density", "3 + p_y"], "opposite momenta"),
                (["--tolerance", "1e-6", "--step", "-1"], "step")):
            with self.subTest(arguments=arguments):
                self.assertIn(word, self.refused("run", pendulum, *arguments))

    def test_missing_files_and_commands_are_refused(self):
        self.assertIn("no such file", self.refused("run", "nowhere.toml"))
        self.assertIn("'pendulum'", self.refused("run", "pendulm"))
        self.assertIn("'run'", self.refused("rnu", "pendulum"))
        self.refused("run")
        self.refused("list")
        self.refused("list", "everything")

    def test_step_and_end_are_required(self):
        bare = self.model(FREE.split("[run]")[0])
        self.assertIn("--step", self.refused("run", bare, "--end", "1"))
        self.assertIn("--end", self.refused("run", bare, "--step", "1"))

    def test_no_file_is_written_twice_or_over_one_that_is_read(self):
        model = self.model((MODELS / "pendulum.toml").read_text(), "m.csv")
        self.summary(model, "--end", 1, "--out", "ref.csv")
        (self.folder / "link.csv").symlink_to("ref.csv")
        section = ["--section", "y", "--section-out"]
        for arguments, word in ((["--checkpoint", "m.csv"], "the model"), (["--out", "./m.csv"], "the model"),
                                (["--reference", "ref.csv", "--checkpoint", "ref.csv"], "the reference"),
                                (["--reference", "ref.csv", *section, "./ref.csv"], "the reference"),
                                (["--reference", "ref.csv", "--out", "link.csv"], "the reference"),
                                (["--out", "o.csv", *section, "./o.csv"], "the trajectory"),
                                (["--out", "o.csv", "--checkpoint", "../" + self.folder.name + "/o.csv"], "the trajectory"),
                                ([*section, "s.csv", "--checkpoint", "./s.csv"], "the section")):
            message = self.refused("run", model, "--end", 1, *arguments)
            self.assertIn("is the file of " + word, message)
        # A section that is not asked for is not written.
        self.summary(model, "--end", 1, "--out", "o.csv", "--section-out", "./o.csv")


if __name__ == "__main__":
    main()
