// SPDX-License-Identifier: MIT
//
// Row reductions on one GPU, cold, float results (int of arg_max):
//   row_sum, row_max, row_arg_max, row_mean_variance / <dtype>/<rows>/<cols>  about 2^28 elements, the published widths
//   row_sum_offset, row_mean_variance_offset / ...                           x one element past a 16-byte boundary
//   copy/...                                                                 the yardstick again at the end
// The bytes are those of x, read once, and of the results: a copy moves twice as many for the same x. Every case is
// checked against float64 before it is timed. Flags: support/session.hpp, and Google Benchmark's.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rowfold/row_reduce.cuh"
#include "support/plan_label.cuh"
#include "support/row_cases.cuh"

namespace rowfold_bench {
namespace {

namespace statistic = rowfold::statistic;

// The float64 value of each statistic of a row, and the magnitude that its error is measured by.
struct expectation {
  double value, scale;
};
expectation expected_sum(const std::vector<double>& x) {
  expectation e{0, 0};
  for (const double value : x) e = {e.value + value, e.scale + std::fabs(value)};
  return e;
}
expectation expected_mean(const std::vector<double>& x) {
  const expectation sum = expected_sum(x);
  const double n = static_cast<double>(x.size());
  return {sum.value / n, sum.scale / n};
}
expectation expected_variance(const std::vector<double>& x) {
  const double mean = expected_mean(x).value;
  double squares = 0;
  for (const double value : x) squares += (value - mean) * (value - mean);
  const double variance = squares / static_cast<double>(x.size());
  return {variance, variance};
}
expectation expected_max(const std::vector<double>& x) { return {*std::max_element(x.begin(), x.end()), 0}; }
expectation expected_arg_max(const std::vector<double>& x) {
  return {static_cast<double>(std::max_element(x.begin(), x.end()) - x.begin()), 0};
}

// What all the ops have in common: x of type T, and [rows] results in one or two places.
template <class T>
class reduce_op {
 public:
  reduce_op(row_tensors& tensors, const row_call& call)
      : call_(call), x_(tensors.input<T>(0) + call.offset), rows_(static_cast<std::size_t>(call.rows)) {}

  double row_bytes() const { return 1.0 * sizeof(T) * call_.cols; }

 protected:
  // x and one result a row.
  double bytes_with(int results) const { return static_cast<double>(call_.rows) * (row_bytes() + 4.0 * results); }

  // Checks the results of all rows: each was written, and those of sampled rows are right.
  template <class Expect>
  std::string check_floats(const float* out, std::int64_t rows, const Expect& expect) const {
    return check_written(out, rows, 1,
                         [&](std::int64_t row, std::vector<double>& expected, std::vector<double>& scale) {
                           const expectation e = expect(download_row_as_double(x_, row, call_.cols));
                           expected[0] = e.value;
                           scale[0] = e.scale;
                         });
  }

  template <class Statistics>
  auto arguments(std::int64_t first_row, const Statistics& list) const {
    auto args = rowfold::make_row_reduce_args(x_ + first_row * call_.cols, call_.rows, call_.cols, list);
    args.request.programmatic = call_.programmatic;
    return args;
  }

  row_call call_;
  const T* x_;
  std::size_t rows_;
};

template <class T>
class row_sum_op : public reduce_op<T> {
 public:
  row_sum_op(row_tensors& tensors, const row_call& call)
      : reduce_op<T>(tensors, call), out_(tensors.output<float>(0)) {}
  void enqueue(std::int64_t first, cudaStream_t stream) const {
    require(rowfold::row_reduce(args(first), stream), "row_sum");
  }
  std::string plan() const { return plan_label(rowfold::plan_row_reduce(args(0), this_device())); }
  double bytes() const { return this->bytes_with(1); }
  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    poison(out_, static_cast<std::size_t>(rows));
    run(nullptr);
    require(cudaDeviceSynchronize(), "row_sum");
    return this->check_floats(out_, rows, expected_sum);
  }

 private:
  auto args(std::int64_t first) const {
    return this->arguments(first, rowfold::statistics(statistic::sum(out_ + first)));
  }
  float* out_;
};

template <class T>
class row_max_op : public reduce_op<T> {
 public:
  row_max_op(row_tensors& tensors, const row_call& call)
      : reduce_op<T>(tensors, call), out_(tensors.output<float>(0)) {}
  void enqueue(std::int64_t first, cudaStream_t stream) const {
    require(rowfold::row_reduce(args(first), stream), "row_max");
  }
  std::string plan() const { return plan_label(rowfold::plan_row_reduce(args(0), this_device())); }
  double bytes() const { return this->bytes_with(1); }
  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    poison(out_, static_cast<std::size_t>(rows));
    run(nullptr);
    require(cudaDeviceSynchronize(), "row_max");
    return this->check_floats(out_, rows, expected_max);
  }

