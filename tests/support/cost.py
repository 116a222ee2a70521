#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What each folder of tests costs: seconds of compiling and of running, all CPU build trees together.

    cost.py RESULTS.xml TREE...      RESULTS.xml from ctest --output-junit, TREE build folders made by Ninja

The budget of one op is about 60 s of compiling and 30 s of tests on one core. Seconds are those of the clock, so other
work on the machine counts; nothing fails here.
"""
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree


def compile_seconds(tree):
    """Yields (folder under tests/, seconds) of each object; the last line of an output in Ninja's log is the valid one."""
    last = {}
    for line in (tree / ".ninja_log").read_text().splitlines()[1:]:
        start, end, _, output, _ = line.split("\t")
        last[output] = (int(end) - int(start)) / 1000
    for output, seconds in last.items():
        # tests/CMakeFiles/<target>.dir/<folder>/<source>.o, or tests/<folder>/CMakeFiles/<target>.dir/<source>.o
        match = re.match(r"tests/(?:CMakeFiles/[^/]+\.dir/(?P<a>\w+)/[^/]+|(?P<b>\w+)/CMakeFiles/.+)\.o$", output)
        if match:
            yield match.group("a") or match.group("b"), seconds


def main():
    compiling, running = collections.Counter(), collections.Counter()
    trees = [pathlib.Path(name) for name in sys.argv[2:]]
    for tree in trees:
        for folder, seconds in compile_seconds(tree):
            compiling[folder] += seconds
    prefixes = tuple(f"{tree.name}." for tree in trees)
    for case in xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
        if case.get("name").startswith(prefixes):
            running[case.get("name").split(".")[1]] += float(case.get("time"))
    print(f"{'folder':<16}{'compiling':>10}{'running':>10}   seconds, {' + '.join(tree.name for tree in trees)}")
    for folder in sorted(set(compiling) | set(running)):
        print(f"{folder:<16}{compiling[folder]:>10.1f}{running[folder]:>10.1f}")


if __name__ == "__main__":
    main()
