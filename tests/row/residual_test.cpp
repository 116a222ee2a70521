// SPDX-License-Identifier: MIT
// The parts of a residual addition in compositions of a user's own: fold_rows with another map behind the norm, and a
// kernel that reads rows without the engine's plan. The results are those of add_layer_norm, bit for bit.
#include <algorithm>
#include <vector>

#include "row/user_parts.cuh"
#include "rowfold/add_layer_norm.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/values.hpp"

using namespace rowfold_test;
namespace simt = rowfold::simt;

namespace {

using bfloat16 = __nv_bfloat16;
using source_type = rowfold::residual_source<bfloat16, float, bfloat16, float>;

// A warp for each row, or a block.
template <class RowData, class Sink>
__global__ void rows_kernel(source_type source, Sink sink, int rows, int cols, int lanes, float eps) {
  rowfold::row_group<> group(lanes, lanes > 32 ? &simt::shared<rowfold::row_group_storage>() : nullptr);
  const int row = static_cast<int>(simt::block_rank() * simt::block_threads() + simt::thread_rank()) / lanes;
  const bool exists = row < rows;
  rowfold::layer_norm_row<RowData>(group, exists ? row : 0, exists ? cols : 0, eps, source, relu_map{}, sink);
}

struct tensors {
  tensors(int rows, int cols)
      : x(random_values<bfloat16>(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols), distribution::normal,
                                  1)),
        residual(random_values<float>(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols),
                                      distribution::normal, 2)),
        bias(random_values<float>(1, static_cast<std::size_t>(cols), distribution::normal, 3)),
        x_memory(x.size()),
        residual_memory(residual.size(), 1),
        bias_memory(bias.size()),
        y(x.size()),
        sum(x.size()) {
    x_memory.upload(x);
    residual_memory.upload(residual);
    bias_memory.upload(bias);
  }

  std::vector<bfloat16> x;
  std::vector<float> residual, bias;
  buffer<bfloat16> x_memory;
  buffer<float> residual_memory, bias_memory, y;
  buffer<bfloat16> sum;
};

struct results {
  std::vector<double> y, sum;
};

results results_of(const tensors& t) { return {to_double(t.y.download()), to_double(t.sum.download())}; }

// By the op, with the lanes given; negative values dropped on the host.
results expected_results(tensors& t, int rows, int cols, int lanes) {
  rowfold::add_layer_norm_args<bfloat16, float, rowfold::absent, rowfold::absent, float, bfloat16, float> args;
  args.x = t.x_memory.data();
  args.residual = t.residual_memory.data();
  args.bias = t.bias_memory.data();
  args.y = t.y.data();
  args.sum = t.sum.data();
  args.rows = rows;
  args.cols = cols;
  args.request.lanes = lanes;
  require_success(rowfold::add_layer_norm(args));
  rowfold_test::sync();
  results r = results_of(t);
  for (double& value : r.y) value = std::max(value, 0.0);
  t.y.fill_bytes(0xFF);
  t.sum.fill_bytes(0xFF);
  return r;
}

source_type source_of(tensors& t, int cols) {
  const auto layout = rowfold::row_layout{}.resolved(cols);
  return {t.x_memory.data(), t.residual_memory.data(), t.bias_memory.data(), layout, layout};
}

auto sink_of(tensors& t, int cols) {
  const auto layout = rowfold::row_layout{}.resolved(cols);
  return rowfold::both(rowfold::plain_sink<float>{t.y.data(), layout},
                       rowfold::source_sink<bfloat16>{t.sum.data(), layout});
}

void check(const results& expected, const tensors& found) {
  const results r = results_of(found);
  CHECK(r.y == expected.y);
  CHECK(r.sum == expected.sum);
  CHECK(found.y.canaries_intact());
  CHECK(found.sum.canaries_intact());
}

template <class RowData>
void check_own_kernel(int rows, int cols, int lanes) {
  CAPTURE(rows, cols, lanes);
  tensors t(rows, cols);
  const results expected = expected_results(t, rows, cols, lanes);
  rowfold::launch_config config;
  config.block_threads = static_cast<unsigned>(lanes < 64 ? 64 : lanes);
  config.grid_blocks = static_cast<unsigned>((rows * lanes - 1) / static_cast<int>(config.block_threads) + 1);
  config.shared_bytes = sizeof(rowfold::row_group_storage);
  const auto sink = sink_of(t, cols);
  require_success(rowfold::launch(rows_kernel<RowData, decltype(sink_of(t, cols))>, config, source_of(t, cols), sink,
                                  rows, cols, lanes, 1e-5f));
  rowfold_test::sync();
  check(expected, t);
}

}  // namespace

TEST_CASE("a residual source and a sink for its sum compose with parts of a user's own") {
  for (const int cols : {1, 64, 100, 1000}) {
    tensors t(5, cols);
    const int lanes = rowfold::default_lanes(cols, source_type::granule);
    const results expected = expected_results(t, 5, cols, 0);
    const auto folds = rowfold::normalize_stages<float>(cols, 1e-5f, source_type::granule, lanes);
    require_success(rowfold::fold_rows({5, cols}, source_of(t, cols), folds,
                                       rowfold::chain(rowfold::normalize_map{}, relu_map{}), sink_of(t, cols)));
    rowfold_test::sync();
    check(expected, t);
  }
}

TEST_CASE("a residual source in kernels of a user's own") {
  using held = rowfold::held_row<rowfold::granule_access::any, 3, source_type>;
  using reread = rowfold::reread_row<rowfold::granule_access::any, 2, source_type>;
  for (const int cols : {1, 63, 64, 190}) {
    check_own_kernel<held>(5, cols, 8);
    check_own_kernel<reread>(5, cols, 8);
  }
  check_own_kernel<held>(3, 1000, 64);
  check_own_kernel<reread>(3, 2001, 64);
}
