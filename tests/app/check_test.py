#!/usr/bin/env python3
"""cotangent check: usage check_test.py PROGRAM MODELS_FOLDER [unittest options]."""

import json
import sys

sys.dont_write_bytecode = True  # beside the sources
from model_texts import COUPLED, DAMPED, FREE, MOLECULE  # noqa: E402
from program import ProgramTest, main  # noqa: E402


class CheckTest(ProgramTest):
    def test_check_says_what_was_understood(self):
        result = self.call("check", "chain", "--set", "N=7")
        self.assertEqual(result.returncode, 0, result.stderr)
        for word in ("Hanging chain", "N = 7", "n = 14", "m = 7", "rod (6)", "separable"):
            self.assertIn(word, result.stdout)
        facts = json.loads(self.call("check", self.model(COUPLED), "--json").stdout)
        self.assertEqual(facts["degrees_of_freedom"], 1)
        self.assertFalse(facts["separable"])
        self.assertEqual([entry["name"] for entry in facts["conserved"]], ["energy"])

    def test_check_finds_what_is_conserved(self):
        result = self.call("check", "spherical_pendulum")
        self.assertIn("angular momentum about z: x*p_y - y*p_x", result.stdout)
        self.assertIn("energy", result.stdout)
        facts = json.loads(self.call("check", self.model(MOLECULE), "--json").stdout)
        self.assertEqual(facts["kind"], "lagrangian")
        self.assertEqual(facts["degrees_of_freedom"], 7)
        self.assertEqual(facts["invariants"], {"L": 3})
        self.assertEqual(facts["observables"], {"centre": 3, "pull": 1})
        self.assertEqual(facts["parameters"]["pairs"], [[1, 2], [2, 3]])
        self.assertEqual(len(facts["conserved"]), 7)
        # What is found can be declared, and is then kept.
        found = [entry["expression"] for entry in facts["conserved"] if "expression" in entry]
        declared = "".join(f'found_{k} = "{expression}"\n' for k, expression in enumerate(found))
        summary = self.summary(self.model(MOLECULE.replace("[invariants]\n", "[invariants]\n" + declared)))
        self.assertEqual(len(summary["max"]["invariants"]), 7)
        self.assertLess(max(summary["max"]["invariants"].values()), 1e-12)

        damped = json.loads(self.call("check", self.model(DAMPED), "--json").stdout)
        self.assertEqual((damped["forces"], damped["conserved"], damped["states"]), (["x"], [], {"heat": []}))
        self.assertFalse(damped["time_dependent"])

    def test_redundant_constraints_are_named(self):
        facts = json.loads(self.call("check", "redundant_four_bar", "--json").stdout)
        self.assertEqual(facts["degrees_of_freedom"], 1)
        self.assertEqual(facts["redundant"], [{"constraint": "middle", "follows_from": ["left", "right"]}])
        summary = self.summary("redundant_four_bar", "--end", 1)
        self.assertEqual([warning["kind"] for warning in summary["warnings"]], ["redundant-constraints"])
        self.assertIn("'middle'", summary["warnings"][0]["text"])
        self.assertIn("warning: ", self.call("run", "redundant_four_bar", "--end", 1).stderr)
        self.assertEqual(self.summary("four_bar", "--end", 1)["warnings"], [])

    def test_a_singular_configuration_is_told(self):
        warnings = self.summary("parallelogram")["warnings"]
        self.assertIn(warnings[0]["kind"], ("near-singular", "rank-loss"))
        self.assertGreater(warnings[0]["time"], 0)
        self.assertIn("condition number", warnings[0]["text"])

    def test_check_refuses_what_a_run_refuses(self):
        self.refused("check", self.model(FREE + "stepp = 1"))


if __name__ == "__main__":
    main()
