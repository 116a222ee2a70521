// SPDX-License-Identifier: MIT
// From an untyped call to the quantising ops: what each of the run_*.cpp files instantiates for its types.
#pragma once

#include "quantize/types.hpp"
#include "rowfold/add_rms_norm_quantize.cuh"
#include "rowfold/quantize.cuh"
#include "rowfold/rms_norm_quantize.cuh"
#include "rowfold/swiglu_quantize.cuh"

namespace rowfold_test {
namespace quantize {

template <class Q>
constexpr code code_type() {
  return rowfold::is_same<Q, __nv_fp8_e4m3> ? code::e4m3 : rowfold::is_same<Q, __nv_fp8_e5m2> ? code::e5m2 : code::int8;
}

// What the arguments of all ops have.
template <class Arguments, class X, class Q, quantize_scale Mode>
Arguments common_arguments(const call& c) {
  Arguments args;
  args.x = static_cast<const X*>(c.x);
  args.q = static_cast<Q*>(c.q);
  args.scale = static_cast<rowfold::scale_pointer<Mode>>(c.scale);
  args.rows = c.rows;
  args.cols = c.cols;
  args.x_layout = c.x_layout;
  args.q_layout = c.q_layout;
  args.scale_row_stride = c.scale_row_stride;
  args.scale_group_stride = c.scale_group_stride;
  args.power_of_two = c.power_of_two;
  args.request = c.request;
  args.plan = c.plan;
  return args;
}

inline rowfold::device_info this_device() {
  rowfold::device_info device;
  if (rowfold::current_device_info(device) != cudaSuccess) return {};
  return device;
}

template <class X, class Q, quantize_scale Mode>
struct typed_quantize {
  using arguments = rowfold::quantize_args<X, Q, Mode>;
  static arguments typed(const call& c) { return common_arguments<arguments, X, Q, Mode>(c); }

  static cudaError_t run(const call& c) { return rowfold::quantize(typed(c), c.stream); }
  static cudaError_t run_short(const call& c) {
    const arguments a = typed(c);
    return rowfold::quantize<Mode>(a.x, a.q, a.scale, a.rows, a.cols, c.stream);
  }
  static rowfold::row_plan plan(const call& c) { return rowfold::plan_quantize(typed(c), this_device()); }
  static cudaError_t run_plan(const call& c, const rowfold::row_plan& plan) {
    return rowfold::launch_quantize(typed(c), plan, c.stream);
  }

  static op_types functions(const char* name, element x) {
    return {name, before::nothing, Mode, code_type<Q>(), x, x, x, x, run, run_short, plan, run_plan};
  }
};

// y is of float, so that what is quantised is seen as it is. The short call, which has no y, has kernels of its own.
template <class X, class Q, quantize_scale Mode, class Gamma>
struct typed_rms_norm_quantize {
  using arguments = rowfold::rms_norm_quantize_args<X, Q, Mode, Gamma, rowfold::absent, float>;
  static arguments typed(const call& c) {
    arguments args = common_arguments<arguments, X, Q, Mode>(c);
    args.gamma = static_cast<const Gamma*>(c.gamma);
    args.y = static_cast<float*>(c.y);
    args.eps = c.eps;
    args.y_layout = c.y_layout;
    args.rstd = static_cast<float*>(c.rstd);
    return args;
  }

  static cudaError_t run(const call& c) { return rowfold::rms_norm_quantize(typed(c), c.stream); }
  static cudaError_t run_short(const call& c) {
    const arguments a = typed(c);
    return rowfold::rms_norm_quantize<Mode>(a.x, a.gamma, a.q, a.scale, a.rows, a.cols, a.eps, c.stream);
  }
  static rowfold::row_plan plan(const call& c) { return rowfold::plan_rms_norm_quantize(typed(c), this_device()); }
  static cudaError_t run_plan(const call& c, const rowfold::row_plan& plan) {
    return rowfold::launch_rms_norm_quantize(typed(c), plan, c.stream);
  }

