// SPDX-License-Identifier: MIT
// What a row op is asked to do, as a plain value: everything that the plan depends on, and no pointer. Two calls with
// equal problems get equal plans.
#pragma once

#if !defined(__CUDACC_RTC__)

#include <cmath>
#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/row/fold_class.hpp"
#include "rowfold/row/row_layout.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// How an op uses one of its tensors.
enum class operand_kind {
  input,       // [rows, cols], read in every pass over the row
  parameter,   // [cols], or such a vector for each group of rows: read once for each row and pass that applies the map
  output,      // [rows, cols], written once
  statistic,   // [rows], or elements_per_column of them for each row, written once
  row_value,   // [rows], read once
  lane_value,  // [rows], read by each lane of the row
};

// True of tensors with one element a row.
constexpr bool has_one_column(operand_kind kind) {
  return kind == operand_kind::statistic || kind == operand_kind::row_value || kind == operand_kind::lane_value;
}

// One tensor of a problem. A tensor that the caller left out (null) has no operand.
struct operand {
  const char* name = "";  // a string literal: "x", "gamma", ...
  operand_kind kind = operand_kind::input;
  int element_bytes = 0;
  unsigned misalignment = 0;  // address modulo 16
  row_layout layout{};        // resolved; of inputs and outputs, and of parameters that have a vector for each group
  int elements_per_column = 1;
  std::int64_t vectors = 1;     // of a parameter: how many different ones all rows read
  bool spaced_columns = false;  // of a tensor of rows: columns lie `spacing` elements apart (row/spaced_parts.cuh)
  long long spacing = 1;
  bool in_every_pass = false;  // of a parameter: read by the source, so by folds too where rows are not in registers

  friend constexpr bool operator==(const operand& a, const operand& b) {
    return a.kind == b.kind && a.element_bytes == b.element_bytes && a.misalignment == b.misalignment &&
           a.layout == b.layout && a.elements_per_column == b.elements_per_column && a.vectors == b.vectors &&
           a.spaced_columns == b.spaced_columns && a.spacing == b.spacing && a.in_every_pass == b.in_every_pass;
  }
};

// What is wrong with the arguments of a call beside its shape, before any plan is made.
enum class problem_fault { none, bad_eps, bad_option, null_pointer, misaligned_random, too_many_operands, no_columns };

struct row_problem {
  static constexpr int max_operands = 16;

  const char* op = "";  // a string literal: "layer_norm", ...
  std::int64_t rows = 0;
  int cols = 0;
  int granule = 1;                     // columns that a thread loads at a time: a property of the input types
  int accumulate_bytes = 4;            // 4: float, 8: double
  fold_class fold = fold_class::norm;  // softmax if any fold is of that class, else norm; see shape_class
  int fold_passes = 1;                 // folds over the row
  bool maps_in_fold = false;           // the last fold is over what the map makes (row/mapped_stage.cuh)
  int joined_granules = 1;             // neighbouring granules of a row that one warp has, a power of two up to 32
  bool stores_rows = true;             // a pass after them writes rows
  bool loads_first = false;            // each lane also loads the row's first column once a fold
  int picks = 0;                       // single columns of each input that one lane loads besides, at most
  bool has_null_parameter = false;     // one that could be there: see row/map.cuh
  bool spaced_columns = false;         // the source's columns lie apart, and neighbouring rows together
  int widest_output = 0;               // bytes of a column of the widest output that may be null
  bool writes_empty_rows = false;      // rows without columns have results, too
  problem_fault fault = problem_fault::none;
  int operand_count = 0;
  operand operands[max_operands] = {};

  // The problem is refused for the first fault that is found.
  void blame(problem_fault found) {
    if (fault == problem_fault::none) fault = found;
  }

  // A problem with more operands than it can hold has a fault.
  void add(const operand& o) {
    if (operand_count < max_operands) {
      operands[operand_count++] = o;
    } else {
      blame(problem_fault::too_many_operands);
    }
  }

  // How often a row is gone through. One pass: nothing needs to be kept of it.
  constexpr int passes() const { return fold_passes + (stores_rows ? 1 : 0); }
  constexpr bool folds_once() const { return fold_passes == 1 && !stores_rows; }
  constexpr bool folds_nothing() const { return fold_passes == 0; }

