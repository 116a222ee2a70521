// SPDX-License-Identifier: MIT
// The bits of a residual addition + norm: those of the two ops one after the other, whichever kernel serves the row
// and wherever its tensors lie.
#include <set>
#include <string>
#include <vector>

#include "add_norm/checks.hpp"
#include "add_norm/run.hpp"
#include "support/check.hpp"
#include "support/variants.hpp"

namespace rowfold_test {
namespace add_norm {
namespace {

using rowfold::row_layout;

void check_same(const output& expected, const output& found, const char* what) {
  INFO(what);
  CHECK(same_bits(expected.y, found.y));
  if (!found.sum.empty()) CHECK(same_bits(expected.sum, found.sum));
  if (!found.mean.empty()) CHECK(same_bits(expected.mean, found.mean));
  if (!found.rstd.empty()) CHECK(same_bits(expected.rstd, found.rstd));
}

// The default plan, and every other kernel that a plan can ask for.
std::vector<placement> variants() {
  std::vector<placement> list = kernel_variants<placement>();
  list.push_back({});
  return list;
}

// Widths, in granules of the sum, that reach every kernel of rows in registers (support/variants.hpp).
std::vector<int> widths_of_kernels(const op_types& types) {
  std::vector<int> widths;
  for (const int granules : {8, 6, 96, 128, 160, 192, 256, 320}) widths.push_back(granules * types.granule());
  return widths;
}

}  // namespace

void check_norm_of_stored_sums(const op_list& ops) {
  for (const op_types* types : ops) {
    std::vector<int> widths = widths_of_kernels(*types);
    for (const int cols : {1, 7, 33, 100, 1283}) widths.push_back(cols);
    if (!sanitized) widths.push_back(20480 / types->granule() * types->granule());
    std::set<int> held, all;
    for (const int cols : widths) {
      if (types->statistic() == element::float64 && cols > 100) continue;  // one kernel serves all of its widths
      for (const bool with_bias : {false, true}) {
        const input in = normal_rows(*types, cols <= 1300 ? 3 : 1, cols, with_bias);
        const std::vector<double> sums = sums_of(in, true);
        output expected = types->norm(in, sums);
        expected.sum = sums;
        for (const placement& where : variants()) {
          INFO(types->name << ", " << cols << " columns, bias " << with_bias << ", any " << where.request.any_access);
          const output found = run(in, where);
          CHECK(found.plan.shape == expected.plan.shape);
          if (found.plan.variant == rowfold::row_variant::held) {
            held.insert(held_kernel_number(found.plan));
            all = all_held_kernels(found.plan);
          }
          check_same(expected, found, where.name);
        }
      }
    }
    if (types->statistic() != element::float64) CHECK((held == all && !all.empty()));
  }
}

void check_in_place(const op_list& ops) {
  struct alias {
    const char* name;
    place y, sum;
  };
  const alias aliases[] = {{"y over x, sum over residual", place::over_x, place::over_residual},
                           {"sum over residual", place::apart, place::over_residual},
                           {"sum over x", place::apart, place::over_x},
                           {"y over residual, sum over x", place::over_residual, place::over_x},
                           {"y over residual, no sum", place::over_residual, place::nowhere},
                           {"y over x, no sum", place::over_x, place::nowhere}};
  for (const op_types* types : ops) {
    const int granule = types->granule();
    int checked = 0;
    for (const int cols : {3, 8 * granule, 9 * granule - 1, 130 * granule, 163 * granule + 1}) {
      const input in = normal_rows(*types, 3, cols, cols % 2 == 0);
      const output expected = run(in);
      for (const alias& a : aliases) {
        for (placement where : variants()) {
          for (const bool moved : {false, true}) {
            where.name = a.name;
            where.y = a.y;
            where.sum = a.sum;
            if (!may_lie(*types, where)) continue;
            if (moved) {
              where.x_offset = 1;
              where.residual_offset = 3;
              where.x_layout = row_layout::strided(cols + 3);
              where.residual_layout = row_layout::nested(2, -cols - 1, 3 * cols + 8);
            }
            INFO(types->name << ", " << cols << " columns, any " << where.request.any_access << ", staged "
                             << where.request.staged << ", reread " << where.request.reread << ", moved " << moved);
            check_same(expected, run(in, where), where.name);
            ++checked;
          }
        }
      }
    }
    CHECK(checked > 0);
  }
}

void check_addresses_and_strides(const op_list& ops) {
  for (const op_types* types : ops) {
    for (const int cols : {33, 64, 600}) {
      const input in = normal_rows(*types, 4, cols, true);
      const output expected = run(in);
      for (const bool reread : {false, true}) {
        placement base;
        base.request.reread = reread;
        for (std::size_t placement::*offset :
             {&placement::x_offset, &placement::residual_offset, &placement::y_offset, &placement::sum_offset,
              &placement::bias_offset, &placement::gamma_offset, &placement::beta_offset, &placement::rstd_offset}) {
          for (const std::size_t elements : {1, 2, 4}) {
            placement where = base;
            where.name = "one tensor off";
            where.*offset = elements;
            check_same(expected, run(in, where), where.name);
          }
        }
        const row_layout layouts[] = {row_layout::strided(cols + 1), row_layout::strided(cols + 2 * types->granule()),
                                      row_layout::strided(-cols - 3), row_layout::nested(2, cols, 3 * cols + 16)};
        for (row_layout placement::*layout :
             {&placement::x_layout, &placement::residual_layout, &placement::y_layout, &placement::sum_layout}) {
          for (const row_layout& rows : layouts) {
            placement where = base;
            where.name = "one tensor strided";
            where.*layout = rows;
            check_same(expected, run(in, where), where.name);
          }
        }
      }
    }
  }
}

void check_neighbours(const op_list& ops) {
  for (const op_types* types : ops) {
    for (const int cols : {5, 64, 520}) {
      const input in = normal_rows(*types, 40, cols, false);
      const output expected = run(in);
      check_same(expected, run(in), "run again");
      for (const std::ptrdiff_t first : {0, 17}) {
        for (const std::int64_t count : {1, 23}) {
          INFO(types->name << ", " << cols << " columns, " << count << " rows from " << first);
          const output part = run(in.only(first, count));
          CHECK(same_bits(part.y, {expected.y.begin() + first * cols, expected.y.begin() + (first + count) * cols}));
          CHECK(same_bits(part.rstd, {expected.rstd.begin() + first, expected.rstd.begin() + first + count}));
        }
      }
    }
  }
}

void check_full_sums(const op_list& ops) {
  bool checked = false;
  for (const op_types* types : ops) {
    if (types->run_full == nullptr) continue;
    checked = true;
    for (const int cols : widths_of_kernels(*types)) {
      const input in = normal_rows(*types, cols <= 1300 ? 3 : 1, cols, cols % 3 == 0);
      placement where;
      where.full = true;
      const output expected = run(in, where);
      INFO(types->name << ", " << cols << " columns");
      CHECK(same_bits(expected.sum, sums_of(in, true)));
      CHECK(types->judge(in, sums_of(in, false), types->statistic(), expected).fault == "");
      CHECK_FALSE(same_bits(expected.rstd, run(in).rstd));
      for (placement other : variants()) {
        other.full = true;
        check_same(expected, run(in, other), other.name);
        other.y = place::over_residual;
        other.sum = place::over_x;
        check_same(expected, run(in, other), other.name);
      }
    }
  }
  CHECK(checked);
}

}  // namespace add_norm
}  // namespace rowfold_test
