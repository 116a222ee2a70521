// SPDX-License-Identifier: MIT
#include "row_reduce/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

namespace rowfold_test {
namespace {

using real = long double;
using kind = rowfold::statistic_kind;

// The accumulate type's numbers.
struct number_format {
  double unit_roundoff, min_subnormal, max_finite;
};
number_format format_of(element accumulate) {
  return accumulate == element::float64
             ? number_format{0x1p-53, 0x1p-1074, std::numeric_limits<double>::max()}
             : number_format{0x1p-24, 0x1p-149, static_cast<double>(std::numeric_limits<float>::max())};
}

struct row_reference {
  real sum = 0, absolute_sum = 0, mean = 0, squares = 0, deviations = 0, min = 0, max = 0, abs_max = 0, lse = 0;
  double arg_min = 0, arg_max = 0;
  bool any_nonfinite = false;
};

row_reference reference_of(const double* x, int cols) {
  row_reference r;
  r.min = std::numeric_limits<real>::infinity();
  r.max = -r.min;
  int first_nan = -1;
  for (int i = 0; i < cols; ++i) {
    const real v = x[i];
    r.sum += v;
    r.absolute_sum += std::abs(v);
    r.squares += v * v;
    r.any_nonfinite = r.any_nonfinite || !std::isfinite(x[i]);
    if (std::isnan(x[i]) && first_nan < 0) first_nan = i;
    if (v < r.min || i == 0) r.arg_min = i;
    if (v > r.max || i == 0) r.arg_max = i;
    r.min = std::min(r.min, v);
    r.max = std::max(r.max, v);
    r.abs_max = std::max(r.abs_max, std::abs(v));
  }
  r.mean = r.sum / cols;
  // From the first element, so that equal elements have no deviations at all.
  const real first = cols > 0 ? x[0] : 0;
  real shift = 0;
  for (int i = 0; i < cols; ++i) shift += (x[i] - first) / cols;
  for (int i = 0; i < cols; ++i) r.deviations += (x[i] - first - shift) * (x[i] - first - shift);
  real exponentials = 0;
  if (std::isfinite(r.max)) {
    for (int i = 0; i < cols; ++i) exponentials += std::exp(static_cast<real>(x[i]) - r.max);
  }
  r.lse = std::isfinite(r.max) ? r.max + std::log(exponentials) : r.max;
  if (first_nan >= 0) {
    r.min = r.max = r.abs_max = r.lse = std::numeric_limits<real>::quiet_NaN();
    r.arg_min = r.arg_max = first_nan;
  }
  return r;
}

class row_judge {
 public:
  row_judge(const rows_input& input, const row_reduce_result& result, std::int64_t row, reduce_accuracy& found)
      : input_(input), result_(result), row_(row), found_(found), format_(format_of(input.types->accumulate())) {}

  // |found - expected| <= bound + steps; what is beyond the steps, which subnormal numbers round by, is reported in
  // `unit`.
  void within(kind k, real expected, real bound, real steps, real unit) {
    if (result_.of(k).empty()) return;
    const double value = result_.of(k)[static_cast<std::size_t>(row_)];
    const bool may_overflow = std::abs(expected) + bound + steps > static_cast<real>(format_.max_finite);
    bool good = false;
    if (std::isnan(expected)) {
      good = std::isnan(value);
    } else if (std::isinf(value)) {
      good = may_overflow && (value > 0) == (expected > 0);
    } else {
      const real error = std::abs(static_cast<real>(value) - expected);
      good = error <= bound + steps;
      if (unit > 0) {
        double& worst = found_.worst[place_of(k)];
        worst = std::max(worst, static_cast<double>((error - steps) / unit));
      }
    }
    if (!good) fault(k, value, static_cast<double>(expected));
  }

  void exactly(kind k, double expected) {
    if (result_.of(k).empty()) return;
    const double value = result_.of(k)[static_cast<std::size_t>(row_)];
    if (!(value == expected || (std::isnan(value) && std::isnan(expected)))) fault(k, value, expected);
  }