  // What decides the fold shape and the kernels.
  constexpr fold_class shape_class() const { return class_of_folds(fold, fold_passes); }

  constexpr int most_elements_per_column() const {
    int most = 1;
    for (int i = 0; i < operand_count; ++i) {
      const operand& o = operands[i];
      if (!has_one_column(o.kind) && o.elements_per_column > most) most = o.elements_per_column;
    }
    return most;
  }

  // Bytes of a granule in all inputs.
  constexpr int granule_bytes() const {
    int bytes = 0;
    for (int i = 0; i < operand_count; ++i) {
      const operand& o = operands[i];
      if (o.kind == operand_kind::input) bytes += granule * o.elements_per_column * o.element_bytes;
    }
    return bytes;
  }

  // A vector of [cols] that may be null.
  template <class T>
  void add_parameter(const char* name, const T* data);

  // A tensor of rows that may be null: then it is not written, but kernels leave room for it.
  template <class T>
  void add_optional_output(const char* name, const T* data, const row_layout& layout);

  // A tensor without which there is nothing to read or write.
  void require(const void* data) {
    if (data == nullptr && rows > 0 && cols > 0) blame(problem_fault::null_pointer);
  }

  // The eps of a norm is finite in the type that it is rounded to, and not negative. accumulate_bytes is known by then.
  void require_eps(double eps) {
    constexpr double infinite_in_float = 0x1.ffffffp127;  // the least number that is rounded to infinity
    if (!std::isfinite(eps) || eps < 0 || (accumulate_bytes == 4 && eps >= infinite_in_float)) {
      blame(problem_fault::bad_eps);
    }
  }

  friend constexpr bool operator==(const row_problem& a, const row_problem& b) {
    bool equal = a.rows == b.rows && a.cols == b.cols && a.granule == b.granule &&
                 a.accumulate_bytes == b.accumulate_bytes && a.fold == b.fold && a.fold_passes == b.fold_passes &&
                 a.maps_in_fold == b.maps_in_fold && a.joined_granules == b.joined_granules &&
                 a.stores_rows == b.stores_rows && a.loads_first == b.loads_first && a.picks == b.picks &&
                 a.has_null_parameter == b.has_null_parameter && a.spaced_columns == b.spaced_columns &&
                 a.widest_output == b.widest_output && a.writes_empty_rows == b.writes_empty_rows &&
                 a.fault == b.fault && a.operand_count == b.operand_count;
    for (int i = 0; equal && i < a.operand_count; ++i) equal = a.operands[i] == b.operands[i];
    const char* p = a.op;
    const char* q = b.op;
    while (equal && *p != '\0' && *p == *q) ++p, ++q;
    return equal && *p == *q;
  }
  friend constexpr bool operator!=(const row_problem& a, const row_problem& b) { return !(a == b); }
};

// The operand of a tensor at `data`.
template <class T>
operand make_operand(const char* name, operand_kind kind, const T* data, const row_layout& layout = {}) {
  operand o;
  o.name = name;
  o.kind = kind;
  o.element_bytes = static_cast<int>(sizeof(T));
  o.misalignment = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data) & 15u);
  o.layout = layout;
  return o;
}

// The same of a tensor whose columns lie `spacing` elements apart.
template <class T>
operand make_spaced_operand(const char* name, operand_kind kind, const T* data, const row_layout& layout,
                            long long spacing) {
  operand o = make_operand(name, kind, data, layout);
  o.spaced_columns = true;
  o.spacing = spacing;
  return o;
}

template <class T>
void row_problem::add_optional_output(const char* name, const T* data, const row_layout& layout) {
  if (static_cast<int>(sizeof(T)) > widest_output) widest_output = static_cast<int>(sizeof(T));
  if (data != nullptr) add(make_operand(name, operand_kind::output, data, layout));
}

// The operand of a parameter vector that the source reads.
template <class T>
operand make_source_parameter(const char* name, const T* data) {
  operand o = make_operand(name, operand_kind::parameter, data);
  o.in_every_pass = true;
  return o;
}

template <class T>
void row_problem::add_parameter(const char* name, const T* data) {
  if (data == nullptr) {
    has_null_parameter = true;
  } else {
    add(make_operand(name, operand_kind::parameter, data));
  }
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

#endif
