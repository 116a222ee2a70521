#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What nvcc makes of a source that instantiates an op.

    codegen.py ptx FILE --arch 75 80 ... --max-kernels N    compiles to PTX for each architecture, with the macros of a
                                                            PyTorch extension build that take the half and bfloat16
                                                            operators away; at most N kernels each, and as many as
                                                            FILE states in a line `// Kernels: 12`, if it does;
                                                            from sm_90 on each waits for the previous grid before
                                                            it reaches memory; from sm_80 on those that read rows
                                                            into registers, granules or tiles do so with an L2
                                                            priority, and no others
    codegen.py resources FILE --arch 90                     compiles to machine code; no kernel spills or has local
                                                            memory
    codegen.py compile-time FILE --arch 90                  CPU time of FILE against an empty source that includes the
                                                            half and bfloat16 headers; at most as many times that as
                                                            FILE states in a line `// Compile time: at most 2.5`
    codegen.py record FILE ... --arch 90 --output OUT.md    the same for many files, without limits, the least of three
                                                            each, with object sizes and numbers of kernels, as a table
    codegen.py self-test                                    shows that `ptx` and `resources` can fail

Common options: --nvcc PATH --include DIR --jobs N.
"""
import argparse
import concurrent.futures
import pathlib
import re
import resource
import subprocess
import sys
import tempfile


def compile_file(arguments, source, mode, arch, *flags):
    """Runs nvcc; returns its output file (PTX: its text, an object: its bytes) or its messages. Exits where it fails."""
    with tempfile.TemporaryDirectory() as scratch:
        output = pathlib.Path(scratch) / "out"
        command = [arguments.nvcc, "-std=c++17", "-O3", mode, f"-arch=sm_{arch}", str(source), "-o", str(output), *flags]
        for folder in arguments.include:
            command += ["-I", folder]
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stdout}")
        if mode == "-c":
            return output.read_bytes()
        return output.read_text() if mode == "-ptx" else done.stdout


def is_stated(source, kernels):
    """True unless the source says another number of kernels, in a line `// Kernels: 12`."""
    stated = re.search(r"^// Kernels: (\d+)", pathlib.Path(source).read_text(), re.M)
    if stated is None or int(stated.group(1)) == kernels:
        return True
    print(f"{source} says {stated.group(1)} kernels")
    return False


def kernel_texts(text):
    """The text of each kernel, which begins with its name."""
    parts = re.split(r"^\s*(?:\.visible|\.weak)?\s*\.entry\b", text, flags=re.M)[1:]
    return [part.split("\n}\n")[0] for part in parts]


def early_kernels(text):
    """The kernels that reach memory, or call a function that may, before they wait for the grid in front of them."""
    early = []
    for kernel in kernel_texts(text):
        wait = kernel.find("griddepcontrol.wait")
        access = re.search(r"\b(?:ld|st|red|atom|prefetch)\S*\.global|\bcp\.async\.c|\bcp\.async\.bulk|^\s*call", kernel, re.M)
        if wait < 0 or (access and access.start() < wait):
            early.append(kernel.split("(")[0].strip())
    return early


# Kernels whose inputs have an L2 priority: rows in registers, of a warp or a block (group_kind 0 and 1) or in parts,
# granules of several elements, and tiles.
WITH_PRIORITY = re.compile(r"held_tileIL\w+?group_kindE[01]E|full_tileI|part_tileI|elementwise_tileILi(?!1E)|transpose_kernel")


def misplaced_priorities(text, arch):
    """The kernels that should load with a cache hint and do not, or the other way round. Before sm_80 there is none."""
    return [kernel.split("(")[0].strip() for kernel in kernel_texts(text)
            if ("L2::cache_hint" in kernel) != (int(arch) >= 80 and bool(WITH_PRIORITY.search(kernel.split("(")[0])))]


def check_ptx(arguments):
    flags = ["--Werror", "all-warnings", "-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__",
             "-D__CUDA_NO_HALF2_OPERATORS__", "-D__CUDA_NO_BFLOAT16_CONVERSIONS__", "-D__CUDA_NO_BFLOAT16_OPERATORS__"]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        texts = list(pool.map(lambda arch: compile_file(arguments, arguments.file, "-ptx", arch, *flags), arguments.arch))
    good = True
    for arch, text in zip(arguments.arch, texts):
        kernels = len(re.findall(r"^\s*(?:\.visible|\.weak)?\s*\.entry\b", text, re.M))
        local = len(re.findall(r"__local_depot\d+\[", text))
        print(f"sm_{arch}: {kernels} kernels, at most {arguments.max_kernels} allowed; {local} local arrays")
        good = good and 0 < kernels <= arguments.max_kernels and local == 0 and is_stated(arguments.file, kernels)
        if int(arch) >= 90:  # where a grid may start before the one in front of it has ended
            for name in early_kernels(text):
                print(f"sm_{arch}: {name} does not wait for the previous grid before it reaches memory")
                good = False
        for name in misplaced_priorities(text, arch):
            print(f"sm_{arch}: {name} loads with an L2 priority where it should not, or does not where it should")
            good = False
    return good


def kernels_of(messages):
    """(name, registers, stack bytes, spilled bytes) of every kernel in the messages of ptxas -v."""
    found = []
    name, stack, spilled = None, None, None
    for line in messages.splitlines():
        if match := re.search(r"Compiling entry function '(\S+)'", line):
            name, stack, spilled = match.group(1), None, None
        elif match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            stack, spilled = int(match.group(1)), int(match.group(2)) + int(match.group(3))
        elif (match := re.search(r"Used (\d+) registers", line)) and name:
            found.append((name, int(match.group(1)), stack, spilled))
            name = None
    return found


def readable(name):
    """The kernel's name demangled, without namespaces and parameters, where binutils' c++filt is there."""
    try:
        name = subprocess.run(["c++filt", name], text=True, stdout=subprocess.PIPE).stdout.strip()
    except FileNotFoundError:
        return name
    return re.sub(r"rowfold::v\d+_\d+::(gpu_backend::)?|^void |\(\w+\)(?=\d)", "", name).split(">(")[0]


def check_resources(arguments):
    good = True
    for arch in arguments.arch:
        kernels = kernels_of(compile_file(arguments, arguments.file, "-cubin", arch, "-Xptxas", "-v"))
        bad = [kernel for kernel in kernels if kernel[2] != 0 or kernel[3] != 0]  # None (no such line) is bad as well
        for name, registers, stack, spilled in bad:
            print(f"{registers} registers, {stack} bytes of stack, {spilled} bytes spilled: {readable(name)}")
        most = max((kernel[1] for kernel in kernels), default=0)
        print(f"sm_{arch}: {len(kernels)} kernels, {len(bad)} with local memory; most registers {most}")
        good = good and len(kernels) > 0 and not bad and is_stated(arguments.file, len(kernels))
    return good


def cpu_seconds(arguments, source, arch):
    """(seconds of CPU, bytes of the object)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    size = len(compile_file(arguments, source, "-c", arch))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, size


