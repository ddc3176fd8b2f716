"""Runs: records as arrays, options, failures, threads and Ctrl-C."""

import concurrent.futures
import html
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np

import cotangent as ct


class RunTest(unittest.TestCase):
    def test_records_every_step_without_copies(self):
        run = ct.Model("pendulum").run(method="rattle", step=0.01, end=10, monitor=["energy", "wedge"])
        self.assertEqual(len(run), 1001)
        self.assertEqual(run.p.shape, (1001, 2))
        for view in (run.t, run["x"], run.q, run.p, run["wedge"]):
            self.assertTrue(np.shares_memory(view, run._rows))
        np.testing.assert_array_equal(run["p_y"], run.p[:, 1])
        self.assertAlmostEqual(run.t[-1], 10)

    def test_is_the_run_of_the_program(self):
        """The record of the program, to its last digit."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "own.csv"
            run = ct.Model("double_pendulum").run(end=1, out=file)
            np.testing.assert_array_equal(np.loadtxt(file, delimiter=",", skiprows=1), run._rows)

    def test_writes_records_of_all_formats(self):
        model = ct.Model("double_pendulum")
        with tempfile.TemporaryDirectory() as folder:
            for ending in ("csv", "npz", "h5"):
                file = pathlib.Path(folder) / f"own.{ending}"
                for end in (0.5, 1):  # the second record replaces the first one
                    run = model.run(end=end, out=file, record=["q", "lambda", "hamiltonian"], compression=0)
                self.assertGreater(file.stat().st_size, 8 * 7 * len(run))
            with np.load(pathlib.Path(folder) / "own.npz") as record:
                np.testing.assert_array_equal(record["x1"], run["x1"])
                np.testing.assert_array_equal(record["hamiltonian"], run.energy)
                self.assertIn(b"double_pendulum", record["description.json"])
        with self.assertRaisesRegex(ct.OptionError, "there is no column 'nothing'"):
            model.run(end=1, out="own.h5", record="nothing")

    def test_derived_columns(self):
        run = ct.Model("chain").run(step=0.01, end=0.1)
        np.testing.assert_allclose(run["v_x"], run["p_x"], rtol=1e-15)
        self.assertEqual(run["lambda_rod"].shape, (11, 99))
        self.assertEqual(run.multipliers.shape, (11, 100))
        summary = run.summary["multipliers"]
        np.testing.assert_allclose(run["lambda_rod"][-1], summary["rod"], rtol=1e-9)
        np.testing.assert_allclose(run["lambda_anchor"][-1], summary["anchor"], rtol=1e-9)
        self.assertEqual(run.energy.shape, (11,))
        np.testing.assert_allclose(abs(run.energy - run.energy[0]), run["energy"], atol=1e-13)

    def test_names_the_columns_that_there_are(self):
        run = ct.Model("pendulum").run(end=0.1)
        with self.assertRaisesRegex(KeyError, "p_x"):
            run["z"]
        self.assertIn("x", run)

    def test_a_second_run_is_the_same(self):
        model = ct.Model("double_pendulum")
        first, second = (model.run(step=0.01, end=5, monitor="energy,wedge") for _ in range(2))
        np.testing.assert_array_equal(first._rows, second._rows)
        self.assertEqual(first.summary["max"], second.summary["max"])
        first, second = (model.run(step=0.01, end=2, certify=True) for _ in range(2))
        self.assertEqual(first.certificate, second.certificate)
        self.assertTrue(first.certificate["holds"])

    def test_options_are_those_of_the_command_line(self):
        model = ct.Model("pendulum")
        run = model.run(method="rk4", projection="joint", project_invariants=["energy"], step="pi/100", end=1, every=10)
        self.assertEqual((run.method, run.summary["projection"]), ("rk4", "joint"))
        self.assertLess(np.ptp(run.energy), 1e-13)
        with self.assertRaisesRegex(ct.OptionError, "did you mean 'method'"):
            model.run(metod="rattle")
        for option, text, column in (("step", "pii/100", 1), ("method", "rk44", 1), ("step", -1, 1), ("tolerance", 0, 1)):
            with self.subTest(option), self.assertRaises(ct.OptionError) as caught:
                model.run(**{option: text})
            self.assertEqual((caught.exception.file, caught.exception.column), (option, column))
            self.assertIn(caught.exception.message, str(caught.exception))
        # The same in [run] is a mistake of the model.
        with self.assertRaises(ct.ModelError) as caught:
            ct.Model(model.text.replace('method = "rattle"', 'method = "rk44"')).run()
        self.assertGreater(caught.exception.line, 1)

    def test_a_failure_warns_and_keeps_what_there_is(self):
        model = ct.Model(states="u", equations={"u": "u^2"}, initial={"u": 1})
        with self.assertWarnsRegex(ct.RunWarning, "ended at t = 1: .*tolerance.*; look for a"):
            run = model.run(method="dopri5", tolerance=1e-8, end=2)
        self.assertEqual(run.status, "failed")
        self.assertAlmostEqual(run.t[-1], 1, 3)

    def test_the_page_is_that_of_a_file(self):
        """In a notebook it is made from the records of the run: the same frames and columns as --report writes."""

        def data(page):
            return json.loads(re.search(r"<script[^>]*application/json[^>]*>(.*?)</script>", page, re.DOTALL)[1])

        for name in ("double_pendulum", "heavy_top", "lotka_volterra", "chain"):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "own.html"
                model, options = ct.Model(name), dict(end=1, monitor=["energy"] if name != "lotka_volterra" else [])
                model.run(report=file, **options)
                run = model.run(**options)
                ours, written = data(run.page())["runs"][0], data(file.read_text(encoding="utf-8"))["runs"][0]
                self.assertEqual(ours["record"], written["record"])
                self.assertEqual(ours.get("picture"), written.get("picture"))
                self.assertEqual(ours["summary"]["max"], written["summary"]["max"])
                shown = html.unescape(re.search(r'srcdoc="([^"]*)"', run._repr_html_())[1])
                self.assertEqual(data(shown)["runs"][0]["record"], written["record"])

    def test_a_file_that_is_no_page_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "own.html"
            file.write_text("mine")
            with self.assertRaisesRegex(ct.OptionError, "own.html"):
                ct.Model("pendulum").run(end=1, report=file)
            self.assertEqual(file.read_text(), "mine")

    def test_what_the_program_does_beside_runs_is_refused(self):
        for option in ({"json": True}, {"quiet": True}, {"plot": True}, {"checkpoint": "own.ckpt"}):
            with self.assertRaisesRegex(ct.OptionError, "of the program"):
                ct.Model("pendulum").run(end=1, **option)
            self.assertNotIn(*option, ct.options())

    def test_begins_where_another_run_has_ended(self):
        model = ct.Model("nose_hoover")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "own.csv"
            run = model.run(end=1, out=file)
            for record in (run, file, str(file)):
                following = model.with_initial_from(record).run(end=0.1)
                np.testing.assert_array_equal(following.q[0], run.q[-1])
                np.testing.assert_array_equal(following.s[0], run.s[-1])

    def test_is_a_data_frame(self):
        frame = ct.Model("pendulum").run(step=0.1, end=1).to_dataframe()
        self.assertEqual(frame.index.name, "t")
        self.assertEqual(frame.shape[0], 11)
        self.assertEqual(frame["x"].iloc[0], 1)

    def test_threads_share_a_model(self):
        model = ct.Model("double_pendulum")
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            runs = list(pool.map(lambda k: model.run(step=0.01, end=5 + k % 2), range(8)))
        for k, run in enumerate(runs):
            np.testing.assert_array_equal(run._rows, runs[k % 2]._rows)

    def test_the_lock_of_the_interpreter_is_released(self):
        model, ticks, is_done = ct.Model("double_pendulum"), [], threading.Event()

        def tick():
            while not is_done.wait(0.01):
                ticks.append(time.monotonic())

        thread = threading.Thread(target=tick)
        thread.start()
        start = time.monotonic()
        model.run(step=0.001, end=200, every=1000)
        took = time.monotonic() - start
        is_done.set()
        thread.join()
        self.assertGreater(len(ticks), took / 0.1)

    def test_ctrl_c_ends_what_takes_long(self):
        for what in (
            "m.run(step=0.01, end=1e9, every=10**9, monitor=[])",
            "m.stepper('rattle', step=0.01).step(10**11)",
            "ct.Model('spherical_pendulum').stability(end=1e4)",
            "ct.Model('chain', set={'N': 20000}).equilibrium()",
            "m.field('dirac')([[1, 0]], [[0, -2]], np.zeros(4 * 10**6))",
            "m.compare(method=['rattle', 'gauss:2'], step=1e-4, end=1e5)",
            "ct.reproduce('ruhoff')",
            "[tangled.analyze() for _ in range(9)]",
        ):
            program = (
                "import cotangent as ct, numpy as np, sys\n"
                "m = ct.Model('pendulum')\n"
                "names = [f'x{k}' for k in range(6)]\n"
                "x = lambda k: names[k % 6]\n"
                "tangled = ct.Model(coordinates=names, initial={n: 0.1 for n in names} | {f'p_{n}': 0 for n in names},\n"
                "    hamiltonian=' + '.join(f'(1 + {n}^2)*p_{n}^2/2 + sin({n}*{x(k + 1)})' for k, n in enumerate(names)),\n"
                "    constraints={f'c{k}': f'sin({x(k)})*{x(k + 1)}^2 + exp({x(k)}*{x(k + 2)}) - cos({x(k + 3)}) = 1' for k in range(3)})\n"
                "print('begun', flush=True)\n"
                f"try:\n    {what}\n"
                "except KeyboardInterrupt:\n    print('interrupted')\n"
                "print(len(m.run(step=0.1, end=1)))\n"
            )
            with self.subTest(what):
                process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
                self.assertEqual(process.stdout.readline(), "begun\n")
                time.sleep(0.3)
                process.send_signal(signal.SIGINT)
                out, _ = process.communicate(timeout=20)
                self.assertEqual(out, "interrupted\n11\n")

    def test_preparing_it_costs_little(self):
        """Beyond the time of the loop; the least of many, as other programs run, too."""
        model = ct.Model("pendulum")
        for what, options in (("again", lambda k: {}), ("other options", lambda k: {"every": k + 1})):
            times = []
            for k in range(200):
                start = time.perf_counter()
                run = model.run(method="rattle", step=0.01, end=0.1, **options(k))
                times.append(time.perf_counter() - start - run.summary["wall_seconds"])
            self.assertLess(min(times), 100e-6, what)

    def test_runs_keep_their_texts(self):
        """These are made when they are asked for, or when the next run begins."""
        model = ct.Model("pendulum")
        runs = [model.run(method="rattle", step=0.01, end=end) for end in (0.1, 0.1, 0.2, 0.1)]
        x = [run["x"][-1] for run in runs]
        self.assertEqual([run.summary["state"]["x"] for run in runs], x)
        self.assertIn("0.2", str(runs[2]))


if __name__ == "__main__":
    warnings.simplefilter("error", DeprecationWarning)
    unittest.main()
