#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles every public header alone, included twice, and reports those that fail.

    header_checks.py MODE --include DIR --cuda-include DIR [--compiler PATH] [--jobs N] [--only TEXT]

MODE  cpu      g++ with ROWFOLD_CPU: every header but the .hpp that `host` compiles, to which ROWFOLD_CPU means nothing
      host     g++ without it: every .hpp outside cpu/ and simt/ compiles (host values), everything else is refused, and
               the #error sentence comes before any other error
      nvcc     nvcc to PTX (the device half) for sm_75, where the most is missing, with the macros of a PyTorch
               extension build that take the half and bfloat16 operators away
"""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys

WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
NO_HALF_OPERATORS = ["-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__",
                     "-D__CUDA_NO_BFLOAT16_CONVERSIONS__", "-D__CUDA_NO_BFLOAT16_OPERATORS__"]
REFUSAL = '#error "rowfold: device code needs nvcc'


def is_host_header(name):
    """Whether a host compiler takes the header without a back end."""
    return name.endswith(".hpp") and not name.startswith(("rowfold/simt/", "rowfold/cpu/"))


def run(command, source):
    done = subprocess.run(command, input=source, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def check(mode, name, arguments):
    """Returns None, or what went wrong with the header `name` (written as it is included)."""
    source = f'#include "{name}"\n#include "{name}"\n'
    host = [arguments.compiler or "g++", "-std=c++17", "-fsyntax-only", "-x", "c++", "-", *WARNINGS,
            "-I", arguments.include, "-isystem", arguments.cuda_include]
    if mode == "cpu":
        status, output = run([*host, "-DROWFOLD_CPU", "-ffp-contract=off"], source)
        return output if status else None
    if mode == "host":
        if is_host_header(name):
            status, output = run(host, source)
            return output if status else None
        status, output = run([*host, "-Wfatal-errors"], source)  # stops at the first one, which tells
        errors = [line for line in output.splitlines() if "error:" in line]
        if status == 0:
            return "compiles with a host compiler although ROWFOLD_CPU is not defined"
        if REFUSAL not in errors[0]:
            return "expected the #error sentence first, got:\n" + output
        return None
    status, output = run([arguments.compiler or "nvcc", "-std=c++17", "-ptx", "-x", "cu", "-", "-o", "/dev/null", "-arch=sm_75",
                          "-I", arguments.include, "--Werror", "all-warnings", "-Xcompiler=" + ",".join(WARNINGS),
                          *NO_HALF_OPERATORS], source)
    return output if status else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=["cpu", "host", "nvcc"])
    parser.add_argument("--include", required=True)
    parser.add_argument("--cuda-include", required=True)
    parser.add_argument("--compiler")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()

    root = pathlib.Path(arguments.include)
    names = [path.relative_to(root).as_posix() for path in sorted(root.rglob("*")) if path.suffix in (".hpp", ".cuh")]
    names = [name for name in names if arguments.only in name]
    if arguments.mode == "cpu":
        names = [name for name in names if not is_host_header(name)]
    else:  # the executor exists for a host compiler with ROWFOLD_CPU alone
        names = [name for name in names if not name.startswith("rowfold/cpu/")]
    if not names:
        sys.exit("no header to check")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(lambda name: check(arguments.mode, name, arguments), names))
    failed = [(name, result) for name, result in zip(names, results) if result]
    for name, result in failed:
        print(f"== {name}\n{result}")
    print(f"{arguments.mode}: {len(names)} headers, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
