// SPDX-License-Identifier: MIT
// Every element is read, computed and written once, wherever the tensors lie and however many elements there are, and
// nothing else is touched.
#include <cstdint>
#include <vector>

#include "elementwise/ops_under_test.cuh"
#include "support/check.hpp"

using namespace rowfold_test;

namespace {

// None, fewer than a granule, around one and two, a warp, one block of granules, min_granules of 2, 4 and 8 elements.
const std::vector<std::int64_t> counts = {0,  1,   2,   3,   7,   8,   9,   15,  16,  17,  31,   32,   33,
                                          63, 255, 256, 257, 259, 260, 261, 519, 520, 521, 1039, 1040, 1041};

template <class Op>
void check(std::int64_t count, const tensor_places& places) {
  const auto values = random_inputs<Op>(count, distribution::integers);
  elementwise_call<Op> call(count, places);
  call.upload(values);
  INFO(count << " elements, offsets of " << places.offset(0) << ", " << places.offset(1));
  CHECK(call.run() == expected_bytes<Op>(values));
}

template <class Op>
void check_places(std::int64_t count) {
  tensor_places places;
  for (const std::size_t offset : {0, 1, 3, 7}) {
    places.offsets = {offset};
    check<Op>(count, places);
  }
  // Out of phase: each tensor alone, and all of them differently.
  constexpr std::size_t tensors = Op::in::size + Op::out::size;
  std::vector<std::size_t> rising(tensors);
  for (std::size_t k = 0; k < tensors; ++k) {
    places.offsets.assign(tensors, 0);
    places.offsets[k] = 1;
    check<Op>(count, places);
    rising[k] = k + 1;
  }
  places.offsets = rising;
  check<Op>(count, places);
  places.offsets = {0};
  places.request.elements = true;
  check<Op>(count, places);
}

template <class Op>
void check_counts() {
  for (const std::int64_t count : counts) check_places<Op>(count);
}

}  // namespace

TEST_CASE("one type: any count, any address", "[sanitize]") {
  check_counts<add_float>();
  check_counts<add_bfloat16>();
}

TEST_CASE("several types in one op: any count, any address", "[sanitize]") {
  check_counts<subtract_mixed>();
  check_counts<multiply_double>();
}

TEST_CASE("one, three and four inputs, two outputs: any count, any address") {
  check_counts<scale_to_float>();
  check_counts<three_inputs>();
  check_counts<four_inputs_two_outputs>();
}

TEST_CASE("outputs over inputs", "[sanitize]") {
  for (const std::int64_t count : {1, 17, 256, 521, 1041}) {
    for (const std::size_t offset : {0, 1, 3}) {
      tensor_places places;
      places.in_place = true;
      places.offsets = {offset};
      check<add_float>(count, places);
      check<add_bfloat16>(count, places);
      check<subtract_mixed>(count, places);  // bfloat16 over half: elements of the same size
      check<sum_and_difference>(count, places);
      places.offsets = {offset, offset + 1, 0, 0};
      check<add_float>(count, places);
      check<add_bfloat16>(count, places);
      check<sum_and_difference>(count, places);
    }
  }
}

TEST_CASE("threads of several blocks keep to their own elements", "[race]") {
  tensor_places places;
  places.offsets = {1};
  check<add_bfloat16>(1100, places);  // 136 granules: one whole block, one of single granules
  places.in_place = true;
  check<sum_and_difference>(600, places);
  places.offsets = {0, 1, 0, 0};
  check<sum_and_difference>(250, places);
}

TEST_CASE("the library's own tuning, with whole blocks and single granules") {
  using tuning = rowfold::elementwise_tuning;
  constexpr std::int64_t count = 4 * tuning::min_granules + 4 * 300 + 3;
  tensor_places places;
  places.offsets = {3};
  const auto values = random_inputs<scale_to_float>(count, distribution::integers);
  elementwise_call<scale_to_float, tuning> call(count, places);
  call.upload(values);
  const rowfold::elementwise_plan plan = rowfold::plan_elementwise<tuning>(call.arguments(), rowfold::device_info{});
  CHECK(plan.whole_blocks > 0);
  CHECK(plan.grid_blocks > plan.whole_blocks);
  CHECK(plan.head == 1);
  CHECK(call.run() == expected_bytes<scale_to_float>(values));
}
