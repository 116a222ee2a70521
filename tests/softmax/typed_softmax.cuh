// SPDX-License-Identifier: MIT
// From an untyped call to rowfold::softmax or rowfold::log_softmax: what the run_*.cpp files instantiate for their
// sets.
#pragma once

#include "rowfold/log_softmax.cuh"
#include "rowfold/softmax.cuh"
#include "softmax/softmax_call.hpp"

namespace rowfold_test {

template <class T>
inline constexpr element element_of = element::float32;
template <>
inline constexpr element element_of<double> = element::float64;
template <>
inline constexpr element element_of<__half> = element::float16;
template <>
inline constexpr element element_of<__nv_bfloat16> = element::bfloat16;

// What a Columns type is made of, and how it is filled.
template <class Columns>
struct columns_traits {
  static constexpr bool causal = false;
  static constexpr int length_bytes = 0;
  static Columns make(const softmax_call&) { return {}; }
};
template <>
struct columns_traits<rowfold::causal_columns> {
  static constexpr bool causal = true;
  static constexpr int length_bytes = 0;
  static rowfold::causal_columns make(const softmax_call& call) { return {call.queries, call.offset}; }
};
template <class Length>
struct columns_traits<rowfold::row_lengths<Length>> {
  static constexpr bool causal = false;
  static constexpr int length_bytes = static_cast<int>(sizeof(Length));
  static rowfold::row_lengths<Length> make(const softmax_call& call) {
    return {static_cast<const Length*>(call.lengths)};
  }
};
template <class First, class Second>
struct columns_traits<rowfold::fewer_columns<First, Second>> {
  static constexpr bool causal = columns_traits<First>::causal || columns_traits<Second>::causal;
  static constexpr int length_bytes = columns_traits<First>::length_bytes + columns_traits<Second>::length_bytes;
  static rowfold::fewer_columns<First, Second> make(const softmax_call& call) {
    return {columns_traits<First>::make(call), columns_traits<Second>::make(call)};
  }
};

template <bool Logarithm, class X, class Y = X, class Scale = rowfold::absent, class Mask = rowfold::absent,
          class Columns = rowfold::absent>
struct typed_softmax {
  using arguments = rowfold::softmax_args<X, Y, Scale, Mask, Columns>;
  static constexpr bool scaled = !rowfold::is_same<Scale, rowfold::absent>;
  static constexpr bool masked = !rowfold::is_same<Mask, rowfold::absent>;

  static arguments typed(const softmax_call& call) {
    arguments args;
    args.x = static_cast<const X*>(call.x);
    args.y = static_cast<Y*>(call.y);
    args.mask = static_cast<const Mask*>(call.mask);
    args.rows = call.rows;
    args.cols = call.cols;
    if constexpr (scaled) args.scale = call.scale;
    args.columns = columns_traits<Columns>::make(call);
    args.x_layout = call.x_layout;
    args.y_layout = call.y_layout;
    args.mask_layout = call.mask_layout;
    args.log_sum_exp = static_cast<rowfold::accumulate_t<X>*>(call.log_sum_exp);
    args.masked = call.masked;
    args.request = call.request;
    args.plan = call.plan;
    return args;
  }

  static cudaError_t run(const softmax_call& call) {
    if constexpr (Logarithm) {
      return rowfold::log_softmax(typed(call), call.stream);
    } else {
      return rowfold::softmax(typed(call), call.stream);
    }
  }

  static cudaError_t run_short(const softmax_call& call) {
    const arguments a = typed(call);
    if constexpr (Logarithm) {
      return rowfold::log_softmax(a.x, a.y, a.rows, a.cols, call.stream);
    } else {
      return rowfold::softmax(a.x, a.y, a.rows, a.cols, call.stream);
    }
  }

  static rowfold::row_plan plan(const softmax_call& call) {
    rowfold::device_info device;
    if (rowfold::current_device_info(device) != cudaSuccess) return {};
    if constexpr (Logarithm) {
      return rowfold::plan_log_softmax(typed(call), device);
    } else {
      return rowfold::plan_softmax(typed(call), device);
    }
  }

  static cudaError_t run_plan(const softmax_call& call, const rowfold::row_plan& plan) {
    if constexpr (Logarithm) {
      return rowfold::launch_log_softmax(typed(call), plan, call.stream);
    } else {
      return rowfold::launch_softmax(typed(call), plan, call.stream);
    }
  }

  static constexpr softmax_set functions(const char* name) {
    constexpr bool plain = !scaled && !masked && rowfold::is_same<Columns, rowfold::absent>;
    return {name,
            Logarithm,
            element_of<X>,
            element_of<Y>,
            scaled,
            masked,
            element_of<Mask>,
            columns_traits<Columns>::causal,
            columns_traits<Columns>::length_bytes,
            run,
            plain ? run_short : nullptr,
            plan,
            run_plan};
  }
};

}  // namespace rowfold_test
