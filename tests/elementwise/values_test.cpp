// SPDX-License-Identifier: MIT
// What elementwise ops compute: the function in float, one rounding, the same bits wherever the tensors lie; special
// values pass through and touch no neighbour.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "elementwise/ops_under_test.cuh"
#include "rowfold/folds/sum.cuh"
#include "support/check.hpp"
#include "support/subnormals.hpp"

using namespace rowfold_test;

namespace {

const double nan_value = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

template <class Op>
std::vector<std::vector<unsigned char>> run_at(const std::vector<std::vector<double>>& values,
                                               const std::vector<std::size_t>& offsets) {
  tensor_places places;
  places.offsets = offsets;
  elementwise_call<Op> call(static_cast<std::int64_t>(values[0].size()), places);
  call.upload(values);
  return call.run();
}

// The library's own operators and any other callable are functions, too.
struct library_sum : add_float {
  using function = rowfold::sum;
};

template <class T>
std::vector<T> elements_of(const std::vector<unsigned char>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Sums of all pairs of these values, by an op on T, against float arithmetic and one rounding to T.
template <class Op, class T>
void check_special_sums(const std::vector<double>& specials) {
  std::vector<std::vector<double>> values(2);
  for (const double a : specials) {
    for (const double b : specials) {
      values[0].push_back(to_double(from_double<T>(a)));
      values[1].push_back(to_double(from_double<T>(b)));
    }
  }
  for (const std::vector<std::size_t>& offsets : {std::vector<std::size_t>{0}, {1}, {0, 0, 1}}) {
    const std::vector<T> sums = elements_of<T>(run_at<Op>(values, offsets)[0]);
    REQUIRE(sums.size() == values[0].size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const float in_float = static_cast<float>(values[0][i]) + static_cast<float>(values[1][i]);
      const double expected = to_double(from_double<T>(static_cast<double>(in_float)));
      const double found = to_double(sums[i]);
      INFO(values[0][i] << " + " << values[1][i] << " = " << found << ", expected " << expected);
      if (std::isnan(expected)) {
        CHECK(std::isnan(found));
      } else {
        CHECK(found == expected);
        CHECK(std::signbit(found) == std::signbit(expected));
      }
    }
  }
}

}  // namespace

TEST_CASE("the same bits wherever the tensors lie") {
  const auto values = random_inputs<add_float>(1041, distribution::normal);
  const auto narrow_values = random_inputs<add_bfloat16>(1041, distribution::normal);
  const auto mixed_values = random_inputs<subtract_mixed>(1041, distribution::normal);
  const auto expected = run_at<add_float>(values, {0});
  const auto narrow_expected = run_at<add_bfloat16>(narrow_values, {0});
  const auto mixed_expected = run_at<subtract_mixed>(mixed_values, {0});
  for (std::size_t a = 0; a < 9; ++a) {
    for (const std::size_t y : {a, a + 1, a + 4}) {
      CHECK(run_at<add_float>(values, {a, a, y}) == expected);
      CHECK(run_at<add_bfloat16>(narrow_values, {a, a, y}) == narrow_expected);
      CHECK(run_at<subtract_mixed>(mixed_values, {a, a, y}) == mixed_expected);
    }
  }
  CHECK(run_at<library_sum>(values, {0}) == expected);
}

TEST_CASE("sums are those of float arithmetic, rounded once") {
  const auto values = random_inputs<add_bfloat16>(1041, distribution::normal);
  const std::vector<__nv_bfloat16> sums = elements_of<__nv_bfloat16>(run_at<add_bfloat16>(values, {1})[0]);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const float in_float = static_cast<float>(values[0][i]) + static_cast<float>(values[1][i]);
    CHECK(to_double(sums[i]) == to_double(from_double<__nv_bfloat16>(static_cast<double>(in_float))));
  }
}

TEST_CASE("special values") {
  std::vector<double> specials = {0.0, -0.0, 1.0, -1.5, nan_value, infinity, -infinity, 0x1p-126, 0x1p120};
  specials.push_back(std::numeric_limits<float>::max());  // its sum overflows; in bfloat16 it is infinity
  if (!rowfold_test::subnormals_are_zero) specials.insert(specials.end(), {0x1p-130, -0x1p-133});
  check_special_sums<add_float, float>(specials);
  check_special_sums<add_bfloat16, __nv_bfloat16>(specials);
}
