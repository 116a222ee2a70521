// SPDX-License-Identifier: MIT
// The arithmetic instructions of the GPU that have no intrinsic of their own or whose intrinsic changes with compile
// flags: approximations of 1/sqrt, 2^x and 1/x, and the maximum and minimum that return NaN. Any thread may call them.
// The CPU bodies of the approximations are the exact functions: their error bounds hold, their bits are not the GPU's.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/simt/backend.hpp"
#if !defined(__CUDACC__)
#include <cmath>
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace ptx {

#if defined(__CUDACC__)

ROWFOLD_DEVICE float rsqrt_approximate(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

ROWFOLD_DEVICE float exp2_approximate(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

ROWFOLD_DEVICE float reciprocal_approximate(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
// The larger or smaller value; the canonical NaN if either is a NaN; -0 < +0. Needs sm_80.
ROWFOLD_DEVICE float max_nan(float a, float b) {
  float y;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}

ROWFOLD_DEVICE float min_nan(float a, float b) {
  float y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}

// The larger of |a| and |b|, in one instruction.
ROWFOLD_DEVICE float max_nan_of_absolutes(float a, float b) {
  float y;
  asm("{\n .reg .f32 p, q;\n abs.f32 p, %1;\n abs.f32 q, %2;\n max.NaN.f32 %0, p, q;\n}" : "=f"(y) : "f"(a), "f"(b));
  return y;
}

// The smaller of |a| and b, in one instruction.
ROWFOLD_DEVICE float min_nan_of_absolute(float a, float b) {
  float y;
  asm("{\n .reg .f32 absolute;\n abs.f32 absolute, %1;\n min.NaN.f32 %0, absolute, %2;\n}" : "=f"(y) : "f"(a), "f"(b));
  return y;
}
#endif

#else

inline float rsqrt_approximate(float x) { return 1.0f / std::sqrt(x); }
inline float exp2_approximate(float x) { return std::exp2(x); }
inline float reciprocal_approximate(float x) { return 1.0f / x; }

#endif

}  // namespace ptx
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