def empty_source(scratch):
    empty = pathlib.Path(scratch) / "empty.cu"
    empty.write_text("#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n")
    return empty


def check_compile_time(arguments):
    arch = arguments.arch[0]
    stated = re.search(r"^// Compile time: at most (\d+(?:\.\d+)?)", pathlib.Path(arguments.file).read_text(), re.M)
    if stated is None:
        print(f"{arguments.file} states no limit")
        return False
    limit = float(stated.group(1))
    base = full = float("inf")
    with tempfile.TemporaryDirectory() as scratch:
        empty = empty_source(scratch)
        for _ in range(3):  # again if it seems too slow: other work on the machine only ever adds
            base = min(base, cpu_seconds(arguments, empty, arch)[0])
            full = min(full, cpu_seconds(arguments, arguments.file, arch)[0])
            if full <= limit * base:
                break
    print(f"sm_{arch}: {full:.2f} s of CPU, {base:.2f} s for the half and bfloat16 headers alone, ratio {full / base:.2f}"
          f" (at most {limit})")
    return full <= limit * base


def write_record(arguments):
    arch = arguments.arch[0]
    version = subprocess.run([arguments.nvcc, "--version"], text=True, stdout=subprocess.PIPE).stdout
    release = re.search(r"release .*, V([\d.]+)", version).group(1)

    # The empty file again beside each op, whose ratio is to the least of these: a machine's speed changes in minutes.
    least, empty_size, rows = float("inf"), 0, []
    with tempfile.TemporaryDirectory() as scratch:
        empty = empty_source(scratch)
        for file in arguments.files:
            runs, base = [], float("inf")
            for _ in range(3):
                seconds, empty_size = cpu_seconds(arguments, empty, arch)
                base = min(base, seconds)
                runs.append(cpu_seconds(arguments, file, arch))
            kernels = len(kernels_of(compile_file(arguments, file, "-cubin", arch, "-Xptxas", "-v")))
            seconds = min(seconds for seconds, _ in runs)
            rows.append((pathlib.Path(file).stem, seconds, seconds / base, runs[0][1], kernels))
            least = min(least, base)
    lines = ["# Compile times", "",
             "Each source is `tests/instantiate/<op>.cu`: an op for one set of types, as a user's file would instantiate it. "
             "Seconds of CPU,",
             "the least of three; the ratio to the least of three runs beside them of a source that only includes the half and "
             "bfloat16",
             f"headers; bytes of the object. nvcc {release}, -O3 -arch=sm_{arch}. Written by `tests/checks/codegen.py "
             "record`; a test keeps",
             "each ratio below the limit that its source states.", "",
             "| op | seconds | ratio | object | kernels |", "|---|---:|---:|---:|---:|",
             f"| (empty) | {least:.2f} | 1.00 | {empty_size} | 0 |"]
    for op, seconds, ratio, size, kernels in rows:
        lines.append(f"| {op} | {seconds:.2f} | {ratio:.2f} | {size} | {kernels} |")
    print("\n".join(lines))
    pathlib.Path(arguments.output).write_text("\n".join(lines) + "\n")
    return True


