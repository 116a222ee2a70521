// SPDX-License-Identifier: MIT
// simt::site: the caller's source line on the CPU back end, nothing on the GPU.
//
// Collectives take `site where = site::here()` as their last parameter and hand it on, so that an executor's message
// names the line in the kernel and not a line in the library.
#pragma once

#include "rowfold/simt/backend.hpp"

#if !defined(__CUDACC__)
#include "rowfold/cpu/call_site.hpp"
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace simt {

#if defined(__CUDACC__)
struct site {
  ROWFOLD_HOST_DEVICE static constexpr site here() { return site{}; }
};
#else
using site = call_site;
#endif

}  // namespace simt
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
