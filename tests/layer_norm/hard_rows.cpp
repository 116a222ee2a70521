// SPDX-License-Identifier: MIT
#include "layer_norm/hard_rows.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "support/seed.hpp"
#include "support/subnormals.hpp"

namespace rowfold_test {
namespace {

std::mt19937_64 make_engine(std::uint64_t stream) {
  return std::mt19937_64(seed() * 0x9E3779B97F4A7C15u + stream);  // an odd multiplier: near seeds start far apart
}

double scale_of(const type_set& types, row_kind kind) {
  if (kind == row_kind::tiny) return types.x == element::float16 ? 0x1p-12 : 0x1p-50;
  return types.x == element::float16 ? 1e4 : types.x == element::float64 ? 1e150 : 1e15;
}

std::vector<double> random_normal(int cols, std::uint64_t stream) {
  std::mt19937_64 engine = make_engine(stream);
  std::normal_distribution<double> normal;
  std::vector<double> values(static_cast<std::size_t>(cols));
  for (double& value : values) value = normal(engine);
  return values;
}

// Moves and scales the values so that their mean is 0 and their standard deviation 1: that of few random values may be
// anything.
void standardise(std::vector<double>& x) {
  const double n = static_cast<double>(x.size());
  double sum = 0;
  for (const double value : x) sum += value;
  double squares = 0;
  for (double& value : x) {
    value -= sum / n;
    squares += value * value;
  }
  for (double& value : x) value = squares > 0 ? value / std::sqrt(squares / n) : 0;
}

}  // namespace

const char* name(row_kind kind) {
  static const char* const names[] = {
      "normal", "uniform", "shifted", "shifted down", "outlier first", "outlier middle", "outlier last", "massive last",
      "tiny",   "huge",    "ramp",    "steps",        "denormal",      "constant",       "infinity",     "NaN"};
  return names[static_cast<int>(kind)];
}

std::vector<double> make_row(const type_set& types, row_kind kind, int cols, std::uint64_t stream) {
  std::vector<double> x = random_normal(cols, stream * 64 + static_cast<std::uint64_t>(kind));
  if (cols == 0) return x;
  switch (kind) {
    case row_kind::uniform: {
      std::mt19937_64 engine = make_engine(stream);
      std::uniform_real_distribution<double> uniform(-1.0, 1.0);
      for (double& value : x) value = uniform(engine);
      break;
    }
    case row_kind::shifted:
      standardise(x);
      for (double& value : x) value += 1e4;
      break;
    case row_kind::shifted_down:
      standardise(x);
      for (double& value : x) value = (value - 1e4) * 0x1p-10;
      break;
    case row_kind::outlier_first:
      x.front() = 1e3;
      break;
    case row_kind::outlier_middle:
      x[x.size() / 2] = 1e3;
      break;
    case row_kind::outlier_last:
      x.back() = 1e3;
      break;
    case row_kind::massive_last:
      for (double& value : x) value += 100;
      x.back() = -1e3;
      break;
    case row_kind::tiny:
    case row_kind::huge:
      for (double& value : x) value *= scale_of(types, kind);
      break;
    case row_kind::ramp:
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i) / static_cast<double>(x.size());
      break;
    case row_kind::steps:
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 == 0 ? -1 : 1;
      break;
    case row_kind::denormal:
      for (double& value : x) {
        value *= counts_as_zero_below_normal(types.x) ? 0x1p-80 : 2 * ulp(types.x, 0.0);
      }
      break;
    case row_kind::constant:
      x.assign(x.size(), x.front());
      break;
    case row_kind::with_infinity:
      x[x.size() / 3] = -std::numeric_limits<double>::infinity();
      break;
    case row_kind::with_nan:
      x[x.size() / 2] = std::numeric_limits<double>::quiet_NaN();
      break;
    case row_kind::normal:
    case row_kind::count:
      break;
  }
  return x;
}

layer_norm_input normal_rows(const type_set& types, std::int64_t rows, int cols, std::uint64_t stream) {
  layer_norm_input input;
  input.types = &types;
  input.rows = rows;
  input.cols = cols;
  input.x = random_normal(static_cast<int>(rows) * cols, 3 * stream);
  input.gamma = random_normal(cols, 3 * stream + 1);
  input.beta = random_normal(cols, 3 * stream + 2);
  return input;
}

layer_norm_input all_hard_rows(const type_set& types, int cols, std::uint64_t stream) {
  layer_norm_input input = normal_rows(types, 0, cols, stream);
  input.rows = static_cast<int>(row_kind::count);
  for (int kind = 0; kind < static_cast<int>(row_kind::count); ++kind) {
    const std::vector<double> row = make_row(types, static_cast<row_kind>(kind), cols, stream);
    input.x.insert(input.x.end(), row.begin(), row.end());
  }
  return input;
}

const std::vector<int>& edge_widths() {
  static const std::vector<int> widths = {
      1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,  16,   17,   18,   19,   20,  21, 22,
      23,  24,  25,  26,  27,  28,  29,  30,  31,  32,  33,  40,  47,  48,  49,  63,   64,   65,   80,   96,  97, 100,
      127, 128, 129, 255, 256, 257, 320, 384, 511, 512, 513, 640, 641, 768, 769, 1000, 1023, 1024, 1025, 1283};
  return widths;
}

std::vector<int> dispatch_borders(const type_set& types, int limit) {
  const int granule = types.granule();
  const auto plan_for = [&](int granules) {
    layer_norm_call call;
    alignas(16) static double aligned[2];  // never read: a plan needs addresses only
    call.x = call.y = aligned;
    call.gamma = call.beta = aligned;
    call.rows = 1;
    call.cols = granules * granule;
    return types.plan(call);
  };
  std::vector<int> borders;
  for (int granules = 1; (granules + 1) * granule <= limit; ++granules) {
    const rowfold::row_plan here = plan_for(granules);
    const rowfold::row_plan next = plan_for(granules + 1);
    if (here.variant != next.variant || here.access != next.access || here.shape != next.shape ||
        here.vectors != next.vectors) {
      borders.push_back(granules * granule);
    }
  }
  return borders;
}

}  // namespace rowfold_test
