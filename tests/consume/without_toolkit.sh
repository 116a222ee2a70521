#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Where there is no CUDA toolkit, cmake/cuda_headers.sh fetches the headers and a program for the CPU executor compiles
# with them; where they cannot be fetched, one line says so and the exit status is 2. The toolkit of this machine, if it
# has one, is hidden behind an empty folder, in a mount namespace of this script's own (skipped, status 77, where that
# is not allowed).
#
#   without_toolkit.sh SOURCE SCRATCH CXX
set -eu
source=$1 scratch=$2 cxx=$3

rm -rf "$scratch"
mkdir -p "$scratch/empty" "$scratch/repository"
unset CUDA_HOME CUDA_PATH CUDACXX

toolkits=()
for folder in /usr/local/cuda /usr/local/cuda-*; do
  [ ! -d "$folder" ] || toolkits+=("$(readlink -f "$folder")")
done
if compiler=$(command -v nvcc) && folder=$(dirname "$(dirname "$(readlink -f "$compiler")")")/include && [ -d "$folder" ]; then
  toolkits+=("$folder")
fi
if [ "${#toolkits[@]}" -gt 0 ] && [ -z "${ROWFOLD_TOOLKIT_HIDDEN:-}" ]; then
  unshare --mount true 2>/dev/null || { echo "SKIPPED: no mount namespace for this user"; exit 77; }
  ROWFOLD_TOOLKIT_HIDDEN=1 exec unshare --mount bash "$0" "$@"
fi
for folder in "${toolkits[@]}"; do
  [ ! -d "$folder" ] || mount --bind "$scratch/empty" "$folder"
done

cp -r "$source/cmake" "$source/include" "$source/tests" "$scratch/repository"
cd "$scratch/repository"
include=$(bash cmake/cuda_headers.sh)
case $include in
  "$PWD"/build/*) echo "fetched: ${include#"$PWD"/}" ;;
  *) echo "expected a folder under build/, got $include" >&2; exit 1 ;;
esac
"$cxx" -std=c++17 -DROWFOLD_CPU -ffp-contract=off -I include -isystem "$include" tests/consume/consumer/cpu.cpp \
  -lboost_context -o program
./program

# A second call finds what the first one fetched, whatever the network does.
[ "$(PIP_NO_INDEX=1 bash cmake/cuda_headers.sh)" = "$include" ]

rm -rf build
status=0
message=$(PIP_NO_INDEX=1 bash cmake/cuda_headers.sh 2>&1 >/dev/null) || status=$?
echo "$message"
[ "$status" -eq 2 ]
grep -q 'could not be fetched' <<<"$(tail -n 1 <<<"$message")"
