// SPDX-License-Identifier: MIT
#include "softmax/softmax_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

#include "support/element.hpp"
#include "support/subnormals.hpp"

namespace rowfold_test {
namespace {

// One subnormal step. A build that counts subnormal numbers as zero (-ftz=true) may be off by all of them.
constexpr double float_step = subnormals_are_zero ? 0x1p-126 : 0x1p-149;

template <class Real>
class softmax_comparison {
 public:
  softmax_comparison(const softmax_input& rounded, const softmax_output& output)
      : in_(rounded),
        out_(output),
        set_(*rounded.set),
        unit_(set_.statistic() == element::float64 ? 0x1p-52 : 0x1p-23),
        z_(static_cast<std::size_t>(rounded.cols)) {}

  softmax_accuracy run() {
    for (std::int64_t row = 0; row < in_.rows; ++row) compare_row(row);
    return found_;
  }

 private:
  static constexpr Real infinity = std::numeric_limits<Real>::infinity();

  void compare_row(std::int64_t row) {
    const int visible = in_.visible(row);
    const std::size_t first = static_cast<std::size_t>(row * in_.cols);
    Real largest = -infinity;
    bool has_nan = false;
    for (int col = 0; col < in_.cols; ++col) {
      const std::size_t i = first + static_cast<std::size_t>(col);
      Real z = static_cast<Real>(in_.x[i]) * static_cast<Real>(in_.scale);
      if (set_.masked) z = masked_logit(in_.x[i], in_.mask[i]);
      if (col >= visible) z = -infinity;
      z_[static_cast<std::size_t>(col)] = z;
      has_nan = has_nan || std::isnan(z);
      largest = std::max(largest, z);
    }
    Real sum = 0;
    for (const Real z : z_) sum += z == -infinity ? Real(0) : std::exp(z - largest);
    const bool nothing = !has_nan && largest == -infinity;
    const bool undefined = has_nan || largest == infinity;
    const bool nan_row = undefined || (nothing && in_.masked == rowfold::masked_row::nan);
    const Real log_sum = std::log(sum);
    for (int col = 0; col < in_.cols; ++col) {
      const Real z = z_[static_cast<std::size_t>(col)];
      const double value = out_.y[first + static_cast<std::size_t>(col)];
      ++found_.elements;
      if (nan_row) {
        if (!std::isnan(value)) blame("y of a NaN row", row, col, value, std::nan(""), 0);
      } else if (z == -infinity) {
        const double exact = set_.logarithm ? -std::numeric_limits<double>::infinity() : 0.0;
        if (!(value == exact)) blame("y of -inf", row, col, value, exact, 0);
      } else {
        compare_y(row, col, z, largest, sum, log_sum);
      }
    }
    if (out_.log_sum_exp.empty()) return;
    const double lse = out_.log_sum_exp[static_cast<std::size_t>(row)];
    if (undefined) {
      if (!std::isnan(lse)) blame("log_sum_exp of a NaN row", row, -1, lse, std::nan(""), 0);
    } else if (nothing) {
      if (!(lse == -std::numeric_limits<double>::infinity())) blame("log_sum_exp of nothing", row, -1, lse, 0, 0);
    } else {
      compare_log_sum_exp(row, lse, largest + log_sum, largest);
    }
  }

  // x * scale + mask, rounded once to as many digits as the accumulate type has, whatever its size.
  Real masked_logit(double x, double mask) const {
    if (set_.statistic() == element::float64) {
      const double sum = std::fma(x, in_.scale, mask);
      const bool overflows = std::isinf(sum) && std::isfinite(x) && std::isfinite(mask);
      const double part = overflows ? std::fma(std::ldexp(x, -70), in_.scale, std::ldexp(mask, -70)) : sum;
      return std::ldexp(static_cast<Real>(part), overflows ? 70 : 0);
    }
    const long double exact = static_cast<long double>(x) * in_.scale + mask;
    if (!std::isfinite(exact)) return static_cast<Real>(exact);
    int exponent = 0;
    const long double significand = std::frexp(exact, &exponent);
    return static_cast<Real>(std::ldexp(std::nearbyint(std::ldexp(significand, 24)), exponent - 24));
  }

  double accumulate_ulp(Real size) const { return ulp(set_.statistic(), static_cast<double>(size)); }

