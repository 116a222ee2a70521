#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the GPU suite's cases tagged [race] (small, and between them every kernel variant) under compute-sanitizer's four
# tools. Exit status: 0 clean, 1 a tool reported something, 77 skipped: no compute-sanitizer, no GPU, or a machine that
# does not let it attach to a program.
#
#   compute_sanitizer.sh PROGRAM [TOOL...]      PROGRAM is rowfold_gpu_tests
set -u
program=$1
shift
tools=("$@")
[ "${#tools[@]}" -gt 0 ] || tools=(memcheck racecheck synccheck initcheck)

sanitizer=$(command -v compute-sanitizer || command -v "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer") ||
  { echo "SKIPPED: compute-sanitizer not found"; exit 77; }
nvidia-smi -L >/dev/null 2>&1 || { echo "SKIPPED: no GPU"; exit 77; }

# Some machines refuse the sanitizer; then even a program that launches nothing fails under it.
log=$(mktemp)
if ! "$sanitizer" --tool memcheck "$program" --list-tests "[race]" >"$log" 2>&1 && grep -qiE 'not permitted|unable|permission|not supported' "$log"; then
  echo "SKIPPED: this machine refuses compute-sanitizer: $(grep -m1 -iE 'not permitted|unable|permission|not supported' "$log")"
  exit 77
fi

status=0
for tool in "${tools[@]}"; do
  echo "== $tool"
  # 99 tells a report of the tool from a failed test.
  if "$sanitizer" --tool "$tool" --error-exitcode 99 "$program" "[race]" >"$log" 2>&1; then
    tail -n 3 "$log"
  else
    status=1
    tail -n 60 "$log"
    echo "== $tool FAILED"
  fi
done
exit "$status"
