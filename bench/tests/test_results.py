# SPDX-License-Identifier: MIT
"""Tests of merge.py, plot.py and results.py on made-up figures whose medians are known. Standard library only; the
SVG is tested where matplotlib is installed."""

import contextlib
import importlib.util
import io
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import merge  # noqa: E402
import plot  # noqa: E402
import results  # noqa: E402


def entry(name, fraction, **more):
    return {"name": name, "repetition_index": 0, "label": "plan", "fraction_of_copy": fraction,
            "microseconds": 100.0 / fraction, **more}


def run(*entries, **context):
    base = {"gpu": "card", "commit": "abc", "elements": "1", "date": "today", "copy_bytes_per_second": "4"}
    return {"context": {**base, **context}, "benchmarks": list(entries)}


def quietly(function, arguments):
    """(exit status, standard output, standard error)"""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = function(arguments)
    return status, out.getvalue(), err.getvalue()


class Names(unittest.TestCase):
    def test_parts(self):
        self.assertEqual(results.parse_name("layer_norm/half/4/64"), ("layer_norm", "half", 4, 64, "rowfold"))
        self.assertEqual(results.parse_name("layer_norm/half/4/64/torch_eager").implementation, "torch_eager")

    def test_other_forms_are_none(self):
        for name in ("host/plan", "copy/byte/1/64", "layer_norm/half/4", "layer_norm/half/x/64", "a/half/1/2/b/c"):
            self.assertIsNone(results.parse_name(name), name)