  static op_types functions(const char* name, element x, element gamma) {
    return {name, before::rms_norm, Mode, code_type<Q>(), x, x, gamma, x, run, nullptr, plan, run_plan};
  }
};

template <class X, class Residual, class Q, quantize_scale Mode, class Gamma>
struct typed_add_rms_norm_quantize {
  using arguments = rowfold::add_rms_norm_quantize_args<X, Q, Mode, Residual, Gamma, rowfold::absent, float>;
  static arguments typed(const call& c) {
    arguments args = common_arguments<arguments, X, Q, Mode>(c);
    args.residual = static_cast<const Residual*>(c.residual);
    args.gamma = static_cast<const Gamma*>(c.gamma);
    args.y = static_cast<float*>(c.y);
    args.sum = static_cast<Residual*>(c.sum);
    args.eps = c.eps;
    args.residual_layout = c.residual_layout;
    args.y_layout = c.y_layout;
    args.sum_layout = c.sum_layout;
    args.rstd = static_cast<float*>(c.rstd);
    return args;
  }

  static cudaError_t run(const call& c) { return rowfold::add_rms_norm_quantize(typed(c), c.stream); }
  static cudaError_t run_short(const call& c) {
    const arguments a = typed(c);
    return rowfold::add_rms_norm_quantize<Mode>(a.x, a.residual, a.gamma, a.q, a.scale, a.sum, a.rows, a.cols, a.eps,
                                                c.stream);
  }
  static rowfold::row_plan plan(const call& c) { return rowfold::plan_add_rms_norm_quantize(typed(c), this_device()); }
  static cudaError_t run_plan(const call& c, const rowfold::row_plan& plan) {
    return rowfold::launch_add_rms_norm_quantize(typed(c), plan, c.stream);
  }

  static op_types functions(const char* name, element x, element residual, element gamma) {
    return {name,    before::add_rms_norm, Mode, code_type<Q>(), x, residual, gamma, residual, run, nullptr, plan,
            run_plan};
  }
};

template <class Gate, class Value, class Q, quantize_scale Mode>
struct typed_swiglu_quantize {
  using arguments = rowfold::gated_quantize_args<Gate, Q, Mode, Value, float>;
  static arguments typed(const call& c) {
    arguments args;
    args.gate = static_cast<const Gate*>(c.x);
    args.value = static_cast<const Value*>(c.residual);
    args.q = static_cast<Q*>(c.q);
    args.scale = static_cast<rowfold::scale_pointer<Mode>>(c.scale);
    args.y = static_cast<float*>(c.y);
    args.rows = c.rows;
    args.cols = c.cols;
    args.gate_layout = c.x_layout;
    args.value_layout = c.residual_layout;
    args.q_layout = c.q_layout;
    args.y_layout = c.y_layout;
    args.scale_row_stride = c.scale_row_stride;
    args.scale_group_stride = c.scale_group_stride;
    args.power_of_two = c.power_of_two;
    args.request = c.request;
    args.plan = c.plan;
    return args;
  }

  static cudaError_t run(const call& c) { return rowfold::swiglu_quantize(typed(c), c.stream); }
  static cudaError_t run_short(const call& c) {
    const arguments a = typed(c);
    return rowfold::swiglu_quantize<Mode>(a.gate, a.value, a.q, a.scale, a.rows, a.cols, c.stream);
  }
  static rowfold::row_plan plan(const call& c) { return rowfold::plan_gated_quantize(typed(c), this_device()); }
  static cudaError_t run_plan(const call& c, const rowfold::row_plan& plan) {
    return rowfold::launch_gated_quantize(rowfold::silu{}, typed(c), plan, c.stream);
  }

  static op_types functions(const char* name, element gate, element value) {
    return {name, before::swiglu, Mode, code_type<Q>(), gate, value, gate, value, run, nullptr, plan, run_plan};
  }
};

}  // namespace quantize
}  // namespace rowfold_test
