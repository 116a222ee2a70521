// SPDX-License-Identifier: MIT
// Elementwise ops on 8-bit elements: alone (granules of 16, heads of up to 15), beside float and beside double
// (granules of 4, which are two accesses of double).
#include <cstdint>
#include <vector>

#include "elementwise/ops_under_test.cuh"
#include "rowfold/numeric/float8.cuh"
#include "support/check.hpp"

namespace rowfold_test {

template <>
inline __nv_fp8_e4m3 from_double<__nv_fp8_e4m3>(double value) {
  return __nv_fp8_e4m3(static_cast<float>(value));
}

struct add_float8 : add_float {
  using in = types<__nv_fp8_e4m3, __nv_fp8_e4m3>;
  using out = types<__nv_fp8_e4m3>;
};

struct add_float8_float : add_float {
  using in = types<__nv_fp8_e4m3, float>;
  using out = types<__nv_fp8_e4m3>;
};

struct multiply_float8_double : multiply_double {
  using in = types<__nv_fp8_e4m3, double>;
};

}  // namespace rowfold_test

using namespace rowfold_test;

namespace {

// Op on inputs of one phase, its output in that phase and in others.
template <class Op>
void check_places(std::size_t granule) {
  for (const std::int64_t count : {1, 15, 16, 17, 31, 32, 33, 100, 519, 520, 521, 2079, 2080, 2081}) {
    // Whole numbers from -8 to 8, whose sums are exact in 4 significant bits.
    const auto size = static_cast<std::size_t>(count);
    const std::vector<std::vector<double>> values = {random_values<double>(1, size, distribution::integers, 0),
                                                     random_values<double>(1, size, distribution::integers, 1)};
    const auto expected = expected_bytes<Op>(values);
    for (std::size_t offset = 0; offset <= granule; ++offset) {
      for (const std::size_t y : {offset, offset + 1, offset + granule}) {
        INFO(count << " elements, offsets of " << offset << " and " << y);
        tensor_places places;
        places.offsets = {offset, offset, y};
        elementwise_call<Op> call(count, places);
        call.upload(values);
        const rowfold::elementwise_plan plan =
            rowfold::plan_elementwise<small_tuning>(call.arguments(), rowfold::device_info{});
        CHECK(plan.problem.granule == static_cast<int>(granule));
        CHECK((plan.access == rowfold::elementwise_access::vectors) == (y != offset + 1));
        CHECK(call.run() == expected);
      }
    }
  }
}

}  // namespace

TEST_CASE("8-bit elements: any count, any address") { check_places<add_float8>(16); }

TEST_CASE("8-bit elements beside float and double: any count, any address") {
  check_places<add_float8_float>(4);
  check_places<multiply_float8_double>(4);
}
