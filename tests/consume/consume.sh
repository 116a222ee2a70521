#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Uses rowfold from a project or a compile line of its own, and runs what was built.
#
#   consume.sh CASE SOURCE SCRATCH CXX CUDA_INCLUDE [NVCC]
#
# SOURCE is the repository, SCRATCH a folder that is emptied. With NVCC the projects also build a CUDA program.
set -eu
case=$1 source=$2 scratch=$3 cxx=$4 cuda_include=$5 nvcc=${6:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rm -rf "$scratch"
mkdir -p "$scratch"

# The CUDA toolkit, if the compiler was named, is not told twice; headers from elsewhere are.
common=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$cxx" -DROWFOLD_CUDA_INCLUDE_DIR="$cuda_include")
[ -z "$nvcc" ] || common+=(-DWITH_CUDA=ON -DCMAKE_CUDA_COMPILER="$nvcc")

consumer() {  # consumer <arguments>: configure, build, run
  cmake -S "$here/consumer" -B "$scratch/build" "${common[@]}" "$@"
  cmake --build "$scratch/build"
  ctest --test-dir "$scratch/build" --output-on-failure --no-tests=error
}

# What a user gets: installed from a copy of the sources, which is then deleted, and moved after that.
install_and_move() {
  mkdir "$scratch/copy"
  cp -r "$source/CMakeLists.txt" "$source/LICENSE" "$source/include" "$source/cmake" "$scratch/copy"
  cmake -S "$scratch/copy" -B "$scratch/copy/build" "${common[@]}" -DROWFOLD_BUILD_TESTS=OFF \
    -DROWFOLD_BUILD_BENCH=OFF -DROWFOLD_BUILD_EXAMPLES=OFF
  cmake --install "$scratch/copy/build" --prefix "$scratch/installed"
  rm -rf "$scratch/copy"
  mv "$scratch/installed" "$scratch/moved"
  if grep -rnF -e "$scratch" -e "$source/include" -e "$cuda_include" "$scratch/moved"; then
    echo "an installed file names a path of the machine that it was made on" >&2
    exit 1
  fi
}

refused() {  # refused <text> <arguments>: the configuration must fail and say <text>
  local text=$1 output
  shift
  if output=$(cmake -S "$here/consumer" -B "$scratch/build" "${common[@]}" "$@" 2>&1); then
    echo "$output"
    echo "the configuration was expected to fail" >&2
    exit 1
  fi
  echo "$output"
  grep -qF -- "$text" <<<"$(tr -s '\n ' ' ' <<<"$output")" || { echo "expected: $text" >&2; exit 1; }
}

# The header $1 and every rowfold header that it includes, copied to $scratch/include: nothing else of the repository.
copy_closure() {
  local header
  [ ! -e "$scratch/include/$1" ] || return 0
  mkdir -p "$(dirname "$scratch/include/$1")"
  cp "$source/include/$1" "$scratch/include/$1"
  while read -r header; do copy_closure "$header"; done \
    < <(sed -n 's/^ *# *include "\(rowfold\/[^"]*\)".*/\1/p' "$source/include/$1")
}

case $case in
  subdirectory) consumer -DCONSUME=subdirectory -DROWFOLD_SOURCE="$source" -DWITH_CPU=ON ;;
  fetch) consumer -DCONSUME=fetch -DROWFOLD_SOURCE="$source" -DWITH_CPU=ON ;;
  package) install_and_move && consumer -DCONSUME=package -DCMAKE_PREFIX_PATH="$scratch/moved" -DWITH_CPU=ON ;;
  package_architectures)  # with CUDA architectures set by the user's project
    install_and_move
    consumer -DCONSUME=package -DCMAKE_PREFIX_PATH="$scratch/moved" "-DCMAKE_CUDA_ARCHITECTURES=80;90"
    ;;
  package_without_boost)
    install_and_move
    consumer -DCONSUME=package -DCMAKE_PREFIX_PATH="$scratch/moved" -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON
    rm -rf "$scratch/build"
    refused "its component cpu needs Boost.Context" -DCONSUME=package -DCMAKE_PREFIX_PATH="$scratch/moved" \
      -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON -DWITH_CPU=ON
    ;;
  wrong_version)
    install_and_move
    for version in 0.0 0.2 1.0; do
      rm -rf "$scratch/build"
      refused "compatible with requested version \"$version\"" -DCONSUME=package -DCMAKE_PREFIX_PATH="$scratch/moved" \
        -DWANTED_VERSION=$version
    done
    ;;
  copied_headers_cpu)
    copy_closure rowfold/layer_norm.cuh
    "$cxx" -std=c++17 -Wall -Wextra -Werror -DROWFOLD_CPU -ffp-contract=off -I "$scratch/include" -isystem "$cuda_include" \
      "$here/consumer/cpu.cpp" -lboost_context -o "$scratch/program"
    "$scratch/program"
    ;;
  copied_headers_nvcc)
    copy_closure rowfold/layer_norm.cuh
    "$nvcc" -std=c++17 -arch=sm_90 -I "$scratch/include" "$here/consumer/gpu.cu" -o "$scratch/program"
    "$scratch/program"
    ;;
  *)
    echo "unknown case $case" >&2
    exit 2
    ;;
esac
