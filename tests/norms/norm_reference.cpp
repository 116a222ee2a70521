// SPDX-License-Identifier: MIT
#include "norms/norm_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "support/check.hpp"
#include "support/element.hpp"

namespace rowfold_test {
namespace {

template <class Real>
struct row_reference {
  Real mean = 0;
  Real deviation = 0;
  Real statistic = 0;  // rstd or norm
  Real factor = 0;     // of x - mean
};

template <class Real>
row_reference<Real> reference_of(const norm_input& in, const double* x) {
  row_reference<Real> r;
  const Real n = in.cols;
  const Real eps = static_cast<Real>(in.eps);
  if (in.set->op == norm_op::ada_layer_norm) {
    for (int i = 0; i < in.cols; ++i) r.mean += static_cast<Real>(x[i]) / n;
    // Once more, for rows of equal values: what the first sum is off would be divided by the root of a tiny eps.
    Real off = 0;
    for (int i = 0; i < in.cols; ++i) off += (static_cast<Real>(x[i]) - r.mean) / n;
    if (std::isfinite(off)) r.mean += off;
  }
  Real squares = 0;
  for (int i = 0; i < in.cols; ++i) {
    const Real d = static_cast<Real>(x[i]) - r.mean;
    squares += d * d;
  }
  r.deviation = std::sqrt(squares / n);
  if (in.set->op == norm_op::l2_normalize) {
    r.statistic = std::sqrt(squares);
    r.factor = 1 / (r.statistic < eps ? eps : r.statistic);
  } else {
    r.statistic = r.factor = 1 / std::sqrt(squares / n + eps);
  }
  return r;
}

// Distance of a result from its reference: 0 for two NaN and for equal infinities.
template <class Real>
double distance(double value, Real expected) {
  if (std::isnan(value) && std::isnan(expected)) return 0;
  if (std::isinf(expected) && value == static_cast<double>(expected)) return 0;
  if (!std::isfinite(value)) return std::numeric_limits<double>::infinity();
  const double off = std::abs(static_cast<double>(value - expected));
  return std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
}

template <class Real>
class comparison {
 public:
  comparison(const norm_input& rounded, const norm_output& output)
      : in_(rounded), out_(output), set_(*rounded.set), bound_(8 * std::max(1.0, rounded.cols / 16384.0)) {}

  norm_accuracy run() {
    for (std::int64_t row = 0; row < in_.rows; ++row) {
      const auto r = reference_of<Real>(in_, &in_.x[static_cast<std::size_t>(row * in_.cols)]);
      for (int col = 0; col < in_.cols; ++col) compare_y(row, col, r);
      const auto i = static_cast<std::size_t>(row);
      if (!out_.statistic.empty() && !(has_lost_squares(r) && is_below_them(out_.statistic[i]))) {
        compare_statistic("statistic", row, out_.statistic[i], r.statistic, r.statistic);
      }
      // The corrected mean of a row with an infinity is a NaN, as its deviations are.
      if (!out_.mean.empty() && !(std::isinf(r.mean) && std::isnan(out_.mean[i]))) {
        compare_statistic("mean", row, out_.mean[i], r.mean, std::max(std::abs(r.mean), r.deviation));
      }
    }
    return found_;
  }

 private:
  // Where squares are no normal numbers on average, nothing is promised of a norm but that it is about as small.
  double smallest_root() const { return set_.x == element::float64 ? 0x1p-511 : 0x1p-63; }
  bool has_lost_squares(const row_reference<Real>& r) const {
    return set_.op == norm_op::l2_normalize && static_cast<double>(r.deviation) < smallest_root();
  }
  bool is_below_them(double norm) const { return norm >= 0 && norm <= 2 * smallest_root() * std::sqrt(in_.cols); }

  Real parameter(const std::vector<double>& values, std::int64_t row, int col, double none) const {
    if (values.empty()) return static_cast<Real>(none);
    return static_cast<Real>(values[static_cast<std::size_t>(in_.group_of(row) * in_.cols + col)]);
  }

  struct verdict {
    Real expected;
    double error;  // in ulp
    int steps;     // 16-bit y: from the correctly rounded value
    bool good;
  };

