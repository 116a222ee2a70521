// SPDX-License-Identifier: MIT
// The bits of quantised rows: right, and the same whichever kernel serves the row and wherever its tensors lie.
#include <algorithm>
#include <set>
#include <vector>

#include "quantize/checks.hpp"
#include "quantize/run.hpp"
#include "support/check.hpp"
#include "support/variants.hpp"

namespace rowfold_test {
namespace quantize {
namespace {

using rowfold::row_layout;

void check_same(const output& expected, const output& found, const char* what) {
  INFO(what);
  CHECK(same_bits(expected.q, found.q));
  CHECK(same_bits(expected.scale, found.scale));
  if (!found.y.empty()) CHECK(same_bits(expected.y, found.y));
  if (!found.sum.empty()) CHECK(same_bits(expected.sum, found.sum));
  if (!found.rstd.empty()) CHECK(same_bits(expected.rstd, found.rstd));
}

// The default plan, and every other kernel that a plan can ask for.
std::vector<placement> variants() {
  std::vector<placement> list = kernel_variants<placement>();
  list.push_back({});
  return list;
}

// Widths, in granules, that reach every kernel of rows in registers (support/variants.hpp). Rows with
// scales for groups have more lanes when they are narrow.
std::vector<int> widths_of_kernels(const op_types& types) {
  std::vector<int> widths;
  for (const int granules : {6, 8, 32, 64, 96, 128, 160, 192, 256, 320}) widths.push_back(granules * types.granule());
  return widths;
}

}  // namespace

void check_every_kernel(const op_list& ops) {
  for (const op_types* types : ops) {
    std::vector<int> widths = widths_of_kernels(*types);
    for (const int cols : {1, 7, 33, 127, 128, 129, 1283}) widths.push_back(cols);
    if (!sanitized) widths.push_back(20480);
    std::set<int> held, all;
    bool streamed = false;
    for (const int cols : widths) {
      const input in = normal_rows(*types, cols <= 1300 ? 3 : 1, cols);
      const output expected = run(in);
      INFO(types->name << ", " << cols << " columns");
      CHECK(fault(in, expected) == "");
      for (const placement& where : variants()) {
        INFO("any " << where.request.any_access);
        const output found = run(in, where);
        if (types->folds()) CHECK(found.plan.shape == expected.plan.shape);
        streamed = streamed || found.plan.variant == rowfold::row_variant::streamed;
        if (found.plan.variant == rowfold::row_variant::held) {
          held.insert(held_kernel_number(found.plan));
          all = all_held_kernels(found.plan);
        }
        check_same(expected, found, where.name);
      }
    }
    CHECK(held == all);
    CHECK(all.empty() == !types->folds());
    CHECK(streamed == !types->folds());
  }
}

void check_addresses_and_strides(const op_list& ops) {
  for (const op_types* types : ops) {
    for (const int cols : {33, 256, 1000}) {
      const input in = normal_rows(*types, 4, cols);
      const output expected = run(in);
      for (const bool reread : {false, true}) {
        placement base;
        base.request.reread = reread;
        INFO(types->name << ", " << cols << " columns, reread " << reread);
        for (std::size_t placement::*offset :
             {&placement::x_offset, &placement::residual_offset, &placement::gamma_offset, &placement::q_offset,
              &placement::scale_offset, &placement::y_offset, &placement::sum_offset}) {
          for (const std::size_t elements : {1, 2, 5}) {
            placement where = base;
            where.*offset = elements;
            check_same(expected, run(in, where), "one tensor off");
          }
        }
        const row_layout layouts[] = {row_layout::strided(cols + 1), row_layout::strided(cols + 2 * types->granule()),
                                      row_layout::strided(-cols - 3), row_layout::nested(2, cols, 3 * cols + 16)};
        for (row_layout placement::*layout : {&placement::x_layout, &placement::residual_layout, &placement::q_layout,
                                              &placement::y_layout, &placement::sum_layout}) {
          for (const row_layout& rows : layouts) {
            placement where = base;
            where.*layout = rows;
            check_same(expected, run(in, where), "one tensor strided");
          }
        }
        placement where = base;
        where.scales_by_group = true;
        check_same(expected, run(in, where), "scales by group");
      }
    }
  }
}

void check_neighbours(const op_list& ops) {
  for (const op_types* types : ops) {
    for (const int cols : {5, 64, 520}) {
      const input in = normal_rows(*types, 40, cols);
      const output expected = run(in);
      check_same(expected, run(in), "run again");
      for (const std::ptrdiff_t first : {0, 17}) {
        for (const std::int64_t count : {1, 23}) {
          INFO(types->name << ", " << cols << " columns, " << count << " rows from " << first);
          const output part = run(in.only(first, count));
          CHECK(same_bits(part.q, {expected.q.begin() + first * cols, expected.q.begin() + (first + count) * cols}));
          if (types->mode == quantize_scale::given) continue;
          const int scales = types->scales(cols);
          CHECK(same_bits(part.scale, {expected.scale.begin() + first * scales,
                                       expected.scale.begin() + (first + count) * scales}));
        }
      }
    }
  }
}

void check_other_outputs(const op_list& ops) {
  for (const op_types* types : ops) {
    for (const int cols : {100, 64 * types->granule()}) {
      const input in = normal_rows(*types, 3, cols);
      const output expected = run(in);
      for (placement where : variants()) {
        INFO(types->name << ", " << cols << " columns, " << where.name << ", any " << where.request.any_access);
        if (types->run_short != nullptr && where.request == rowfold::plan_request{}) {
          where.short_call = true;
          check_same(expected, run(in, where), "the short call");
          where.short_call = false;
        }
        where.y = false;
        check_same(expected, run(in, where), "without y");
        where.sum = false;
        check_same(expected, run(in, where), "without y and sum");
        where.y = true;
        where.sum_over_residual = true;
        check_same(expected, run(in, where), "the sum over the residual");
        input unweighted = in;
        unweighted.gamma.clear();
        CHECK(fault(unweighted, run(unweighted, where)) == "");
      }
    }
  }
}

void check_bytes(const op_list& ops) {
#if defined(__CUDACC__)
  static_cast<void>(ops);
#else
  for (const op_types* types : ops) {
    for (const int cols : {1, 33, 128, 8 * types->granule(), 72 * types->granule(), 200 * types->granule()}) {
      for (placement where : variants()) {
        where.count_bytes = true;
        const output found = run(normal_rows(*types, 3, cols), where);
        INFO(types->name << ", " << cols << " columns, " << where.name << ", any " << where.request.any_access);
        CHECK(found.issued_bytes == found.plan.issued_bytes);
        CHECK(found.plan.minimal_bytes <= found.plan.issued_bytes);
      }
    }
  }
#endif
}

}  // namespace quantize
}  // namespace rowfold_test
