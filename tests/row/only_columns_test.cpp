// SPDX-License-Identifier: MIT
// only_columns in composed ops and in a norm behind a residual: the bits of the op with all kernels where the width is
// named, with group scales, too, whose lanes work together; elsewhere a refusal, and nothing is written.
#include "rowfold/launch/only_columns.hpp"

#include <cuda_fp8.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rowfold/add_layer_norm.cuh"
#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/row/normalize.cuh"
#include "rowfold/row/quantize_sink.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/values.hpp"

using namespace rowfold_test;
using rowfold::any_columns;
using rowfold::only_columns;

namespace {

constexpr int rows = 3;

// What a call returned, and the bytes of its output.
struct outcome {
  cudaError_t error;
  std::vector<unsigned char> bytes;
};

template <class T>
outcome outcome_of(cudaError_t error, const buffer<T>& memory) {
  rowfold_test::sync();
  const std::vector<T> elements = memory.download();
  const auto* bytes = reinterpret_cast<const unsigned char*>(elements.data());
  return {error, std::vector<unsigned char>(bytes, bytes + elements.size() * sizeof(T))};
}

std::vector<float> values(int cols, std::uint64_t stream) {
  return random_values<float>(rows, static_cast<std::size_t>(cols), distribution::normal, stream);
}

bool untouched(const outcome& found) {
  return std::all_of(found.bytes.begin(), found.bytes.end(), [](unsigned char byte) { return byte == 0xFF; });
}

// Normalised rows as codes with a scale for each 128 columns.
template <class Compiled>
outcome group_codes(int cols) {
  using namespace rowfold;
  using code = __nv_fp8_e4m3;
  const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  buffer<float> x(count), scale(rows * 8);
  buffer<code> q(count);
  x.upload(values(cols, 1));
  const plain_source<float> source{x.data(), row_layout::strided(cols)};
  quantized_output<code, quantize_scale::per_group> out;
  out.q = q.data();
  out.scale = scale.data();
  const auto folds = normalize_stages<float>(cols, 1e-5f, source.granule, default_lanes(cols, source.granule));
  const auto sink = quantize_sink<code, quantize_scale::per_group>{out.resolved(cols)};
  const cudaError_t error = fold_rows<Compiled>({rows, cols}, source, folds, normalize_map{}, sink);
  return outcome_of(error, q);
}

template <class Compiled>
outcome normalised_sums(int cols) {
  using namespace rowfold;
  const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  buffer<float> x(count), residual(count), y(count);
  x.upload(values(cols, 1));
  residual.upload(values(cols, 2));
  const cudaError_t error = add_layer_norm<residual_rounding::stored, accurate_math, Compiled>(
      x.data(), residual.data(), nullptr, nullptr, y.data(), nullptr, rows, cols, 1e-5);
  return outcome_of(error, y);
}

}  // namespace

TEST_CASE("only_columns: composed ops with group scales, whose lanes are more than a row's default") {
  using widths = only_columns<64, 128, 512>;
  for (const int cols : {64, 128, 512}) {
    const auto expected = group_codes<any_columns>(cols);
    const auto codes = group_codes<widths>(cols);
    INFO(cols << " columns");
    require_success(expected.error);
    require_success(codes.error);
    CHECK(!untouched(expected));
    CHECK(codes.bytes == expected.bytes);
  }
  for (const int cols : {63, 1024}) {
    const auto codes = group_codes<widths>(cols);
    CHECK(static_cast<int>(codes.error) == static_cast<int>(cudaErrorInvalidValue));
    CHECK(untouched(codes));
  }
}

TEST_CASE("only_columns: residual + LayerNorm, and the width 1 for rows at any address") {
  for (const int cols : {128, 63, 1024}) {
    const auto expected = normalised_sums<any_columns>(cols);
    require_success(expected.error);
    const auto some = normalised_sums<only_columns<128>>(cols);
    const auto fallback = normalised_sums<only_columns<128, 1>>(cols);
    INFO(cols << " columns");
    CHECK((some.error == cudaSuccess) == (cols == 128));
    CHECK((fallback.error == cudaSuccess) == (cols != 1024));  // which could take a faster kernel
    if (some.error == cudaSuccess) CHECK(some.bytes == expected.bytes);
    if (fallback.error == cudaSuccess) CHECK(fallback.bytes == expected.bytes);
  }
}
