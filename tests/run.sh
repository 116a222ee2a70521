#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Everything that can be tested on this machine, in one command: installs what is missing, builds, tests, and ends with
# one CTest summary. Needs no GPU. Exit status: 0 all passed, 1 something failed, 2 something needed is not to be had.
#
#   bash tests/run.sh
#
# Build trees, in build/: release (CPU executor, every thread schedule, checks of the sources, consumer projects), asan
# (AddressSanitizer and UndefinedBehaviorSanitizer), tsan (ThreadSanitizer on the cases tagged [race]), and with nvcc
# also gpu (the GPU suite for sm_90, checks of the compiled code; the suite runs where there is a GPU).
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
jobs=${ROWFOLD_JOBS:-$(nproc)}
status=0
skipped=()
times=()

phase() {  # phase <title> <command>...: runs it and notes the time; a failure is remembered, the rest still runs
  local title=$1 start=$SECONDS
  shift
  printf '\n=== %s\n' "$title"
  "$@" || { status=1; echo "rowfold: FAILED: $title"; times+=("$((SECONDS - start)) s  $title (FAILED)"); return 1; }
  times+=("$((SECONDS - start)) s  $title")
}

source cmake/install_packages.sh  # install_missing_packages

build() {  # build <preset> [configure arguments]: keeps going, so that one broken test does not hide the others
  local preset=$1
  shift
  cmake --preset "$preset" "$@" && cmake --build --preset "$preset" --parallel "$jobs" -- -k 0
}

phase "Packages" install_missing_packages test || exit 2
cuda_include=$(bash cmake/cuda_headers.sh) || exit 2
echo "CUDA headers: $cuda_include"
headers=(-DROWFOLD_CUDA_INCLUDE_DIR="$cuda_include")

trees=(release asan tsan)
phase "Build: release (CPU executor, every schedule)" build release "${headers[@]}"
# Ops whose kernels are the engine's with other small parts: their tests run under every schedule in the release tree
# and on a GPU. The sanitizers, and the compiler for a GPU that is not there, have the engine, LayerNorm, softmax,
# cross-entropy, elementwise and transpose, which between them have every kind of kernel; LayerNorm over channels is
# under ThreadSanitizer alone. ROWFOLD_TEST_ALL=1: everything everywhere, in twice the time.
fewer=(-DROWFOLD_TEST_LEFT_OUT="ada_norm;add_layer_norm;add_norm;add_rms_norm;dropout;dropout_add_layer_norm;gated_activation;l2_normalize;norms;quantize;rms_norm;row_reduce;ada_layer_norm;ada_rms_norm;add_rms_norm_quantize;rms_norm_quantize;swiglu_quantize;row_reduce_variance")
fewest=("${fewer[0]};layer_norm_channels_first")  # for AddressSanitizer and the compiler: checks of its code have the kernels
if [ -n "${ROWFOLD_TEST_ALL:-}" ]; then
  fewer=(-DROWFOLD_TEST_LEFT_OUT=)
  fewest=("${fewer[@]}")
else
  skipped+=("the sanitizers on the ops named in tests/run.sh (ROWFOLD_TEST_ALL=1 runs them)")
fi
phase "Build: asan (AddressSanitizer and UndefinedBehaviorSanitizer)" build asan "${headers[@]}" "${fewest[@]}"
phase "Build: tsan (ThreadSanitizer, cases tagged [race])" build tsan "${headers[@]}" "${fewer[@]}"

gpu=$(nvidia-smi -L 2>/dev/null | head -n 1)
if nvcc --version >/dev/null 2>&1; then
  trees+=(gpu)
  if [ -n "$gpu" ]; then
    echo "GPU: $gpu"
    export ROWFOLD_REQUIRE_GPU=1  # from here on a test that finds no GPU fails
    phase "Build: gpu (sm_90, also with --use_fast_math)" build gpu -DROWFOLD_TEST_FAST_MATH=ON
  else
    skipped+=("the GPU suite was compiled for sm_90 (fewer ops) and not run, and no benchmark compiled: no GPU on this machine")
    phase "Build: gpu (sm_90)" build gpu -DROWFOLD_BUILD_BENCH=OFF "${fewest[@]}"
  fi
else
  skipped+=("the GPU suite and the checks of compiled code: no nvcc on this machine")
fi

# One CTest tree over all build trees.
rm -rf build/all
mkdir -p build/all
for tree in "${trees[@]}"; do echo "subdirs(\"$PWD/build/$tree\")"; done >build/all/CTestTestfile.cmake

printf '\n=== Time so far\n'
printf '%s\n' "${times[@]}"
for reason in "${skipped[@]}"; do echo "NOT RUN: $reason"; done
rm -f build/*/accuracy/*.md
printf '\n=== Tests: %s\n' "${trees[*]}"
# Every test's output is in build/all/Testing/Temporary/LastTest.log. CTest's summary is held back to be the last thing
# said.
ctest --test-dir build/all --parallel "$jobs" --no-tests=error --output-on-failure --output-junit results.xml |
  awk '/^[0-9]+% tests passed/ { end = 1 } { if (end) print > "build/all/summary.txt"; else { print; fflush() } }'
[ "${PIPESTATUS[0]}" -eq 0 ] || status=1
printf '\n=== Skipped\n'
python3 tests/support/skipped.py build/all/results.xml || status=1
printf '\n=== Accuracy\n'
python3 tests/support/accuracy.py build/release/accuracy build/accuracy.md || status=1
if [ -n "$gpu" ]; then  # the same sweep on the GPU
  python3 tests/support/accuracy.py build/gpu/accuracy build/accuracy_gpu.md >/dev/null || status=1
  diff build/accuracy.md build/accuracy_gpu.md && echo "The GPU has the same errors."
fi
printf '\n=== Cost of each folder of tests\n'
python3 tests/support/cost.py build/all/results.xml build/release build/asan build/tsan || status=1
[ "$status" -eq 0 ] || printf '\nrowfold: something FAILED, see above\n'
printf '\n=== Summary\n'
cat build/all/summary.txt || status=1
exit "$status"
