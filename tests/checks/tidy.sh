#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang-tidy with the project's .clang-tidy over every header, compiled for the CPU executor in one translation unit.
# Skipped where there is no clang-tidy.
#
#   tidy.sh ROOT CUDA_INCLUDE SCRATCH
set -eu
root=$1 cuda_include=$2 scratch=$3
command -v clang-tidy >/dev/null || { echo "SKIPPED: clang-tidy not found"; exit 77; }
mkdir -p "$scratch"
(cd "$root/include" && find rowfold -name '*.hpp' -o -name '*.cuh' | sort | sed 's/.*/#include "&"/') >"$scratch/every_header.cpp"
clang-tidy --quiet --config-file="$root/.clang-tidy" "$scratch/every_header.cpp" -- \
  -std=c++17 -DROWFOLD_CPU -I "$root/include" -isystem "$cuda_include"
echo "$(wc -l <"$scratch/every_header.cpp") headers"
