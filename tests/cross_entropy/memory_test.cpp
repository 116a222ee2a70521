// SPDX-License-Identifier: MIT
// Where cross-entropy reads and writes: nothing but the rows, the labels and its results, for any width, address and
// stride. run() looks after canaries and gaps in every test; here are the shapes that are known to break them.
#include <cstdint>
#include <vector>

#include "cross_entropy/reference.hpp"
#include "support/check.hpp"

using namespace cross_entropy_test;
using namespace rowfold_test;
using rowfold::row_layout;

namespace {

void check_right(const cross_entropy_input& input, const placement& where = {}) {
  const cross_entropy_output output = run(input, where);
  CHECK(compare(input, output).fault == "");
  if (on_cpu && where.count_bytes) CHECK(output.issued_bytes == output.plan.issued_bytes);
}

}  // namespace

TEST_CASE("cross-entropy: odd rows behind one another, of every width and at every address", "[sanitize]") {
  for (const logit_type* type : logit_types()) {
    for (int cols = 1; cols <= 40; ++cols) {
      placement where;
      where.count_bytes = true;
      where.x_offset = static_cast<std::size_t>(cols) % 9;
      check_right(normal_logits(*type, 7, cols), where);
    }
    check_right(normal_logits(*type, 7, 769));
  }
}

TEST_CASE("cross-entropy: rows may be strided, nested, or one and the same") {
  for (const logit_type* type : logit_types()) {
    placement where;
    for (const row_layout& layout :
         {row_layout::strided(384), row_layout::strided(131), row_layout::nested(4, 128, 80 * 128)}) {
      where.layout = layout;
      where.count_bytes = true;
      check_right(normal_logits(*type, 16, 128), where);
    }
    cross_entropy_input input = normal_logits(*type, 3, 100);
    for (std::size_t i = 100; i < input.x.size(); ++i) input.x[i] = input.x[i - 100];
    where = {};
    where.layout = row_layout::strided(0);
    check_right(input, where);
  }
}

TEST_CASE("cross-entropy: every kernel moves the bytes that its plan says", "[sanitize]") {
  for (const logit_type* type : logit_types()) {
    for (const int cols : {8, 64, 67, 512, 1027, 4096, 30000}) {
      if (sanitized && cols > 5000) continue;
      for (int kind = 0; kind < 4; ++kind) {
        placement where;
        where.count_bytes = true;
        where.request.any_access = kind == 1;
        where.request.reread = kind == 2;
        where.wide_labels = kind != 3;
        where.lse = kind != 3;
        check_right(normal_logits(*type, cols > 5000 ? 1 : 5, cols), where);
      }
    }
  }
}

TEST_CASE("cross-entropy: no number of columns falls between two kernels") {
  for (const logit_type* type : logit_types()) {
    alignas(16) static double aligned[2] = {};
    static float result = 0;
    for (int cols = 1; cols <= 300000; cols += cols < 20000 ? 1 : 97) {
      for (const bool any : {false, true}) {
        cross_entropy_call call;
        call.logits = call.labels = aligned;
        call.loss = &result;
        call.rows = 1000;
        call.cols = cols;
        call.request.any_access = any;
        const rowfold::row_plan plan = type->plan(call);
        const bool whole = !any && cols % type->granule() == 0;
        const bool sound = plan.status == rowfold::plan_status::ready && plan.shape_is_default &&
                           (plan.variant == rowfold::row_variant::streamed) == whole &&
                           static_cast<unsigned>(plan.rows_per_block * plan.shape.lanes) == plan.block_threads &&
                           static_cast<std::int64_t>(plan.grid_blocks) * plan.rows_per_block >= 1000 &&
                           static_cast<std::int64_t>(plan.grid_blocks - 1) * plan.rows_per_block < 1000;
        if (!sound) FAIL(type->name << ", " << cols << " columns");
      }
    }
  }
  for (const std::int64_t rows : {65535, 65536}) check_right(normal_logits(bfloat16_logits, rows, 2));
#if defined(__CUDACC__)
  for (const std::int64_t rows : {65537, 1000003}) check_right(normal_logits(float_logits, rows, 3));
  for (int cols = 8192; cols <= 131072; cols += 128) check_right(normal_logits(bfloat16_logits, 1, cols));
#endif
}
