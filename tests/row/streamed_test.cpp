// SPDX-License-Identifier: MIT
// Rows that are folded once and not stored: read once, straight from memory where every granule is whole, through
// shared memory elsewhere. The sums of all kernels equal those of the fold shape, written down here once more, bit for
// bit.
#include <cstdint>
#include <string>
#include <vector>

#include "rowfold/folds/sum.cuh"
#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/row/map.cuh"
#include "rowfold/row/source.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/merge_tree.hpp"
#include "support/values.hpp"
#if !defined(__CUDACC__)
#include "rowfold/cpu/traffic.hpp"
#endif

using namespace rowfold_test;
using rowfold::plan_request;
using rowfold::row_variant;

namespace {

std::size_t count(long long n) { return static_cast<std::size_t>(n); }

struct sum_stage {
  using state_type = float;
  static constexpr bool loads_first = false;

  template <class Source, class Row>
  ROWFOLD_DEVICE rowfold::no_result begin(const Source&, const Row&, rowfold::no_result) const {
    return {};
  }
  ROWFOLD_DEVICE float identity() const { return 0.0f; }
  template <int N, class Position>
  ROWFOLD_DEVICE void add(float& state, const rowfold::vec<float, N>& x, const Position& position,
                          rowfold::no_result) const {
    position.template for_each_column<N>([&](int i) { state = rowfold::math::add_rn(state, x[i]); });
  }
  ROWFOLD_DEVICE rowfold::sum merge() const { return {}; }
  ROWFOLD_DEVICE float finish(float state, rowfold::no_result, rowfold::no_result) const { return state; }
};

struct sum_sink {
  static constexpr int output_count = 0;
  static constexpr int widest_column = 0;
  float* sums;

  using row_type = long long;
  ROWFOLD_DEVICE row_type row(long long row, int) const { return row; }
  ROWFOLD_DEVICE void finish(const row_type& row, float sum) const {
    rowfold::store_element<rowfold::store_hint::write_back>(sums + row, sum);
  }
  void describe(rowfold::row_problem& problem) const {
    problem.add(rowfold::make_operand("sums", rowfold::operand_kind::statistic, sums));
  }
};

// The sum of a row as the fold shape says: granule g belongs to lane g % lanes.
template <class T>
float sum_of_shape(const T* x, int cols, const rowfold::fold_shape& shape) {
  std::vector<float> lanes(count(shape.lanes), 0.0f);
  for (int c = 0; c < cols; ++c) lanes[count(c / shape.granule % shape.lanes)] += static_cast<float>(to_double(x[c]));
  return merge_tree(lanes, [](float a, float b) { return a + b; });
}

template <class T>
void check(int rows, int cols, std::size_t offset, int padding, const plan_request& request) {
  const long long stride = cols + padding;
  buffer<T> x(count(rows * stride), offset);
  buffer<float> sums(count(rows));
  const std::vector<T> values = random_values<T>(1, x.size(), distribution::normal);
  x.upload(values);
  for (int row = 0; row < rows; ++row) x.forbid(count(row * stride + cols), count(padding));
  const rowfold::plain_source<T> source{x.data(), rowfold::row_layout::strided(stride)};
  rowfold::device_info device;
  require_success(rowfold::current_device_info(device));
  const auto fold = rowfold::stages(sum_stage{});
  const sum_sink sink{sums.data()};
  const rowfold::row_plan plan =
      rowfold::plan_rows({rows, cols}, source, fold, rowfold::identity_map{}, sink, device, request);
  INFO(rowfold::to_string(plan));
  REQUIRE(plan.status == rowfold::plan_status::ready);
  const bool aligned =
      offset % count(plan.shape.granule) == 0 && stride % plan.shape.granule == 0 && cols % plan.shape.granule == 0;
  const bool streamed = aligned && !request.staged && !request.reread && !request.any_access;
  CHECK((plan.variant == row_variant::streamed) == streamed);
  CHECK((plan.access == rowfold::row_access::whole) == streamed);
#if !defined(__CUDACC__)
  const rowfold::cpu::watched_range read{x.data(), x.size() * sizeof(T)};
#endif
  require_success(rowfold::fold_rows({rows, cols}, source, fold, rowfold::identity_map{}, sink, request));
  rowfold_test::sync();
#if !defined(__CUDACC__)
  CHECK(static_cast<std::int64_t>(read.loaded_bytes()) == static_cast<std::int64_t>(sizeof(T)) * rows * cols);
  CHECK(plan.issued_bytes == static_cast<std::int64_t>(sizeof(T)) * rows * cols + 4 * rows);
#endif
  const std::vector<float> got = sums.download();
  CHECK(sums.canaries_intact());
  for (int row = 0; row < rows; ++row) {
    CHECK(got[count(row)] == sum_of_shape(&values[count(row * stride)], cols, plan.shape));
  }
}

template <class T>
void check_all_kernels(int rows, int cols) {
  constexpr int granule = rowfold::granule_of<T>;
  for (int kind = 0; kind < 6; ++kind) {
    plan_request request;
    request.staged = kind == 1;
    request.reread = kind == 2;
    request.any_access = kind == 3;
    CAPTURE(cols, kind);
    // Aligned rows with a gap behind each; kinds 4 and 5: rows at odd addresses.
    check<T>(rows, cols, kind == 4 ? 1 : 0, kind == 5 ? 1 : (granule - cols % granule) % granule + granule, request);
  }
}

}  // namespace

TEST_CASE("one fold and no output: every kernel sums in the order of the fold shape", "[sanitize]") {
  for (const int cols : {1, 7, 8, 24, 64, 100, 256, 264, 1000, 1024}) {
    check_all_kernels<__nv_bfloat16>(9, cols);
    check_all_kernels<float>(9, cols);
  }
}

TEST_CASE("one fold and no output: rows of a whole block, also such that no block could hold") {
  for (const int cols : {2048, 2056, 4097, 16384, 20000}) check_all_kernels<__nv_bfloat16>(2, cols);
  for (const int cols : {1028, 8192}) check_all_kernels<float>(2, cols);
  check_all_kernels<__nv_bfloat16>(1, 131080);
}

TEST_CASE("the lanes of rows that are folded once have several granules each, and are never too many") {
  for (const int granule : {2, 4, 8, 16}) {
    int before = 1;
    for (int cols = 1; cols < 300000; cols += cols < 5000 ? 1 : 61) {
      const int lanes = rowfold::streamed_lanes(cols, granule);
      const int granules = (cols + granule - 1) / granule;
      const bool sound = lanes >= 1 && (lanes & (lanes - 1)) == 0 && lanes >= before &&
                         (lanes == 512) == (granules > 24576) && lanes <= 512 &&
                         (lanes >= 256 || granules <= 8 * lanes) && (lanes <= 4 || granules > 4 * lanes);
      if (!sound) FAIL(cols << " columns in granules of " << granule << ": " << lanes << " lanes");
      before = lanes;
    }
  }
  SUCCEED("all of them");
}
