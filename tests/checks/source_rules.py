#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rules on the text of the sources, checked without a compiler.

    source_rules.py ROOT        checks include/, tests/, examples/ and bench/ under ROOT, and how wide comments of
                                scripts are, there and in cmake/
    source_rules.py --self-test shows that each rule can fail

Prints one line per fault and exits with 1 if there is any.
"""
import pathlib
import re
import sys
import tempfile

# Folders under include/rowfold in dependency order: a header includes its own level or a lower one.
LEVELS = [["."], ["cpu"], ["simt", "ptx"], ["numeric"], ["memory"], ["folds"], ["warp", "block", "cluster"], ["row"],
          ["launch"]]
LEVEL_OF = {folder: level for level, folders in enumerate(LEVELS) for folder in folders}
# Level 0 wherever they lie: the configuration, and values that depend on nothing else. Every other header directly
# under include/rowfold is an op, above all folders.
LOWEST = {"config.hpp", "version.hpp", "launch/launch_config.hpp"}

# Compile time and portability: these stay out of what a user's .cu includes (the executor in cpu/ may have them).
HEAVY = re.compile(r"<(string|tuple|functional|iostream|sstream|vector|map|cuda/std/.*|cub/.*|thrust/.*|cooperative_groups.*)>")
HEAVY_ALLOWED = re.compile(r"_string\.hpp$")  # printing is a header of its own

# What the library never does, outside the executor.
NEVER = {
    r"\bcuda(Device|Stream|Event)Synchronize\s*\(": "synchronises",
    r"\bcuda(Malloc|Free)\w*\s*\(": "allocates",
    r"\bcuda(Get|PeekAt)LastError\s*\(": "reads the caller's last error",
    r"\bcudaSetDevice\s*\(": "switches the device",
    r"\b(printf|fprintf|puts)\s*\(": "prints",
    r"\bthrow\b": "throws",
    r"\b(malloc|free)\s*\(": "allocates",
}
# Assembly that is not volatile. The compiler takes it for arithmetic, and may execute it where no branch has asked for
# it: a load in it has to be predicated.
MOVABLE = re.compile(r'\basm\s*\(\s*"([^"]*)"')
# Where a kernel meets the back end: nowhere else.
BACK_END = re.compile(r"__syncthreads|__syncwarp|__shfl|__ballot_sync|__any_sync|__all_sync|\bthreadIdx\b|\bblockIdx\b|\b__shared__\b")
MAX_LINES = 400
MAX_COLUMNS = 120  # clang-format lays out code, and leaves comments and long strings alone
TEST_NAME = re.compile(r'\bTEST_CASE\(\s*"((?:[^"\\]|\\.)*)"')
LICENCE = "// SPDX-License-Identifier: MIT"


def code_of(text):
    """The text with comments and string literals blanked, line structure kept."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def level_of(name):
    if name in LOWEST:
        return 0
    folder = name.rpartition("/")[0] or "."
    if folder == ".":
        return len(LEVELS)
    return LEVEL_OF.get(folder)


def header_faults(name, text):
    """Faults of the header include/rowfold/<name>."""
    level = level_of(name)
    if level is None:
        yield 1, f"folder {name.rpartition('/')[0]} has no place in the dependency order"
        return
    if "#pragma once" not in text:
        yield 1, "no #pragma once"
    code = code_of(text)
    in_cpu = name.startswith("cpu/")
    for number, (line, raw) in enumerate(zip(code.split("\n"), text.split("\n")), 1):
        include = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', raw)
        if include and include.group(1) == '"':
            target = include.group(2)
            if not target.startswith("rowfold/"):
                yield number, f'include "{target}" is not written from "rowfold/"'
                continue
            target = target[len("rowfold/"):]
            if (level_of(target) or 0) > level:
                yield number, f"includes {target}, which stands above it in the dependency order"
            if name.endswith(".hpp") and target.endswith(".cuh") and not in_cpu:
                yield number, f"a .hpp is plain C++ and may not include {target}"
        elif include:
            if HEAVY.match(f"<{include.group(2)}>") and not in_cpu and not HEAVY_ALLOWED.search(name):
                yield number, f"includes <{include.group(2)}>, which is kept out of device and op headers"
        if not in_cpu:
            for pattern, what in NEVER.items():
                if re.search(pattern, line):
                    yield number, f"{what}, which the library never does"
            if not name.startswith(("simt/", "ptx/")) and BACK_END.search(line):
                yield number, f"uses {BACK_END.search(line).group()} outside simt/"
        if re.search(r"\basm\b", line) and not name.startswith("ptx/"):
            yield number, "inline PTX outside ptx/"
    for match in MOVABLE.finditer(text):
        if re.search(r"\bld\.", match[1]) and "@p" not in match[1]:
            yield text.count("\n", 0, match.start()) + 1, "loads in assembly that is neither volatile nor predicated"


def file_faults(path, text):
    """Faults of any C++ or CUDA file."""
    if not text.startswith(LICENCE):
        yield 1, f"does not start with {LICENCE}"
    lines = text.count("\n")
    if lines > MAX_LINES:
        yield lines, f"{lines} lines, more than {MAX_LINES}: probably two ideas"


def width_faults(text, comments_only=False):
    """Lines wider than MAX_COLUMNS characters, but for what has no space to break at: an address, say."""
    for number, line in enumerate(text.split("\n"), 1):
        words = re.sub(r"^\s*(//[/!]?|#+)?\s*", "", line)
        if len(line) > MAX_COLUMNS and " " in words and (not comments_only or line.lstrip().startswith("#")):
            yield number, f"{len(line)} columns, more than {MAX_COLUMNS}"