 private:
  auto args(std::int64_t first) const {
    return this->arguments(first, rowfold::statistics(statistic::max(out_ + first)));
  }
  float* out_;
};

template <class T>
class row_arg_max_op : public reduce_op<T> {
 public:
  row_arg_max_op(row_tensors& tensors, const row_call& call)
      : reduce_op<T>(tensors, call), out_(reinterpret_cast<int*>(tensors.output<float>(0))) {}
  void enqueue(std::int64_t first, cudaStream_t stream) const {
    require(rowfold::row_reduce(args(first), stream), "row_arg_max");
  }
  std::string plan() const { return plan_label(rowfold::plan_row_reduce(args(0), this_device())); }
  double bytes() const { return this->bytes_with(1); }
  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    require(cudaMemset(out_, 0xff, static_cast<std::size_t>(rows) * sizeof(int)), "cudaMemset");
    run(nullptr);
    require(cudaDeviceSynchronize(), "row_arg_max");
    const std::vector<int> found = download_row(out_, 0, static_cast<int>(rows));
    for (const int column : found) {
      if (column < 0 || column >= this->call_.cols) return "wrong result: an index that is no column, or unwritten";
    }
    for (const std::int64_t row : sample_rows(rows, 16, 20261)) {
      const expectation e = expected_arg_max(download_row_as_double(this->x_, row, this->call_.cols));
      if (found[static_cast<std::size_t>(row)] != static_cast<int>(e.value)) {
        return "wrong result: row " + std::to_string(row);
      }
    }
    return {};
  }

 private:
  auto args(std::int64_t first) const {
    return this->arguments(first, rowfold::statistics(statistic::arg_max(out_ + first)));
  }
  int* out_;
};

template <class T>
class row_mean_variance_op : public reduce_op<T> {
 public:
  row_mean_variance_op(row_tensors& tensors, const row_call& call)
      : reduce_op<T>(tensors, call), mean_(tensors.output<float>(0)), variance_(tensors.output<float>(1)) {}
  void enqueue(std::int64_t first, cudaStream_t stream) const {
    require(rowfold::row_reduce(args(first), stream), "row_mean_variance");
  }
  std::string plan() const { return plan_label(rowfold::plan_row_reduce(args(0), this_device())); }
  double bytes() const { return this->bytes_with(2); }
  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    poison(mean_, static_cast<std::size_t>(rows));
    poison(variance_, static_cast<std::size_t>(rows));
    run(nullptr);
    require(cudaDeviceSynchronize(), "row_mean_variance");
    const std::string wrong = this->check_floats(mean_, rows, expected_mean);
    return wrong.empty() ? this->check_floats(variance_, rows, expected_variance) : wrong;
  }

 private:
  auto args(std::int64_t first) const {
    return this->arguments(first,
                           rowfold::statistics(statistic::mean(mean_ + first), statistic::variance(variance_ + first)));
  }
  float* mean_;
  float* variance_;
};

constexpr int offset_widths[] = {256, 1024, 4096, 32768};

template <class T>
void register_type(session& run, row_tensors& tensors) {
  const char* const dtype = dtype_name<T>::text;
  for (const int cols : published_widths) {
    register_large<row_sum_op<T>>(run, tensors, "row_sum", dtype, cols);
    register_large<row_max_op<T>>(run, tensors, "row_max", dtype, cols);
    register_large<row_arg_max_op<T>>(run, tensors, "row_arg_max", dtype, cols);
    register_large<row_mean_variance_op<T>>(run, tensors, "row_mean_variance", dtype, cols);
  }
  for (const int cols : offset_widths) {
    register_large<row_sum_op<T>>(run, tensors, "row_sum_offset", dtype, cols, 1);
    register_large<row_mean_variance_op<T>>(run, tensors, "row_mean_variance_offset", dtype, cols, 1);
  }
}

}  // namespace
}  // namespace rowfold_bench

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  return run_row_benchmarks(argc, argv, [](session& run, row_tensors& tensors) {
    register_type<__nv_bfloat16>(run, tensors);
    register_type<__half>(run, tensors);
    register_type<float>(run, tensors);
  });
}
