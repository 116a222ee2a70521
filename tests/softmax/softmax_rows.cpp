// SPDX-License-Identifier: MIT
#include "softmax/softmax_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/element.hpp"
#include "support/seed.hpp"

namespace rowfold_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double largest_of(element type) {
  return type == element::float16    ? 65504
         : type == element::bfloat16 ? 0x1.fep127
         : type == element::float32  ? 0x1.fffffep127
                                     : std::numeric_limits<double>::max();
}

double smallest_subnormal_of(element type) {
  return type == element::float16    ? 0x1p-24
         : type == element::bfloat16 ? 0x1p-133
         : type == element::float32  ? 0x1p-149
                                     : 0x1p-1074;
}

}  // namespace

std::vector<double> make_logits(const softmax_set& set, logit_kind kind, int cols, double scale, std::uint64_t stream) {
  std::mt19937_64 engine(seed() * 1000003 + stream * 97 + static_cast<std::uint64_t>(cols));
  std::normal_distribution<double> normal;
  std::vector<double> x(static_cast<std::size_t>(cols));
  const double largest = largest_of(set.x);
  const double divisor = scale == 0 ? 1 : scale;
  const std::size_t chosen = static_cast<std::size_t>(engine() % static_cast<unsigned>(cols));
  const bool absolute = kind == logit_kind::huge || kind == logit_kind::opposite || kind == logit_kind::denormal;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double z = 0;
    switch (kind) {
      case logit_kind::normal:
      case logit_kind::infinite:
      case logit_kind::with_nan:
      case logit_kind::count:
        z = normal(engine);
        break;
      case logit_kind::sharp:
        z = 30 * normal(engine);
        break;
      case logit_kind::far:
        z = (set.x == element::float16 ? 100 : 1e4) + normal(engine);
        break;
      case logit_kind::constant:
        z = 0.7;
        break;
      case logit_kind::two_levels:
        z = i == chosen ? 0 : -1.1;
        break;
      case logit_kind::ramp:
        z = -110.0 * static_cast<double>(i) / static_cast<double>(x.size());
        break;
      case logit_kind::hidden:
        z = engine() % 2 == 0 && i != chosen ? -infinity * divisor : 30 * normal(engine);
        break;
      case logit_kind::one_finite:
        z = i == chosen ? 3 : -infinity * divisor;
        break;
      case logit_kind::huge:
        z = largest / 3 * std::tanh(normal(engine));
        break;
      case logit_kind::opposite:
        z = engine() % 2 == 0 ? largest : -largest;
        break;
      case logit_kind::tiny:
        z = 1e-6 * normal(engine);
        break;
      case logit_kind::denormal:
        z = smallest_subnormal_of(set.x) * std::round(3 * normal(engine));
        break;
    }
    const double value = absolute || std::isinf(z) ? z : z / divisor;
    x[i] = std::isinf(value) ? -infinity : std::clamp(value, -largest, largest);
  }
  if (kind == logit_kind::infinite) x[chosen] = infinity;
  if (kind == logit_kind::with_nan) x[chosen] = std::numeric_limits<double>::quiet_NaN();
  return x;
}

void make_options(softmax_input& input, std::mt19937_64& engine) {
  const softmax_set& set = *input.set;
  if (set.masked) {
    std::normal_distribution<double> normal;
    input.mask.clear();
    for (std::int64_t i = 0; i < input.rows * input.cols; ++i) {
      const unsigned kind = static_cast<unsigned>(engine() % 8);
      input.mask.push_back(kind == 0 ? -infinity : kind == 1 ? -1e4 : kind < 4 ? 0.0 : 3 * normal(engine));
    }
  }
  if (set.length_bytes != 0) {
    input.lengths.clear();
    for (std::int64_t row = 0; row < input.rows; ++row) {
      const bool all = engine() % 3 == 0;
      input.lengths.push_back(all ? input.cols : static_cast<long long>(engine() % (input.cols + 4u)) - 1);
    }
    if (set.length_bytes == 8 && input.rows > 1) input.lengths[1] = 1ll << 40;
  }
  if (set.causal) {
    input.queries = 1 + static_cast<long long>(engine() % 5);
    input.offset = static_cast<long long>(engine() % (input.cols + 3u)) - 2;
  }
}

softmax_input normal_logits(const softmax_set& set, std::int64_t rows, int cols, std::uint64_t stream) {
  softmax_input input;
  input.set = &set;
  input.rows = rows;
  input.cols = cols;
  input.scale = set.scaled ? 0.5 : 1;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::vector<double> x =
        make_logits(set, logit_kind::normal, cols, input.scale, stream * 1000 + static_cast<std::uint64_t>(row));
    input.x.insert(input.x.end(), x.begin(), x.end());
  }
  std::mt19937_64 engine(seed() + stream);
  make_options(input, engine);
  return input;
}

softmax_input all_logit_kinds(const softmax_set& set, int cols, double scale, std::uint64_t stream) {
  softmax_input input;
  input.set = &set;
  input.rows = static_cast<int>(logit_kind::count);
  input.cols = cols;
  input.scale = scale;
  for (int kind = 0; kind < input.rows; ++kind) {
    const std::vector<double> x = make_logits(set, static_cast<logit_kind>(kind), cols, scale, stream);
    input.x.insert(input.x.end(), x.begin(), x.end());
  }
  std::mt19937_64 engine(seed() + stream);
  make_options(input, engine);
  return input;
}

std::vector<int> softmax_borders(const softmax_set& set, int limit) {
  alignas(16) static double aligned[2] = {};
  std::vector<int> borders;
  int lanes = 0;
  int vectors = 0;
  rowfold::row_variant variant{};
  for (int cols = set.granule(); cols <= limit; cols += set.granule()) {
    softmax_call call;
    call.x = call.mask = call.lengths = aligned;
    call.y = aligned;
    call.rows = 1;
    call.cols = cols;
    const rowfold::row_plan plan = set.plan(call);
    const bool same = plan.shape.lanes == lanes && plan.vectors == vectors && plan.variant == variant;
    if (!same && lanes != 0) borders.push_back(cols - set.granule());
    lanes = plan.shape.lanes;
    vectors = plan.vectors;
    variant = plan.variant;
  }
  return borders;
}

std::vector<int> softmax_widths(const softmax_set& set, int limit) {
  std::vector<int> widths;
  for (const int cols :
       {1,   2,   3,   4,   5,   7,   8,   9,   15,  16,   17,   31,   32,   33,   63,   64,   65,   97,
        127, 128, 129, 251, 256, 511, 512, 513, 768, 1000, 1021, 1024, 1025, 2047, 2048, 3000, 4096, 5120}) {
    if (cols <= limit) widths.push_back(cols);
  }
  int last = 0;
  for (const int border : softmax_borders(set, limit)) {
    if (border < last + last / 4) continue;  // in a block, nearly every width has lanes of its own
    last = border;
    for (const int cols : {border - 1, border, border + 1}) widths.push_back(cols);
  }
  return widths;
}

}  // namespace rowfold_test
