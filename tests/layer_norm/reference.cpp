// SPDX-License-Identifier: MIT
#include "layer_norm/reference.hpp"
#include "support/element.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

namespace rowfold_test {
namespace {

template <class Real>
struct reference_statistics {
  Real mean, deviation, rstd;
};

// Two passes, each in Real, the second repairing the mean of the first: its error is that of Real's last place, also
// for means far larger than the standard deviation.
template <class Real>
reference_statistics<Real> statistics_of(const double* x, int cols, double eps) {
  const Real n = static_cast<Real>(cols);
  Real sum = 0;
  for (int i = 0; i < cols; ++i) sum += x[i];
  const Real rough_mean = sum / n;
  Real deviations = 0;
  for (int i = 0; i < cols; ++i) deviations += x[i] - rough_mean;
  const Real mean = rough_mean + deviations / n;
  Real squares = 0;
  for (int i = 0; i < cols; ++i) squares += (x[i] - mean) * (x[i] - mean);
  return {mean, std::sqrt(squares / n), 1 / std::sqrt(squares / n + eps)};
}

template <class Real>
Real scale_at(const layer_norm_input& in, int col) {
  return in.gamma.empty() ? 1 : static_cast<Real>(in.gamma[static_cast<std::size_t>(col)]);
}
template <class Real>
Real shift_at(const layer_norm_input& in, int col) {
  return in.beta.empty() ? 0 : static_cast<Real>(in.beta[static_cast<std::size_t>(col)]);
}

// Distance of a result from its reference: 0 for two NaN, else infinite unless both are finite.
template <class Real>
double distance(double value, Real expected) {
  if (std::isnan(value) && std::isnan(expected)) return 0;
  if (!std::isfinite(value)) return std::numeric_limits<double>::infinity();
  return std::abs(static_cast<double>(value - expected));
}

template <class Real>
class comparison {
 public:
  comparison(const layer_norm_input& rounded, const layer_norm_output& output)
      : in_(rounded), out_(output), types_(*rounded.types), bound_(8 * std::max(1.0, rounded.cols / 16384.0)) {}

  accuracy run() {
    for (std::int64_t row = 0; row < in_.rows; ++row) {
      const auto s = statistics_of<Real>(&in_.x[static_cast<std::size_t>(row * in_.cols)], in_.cols, in_.eps);
      for (int col = 0; col < in_.cols; ++col) compare_y(row, col, s);
      if (!out_.mean.empty()) compare_statistics(row, s);
    }
    return found_;
  }

 private:
  void compare_y(std::int64_t row, int col, const reference_statistics<Real>& s) {
    const std::size_t i = static_cast<std::size_t>(row * in_.cols + col);
    const Real scale = scale_at<Real>(in_, col);
    const Real shift = shift_at<Real>(in_, col);
    const Real expected = (static_cast<Real>(in_.x[i]) - s.mean) * s.rstd * scale + shift;
    const double value = out_.y[i];
    const double size = static_cast<double>(std::max({std::abs(expected), std::abs(scale), std::abs(shift)}));
    const double error = distance(value, expected);
    const double error_in_ulp = error / ulp(types_.y, size);
    ++found_.elements;
    bool good = error_in_ulp <= bound_;
    if (bytes_of(types_.y) == 2 && !std::isnan(expected)) {
      const int steps = steps_between(types_.y, value, round_to(types_.y, static_cast<double>(expected)));
      const double sum_error = bound_ * ulp(element::float32, size);
      const bool near_sum = error <= sum_error + ulp(types_.y, value) / 2;
      good = !std::isnan(value) && (steps <= 1 || near_sum);
      found_.not_nearest += steps != 0;
      found_.cancelled += good && steps > 1;
      // A result that rounds to infinity has no distance from the reference.
      if (std::isfinite(value) || !good) found_.worst_y = std::max(found_.worst_y, error_in_ulp);
    } else {
      found_.worst_y = std::max(found_.worst_y, error_in_ulp);
    }
    if (!good) blame("y", row, col, value, static_cast<double>(expected), error_in_ulp);
  }

  void compare_statistics(std::int64_t row, const reference_statistics<Real>& s) {
    const element type = types_.statistic();
    const double mean = out_.mean[static_cast<std::size_t>(row)];
    const double rstd = out_.rstd[static_cast<std::size_t>(row)];
    const double mean_size = static_cast<double>(std::max(std::abs(s.mean), s.deviation));
    const double mean_error = distance(mean, s.mean) / ulp(type, mean_size);
    const double rstd_error = distance(rstd, s.rstd) / ulp(type, static_cast<double>(s.rstd));
    found_.worst_mean = std::max(found_.worst_mean, mean_error);
    found_.worst_rstd = std::max(found_.worst_rstd, rstd_error);
    if (!(mean_error <= bound_)) blame("mean", row, -1, mean, static_cast<double>(s.mean), mean_error);
    if (!(rstd_error <= bound_)) blame("rstd", row, -1, rstd, static_cast<double>(s.rstd), rstd_error);
  }

  void blame(const char* what, std::int64_t row, int col, double value, double expected, double error) {
    if (!found_.fault.empty()) return;
    std::ostringstream text;
    text.precision(17);
    text << types_.name << ", " << in_.rows << " x " << in_.cols << ", eps " << in_.eps << ", gamma "
         << (in_.gamma.empty() ? "null" : "given") << ", beta " << (in_.beta.empty() ? "null" : "given") << ": " << what
         << " of row " << row << ", column " << col << " is " << value << ", expected " << expected << " (off by "
         << error << " ulp)";
    found_.fault = text.str();
  }

  const layer_norm_input& in_;
  const layer_norm_output& out_;
  const type_set& types_;
  double bound_;
  accuracy found_;
};

}  // namespace

void accuracy::add(const accuracy& other) {
  elements += other.elements;
  worst_y = std::max(worst_y, other.worst_y);
  not_nearest += other.not_nearest;
  cancelled += other.cancelled;
  worst_mean = std::max(worst_mean, other.worst_mean);
  worst_rstd = std::max(worst_rstd, other.worst_rstd);
  if (fault.empty()) fault = other.fault;
}

accuracy compare(const layer_norm_input& input, const layer_norm_output& output) {
  const layer_norm_input rounded = input.rounded();
  return input.types->x == element::float64 ? comparison<long double>(rounded, output).run()
                                            : comparison<double>(rounded, output).run();
}

std::vector<double> reference_row(const layer_norm_input& rounded, std::int64_t row) {
  const double* x = &rounded.x[static_cast<std::size_t>(row * rounded.cols)];
  const auto s = statistics_of<double>(x, rounded.cols, rounded.eps);
  std::vector<double> y;
  for (int col = 0; col < rounded.cols; ++col) {
    y.push_back((x[col] - s.mean) * s.rstd * scale_at<double>(rounded, col) + shift_at<double>(rounded, col));
  }
  return y;
}

}  // namespace rowfold_test
