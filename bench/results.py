# SPDX-License-Identifier: MIT
"""Reading Google Benchmark's JSON: shared by merge.py, plot.py and compare_torch.py. Standard library only.

A result file is {"context": {...}, "benchmarks": [{"name": ..., <counters>}, ...]}. A benchmark's name is
<op>/<dtype>/<rows>/<cols>, optionally followed by /<implementation>.
"""

import json
from typing import NamedTuple

DTYPES = ("float", "half", "bfloat16")


class Cell(NamedTuple):
    """What a benchmark's name says."""

    op: str
    dtype: str
    rows: int
    cols: int
    implementation: str  # "rowfold" when the name does not say


def parse_name(name):
    """The Cell of a name, or None when the name has another form (host/plan, for example)."""
    parts = name.split("/")
    if len(parts) not in (4, 5) or parts[1] not in DTYPES or not (parts[2].isdigit() and parts[3].isdigit()):
        return None
    implementation = parts[4] if len(parts) == 5 else "rowfold"
    return Cell(parts[0], parts[1], int(parts[2]), int(parts[3]), implementation)


def load(path):
    """The result file as a dictionary. Raises ValueError when it is not one or names a benchmark twice."""
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    if not isinstance(result, dict) or "context" not in result or not result.get("benchmarks"):
        raise ValueError(f"{path}: not a result file, or one without benchmarks")
    names = [entry["name"] for entry in result["benchmarks"]]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"{path}: repeated benchmarks: {', '.join(repeated)}")
    return result


def failed(entry):
    """The error of a benchmark that failed, else None."""
    if entry.get("error_occurred") or entry.get("skipped"):
        return entry.get("error_message") or entry.get("skip_message") or "failed"
    return None
