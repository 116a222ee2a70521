// SPDX-License-Identifier: MIT
// layer_norm_row in kernels of a user's own, which do something before it and after it: a block per row in a loop over
// the rows, and groups within a warp. The results are those of the library's own kernels, bit for bit.
#include <cstdint>
#include <vector>

#include "row/user_parts.cuh"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/layer_norm.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/values.hpp"

using namespace rowfold_test;
namespace simt = rowfold::simt;

namespace {

// One block goes over all rows: doubles a row in place, normalises it, adds the row's number to each result. The same
// shared memory serves row after row.
template <class X>
__global__ void block_rows_kernel(X* x, const float* gamma, const float* beta, float* y, int rows, int cols,
                                  float eps) {
  const int threads = static_cast<int>(simt::block_threads());
  const int thread = static_cast<int>(simt::thread_rank());
  rowfold::row_group<> group(threads, &simt::shared<rowfold::row_group_storage>());
  for (int row = 0; row < rows; ++row) {
    X* const x_row = x + static_cast<std::int64_t>(row) * cols;
    float* const y_row = y + static_cast<std::int64_t>(row) * cols;
    for (int c = thread; c < cols; c += threads) {
      x_row[c] = rowfold::from_accumulate<X>(2.0f * rowfold::to_accumulate(x_row[c]));
    }
    simt::sync_block();  // orders the doubled values before the loads of the row
    rowfold::layer_norm_row(group, x_row, gamma, beta, y_row, cols, eps);
    simt::sync_block();  // orders the stores of the row before the reads below
    for (int c = thread; c < cols; c += threads) y_row[c] += static_cast<float>(row);
  }
}

// Groups of `lanes` lanes, a row each, the last ones without one. x + x is normalised, and negative results are
// dropped; before that, each group's first lane has counted its row.
template <class Source, class Sink>
__global__ void warp_rows_kernel(Source source, const float* gamma, Sink sink, int* counts, int rows, int cols,
                                 int lanes, float eps) {
  using row_data = rowfold::held_row<rowfold::granule_access::any, 3, Source>;
  rowfold::row_group<> group(lanes, nullptr);
  const int row = static_cast<int>(simt::block_rank() * simt::block_threads() + simt::thread_rank()) / lanes;
  const bool exists = row < rows;
  if (exists && group.rank() == 0) counts[row] += 1;
  const auto after = rowfold::chain(rowfold::affine_map<float, float>{gamma, nullptr}, relu_map{});
  rowfold::layer_norm_row<row_data>(group, exists ? row : 0, exists ? cols : 0, eps, source, after, sink);
}

std::size_t count(int n) { return static_cast<std::size_t>(n); }

template <class X>
std::vector<X> doubled(std::vector<X> values) {
  for (X& value : values) value = from_double<X>(2 * to_double(value));
  return values;
}

// LayerNorm by the library, each row folded by `lanes` lanes.
template <class X>
std::vector<float> library_result(const std::vector<X>& x, const buffer<float>& gamma, const float* beta, int rows,
                                  int cols, int lanes) {
  buffer<X> x_memory(x.size());
  buffer<float> y(x.size());
  x_memory.upload(x);
  rowfold::layer_norm_args<X, float, float, float> args;
  args.x = x_memory.data();
  args.gamma = gamma.data();
  args.beta = beta;
  args.y = y.data();
  args.rows = rows;
  args.cols = cols;
  // By a plan of the caller's own: it is launched as it is, and the request behind it is not asked again.
  args.request.lanes = lanes;
  rowfold::device_info device;
  require_success(rowfold::current_device_info(device));
  args.plan = rowfold::plan_layer_norm(args, device);
  args.request = {};
  require_success(rowfold::layer_norm(args));
  rowfold_test::sync();
  return y.download();
}

buffer<float>& fill(buffer<float>& memory, std::uint64_t stream) {
  memory.upload(random_values<float>(1, memory.size(), distribution::positive, stream));
  return memory;
}

template <class X>
void check_block(int rows, int cols, int threads) {
  CAPTURE(rows, cols, threads);
  const auto values = random_values<X>(count(rows), count(cols), distribution::normal, 1);
  buffer<X> x(values.size(), 1);  // off its alignment
  buffer<float> y(values.size()), gamma(count(cols)), beta(count(cols));
  x.upload(values);
  fill(gamma, 2);
  fill(beta, 3);
  rowfold::launch_config config;
  config.block_threads = static_cast<unsigned>(threads);
  config.shared_bytes = sizeof(rowfold::row_group_storage);
  require_success(
      rowfold::launch(block_rows_kernel<X>, config, x.data(), gamma.data(), beta.data(), y.data(), rows, cols, 1e-5f));
  rowfold_test::sync();
  std::vector<float> expected = library_result(doubled(values), gamma, beta.data(), rows, cols, threads);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += static_cast<float>(i / count(cols));
  CHECK(y.download() == expected);
  CHECK(x.canaries_intact());
  CHECK(y.canaries_intact());
}

void check_warp(int rows, int cols, int lanes) {
  CAPTURE(rows, cols, lanes);
  const auto values = random_values<__half>(count(rows), count(cols), distribution::normal, 1);
  buffer<__half> x(values.size(), 3);
  buffer<float> y(values.size()), gamma(count(cols));
  buffer<int> counts(count(rows));
  x.upload(values);
  fill(gamma, 2);
  counts.fill_bytes(0);
  const auto layout = rowfold::row_layout{}.resolved(cols);
  const residual_source<__half> source{x.data(), x.data(), layout};
  const rowfold::plain_sink<float> sink{y.data(), layout};
  rowfold::launch_config config;
  config.block_threads = 64;
  config.grid_blocks = static_cast<unsigned>((rows * lanes + 63) / 64);
  require_success(rowfold::launch(warp_rows_kernel<residual_source<__half>, rowfold::plain_sink<float>>, config, source,
                                  gamma.data(), sink, counts.data(), rows, cols, lanes, 1e-5f));
  rowfold_test::sync();
  std::vector<float> expected = library_result(doubled(values), gamma, nullptr, rows, cols, lanes);
  for (float& value : expected) value = value < 0 ? 0 : value;
  CHECK(y.download() == expected);
  CHECK(y.canaries_intact());
  CHECK(counts.download() == std::vector<int>(count(rows), 1));
}

}  // namespace

TEST_CASE("a block normalises row after row within its own work", "[race][sanitize]") {
  check_block<__half>(3, 200, 64);
  check_block<float>(2, 1, 64);
}

TEST_CASE("a block of any whole number of warps normalises rows of any width") {
  for (const int threads : {32, 96, 256, 512}) {
    for (const int cols : {1, 31, 256, 1000, 5001}) {
      check_block<__half>(3, cols, threads);
      check_block<float>(3, cols, threads);
    }
  }
}

TEST_CASE("groups within a warp normalise a row each, some without one", "[race][sanitize]") {
  check_warp(5, 21, 4);
  check_warp(3, 100, 32);
}

TEST_CASE("groups of every size") {
  for (const int lanes : {1, 2, 4, 8, 16, 32}) {
    // Up to three granules of 8 columns a lane.
    for (const int cols : {1, 8 * lanes - 1, 8 * lanes, 24 * lanes - 3, 24 * lanes}) check_warp(37, cols, lanes);
  }
}
