#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# LayerNorm on real data, from nothing: installs what is missing, builds the layer_norm tool and runs it on the
# embedding rows of a sentence encoder (examples/data), once per type, on the GPU where there is one and else on the CPU
# executor. Exit status: 0 if every result is within its bound, 1 if one is not, 2 if something needed is not to be had.
#
#   bash examples/run.sh
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
build=build/release
tool=$build/examples/layer_norm

phase() { printf '\n=== %s\n' "$1"; }

phase "Packages"
source cmake/install_packages.sh
install_missing_packages || exit 2
# Without a CUDA toolkit the headers, which the CPU back end includes too, come from NVIDIA's wheels.
cuda_headers=$(bash cmake/cuda_headers.sh) || exit 2
echo "CUDA headers: $cuda_headers"

phase "Build: $tool"
options=(-DROWFOLD_CUDA_INCLUDE_DIR="$cuda_headers" -DROWFOLD_BUILD_TESTS=OFF -DROWFOLD_BUILD_BENCH=OFF)
# The GPU's own architecture, if there is a GPU.
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .)
if [[ $capability =~ ^[0-9]+$ ]]; then options+=(-DCMAKE_CUDA_ARCHITECTURES="$capability"); fi
log=build/examples.log
mkdir -p build
{ cmake --preset release "${options[@]}" && cmake --build "$build" --target rowfold_layer_norm; } >"$log" 2>&1 || {
  tail -n 40 "$log" >&2
  echo "rowfold: the build failed; all of its output is in $log" >&2
  exit 2
}
echo "built (its output: $log)"

data=examples/data
status=0
for dtype in float half bfloat16; do
  phase "LayerNorm in $dtype"
  "$tool" $data/embeddings.npy --gamma $data/gamma.npy --beta $data/beta.npy --eps "$(cat $data/eps.txt)" \
    --dtype "$dtype" --out "$build/examples/embeddings_$dtype.npy" --explain
  result=$?
  [ "$result" -le "$status" ] || status=$result
done

printf '\nThe tool: %s (--help says what it takes)\n' "$PWD/$tool"
exit "$status"
