#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts the tables of measured errors of all ops into one file, and prints it.

    accuracy.py FOLDER OUTPUT      FOLDER holds <op>.md of each op, written by the tests

Fails when an op (a header include/rowfold/<op>.cuh) has no table, unless it computes nothing of its own.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXACT = {
    "elementwise": "The function is the caller's. Tests compare sums with float arithmetic and one rounding, bit for bit.",
    "layer_norm_channels_first": "Has the bits of layer_norm over the same rows: tests compare them.",
    "transpose": "Moves elements. Tests compare bytes.",
}


def main():
    folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    sections, missing = [], []
    for op in sorted(header.stem for header in (ROOT / "include/rowfold").glob("*.cuh")):
        table = folder / f"{op}.md"
        if op in EXACT:
            sections.append(f"## {op}\n\n{EXACT[op]}\n")
        elif table.exists():
            sections.append(table.read_text())
        else:
            missing.append(op)
    text = "# Largest errors against a float64 reference, measured by the tests\n\n" + "\n".join(sections)
    output.write_text(text)
    print(text)
    if missing:
        sys.exit(f"accuracy.py: no table of {', '.join(missing)} in {folder}")


if __name__ == "__main__":
    main()
