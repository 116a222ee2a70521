// SPDX-License-Identifier: MIT
// From an untyped call to rowfold::row_reduce: what each of the run_*.cpp files instantiates for its type.
#pragma once

#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "row_reduce/row_reduce_call.hpp"
#include "rowfold/row_reduce.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"

#if !defined(__CUDACC__)
#include "rowfold/cpu/traffic.hpp"
#endif

namespace rowfold_test {

inline double value_of(int x) { return x; }
inline double value_of(long long x) { return static_cast<double>(x); }
template <class T>
double value_of(T x) {
  return to_double(x);
}

// The memory of one statistic's results: bytes, since there is no vector of bool to copy to.
template <class Out>
class statistic_output {
 public:
  explicit statistic_output(const row_reduce_call& call)
      : memory_(static_cast<std::size_t>(call.rows > 0 ? call.rows : 0) * sizeof(Out), call.out_offset * sizeof(Out)) {
#if !defined(__CUDACC__)
    watch_ = std::make_unique<rowfold::cpu::watched_range>(memory_.data(), memory_.size());
#endif
  }

  Out* data() { return reinterpret_cast<Out*>(memory_.data()); }

  void read_into(row_reduce_result& result, rowfold::statistic_kind kind) {
    REQUIRE(memory_.canaries_intact());
    const std::vector<unsigned char> bytes = memory_.download();
    for (const unsigned char byte : bytes) result.written = result.written || byte != 0xFF;
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(Out)) {
      if constexpr (std::is_same<Out, bool>::value) {
        result.value[place_of(kind)].push_back(bytes[i]);  // which may be no bool where nothing was written
      } else {
        Out value{};
        std::memcpy(&value, &bytes[i], sizeof(Out));
        result.value[place_of(kind)].push_back(value_of(value));
      }
    }
#if !defined(__CUDACC__)
    result.stored_bytes += static_cast<std::int64_t>(watch_->stored_bytes());
#endif
  }

 private:
  buffer<unsigned char> memory_;
#if !defined(__CUDACC__)
  std::unique_ptr<rowfold::cpu::watched_range> watch_;
#endif
};

template <class X>
struct typed_row_reduce {
  using accumulate = rowfold::accumulate_t<X>;

  template <class... Statistics>
  static void run(const row_reduce_call& call, const rowfold::statistic_list<Statistics...>& list,
                  row_reduce_result& result) {
    auto args = rowfold::make_row_reduce_args(static_cast<const X*>(call.x), call.rows, call.cols, list);
    args.x_layout = call.x_layout;
    args.request = call.request;
    args.plan = call.plan;
    rowfold::device_info device;
    require_success(rowfold::current_device_info(device));
    result.plan = rowfold::plan_row_reduce(args, device);
    result.status = rowfold::row_reduce(args);
    sync();
  }

  // Every statistic, each to a type of its own: the accumulate type, that of x, a wider one, integers, bool. The
  // variance only if it is asked for.
  template <bool Variance>
  static row_reduce_result composed(const row_reduce_call& call) {
    namespace statistic = rowfold::statistic;
    using kind = rowfold::statistic_kind;
    statistic_output<accumulate> sum(call), max(call), l1(call), l2(call), lse(call);
    statistic_output<double> mean(call);
    statistic_output<X> min(call), abs_max(call);
    statistic_output<int> arg_min(call), all_finite(call);
    statistic_output<long long> arg_max(call);
    statistic_output<bool> any_nonfinite(call);
    const auto to = [&](kind k, auto& output) {
      return static_cast<int>(place_of(k)) == call.null_output ? nullptr : output.data();
    };
    row_reduce_result result;
    const auto run_with = [&](auto... variance) {
      run(call,
          rowfold::statistics(statistic::sum(to(kind::sum, sum)), statistic::mean(to(kind::mean, mean)),
                              statistic::min(to(kind::min, min)), statistic::max(to(kind::max, max)),
                              statistic::arg_min(to(kind::arg_min, arg_min)),
                              statistic::arg_max(to(kind::arg_max, arg_max)), statistic::l1_norm(to(kind::l1_norm, l1)),
                              statistic::l2_norm(to(kind::l2_norm, l2)), statistic::abs_max(to(kind::abs_max, abs_max)),
                              statistic::log_sum_exp(to(kind::log_sum_exp, lse)),
                              statistic::any_nonfinite(to(kind::any_nonfinite, any_nonfinite)),
                              statistic::all_finite(to(kind::all_finite, all_finite)), variance...),
          result);
    };
    if constexpr (Variance) {
      statistic_output<accumulate> variance(call);
      run_with(statistic::variance(to(kind::variance, variance), call.correction));
      variance.read_into(result, kind::variance);
    } else {
      run_with();
    }
    sum.read_into(result, kind::sum);
    mean.read_into(result, kind::mean);
    min.read_into(result, kind::min);
    max.read_into(result, kind::max);
    arg_min.read_into(result, kind::arg_min);
    arg_max.read_into(result, kind::arg_max);
    l1.read_into(result, kind::l1_norm);
    l2.read_into(result, kind::l2_norm);
    abs_max.read_into(result, kind::abs_max);
    lse.read_into(result, kind::log_sum_exp);
    any_nonfinite.read_into(result, kind::any_nonfinite);
    all_finite.read_into(result, kind::all_finite);
    return result;
  }

