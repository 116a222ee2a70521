#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draw the fraction of a copy over the row width, and print the same figures as Markdown tables.

    plot.py RESULT.json [MORE.json ...] --op layer_norm [--svg OUT.svg] [--table OUT.md] [--peers PEERS.csv]
            [--comparison VS_TORCH.json]

Benchmarks named <op>/<dtype>/<rows>/<cols> count, whatever their widths; a width that only some of the types have is
blank for the others. PEERS.csv has the columns op, dtype, mode, rows, cols, best_peer, us, fraction_of_copy:
its rows with mode "large" are drawn as crosses and stand beside ours in the table of widths, those with mode "small" in
the table of small shapes (our benchmarks <op>_graph, <op>_graph_pdl, <op>_graph_l2 and <op>_graph_l2_pdl).
VS_TORCH.json is what compare_torch.py wrote. The tables go to standard output when --table is not given. Only --svg
needs matplotlib. Exit status 1 when a benchmark of the op failed, 2 when there is nothing to draw or a file cannot be
read.
"""

import argparse
import sys

import results
import tables

ORDER = ("bfloat16", "half", "float")


def select(loaded, op):
    """{dtype: {cols: entry}} of our benchmarks of `op`."""
    chosen = {}
    for result in loaded:
        for entry in result["benchmarks"]:
            cell = results.parse_name(entry["name"])
            if cell is None or cell.op != op or cell.implementation != "rowfold" or results.failed(entry):
                continue
            if cell.cols in chosen.setdefault(cell.dtype, {}):
                raise ValueError(f"{entry['name']}: width {cell.cols} occurs twice; merge the runs first")
            chosen[cell.dtype][cell.cols] = entry
    return {dtype: chosen[dtype] for dtype in ORDER if dtype in chosen}


def failures(loaded, op):
    """["layer_norm/half/4/64: wrong result", ...] of our benchmarks of `op`."""
    lines = []
    for result in loaded:
        for entry in result["benchmarks"]:
            cell = results.parse_name(entry["name"])
            if cell and cell.op == op and cell.implementation == "rowfold" and results.failed(entry):
                lines.append(f"{entry['name']}: {results.failed(entry)}")
    return lines


def draw(chosen, peers, title, path):
    """Writes the SVG."""
    import matplotlib  # pylint: disable=import-outside-toplevel

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "rowfold"  # the same file for the same figures
    from matplotlib import pyplot  # pylint: disable=import-outside-toplevel

    figure, axes = pyplot.subplots(figsize=(9, 4.5))
    for color, (dtype, cells) in zip(("tab:blue", "tab:orange", "tab:green"), chosen.items()):
        widths = sorted(cells)
        fractions = [cells[cols]["fraction_of_copy"] for cols in widths]
        axes.plot(widths, fractions, marker="o", markersize=4, color=color, label=f"rowfold, {dtype}")
        if all("fraction_of_copy_min" in cells[cols] for cols in widths):
            low = [cells[cols]["fraction_of_copy_min"] for cols in widths]
            high = [cells[cols]["fraction_of_copy_max"] for cols in widths]
            axes.fill_between(widths, low, high, color=color, alpha=0.2, linewidth=0)
        if dtype in peers:
            widths = sorted(cols for _, cols in peers[dtype])
            best = {cols: fraction for (_, cols), (fraction, _, _) in peers[dtype].items()}
            fractions = [best[cols] for cols in widths]
            axes.plot(widths, fractions, "x", color=color, label=f"best other library, {dtype}")
    axes.axhline(1.0, color="gray", linewidth=0.8, linestyle="--")
    axes.set_xscale("log", base=2)
    widths = tables.widths_of(chosen)
    ticks = [cols for cols in tables.PUBLISHED if widths[0] <= cols <= widths[-1]] or widths
    axes.set_xticks(ticks, [str(cols) for cols in ticks], rotation=45, fontsize=8)
    axes.minorticks_off()
    axes.set_ylim(0, 1.1)
    axes.set_xlabel("columns")
    axes.set_ylabel("fraction of a device copy")
    axes.set_title(title, fontsize=10)
    axes.grid(True, alpha=0.3)
    axes.legend(fontsize=8, loc="lower left")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+")
    parser.add_argument("--op", default="layer_norm")
    parser.add_argument("--svg")
    parser.add_argument("--table")
    parser.add_argument("--peers")
    parser.add_argument("--comparison")
    options = parser.parse_args(arguments)
    try:
        loaded = [results.load(path) for path in options.results]
        chosen = select(loaded, options.op)
        peers = tables.read_peers(options.peers, options.op, "large") if options.peers else {}
        small_peers = tables.read_peers(options.peers, options.op, "small") if options.peers else {}
        compared = results.load(options.comparison) if options.comparison else None
    except (OSError, ValueError, KeyError) as error:
        print(f"plot.py: {error}", file=sys.stderr)
        return 2
    if not chosen:
        print(f"plot.py: no benchmark of {options.op}", file=sys.stderr)
        return 2
    parts = [tables.by_width(chosen, peers), tables.small_shapes(loaded, options.op, small_peers)]
    if compared:
        parts.append(tables.comparison(compared, options.op))
    text = "\n".join(part for part in parts if part)
    if options.table:
        with open(options.table, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text, end="")
    if options.svg:
        context = loaded[0]["context"]
        title = f"{options.op}, 2^28 elements, {context.get('gpu')}, commit {str(context.get('commit'))[:12]}"
        if context.get("merged_runs", 1) > 1:
            title += f", median and range of {context['merged_runs']} machine starts"
        try:
            draw(chosen, peers, title, options.svg)
        except ImportError as error:
            print(f"plot.py: no SVG: {error} (pip install matplotlib)", file=sys.stderr)
            return 2
    failed = failures(loaded, options.op)
    for line in failed:
        print(f"plot.py: failed: {line}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
