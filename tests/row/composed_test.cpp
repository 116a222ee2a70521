// SPDX-License-Identifier: MIT
// An op that the library does not have, composed by fold_rows from a user's own parts: z = LayerNorm(x + residual),
// then y = relu(z) / max|z|, with the maximum of each row kept. Its third stage folds over values that depend on the
// first two, as dynamic quantisation does. Right for every kernel, the same bits from all of them, and exactly the
// bytes of the plan.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "row/user_parts.cuh"
#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/row/normalize.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/values.hpp"
#if !defined(__CUDACC__)
#include "rowfold/cpu/traffic.hpp"
#endif

using namespace rowfold_test;
using rowfold::plan_request;
using rowfold::row_plan;

namespace {

// Where the tensors of one call lie.
struct place {
  std::size_t x_offset = 0;  // elements behind an aligned address
  std::size_t residual_offset = 0;
  std::size_t y_offset = 0;
  int padding = 0;  // elements between rows
};

struct result {
  std::vector<float> y;  // packed rows
  std::vector<float> largest;
  row_plan plan;
};

std::size_t count(int n) { return static_cast<std::size_t>(n); }

// A tensor of rows in memory, with gaps between them that no kernel may touch.
template <class T>
class padded_rows {
 public:
  padded_rows(int rows, int cols, int padding, std::size_t offset)
      : rows_(rows), cols_(cols), stride_(cols + padding), memory_(count(rows) * stride(), offset) {}

  void upload(const std::vector<T>& packed) {
    std::vector<T> image(memory_.size());
    for (std::size_t i = 0; i < packed.size(); ++i) image[i / cols() * stride() + i % cols()] = packed[i];
    memory_.upload(image);
  }
  std::vector<T> download() const {
    const std::vector<T> image = memory_.download();
    std::vector<T> packed(count(rows_) * cols());
    for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = image[i / cols() * stride() + i % cols()];
    return packed;
  }
  void forbid_gaps() {
    for (std::size_t row = 0; row < count(rows_); ++row) {
      memory_.forbid(row * stride() + cols(), stride() - cols());
    }
  }
  T* data() { return memory_.data(); }
  rowfold::row_layout layout() const { return rowfold::row_layout::strided(stride_); }
  std::size_t bytes() const { return memory_.size() * sizeof(T); }

