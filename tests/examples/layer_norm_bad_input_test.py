# SPDX-License-Identifier: MIT
"""The layer_norm tool on input that cannot be used: one line on stderr that says what is wrong, exit status 2, and not
one new or changed file.

    python3 layer_norm_bad_input_test.py TOOL
"""
import math
import os
import pathlib
import re
import resource
import struct
import subprocess
import sys
import tempfile
import unittest

from npy_files import encode, header, padded, with_preamble

TOOL = os.path.abspath(sys.argv[1])
ROW = [0.5, -1.0, 2.0, 4.0]
GOOD = encode("<f4", (2, 4), ROW + ROW)
FOUR_BYTES = struct.pack("<f", 1.0)


def with_header(text, data=struct.pack("<8f", *ROW, *ROW)):
    return with_preamble(padded(text), data)


# What x, gamma or beta may not be: name, bytes of the file, and what the sentence has to say.
BAD_FILES = [
    ("empty file", b"", "not a .npy file"),
    ("other magic", b"PK\x03\x04" + GOOD, "not a .npy file"),
    ("magic alone", GOOD[:6], "not a .npy file"),
    ("unknown version", GOOD[:6] + b"\x04" + GOOD[7:], "version 4.0"),
    ("unknown minor version", GOOD[:7] + b"\x01" + GOOD[8:], "version 1.1"),
    ("ends in the length", GOOD[:9], "broken header"),
    ("ends in the header", GOOD[:40], "broken header"),
    ("header longer than the file", GOOD[:8] + b"\xff\xff" + GOOD[10:], "broken header"),
    ("header not a dictionary", with_header("[1, 2, 3]"), "broken header"),
    ("key missing", with_header("{'descr': '<f4', 'shape': (2, 4), }"), "broken header"),
    ("key twice", with_header("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 4)}"), "broken header"),
    ("foreign key", with_header(header("<f4", (2, 4))[:-1] + "'extra': 1, }"), "broken header"),
    ("no comma", with_header("{'descr': '<f4' 'fortran_order': False, 'shape': (2, 4)}"), "broken header"),
    ("shape not a tuple", with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (8)}"), "broken header"),
    ("shape of words", with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (two, 4)}"), "broken header"),
    ("order not a truth value", with_header("{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 4)}"), "broken header"),
    ("unclosed dictionary", with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4)"), "broken header"),
    ("text after the dictionary", with_header(header("<f4", (2, 4)) + " x"), "broken header"),
    ("no newline", with_preamble(header("<f4", (2, 4)) + "   ", GOOD[-32:]), "broken header"),
    ("structured dtype", with_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 4)}"), "broken header"),
    ("truncated by one byte", GOOD[:-1], "truncated: 31 bytes"),
    ("no data", GOOD[:-32], "truncated: 0 bytes"),
    ("one trailing byte", GOOD + b"\0", "trailing bytes: 33 bytes"),
    ("trailing element", GOOD + FOUR_BYTES, "trailing bytes: 36 bytes"),
    ("trailing byte of an empty array", encode("<f4", (0, 4), []) + b"\0", "trailing bytes"),
    ("big-endian float", with_header(header(">f4", (2, 4))), "big-endian"),
    ("big-endian double", with_header(header(">f8", (2, 4))), "big-endian"),
    ("int32", with_header(header("<i4", (2, 4))), "dtype '<i4'"),
    ("int8", with_header(header("|i1", (2, 4))), "dtype '|i1'"),
    ("complex64", with_header(header("<c8", (2, 4))), "dtype '<c8'"),
    ("objects", with_header(header("|O", (2, 4))), "dtype '|O'"),
    ("empty dtype", with_header(header("", (2, 4))), "dtype ''"),
    ("no byte order", with_header(header("f4", (2, 4))), "dtype 'f4'"),
    ("Fortran order", with_header(header("<f4", (2, 4), True)), "Fortran order"),
    ("0-d", with_header(header("<f4", ()), FOUR_BYTES), "0-d"),
    ("negative shape", with_header(header("<f4", (-2, 4))), "negative shape"),
    ("negative row", with_header(header("<f4", (2, -4))), "negative shape"),
    ("two negative axes", with_header(header("<f4", (-2, -4))), "negative shape"),
    ("shape over 64 bits", with_header(header("<f4", (10**30, 4))), "huge"),
    ("product over 64 bits", with_header(header("<f4", (2**40, 2**40))), "huge"),
    ("product that wraps to 8", with_header(header("<f4", (2**62 + 2, 4))), "huge"),
    ("huge but empty", with_header(header("<f4", (2**40, 2**40, 0)), b""), "huge"),
    ("more than is there", with_header(header("<f4", (2**40, 4))), "truncated"),
    ("newline in the dtype", with_header(header("<f4", (2, 4)).replace("<f4", "<f4\nEND")), "dtype '<f4?END'"),
]

