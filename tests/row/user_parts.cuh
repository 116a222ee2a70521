// SPDX-License-Identifier: MIT
// Parts of a row op as a user would write them, to test that the engine takes them: a source of two tensors, a third
// stage, maps and a sink. Each is called as the row/ headers say.
#pragma once

#include "rowfold/row/normalize.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"
#include "rowfold/row/stages.cuh"

namespace rowfold_test {

// x + residual, two tensors of one type and layout.
template <class T>
struct residual_source {
  using value_type = float;
  static constexpr int granule = rowfold::granule_of<T>;
  using part = rowfold::packed<T, granule>;
  using inputs = rowfold::granule_list<part, part>;
  struct row_type {
    const T* x;
    const T* residual;
    long long index;
    int cols;
  };

  const T* x;
  const T* residual;
  rowfold::row_layout layout;

  ROWFOLD_DEVICE row_type row(long long row, int cols) const {
    const long long offset = layout.offset(row);
    return {x + offset, residual + offset, row, cols};
  }

  template <int I>
  ROWFOLD_DEVICE const T* input(const row_type& row) const {
    return I == 0 ? row.x : row.residual;
  }

  template <class Position>
  ROWFOLD_DEVICE rowfold::vec<float, granule> unpack(const row_type&, const Position&, const part& packed_x,
                                                     const part& packed_residual) const {
    auto sum = rowfold::widen(packed_x);
    const auto more = rowfold::widen(packed_residual);
    ROWFOLD_UNROLL
    for (int i = 0; i < granule; ++i) sum[i] = rowfold::math::add_rn(sum[i], more[i]);
    return sum;
  }

  ROWFOLD_DEVICE float first(const row_type& row) const {
    return rowfold::math::add_rn(
        rowfold::to_accumulate(rowfold::load_element<rowfold::load_hint::coherent>(row.x)),
        rowfold::to_accumulate(rowfold::load_element<rowfold::load_hint::coherent>(row.residual)));
  }

  void describe(rowfold::row_problem& problem) const {
    problem.require(x);
    problem.require(residual);
    problem.add(rowfold::make_operand("x", rowfold::operand_kind::input, x, layout));
    problem.add(rowfold::make_operand("residual", rowfold::operand_kind::input, residual, layout));
  }
};

// What the third stage hands on.
struct statistics_and_maximum {
  rowfold::normalize_statistics<float> statistics;
  float largest;
};

// The largest |z| of a row, z being its normalised values.
struct normalized_maximum_stage {
  using state_type = float;
  static constexpr bool loads_first = false;

  struct larger {
    ROWFOLD_DEVICE float operator()(float a, float b) const { return a < b ? b : a; }
  };

  template <class Source, class Row>
  ROWFOLD_DEVICE rowfold::normalize_statistics<float> begin(
      const Source&, const Row&, const rowfold::normalize_statistics<float>& statistics) const {
    return statistics;
  }
  ROWFOLD_DEVICE float identity() const { return 0.0f; }
  template <int N, class Position>
  ROWFOLD_DEVICE void add(float& state, const rowfold::vec<float, N>& values, const Position& position,
                          const rowfold::normalize_statistics<float>& statistics) const {
    const auto z = rowfold::normalize_map{}(values, position, statistics);
    position.template for_each_column<N>([&](int i) { state = larger{}(state, z[i] < 0.0f ? -z[i] : z[i]); });
  }
  ROWFOLD_DEVICE larger merge() const { return {}; }
  ROWFOLD_DEVICE statistics_and_maximum finish(float state, const rowfold::normalize_statistics<float>& statistics,
                                               const rowfold::normalize_statistics<float>&) const {
    return {statistics, state};
  }
};

// The library's normalize_map behind the third stage, whose result has one thing more.
struct normalize_by_first_map : rowfold::plain_map<normalize_by_first_map> {
  template <class Values, class Position>
  ROWFOLD_DEVICE Values operator()(const Values& values, const Position& position,
                                   const statistics_and_maximum& result) const {
    return rowfold::normalize_map{}(values, position, result.statistics);
  }
};

struct relu_map : rowfold::plain_map<relu_map> {
  template <int N, class Position, class Result>
  ROWFOLD_DEVICE rowfold::vec<float, N> operator()(rowfold::vec<float, N> values, const Position&,
                                                   const Result&) const {
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) values[i] = values[i] < 0.0f ? 0.0f : values[i];
    return values;
  }
};

struct divide_by_maximum_map : rowfold::plain_map<divide_by_maximum_map> {
  template <int N, class Position>
  ROWFOLD_DEVICE rowfold::vec<float, N> operator()(rowfold::vec<float, N> values, const Position&,
                                                   const statistics_and_maximum& result) const {
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) values[i] = values[i] / result.largest;
    return values;
  }
};

// Keeps the maximum of each row.
struct maximum_sink {
  static constexpr int output_count = 0;
  static constexpr int widest_column = 0;

  float* largest;

  using row_type = long long;
  ROWFOLD_DEVICE row_type row(long long row, int) const { return row; }
  ROWFOLD_DEVICE void finish(const row_type& row, const statistics_and_maximum& result) const {
    rowfold::store_element<rowfold::store_hint::write_back>(largest + row, result.largest);
  }
  void describe(rowfold::row_problem& problem) const {
    problem.add(rowfold::make_operand("largest", rowfold::operand_kind::statistic, largest));
  }
};

}  // namespace rowfold_test
