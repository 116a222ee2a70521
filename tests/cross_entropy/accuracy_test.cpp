// SPDX-License-Identifier: MIT
// Cross-entropy against a reference in double: every type of logits, widths around every change of path, rows that are
// hard for a careless algorithm, every option. The measured maxima become a table.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "cross_entropy/reference.hpp"
#include "support/accuracy_table.hpp"
#include "support/check.hpp"
#include "support/seed.hpp"

using namespace cross_entropy_test;
using namespace rowfold_test;

namespace {

void add(accuracy_table& table, const logit_type& type, int cols, const accuracy& found) {
  table.add(std::string(type.name) + ": loss", cols, found.worst_loss);
  table.add(std::string(type.name) + ": log-sum-exp", cols, found.worst_lse);
}

// How random inputs lie in memory: any alignment, any stride, any variant.
placement random_placement(std::mt19937_64& engine, int cols) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(engine() % n); };
  placement where;
  where.name = "random placement";
  where.count_bytes = true;
  if (below(3) != 0) {
    for (std::size_t* offset : {&where.x_offset, &where.label_offset, &where.loss_offset, &where.lse_offset}) {
      *offset = below(9);
    }
  }
  if (below(3) == 0) where.layout = rowfold::row_layout::strided(cols + static_cast<int>(below(9)));
  where.wide_labels = below(2) == 0;
  where.lse = below(4) != 0;
  where.request.any_access = below(4) == 0;
  where.request.staged = below(4) == 0;
  where.request.reread = below(4) == 0;
  if (below(4) == 0) where.request.block_threads = 32 << below(4);
  return where;
}

void choose_options(std::mt19937_64& engine, cross_entropy_input& input) {
  static const double smoothings[] = {0, 0, 0.1, 0.9, 1};
  static const double losses[] = {0, 1e-4, 1e-2};
  static const double caps[] = {0, 0, 30, 1.5};
  input.label_smoothing = smoothings[engine() % 5];
  input.z_loss = losses[engine() % 3];
  input.soft_cap = caps[engine() % 4];
}

std::vector<int> random_widths(std::mt19937_64& engine) {
  std::vector<int> widths;
  for (int cols = 1; cols <= 40; ++cols) widths.push_back(cols);
  for (int i = 0; i < 60; ++i) widths.push_back(1 + static_cast<int>(engine() % 1500));
  if (sanitized) return widths;
  for (int i = 0; i < 12; ++i) widths.push_back(1 + static_cast<int>(engine() % 20000));
  return widths;
}

}  // namespace

TEST_CASE(
    "cross-entropy: loss and lse are within the bounds, whatever the rows, the type, the options and the place in "
    "memory") {
  accuracy_table table(
      "cross_entropy",
      "normal of several deviations, large mean of either sign, constant, nearly equal, rising, falling, "
      "one dominant, -inf in all or many places, +inf, NaN, tiny, huge, denormal; every option",
      "ulp of float at max(|result|, |largest logit|, 1). Bound: 8");
  for (const logit_type* type : logit_types()) {
    for (const int cols : {1, 2, 3, 8, 33, 64, 100, 255, 256, 1000, 1024, 4096, 8192, 32768}) {
      if (sanitized && cols > 1100) continue;
      cross_entropy_input input = hard_logits(*type, cols);
      for (const double smoothing : {0.0, 0.1}) {
        if (smoothing != 0 && cols > 10000) continue;
        input.label_smoothing = smoothing;
        const accuracy found = compare(input, run(input));
        CHECK(found.fault == "");
        add(table, *type, cols, found);
      }
    }
    std::mt19937_64 engine(seed());
    for (const int cols : random_widths(engine)) {
      cross_entropy_input input = normal_logits(*type, cols > 4096 ? 1 : 1 + static_cast<std::int64_t>(engine() % 4),
                                                cols, engine() % 1000, 0.1 * static_cast<double>(1 + engine() % 50));
      choose_options(engine, input);
      const placement where = random_placement(engine, cols);
      const cross_entropy_output output = run(input, where);
      const accuracy found = compare(input, output);
      INFO("offset " << where.x_offset << ", smoothing " << input.label_smoothing << ", z-loss " << input.z_loss
                     << ", cap " << input.soft_cap << ", " << cols << " columns");
      CHECK(found.fault == "");
      if (on_cpu) CHECK(output.issued_bytes == output.plan.issued_bytes);
      add(table, *type, cols, found);
    }
  }
  table.write();
}

TEST_CASE("cross-entropy: vocabularies of language models, few rows") {
  for (const logit_type* type : logit_types()) {
    for (const int cols : {50257, 128256, 151936, 262144}) {
      if (sanitized && cols > 60000) continue;
      if (on_cpu && type->x == element::float16) continue;  // as bfloat16, and slow
      CHECK(compare(normal_logits(*type, 1, cols), run(normal_logits(*type, 1, cols))).fault == "");
    }
  }
}

TEST_CASE("cross-entropy: rounding errors do not add up in the widest rows") {
  // Equal values err in the same direction in every addition; rising ones make a careless sum rescale again and again.
  const int cols = sanitized ? 20000 : 262144;
  const cross_entropy_input input = hard_logits(float_logits, cols);
  const accuracy found = compare(input, run(input));
  CHECK(found.fault == "");
  WARN("largest errors: loss " << found.worst_loss << ", lse " << found.worst_lse);
}

TEST_CASE("cross-entropy: a label that carries nearly all the weight has a loss of exactly 0, or as small as it is") {
  for (const logit_type* type : logit_types()) {
    for (const int cols : {2, 64, 1000, 5000}) {
      cross_entropy_input input = normal_logits(*type, 1, cols);
      for (double& value : input.x) value = type->x == element::float32 ? 12345.678 : -3.5;
      input.labels = {cols - 1};
      input.x.back() = input.x.front() + 100;
      CHECK(run(input).loss[0] == 0);
      input.x.back() = input.x.front() + 9;
      if (type->x != element::float32) continue;  // the sum has been rounded
      const double rest = (cols - 1) * std::exp(round_to(type->x, input.x.front()) - round_to(type->x, input.x.back()));
      CHECK(std::abs(run(input).loss[0] - std::log1p(rest)) < 1e-6);
    }
  }
}
