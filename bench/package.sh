#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Collects what bench/run.sh needs on a GPU machine that has a driver and nothing else: the GPU suites, the benchmark
# programs with the library they load, the kernels as a shared library, the sanitizer probe, and the commit they were
# built from. Executables are stripped.
#
#   bash bench/package.sh BUILD_FOLDER TARGET_FOLDER
#
# Then, on the GPU machine, in a checkout of the same commit: ROWFOLD_PREBUILT=TARGET_FOLDER bash bench/run.sh
set -eu
build=${1:?BUILD_FOLDER TARGET_FOLDER}
target=${2:?BUILD_FOLDER TARGET_FOLDER}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p "$target"

required=(bench/layer_norm_bench bench/librowfold_layer_norm_c.so bench/sanitizer_probe)
optional=(tests/rowfold_gpu_tests tests/rowfold_gpu_tests_fast_math bench/librowfold_elementwise_c.so)
for file in "$build"/bench/*_bench; do
  [ "$file" = "$build/bench/layer_norm_bench" ] || optional+=("bench/$(basename "$file")")
done
for file in "${required[@]}" "${optional[@]}"; do
  if [ -e "$build/$file" ]; then
    strip -o "$target/$(basename "$file")" "$build/$file"
  elif [[ " ${required[*]} " == *" $file "* ]]; then
    echo "package.sh: $build/$file is missing: build the preset gpu first" >&2
    exit 2
  else
    echo "package.sh: without $file (the preset gpu, configured with -DROWFOLD_TEST_FAST_MATH=ON, builds it)" >&2
  fi
done

# Google Benchmark is a shared library in some distributions; the program looks for it in its own folder first.
library=$(ldd "$build/bench/layer_norm_bench" | awk '$1 ~ /^libbenchmark/ { print $3 }')
if [ -n "$library" ]; then
  cp -L "$library" "$target/$(ldd "$build/bench/layer_norm_bench" | awk '$1 ~ /^libbenchmark/ { print $1 }')"
fi

commit=$(git rev-parse HEAD 2>/dev/null || echo unknown)
git diff --quiet HEAD -- include bench tests 2>/dev/null || commit="$commit-dirty"
echo "$commit" >"$target/COMMIT"
du -sh "$target"