class Merge(unittest.TestCase):
    def test_median_and_range_of_three(self):
        name = "layer_norm/half/4/64"
        runs = [run(entry(name, f), copy_bytes_per_second=c) for f, c in ((0.9, "5"), (0.5, "3"), (0.8, "4"))]
        merged, problems = merge.merge(runs)
        self.assertEqual(problems, [])
        cell = merged["benchmarks"][0]
        self.assertEqual(cell["fraction_of_copy"], 0.8)
        self.assertEqual((cell["fraction_of_copy_min"], cell["fraction_of_copy_max"]), (0.5, 0.9))
        self.assertEqual(cell["microseconds"], 125.0)
        self.assertEqual((cell["runs"], cell["repetition_index"], cell["label"]), (3, 0, "plan"))
        self.assertEqual(float(merged["context"]["copy_bytes_per_second"]), 4.0)

    def test_two_runs_take_the_mean(self):
        merged, _ = merge.merge([run(entry("a/half/1/2", 0.5)), run(entry("a/half/1/2", 0.7))])
        self.assertAlmostEqual(merged["benchmarks"][0]["fraction_of_copy"], 0.6)

    def test_missing_cell_is_reported_and_kept(self):
        runs = [run(entry("a/half/1/2", 0.5), entry("a/half/1/4", 0.6)), run(entry("a/half/1/2", 0.5))]
        merged, problems = merge.merge(runs)
        self.assertEqual(problems, ["a/half/1/4: missing from 1 of 2 runs"])
        self.assertEqual([cell["runs"] for cell in merged["benchmarks"]], [2, 1])

    def test_failed_cell_is_reported_and_left_out(self):
        bad = {"name": "a/half/1/2", "error_occurred": True, "error_message": "wrong result"}
        merged, problems = merge.merge([run(entry("a/half/1/2", 0.5)), run(bad)])
        self.assertEqual(problems, ["a/half/1/2: wrong result"])
        self.assertEqual(merged["benchmarks"], [])

    def test_other_card_or_commit_is_refused(self):
        for key in ("gpu", "commit", "elements"):
            with self.assertRaises(ValueError):
                merge.merge([run(entry("a/half/1/2", 0.5)), run(entry("a/half/1/2", 0.5), **{key: "other"})])

    def test_differing_plans_stay_visible(self):
        merged, _ = merge.merge([run(entry("a/half/1/2", 0.5)), run(entry("a/half/1/2", 0.5, label="other"))])
        self.assertEqual(merged["benchmarks"][0]["label"], "other | plan")


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, value):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(value if isinstance(value, str) else json.dumps(value))
        return self.path(name)

    def full(self, skip=(), widths=(64, 512, 5120, 128256)):
        return run(*(entry(f"layer_norm/{dtype}/4/{cols}", 0.9, runs=3, fraction_of_copy_min=0.85,
                           fraction_of_copy_max=0.95)
                     for dtype in ("float", "bfloat16") for cols in widths if (dtype, cols) not in skip),
                   entry("layer_norm_graph/float/1/4096", 50.0),
                   entry("host/plan", 0.1), entry("layer_norm/float/4/64/torch_eager", 0.1))

    def test_merge_program(self):
        first = self.write("1.json", run(entry("a/half/1/2", 0.5), entry("a/half/1/4", 0.5)))
        second = self.write("2.json", run(entry("a/half/1/2", 0.7)))
        status, _, err = quietly(merge.main, [self.path("out.json"), first, second])
        self.assertEqual(status, 1)
        self.assertIn("a/half/1/4: missing", err)
        self.assertEqual(len(results.load(self.path("out.json"))["benchmarks"]), 2)
        self.assertEqual(quietly(merge.main, [self.path("out.json"), first, first])[0], 0)

    def test_merge_of_the_last_commit(self):
        runs = [self.write(f"{number}.json", run(entry("a/half/1/2", fraction), commit=commit))
                for number, (fraction, commit) in enumerate(((0.1, "new"), (0.5, "old"), (0.3, "new")))]
        self.assertEqual(quietly(merge.main, [self.path("out.json"), *runs])[0], 2)
        self.assertEqual(quietly(merge.main, ["--last-commit", self.path("out.json"), *runs])[0], 0)
        merged = results.load(self.path("out.json"))
        self.assertEqual((merged["context"]["commit"], merged["context"]["merged_runs"]), ("new", 2))
        part = self.write("3.json", run(entry("a/half/1/4", 0.3), commit="newer"))
        status, _, err = quietly(merge.main, ["--last-commit", self.path("out.json"), *runs, part])
        self.assertEqual(status, 2)
        self.assertIn("lack 1 benchmarks of earlier ones, a/half/1/2 first", err)
        self.assertAlmostEqual(merged["benchmarks"][0]["fraction_of_copy"], 0.2)

    def test_unusable_files(self):
        good = self.write("good.json", run(entry("a/half/1/2", 0.5)))
        twice = run(entry("a/half/1/2", 0.5), entry("a/half/1/2", 0.5))
        for content in ("", "{", "[]", '{"context": {}, "benchmarks": []}', twice):
            bad = self.write("bad.json", content)
            self.assertEqual(quietly(merge.main, [self.path("out.json"), good, bad])[0], 2, content)
            self.assertEqual(quietly(merge.main, [self.path("out.json"), bad])[0], 2, content)
            self.assertFalse(os.path.exists(self.path("out.json")))
            self.assertEqual(quietly(plot.main, [bad])[0], 2, content)

    def test_table(self):
        status, out, err = quietly(plot.main, [self.write("r.json", self.full())])
        self.assertEqual((status, err), (0, ""))
        lines = out.splitlines()
        self.assertEqual(lines[0], "| columns | bfloat16 | float |")
        self.assertEqual(lines[2], "| 64 | 0.900 (0.850-0.950), 111 us | 0.900 (0.850-0.950), 111 us |")
        large = lines[:lines.index("")]
        self.assertEqual([line.split()[1] for line in large[2:]], ["64", "512", "5120", "128256"])
        self.assertNotIn("0.100", "\n".join(large))  # the other implementation stays out
        self.assertIn("| float | 1x4096 | 2.00 |  |  |  |", lines)

    def test_any_widths_of_ours_are_drawn(self):
        for widths in ((1000,), (64, 4096), (1, 65, 128256)):
            chosen = plot.select([self.full(widths=widths)], "layer_norm")
            self.assertEqual({dtype: tuple(cells) for dtype, cells in chosen.items()},
                             {"bfloat16": widths, "float": widths})

    def test_width_of_some_types_is_blank_for_others(self):
        status, out, err = quietly(plot.main, [self.write("r.json", self.full(skip={("float", 5120)}))])
        self.assertEqual((status, err), (0, ""))
        self.assertIn("| 5120 | 0.900 (0.850-0.950), 111 us |  |", out)

    def test_failure_is_reported(self):
        result = self.full(skip={("float", 5120)})
        bad = {"name": "layer_norm/float/4/5120", "error_occurred": True, "error_message": "wrong result"}
        result["benchmarks"].append(bad)
        status, _, err = quietly(plot.main, [self.write("r.json", result)])
        self.assertEqual(status, 1)
        self.assertIn("layer_norm/float/4/5120: wrong result", err)

    def test_peers_stand_beside_ours(self):
        peers = self.write("p.csv", "op,dtype,mode,rows,cols,best_peer,us,fraction_of_copy\n"
                                    "ln_fwd,bf16,large,4,64,someone,1,0.31\nln_fwd,fp32,small,1,4096,other,1.5,\n"
                                    "sm_fwd,bf16,large,4,256,someone,1,0.98\n")
        _, out, _ = quietly(plot.main, [self.write("r.json", self.full()), "--peers", peers])
        lines = out.splitlines()
        self.assertEqual(lines[0], "| columns | bfloat16 | best peer | float |")
        self.assertIn("| 0.31 someone |", lines[2])
        self.assertEqual(out.count("someone"), 1)
        self.assertIn("| float | 1x4096 | 2.00 |  |  |  | 1.50 other |", lines)

    def test_comparison(self):
        compared = run(entry("layer_norm/half/4/64/rowfold", 0.9), entry("layer_norm/half/4/64/torch_eager", 0.4),
                       {"name": "layer_norm/half/4/64/torch_compile", "error_occurred": True})
        path = self.write("c.json", compared)
        _, out, _ = quietly(plot.main, [self.write("r.json", self.full()), "--comparison", path])
        self.assertIn("| type | columns | rowfold | torch_eager | torch_compile |", out)
        self.assertIn("| half | 64 | 0.900 | 0.400 | failed |", out)

    def test_unmerged_runs_are_refused(self):
        path = self.write("r.json", self.full())
        self.assertEqual(quietly(plot.main, [path, path])[0], 2)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_svg(self):
        path = self.write("r.json", self.full(widths=(1000,)))
        status, _, _ = quietly(plot.main, [path, "--svg", self.path("o.svg"), "--table", self.path("o.md")])
        self.assertEqual(status, 0)
        with open(self.path("o.svg"), encoding="utf-8") as file:
            self.assertIn("<svg", file.read())


if __name__ == "__main__":
    unittest.main()
