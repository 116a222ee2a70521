// SPDX-License-Identifier: MIT
//
// The element types' names in the names of benchmarks. Plain C++; needs the headers of the two 16-bit types.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace rowfold_bench {

template <class T>
struct dtype_name;
template <>
struct dtype_name<float> {
  static constexpr const char* text = "float";
};
template <>
struct dtype_name<__half> {
  static constexpr const char* text = "half";
};
template <>
struct dtype_name<__nv_bfloat16> {
  static constexpr const char* text = "bfloat16";
};
template <>
struct dtype_name<double> {
  static constexpr const char* text = "double";
};
template <>
struct dtype_name<std::uint8_t> {
  static constexpr const char* text = "byte";
};

}  // namespace rowfold_bench
