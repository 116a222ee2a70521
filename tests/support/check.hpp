// SPDX-License-Identifier: MIT
// Catch2, whichever of 2.13 and 3 is there, and the checks that every test of a kernel makes.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_adapters.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#else
#include <catch2/catch.hpp>
namespace Catch {
using Detail::Approx;
}
#endif

#include <cuda_runtime.h>

#include <string>

#include "support/seed.hpp"

#if !defined(__CUDACC__) && __has_include("rowfold/cpu/executor.hpp")
#include "rowfold/cpu/executor.hpp"
#endif

namespace rowfold_test {

// What a failed status means on this back end.
inline std::string explain(cudaError_t status) {
  if (status == cudaSuccess) return "success";
#if defined(__CUDACC__)
  return cudaGetErrorString(status);
#elif __has_include("rowfold/cpu/executor.hpp")
  return "status " + std::to_string(static_cast<int>(status)) + ": " + rowfold::cpu::last_error();
#else
  return "status " + std::to_string(static_cast<int>(status));
#endif
}

// Requires success; on failure the test's message holds the executor's text (CPU) or the runtime's (GPU).
inline void require_success(cudaError_t status) {
  INFO(explain(status));
  REQUIRE(static_cast<int>(status) == static_cast<int>(cudaSuccess));
}

// Waits for the device and requires that everything before went well. The CPU executor is synchronous: nothing to wait
// for.
inline void sync() {
#if defined(__CUDACC__)
  require_success(cudaDeviceSynchronize());
#endif
}

// true where the test is compiled for the CPU executor.
#if defined(__CUDACC__)
inline constexpr bool on_cpu = false;
#else
inline constexpr bool on_cpu = true;
#endif

// true under a sanitizer, which looks at memory and order, not at numbers: fewer wide rows then.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace rowfold_test
