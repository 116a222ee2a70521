#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each op has, under one name, a header, a test, a benchmark, an instantiation and a row in the README's table of ops.

Usage: op_files.py ROOT. An op is a header include/rowfold/<op>.cuh; of an op with several functions that is the
family's name.
"""
import pathlib
import re
import sys


def missing_of(root, op, table):
    """What the op lacks, in words."""
    test_files = list((root / "tests").glob(f"*/{op}_test.cpp"))
    found = {
        f"tests/{op}/ or tests/*/{op}_test.cpp": (root / "tests" / op).is_dir() or bool(test_files),
        f"bench/{op}_bench.cu": (root / "bench" / f"{op}_bench.cu").is_file(),
        "a source in tests/instantiate": bool(instantiations(root, op)),
        "a row in the README's table of ops": f"`rowfold/{op}.cuh`" in table,
    }
    return [name for name, there in found.items() if not there]


def instantiations(root, op):
    """The sources in tests/instantiate that include the op's header."""
    return [path for path in (root / "tests" / "instantiate").glob("*.cu")
            if f'#include "rowfold/{op}.cuh"' in path.read_text(encoding="utf-8")]


def main():
    root = pathlib.Path(sys.argv[1])
    readme = (root / "README.md").read_text(encoding="utf-8")
    table = "\n".join(re.findall(r"^\| `.*$", readme, re.M))
    ops = sorted(path.stem for path in (root / "include" / "rowfold").glob("*.cuh"))
    if len(ops) < 15:
        sys.exit(f"found but {len(ops)} ops in include/rowfold")
    status = 0
    for op in ops:
        for name in missing_of(root, op, table):
            print(f"{op}: no {name}")
            status = 1
    print(f"{len(ops)} ops")
    sys.exit(status)


if __name__ == "__main__":
    main()
