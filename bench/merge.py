#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Merge the result files of several runs into one: the median of every counter, and how far the runs lie apart.

    merge.py [--last-commit] OUT.json RUN1.json RUN2.json [RUN3.json ...]

The output is again Google Benchmark's JSON. Each benchmark gains `runs` (how many files have it) and, where it has a
fraction_of_copy, that counter's _min and _max over the runs. Exit status 1, after writing, when a benchmark failed in
some run (it is left out) or is missing from some run (it is merged from the others); exit status 2, without writing,
when the runs cannot be merged: another card, or another commit of the code. With --last-commit those of another commit
than the last file's are left out instead, if they have no benchmark that its runs lack.
"""

import argparse
import json
import statistics
import sys

import results

SAME_IN_ALL_RUNS = ("gpu", "commit", "elements")
NOT_MEASURED = ("family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads", "iterations")


def merge_entries(entries):
    """One benchmark from its entries in several runs."""
    merged = dict(entries[0])
    for key, value in entries[0].items():
        measured = isinstance(value, (int, float)) and not isinstance(value, bool) and key not in NOT_MEASURED
        if measured and all(key in entry for entry in entries):
            merged[key] = statistics.median(entry[key] for entry in entries)
    labels = sorted({entry.get("label", "") for entry in entries})
    if len(labels) > 1:
        merged["label"] = " | ".join(labels)
    merged["runs"] = len(entries)
    if "fraction_of_copy" in merged:
        fractions = [entry["fraction_of_copy"] for entry in entries]
        merged["fraction_of_copy_min"] = min(fractions)
        merged["fraction_of_copy_max"] = max(fractions)
    return merged


def merge(runs):
    """(merged result, list of problems) of result dictionaries. Raises ValueError when they do not belong together."""
    for key in SAME_IN_ALL_RUNS:
        values = sorted({str(run["context"].get(key)) for run in runs})
        if len(values) > 1:
            raise ValueError(f"the runs differ in {key}: {', '.join(values)}")
    problems = []
    merged = []
    names = list(dict.fromkeys(entry["name"] for run in runs for entry in run["benchmarks"]))
    for name in names:
        found = [entry for run in runs for entry in run["benchmarks"] if entry["name"] == name]
        good = [entry for entry in found if not results.failed(entry)]
        if len(found) < len(runs):
            problems.append(f"{name}: missing from {len(runs) - len(found)} of {len(runs)} runs")
        for entry in found:
            if results.failed(entry):
                problems.append(f"{name}: {results.failed(entry)}")
        if good and len(good) == len(found):
            merged.append(merge_entries(good))
    context = dict(runs[0]["context"])
    context["merged_runs"] = len(runs)
    context["merged_dates"] = [run["context"].get("date") for run in runs]
    copies = [float(run["context"]["copy_bytes_per_second"]) for run in runs if "copy_bytes_per_second" in run["context"]]
    if copies:
        context["copy_bytes_per_second"] = str(statistics.median(copies))
        context["merged_copy_bytes_per_second"] = copies
    if problems:
        context["problems"] = problems
    return {"context": context, "benchmarks": merged}, problems


def of_last_commit(runs):
    """Those of the last run's commit; runs are in the order in which they were made. Raises ValueError where a
    benchmark of the others would be lost."""
    commit = runs[-1]["context"].get("commit")
    last = [run for run in runs if run["context"].get("commit") == commit]
    kept = {entry["name"] for run in last for entry in run["benchmarks"]}
    lost = [entry["name"] for run in runs for entry in run["benchmarks"] if entry["name"] not in kept]
    if lost:
        raise ValueError(f"the runs of {commit} lack {len(set(lost))} benchmarks of earlier ones, {lost[0]} first: "
                         "measure those, too, or remove the earlier runs")
    return last


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--last-commit", action="store_true", help="of several commits, the last file's alone")
    options = parser.parse_args(arguments)
    try:
        runs = [results.load(path) for path in options.runs]
        merged, problems = merge(of_last_commit(runs) if options.last_commit else runs)
    except (OSError, ValueError) as error:
        print(f"merge.py: {error}", file=sys.stderr)
        return 2
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(merged, file, indent=1)
        file.write("\n")
    for problem in problems:
        print(f"merge.py: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
