// SPDX-License-Identifier: MIT
// LayerNorm over channels gives the bits of layer_norm of the same rows, wherever the tensors lie and whichever kernel
// serves them, and moves the bytes that the plan says.
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "layer_norm/hard_rows.hpp"
#include "layer_norm/reference.hpp"
#include "layer_norm_channels_first/channels_first_run.hpp"
#include "rowfold/transpose.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/values.hpp"

using namespace rowfold_test;
using rowfold::row_variant;

namespace {

void check_same(const layer_norm_output& expected, const layer_norm_output& found) {
  CHECK(same_bits(expected.y, found.y));
  if (found.mean.empty()) return;
  CHECK(same_bits(expected.mean, found.mean));
  CHECK(same_bits(expected.rstd, found.rstd));
}

// `rows` rows of all kinds in turn, with random parameters.
layer_norm_input rows_of_all_kinds(const type_set& types, std::int64_t rows, int channels) {
  layer_norm_input input = normal_rows(types, rows, channels);
  input.x.clear();
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto kind = static_cast<row_kind>(row % static_cast<std::int64_t>(row_kind::count));
    const std::vector<double> values = make_row(types, kind, channels, static_cast<std::uint64_t>(row));
    input.x.insert(input.x.end(), values.begin(), values.end());
  }
  return input;
}

// Channels that take each kernel that holds rows, and rows of one lane to several hundred; then others.
std::vector<int> channel_counts(const type_set& types) {
  const int granule = types.granule();
  if (types.x == element::float64) return {1, 7, 33, 64};
  std::vector<int> counts = {1, 7, 31, 32, 33, 127};
  for (const int granules : {1, 2, 3, 8, 14, 20, 96, 128, 160}) counts.push_back(granules * granule);
  return counts;
}

}  // namespace

TEST_CASE("LayerNorm over channels gives the bits of layer_norm and moves the planned bytes", "[sanitize]") {
  for (const channels_first_types& types : channels_first_type_sets()) {
    std::set<std::pair<int, int>> held;
    for (const int channels : channel_counts(*types.rows)) {
      for (const std::int64_t spatial : {1, 7, 31, 32, 33, 49, 196}) {
        if (spatial > 33 && channels > 40 && !(spatial == 49 && channels == 64)) continue;
        if (sanitized && spatial != 7 && spatial != 32) continue;
        for (const std::int64_t batch : {1, 3}) {
          const layer_norm_input input = rows_of_all_kinds(*types.rows, batch * spatial, channels);
          image_placement where;
          where.batch = batch;
          where.count_bytes = true;
          const layer_norm_output found = run(types, input, where);
          INFO(types.rows->name << ", " << batch << " x " << channels << " x " << spatial);
          check_same(run(input), found);
          CHECK(compare(input, found).fault == "");
          if (on_cpu) CHECK(found.issued_bytes == found.plan.issued_bytes);
          if (found.plan.variant == row_variant::held) held.emplace(found.plan.rows_per_thread, found.plan.vectors);
        }
      }
    }
    std::set<std::pair<int, int>> all;
    for (int vectors = 2; vectors <= (types.rows->granule() > 4 ? 5 : 4); ++vectors) {
      if (types.rows->x == element::float64) continue;
      all.emplace(1, vectors);
      all.emplace(2, vectors);
    }
    CHECK(held == all);
  }
}

TEST_CASE("LayerNorm over channels of many channels: several rounds of merging, rows too wide for registers") {
  for (const channels_first_types& types : channels_first_type_sets()) {
    if (types.rows->x == element::float64) continue;
    const int granule = types.rows->granule();
    const int most_held = (granule > 4 ? 2560 : 2048) * granule;
    for (const int channels : {1283, 300 * granule, 700 * granule, most_held, most_held + granule}) {
      if (sanitized && channels > 2000) continue;
      const layer_norm_input input = normal_rows(*types.rows, 4, channels);
      const layer_norm_output found = run(types, input);
      INFO(types.rows->name << ", " << channels << " channels");
      check_same(run(input), found);
      CHECK((found.plan.variant == row_variant::held) == (channels % granule == 0 && channels <= most_held));
    }
  }
}

// What it takes the place of, on the device.
TEST_CASE("LayerNorm over channels is transpose, layer_norm, transpose, bit for bit") {
  constexpr int batch = 2, channels = 96, spatial = 50;
  constexpr std::size_t size = batch * channels * spatial;
  buffer<__nv_bfloat16> x(size), rows(size), normalised(size), expected(size), found(size);
  buffer<__nv_bfloat16> gamma(channels), beta(channels);
  x.upload(random_values<__nv_bfloat16>(batch, channels * spatial, distribution::normal));
  gamma.upload(random_values<__nv_bfloat16>(1, channels, distribution::positive));
  beta.upload(random_values<__nv_bfloat16>(1, channels, distribution::uniform));
  require_success(
      rowfold::transpose(static_cast<const __nv_bfloat16*>(x.data()), rows.data(), batch, channels, spatial));
  layer_norm_call row_call;
  row_call.x = rows.data();
  row_call.gamma = gamma.data();
  row_call.beta = beta.data();
  row_call.y = normalised.data();
  row_call.rows = batch * spatial;
  row_call.cols = channels;
  require_success(bfloat16_types.run(row_call));
  require_success(rowfold::transpose(static_cast<const __nv_bfloat16*>(normalised.data()), expected.data(), batch,
                                     spatial, channels));
  channels_first_call call;
  call.x = x.data();
  call.gamma = gamma.data();
  call.beta = beta.data();
  call.y = found.data();
  call.batch = batch;
  call.channels = channels;
  call.spatial = spatial;
  const channels_first_types& types = channels_first_type_sets().front();
  REQUIRE(types.rows == &bfloat16_types);
  require_success(types.run(call));
  rowfold_test::sync();
  CHECK(same_bits(to_double(expected.download()), to_double(found.download())));
}