 private:
  void fault(kind k, double value, double expected) {
    if (!found_.fault.empty()) return;
    std::ostringstream text;
    text.precision(17);
    text << input_.types->name << ", " << rowfold::to_text(k) << " of row " << row_ << " of " << input_.cols
         << " columns: " << value << ", expected " << expected;
    found_.fault = text.str();
  }

  const rows_input& input_;
  const row_reduce_result& result_;
  std::int64_t row_;
  reduce_accuracy& found_;
  number_format format_;
};

}  // namespace

void reduce_accuracy::add(const reduce_accuracy& other) {
  rows += other.rows;
  for (std::size_t i = 0; i < statistic_count; ++i) worst[i] = std::max(worst[i], other.worst[i]);
  if (fault.empty()) fault = other.fault;
}

reduce_accuracy compare(const rows_input& input, const row_reduce_result& result) {
  reduce_accuracy found;
  found.rows = input.rows;
  const element accumulate = input.types->accumulate();
  const number_format format = format_of(accumulate);
  const real u = format.unit_roundoff;
  const int lanes = result.plan.shape.lanes;
  const real roundings = std::ceil(std::log2(static_cast<double>(lanes))) + input.cols / static_cast<real>(lanes) + 2;
  std::vector<double> x(static_cast<std::size_t>(input.cols));
  for (std::int64_t row = 0; row < input.rows; ++row) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = round_to(input.types->x, input.x[static_cast<std::size_t>(row) * x.size() + i]);
    }
    const row_reference r = reference_of(x.data(), input.cols);
    row_judge judge(input, result, row, found);
    const real n = input.cols;
    const real size = r.absolute_sum;
    judge.within(kind::sum, r.sum, roundings * u * size, 0, u * size);
    judge.within(kind::l1_norm, r.absolute_sum, roundings * u * size, 0, u * size);
    // A result that is subnormal rounds by up to one step of those.
    judge.within(kind::mean, r.mean, roundings * u * size / n, format.min_subnormal, u * size / n);
    const real norm = std::sqrt(r.squares);
    judge.within(kind::l2_norm, norm, roundings * u * norm, format.min_subnormal, u * norm);
    const real divisor = std::max<real>(n - input.correction, 0);
    const real variance = r.deviations / divisor;
    // A square below the normal numbers rounds to a step of the subnormal ones, and so does the result.
    const real square_steps = n * format.min_subnormal;
    if (divisor == 0 && r.deviations != 0 && r.deviations <= square_steps) {
      // 0 / 0 or infinite, as the squares round
    } else if (divisor == 0) {
      judge.exactly(kind::variance, r.deviations > 0 ? std::numeric_limits<double>::infinity() : std::nan(""));
    } else if (std::isnan(r.deviations)) {
      judge.exactly(kind::variance, std::nan(""));
    } else if (r.deviations < static_cast<real>(format.max_finite)) {
      const bool single = accumulate == element::float32;
      const real relative = (single ? 1e-5L : 1e-5L * 0x1p-29L) * std::max<real>(1, n / 262144);
      const real steps = square_steps / divisor + format.min_subnormal;
      judge.within(kind::variance, variance, relative * variance, steps, u * variance);
    }
    const real scale = std::max<real>({std::abs(r.lse), std::abs(r.max), 1});
    const real ulp_of_lse = std::isfinite(scale) ? static_cast<real>(ulp(accumulate, static_cast<double>(scale))) : 0;
    if (std::isinf(r.lse)) {
      judge.exactly(kind::log_sum_exp, static_cast<double>(r.lse));
    } else {
      judge.within(kind::log_sum_exp, r.lse, 8 * ulp_of_lse, 0, ulp_of_lse);
    }
    judge.exactly(kind::min, static_cast<double>(r.min));
    judge.exactly(kind::max, static_cast<double>(r.max));
    judge.exactly(kind::abs_max, static_cast<double>(r.abs_max));
    judge.exactly(kind::arg_min, r.arg_min);
    judge.exactly(kind::arg_max, r.arg_max);
    judge.exactly(kind::any_nonfinite, r.any_nonfinite ? 1 : 0);
    judge.exactly(kind::all_finite, r.any_nonfinite ? 0 : 1);
  }
  return found;
}

}  // namespace rowfold_test
