#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints the folder of the CUDA headers that the CPU back end includes: the toolkit's, or without a toolkit the ones in
# NVIDIA's Python wheels (headers alone, about 5 MB), fetched once into build/cuda-headers. Exit status 2, with one line
# on stderr, where neither is to be had.
#
#   bash cmake/cuda_headers.sh
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# One release, so that all packages agree with each other; the versions are those of CUDA 13.0.
wheels=(nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88 nvidia-cuda-cccl==13.0.85)

fail() {
  echo "rowfold: no CUDA toolkit found, and its headers could not be fetched: $1" >&2
  exit 2
}

# A toolkit: next to the nvcc on PATH, else where the usual variables or the usual place say.
candidates=()
if compiler=$(command -v nvcc); then
  candidates+=("$(dirname "$(dirname "$(readlink -f "$compiler")")")/include")
fi
candidates+=("${CUDA_HOME:+$CUDA_HOME/include}" "${CUDA_PATH:+$CUDA_PATH/include}" /usr/local/cuda/include)
for folder in "${candidates[@]}"; do
  if [ -n "$folder" ] && [ -f "$folder/cuda_runtime.h" ]; then
    echo "$folder"
    exit 0
  fi
done

target=$root/build/cuda-headers
include=$target/nvidia/cu13/include
complete=$target/complete-${wheels[0]##*=}
if [ ! -f "$complete" ]; then
  echo "rowfold: no CUDA toolkit; fetching its headers (${wheels[*]}) into build/cuda-headers" >&2
  python3 -m pip --version >/dev/null 2>&1 || fail "python3 with pip is missing (Debian: python3-pip)"
  mkdir -p "$target" || fail "$target cannot be made"
  message=$(python3 -m pip install --quiet --disable-pip-version-check --no-deps --only-binary=:all: --upgrade \
    --target "$target" "${wheels[@]}" 2>&1) || fail "$(grep -m1 ERROR <<<"$message" || tail -n 1 <<<"$message")"
  for header in cuda_runtime.h cuda_fp16.h cuda_bf16.h cuda_fp8.h crt/host_defines.h nv/target; do
    [ -f "$include/$header" ] || fail "the wheels hold no $header"
  done
  touch "$complete"
fi
echo "$include"
