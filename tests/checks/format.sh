#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every C++ and CUDA source is laid out as .clang-format says. Other versions of clang-format lay out some constructs
# differently, so only version 14 (Debian 12's) is asked; without it the check is skipped.
#
#   format.sh ROOT
set -u
cd "$1" || exit 1
for tool in clang-format-14 clang-format; do
  if "$tool" --version 2>/dev/null | grep -q 'version 14\.'; then
    mapfile -t files < <(find include tests examples bench -type f \
      \( -name '*.hpp' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.cu' \) | sort)
    [ "${#files[@]}" -gt 0 ] || { echo "no source found"; exit 1; }
    echo "$tool, ${#files[@]} files"
    status=0
    for file in "${files[@]}"; do
      "$tool" --dry-run --Werror --style=file "$file" >/dev/null 2>&1 || { echo "run clang-format -i $file"; status=1; }
    done
    exit "$status"
  fi
done
echo "SKIPPED: clang-format 14 not found"
exit 77
