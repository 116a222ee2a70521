// SPDX-License-Identifier: MIT
// Residual addition + norm against the norm's reference in double: random rows of every kind, width, place and
// rounding.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "add_norm/checks.hpp"
#include "add_norm/run.hpp"
#include "support/accuracy_table.hpp"
#include "support/check.hpp"
#include "support/seed.hpp"
#include "support/subnormals.hpp"

namespace rowfold_test {
namespace add_norm {
namespace {

enum class sum_kind {
  normal,      // both tensors well scaled
  shifted,     // a mean of 1e4 standard deviations in the residual
  tiny,        // squares far below eps
  huge,        // squares near the largest number
  denormal,    // of float: the sums are rounded to few bits
  outlier,     // one element 1000 standard deviations off
  cancelling,  // x takes nearly all of the residual away
  larger_x,    // residual far smaller than x
  constant,    // all sums equal
  infinite,    // one infinity
  with_nan,    // one NaN
  kinds        // how many there are
};

// Makes a row's x and residual of a kind from normal values.
void shape_row(const op_types& types, sum_kind kind, double* x, double* residual, int cols) {
  const bool half = types.sum == element::float16 || types.x == element::float16;
  const double tiny = half ? 0x1p-12 : 0x1p-50;
  const double huge = half ? 1e4 : 1e15;
  const double denormal = types.statistic() == element::float64 ? 0x1p-1060
                          : half                                ? 0x1p-22
                          : subnormals_are_zero                 ? 0x1p-80
                                                                : 0x1p-140;
  for (int i = 0; i < cols; ++i) {
    switch (kind) {
      case sum_kind::shifted:
        residual[i] += 1e4;
        break;
      case sum_kind::tiny:
      case sum_kind::huge:
      case sum_kind::denormal: {
        const double scale = kind == sum_kind::tiny ? tiny : kind == sum_kind::huge ? huge : denormal;
        x[i] *= scale;
        residual[i] *= scale;
        break;
      }
      case sum_kind::cancelling:
        residual[i] = residual[i] * 0x1p-6 - x[i];
        break;
      case sum_kind::larger_x:
        residual[i] *= 0x1p-7;
        break;
      case sum_kind::constant:
        x[i] = x[0];
        residual[i] = residual[0];
        break;
      default:
        break;
    }
  }
  if (kind == sum_kind::outlier) x[cols / 2] = 1e3;
  if (kind == sum_kind::infinite) x[cols / 3] = -std::numeric_limits<double>::infinity();
  if (kind == sum_kind::with_nan) residual[cols / 2] = std::numeric_limits<double>::quiet_NaN();
}

placement random_placement(std::mt19937_64& engine, const op_types& types, int cols) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(engine() % n); };
  placement where;
  where.name = "random placement";
  where.count_bytes = true;
  if (below(3) != 0) {
    for (std::size_t* offset : {&where.x_offset, &where.residual_offset, &where.y_offset, &where.sum_offset,
                                &where.bias_offset, &where.gamma_offset, &where.beta_offset, &where.rstd_offset}) {
      *offset = below(9);
    }
  }
  for (rowfold::row_layout* layout : {&where.x_layout, &where.residual_layout, &where.y_layout, &where.sum_layout}) {
    if (below(4) == 0) *layout = rowfold::row_layout::strided(cols + static_cast<int>(below(9)));
    if (below(8) == 0) *layout = rowfold::row_layout::strided(-cols - static_cast<int>(below(9)));
  }
  where.request.any_access = below(4) == 0;
  where.request.reread = below(4) == 0;
  where.y = static_cast<place>(below(3));
  where.sum = static_cast<place>(below(4));
  if (!may_lie(types, where) || (where.y != place::apart && where.y == where.sum)) {
    where.y = where.sum = place::apart;
  }
  where.full = types.run_full != nullptr && below(2) == 0;
  return where;
}

// The same bits, but for those of a NaN.
bool same_values(std::vector<double> a, std::vector<double> b) {
  for (std::vector<double>* values : {&a, &b}) {
    for (double& value : *values) {
      if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return same_bits(a, b);
}

}  // namespace

input random_input(std::mt19937_64& engine, const op_types& types, int cols) {
  static const double eps[] = {1e-5, 1e-6, 1e-12, 0.1};
  const bool widest = cols > 16384;  // few of these: a normal row is always among them
  const std::int64_t rows = widest ? 2 : cols > 4096 ? 1 : 1 + static_cast<std::int64_t>(engine() % 4);
  input in = normal_rows(types, rows, cols, engine() % 3 == 0, engine() % 1000);
  in.eps = eps[engine() % 4];
  if (types.has_weight_offset && engine() % 2 == 0) in.weight_offset = 1;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto random_kind = static_cast<sum_kind>(engine() % static_cast<unsigned>(sum_kind::kinds));
    const sum_kind kind = widest && row == 0 ? sum_kind::normal : random_kind;
    // A bias would bury what is small.
    const bool alone =
        kind == sum_kind::tiny || kind == sum_kind::denormal || kind == sum_kind::huge || kind == sum_kind::constant;
    if (alone) in.bias.clear();
    shape_row(types, kind, &in.x[static_cast<std::size_t>(row * cols)],
              &in.residual[static_cast<std::size_t>(row * cols)], cols);
  }
  if (engine() % 4 == 0) in.gamma.clear();
  if (engine() % 4 == 0) in.beta.clear();
  return in;
}

accuracy_table table_of(const char* op) {
  return accuracy_table(
      op,
      "normal, mean of 10000 deviations, tiny, huge, denormal, outlier, cancelling terms, terms of "
      "different size, constant, infinity, NaN; with and without bias; the sum that is folded stored "
      "or in float (full)",
      "y in ulp of its type at max(|y|, |weight|, |beta|), the bounds being those of the norm; the sum "
      "has the bits of the definition");
}

void check_accuracy(const char* op, const op_list& ops) {
  accuracy_table table = table_of(op);
  std::mt19937_64 engine(seed());
  for (const op_types* types : ops) {
    for (int i = 0; i < (sanitized ? 16 : 60); ++i) {
      const int limit = i % 20 == 19 && !sanitized ? 34000 : i % 4 == 3 && !sanitized ? 6000 : i % 2 == 0 ? 65 : 1100;
      int cols = 2 + static_cast<int>(engine() % static_cast<unsigned>(limit - 1));
      if (limit == 34000) cols = 17000 + cols / 2;  // of the widest class
      if (engine() % 2 == 0 && cols > types->granule()) cols = cols / types->granule() * types->granule();
      const input in = random_input(engine, *types, cols);
      const placement where = random_placement(engine, *types, cols);
      const output found = run(in, where);
      INFO(types->name << ", " << in.rows << " x " << cols << ", full " << where.full << ", y "
                       << static_cast<int>(where.y) << ", sum " << static_cast<int>(where.sum) << ", any "
                       << where.request.any_access << ", reread " << where.request.reread);
      if (!found.sum.empty()) CHECK(same_values(found.sum, sums_of(in, true)));
      if (on_cpu) CHECK(found.issued_bytes == found.plan.issued_bytes);
      const judgement judged =
          types->judge(in, sums_of(in, !where.full), where.full ? types->statistic() : types->sum, found);
      CHECK(judged.fault == "");
      table.add(std::string(types->name) + (where.full ? ", full" : ""), cols, judged.worst_y);
    }
  }
  table.write();
}

void check_constant_sums(const op_list& ops) {
  for (const op_types* types : ops) {
    for (const int cols : {1, 8, 33, 100, 1000}) {
      // Small whole numbers: exact in every type, whatever the rounding.
      input in = normal_rows(*types, 2, cols, true);
      for (double& value : in.bias) value = std::round(4 * value);
      for (std::size_t i = 0; i < in.x.size(); ++i) {
        in.x[i] = std::round(16 * in.x[i]);
        in.residual[i] = 77 - in.x[i] - in.bias[i % static_cast<std::size_t>(cols)];
      }
      for (const bool full : {false, true}) {
        if (full && types->run_full == nullptr) continue;
        placement where;
        where.full = full;
        const output found = run(in, where);
        INFO(types->name << ", " << cols << " columns, full " << full);
        CHECK(same_bits(found.sum, std::vector<double>(in.x.size(), 77.0)));
        CHECK(types->judge(in, found.sum, types->sum, found).fault == "");
        if (!types->has_mean) continue;  // a norm that takes no mean off
        for (std::size_t i = 0; i < found.y.size(); ++i) {
          CHECK(found.y[i] ==
                round_to(types->y, round_to(types->parameter, in.beta[i % static_cast<std::size_t>(cols)])));
        }
      }
    }
  }
}

}  // namespace add_norm
}  // namespace rowfold_test
