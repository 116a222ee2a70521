#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Time LayerNorm forward and vector addition of PyTorch and of rowfold beside each other, in one process on one GPU.

    compare_torch.py [--library LAYER_NORM.so] [--vector-add-library ELEMENTWISE.so] [--out OUT.json] [--elements N]
                     [--seconds S] [--no-compile] [--compiled-only]

The libraries hold the functions of layer_norm_c.h and of elementwise_c.h; an op without its library is left out. For
each width and type every implementation is first compared with float64 (LayerNorm: on sampled rows; vector addition
must have the bits of one correctly rounded addition), then all are timed in turn: a group of calls each, round after
round, between two events, so that drift of the card hits all alike; the median over the rounds counts. The yardstick is
torch's copy of 4 GiB in the same process. Implementations:
  rowfold                       the plain call, output allocated once
  torch_eager                   torch.nn.functional.layer_norm; torch.add with an output allocated once
  torch_compile                 the same under torch.compile, default mode
  torch_compile_max_autotune    the same with mode max-autotune-no-cudagraphs: the autotuning of max-autotune without
                                its graphs, which would copy the input of every call
--compiled-only leaves LayerNorm at the widths that torch compiles. The output is Google Benchmark's JSON form with the
implementation as fifth part of a name, and a table. No compile configuration is started after S seconds (default 200).
Exit status: 0, 1 (a wrong result, or an implementation that failed or was left out), 77 (no torch or no GPU: nothing
was measured).
"""

import argparse
import ctypes
import json
import os
import statistics
import sys
import time

WIDTHS = (64, 128, 256, 512, 768, 1024, 2048, 4096, 5120, 8192, 16384, 32768, 65536, 131072, 262144)
COMPILED_WIDTHS = (256, 1024, 4096, 8192, 32768)
AUTOTUNED_WIDTHS = (1024, 4096)
EPS = 1.0e-5
ROUNDS = 11
GROUP_SECONDS = 5.0e-3
REST_SECONDS = 20.0e-3  # before each group, so that the card's power cap does not lower its clocks: support/timing.hpp
COPY_BYTES = 4 << 30
DTYPE_CODES = {"float": 0, "half": 1, "bfloat16": 2}

try:
    import torch
    import torch.nn.functional as functional
except ImportError as error:
    print(f"compare_torch.py: SKIPPED: torch cannot be imported ({error}); pip install torch", file=sys.stderr)
    sys.exit(77)


def load_library(path):
    """The C functions of layer_norm_c.h with their types."""
    library = ctypes.CDLL(os.path.abspath(path))
    pointer = ctypes.c_void_p
    library.rowfold_bench_layer_norm.argtypes = [ctypes.c_int, pointer, pointer, pointer, pointer, ctypes.c_int64,
                                                 ctypes.c_int, ctypes.c_double, ctypes.c_int, pointer]
    library.rowfold_bench_layer_norm.restype = ctypes.c_int
    library.rowfold_bench_error_text.argtypes = [ctypes.c_int]
    library.rowfold_bench_error_text.restype = ctypes.c_char_p
    return library


def rowfold_call(library, dtype, x, gamma, beta):
    """A function that runs our kernel on torch's current stream and returns its output tensor."""
    y = torch.full_like(x, float("nan"))
    rows, cols = x.shape

    def call():
        stream = torch.cuda.current_stream().cuda_stream
        status = library.rowfold_bench_layer_norm(DTYPE_CODES[dtype], x.data_ptr(), gamma.data_ptr(), beta.data_ptr(),
                                                  y.data_ptr(), rows, cols, EPS, 0, stream)
        if status != 0:
            raise RuntimeError(library.rowfold_bench_error_text(status).decode())
        return y

    return call


def load_vector_add_library(path):
    """The C functions of elementwise_c.h with their types."""
    library = ctypes.CDLL(os.path.abspath(path))
    pointer = ctypes.c_void_p
    library.rowfold_bench_vector_add.argtypes = [ctypes.c_int, pointer, pointer, pointer, ctypes.c_int64, ctypes.c_int,
                                                 pointer]
    library.rowfold_bench_vector_add.restype = ctypes.c_int
    library.rowfold_bench_vector_add_error_text.argtypes = [ctypes.c_int]
    library.rowfold_bench_vector_add_error_text.restype = ctypes.c_char_p
    return library


def vector_add_call(library, dtype, a, b):
    """A function that runs our kernel on torch's current stream and returns its output tensor."""
    y = torch.full_like(a, float("nan"))

    def call():
        stream = torch.cuda.current_stream().cuda_stream
        status = library.rowfold_bench_vector_add(DTYPE_CODES[dtype], a.data_ptr(), b.data_ptr(), y.data_ptr(),
                                                  a.numel(), 0, stream)
        if status != 0:
            raise RuntimeError(library.rowfold_bench_vector_add_error_text(status).decode())
        return y

    return call


