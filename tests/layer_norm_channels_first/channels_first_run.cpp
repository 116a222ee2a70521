// SPDX-License-Identifier: MIT
#include "layer_norm_channels_first/channels_first_run.hpp"

#include <memory>

#include "support/byte_counter.hpp"
#include "support/check.hpp"
#include "support/row_memory.hpp"

namespace rowfold_test {
namespace {

// A channels-first tensor in memory: each channel of each image is a row of row_memory.
struct images {
  std::int64_t batch, spatial;
  int channels;
  rowfold::channel_layout layout;
  row_memory memory;

  images(element type, std::int64_t image_count, int channel_count, std::int64_t positions, int channel_gap,
         int batch_gap, bool backwards, std::size_t offset)
      : batch(image_count),
        spatial(positions),
        channels(channel_count),
        layout(make_layout(channel_count, positions, channel_gap, batch_gap, backwards)),
        memory(type, batch * channels, static_cast<int>(spatial),
               rowfold::row_layout::nested(channels, layout.channel_stride, layout.batch_stride), offset) {}

  static rowfold::channel_layout make_layout(int channels, std::int64_t spatial, int channel_gap, int batch_gap,
                                             bool backwards) {
    rowfold::channel_layout layout;
    layout.channel_stride = spatial + channel_gap;
    layout.batch_stride = channels * layout.channel_stride + batch_gap;
    if (backwards) layout.channel_stride *= -1, layout.batch_stride *= -1;
    return layout;
  }

  // Packed tensors as a whole: each row that is watched makes every access slower.
  void watch(byte_counter& counter) {
    if (layout.channel_stride == spatial && layout.batch_stride == channels * spatial) {
      counter.watch(memory.begin(), memory.bytes());
    } else {
      counter.watch({&memory});
    }
  }

  // The place in a packed tensor of column c of row r.
  std::size_t place(std::int64_t r, int c) const {
    return static_cast<std::size_t>((r / spatial * channels + c) * spatial + r % spatial);
  }

  void set(const std::vector<double>& rows) {
    std::vector<double> values(rows.size());
    std::size_t i = 0;
    for (std::int64_t r = 0; r < batch * spatial; ++r) {
      for (int c = 0; c < channels; ++c) values[place(r, c)] = rows[i++];
    }
    memory.set(values);
  }

  std::vector<double> rows() const {
    const std::vector<double> values = memory.values();
    std::vector<double> result;
    for (std::int64_t r = 0; r < batch * spatial; ++r) {
      for (int c = 0; c < channels; ++c) result.push_back(values[place(r, c)]);
    }
    return result;
  }
};

}  // namespace

layer_norm_output run(const channels_first_types& types, const layer_norm_input& input, const image_placement& where) {
  const type_set& elements = *types.rows;
  const std::int64_t spatial = where.batch == 0 ? 0 : input.rows / where.batch;
  REQUIRE(spatial * where.batch == input.rows);
  INFO(elements.name << ", " << where.batch << " x " << input.cols << " x " << spatial << ", " << where.name);
  images x(elements.x, where.batch, input.cols, spatial, where.x_channel_gap, where.x_batch_gap, where.backwards,
           where.x_offset);
  x.set(input.x);
  x.memory.upload();
  std::unique_ptr<images> separate_y;
  if (!where.in_place) {
    separate_y = std::make_unique<images>(elements.y, where.batch, input.cols, spatial, where.y_channel_gap,
                                          where.y_batch_gap, false, where.y_offset);
    separate_y->memory.upload();
  }
  images& y = where.in_place ? x : *separate_y;
  const auto gamma = make_vector(elements.parameter, input.gamma, where.gamma_offset);
  const auto beta = make_vector(elements.parameter, input.beta, where.beta_offset);
  const auto mean = where.statistics ? make_unwritten(elements.statistic(), input.rows, 0) : nullptr;
  const auto rstd = where.statistics ? make_unwritten(elements.statistic(), input.rows, 0) : nullptr;

  channels_first_call call;
  call.x = x.memory.data();
  call.gamma = gamma ? gamma->data() : nullptr;
  call.beta = beta ? beta->data() : nullptr;
  call.y = y.memory.data();
  call.batch = where.batch;
  call.channels = input.cols;
  call.spatial = spatial;
  call.eps = input.eps;
  if (where.x_channel_gap != 0 || where.x_batch_gap != 0 || where.backwards) call.x_layout = x.layout;
  if (where.in_place) {
    call.y_layout = call.x_layout;
  } else if (where.y_channel_gap != 0 || where.y_batch_gap != 0) {
    call.y_layout = y.layout;
  }
  call.mean = mean ? mean->data() : nullptr;
  call.rstd = rstd ? rstd->data() : nullptr;
  call.request = where.request;

  layer_norm_output output;
  output.plan = types.plan(call);
  const auto launch = where.short_call ? types.run_short : types.run;
  REQUIRE(launch != nullptr);
  byte_counter counter(where.count_bytes);
  x.watch(counter);
  if (separate_y) separate_y->watch(counter);
  counter.watch({gamma.get(), beta.get(), mean.get(), rstd.get()});
  require_success(launch(call));
  sync();
  output.issued_bytes = counter.moved();
  output.y = y.rows();
  if (mean) output.mean = mean->values();
  if (rstd) output.rstd = rstd->values();
  if (!where.in_place) REQUIRE(x.memory.unchanged());
  if (gamma) REQUIRE(gamma->unchanged());
  if (beta) REQUIRE(beta->unchanged());
  return output;
}

}  // namespace rowfold_test
