// SPDX-License-Identifier: MIT
//
// What the elementwise benchmarks share: two inputs and an output in device memory, the check against float64, and
// vector addition with a tuning of the library's kernel. Host functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rowfold/elementwise.cuh"
#include "rowfold/folds/sum.cuh"
#include "rowfold/launch/elementwise_plan_string.hpp"
#include "support/check_output.cuh"
#include "support/check_rows.hpp"
#include "support/dtype_name.hpp"
#include "support/plan_label.cuh"
#include "support/random_fill.cuh"
#include "support/session.hpp"

namespace rowfold_bench {

constexpr std::size_t spare_elements = 64;  // so that pointers can be shifted

/// a, b and y in device memory, large enough for any type; holds values of one type at a time.
class vector_data {
 public:
  explicit vector_data(std::size_t elements)
      : elements_(elements + spare_elements),
        a_(elements_ * sizeof(float)),
        b_(elements_ * sizeof(float)),
        y_(elements_ * sizeof(float)) {}

  /// Fills a and b with values of type T unless they hold them already.
  template <class T>
  void prepare() {
    if (type_ == dtype_name<T>::text) return;
    fill_normal(a<T>(), elements_, 0.5f, 2.0f, 21);
    fill_normal(b<T>(), elements_, -1.0f, 1.0f, 22);
    type_ = dtype_name<T>::text;
  }

  template <class T>
  T* a() const {
    return a_.as<T>();
  }
  template <class T>
  T* b() const {
    return b_.as<T>();
  }
  template <class T>
  T* y() const {
    return y_.as<T>();
  }

 private:
  std::size_t elements_;
  device_memory a_, b_, y_;
  std::string type_;
};

/// Poisons `count` elements of y, calls `run(stream)`, which must fill them, and compares stretches of them with
/// float64: the first, the last and seeded random ones of 4096. `reference(a, b)` works on one element; `b` may be
/// null. Empty when every element was written and the stretches are right.
template <class X, class Y, class Run, class Reference>
std::string check_elementwise(const X* a, const X* b, Y* y, std::int64_t count, const Run& run,
                              const Reference& reference) {
  poison(y, static_cast<std::size_t>(count));
  run(nullptr);
  require(cudaDeviceSynchronize(), "elementwise");
  const unsigned long long unwritten = count_nan(y, static_cast<std::size_t>(count));
  if (unwritten != 0) return "wrong result: " + std::to_string(unwritten) + " elements unwritten or NaN";
  const int stretch = static_cast<int>(std::min<std::int64_t>(count, 4096));
  const auto check_at = [&](std::int64_t first) {
    return check_rows(
        y + first, 1, stretch, [&](std::int64_t, std::vector<double>& expected, std::vector<double>& scale) {
          const std::vector<double> left = download_row_as_double(a + first, 0, stretch);
          const std::vector<double> right = b != nullptr ? download_row_as_double(b + first, 0, stretch) : left;
          for (std::size_t i = 0; i < left.size(); ++i) {
            expected[i] = reference(left[i], right[i]);
            scale[i] = std::max({std::fabs(expected[i]), std::fabs(left[i]), std::fabs(right[i])});
          }
        });
  };
  const std::string end = check_at(count - stretch);
  if (!end.empty()) return end + " (of the last stretch)";
  for (const std::int64_t part : sample_rows(count / stretch, 16, 20261)) {
    const std::string wrong = check_at(part * stretch);
    if (!wrong.empty()) return wrong + " (of stretch " + std::to_string(part) + ")";
  }
  return {};
}

/// y = a + b with the library's kernel of one tuning.
template <class T, class Tuning = rowfold::elementwise_tuning>
struct vector_add_call {
  const T* a;
  const T* b;
  T* y;
  std::int64_t count;
  bool programmatic = false;

  auto arguments() const {
    rowfold::elementwise_args args{rowfold::inputs(a, b), rowfold::outputs(y), count};
    args.request.programmatic = programmatic;
    return args;
  }
  void enqueue(cudaStream_t stream) const {
    require(rowfold::elementwise<Tuning>(rowfold::sum{}, arguments(), stream), "vector_add");
  }
  std::string plan() const { return rowfold::to_label(rowfold::plan_elementwise<Tuning>(arguments(), this_device())); }
  double bytes() const { return 3.0 * static_cast<double>(sizeof(T)) * static_cast<double>(count); }
  /// Checks `total` elements from a, b and y on, which `run(stream)` must add.
  template <class Run>
  std::string check(std::int64_t total, const Run& run) const {
    return check_elementwise(a, b, y, total, run, [](double left, double right) { return left + right; });
  }

  device_case make() const {
    device_case work;
    work.bytes = bytes();
    work.label = plan();
    work.enqueue = [call = *this](cudaStream_t stream) { call.enqueue(stream); };
    work.check = [call = *this] { return call.check(call.count, [&](cudaStream_t stream) { call.enqueue(stream); }); };
    return work;
  }
};

/// Makes the tensors when the first case that needs them runs.
class lazy_vectors {
 public:
  explicit lazy_vectors(std::size_t elements) : elements_(elements) {}
  template <class T>
  vector_data& get() {
    if (!data_) data_ = std::make_unique<vector_data>(elements_);
    data_->prepare<T>();
    return *data_;
  }

 private:
  std::size_t elements_;
  std::unique_ptr<vector_data> data_;
};

/// "<op>/<dtype>/1/<count>".
template <class T>
std::string vector_name(const std::string& op, std::size_t count) {
  return op + "/" + dtype_name<T>::text + "/1/" + std::to_string(count);
}

}  // namespace rowfold_bench
