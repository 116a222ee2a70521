#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Time small calls of other libraries' kernels in CUDA graphs, as our benchmarks <op>_graph and <op>_graph_l2 time ours.

    peer_graphs.py [--out OUT.json] [--seconds S]

A graph holds 64 calls or more, over sets of buffers in turn: few enough to stay in the L2 cache, or so many that they
exceed it twice. Published microseconds of small calls rarely say which; this tells, on the same machine. Ops, of
bfloat16: layer_norm, rms_norm, add_rms_norm, softmax, by torch.compile (default mode) and, where it is installed, by
Liger Kernel. Each result is compared with float64 before it is timed; the median of 9 groups counts. The output is
Google Benchmark's JSON form: <op>_graph/bfloat16/<rows>/<cols>/<implementation> and <op>_graph_l2/... No kernel is
started after S seconds (default 120). Exit status: 0, 1 (a wrong result, or nothing timed), 77 (no torch or no GPU:
nothing was measured).
"""

import argparse
import json
import statistics
import sys
import time
from importlib import metadata

try:
    import torch
    import torch.nn.functional as functional
except ImportError as error:
    print(f"peer_graphs.py: SKIPPED: torch cannot be imported ({error}); pip install torch", file=sys.stderr)
    sys.exit(77)

SHAPES = ((1, 4096), (64, 4096), (256, 8192), (256, 4096), (8, 8192))
EPS = 1.0e-5
GROUPS = 9
GROUP_SECONDS = 5.0e-3
LEAST_CALLS = 64  # of a graph, whose own launch takes some microseconds
SECONDS_OF_A_CALL = 3.0e-6  # about, to choose the number of replays


def references(op, x, second, weight, bias):
    """The results of an op in float64, of float64 tensors."""
    cols = (x.shape[1],)
    if op == "layer_norm":
        return [functional.layer_norm(x, cols, weight, bias, EPS)]
    if op == "rms_norm":
        return [functional.rms_norm(x, cols, weight, EPS)]
    if op == "softmax":
        return [torch.softmax(x, dim=1)]
    total = (x + second).bfloat16().double()
    return [functional.rms_norm(total, cols, weight, EPS), total]


def compiled_ops(weight, bias):
    """{op: a function of its inputs} by torch.compile."""
    cols = tuple(weight.shape)

    def add_rms_norm(x, residual):
        total = x + residual
        return functional.rms_norm(total, cols, weight, EPS), total

    ops = {"layer_norm": lambda x: functional.layer_norm(x, cols, weight, bias, EPS),
           "rms_norm": lambda x: functional.rms_norm(x, cols, weight, EPS),
           "add_rms_norm": add_rms_norm,
           "softmax": lambda x: torch.softmax(x, dim=1)}
    return {op: torch.compile(function, dynamic=False) for op, function in ops.items()}


def liger_ops(weight, bias):
    """The same by Liger Kernel's forward functions; empty where it is not installed."""
    try:
        from liger_kernel.ops.fused_add_rms_norm import fused_add_rms_norm_forward
        from liger_kernel.ops.layer_norm import layer_norm_forward
        from liger_kernel.ops.rms_norm import rms_norm_forward
        from liger_kernel.ops.softmax import _softmax_forward
    except ImportError:
        return {}
    return {"layer_norm": lambda x: layer_norm_forward(x, weight, bias, EPS)[:1],
            "rms_norm": lambda x: rms_norm_forward(x, weight, EPS, 0.0, "llama", None)[:1],
            "add_rms_norm": lambda x, r: fused_add_rms_norm_forward(x, r, weight, EPS, 0.0, "llama")[:2],
            "softmax": lambda x: _softmax_forward(x)[:1]}


def results_of(function, inputs):
    found = function(*inputs)
    return list(found) if isinstance(found, (tuple, list)) else [found]