  verdict judge(double value, Real normalised, Real weight, Real shift) const {
    verdict v{};
    v.expected = normalised * weight + shift;
    Real size = std::abs(v.expected);
    if (set_.has_parameters()) size = std::max({size, std::abs(weight), std::abs(shift)});
    const double off = distance(value, v.expected);
    v.error = off == 0 ? 0 : off / ulp(set_.y, static_cast<double>(size));
    v.good = v.error <= bound_;
    if (bytes_of(set_.y) == 2 && off != 0) {
      const double sum_error = bound_ * ulp(element::float32, static_cast<double>(size));
      v.steps = std::isnan(value) ? 2 : steps_between(set_.y, value, round_to(set_.y, static_cast<double>(v.expected)));
      v.good = !std::isnan(value) && (v.steps <= 1 || off <= sum_error + ulp(set_.y, value) / 2);
      // A result that rounds to infinity has no distance from the reference.
      if (v.good && std::isinf(value)) v.error = 0;
    }
    return v;
  }

  void compare_y(std::int64_t row, int col, const row_reference<Real>& r) {
    const std::size_t i = static_cast<std::size_t>(row * in_.cols + col);
    Real weight = parameter(in_.first, row, col, set_.modulates() ? 0 : 1);
    if (set_.modulates()) weight += 1;
    if (!set_.modulates() && !in_.first.empty()) weight += static_cast<Real>(in_.weight_offset);
    const Real shift = parameter(in_.second, row, col, 0);
    const Real normalised = (static_cast<Real>(in_.x[i]) - r.mean) * r.factor;
    verdict v{};
    if (set_.rounds_first) {
      for (const double side : {-1.0, 1.0}) {
        const double near = static_cast<double>(normalised) * (1 + side * bound_ * 0x1p-24);
        const verdict other = judge(out_.y[i], static_cast<Real>(round_to(set_.x, near)), weight, shift);
        if (side < 0 || (other.good && !v.good) || (other.good == v.good && other.error < v.error)) v = other;
      }
    } else {
      v = judge(out_.y[i], normalised, weight, shift);
    }
    ++found_.elements;
    found_.not_nearest += v.steps != 0;
    found_.worst_y = std::max(found_.worst_y, v.error);
    if (!v.good) blame("y", row, col, out_.y[i], static_cast<double>(v.expected), v.error);
  }

  void compare_statistic(const char* what, std::int64_t row, double value, Real expected, Real size) {
    const double off = distance(value, expected);
    const double error = off == 0 ? 0 : off / ulp(set_.statistic(), static_cast<double>(size));
    found_.worst_statistic = std::max(found_.worst_statistic, error);
    if (!(error <= bound_)) blame(what, row, -1, value, static_cast<double>(expected), error);
  }

  void blame(const char* what, std::int64_t row, int col, double value, double expected, double error) {
    if (!found_.fault.empty()) return;
    std::ostringstream text;
    text.precision(17);
    text << set_.name << ", " << in_.rows << " x " << in_.cols << ", eps " << in_.eps << ", first parameter "
         << (in_.first.empty() ? "null" : "given") << ", second " << (in_.second.empty() ? "null" : "given") << ": "
         << what << " of row " << row << ", column " << col << " is " << value << ", expected " << expected
         << " (off by " << error << " ulp)";
    found_.fault = text.str();
  }

  const norm_input& in_;
  const norm_output& out_;
  const norm_set& set_;
  double bound_;
  norm_accuracy found_;
};

}  // namespace

void norm_accuracy::add(const norm_accuracy& other) {
  elements += other.elements;
  worst_y = std::max(worst_y, other.worst_y);
  not_nearest += other.not_nearest;
  worst_statistic = std::max(worst_statistic, other.worst_statistic);
  if (fault.empty()) fault = other.fault;
}

norm_accuracy compare(const norm_input& input, const norm_output& output) {
  const norm_input rounded = input.rounded();
  return input.set->x == element::float64 ? comparison<long double>(rounded, output).run()
                                          : comparison<double>(rounded, output).run();
}

}  // namespace rowfold_test