def self_test(arguments):
    """A kernel with a local array must be found, one that reads before it waits, and one whose loads should or should not
    have an L2 priority; those without fault must pass."""
    local = """extern "C" __global__ void k(int* p, int n) {
  int a[64] = {};
  for (int i = 0; i < n; ++i) a[p[i] & 63] += i;
  p[0] = a[p[1] & 63];
}"""
    plain = 'extern "C" __global__ void k(int* p) { p[0] += 1; }'
    with tempfile.TemporaryDirectory() as scratch:
        arguments.arch = ["90"]
        results = []
        for text in (local, plain):
            arguments.file = pathlib.Path(scratch) / "kernel.cu"
            arguments.file.write_text(text + "\n")
            results.append(check_resources(arguments))
        waits = []
        for body in ("int v = *p; asm volatile(\"griddepcontrol.wait;\"); *p = v + 1;",
                     "asm volatile(\"griddepcontrol.wait;\"); *p += 1;", "*p += 1;"):
            source = pathlib.Path(scratch) / "wait.cu"
            source.write_text('extern "C" __global__ void k(volatile int* p) { ' + body + " }\n")
            waits.append(early_kernels(compile_file(arguments, source, "-ptx", "90")) == [])
        priorities = []
        for name in ("transpose_kernel", "k"):
            for load in ("ld.global.u32 %0, [%1];", "ld.global.L2::cache_hint.u32 %0, [%1], %2;"):
                source = pathlib.Path(scratch) / "priority.cu"
                source.write_text(f'extern "C" __global__ void {name}(int* p, unsigned long long policy) {{ int v;'
                                  f' asm volatile("{load}" : "=r"(v) : "l"(p), "l"(policy)); *p = v + 1; }}\n')
                priorities.append(misplaced_priorities(compile_file(arguments, source, "-ptx", "90"), "90") == [])
    print(f"local array accepted: {results[0]}; plain kernel accepted: {results[1]}")
    print(f"read before the wait accepted: {waits[0]}; behind it: {waits[1]}; without a wait: {waits[2]}")
    print(f"L2 priorities, missing, there, absent, unwanted, accepted: {priorities}")
    return results == [False, True] and waits == [False, True, False] and priorities == [False, True, True, False]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=["ptx", "resources", "compile-time", "record", "self-test"])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--arch", nargs="+", default=["90"])
    parser.add_argument("--max-kernels", type=int, default=12)
    parser.add_argument("--output")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    arguments.file = arguments.files[0] if arguments.files else None
    modes = {"ptx": check_ptx, "resources": check_resources, "compile-time": check_compile_time, "record": write_record,
             "self-test": self_test}
    sys.exit(0 if modes[arguments.mode](arguments) else 1)


if __name__ == "__main__":
    main()