 private:
  std::size_t cols() const { return count(cols_); }
  std::size_t stride() const { return count(stride_); }
  int rows_, cols_, stride_;
  buffer<T> memory_;
};

result run_op(int rows, int cols, const std::vector<__half>& x, const std::vector<__half>& residual,
              const place& where = {}, const plan_request& request = {}) {
  padded_rows<__half> x_rows(rows, cols, where.padding, where.x_offset);
  padded_rows<__half> residual_rows(rows, cols, where.padding, where.residual_offset);
  padded_rows<float> y_rows(rows, cols, where.padding, where.y_offset);
  buffer<float> largest(count(rows));
  x_rows.upload(x);
  residual_rows.upload(residual);
  x_rows.forbid_gaps();
  residual_rows.forbid_gaps();
  y_rows.forbid_gaps();

  using source_type = residual_source<__half>;
  const source_type source{x_rows.data(), residual_rows.data(), x_rows.layout()};
  const int lanes = request.lanes != 0 ? request.lanes : rowfold::default_lanes(cols, source_type::granule);
  const auto normalize = rowfold::normalize_stages<float>(cols, 1e-5f, source_type::granule, lanes);
  const auto stages = rowfold::stages(normalize.first, normalize.rest.first, normalized_maximum_stage{});
  const auto map = rowfold::chain(normalize_by_first_map{}, relu_map{}, divide_by_maximum_map{});
  const auto sink =
      rowfold::both(rowfold::plain_sink<float>{y_rows.data(), y_rows.layout()}, maximum_sink{largest.data()});
  const rowfold::row_shape shape{rows, cols};

  rowfold::device_info device;
  require_success(rowfold::current_device_info(device));
  result out;
  out.plan = rowfold::plan_rows(shape, source, stages, map, sink, device, request);
  INFO(rowfold::to_string(out.plan));
#if !defined(__CUDACC__)
  const rowfold::row_problem& problem = out.plan.problem;
  REQUIRE(problem.operand_count == 4);
  const void* const tensors[] = {x_rows.data(), residual_rows.data(), y_rows.data(), largest.data()};
  const std::size_t sizes[] = {x_rows.bytes(), residual_rows.bytes(), y_rows.bytes(), largest.size() * sizeof(float)};
  const rowfold::cpu::watched_range watched[] = {
      {tensors[0], sizes[0]}, {tensors[1], sizes[1]}, {tensors[2], sizes[2]}, {tensors[3], sizes[3]}};
#endif
  require_success(rowfold::fold_rows(shape, source, stages, map, sink, request));
  rowfold_test::sync();
#if !defined(__CUDACC__)
  std::int64_t all = 0;
  for (int i = 0; i < 4; ++i) {
    const rowfold::operand& o = problem.operands[i];
    const bool input = o.kind == rowfold::operand_kind::input;
    INFO(o.name);
    const auto moved = static_cast<std::int64_t>(input ? watched[i].loaded_bytes() : watched[i].stored_bytes());
    CHECK(moved == rowfold::issued_bytes(problem, out.plan, o));
    CHECK((input ? watched[i].stored_bytes() : watched[i].loaded_bytes()) == 0);
    all += moved;
  }
  CHECK(all == out.plan.issued_bytes);
#endif
  out.y = y_rows.download();
  out.largest = largest.download();
  return out;
}

// Which kernel serves a plan: what launch_row_plan tells apart.
std::string kernel_of(const row_plan& plan) {
  const std::string label = rowfold::to_label(plan);
  std::string kernel = label.substr(0, label.find(' ')) + " x " + std::to_string(plan.vectors);
  if (kernel.find("held/whole") == 0) {
    kernel += plan.shape.lanes > 32 ? " block" : " warp";
    if (plan.shape.lanes == 4 && plan.problem.cols == 2 * 4 * plan.shape.granule) kernel += " full";
  }
  return kernel;
}

// How far y and the maxima are from a reference in double, in units of 2^-24 (values of y lie in [0, 1]).
double error_of(int cols, const std::vector<__half>& x, const std::vector<__half>& residual, const result& got) {
  double worst = 0;
  for (std::size_t row = 0; row < got.largest.size(); ++row) {
    std::vector<double> z(count(cols));
    double mean = 0, variance = 0, largest = 0;
    for (std::size_t c = 0; c < z.size(); ++c) {
      const std::size_t i = row * z.size() + c;
      z[c] = __half2float(x[i]) + __half2float(residual[i]);  // one rounding to float, as in the op
      mean += z[c] / cols;
    }
    for (const double value : z) variance += (value - mean) * (value - mean) / cols;
    for (double& value : z) value = (value - mean) / std::sqrt(variance + static_cast<double>(1e-5f));
    for (const double value : z) largest = std::max(largest, std::abs(value));
    worst = std::max(worst, std::abs(static_cast<double>(got.largest[row]) / largest - 1) * 0x1p24);
    for (std::size_t c = 0; c < z.size(); ++c) {
      const double expected = std::max(z[c], 0.0) / largest;
      const double error = std::abs(static_cast<double>(got.y[row * z.size() + c]) - expected) * 0x1p24;
      if (!(error <= worst)) worst = error;  // also a NaN
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("a composed op is right, and moves the bytes of its plan, for every kernel and address", "[sanitize]") {
  std::set<std::string> kernels;
  double worst = 0;
  for (const int cols : {2, 7, 56, 64, 96, 100, 128, 157, 160, 1344, 2048, 2500, 2560, 20483, 20544}) {
    const int rows = cols < 1000 ? 5 : 2;
    const auto x = random_values<__half>(count(rows), count(cols), distribution::normal, 1);
    const auto residual = random_values<__half>(count(rows), count(cols), distribution::positive, 2);
    const result aligned = run_op(rows, cols, x, residual);
    const std::string label = rowfold::to_label(aligned.plan);
    CAPTURE(cols, label);
    worst = std::max(worst, error_of(cols, x, residual, aligned));

    plan_request reread, any;
    reread.reread = true;
    any.any_access = true;
    const result others[] = {
        run_op(rows, cols, x, residual, {1, 0, 0, 0}),  // each tensor on its own, then all, off their alignment
        run_op(rows, cols, x, residual, {0, 3, 0, 0}), run_op(rows, cols, x, residual, {0, 0, 1, 0}),
        run_op(rows, cols, x, residual, {5, 2, 3, 3}), run_op(rows, cols, x, residual, {}, reread),
        run_op(rows, cols, x, residual, {}, any)};
    for (const result& other : others) {
      INFO(rowfold::to_label(other.plan));
      CHECK(other.y == aligned.y);
      CHECK(other.largest == aligned.largest);
      CHECK(other.plan.shape == aligned.plan.shape);
      kernels.insert(kernel_of(other.plan));
    }
    kernels.insert(kernel_of(aligned.plan));
    if (aligned.plan.access == rowfold::row_access::whole) {
      CHECK(others[0].plan.operand == std::string("x"));
      CHECK(others[1].plan.operand == std::string("residual"));
      CHECK(others[2].plan.operand == std::string("y"));
    }
  }
  CHECK(kernels.size() == 10);  // all that there are
  // LayerNorm's bound, in its own unit; measured: below 3.
  CAPTURE(worst);
  CHECK(worst <= 8.0);
}
