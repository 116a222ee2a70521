// SPDX-License-Identifier: MIT
// The arguments of LayerNorm over the channels of channels-first tensors and its plan: host values only, so that a .cpp
// file can make a plan that a .cu file launches. layer_norm_channels_first.cuh has the op.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/row/granule_size.hpp"
#include "rowfold/row/parameter_type.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Where the channels of a tensor [batch, channels, spatial] start: element (n, c, s) lies at
// n * batch_stride + c * channel_stride + s. Strides count elements and may be negative.
struct channel_layout {
  static constexpr std::int64_t packed = row_layout::packed;  // stands for the stride of a packed tensor

  std::int64_t channel_stride = packed;  // packed: spatial
  std::int64_t batch_stride = packed;    // packed: channels * channel_stride

  constexpr channel_layout resolved(int channels, std::int64_t spatial) const {
    channel_layout result = *this;
    if (result.channel_stride == packed) result.channel_stride = spatial;
    // Unsigned, since a stride that nothing uses may be anything.
    const auto image = static_cast<std::uint64_t>(channels) * static_cast<std::uint64_t>(result.channel_stride);
    if (result.batch_stride == packed) result.batch_stride = static_cast<std::int64_t>(image);
    if (channels <= 1) result.channel_stride = 0;
    return result;
  }

  // Row n * spatial + s is what lies at (n, s) in all channels. Of a resolved layout.
  constexpr row_layout rows(std::int64_t spatial) const { return row_layout::nested(spatial, 1, batch_stride); }
};

// LayerNorm of each row of `channels` values x[n, :, s]. Pointers are to memory of the device that runs the op.
template <class X, class Gamma = X, class Beta = Gamma, class Y = X>
struct layer_norm_channels_first_args {
  const X* x = nullptr;  // [batch, channels, spatial]
  const Gamma* gamma =
      nullptr;  // [channels], or null: 1. A type `absent` says so when the op is compiled, which is faster
  const Beta* beta = nullptr;  // [channels], or null: 0. The same
  Y* y = nullptr;              // [batch, channels, spatial]; may be x itself (same type and layout)
  std::int64_t batch = 0;
  int channels = 0;
  std::int64_t spatial = 0;  // height * width, say; batch * spatial^2 below 2^63
  double eps = 1e-5;         // finite, not negative; rounded once to float (double if X is double)
  channel_layout x_layout{};
  channel_layout y_layout{};
  accumulate_t<X>* mean = nullptr;  // [batch, spatial], or null: each row's mean
  accumulate_t<X>* rstd = nullptr;  // [batch, spatial], or null: each row's 1 / sqrt(variance + eps)
  plan_request request{};           // but `staged`, which is refused
  row_plan
      plan{};  // a plan made by plan_layer_norm_channels_first for these arguments, or unset: the launcher makes one
};

namespace detail {

// batch * spatial; -1 if one is negative, and more than any memory holds if the product is too large.
constexpr std::int64_t rows_of_images(std::int64_t batch, std::int64_t spatial) {
  if (batch < 0 || spatial < 0) return -1;
  if (spatial != 0 && batch > INT64_MAX / spatial) return INT64_MAX;
  return batch * spatial;
}

}  // namespace detail

// What the op asks for, without its pointers.
template <class X, class Gamma, class Beta, class Y>
row_problem layer_norm_channels_first_problem(const layer_norm_channels_first_args<X, Gamma, Beta, Y>& args) {
  const channel_layout x_layout = args.x_layout.resolved(args.channels, args.spatial);
  const channel_layout y_layout = args.y_layout.resolved(args.channels, args.spatial);
  row_problem problem;
  problem.op = "layer_norm_channels_first";
  problem.rows = detail::rows_of_images(args.batch, args.spatial);
  problem.cols = args.channels;
  problem.granule = granule_of<X>;
  problem.accumulate_bytes = static_cast<int>(sizeof(accumulate_t<X>));
  problem.fold_passes = 2;
  problem.loads_first = true;
  problem.spaced_columns = true;
  problem.add(
      make_spaced_operand("x", operand_kind::input, args.x, x_layout.rows(args.spatial), x_layout.channel_stride));
  if constexpr (!is_same<Gamma, absent>) problem.add_parameter("gamma", args.gamma);
  if constexpr (!is_same<Beta, absent>) problem.add_parameter("beta", args.beta);
  problem.add(
      make_spaced_operand("y", operand_kind::output, args.y, y_layout.rows(args.spatial), y_layout.channel_stride));
  if (args.mean != nullptr) problem.add(make_operand("mean", operand_kind::statistic, args.mean));
  if (args.rstd != nullptr) problem.add(make_operand("rstd", operand_kind::statistic, args.rstd));
  problem.require_eps(args.eps);
  problem.require(args.x);
  problem.require(args.y);
  return problem;
}

// The plan: pure, needs no GPU. The launcher does exactly what it says.
template <class X, class Gamma, class Beta, class Y>
row_plan plan_layer_norm_channels_first(const layer_norm_channels_first_args<X, Gamma, Beta, Y>& args,
                                        const device_info& device) {
  return make_row_plan<true>(layer_norm_channels_first_problem(args), device, args.request);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold
