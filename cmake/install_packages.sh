# SPDX-License-Identifier: MIT
# Sourced by the scripts that a newcomer runs: install_missing_packages installs with apt-get what is not there yet, and
# says what. It exits with status 2 and one line where it cannot.

rowfold_have_header() { echo "#include <$1>" | g++ -E -x c++ - >/dev/null 2>&1; }
rowfold_have_catch2() { rowfold_have_header catch2/catch.hpp || rowfold_have_header catch2/catch_test_macros.hpp; }
rowfold_have_command() { command -v "$1" >/dev/null 2>&1; }

# install_missing_packages [test]: what a build of the CPU back end needs; with "test" also what the tests need.
install_missing_packages() {
  local missing=()
  rowfold_have_command g++ || missing+=(g++)
  rowfold_have_command cmake || missing+=(cmake)
  rowfold_have_command ninja || missing+=(ninja-build)
  rowfold_have_command python3 || missing+=(python3)
  python3 -m pip --version >/dev/null 2>&1 || missing+=(python3-pip)
  rowfold_have_header boost/context/detail/fcontext.hpp || missing+=(libboost-context-dev)
  if [ "${1:-}" = test ]; then
    rowfold_have_catch2 || missing+=(catch2)
    rowfold_have_header benchmark/benchmark.h || missing+=(libbenchmark-dev)
    rowfold_have_command clang-format || missing+=(clang-format)
  fi
  if [ "${#missing[@]}" -eq 0 ]; then
    echo "Every package that is needed is installed."
    return 0
  fi
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    rowfold_have_command sudo || { echo "rowfold: missing packages, and no right to install them: ${missing[*]}" >&2; return 2; }
    as_root=(sudo)
  fi
  rowfold_have_command apt-get || { echo "rowfold: missing packages, and no apt-get to install them: ${missing[*]}" >&2; return 2; }
  echo "Installing with apt-get: ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update && DEBIAN_FRONTEND=noninteractive \
         "${as_root[@]}" apt-get install --yes --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "rowfold: apt-get could not install ${missing[*]}" >&2
    return 2
  fi
}
