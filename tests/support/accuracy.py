#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts the tables of measured errors of all ops into one file, and prints it.

    accuracy.py FOLDER OUTPUT      FOLDER holds <op>.md of each op, written by the tests

Fails when an op (a header include/rowfold/<op>.cuh) has no table, unless it computes nothing of its own, and when a row of
the README's table of errors (| `<op>`: <types> | ...) is not what was measured.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXACT = {
    "elementwise": "The function is the caller's. Tests compare sums with float arithmetic and one rounding, bit for bit.",
    "layer_norm_channels_first": "Has the bits of layer_norm over the same rows: tests compare them.",
    "transpose": "Moves elements. Tests compare bytes.",
}


ALLOWANCE = 0.1  # of the README's figures: other C libraries round the reference otherwise


def table_rows(text):
    """{label: cells} of a table in Markdown."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")]
    return {row[0]: row[1:] for row in rows}


def errors_of(cells):
    return [float(cell.split()[0]) for cell in cells if cell]


def stale_rows(readme, folder):
    """What the README says, in words, of each row that the tests have measured otherwise; and how many rows it has."""
    stale = []
    rows = {label: cells for label, cells in table_rows(readme).items() if re.match(r"`\w+`: ", label)}
    for label, cells in rows.items():
        op, types = re.match(r"`(\w+)`: (.*)", label).groups()
        table = folder / f"{op}.md"
        measured = table_rows(table.read_text()).get(types) if table.exists() else None
        if measured is None:
            stale.append(f"{label}: no such row was measured")
        elif len(errors_of(measured)) != len(errors_of(cells)) or any(
                abs(a - b) > ALLOWANCE for a, b in zip(errors_of(measured), errors_of(cells))):
            stale.append(f"{label}: measured | {' | '.join(measured)} |")
    return stale, len(rows)


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
    stale, rows = stale_rows((ROOT / "README.md").read_text(), folder)
    if rows < 20:
        stale.append(f"only {rows} rows were found")
    if stale:
        sys.exit("accuracy.py: the README's table of errors: " + "\n".join(stale))
    if missing:
        sys.exit(f"accuracy.py: no table of {', '.join(missing)} in {folder}")


if __name__ == "__main__":
    main()
