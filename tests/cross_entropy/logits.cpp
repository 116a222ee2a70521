// SPDX-License-Identifier: MIT
// The rows that the tests run on.
#include <cmath>
#include <limits>
#include <random>

#include "cross_entropy/cross_entropy_run.hpp"
#include "support/seed.hpp"

namespace cross_entropy_test {
namespace {

using namespace rowfold_test;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::mt19937_64 make_engine(std::uint64_t stream) {
  return std::mt19937_64(seed() * 0x9E3779B97F4A7C15u + stream);  // an odd multiplier: near seeds start far apart
}

std::vector<double> normal_values(std::size_t count, double deviation, std::uint64_t stream) {
  std::mt19937_64 engine = make_engine(stream);
  std::normal_distribution<double> normal(0.0, deviation);
  std::vector<double> values(count);
  for (double& value : values) value = normal(engine);
  return values;
}

// Places of a single value: the last row of each kind has it in the middle.
enum class kind {
  wide_spread,
  large_mean,
  large_negative_mean,
  constant,
  all_equal_but_first,   // the others together weigh about as much as the first
  all_equal_but_middle,  // the same
  all_equal_but_last,    // the same
  slow_rise,
  steps_up,
  fall,
  dominant_last,
  masked_but_few,
  masked_but_last,
  huge,
  subnormal,
  tiny,
  with_infinity,
  with_nan,
  count
};

double huge_of(element type) { return type == element::float16 ? 6e4 : 3e38; }
double subnormal_of(element type) { return type == element::float16 ? 0x1p-20 : 0x1p-130; }

std::vector<double> make_row(const logit_type& type, kind which, int cols) {
  const auto n = static_cast<std::size_t>(cols);
  std::vector<double> x = normal_values(n, 1, 1000 + static_cast<std::uint64_t>(which));
  const double level = -std::log(static_cast<double>(cols));
  const auto all = [&](double value) { x.assign(n, value); };
  switch (which) {
    case kind::wide_spread:
      for (double& value : x) value *= 20;
      break;
    case kind::large_mean:
      for (double& value : x) value += 1e4;
      break;
    case kind::large_negative_mean:
      for (double& value : x) value -= 1e4;
      break;
    case kind::constant:
      all(0.7);
      break;
    case kind::all_equal_but_first:
      all(level);
      x.front() = 0;
      break;
    case kind::all_equal_but_middle:
      all(level + 0.3);
      x[n / 2] = 0.1;
      break;
    case kind::all_equal_but_last:
      all(level + 1.1);
      x.back() = 0;
      break;
    case kind::slow_rise:
      for (std::size_t i = 0; i < n; ++i) x[i] = 3.0 * static_cast<double>(i) / static_cast<double>(n);
      break;
    case kind::steps_up:
      for (std::size_t i = 0; i < n; ++i) x[i] = 1.5 * std::floor(static_cast<double>(i) / 97);
      break;
    case kind::fall:
      for (std::size_t i = 0; i < n; ++i) x[i] = -0.01 * static_cast<double>(i);
      break;
    case kind::dominant_last:
      x.back() = 60;
      break;
    case kind::masked_but_few:
      for (std::size_t i = 0; i < n; ++i) x[i] = i % 37 == 0 ? x[i] : -infinity;
      break;
    case kind::masked_but_last:
      all(-infinity);
      x.back() = -3;
      break;
    case kind::huge:
      for (std::size_t i = 0; i < n; ++i) x[i] = i % 2 == 0 ? -huge_of(type.x) : huge_of(type.x);
      break;
    case kind::subnormal:
      for (double& value : x) value *= subnormal_of(type.x);
      break;
    case kind::tiny:
      for (double& value : x) value *= 1e-6;
      break;
    case kind::with_infinity:
      x[n / 3] = infinity;
      break;
    case kind::with_nan:
      x[n / 2] = std::numeric_limits<double>::quiet_NaN();
      break;
    case kind::count:
      break;
  }
  return x;
}

}  // namespace

const std::vector<const char*>& hard_logit_names() {
  static const std::vector<const char*> names = {"wide spread",
                                                 "large mean",
                                                 "large negative mean",
                                                 "constant",
                                                 "all equal but first",
                                                 "all equal but middle",
                                                 "all equal but last",
                                                 "slow rise",
                                                 "steps up",
                                                 "fall",
                                                 "dominant last",
                                                 "masked but few",
                                                 "masked but last",
                                                 "huge",
                                                 "subnormal",
                                                 "tiny",
                                                 "infinity",
                                                 "NaN"};
  return names;
}

cross_entropy_input hard_logits(const logit_type& type, int cols) {
  cross_entropy_input input;
  input.type = &type;
  input.cols = cols;
  for (int which = 0; which < static_cast<int>(kind::count); ++which) {
    const std::vector<double> row = make_row(type, static_cast<kind>(which), cols);
    input.x.insert(input.x.end(), row.begin(), row.end());
    // The last column, or one that moves through the row.
    input.labels.push_back(which % 3 == 0 ? (which * 7919) % cols : cols - 1);
    ++input.rows;
  }
  return input;
}

cross_entropy_input normal_logits(const logit_type& type, std::int64_t rows, int cols, std::uint64_t stream,
                                  double deviation) {
  cross_entropy_input input;
  input.type = &type;
  input.rows = rows;
  input.cols = cols;
  input.x = normal_values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols), deviation, 2 * stream);
  std::mt19937_64 engine = make_engine(2 * stream + 1);
  for (std::int64_t row = 0; row < rows; ++row) {
    input.labels.push_back(static_cast<std::int64_t>(engine() % static_cast<unsigned>(cols)));
  }
  return input;
}

}  // namespace cross_entropy_test