// Few threads, since a race detector holds few: two full blocks and one with slots to spare.
TEST_CASE("LayerNorm over channels with lanes in many warps", "[race]") {
  for (const channels_first_types& types : channels_first_type_sets()) {
    if (types.rows->x != types.rows->y || types.rows->x == element::float64) continue;
    const int granule = types.rows->granule();
    for (const int channels : {8 * granule, 64 * granule, 50}) {
      image_placement where;
      where.request.block_threads = 64;
      const bool pairs = channels % granule == 0;
      const int block_rows = 64 / rowfold::default_lanes(channels, granule) * (pairs ? 2 : 1);
      const layer_norm_input input = normal_rows(*types.rows, 2 * block_rows + 2, channels);
      const layer_norm_output found = run(types, input, where);
      CHECK(found.plan.rows_per_thread == (pairs ? 2 : 1));
      CHECK(found.plan.grid_blocks == 3);
      check_same(run(input), found);
      where.in_place = true;
      check_same(found, run(types, input, where));
    }
  }
}

TEST_CASE("LayerNorm over channels at any address and stride, in place, by any kernel") {
  for (const channels_first_types& types : channels_first_type_sets()) {
    std::vector<image_placement> list;
    const auto add = [&](const char* name, auto&& change) {
      image_placement where;
      where.batch = 3;
      change(where);
      where.name = name;
      list.push_back(where);
    };
    add("packed", [](image_placement&) {});
    add("pairs across images", [](image_placement& w) { w.batch = 4, w.x_channel_gap = w.y_channel_gap = 1; });
    add("all off by an element", [](image_placement& w) { w.x_offset = w.y_offset = w.gamma_offset = 1; });
    add("x off by an element", [](image_placement& w) { w.x_offset = 1; });
    add("y off by an element", [](image_placement& w) { w.y_offset = 1; });
    add("odd gaps of x", [](image_placement& w) { w.x_channel_gap = 1; });
    add("odd gaps of y", [](image_placement& w) { w.y_channel_gap = 1; });
    add("beta off by an element", [](image_placement& w) { w.beta_offset = 1; });
    add("gaps", [](image_placement& w) { w.x_channel_gap = 3, w.x_batch_gap = 5, w.y_channel_gap = 1; });
    add("even gaps", [](image_placement& w) { w.x_channel_gap = 2, w.x_batch_gap = 6, w.y_channel_gap = 4; });
    add("gaps of y between images", [](image_placement& w) { w.y_batch_gap = 7; });
    add("backwards", [](image_placement& w) { w.backwards = true, w.x_channel_gap = 2; });
    add("reread", [](image_placement& w) { w.request.reread = true; });
    add("any access", [](image_placement& w) { w.request.any_access = true; });
    add("small blocks", [](image_placement& w) { w.request.block_threads = 64; });
    add("large blocks", [](image_placement& w) { w.request.block_threads = 512; });
    add("no statistics", [](image_placement& w) { w.statistics = false; });
    add("short call", [](image_placement& w) { w.short_call = true, w.statistics = false; });
    if (types.rows->x == types.rows->y) {
      add("in place", [](image_placement& w) { w.in_place = true; });
      add("in place, gaps, reread",
          [](image_placement& w) { w.in_place = w.request.reread = true, w.x_batch_gap = 9; });
    }
    for (const int channels : {7, 64, 320}) {
      const layer_norm_input input = normal_rows(*types.rows, 36, channels);
      const layer_norm_output expected = run(input);
      for (image_placement where : list) {
        where.count_bytes = channels == 7;
        INFO(types.rows->name << ", " << channels << " channels, " << where.name);
        const layer_norm_output found = run(types, input, where);
        check_same(expected, found);
        if (on_cpu && where.count_bytes) CHECK(found.issued_bytes == found.plan.issued_bytes);
      }
    }
  }
}

TEST_CASE("LayerNorm over channels with null gamma or beta") {
  for (const channels_first_types& types : channels_first_type_sets()) {
    for (int null = 1; null < 4; ++null) {
      layer_norm_input input = normal_rows(*types.rows, 35, 24);
      if ((null & 1) != 0) input.gamma.clear();
      if ((null & 2) != 0) input.beta.clear();
      const layer_norm_output found = run(types, input);
      CHECK(found.plan.reason == (types.rows->x == element::float64 ? rowfold::plan_reason::double_has_one_variant
                                                                    : rowfold::plan_reason::parameter_is_null));
      check_same(run(input), found);
      image_placement where;
      where.short_call = true;
      where.statistics = false;
      check_same(found, run(types, input, where));
    }
  }
}

TEST_CASE("LayerNorm over channels: a NaN or an infinity spoils its row alone") {
  for (const channels_first_types& types : channels_first_type_sets()) {
    for (const int channels : {7, 64, 96}) {
      const layer_norm_input input = normal_rows(*types.rows, 33, channels);
      const layer_norm_output clean = run(types, input);
      for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        layer_norm_input spoilt = input;
        const std::size_t row = 20;
        const auto width = static_cast<std::size_t>(channels);
        spoilt.x[row * width + width / 2] = value;
        const layer_norm_output found = run(types, spoilt);
        for (std::size_t i = 0; i < found.y.size(); ++i) {
          if (i / width == row ? !std::isnan(found.y[i]) : found.y[i] != clean.y[i]) FAIL("element " << i);
        }
        CHECK(std::isnan(found.rstd[row]));
      }
    }
  }
}
