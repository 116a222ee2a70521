# SPDX-License-Identifier: MIT
"""The Markdown tables of plot.py: large tensors by width, small shapes, and the comparison with PyTorch. Standard
library only."""

import csv

import results

# The widths that most ops are measured at: where the figures have their ticks.
PUBLISHED = (64, 128, 256, 512, 768, 1024, 2048, 4096, 5120, 8192, 16384, 32768, 65536, 131072, 262144)
PEER_OPS = {
    "layer_norm": "ln_fwd",
    "layer_norm_backward": "ln_bwd",
    "rms_norm": "rms_fwd",
    "rms_norm_backward": "rms_bwd",
    "add_layer_norm": "add_ln",
    "add_rms_norm": "add_rms",
    "softmax": "sm_fwd",
    "softmax_backward": "sm_bwd",
}
PEER_DTYPES = {"bf16": "bfloat16", "fp16": "half", "fp32": "float"}


def read_peers(path, op, mode):
    """{dtype: {(rows, cols): (fraction, microseconds, who)}} from the CSV's rows of one mode."""
    peers = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["op"] == PEER_OPS.get(op) and row["mode"] == mode:
                shape = (int(row["rows"]), int(row["cols"]))
                fraction = float(row["fraction_of_copy"]) if row["fraction_of_copy"] else None
                peers.setdefault(PEER_DTYPES[row["dtype"]], {})[shape] = (fraction, float(row["us"]), row["best_peer"])
    return peers


def widths_of(chosen):
    """The widths that any of the types has."""
    return sorted({cols for cells in chosen.values() for cols in cells})


def by_width(chosen, peers):
    """Markdown: a line per width, for each type our fraction (its range over the runs) and the best peer's."""
    head = ["columns"]
    for dtype in chosen:
        head.append(dtype)
        if dtype in peers:
            head.append("best peer")
    lines = ["| " + " | ".join(head) + " |", "|" + "---:|" * len(head)]
    for cols in widths_of(chosen):
        cells = [str(cols)]
        for dtype in chosen:
            entry = chosen[dtype].get(cols)
            cells.append(describe(entry) if entry else "")
            if dtype in peers:
                found = [peer for (_, width), peer in peers[dtype].items() if width == cols]
                cells.append(f"{found[0][0]:.2f} {found[0][2]}" if found else "")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def describe(entry):
    text = f"{entry['fraction_of_copy']:.3f}"
    if entry.get("runs", 1) > 1:
        text += f" ({entry['fraction_of_copy_min']:.3f}-{entry['fraction_of_copy_max']:.3f})"
    return text + f", {entry['microseconds']:.0f} us"


def small_shapes(loaded, op, peers):
    """Markdown: microseconds per call inside a CUDA graph, a line per type and shape; empty when there are none."""
    kinds = {op + "_graph": "cold", op + "_graph_pdl": "cold, dependent launch", op + "_graph_l2": "in L2",
             op + "_graph_l2_pdl": "in L2, dependent launch"}
    times = {}
    for result in loaded:
        for entry in result["benchmarks"]:
            cell = results.parse_name(entry["name"])
            if cell and cell.op in kinds and not results.failed(entry):
                times.setdefault((cell.dtype, cell.rows, cell.cols), {})[cell.op] = entry["microseconds"]
    if not times:
        return ""
    head = ["type", "rows x columns", *kinds.values()] + (["best peer"] if peers else [])
    lines = ["| " + " | ".join(head) + " |", "|---|---|" + "---:|" * (len(head) - 2)]
    for (dtype, rows, cols), found in times.items():
        cells = [dtype, f"{rows}x{cols}", *(f"{found[kind]:.2f}" if kind in found else "" for kind in kinds)]
        if peers:
            peer = peers.get(dtype, {}).get((rows, cols))
            cells.append(f"{peer[1]:.2f} {peer[2]}" if peer else "")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def comparison(result, op):
    """Markdown: fraction of a copy of each implementation in one process, a line per type and width."""
    fractions = {}
    for entry in result["benchmarks"]:
        cell = results.parse_name(entry["name"])
        if cell and cell.op == op:
            shape = fractions.setdefault((cell.dtype, cell.cols), {})
            shape[cell.implementation] = "failed" if results.failed(entry) else f"{entry['fraction_of_copy']:.3f}"
    implementations = list(dict.fromkeys(name for shape in fractions.values() for name in shape))
    lines = ["| " + " | ".join(["type", "columns", *implementations]) + " |",
             "|---|---:|" + "---:|" * len(implementations)]
    for (dtype, cols), shape in sorted(fractions.items()):
        cells = [dtype, str(cols), *(shape.get(name, "") for name in implementations)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
