// SPDX-License-Identifier: MIT
#include "cross_entropy/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

#include "support/element.hpp"

namespace cross_entropy_test {
namespace {

using namespace rowfold_test;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double bound = 8;

struct row_reference {
  double largest;
  double lse;
  double loss;
};

row_reference reference_of(const cross_entropy_input& in, std::int64_t row) {
  const auto n = static_cast<std::size_t>(in.cols);
  std::vector<double> x(n);
  bool defined = true;
  double largest = -infinity;
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double value = round_to(in.type->x, in.x[static_cast<std::size_t>(row) * n + i]);
    if (in.soft_cap != 0) value = in.soft_cap * std::tanh(value / in.soft_cap);
    defined = defined && !std::isnan(value) && value != infinity;
    largest = std::max(largest, value);
    mean += value / static_cast<double>(n);
    x[i] = value;
  }
  double sum = 0;
  if (largest != -infinity) {
    for (const double value : x) sum += std::exp(value - largest);
  }
  row_reference result{largest, defined ? largest + std::log(sum) : nan_value, nan_value};
  const std::int64_t label = in.labels[static_cast<std::size_t>(row)];
  if (label == in.ignore_index) {
    result.loss = 0;
  } else if (label >= 0 && label < in.cols && defined && largest != -infinity) {
    const double smoothing = in.label_smoothing;
    result.loss = (largest - x[static_cast<std::size_t>(label)]) + std::log(sum);
    if (smoothing != 0) result.loss = (1 - smoothing) * result.loss + smoothing * (result.lse - mean);
    result.loss += in.z_loss * result.lse * result.lse;
  }
  return result;
}

// Distance in units; 0 for equal infinities and for NaN where NaN is due.
double error_of(double value, double expected, double largest) {
  const double magnitude = std::max(
      {1.0, std::isfinite(expected) ? std::abs(expected) : 0.0, std::isfinite(largest) ? std::abs(largest) : 0.0});
  // Beyond the largest float the result is infinite.
  if (expected > std::numeric_limits<float>::max()) expected = infinity;
  return ulp_error<float>(value, expected, magnitude);
}

}  // namespace

void accuracy::add(const accuracy& other) {
  rows += other.rows;
  worst_loss = std::max(worst_loss, other.worst_loss);
  worst_lse = std::max(worst_lse, other.worst_lse);
  if (fault.empty()) fault = other.fault;
}

accuracy compare(const cross_entropy_input& input, const cross_entropy_output& output) {
  accuracy found;
  for (std::int64_t row = 0; row < input.rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    const row_reference expected = reference_of(input, row);
    ++found.rows;
    const bool ignored = input.labels[i] == input.ignore_index;
    const auto judge = [&](const char* what, double value, double wanted, bool exact, double& worst) {
      const double error = exact ? (value == wanted ? 0 : infinity) : error_of(value, wanted, expected.largest);
      worst = std::max(worst, error);
      if (error <= bound || !found.fault.empty()) return;
      std::ostringstream text;
      text.precision(12);
      text << input.type->name << ", " << input.rows << " x " << input.cols << ", row " << row << ", label "
           << input.labels[i] << ": " << what << " is " << value << ", expected " << wanted << " (off by " << error
           << " ulp, largest logit " << expected.largest << ")";
      found.fault = text.str();
    };
    judge("loss", output.loss[i], expected.loss, ignored, found.worst_loss);
    if (!output.lse.empty()) judge("lse", output.lse[i], expected.lse, false, found.worst_lse);
  }
  return found;
}

}  // namespace cross_entropy_test