# Command lines beside a good x.npy: words, and what the sentence has to say. OUT stands for the output's path.
BAD_COMMANDS = [
    ([], "no input file"),
    (["--out", "OUT"], "no input file"),
    (["x.npy"], "--out is missing"),
    (["x.npy", "--out"], "--out needs a value"),
    (["x.npy", "--out", ""], "--out needs a value"),
    (["x.npy", "--out", "--explain"], "--out needs a value"),
    (["x.npy", "--out", "OUT", "--gamma"], "--gamma needs a value"),
    (["x.npy", "--out", "OUT", "--beta"], "--beta needs a value"),
    (["x.npy", "--out", "OUT", "--eps"], "--eps needs a value"),
    (["x.npy", "--out", "OUT", "--dtype"], "--dtype needs a value"),
    (["x.npy", "--out", "OUT", "--backend"], "--backend needs a value"),
    (["x.npy", "--out", "OUT", "--out", "OUT"], "--out is given twice"),
    (["x.npy", "x.npy", "--out", "OUT"], "exactly one input file"),
    (["", "--out", "OUT"], "exactly one input file"),
    (["x.npy", "--out", "OUT", "--fast"], "unknown flag --fast"),
    (["x.npy", "--out", "OUT", "-v"], "unknown flag -v"),
    (["x.npy", "--out=OUT"], "unknown flag --out=OUT"),
    (["x.npy", "--out", "OUT", "--dtype", "double"], "--dtype double"),
    (["x.npy", "--out", "OUT", "--dtype", "Float"], "--dtype Float"),
    (["x.npy", "--out", "OUT", "--backend", "cuda"], "--backend cuda"),
    (["x.npy", "--out", "OUT", "--eps", "-1"], "--eps -1"),
    (["x.npy", "--out", "OUT", "--eps", "-1e-9"], "--eps -1e-9"),
    (["x.npy", "--out", "OUT", "--eps", "small"], "--eps small"),
    (["x.npy", "--out", "OUT", "--eps", "1e-5x"], "--eps 1e-5x"),
    (["x.npy", "--out", "OUT", "--eps", "nan"], "--eps nan"),
    (["x.npy", "--out", "OUT", "--eps", "inf"], "--eps inf"),
    (["x.npy", "--out", "OUT", "--eps", "1e400"], "--eps 1e400"),
    (["x.npy", "--out", "OUT", "--eps", "1e39"], "--eps 1e39"),
    (["missing.npy", "--out", "OUT"], "missing.npy does not exist"),
    (["x.npy/x.npy", "--out", "OUT"], "x.npy/x.npy does not exist"),
    ([".", "--out", "OUT"], ". is a folder"),
    (["/dev/null", "--out", "OUT"], "/dev/null is not a regular file"),
    (["two\nlines.npy", "--out", "OUT"], "two?lines.npy does not exist"),
    (["x.npy", "--out", "OUT", "--gamma", "missing.npy"], "missing.npy does not exist"),
    (["x.npy", "--out", "OUT", "--beta", "."], ". is a folder"),
    (["x.npy", "--out", "."], "folder"),
    (["x.npy", "--out", "missing/y.npy"], "missing/y.npy cannot be written"),
    (["x.npy", "--out", "x.npy/y.npy"], "x.npy/y.npy cannot be written"),
    (["x.npy", "--out", "/dev/null"], "/dev/null cannot be written"),
    (["x.npy", "--out", "y" * 300], "cannot be written"),
]


