// SPDX-License-Identifier: MIT
#include "softmax/softmax_sweep.hpp"

#include <random>
#include <string>

#include "softmax/softmax_reference.hpp"
#include "softmax/softmax_rows.hpp"
#include "softmax/softmax_run.hpp"
#include "support/accuracy_table.hpp"
#include "support/check.hpp"
#include "support/seed.hpp"

namespace rowfold_test {
namespace {

softmax_input random_input(std::mt19937_64& engine, const softmax_set& set, int cols) {
  static const double scales[] = {1, 0.125, -0.5, 3.7, 1e-3, 0x1p-20, 1e10, 0};
  softmax_input input;
  input.set = &set;
  const bool widest = cols > 16384;  // few of these: a normal row is always among them
  input.rows = widest ? 2 : cols > 4096 ? 1 : 1 + static_cast<std::int64_t>(engine() % 4);
  input.cols = cols;
  input.scale = set.scaled ? scales[engine() % 8] : 1;
  input.masked = engine() % 2 == 0 ? rowfold::masked_row::nan : rowfold::masked_row::zero;
  for (std::int64_t row = 0; row < input.rows; ++row) {
    const auto random_kind = static_cast<logit_kind>(engine() % static_cast<unsigned>(logit_kind::count));
    const logit_kind kind = widest && row == 0 ? logit_kind::normal : random_kind;
    const std::vector<double> x = make_logits(set, kind, cols, input.scale, engine() % 1000);
    input.x.insert(input.x.end(), x.begin(), x.end());
  }
  make_options(input, engine);
  return input;
}

// How random inputs lie in memory: any alignment of each tensor, any stride, any variant.
softmax_placement random_placement(std::mt19937_64& engine, const softmax_set& set, int cols) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(engine() % n); };
  softmax_placement where;
  where.name = "random placement";
  where.count_bytes = true;
  if (below(3) != 0) {
    for (std::size_t* offset :
         {&where.x_offset, &where.y_offset, &where.mask_offset, &where.log_sum_exp_offset, &where.lengths_offset}) {
      *offset = below(9);
    }
  }
  if (below(3) == 0) where.x_layout = rowfold::row_layout::strided(cols + static_cast<int>(below(9)));
  if (below(3) == 0) where.y_layout = rowfold::row_layout::strided(-cols - static_cast<int>(below(9)));
  if (below(3) == 0) where.mask_layout = rowfold::row_layout::strided(cols + static_cast<int>(below(9)));
  where.request.any_access = below(4) == 0;
  where.request.staged = below(4) == 0;
  where.request.reread = below(4) == 0;
  where.log_sum_exp = below(4) != 0;
  if (below(4) == 0) where.request.block_threads = 32 << below(5);
  where.in_place = set.x == set.y && below(4) == 0;
  return where;
}

void add(accuracy_table& table, const softmax_set& set, int cols, const softmax_accuracy& found) {
  const std::string name = set.name;
  const bool two_bytes = bytes_of(set.y) == 2;
  table.add(name + (two_bytes ? "" : ": of the bound"), cols, found.worst_y, found.not_nearest,
            two_bytes ? found.elements : 0);
  if (!two_bytes && !set.logarithm && !set.masked) table.add(name + ": near the maximum", cols, found.worst_units);
  table.add(name + ": log-sum-exp", cols, found.worst_log_sum_exp);
}

void sweep_set(const softmax_set& set, accuracy_table& table) {
  for (const int cols : {3, 17, 64, 100, 257, 1000, 2048}) {
    for (const double scale : {1.0, 0.125, -2.5}) {
      if (scale != 1 && !set.scaled) continue;
      const softmax_input input = all_logit_kinds(set, cols, scale);
      const softmax_accuracy found = compare(input, run(input));
      CHECK(found.fault == "");
      add(table, set, cols, found);
    }
  }
  std::mt19937_64 engine(seed());
  std::vector<int> widths = softmax_widths(set, 5000);
  for (int i = 0; i < 15; ++i) widths.push_back(1 + static_cast<int>(engine() % 3000));
  for (int i = 0; i < 2; ++i) widths.push_back(3000 + static_cast<int>(engine() % 17000));
  widths.push_back(32768 + static_cast<int>(engine() % 2000));
  for (const int cols : widths) {
    const softmax_input input = random_input(engine, set, cols);
    const softmax_placement where = random_placement(engine, set, cols);
    const softmax_output output = run(input, where);
    const softmax_accuracy found = compare(input, output);
    INFO("offsets " << where.x_offset << ' ' << where.y_offset << ' ' << where.mask_offset << ' '
                    << where.log_sum_exp_offset << ", in place " << where.in_place << ", any "
                    << where.request.any_access << ", staged " << where.request.staged << ", reread "
                    << where.request.reread);
    CHECK(found.fault == "");
    if (on_cpu) CHECK(output.issued_bytes == output.plan.issued_bytes);
    add(table, set, cols, found);
  }
}

}  // namespace

void sweep(const char* op, const std::vector<const softmax_set*>& sets) {
  accuracy_table table(
      op,
      "normal, sharp, large mean, constant, two levels, ramp, half or all but one -inf, +inf, NaN, tiny, huge of "
      "either "
      "sign, denormal; scales, masks, lengths",
      "16-bit y in ulp of its type and the share that is not the nearest value, the bound being a neighbour of that; "
      "other "
      "y of the bound, which is (8 + max(z) - z) units of 2^-23 (double: 2^-52) and a subnormal step, of log-softmax 8 "
      "ulp "
      "at max(|y|, |max(z)|, 1); near the maximum: the largest relative error in those units where z >= max(z) - 1; "
      "log-sum-exp in ulp at max(|log-sum-exp|, |max(z)|, 1), the bound being 8");
  for (const softmax_set* set : sets) sweep_set(*set, table);
  table.write();
}

}  // namespace rowfold_test
