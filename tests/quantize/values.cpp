// SPDX-License-Identifier: MIT
// Codes and scales of values that are hard to quantise.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "quantize/checks.hpp"
#include "quantize/reference.hpp"
#include "quantize/run.hpp"
#include "support/accuracy_table.hpp"
#include "support/check.hpp"
#include "support/subnormals.hpp"

namespace rowfold_test {
namespace quantize {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// One row for each way to fill it, `fill(row, column)` being the value: of x, with nothing added to it, or times 1.
template <class Fill>
input rows_of(const op_types& types, std::int64_t rows, int cols, const Fill& fill) {
  input in = normal_rows(types, rows, cols);
  for (std::size_t i = 0; i < in.x.size(); ++i) {
    in.x[i] = fill(static_cast<int>(i) / cols, static_cast<int>(i) % cols);
  }
  std::fill(in.residual.begin(), in.residual.end(), types.norm == before::swiglu ? 1.0 : 0.0);
  return in;
}

enum class row_kind {
  normal,
  shifted,   // a mean of 1000 deviations
  tiny,      // squares far below eps
  huge,      // squares near the largest number
  denormal,  // a few of the smallest steps of x's type
  constant,
  infinite,  // one infinity
  with_nan,  // one NaN
  count      // how many kinds there are
};

// Rows of one kind, made of normal ones.
input rows_of_kind(const op_types& types, row_kind kind, int cols) {
  const bool half = types.x == element::float16;
  const auto width = static_cast<std::size_t>(cols);
  input in = normal_rows(types, cols > 1000 ? 1 : 2, cols, static_cast<std::uint64_t>(kind));
  if (kind == row_kind::shifted) {
    for (double& x : in.x) x += 1000;
  } else if (kind == row_kind::constant) {
    in.x.assign(in.x.size(), in.x.front());
    in.residual.assign(in.residual.size(), 0.75);
  } else if (kind == row_kind::infinite) {
    in.x[width / 3] = infinity;
  } else if (kind == row_kind::with_nan) {
    in.x[width / 2] = nan;
  } else if (kind != row_kind::normal) {
    const double scale = kind == row_kind::tiny   ? (half ? 0x1p-12 : 0x1p-50)
                         : kind == row_kind::huge ? (half ? 1e4 : 1e15)
                                                  : 4 * ulp(types.x, 0.0);
    for (double& x : in.x) x *= scale;
    if (types.norm == before::add_rms_norm) {
      for (double& residual : in.residual) residual *= scale;
    }
  }
  return in;
}

// What the op quantises, in double: x itself, or its RMSNorm or SwiGLU.
std::vector<double> exact_values(const input& in) {
  std::vector<double> values = norm_input(in);
  const auto cols = static_cast<std::size_t>(in.cols);
  for (std::size_t row = 0; row < values.size(); row += cols) {
    double squares = 0;
    for (std::size_t i = 0; i < cols; ++i) squares += values[row + i] * values[row + i];
    const double rstd = 1 / std::sqrt(squares / in.cols + in.eps);
    for (std::size_t i = 0; i < cols; ++i) {
      double& value = values[row + i];
      if (in.types->has_norm()) value *= rstd * round_to(in.types->gamma, in.gamma[i]);
      if (in.types->norm == before::swiglu) {
        value = value / (1 + std::exp(-value)) * round_to(in.types->residual, in.residual[row + i]);
      }
    }
  }
  return values;
}

// The largest distance of a code from the exact quotient, in steps of the code there. Quotients beyond the codes, or
// that are none, are not measured: their codes are exact.
double worst_code(const input& in, const output& found) {
  const op_types& types = *in.types;
  const std::vector<double> values = exact_values(in);
  const auto cols = static_cast<std::size_t>(in.cols);
  const double most = types.to == code::int8 ? 127 : types.to == code::e4m3 ? 448 : 57344;
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double scale = in.given;
    if (types.mode == quantize_scale::per_row) scale = found.scale[i / cols];
    if (types.mode == quantize_scale::per_group) {
      scale = found.scale[i / cols * static_cast<std::size_t>(types.scales(in.cols)) + i % cols / 128];
    }
    const double quotient = values[i] / scale;
    if (!(std::abs(quotient) <= most)) continue;
    const double off = std::abs(value_of(types.to, found.q[i]) - quotient);
    worst = std::max(worst, off / step_at(types.to, quotient));
  }
  return worst;
}

placement kernel(int index) {
  placement where;
  where.request.any_access = index == 1;
  where.request.reread = index == 2;
  return where;
}

}  // namespace

