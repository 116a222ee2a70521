// SPDX-License-Identifier: MIT
//
// Cross-entropy forward with int64 labels, loss and log-sum-exp, as an op of support/row_cases.cuh, and the float64
// results of a row. Host functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rowfold/cross_entropy.cuh"
#include "support/plan_label.cuh"
#include "support/row_cases.cuh"

namespace rowfold_bench {

/// What is asked for beside the loss itself.
struct cross_entropy_options {
  double label_smoothing = 0;
  double soft_cap = 0;
};
struct no_options {
  static constexpr cross_entropy_options value{};
};
struct smoothed_labels {
  static constexpr cross_entropy_options value{0.1, 0};
};
struct capped_logits {
  static constexpr cross_entropy_options value{0, 30};
};

/// Labels and results of up to `rows` rows: too small to matter, so each case has its own.
class cross_entropy_vectors {
 public:
  cross_entropy_vectors(std::int64_t rows, int cols)
      : rows_(static_cast<std::size_t>(rows)),
        labels_(rows_ * sizeof(std::int64_t)),
        loss_(rows_ * sizeof(float)),
        lse_(rows_ * sizeof(float)),
        host_labels_(rows_) {
    for (std::size_t row = 0; row < rows_; ++row) {
      host_labels_[row] = static_cast<std::int64_t>(mix_bits(row) % static_cast<std::uint64_t>(cols));
    }
    require(cudaMemcpy(labels_.data(), host_labels_.data(), labels_.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  }

  const std::int64_t* labels() const { return labels_.as<std::int64_t>(); }
  float* loss() const { return loss_.as<float>(); }
  float* lse() const { return lse_.as<float>(); }
  std::int64_t label(std::int64_t row) const { return host_labels_[static_cast<std::size_t>(row)]; }

 private:
  std::size_t rows_;
  device_memory labels_, loss_, lse_;
  std::vector<std::int64_t> host_labels_;
};

/// Logits of type T; the short call where there are no options.
template <class T, class Options = no_options>
class cross_entropy_op {
 public:
  cross_entropy_op(row_tensors& tensors, const row_call& call)
      : call_(call),
        logits_(tensors.input<T>(0) + call.offset),
        vectors_(std::make_shared<cross_entropy_vectors>(static_cast<std::int64_t>(tensors.elements()) / call.cols,
                                                         call.cols)) {}

  void enqueue(std::int64_t first_row, cudaStream_t stream) const {
    require(rowfold::cross_entropy(arguments(first_row), stream), "cross_entropy");
  }

  std::string plan() const { return plan_label(rowfold::plan_cross_entropy(arguments(0), this_device())); }

  double row_bytes() const { return 1.0 * sizeof(T) * call_.cols; }

  /// The logits once; label, loss and log-sum-exp of each row.
  double bytes() const { return static_cast<double>(call_.rows) * (row_bytes() + 16.0); }

  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    poison(vectors_->lse(), static_cast<std::size_t>(rows));
    const auto reference = [this](bool loss) {
      return [this, loss](std::int64_t row, std::vector<double>& expected, std::vector<double>& scale) {
        expect(row, loss, expected[0], scale[0]);
      };
    };
    const std::string fault = check_output(vectors_->loss(), rows, 1, run, reference(true));
    return fault.empty() ? check_written(vectors_->lse(), rows, 1, reference(false)) : fault;
  }

 private:
  rowfold::cross_entropy_args<T> arguments(std::int64_t first_row) const {
    rowfold::cross_entropy_args<T> args;
    args.logits = logits_ + first_row * call_.cols;
    args.labels = vectors_->labels() + first_row;
    args.loss = vectors_->loss() + first_row;
    args.lse = vectors_->lse() + first_row;
    args.rows = call_.rows;
    args.cols = call_.cols;
    args.label_smoothing = Options::value.label_smoothing;
    args.soft_cap = Options::value.soft_cap;
    args.request.programmatic = call_.programmatic;
    return args;
  }

  void expect(std::int64_t row, bool loss, double& expected, double& scale) const {
    std::vector<double> x = download_row_as_double(logits_, row, call_.cols);
    constexpr double cap = Options::value.soft_cap;
    if constexpr (cap != 0) {
      for (double& value : x) value = cap * std::tanh(value / cap);
    }
    const double largest = *std::max_element(x.begin(), x.end());
    double sum = 0;
    double mean = 0;
    for (const double value : x) {
      sum += std::exp(value - largest);
      mean += value / call_.cols;
    }
    const double lse = largest + std::log(sum);
    const double smoothing = Options::value.label_smoothing;
    const double logit = x[static_cast<std::size_t>(vectors_->label(row))];
    expected = loss ? (1 - smoothing) * (lse - logit) + smoothing * (lse - mean) : lse;
    scale = std::max({1.0, std::fabs(largest), std::fabs(expected)});
  }

  row_call call_;
  const T* logits_;
  std::shared_ptr<cross_entropy_vectors> vectors_;
};

}  // namespace rowfold_bench
