// SPDX-License-Identifier: MIT
// Floats rounded to 8-bit integers: to nearest even, what lies outside [-128, 127] (infinities included) to its ends,
// NaN to 0. Four to a 32-bit word, the first in the lowest byte; two conversion instructions for four from sm_90 on.
// Any thread may call it on its own values.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/simt/backend.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace ptx {

#if defined(__CUDACC__)

ROWFOLD_DEVICE unsigned round_int8x4(float a, float b, float c, float d) {
  // cvt to an integer saturates and gives 0 for NaN (PTX ISA); cvt.pack saturates again, to 8 bits, and puts its first
  // operand above the second, the third above both.
  int first, second, third, fourth;
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(first) : "f"(a));
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(second) : "f"(b));
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(third) : "f"(c));
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(fourth) : "f"(d));
  unsigned word;
  asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(fourth), "r"(third), "r"(0));
  asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(second), "r"(first), "r"(word));
  return word;
}

ROWFOLD_DEVICE signed char round_int8(float x) {
  int rounded;
  asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(rounded) : "f"(x));
  return static_cast<signed char>(rounded);
}

#else

inline signed char round_int8(float x) {
  if (!(x == x)) return 0;
  const float inside = x < -128.0f ? -128.0f : x > 127.0f ? 127.0f : x;
  const float shifted = inside + 0x1.8p23f;  // the unit in the last place is 1 there: the sum is rounded to an integer
  return static_cast<signed char>(shifted - 0x1.8p23f);
}

inline unsigned round_int8x4(float a, float b, float c, float d) {
  unsigned word = 0;
  int shift = 0;
  for (const float x : {a, b, c, d}) {
    word |= static_cast<unsigned>(static_cast<unsigned char>(round_int8(x))) << shift;
    shift += 8;
  }
  return word;
}

#endif

}  // namespace ptx
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
