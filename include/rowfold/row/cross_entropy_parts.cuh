// SPDX-License-Identifier: MIT
// The parts of cross-entropy: a source of logits that may be soft-capped, one stage that folds the sum of exp(logit)
// and, where labels are smoothed, the mean logit, and a sink that makes of them and of the label's logit one loss for
// each row. row/row_kernel.cuh says which threads call what.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/folds/exp_sum.cuh"
#include "rowfold/folds/sum.cuh"
#include "rowfold/memory/granule.cuh"
#include "rowfold/numeric/bits.cuh"
#include "rowfold/numeric/log.cuh"
#include "rowfold/numeric/logistic.cuh"
#include "rowfold/ptx/global_memory.cuh"
#include "rowfold/row/source.cuh"
#include "rowfold/row/stages.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Logits, cap * tanh(x / cap) of each where cap is not 0.
template <class T>
struct capped_source : plain_source<T> {
  using value_type = accumulate_t<T>;

  value_type cap;
  value_type inverse_cap;

  ROWFOLD_DEVICE value_type capped(value_type x) const {
    return cap == value_type(0) ? x : math::mul_rn(cap, math::tanh(math::mul_rn(x, inverse_cap)));
  }
  template <class Row, class Position, int N>
  ROWFOLD_DEVICE vec<value_type, N> unpack(const Row&, const Position&, const packed<T, N>& x) const {
    vec<value_type, N> values = widen(x);
    if (cap != value_type(0)) {
      ROWFOLD_UNROLL
      for (int i = 0; i < N; ++i) values[i] = capped(values[i]);
    }
    return values;
  }
};

namespace detail {

// What a source makes of one element.
template <class T>
ROWFOLD_DEVICE accumulate_t<T> value_of(const plain_source<T>&, T element) {
  return to_accumulate(element);
}
template <class T>
ROWFOLD_DEVICE accumulate_t<T> value_of(const capped_source<T>& source, T element) {
  return source.capped(to_accumulate(element));
}

// Places of labels that name no column.
inline constexpr int ignored_label = -1;
inline constexpr int bad_label = -2;

}  // namespace detail

// A label for each row: int32 or int64, the same code for both.
struct label_list {
  const void* data;  // [rows]
  bool is_wide;      // int64
  long long ignored;

  // Has the label of row `row` brought near, so that `column` does not wait for it long.
  ROWFOLD_DEVICE void prefetch(long long row) const {
    prefetch_global(static_cast<const unsigned char*>(data) + row * (is_wide ? 8 : 4));
  }

  // The column that row `row` of `cols` columns is labelled with, ignored_label or bad_label.
  ROWFOLD_DEVICE int column(long long row, int cols) const {
    const long long label = is_wide ? load_element<load_hint::read_only>(static_cast<const long long*>(data) + row)
                                    : load_element<load_hint::read_only>(static_cast<const int*>(data) + row);
    if (label == ignored) return detail::ignored_label;
    return 0 <= label && label < cols ? static_cast<int>(label) : detail::bad_label;
  }
};

// What the stage below finds out about a row: the sum of exp(x) is exp(base) * sum.
template <class Accumulate>
struct cross_entropy_statistics {
  Accumulate base;
  Accumulate sum;
  Accumulate mean;  // of the logits; 0 unless labels are smoothed
};

// Folds logits. Smooth: their mean, too, as the sum of x / cols, which overflows only if the mean does.
template <class Accumulate, bool Smooth>
struct cross_entropy_stage {
  static constexpr bool loads_first = false;
  static constexpr int more_registers = Smooth ? 8 : 0;  // of soft-capped logits, too

  struct state_type {
    exp_sum<Accumulate> exps;
    Accumulate mean;
  };

  label_list labels;
  Accumulate inverse_cols;  // 1 / cols

  template <class Source, class Row>
  ROWFOLD_DEVICE no_result begin(const Source&, const Row& row, no_result) const {
    if (row.cols > 0) labels.prefetch(row.index);
    return {};
  }
  ROWFOLD_DEVICE state_type identity() const { return {no_exp_sum<Accumulate>(), Accumulate(0)}; }

  template <int N, class Position>
  ROWFOLD_DEVICE void add(state_type& state, const vec<Accumulate, N>& x, const Position& position, no_result) const {
    vec<Accumulate, N> logits = x;
    if constexpr (Position::access == granule_access::any) {
      const int valid = position.cols - position.column;
      ROWFOLD_UNROLL
      for (int i = 0; i < N; ++i) logits[i] = i < valid ? x[i] : -limits<Accumulate>::infinity;
    } else {
      if (!position.exists()) return;
    }
    add_exp(state.exps, logits);
    if constexpr (Smooth) {
      Accumulate part = Accumulate(0);
      position.template for_each_column<N>([&](int i) { part = math::fma_rn(x[i], inverse_cols, part); });
      state.mean = math::add_rn(state.mean, part);
    }
  }

  template <class Group>
  ROWFOLD_DEVICE state_type all_reduce(Group& group, const state_type& state) const {
    const exp_sum<Accumulate> exps = all_reduce_exp_sum(group, state.exps);
    return {exps, Smooth ? group.all_reduce(state.mean, sum{}) : Accumulate(0)};
  }

  ROWFOLD_DEVICE cross_entropy_statistics<Accumulate> finish(const state_type& state, no_result, no_result) const {
    return {state.exps.base, state.exps.sum, state.mean};
  }
};

// Stores a row's loss and, unless null, its log-sum-exp:
//   lse  = log(sum of exp(x))
//   loss = (1 - smoothing) * (lse - x[label]) + smoothing * (lse - mean(x)) + z_loss * lse^2
template <class Source>
struct cross_entropy_sink {
  using value_type = typename Source::value_type;
  static constexpr int output_count = 0;
  static constexpr int widest_column = 0;
  static constexpr bool finishes_empty_rows = true;

  Source source;
  label_list labels;
  float* loss;  // [rows]
  float* lse;   // [rows] or null
  value_type smoothing;
  value_type kept;  // 1 - smoothing
  value_type z_loss;

  using row_type = typename Source::row_type;
  ROWFOLD_DEVICE row_type row(long long row, int cols) const { return source.row(row, cols); }

  ROWFOLD_DEVICE void finish(const row_type& row, const cross_entropy_statistics<value_type>& s) const {
    const int label = labels.column(row.index, row.cols);
    const value_type log_sum = math::log(s.sum);
    const value_type row_lse = math::add_rn(s.base, log_sum);
    if (lse != nullptr) store_element<store_hint::write_back>(lse + row.index, convert<float>(row_lse));
    value_type value = label == detail::bad_label ? math::canonical_nan<value_type>() : value_type(0);
    if (label >= 0) {
      const auto* const logits = source.template input<0>(row);
      const value_type logit = detail::value_of(source, load_element<load_hint::coherent>(logits + label));
      // base - logit first: where both are large, their difference is all that counts.
      value = math::add_rn(math::sub_rn(s.base, logit), log_sum);
      if (smoothing != value_type(0)) {
        const value_type even = math::add_rn(math::sub_rn(s.base, s.mean), log_sum);
        value = math::fma_rn(smoothing, even, math::mul_rn(kept, value));
      }
      if (z_loss != value_type(0)) value = math::fma_rn(z_loss, math::mul_rn(row_lse, row_lse), value);
    }
    store_element<store_hint::write_back>(loss + row.index, convert<float>(value));
  }
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