  static row_reduce_result mean_variance(const row_reduce_call& call) {
    using kind = rowfold::statistic_kind;
    statistic_output<accumulate> mean(call), variance(call);
    row_reduce_result result;
    run(call,
        rowfold::statistics(rowfold::statistic::mean(mean.data()),
                            rowfold::statistic::variance(variance.data(), call.correction)),
        result);
    mean.read_into(result, kind::mean);
    variance.read_into(result, kind::variance);
    return result;
  }

  // The short call of one statistic, for packed rows.
  template <class Out, class Launch>
  static void short_call(const row_reduce_call& call, row_reduce_result& result, rowfold::statistic_kind kind,
                         const Launch& launch) {
    statistic_output<Out> output(call);
    const cudaError_t status = launch(static_cast<const X*>(call.x), output.data());
    if (result.status == cudaSuccess) result.status = status;
    sync();
    output.read_into(result, kind);
  }

  static row_reduce_result one_by_one(const row_reduce_call& call) {
    using kind = rowfold::statistic_kind;
    const std::int64_t rows = call.rows;
    const int cols = call.cols;
    row_reduce_result r;
    short_call<accumulate>(call, r, kind::sum, [&](auto x, auto out) { return rowfold::row_sum(x, out, rows, cols); });
    short_call<double>(call, r, kind::mean, [&](auto x, auto out) { return rowfold::row_mean(x, out, rows, cols); });
    short_call<accumulate>(call, r, kind::variance, [&](auto x, auto out) {
      return rowfold::row_variance(x, out, rows, cols, call.correction);
    });
    short_call<accumulate>(call, r, kind::l1_norm,
                           [&](auto x, auto out) { return rowfold::row_l1_norm(x, out, rows, cols); });
    short_call<accumulate>(call, r, kind::l2_norm,
                           [&](auto x, auto out) { return rowfold::row_l2_norm(x, out, rows, cols); });
    short_call<X>(call, r, kind::abs_max, [&](auto x, auto out) { return rowfold::row_abs_max(x, out, rows, cols); });
    short_call<accumulate>(call, r, kind::log_sum_exp,
                           [&](auto x, auto out) { return rowfold::row_log_sum_exp(x, out, rows, cols); });
    short_call<bool>(call, r, kind::any_nonfinite,
                     [&](auto x, auto out) { return rowfold::row_any_nonfinite(x, out, rows, cols); });
    short_call<int>(call, r, kind::all_finite,
                    [&](auto x, auto out) { return rowfold::row_all_finite(x, out, rows, cols); });
    if (cols == 0) return r;
    short_call<X>(call, r, kind::min, [&](auto x, auto out) { return rowfold::row_min(x, out, rows, cols); });
    short_call<accumulate>(call, r, kind::max, [&](auto x, auto out) { return rowfold::row_max(x, out, rows, cols); });
    short_call<int>(call, r, kind::arg_min, [&](auto x, auto out) { return rowfold::row_arg_min(x, out, rows, cols); });
    short_call<long long>(call, r, kind::arg_max,
                          [&](auto x, auto out) { return rowfold::row_arg_max(x, out, rows, cols); });
    return r;
  }
};

}  // namespace rowfold_test
