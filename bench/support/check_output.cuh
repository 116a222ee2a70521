// SPDX-License-Identifier: MIT
//
// Checks of an op's output before the op is timed: every element was written, and sampled rows agree with float64.
// An op with several outputs poisons each, runs, and checks each. Host only; each call synchronises the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "check_rows.hpp"
#include "device.hpp"
#include "random_fill.cuh"

namespace rowfold_bench {

/// Fills `count` elements with NaN: all bits set, in every floating-point type that has NaN.
template <class T>
void poison(T* data, std::size_t count) {
  require(cudaMemset(data, 0xff, count * sizeof(T)), "cudaMemset");
  require(cudaDeviceSynchronize(), "poison");
}

/// Checks `rows` rows of y after a run on poisoned memory. `reference(row, expected, scale)` fills both vectors with
/// `cols` values (closeness.hpp: scale is the largest magnitude in the element's last addition). Empty when all is
/// right.
template <class T, class Reference>
std::string check_written(const T* y, std::int64_t rows, int cols, const Reference& reference) {
  const unsigned long long unwritten = count_nan(y, static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  if (unwritten != 0) return "wrong result: " + std::to_string(unwritten) + " elements unwritten or NaN";
  return check_rows(y, rows, cols, reference);
}

/// The whole check of an op with one output: poisons `rows` rows of y, calls `run(stream)`, which must write them, and
/// checks them.
template <class T, class Run, class Reference>
std::string check_output(T* y, std::int64_t rows, int cols, const Run& run, const Reference& reference) {
  poison(y, static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  run(nullptr);
  require(cudaDeviceSynchronize(), "the op");
  return check_written(y, rows, cols, reference);
}

}  // namespace rowfold_bench
