// SPDX-License-Identifier: MIT
// Any op of the row engine over rows whose columns lie apart: softmax over the channels of every pixel, with the bits
// of softmax over rows of neighbouring columns. Its results go to two places: rows as they come, and where x has its
// channels.
#include <cstdint>
#include <vector>

#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/row/softmax_parts.cuh"
#include "rowfold/row/spaced_parts.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/values.hpp"

using namespace rowfold_test;
using rowfold::row_layout;

namespace {

auto softmax_of_half() {
  using statistics = rowfold::softmax_statistics<rowfold::softmax_weight<__half, __half>>;
  return rowfold::softmax_stages<statistics>(1.0, rowfold::masked_row::nan);
}

// Rows of both results, from x as rows of neighbouring columns.
std::vector<double> expected_rows(const std::vector<__half>& rows, int channels) {
  const auto count = static_cast<std::int64_t>(rows.size()) / channels;
  buffer<__half> x(rows.size());
  buffer<float> y(rows.size());
  x.upload(rows);
  const row_layout layout = row_layout::strided(channels);
  require_success(rowfold::fold_rows({count, channels}, rowfold::plain_source<__half>{x.data(), layout},
                                     softmax_of_half(), rowfold::softmax_map{},
                                     rowfold::plain_sink<float>{y.data(), layout}));
  rowfold_test::sync();
  return to_double(y.download());
}

}  // namespace

TEST_CASE("softmax over columns that lie apart has the bits of softmax over neighbouring ones", "[race]") {
  // 3 to 96 lanes, an odd number of granules per lane and an even one, an incomplete granule.
  for (const int channels : {24, 64, 100, 768, 1288}) {
    if (sanitized && channels > 100) continue;
    for (const std::int64_t pixels : {std::int64_t{4}, std::int64_t{7}}) {
      const auto width = static_cast<std::size_t>(channels);
      const std::size_t size = width * static_cast<std::size_t>(pixels);
      const std::vector<__half> rows =
          random_values<__half>(static_cast<std::size_t>(pixels), width, distribution::normal);
      std::vector<__half> image(size);
      const auto place = [&](std::size_t i) { return i % width * static_cast<std::size_t>(pixels) + i / width; };
      for (std::size_t i = 0; i < size; ++i) image[place(i)] = rows[i];
      buffer<__half> x(size);
      buffer<float> y_rows(size), y_image(size);
      x.upload(image);

      const row_layout layout = row_layout::nested(pixels, 1, 0);
      const rowfold::spaced_source<__half> source{{x.data(), layout}, pixels};
      const auto sink = rowfold::both(rowfold::plain_sink<float>{y_rows.data(), row_layout::strided(channels)},
                                      rowfold::spaced_sink<float>{{y_image.data(), layout}, pixels});
      const auto map = rowfold::softmax_map{};
      rowfold::plan_request request;
      request.block_threads = 32;
      const auto stages = softmax_of_half();
      const rowfold::row_plan plan = rowfold::plan_rows({pixels, channels}, source, stages, map, sink, {}, request);
      INFO(channels << " channels, " << pixels << " pixels");
      const bool held = channels % 8 == 0;
      CHECK((plan.variant == rowfold::row_variant::held) == held);
      CHECK(plan.rows_per_thread == (held && pixels % 2 == 0 ? 2 : 1));
      require_success(rowfold::fold_rows({pixels, channels}, source, stages, map, sink, request));
      rowfold_test::sync();

      const std::vector<double> expected = expected_rows(rows, channels);
      const std::vector<double> found_image = to_double(y_image.download());
      std::vector<double> found(size);
      for (std::size_t i = 0; i < size; ++i) found[i] = found_image[place(i)];
      CHECK(to_double(y_rows.download()) == expected);
      CHECK(found == expected);
      CHECK(y_rows.canaries_intact());
      CHECK(y_image.canaries_intact());
    }
  }
}