def torch_add_call(a, b):
    y = torch.full_like(a, float("nan"))
    return lambda: torch.add(a, b, out=y)


def check_vector_add(call, a, b):
    """Raises unless every element is the sum in float, rounded once to the type."""
    y = call()
    torch.cuda.synchronize()
    step = 1 << 24  # elements at a time, so that the reference fits beside the tensors
    for first in range(0, a.numel(), step):
        part = slice(first, min(first + step, a.numel()))
        expected = (a[part].float() + b[part].float()).to(a.dtype)
        if not torch.equal(y[part], expected):
            raise RuntimeError(f"wrong result among elements {part.start} to {part.stop}")


def torch_call(x, gamma, beta, mode=None):
    """torch's layer_norm: eager without a mode, else compiled for exactly this shape."""
    shape = (x.shape[1],)

    def eager(x, gamma, beta):
        return functional.layer_norm(x, shape, gamma, beta, EPS)

    if mode is None:
        return lambda: eager(x, gamma, beta)
    compiled = torch.compile(eager, dynamic=False, mode=mode)
    return lambda: compiled(x, gamma, beta)


def check(call, x, gamma, beta, allowance):
    """Raises unless every element is finite and sampled rows lie within `allowance` bounds of float64. A bound is one
    unit of the stored type relative to the result, plus 8 float units of the largest term of the last addition."""
    y = call()
    torch.cuda.synchronize()
    if not bool(torch.isfinite(y).all()):
        raise RuntimeError("wrong result: not every element is finite")
    picked = torch.unique(torch.randint(0, x.shape[0], (16,), device=x.device))
    weight, bias = gamma.double(), beta.double()
    expected = functional.layer_norm(x[picked].double(), (x.shape[1],), weight, bias, EPS)
    scale = torch.maximum(expected.abs(), torch.maximum(weight.abs(), bias.abs()))
    storage = 0.0 if x.dtype == torch.float32 else torch.finfo(x.dtype).eps
    bound = storage * expected.abs() + 8 * 2.0**-23 * scale
    excess = float(((y[picked].double() - expected).abs() / bound).max())
    if not excess <= allowance:
        raise RuntimeError(f"wrong result: {excess:.1f} times the bound, {allowance} allowed")


def group_seconds(call, count):
    """Seconds per call of `count` calls between two events, with a call queued before the first, after a rest."""
    time.sleep(REST_SECONDS)
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    call()
    start.record()
    for _ in range(count):
        call()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1.0e-3 / count


def time_all(calls):
    """{name: seconds of every round} of functions timed in turn."""
    counts = {}
    for name, call in calls.items():
        call()
        counts[name] = max(1, round(GROUP_SECONDS / group_seconds(call, 2)))
        group_seconds(call, counts[name])
    seconds = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            seconds[name].append(group_seconds(call, counts[name]))
    return seconds


