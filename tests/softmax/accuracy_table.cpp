// SPDX-License-Identifier: MIT
#include "softmax/accuracy_table.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "softmax/softmax_rows.hpp"
#include "support/check.hpp"
#include "support/seed.hpp"

namespace rowfold_test {
namespace {

const char* const class_names[] = {"1 to 64", "65 to 1024", "1025 to 16384", "more"};

int class_of(int cols) { return cols <= 64 ? 0 : cols <= 1024 ? 1 : cols <= 16384 ? 2 : 3; }

softmax_input random_input(std::mt19937_64& engine, const softmax_set& set, int cols) {
  static const double scales[] = {1, 0.125, -0.5, 3.7, 1e-3, 0x1p-20, 1e10, 0};
  softmax_input input;
  input.set = &set;
  input.rows = cols > 4096 ? 1 : 1 + static_cast<std::int64_t>(engine() % 4);
  input.cols = cols;
  input.scale = set.scaled ? scales[engine() % 8] : 1;
  input.masked = engine() % 2 == 0 ? rowfold::masked_row::nan : rowfold::masked_row::zero;
  for (std::int64_t row = 0; row < input.rows; ++row) {
    const auto kind = static_cast<logit_kind>(engine() % static_cast<unsigned>(logit_kind::count));
    const std::vector<double> x = make_logits(set, kind, cols, input.scale, engine() % 1000);
    input.x.insert(input.x.end(), x.begin(), x.end());
  }
  make_options(input, engine);
  return input;
}

}  // namespace

void softmax_table::add(const softmax_set& set, int cols, const softmax_accuracy& found) {
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    if (sets_[i] == &set) cells_[i][class_of(cols)].add(found);
  }
}

std::string softmax_table::markdown() const {
  std::ostringstream text;
  text << "| types and options | columns | values | y: of its bound | y near max(z) | not nearest | log-sum-exp |\n"
          "|---|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    for (int c = 0; c < width_classes; ++c) {
      const softmax_accuracy& a = cells_[i][c];
      if (a.elements == 0) continue;
      char worst[32] = "";
      char units[32] = "";
      char share[32] = "";
      if (bytes_of(sets_[i]->y) == 2) {
        std::snprintf(share, sizeof(share), "%.3f %%",
                      100 * static_cast<double>(a.not_nearest) / static_cast<double>(a.elements));
      } else {
        std::snprintf(worst, sizeof(worst), "%.2f", a.worst_y);
        if (a.worst_units > 0) std::snprintf(units, sizeof(units), "%.2f", a.worst_units);
      }
      char line[256];
      std::snprintf(line, sizeof(line), "| %s | %s | %lld | %s | %s | %s | %.2f |\n", sets_[i]->name, class_names[c],
                    static_cast<long long>(a.elements), worst, units, share, a.worst_log_sum_exp);
      text << line;
    }
  }
  text << "\ny of its bound: the largest error, the bound being 1; y near max(z): the largest relative error of "
          "softmax without a\n"
          "mask where z >= max(z) - 1, in units of 2^-23 (2^-52 for double; the bound is 8); not nearest: 16-bit "
          "results that are the neighbour "
          "of\n"
          "the correctly rounded value; log-sum-exp in units in the last place of max(|log-sum-exp|, |max(z)|, 1).\n";
  return text.str();
}

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

void sweep(const softmax_set& set, softmax_table& table) {
  for (const int cols : {3, 17, 64, 100, 257, 1000, 2048}) {
    for (const double scale : {1.0, 0.125, -2.5}) {
      if (scale != 1 && !set.scaled) continue;
      const softmax_input input = all_logit_kinds(set, cols, scale);
      const softmax_accuracy found = compare(input, run(input));
      CHECK(found.fault == "");
      table.add(set, cols, found);
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
    table.add(set, cols, found);
  }
}

void write_table(const std::string& op, const std::string& text) {
  std::printf("%s\n\n%s\n", op.c_str(), text.c_str());
  if (const char* file = std::getenv("ROWFOLD_ACCURACY_TABLE")) {
    std::ofstream out(file);
    out << text;
    CHECK(out.flush().good());
  }
}

}  // namespace rowfold_test
