// SPDX-License-Identifier: MIT
// Elementwise ops on 8-bit elements: granules of 16, heads of up to 15 elements, phases of single bytes.
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
  using in = types<__nv_fp8_e4m3, float>;
  using out = types<__nv_fp8_e4m3>;
};

}  // namespace rowfold_test

using namespace rowfold_test;

TEST_CASE("8-bit elements: any count, any address") {
  for (const std::int64_t count : {1, 15, 16, 17, 31, 32, 33, 100, 2079, 2080, 2081}) {
    // Whole numbers from -8 to 8, whose sums are exact in 4 significant bits.
    const auto size = static_cast<std::size_t>(count);
    const std::vector<std::vector<double>> values = {random_values<double>(1, size, distribution::integers, 0),
                                                     random_values<double>(1, size, distribution::integers, 1)};
    const auto expected = expected_bytes<add_float8>(values);
    for (std::size_t offset = 0; offset < 17; ++offset) {
      for (const std::size_t y : {offset, offset + 1}) {
        INFO(count << " elements, offsets of " << offset << " and " << y);
        tensor_places places;
        places.offsets = {offset, offset, y};
        elementwise_call<add_float8> call(count, places);
        call.upload(values);
        const rowfold::elementwise_plan plan = rowfold::plan_elementwise<small_tuning>(call.arguments());
        CHECK((plan.access == rowfold::elementwise_access::vectors) == (y == offset));
        CHECK(call.run() == expected);
      }
    }
  }
}
