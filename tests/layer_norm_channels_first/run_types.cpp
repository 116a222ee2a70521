// SPDX-License-Identifier: MIT
// The kernels of LayerNorm over channels that the tests run.
#include "layer_norm_channels_first/channels_first_run.hpp"
#include "rowfold/layer_norm_channels_first.cuh"

namespace rowfold_test {
namespace {

template <class X, class Parameter, class Y>
struct typed {
  using arguments = rowfold::layer_norm_channels_first_args<X, Parameter, Parameter, Y>;
  using statistic = rowfold::accumulate_t<X>;

  static arguments make(const channels_first_call& call) {
    arguments args;
    args.x = static_cast<const X*>(call.x);
    args.gamma = static_cast<const Parameter*>(call.gamma);
    args.beta = static_cast<const Parameter*>(call.beta);
    args.y = static_cast<Y*>(call.y);
    args.batch = call.batch;
    args.channels = call.channels;
    args.spatial = call.spatial;
    args.eps = call.eps;
    args.x_layout = call.x_layout;
    args.y_layout = call.y_layout;
    args.mean = static_cast<statistic*>(call.mean);
    args.rstd = static_cast<statistic*>(call.rstd);
    args.request = call.request;
    args.plan = call.plan;
    return args;
  }

  static cudaError_t run(const channels_first_call& call) { return rowfold::layer_norm_channels_first(make(call)); }

  static cudaError_t run_short(const channels_first_call& call) {
    const arguments a = make(call);
    // A literal nullptr makes other kernels: double has but one.
    if constexpr (rowfold::is_same<X, double>) {
      if (a.gamma == nullptr && a.beta == nullptr) {
        return rowfold::layer_norm_channels_first(a.x, nullptr, nullptr, a.y, a.batch, a.channels, a.spatial, a.eps);
      }
    }
    return rowfold::layer_norm_channels_first(a.x, a.gamma, a.beta, a.y, a.batch, a.channels, a.spatial, a.eps);
  }

  static rowfold::row_plan plan(const channels_first_call& call) {
    rowfold::device_info device;
    if (rowfold::current_device_info(device) != cudaSuccess) return {};
    return rowfold::plan_layer_norm_channels_first(make(call), device);
  }

  static channels_first_types functions(const type_set& rows) { return {&rows, run, run_short, plan}; }
};

}  // namespace

const std::vector<channels_first_types>& channels_first_type_sets() {
  static const std::vector<channels_first_types> sets = {
    typed<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16>::functions(bfloat16_types),
#if !defined(ROWFOLD_TEST_FEW_TYPES)
    typed<float, float, float>::functions(float_types),
    typed<__half, __half, __half>::functions(half_types),
    typed<__nv_bfloat16, float, float>::functions(bfloat16_to_float_types),
    typed<double, double, double>::functions(double_types),
#endif
  };
  return sets;
}

}  // namespace rowfold_test
