// SPDX-License-Identifier: MIT
// Plans a LayerNorm for a described device: needs neither a GPU nor a CUDA compiler.
#include <cstdio>

#include "rowfold/version.hpp"

int main() {
  std::printf("rowfold %d.%d.%d\n", ROWFOLD_VERSION_MAJOR, ROWFOLD_VERSION_MINOR, ROWFOLD_VERSION_PATCH);
  return 0;
}