def is_script(path):
    return path.suffix in (".py", ".sh", ".cmake") or path.name == "CMakeLists.txt"


def test_name_faults(root):
    """The GPU suite is one program, and Catch2 refuses two cases of one name in it."""
    first = {}
    for path in sorted((root / "tests").rglob("*_test.c*")):
        if path.suffix not in (".cpp", ".cu") or path.name.endswith("_cpu_test.cpp"):
            continue
        text = path.read_text(encoding="utf-8")
        for match in TEST_NAME.finditer(text):
            place = f"{path.relative_to(root)}:{text.count(chr(10), 0, match.start()) + 1}"
            if match[1] in first:
                yield f"{place}: another test case has this name: {first[match[1]]}"
            first.setdefault(match[1], place)


def faults(root):
    yield from test_name_faults(root)
    for top in ("include", "tests", "examples", "bench"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".hpp", ".cuh", ".cpp", ".cu") or not path.is_file():
                continue
            text = path.read_text(encoding="utf-8")
            found = list(file_faults(path, text)) + list(width_faults(text))
            if top == "include":
                found += header_faults(path.relative_to(root / "include" / "rowfold").as_posix(), text)
            for number, message in found:
                yield f"{path.relative_to(root)}:{number}: {message}"
    for top in ("include", "tests", "examples", "bench", "cmake"):
        for path in sorted(filter(is_script, (root / top).rglob("*"))):
            for number, message in width_faults(path.read_text(encoding="utf-8"), comments_only=True):
                yield f"{path.relative_to(root)}:{number}: {message}"


def self_test():
    """Each line: a header, its text without the opening, what the one fault says (None: no fault)."""
    cases = [
        ("row/a.cuh", '#include "rowfold/folds/b.cuh"\n', None),
        ("row/a.cuh", "// asm, throw and printf( in a comment\n", None),
        ("folds/a.cuh", '#include "rowfold/row/b.cuh"\n', "above it"),
        ("launch/a.cuh", '#include "rowfold/layer_norm.cuh"\n', "above it"),
        ("launch/a.hpp", '#include "rowfold/launch/b.cuh"\n', "plain C++"),
        ("row/a.cuh", '#include "b.cuh"\n', "not written from"),
        ("layer_norm.cuh", "#include <tuple>\n", "kept out"),
        ("row/a.cuh", "#include <cub/block/block_reduce.cuh>\n", "kept out"),
        ("row/a.cuh", "void f() { cudaDeviceSynchronize(); }\n", "synchronises"),
        ("row/a.cuh", "void f() { throw 1; }\n", "throws"),
        ("row/a.cuh", "void f() { __syncthreads(); }\n", "outside simt/"),
        ("row/a.cuh", 'void f() { asm volatile(""); }\n', "outside ptx/"),
        ("ptx/a.cuh", 'void f() { asm("ld.global.u32 %0, [%1];" : "=r"(r) : "l"(p)); }\n', "neither volatile"),
        ("ptx/a.cuh", 'void f() { asm volatile("ld.global.u32 %0, [%1];" : "=r"(r) : "l"(p)); }\n', None),
        ("ptx/a.cuh", 'void f() { asm("{setp.ne.u32 p, %2, 0; @p ld.global.u32 %0, [%1];}" : "=r"(r)); }\n', None),
        ("other/a.cuh", "", "no place"),
        ("row/a.cuh", "\n" * 401, "two ideas"),
        ("row/a.cuh", "// " + "a " * 58 + "b\n", None),
        ("row/a.cuh", "// " + "\u00e4 " * 58 + "b\n", None),
        ("row/a.cuh", "// " + "a " * 59 + "\n", "121 columns"),
        ("row/a.cuh", "// https://" + "a" * 120 + "\n", None),
    ]
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        for name, body, expected in cases:
            path = root / "include" / "rowfold" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{LICENCE}\n#pragma once\n{body}")
            found = list(faults(root))
            good = not found if expected is None else len(found) == 1 and expected in found[0]
            if not good:
                print(f"self-test: {name} with {body[:60]!r}: expected {expected!r}, found {found}")
                bad += 1
            path.unlink()
        bare = root / "tests" / "a.cpp"
        bare.parent.mkdir()
        bare.write_text("int main() {}\n")
        if not any("SPDX" in fault for fault in faults(root)):
            print("self-test: a file without a licence line is not found")
            bad += 1
        for name in ("a", "b"):
            (bare.parent / f"{name}_test.cpp").write_text(f'{LICENCE}\nTEST_CASE("twice") {{}}\n')
        if not any("another test case" in fault for fault in faults(root)):
            print("self-test: two test cases of one name are not found")
            bad += 1
        bare.with_name("CMakeLists.txt").write_text(f"set({'a ' * 70})\n# {'b ' * 70}\n")
        wide = [fault for fault in faults(root) if "CMakeLists" in fault]
        if wide != ["tests/CMakeLists.txt:2: 142 columns, more than 120"]:
            print("self-test: a wide comment of a script is not found, or a wide command is")
            bad += 1
    print(f"{len(cases) + 3} rules tried, {bad} not as expected")
    return bad


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        sys.exit(1 if self_test() else 0)
    all_faults = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(all_faults) if all_faults else "no faults")
    sys.exit(1 if all_faults else 0)
