// SPDX-License-Identifier: MIT
//
// What the benchmarks of softmax and log-softmax share: the reference and the op. Host functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "rowfold/log_softmax.cuh"
#include "rowfold/softmax.cuh"
#include "support/plan_label.cuh"
#include "support/row_cases.cuh"

namespace rowfold_bench {

/// Fills `expected` and `scale` (closeness.hpp) of a row of logits; scale grows with the distance from the largest one,
/// as the op's bound does.
inline void reference_softmax(const std::vector<double>& z, bool logarithm, std::vector<double>& expected,
                              std::vector<double>& scale) {
  const double largest = *std::max_element(z.begin(), z.end());
  double sum = 0;
  for (const double value : z) sum += std::exp(value - largest);
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double distance = z[i] - largest;
    if (logarithm) {
      expected[i] = distance - std::log(sum);
      scale[i] = std::max({std::fabs(expected[i]), std::fabs(largest), 1.0});
    } else {
      expected[i] = std::exp(distance) / sum;
      scale[i] = expected[i] != 0 ? expected[i] * (1 - distance / 8) : std::numeric_limits<float>::min();
    }
  }
}

/// x and y of type T.
template <class T, bool Logarithm>
class softmax_op {
 public:
  softmax_op(row_tensors& tensors, const row_call& call) {
    args_.x = tensors.input<T>(0) + call.offset;
    args_.y = tensors.output<T>(0) + call.offset;
    args_.rows = call.rows;
    args_.cols = call.cols;
    args_.request.programmatic = call.programmatic;
  }

  void enqueue(std::int64_t first_row, cudaStream_t stream) const {
    auto args = args_;
    args.x += first_row * args.cols;
    args.y += first_row * args.cols;
    if constexpr (Logarithm) {
      require(rowfold::log_softmax(args, stream), "log_softmax");
    } else {
      require(rowfold::softmax(args, stream), "softmax");
    }
  }

  std::string plan() const { return plan_label(rowfold::plan_softmax(args_, this_device())); }

  double row_bytes() const { return 2.0 * sizeof(T) * args_.cols; }
  double bytes() const { return static_cast<double>(args_.rows) * row_bytes(); }

  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    return check_output(args_.y, rows, args_.cols, run,
                        [&](std::int64_t row, std::vector<double>& expected, std::vector<double>& scale) {
                          reference_softmax(download_row_as_double(args_.x, row, args_.cols), Logarithm, expected,
                                            scale);
                        });
  }

 private:
  rowfold::softmax_args<T> args_;
};

}  // namespace rowfold_bench