def copy_rate():
    """Bytes read plus bytes written per second by torch's copy of 4 GiB, after half a second of warm-up."""
    source = torch.randn(COPY_BYTES // 4, device="cuda")
    target = torch.empty_like(source)
    warm = time.monotonic()
    while time.monotonic() - warm < 0.5:
        target.copy_(source)
        torch.cuda.synchronize()
    return 2 * COPY_BYTES / statistics.median(time_all({"copy": lambda: target.copy_(source)})["copy"])


def entry(name, seconds, moved, copy):
    middle = statistics.median(seconds)
    deviation = statistics.median(abs(value - middle) for value in seconds)
    return {"name": name, "run_name": name, "run_type": "iteration", "iterations": len(seconds), "time_unit": "us",
            "real_time": middle * 1e6, "cpu_time": middle * 1e6, "microseconds": middle * 1e6,
            "noise": deviation / middle, "bytes_per_second": moved / middle, "fraction_of_copy": moved / middle / copy}


class Comparison:
    """Everything that one run collects."""

    def __init__(self, options):
        self.options = options
        self.started = time.monotonic()
        self.layer_norm_library = (load_library(options.layer_norm_library)
                                   if options.layer_norm_library else None)
        self.vector_add_library = (load_vector_add_library(options.vector_add_library)
                                   if options.vector_add_library else None)
        self.copy = copy_rate()
        self.entries = []
        self.problems = []

    def problem(self, name, text):
        self.problems.append(f"{name}: {text}")
        self.entries.append({"name": name, "run_name": name, "run_type": "iteration", "error_occurred": True,
                             "error_message": text})
        print(f"compare_torch.py: {name}: {text}", file=sys.stderr, flush=True)

    def measure(self, dtype, cols):
        rows = max(1, self.options.elements // cols)
        kind = getattr(torch, dtype)
        x = torch.randn(rows, cols, device="cuda", dtype=kind) * 2 + 0.5
        gamma = 1 + 0.25 * torch.randn(cols, device="cuda", dtype=kind)
        beta = 0.25 * torch.randn(cols, device="cuda", dtype=kind)
        makers = {"rowfold": lambda: rowfold_call(self.layer_norm_library, dtype, x, gamma, beta),
                  "torch_eager": lambda: torch_call(x, gamma, beta)}
        if dtype == "bfloat16" and not self.options.no_compile:
            torch.compiler.reset()  # else a second shape would compile for sizes known only at run time
            if cols in COMPILED_WIDTHS:
                makers["torch_compile"] = lambda: torch_call(x, gamma, beta, "default")
            if cols in AUTOTUNED_WIDTHS:
                makers["torch_compile_max_autotune"] = lambda: torch_call(x, gamma, beta, "max-autotune-no-cudagraphs")
        self.run(f"layer_norm/{dtype}/{rows}/{cols}", makers,
                 lambda implementation, call: check(call, x, gamma, beta, 1 if implementation == "rowfold" else 4),
                 x.element_size() * (2 * rows * cols + 2 * cols))

    def measure_vector_add(self, dtype):
        count = self.options.elements
        kind = getattr(torch, dtype)
        a = torch.randn(count, device="cuda", dtype=kind) * 2 + 0.5
        b = torch.randn(count, device="cuda", dtype=kind) - 1
        makers = {"rowfold": lambda: vector_add_call(self.vector_add_library, dtype, a, b),
                  "torch_eager": lambda: torch_add_call(a, b)}
        self.run(f"vector_add/{dtype}/1/{count}", makers, lambda implementation, call: check_vector_add(call, a, b),
                 3 * a.element_size() * count)

    def run(self, cell, makers, check_call, moved):
        """Makes and checks every implementation of a cell, times them in turn, and keeps an entry of each."""
        calls = {}
        for implementation, make in makers.items():
            name = f"{cell}/{implementation}"
            late = time.monotonic() - self.started > self.options.seconds
            if late and "compile" in implementation:
                self.problem(name, f"left out: {self.options.seconds} seconds were over")
                continue
            try:
                call = make()
                check_call(implementation, call)
                calls[name] = call
            except Exception as error:  # pylint: disable=broad-except  # a compiler may raise anything
                self.problem(name, f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
        for name, seconds in time_all(calls).items():
            self.entries.append(entry(name, seconds, moved, self.copy))
            print(f"{name:62s} {self.entries[-1]['microseconds']:9.1f} us {self.entries[-1]['fraction_of_copy']:6.3f}",
                  flush=True)

    def result(self):
        context = {"date": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "gpu": torch.cuda.get_device_name(),
                   "torch": torch.__version__, "cuda": torch.version.cuda, "elements": str(self.options.elements),
                   "commit": os.environ.get("ROWFOLD_COMMIT", "unknown"),
                   "driver": os.environ.get("ROWFOLD_DRIVER", "unknown"),
                   "copy_bytes": str(COPY_BYTES), "copy_bytes_per_second": str(self.copy)}
        return {"context": context, "benchmarks": self.entries}


def measure_layer_norm(comparison):
    for cols in COMPILED_WIDTHS:
        comparison.measure("bfloat16", cols)
    if comparison.options.compiled_only:
        return
    for cols in WIDTHS:
        if cols not in COMPILED_WIDTHS:
            comparison.measure("bfloat16", cols)
    for dtype in ("half", "float"):
        for cols in COMPILED_WIDTHS:
            comparison.measure(dtype, cols)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", dest="layer_norm_library")
    parser.add_argument("--vector-add-library")
    parser.add_argument("--out")
    parser.add_argument("--elements", type=int, default=1 << 28)
    parser.add_argument("--seconds", type=float, default=200.0)
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--compiled-only", action="store_true")
    options = parser.parse_args()
    if not options.layer_norm_library and not options.vector_add_library:
        parser.error("neither --library nor --vector-add-library: nothing to compare")
    if not torch.cuda.is_available():
        print("compare_torch.py: SKIPPED: torch finds no GPU", file=sys.stderr)
        return 77
    torch.manual_seed(20261)
    comparison = Comparison(options)
    print(f"copy: {comparison.copy / 1e9:.0f} GB/s on {torch.cuda.get_device_name()}, torch {torch.__version__}")
    with torch.no_grad():
        if comparison.vector_add_library:
            for dtype in ("bfloat16", "half", "float"):
                comparison.measure_vector_add(dtype)
        if comparison.layer_norm_library:
            measure_layer_norm(comparison)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(comparison.result(), file, indent=1)
            file.write("\n")
    print(f"{time.monotonic() - comparison.started:.0f} seconds, {len(comparison.problems)} problems")
    return 1 if comparison.problems else 0


if __name__ == "__main__":
    sys.exit(main())
