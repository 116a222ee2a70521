// SPDX-License-Identifier: MIT
// The same row gives the same bits, whichever kernel serves it, wherever its tensors lie, whatever rows are beside it,
// as often as it is asked.
#include <set>
#include <string>
#include <vector>

#include "cross_entropy/reference.hpp"
#include "support/check.hpp"
#include "support/variants.hpp"

using namespace cross_entropy_test;
using namespace rowfold_test;
using rowfold::row_layout;

namespace {

void check_same(const cross_entropy_output& expected, const cross_entropy_output& found, const char* what) {
  INFO(what);
  CHECK(same_bits(expected.loss, found.loss));
  if (!found.lse.empty()) CHECK(same_bits(expected.lse, found.lse));
}

// Which of the library's kernels a plan runs, and whether it brings rows in parts.
std::string kernel_with_parts(const rowfold::row_plan& plan) {
  const std::string group = plan.shape.lanes > 32 ? "block " : "warp ";
  if (plan.variant == rowfold::row_variant::streamed) return group + "streamed";
  return plan.variant == rowfold::row_variant::staged ? group + "staged" : group + "in parts";
}

std::vector<placement> variations(const logit_type& type, int cols) {
  std::vector<placement> list = kernel_variants<placement>();
  placement where;
  where.name = "in parts, other block size";
  where.request.reread = true;
  where.request.block_threads = 64;
  list.push_back(where);
  where = {};
  where.name = "logits off";
  for (const int offset : {1, 3, type.granule() - 1}) {
    where.x_offset = static_cast<std::size_t>(offset);
    list.push_back(where);
  }
  where = {};
  where.name = "labels, loss and lse off";
  where.label_offset = where.loss_offset = 1;
  where.lse_offset = 3;
  list.push_back(where);
  where = {};
  where.name = "strided by one element more";
  where.layout = row_layout::strided(cols + 1);
  list.push_back(where);
  where.name = "backwards, whole granules";
  where.layout = row_layout::strided(-(cols + type.granule() - 1) / type.granule() * type.granule());
  list.push_back(where);
  where.name = "nested";
  where.layout = row_layout::nested(2, cols + 5, 3 * cols + 20);
  list.push_back(where);
  where = {};
  where.name = "int32 labels";
  where.wide_labels = false;
  list.push_back(where);
  where.name = "int32 labels, short call";
  where.short_call = true;
  list.push_back(where);
  where.name = "short call without lse";
  where.wide_labels = true;
  where.lse = false;
  list.push_back(where);
  return list;
}

}  // namespace

TEST_CASE("cross-entropy: every kernel gives the bits of the other kernels", "[race][sanitize]") {
  for (const logit_type* type : logit_types()) {
    std::set<std::string> kernels;
    for (const int cols : {40, 264, 2560}) {
      const cross_entropy_input input = normal_logits(*type, 3, cols);
      const cross_entropy_output expected = run(input);
      kernels.insert(kernel_with_parts(expected.plan));
      CHECK(compare(input, expected).fault == "");
      rowfold::plan_request requests[3];
      requests[0].any_access = true;
      requests[1].reread = true;
      requests[2].staged = true;
      for (const rowfold::plan_request& request : requests) {
        placement where;
        where.name = "asked for";
        where.request = request;
        const cross_entropy_output found = run(input, where);
        kernels.insert(kernel_with_parts(found.plan));
        check_same(expected, found, kernel_with_parts(found.plan).c_str());
      }
    }
    CHECK(kernels == std::set<std::string>{"warp streamed", "warp staged", "warp in parts", "block streamed",
                                           "block staged", "block in parts"});
  }
}

TEST_CASE(
    "cross-entropy: bits do not depend on the variant, the addresses, the strides, the type of the labels or the "
    "call") {
  for (const logit_type* type : logit_types()) {
    for (const int cols : {1, 3, 8, 33, 64, 65, 257, 1000, 1024, 2051, 5120, 30000}) {
      if (sanitized && cols > 1100) continue;
      cross_entropy_input input = normal_logits(*type, cols <= 1100 ? 3 : 1, cols, 5, 4);
      const cross_entropy_output expected = run(input);
      for (const placement& where : variations(*type, cols)) {
        INFO(type->name << ", " << cols << " columns, offset " << where.x_offset);
        check_same(expected, run(input, where), where.name);
      }
      input.label_smoothing = 0.2;
      input.soft_cap = 10;
      const cross_entropy_output smooth = run(input);
      for (const placement& where : variations(*type, cols)) {
        if (!where.short_call) check_same(smooth, run(input, where), where.name);
      }
    }
  }
}

TEST_CASE("cross-entropy: the kernels with options give the bits of those without where the options do nothing") {
  for (const logit_type* type : logit_types()) {
    for (const int cols : {7, 100, 1024, 4096}) {
      cross_entropy_input input = normal_logits(*type, 2, cols);
      const cross_entropy_output expected = run(input);
      input.label_smoothing = 1e-30;  // of which nothing is left in float: 1 - smoothing is 1
      CHECK(same_bits(run(input).lse, expected.lse));
      CHECK(same_bits(run(input).loss, expected.loss));
    }
  }
}

TEST_CASE("cross-entropy: bits do not depend on which rows are beside a row, nor on how often it is run") {
  for (const logit_type* type : logit_types()) {
    for (const int cols : {5, 64, 129, 520}) {
      const cross_entropy_input input = normal_logits(*type, 40, cols);
      const cross_entropy_output expected = run(input);
      check_same(expected, run(input), "run again");
      for (const std::ptrdiff_t first : {0, 1, 17, 39}) {
        const std::ptrdiff_t count = first == 17 ? 23 : 1;
        const cross_entropy_output part = run(input.only(first, count));
        CHECK(same_bits(part.loss, {expected.loss.begin() + first, expected.loss.begin() + first + count}));
        CHECK(same_bits(part.lse, {expected.lse.begin() + first, expected.lse.begin() + first + count}));
      }
    }
  }
}

TEST_CASE("cross-entropy: another number of lanes is another fold shape, and as right") {
  for (const logit_type* type : logit_types()) {
    for (const int lanes : {1, 2, 16, 32, 64, 96, 512}) {
      const cross_entropy_input input = normal_logits(*type, 3, 1000);
      placement where;
      where.request.lanes = lanes;
      const cross_entropy_output found = run(input, where);
      CHECK(found.plan.shape.lanes == lanes);
      CHECK(compare(input, found).fault == "");
    }
  }
}