  void compare_y(std::int64_t row, int col, Real z, Real largest, Real sum, Real log_sum) {
    const double value = out_.y[static_cast<std::size_t>(row * in_.cols + col)];
    const Real d = z - largest;
    Real expected = 0;
    double bound = 0;
    if (set_.logarithm) {
      expected = d - log_sum;
      bound = 8 * accumulate_ulp(std::max({std::abs(expected), std::abs(largest), Real(1)}));
    } else {
      expected = std::exp(d) / sum;
      const double step = set_.statistic() == element::float64 ? 0x1p-1074 : float_step;
      const double relative = (8 + static_cast<double>(-d)) * unit_;
      bound = step + (expected != 0 ? static_cast<double>(expected) * relative : 0);
    }
    // A logarithm beyond the range of y rounds to -inf.
    const double rounded = round_to(set_.y, static_cast<double>(expected));
    const double error = std::isfinite(value) ? std::abs(static_cast<double>(value - expected))
                         : value == rounded   ? 0.0
                                              : std::numeric_limits<double>::infinity();
    bool good = error <= bound;
    if (bytes_of(set_.y) == 2) {
      const int steps = steps_between(set_.y, value, rounded);
      const bool near_bound = error <= bound + ulp(set_.y, value) / 2;
      good = !std::isnan(value) && (steps <= 1 || near_bound);
      found_.not_nearest += steps != 0;
      // Next to 0 the error of float is more than the last place of y.
      const double unit = ulp(set_.y, value) + 2 * bound;
      if (good && std::isfinite(value)) found_.worst_y = std::max(found_.worst_y, error / unit);
    } else {
      if (expected != 0) found_.worst_y = std::max(found_.worst_y, error / bound);
      if (!set_.logarithm && -d <= 1 && !set_.masked) {
        found_.worst_units = std::max(found_.worst_units, error / static_cast<double>(expected) / unit_);
      }
    }
    if (!good) blame("y", row, col, value, static_cast<double>(expected), error / bound);
  }

  void compare_log_sum_exp(std::int64_t row, double value, Real expected, Real largest) {
    const double size = accumulate_ulp(std::max({std::abs(expected), std::abs(largest), Real(1)}));
    // A logarithm beyond the range of float is infinite.
    const double rounded = round_to(set_.statistic(), static_cast<double>(expected));
    if (std::isinf(rounded)) {
      if (!(value == rounded)) blame("log_sum_exp", row, -1, value, rounded, 0);
      return;
    }
    const double error = std::abs(static_cast<double>(value - expected));
    found_.worst_log_sum_exp = std::max(found_.worst_log_sum_exp, error / size);
    if (!(error <= 8 * size)) {
      blame("log_sum_exp", row, -1, value, static_cast<double>(expected), error / size);
    }
  }

  void blame(const char* what, std::int64_t row, int col, double value, double expected, double error) {
    if (!found_.fault.empty()) return;
    std::ostringstream text;
    text.precision(17);
    text << (set_.logarithm ? "log-softmax of " : "softmax of ") << set_.name << ", " << in_.rows << " x " << in_.cols
         << ", scale " << in_.scale << ": " << what << " in row " << row << ", column " << col << " is " << value
         << ", expected " << expected << " (error of " << error << " bounds or units)";
    found_.fault = text.str();
  }

  const softmax_input& in_;
  const softmax_output& out_;
  const softmax_set& set_;
  double unit_;
  std::vector<Real> z_;
  softmax_accuracy found_;
};

}  // namespace

void softmax_accuracy::add(const softmax_accuracy& other) {
  elements += other.elements;
  worst_y = std::max(worst_y, other.worst_y);
  worst_units = std::max(worst_units, other.worst_units);
  not_nearest += other.not_nearest;
  worst_log_sum_exp = std::max(worst_log_sum_exp, other.worst_log_sum_exp);
  if (fault.empty()) fault = other.fault;
}

softmax_accuracy compare(const softmax_input& input, const softmax_output& output) {
  const softmax_input rounded = input.rounded();
  return input.set->statistic() == element::float64 ? softmax_comparison<long double>(rounded, output).run()
                                                    : softmax_comparison<double>(rounded, output).run();
}

}  // namespace rowfold_test
