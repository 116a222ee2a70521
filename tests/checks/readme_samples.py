#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The C++ samples of the README compile, each by itself, for the CPU back end.

    readme_samples.py README --compiler PATH --include DIR --cuda-include DIR
    readme_samples.py --self-test

A sample is a block that starts with ```cpp, and names its headers itself. Its #include lines, and all up to the last line
that starts with `}`, stand outside of functions; what comes behind is the body of one with PARAMETERS. Nothing else is
added. Exit status 1 where a sample does not compile, or where there are fewer than LEAST samples.
"""
import argparse
import pathlib
import re
import subprocess
import sys

LEAST = 5
PARAMETERS = """const __half* x, const float* gamma, const float* beta, __half* y, float* mean, float* rstd,
    std::int64_t rows, int cols, std::int64_t batch, int channels, std::int64_t height, std::int64_t width,
    cudaStream_t stream, const float* in, float* out"""


def samples_of(text):
    """(first line, code) of each sample."""
    for match in re.finditer(r"^```cpp\n(.*?)^```$", text, re.S | re.M):
        yield text.count("\n", 0, match.start(1)) + 1, match[1]


def source_of(first_line, code):
    """The sample as a source whose errors name the README's lines."""
    lines = code.split("\n")
    outside = max((i + 1 for i, line in enumerate(lines) if line.startswith(("}", "#include"))), default=0)
    body = lines[outside:]
    return "\n".join([f'#line {first_line} "README.md"', *lines[:outside]] +
                     ([f"void sample({PARAMETERS}) {{", f'#line {first_line + outside} "README.md"', *body, "}"]
                      if any(line.strip() for line in body) else []) + [""])


def failures(text, compile_source, least=LEAST):
    """What is wrong with the samples of `text`, in words; compile_source(source) returns the errors."""
    samples = list(samples_of(text))
    if len(samples) < least:
        yield f"found {len(samples)} samples, fewer than {least}"
    for first_line, code in samples:
        errors = compile_source(source_of(first_line, code))
        if errors:
            yield f"the sample at line {first_line} does not compile:\n{errors}"


def compiler(arguments):
    command = [arguments.compiler, "-std=c++17", "-fsyntax-only", "-ffp-contract=off", "-DROWFOLD_CPU", "-w",
               "-I", arguments.include, "-isystem", arguments.cuda_include, "-x", "c++", "-"]

    def compile_source(source):
        done = subprocess.run(command, input=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return (done.stdout or "no message") if done.returncode else ""
    return compile_source


def self_test(compile_source):
    """A good sample passes; none, one that lacks its header, and one that calls what is not there do not."""
    good = '```cpp\n#include "rowfold/layer_norm.cuh"\nstruct mine {\n  template <class T> void f(T);\n};\n' \
           '(void)rowfold::layer_norm(x, gamma, beta, y, rows, cols, 1e-5, stream);\n```\n'
    cases = [(good, 0), ("", 1), (good.replace("#include", "//"), 1), (good.replace("cols, ", ""), 1)]
    bad = [i for i, (text, expected) in enumerate(cases) if len(list(failures(text, compile_source, 1))) != expected]
    print(f"{len(cases)} READMEs tried, not as expected: {bad}")
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("readme", nargs="?", type=pathlib.Path)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--include", required=True)
    parser.add_argument("--cuda-include", required=True)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test(compiler(arguments))
    text = arguments.readme.read_text(encoding="utf-8")
    found = list(failures(text, compiler(arguments)))
    print("\n".join(found) or f"{len(list(samples_of(text)))} samples compile")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