def check(op, function, inputs, weight, bias):
    """Raises unless every value is within 2^-6 of float64, relative to the larger of 1 and its size."""
    second = inputs[1].double() if len(inputs) > 1 else None
    expected = references(op, inputs[0].double(), second, weight.double(), bias.double())
    found = results_of(function, inputs)
    if len(found) != len(expected):
        raise RuntimeError(f"{len(found)} results, expected {len(expected)}")
    for value, wanted in zip(found, expected):
        error = float(((value.double() - wanted).abs() / wanted.abs().clamp(min=1.0)).max())
        if not error <= 2.0**-6:
            raise RuntimeError(f"wrong result: off by {error}")


def microseconds(function, count, rows, cols, l2_bytes, in_l2):
    """Of one call in a graph, over sets of `count` inputs that stay in L2, or that exceed it twice with their outputs."""
    set_bytes = 2 * rows * cols * count
    sets = l2_bytes // 4 // set_bytes + 1 if in_l2 else 9 * l2_bytes // 8 // set_bytes + 1
    inputs = [[torch.randn(rows, cols, device="cuda", dtype=torch.bfloat16) for _ in range(count)] for _ in range(sets)]
    function(*inputs[0])
    torch.cuda.synchronize()
    calls = (max(sets, LEAST_CALLS) + sets - 1) // sets * sets
    graph, kept = torch.cuda.CUDAGraph(), []
    with torch.cuda.graph(graph):
        for i in range(calls):
            outputs = function(*inputs[i % sets])
            if not in_l2:
                kept.append(outputs)  # no two calls share memory; else each may take that of the one before
            del outputs
    for _ in range(5):
        graph.replay()
    torch.cuda.synchronize()
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    replays = max(2, round(GROUP_SECONDS / (calls * SECONDS_OF_A_CALL)))
    times = []
    for _ in range(GROUPS):
        start.record()
        for _ in range(replays):
            graph.replay()
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop) * 1.0e3 / replays / calls)
    return statistics.median(times)


def measure(deadline, benchmarks):
    """Appends to `benchmarks`; returns whether every result was right."""
    l2_bytes = torch.cuda.get_device_properties(0).L2_cache_size
    right = True
    for rows, cols in SHAPES:
        weight = torch.rand(cols, device="cuda", dtype=torch.bfloat16) + 0.5
        bias = torch.randn_like(weight)
        for implementation, ops in (("liger", liger_ops(weight, bias)), ("torch_compile", compiled_ops(weight, bias))):
            for op, function in ops.items():
                if time.monotonic() > deadline:
                    return right
                count = 2 if op == "add_rms_norm" else 1
                inputs = [torch.randn(rows, cols, device="cuda", dtype=torch.bfloat16) for _ in range(count)]
                line = [f"{op} {rows}x{cols} {implementation}"]
                try:
                    check(op, function, inputs, weight, bias)
                    for kind, in_l2 in (("_graph_l2", True), ("_graph", False)):
                        time_of_call = microseconds(function, count, rows, cols, l2_bytes, in_l2)
                        name = f"{op}{kind}/bfloat16/{rows}/{cols}/{implementation}"
                        benchmarks.append({"name": name, "run_name": name, "run_type": "iteration", "iterations": GROUPS,
                                           "time_unit": "us", "real_time": time_of_call, "cpu_time": time_of_call,
                                           "microseconds": time_of_call})
                        line.append(f"{'in L2' if in_l2 else 'cold'} {time_of_call:.3f}")
                except Exception as error:  # pylint: disable=broad-except  # a peer's compiler may raise anything
                    right = False
                    line.append(f"FAILED: {type(error).__name__}: {error}")
                print(*line, sep="  ", flush=True)
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out")
    parser.add_argument("--seconds", type=float, default=120.0)
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("peer_graphs.py: SKIPPED: torch has no CUDA device", file=sys.stderr)
        return 77
    benchmarks = []
    right = measure(time.monotonic() + arguments.seconds, benchmarks)
    versions = {"torch": torch.__version__}
    try:
        versions["liger_kernel"] = metadata.version("liger-kernel")
    except metadata.PackageNotFoundError:
        pass
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as file:
            json.dump({"context": {"gpu": torch.cuda.get_device_name(0), **versions}, "benchmarks": benchmarks}, file,
                      indent=1)
    return 0 if right and benchmarks else 1


if __name__ == "__main__":
    sys.exit(main())
