# SPDX-License-Identifier: MIT
"""The layer_norm tool on input that is fine: values, shape and type of its output, against Python's own float64.

    python3 layer_norm_good_test.py TOOL DATA_FOLDER [cpu|gpu]
"""
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

import npy_files

TOOL, DATA = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
BACKEND = sys.argv[3] if len(sys.argv) > 3 else "cpu"
NAMED = {"cpu": "CPU executor", "gpu": "GPU, "}[BACKEND]  # in the tool's output
FILE_TYPES = {"<f2": "half", "<f4": "float", "<f8": "float"}


class Good(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.random = random.Random(7)

    def file(self, name, descr, shape, values, version=1):
        path = self.folder / name
        path.write_bytes(npy_files.encode(descr, shape, values, version))
        return npy_files.decode(npy_files.encode(descr, shape, values))[2]  # as stored

    def run_tool(self, *arguments):
        command = [TOOL, self.folder / "x.npy", "--out", self.folder / "y.npy", "--backend", BACKEND, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("PASS", done.stdout)
        self.assertIn(NAMED, done.stdout)
        self.assertEqual([entry.name for entry in self.folder.iterdir() if "y.npy" in entry.name], ["y.npy"])
        return done.stdout, npy_files.decode((self.folder / "y.npy").read_bytes())

    def normalise(self, descr, shape, dtype=None, gamma=True, beta=True, eps=None, parameter_descr="<f4", offset=0.0):
        """Runs the tool on random rows and judges every element of the output by the bound of its type."""
        cols, count = shape[-1], math.prod(shape)
        x = self.file("x.npy", descr, shape, [self.random.gauss(offset, 1) for _ in range(count)])
        arguments = []
        parameters = {"gamma": [1.0] * cols, "beta": [0.0] * cols}
        for name, given in (("gamma", gamma), ("beta", beta)):
            if given:
                values = [self.random.gauss(0, 1) for _ in range(cols)]
                stored = self.file(f"{name}.npy", parameter_descr, (cols,), values)
                parameters[name] = [npy_files.rounded(value, "float") for value in stored]
                arguments += [f"--{name}", self.folder / f"{name}.npy"]
        if dtype:
            arguments += ["--dtype", dtype]
        if eps is not None:
            arguments += ["--eps", eps]
        stdout, (out_descr, out_shape, y) = self.run_tool(*arguments)

        dtype = dtype or FILE_TYPES[descr]
        self.assertEqual(out_descr, "<f2" if dtype == "half" else "<f4")
        self.assertEqual(out_shape, tuple(shape))
        x = [npy_files.rounded(value, dtype) for value in x]
        for first in range(0, count, cols or 1):
            row = x[first : first + cols]
            wanted = npy_files.layer_norm(row, parameters["gamma"], parameters["beta"], float(eps or 1e-5))
            for c, want in enumerate(wanted):
                got = y[first + c]
                if dtype == "float":
                    scale = max(abs(want), abs(parameters["gamma"][c]), abs(parameters["beta"][c]))
                    allowed = 8 * npy_files.ulp(scale, dtype)
                    self.assertLessEqual(abs(got - want), allowed, f"element {first + c}")
                else:
                    nearest = npy_files.rounded(want, dtype)
                    step = npy_files.ulp(abs(nearest), dtype)
                    self.assertLessEqual(abs(got - nearest), step, f"element {first + c}")
                    self.assertEqual(got, npy_files.rounded(got, dtype), f"element {first + c} is no {dtype}")
        return stdout

    def test_every_type_from_every_file_type(self):
        for descr in FILE_TYPES:
            for dtype in (None, "float", "half", "bfloat16"):
                with self.subTest(descr=descr, dtype=dtype):
                    self.normalise(descr, (3, 70), dtype)

    def test_shapes(self):
        for shape in ((7,), (1,), (5, 1), (2, 3, 33), (1, 2, 1, 2, 9), (2, 1000), (3, 31)):
            with self.subTest(shape=shape):
                self.normalise("<f4", shape)

    def test_empty_shapes(self):
        for shape in ((0, 8), (2, 0), (0,), (3, 0, 4)):
            for dtype in ("float", "half", "bfloat16"):
                with self.subTest(shape=shape, dtype=dtype):
                    self.normalise("<f4", shape, dtype)

    def test_parameters(self):
        for gamma, beta in ((False, False), (True, False), (False, True)):
            with self.subTest(gamma=gamma, beta=beta):
                self.normalise("<f4", (3, 40), gamma=gamma, beta=beta)
        for parameter_descr in ("<f2", "<f8"):
            with self.subTest(parameter_descr=parameter_descr):
                self.normalise("<f4", (3, 40), parameter_descr=parameter_descr)

    def test_eps_is_used(self):
        for eps in ("0", "0.5", "1e-12", "3"):
            with self.subTest(eps=eps):
                self.normalise("<f4", (3, 40), eps=eps)

    def test_mean_far_from_zero(self):
        self.normalise("<f4", (2, 500), offset=1e4)

    def test_cancellation_in_a_narrow_type(self):
        # beta takes away the scaled value but for its rounding to float: what is left is of the size of float's
        # rounding errors, about which half and bfloat16 promise no more than float does.
        cols = 64
        for dtype in ("half", "bfloat16"):
            with self.subTest(dtype=dtype):
                values = [npy_files.rounded(self.random.gauss(0, 1), dtype) for _ in range(cols)]
                x = self.file("x.npy", "<f4", (cols,), values)
                gamma = self.file("gamma.npy", "<f4", (cols,), [self.random.gauss(0, 1) for _ in range(cols)])
                scaled = npy_files.layer_norm(x, gamma, [0.0] * cols, 1e-5)
                beta = self.file("beta.npy", "<f4", (cols,), [-value for value in scaled])
                parameters = ["--gamma", self.folder / "gamma.npy", "--beta", self.folder / "beta.npy"]
                stdout, (_, _, y) = self.run_tool("--dtype", dtype, *parameters)
                self.assertIn("cancelled:", stdout)
                for c, want in enumerate(npy_files.layer_norm(x, gamma, beta, 1e-5)):
                    scale = max(abs(gamma[c]), abs(beta[c]))
                    self.assertLessEqual(abs(y[c] - want), 8 * npy_files.ulp(scale, "float"), f"column {c}")

    def test_constant_row_gives_beta(self):
        self.file("x.npy", "<f4", (2, 50), [3.7] * 100)
        beta = self.file("beta.npy", "<f4", (50,), [self.random.gauss(0, 1) for _ in range(50)])
        _, (_, _, y) = self.run_tool("--beta", self.folder / "beta.npy")
        self.assertEqual(y, beta * 2)

    def test_nan_stays_in_its_row(self):
        values = [self.random.gauss(0, 1) for _ in range(60)]
        values[25] = float("nan")
        self.file("x.npy", "<f4", (3, 20), values)
        _, (_, _, y) = self.run_tool()
        self.assertEqual([value != value for value in y], [20 <= i < 40 for i in range(60)])

    def test_newer_header_versions(self):
        values = [1.0, 2.0, 4.0, 8.0]
        self.file("x.npy", "<f4", (4,), values)
        expected = self.run_tool()[1]
        for version in (2, 3):
            self.file("x.npy", "<f4", (4,), values, version)
            self.assertEqual(self.run_tool()[1], expected)

    def test_output_may_replace_its_input(self):
        self.file("x.npy", "<f4", (2, 3), [1.0, 2.0, 4.0, 3.0, 3.0, 3.5])
        expected = self.run_tool()[1]
        command = [TOOL, self.folder / "x.npy", "--out", self.folder / "x.npy", "--backend", BACKEND]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        self.assertEqual(npy_files.decode((self.folder / "x.npy").read_bytes()), expected)

    def test_real_rows_with_plan(self):
        out = self.folder / "y.npy"
        command = [TOOL, DATA / "embeddings.npy", "--gamma", DATA / "gamma.npy", "--beta", DATA / "beta.npy"]
        command += ["--eps", (DATA / "eps.txt").read_text().strip(), "--out", out, "--backend", "auto", "--explain"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertRegex(done.stdout, re.compile(r"^plan: +\S+", re.M))
        self.assertRegex(done.stdout, re.compile(r"^ +variant: .+: .+", re.M))  # its choice and the reason
        # The first row by hand, so that "auto" too is held against something beside the tool's own word.
        _, (rows, cols), x = npy_files.decode((DATA / "embeddings.npy").read_bytes())
        gamma, beta = (npy_files.decode((DATA / f"{name}.npy").read_bytes())[2] for name in ("gamma", "beta"))
        _, shape, y = npy_files.decode(out.read_bytes())
        self.assertEqual(shape, (rows, cols))
        for c, want in enumerate(npy_files.layer_norm(x[:cols], gamma, beta, 1e-12)):
            scale = max(abs(want), abs(gamma[c]), abs(beta[c]))
            self.assertLessEqual(abs(y[c] - want), 8 * npy_files.ulp(scale, "float"), f"column {c}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
