// SPDX-License-Identifier: MIT
// Activations and gates as parts of a fused op: an activation behind LayerNorm, and SwiGLU in front of it, give the
// bits of the two ops one after the other. In double, where an op has one kernel and nothing is rounded between two
// ops; gates in front of folds that are held in registers: tests/quantize.
#include <cstdint>
#include <vector>

#include "rowfold/activation.cuh"
#include "rowfold/gated_activation.cuh"
#include "rowfold/layer_norm.cuh"
#include "rowfold/row/activation_map.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/values.hpp"

using namespace rowfold_test;
using rowfold::row_layout;

namespace {

constexpr double eps = 1e-5;
constexpr int rows = 3;

std::size_t count(int cols) { return static_cast<std::size_t>(rows * cols); }

// LayerNorm of what `source` makes, then `map`, in one pass.
template <class Source, class Map>
std::vector<double> fused(int cols, const Source& source, const Map& map) {
  buffer<double> y(count(cols));
  const auto folds =
      rowfold::normalize_stages<double>(cols, eps, source.granule, rowfold::default_lanes(cols, source.granule));
  require_success(rowfold::fold_rows({rows, cols}, source, folds, rowfold::chain(rowfold::normalize_map{}, map),
                                     rowfold::plain_sink<double>{y.data(), row_layout::strided(cols)}));
  rowfold_test::sync();
  CHECK(y.canaries_intact());
  return y.download();
}

}  // namespace

TEST_CASE("an activation behind LayerNorm, and SwiGLU in front of it, give the bits of both ops") {
  for (const int cols : {1, 2, 33, 100, 256}) {
    CAPTURE(cols);
    buffer<double> x(2 * count(cols)), first(count(cols)), both(count(cols));
    x.upload(random_values<double>(1, x.size(), distribution::normal));

    require_success(rowfold::layer_norm(x.data(), nullptr, nullptr, first.data(), rows, cols, eps));
    require_success(rowfold::activation(rowfold::gelu{}, first.data(), both.data(), rows * cols));
    rowfold_test::sync();
    const rowfold::plain_source<double> source{x.data(), row_layout::strided(cols)};
    CHECK(fused(cols, source, rowfold::activation_map<rowfold::gelu>{}) == both.download());

    require_success(rowfold::swiglu(x.data(), first.data(), rows, cols));
    require_success(rowfold::layer_norm(first.data(), nullptr, nullptr, both.data(), rows, cols, eps));
    rowfold_test::sync();
    const auto gated = rowfold::gated_halves(rowfold::silu{}, x.data(), cols);
    CHECK(fused(cols, gated, rowfold::identity_map{}) == both.download());
  }
}
