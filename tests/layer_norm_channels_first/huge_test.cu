// SPDX-License-Identifier: MIT
// Tensors of more than 2^31 and more than 2^32 elements, where an index of 32 bits wraps around, signed or unsigned.
// GPU alone; skipped, and said so, where memory is short.
#include <cstdint>
#include <vector>

#include "layer_norm/hard_rows.hpp"
#include "layer_norm_channels_first/channels_first_run.hpp"
#include "support/check.hpp"
#include "support/huge_memory.cuh"

using namespace rowfold_test;

namespace {

const channels_first_types& half_images() {
  for (const channels_first_types& types : channels_first_type_sets()) {
    if (types.rows == &half_types) return types;
  }
  return channels_first_type_sets().front();
}

// In place: all rows are equal values (which become 0), but for a few that are random: those must come out as
// layer_norm makes them.
void check_huge(std::int64_t batch, int channels, std::int64_t spatial) {
  INFO(batch << " x " << channels << " x " << spatial);
  const std::int64_t count = batch * channels * spatial;
  huge_memory x(count);
  if (!x) return;
  x.fill(0x3C);
  const std::int64_t rows = batch * spatial;
  const std::vector<std::int64_t> special = {0, 1, spatial - 1, rows / 2, rows - spatial, rows - 2, rows - 1};
  layer_norm_input alone = normal_rows(half_types, static_cast<std::int64_t>(special.size()), channels);
  alone.gamma.clear();
  alone.beta.clear();
  const auto place = [&](std::int64_t row, int channel) {
    return (row / spatial * channels + channel) * spatial + row % spatial;
  };
  std::size_t next = 0;
  for (const std::int64_t row : special) {
    for (int channel = 0; channel < channels; ++channel) x.set(place(row, channel), {alone.x[next++]});
  }
  channels_first_call call;
  call.x = call.y = x.data();
  call.batch = batch;
  call.channels = channels;
  call.spatial = spatial;
  require_success(half_images().run(call));
  sync();
  std::vector<double> found;
  for (const std::int64_t row : special) {
    for (int channel = 0; channel < channels; ++channel) found.push_back(x.take(place(row, channel), 1).front());
  }
  CHECK(same_bits(found, run(alone).y));
  CHECK(count_nonzero(x, count) == 0);
}

// The same where gamma and beta are there, so that rows stay in registers.
void check_huge_rows_in_registers(std::int64_t batch, int channels, std::int64_t spatial) {
  const std::int64_t count = batch * channels * spatial;
  huge_memory x(count);
  if (!x) return;
  x.fill(0x3C);
  buffer<__half> gamma(static_cast<std::size_t>(channels)), beta(static_cast<std::size_t>(channels));
  gamma.upload(std::vector<__half>(gamma.size(), from_double<__half>(1)));
  beta.upload(std::vector<__half>(beta.size(), from_double<__half>(0)));
  channels_first_call call;
  call.x = call.y = x.data();
  call.gamma = gamma.data();
  call.beta = beta.data();
  call.batch = batch;
  call.channels = channels;
  call.spatial = spatial;
  CHECK(half_images().plan(call).variant == rowfold::row_variant::held);
  require_success(half_images().run(call));
  sync();
  CHECK(count_nonzero(x, count) == 0);
}

}  // namespace

TEST_CASE("LayerNorm over channels of more than 2^31 and 2^32 elements") {
  check_huge(3, 64, 11184900);
  check_huge(70001, 64, 961);
  check_huge_rows_in_registers(1, 64, 67108866);
  check_huge_rows_in_registers(70001, 64, 961);
}
