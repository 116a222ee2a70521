// SPDX-License-Identifier: MIT
// hide_from_compiler: the same 32 bits, by a way that nvcc cannot see through. No instruction results; any thread may
// call it on its own. On the CPU back end it does nothing.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/simt/backend.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace ptx {

ROWFOLD_DEVICE void hide_from_compiler(unsigned& word) {
#if defined(__CUDACC__)
  asm("" : "+r"(word));
#else
  static_cast<void>(word);
#endif
}

}  // namespace ptx
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