class Bad(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / "x.npy").write_bytes(GOOD)

    def contents(self):
        return {path.relative_to(self.folder): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def refused(self, words, sentence, **options):
        before = self.contents()
        done = subprocess.run([TOOL, *words], cwd=self.folder, capture_output=True, text=True, timeout=60, **options)
        self.assertEqual(done.returncode, 2, (done.stdout, done.stderr))
        self.assertRegex(done.stderr, re.compile(r"\Alayer_norm: [^\n]+\n\Z"))
        self.assertIn(sentence, done.stderr)
        self.assertEqual(self.contents(), before)

    def test_the_good_file_is_good(self):
        done = subprocess.run([TOOL, "x.npy", "--out", "y.npy", "--backend", "cpu"], cwd=self.folder, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertTrue((self.folder / "y.npy").is_file())

    def test_files(self):
        for name, data, sentence in BAD_FILES:
            with self.subTest(name):
                (self.folder / "bad.npy").write_bytes(data)
                self.refused(["bad.npy", "--out", "y.npy"], "bad.npy")
                self.refused(["bad.npy", "--out", "y.npy"], sentence)
                self.refused(["x.npy", "--gamma", "bad.npy", "--out", "y.npy"], sentence)
                self.refused(["x.npy", "--beta", "bad.npy", "--out", "y.npy"], sentence)

    def test_commands(self):
        for words, sentence in BAD_COMMANDS:
            with self.subTest(words):
                self.refused([word.replace("OUT", "y.npy") for word in words], sentence.replace("OUT", "y.npy"))

    def test_parameters_of_another_length(self):
        for shape in ((3,), (5,), (0,), (1,), (1, 4), (4, 1)):
            with self.subTest(shape):
                (self.folder / "p.npy").write_bytes(encode("<f4", shape, [1.0] * math.prod(shape)))
                for flag in ("--gamma", "--beta"):
                    self.refused(["x.npy", flag, "p.npy", "--out", "y.npy"], f"p.npy ({flag}) has shape")

    def test_rows_longer_than_an_int(self):
        (self.folder / "wide.npy").write_bytes(with_header(header("<f4", (0, 2**31)), b""))
        self.refused(["wide.npy", "--out", "y.npy"], "rows of 2147483648 elements")

    def test_values_too_large_for_the_type(self):
        (self.folder / "large.npy").write_bytes(encode("<f8", (2,), [1.0, 1e300]))
        self.refused(["large.npy", "--out", "y.npy"], "too large for float")
        (self.folder / "large.npy").write_bytes(encode("<f4", (2,), [1.0, 65520.0]))
        self.refused(["large.npy", "--out", "y.npy", "--dtype", "half"], "too large for half")

    def test_an_older_output_stays(self):
        (self.folder / "y.npy").write_bytes(b"precious")
        self.refused(["x.npy", "--out", "y.npy", "--eps", "-1"], "--eps")

    def test_gpu_without_one(self):
        # Where a GPU is visible, it is hidden: this is the case of a build for GPUs on a machine without.
        self.refused(
            ["x.npy", "--out", "y.npy", "--backend", "gpu"],
            "--backend gpu: ",
            env=dict(os.environ, CUDA_VISIBLE_DEVICES=""),
        )

    def test_a_file_that_may_not_grow(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        (self.folder / "y.npy").write_bytes(b"precious")
        before = self.contents()
        command = [TOOL, "x.npy", "--out", "y.npy", "--backend", "cpu"]
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, timeout=60, preexec_fn=small_files
        )
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, re.compile(r"\Alayer_norm: y.npy cannot be written: [^\n]+\n\Z"))
        self.assertEqual(self.contents(), before)

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_that_may_not_be_written(self):
        (self.folder / "locked").mkdir(mode=0o500)
        self.refused(["x.npy", "--out", "locked/y.npy", "--backend", "cpu"], "locked/y.npy cannot be written")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