void check_hard_rows(const op_list& ops) {
  for (const op_types* types : ops) {
    const bool plain = types->norm == before::nothing;
    const double largest = types->x == element::float16 ? 65504 : 3e38;
    const double smallest = types->x == element::float16 ? 0x1p-24 : 1e-30;
    for (const int cols : {9, 257, 64 * types->granule()}) {
      const input in = rows_of(*types, 8, cols, [&](int row, int column) {
        const double pattern = (column % 5 - 2) * 0.37;
        switch (row) {
          case 0:
            return 0.0;
          case 1:
            return smallest;
          case 2:
            return column == cols - 1 ? nan : pattern;
          case 3:
            return column == cols / 2 ? infinity : pattern;
          case 4:
            return column == 0 ? (types->norm == before::swiglu ? infinity : -infinity) : pattern;  // silu(-inf) is 0
          case 5:
            return plain ? pattern * largest : pattern * 1e3;
          case 6:
            return column == 3 ? -100.0 : pattern * 1e-3;  // one value decides the scale
          default:
            return pattern;
        }
      });
      for (const int index : {0, 1, 2}) {
        INFO(types->name << ", " << cols << " columns, kernel " << index);
        const output found = run(in, kernel(index));
        CHECK(fault(in, found) == "");
        const double nan_code = types->to == code::int8 ? 0 : 0x7f;
        const auto code_at = [&](int row, int column) {
          return found
              .q[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(column)];
        };
        CHECK(code_at(2, cols - 1) == nan_code);
        // A zero or -0, where gamma is negative.
        for (int column = 0; column < cols; ++column) CHECK(std::fmod(code_at(0, column), 128) == 0);
        if (types->mode == quantize_scale::given) continue;
        const int scales = types->scales(cols);
        const auto scale_at = [&](int row, int group) {
          return found.scale[static_cast<std::size_t>(row * scales + group)];
        };
        CHECK(scale_at(0, 0) == 1);
        CHECK(std::isnan(scale_at(2, scales - 1)));
        CHECK(std::isnan(scale_at(3, cols / 2 / (types->mode == quantize_scale::per_group ? 128 : cols))));
        CHECK(std::isnan(scale_at(4, 0)));
        CHECK(code_at(4, 1) == nan_code);
      }
    }
    if (!plain) continue;
    // Subnormal values, and with scales of their own the smallest scale.
    if (counts_as_zero_below_normal(types->x)) continue;
    const input in = rows_of(*types, 2, 40, [&](int row, int column) {
      const double step = types->x == element::float16 ? 0x1p-24 : row == 0 ? 0x1p-133 : 0x1p-128;
      return step * (column - 20);
    });
    CHECK(fault(in, run(in)) == "");
    input small = in;
    small.given = 0x1p-126;
    CHECK(fault(small, run(small)) == "");
  }
}

void check_accuracy(const char* op, const op_list& ops) {
  accuracy_table table(
      op, "normal, mean of 1000 deviations, tiny, huge, denormal, constant, infinity, NaN",
      "codes in their own steps from the exact value / scale, bound 0.51 (0.5 and the roundings before it); codes and "
      "scales are exactly those of the values that are quantised; y in ulp of float at max(|y|, |gamma|), bound 8 "
      "(SwiGLU: at max(|y|, |gate * factor| 2^-10), bound 5); rstd in ulp, bound 4");
  for (const op_types* types : ops) {
    for (int kind = 0; kind < static_cast<int>(row_kind::count); ++kind) {
      if (counts_as_zero_below_normal(types->x) && kind == static_cast<int>(row_kind::denormal)) continue;
      for (const int cols : {33, 1000, 3000, 20000}) {
        if (cols > (sanitized ? 1000 : kind < 2 ? 20000 : 3000)) continue;
        const input in = rows_of_kind(*types, static_cast<row_kind>(kind), cols);
        const output found = run(in);
        const judgement judged = judge(in, found);
        INFO(types->name << ", " << cols << " columns, kind " << kind);
        CHECK(judged.fault == "");
        const double codes = worst_code(in, found);
        CHECK(codes <= 0.51);
        const std::string name = types->name;
        table.add(name + ": codes", cols, codes);
        if (types->norm != before::nothing) table.add(name + ": y", cols, judged.worst_y);
        if (types->has_norm()) table.add(name + ": rstd", cols, judged.worst_rstd);
      }
    }
  }
  table.write();
}

void check_ties(const op_list& ops) {
  for (const op_types* types : ops) {
    if (types->norm != before::nothing) continue;
    // Multiples of a 16th up to 8 and of a half up to 200: all midpoints of int8, and many of the others, with the
    // scale 1, which a largest value of exactly 448, 57344 or 127 makes. Each is exact in every type but bfloat16,
    // where it is another.
    const double most = types->to == code::int8 ? 127 : types->to == code::e4m3 ? 448 : 57344;
    const input in = [&] {
      input rows = rows_of(*types, 6, 128, [&](int row, int column) {
        if (column == 127) return row % 2 == 0 ? most : -most;
        const double value = row < 2 ? column / 16.0 : row < 4 ? column + 0.5 : std::ldexp(column, row - 11);
        return row % 2 == 0 ? value : -value;
      });
      rows.given = 1;
      return rows;
    }();
    const output found = run(in);
    INFO(types->name);
    CHECK(fault(in, found) == "");
    for (const double scale : found.scale) CHECK(scale == 1);
    if (types->to == code::int8 && types->x != element::bfloat16) {
      CHECK(found.q[2 * 128] == 0);        // 0.5
      CHECK(found.q[2 * 128 + 1] == 2);    // 1.5
      CHECK(found.q[3 * 128 + 2] == 254);  // -2.5
    }
    if (types->mode != quantize_scale::given) continue;
    // Beyond the range, where the scale does not follow.
    input beyond = in;
    for (double& x : beyond.x) x *= 1000;
    CHECK(fault(beyond, run(beyond)) == "");
  }
}

void check_powers_of_two(const op_list& ops) {
  for (const op_types* types : ops) {
    input in = normal_rows(*types, 5, 300);
    in.power_of_two = true;
    for (const int index : {0, 1, 2}) {
      INFO(types->name << ", kernel " << index);
      const output found = run(in, kernel(index));
      CHECK(fault(in, found) == "");
      for (const double scale : found.scale) CHECK(std::ldexp(1.0, std::ilogb(scale)) == scale);
    }
  }
}

}  // namespace quantize
}  // namespace rowfold_test
