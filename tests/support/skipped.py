#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints why tests were skipped: one line per reason, from the JUnit file that ctest --output-junit wrote."""
import collections
import sys
import xml.etree.ElementTree

reasons = collections.defaultdict(list)
for case in xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
    if case.find("skipped") is None:
        continue
    output = case.findtext("system-out") or ""
    said = [line for line in output.splitlines() if line.startswith("SKIPPED")]
    reasons[said[0] if said else "SKIPPED without a reason"].append(case.get("name"))
for reason, names in reasons.items():
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    print(f"{reason}: {shown}")
