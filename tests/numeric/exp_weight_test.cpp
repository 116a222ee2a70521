// SPDX-License-Identifier: MIT
// The weights of softmax against the host library's exponential in a wider type: their stated errors, what is exact,
// what becomes of d far below 0.
#include "rowfold/numeric/exp_weight.cuh"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "support/check.hpp"
#include "support/run.cuh"
#include "support/seed.hpp"

using rowfold_test::map_on_device;

namespace {

template <class Weight>
struct weigh {
  Weight weight;
  template <class T>
  ROWFOLD_DEVICE T operator()(T d) const {
    return rowfold::weight_of(weight, d);
  }
};

template <class Weight>
std::vector<typename Weight::value_type> weights(const std::vector<typename Weight::value_type>& d, double unit) {
  return map_on_device<typename Weight::value_type>(weigh<Weight>{rowfold::make_weight<Weight>(unit)}, d);
}

// Every 251st float from 0 to -120 / unit.
std::vector<float> distances(double unit) {
  std::vector<float> list = {0.0f};
  const float last = static_cast<float>(120 / unit);
  unsigned end = 0;
  std::memcpy(&end, &last, sizeof(end));
  for (unsigned bits = 0x20000000u; bits < end; bits += 251) {
    float d = 0;
    std::memcpy(&d, &bits, sizeof(d));
    list.push_back(-d);
  }
  return list;
}

// The largest error of weights of at least 2^-126, in units of 2^-23, less what their bound grows by with |d|.
template <class Weight>
double worst_error(double unit, double growth) {
  const std::vector<float> d = distances(unit);
  const std::vector<float> found = weights<Weight>(d, unit);
  double worst = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const double z = static_cast<double>(d[i]) * unit;
    const double exact = std::exp(z);
    if (exact < 0x1p-126) continue;
    const double error = std::abs(static_cast<double>(found[i]) / static_cast<double>(Weight::scale) / exact - 1);
    worst = std::max(worst, error * 0x1p23 - growth * -z);
  }
  return worst;
}

}  // namespace

TEST_CASE("exact weights of float keep their stated error") {
  using weight = rowfold::exact_exp_weight<float>;
  for (const double unit : {1.0, 1.75, 8.0, 0x1p64}) {
    const double worst = worst_error<weight>(unit, 0.5);
    CAPTURE(unit, worst);
    CHECK(worst <= 0.75);                  // 0.55 of the polynomial, and what rounding f adds
    if (unit == 1.0) CHECK(worst >= 0.3);  // else nothing was measured
  }
}

TEST_CASE("approximate weights keep their stated error") {
  for (const double unit : {1.0, 1.75, 8.0, 0x1p64}) {
    const double worst = worst_error<rowfold::approximate_exp_weight>(unit, 1.0);
    CAPTURE(unit, worst);
    CHECK(worst <= 4.0);
  }
}

TEST_CASE("a distance of 0 weighs exactly 1, and one far away nothing beside it") {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const double unit : {1.0, 1.5, 0x1p64}) {
    const std::vector<float> d = {0.0f, static_cast<float>(-1000 / unit), -3e38f, -infinity};
    const std::vector<float> exact = weights<rowfold::exact_exp_weight<float>>(d, unit);
    CHECK(exact[0] == rowfold::exact_exp_weight<float>::scale);
    const std::vector<float> approximate = weights<rowfold::approximate_exp_weight>(d, unit);
    CHECK(approximate[0] == rowfold::approximate_exp_weight::scale);
    for (std::size_t i = 1; i < d.size(); ++i) {
      CHECK(exact[i] * (1.0f / exact[0]) == 0.0f);
      CHECK(approximate[i] == 0.0f);
    }
  }
  const std::vector<double> wide = {0.0, -1000.0, -std::numeric_limits<double>::infinity()};
  const std::vector<double> found = weights<rowfold::exact_exp_weight<double>>(wide, 1.0);
  CHECK(found == std::vector<double>{1.0, 0.0, 0.0});
}

TEST_CASE("weights that are subnormal beside the largest one lose nothing before they are divided by it") {
  std::vector<float> d;
  for (int i = 0; i < 2000; ++i) d.push_back(-87.0f - 0.01f * static_cast<float>(i));
  const std::vector<float> found = weights<rowfold::exact_exp_weight<float>>(d, 1.0);
  for (std::size_t i = 0; i < d.size(); ++i) {
    const double quotient =
        static_cast<double>(found[i]) / static_cast<double>(rowfold::exact_exp_weight<float>::scale);
    const double exact = std::exp(static_cast<double>(d[i]));
    const double bound = exact * (0.75 - 0.5 * static_cast<double>(d[i])) * 0x1p-23;
    const double error = std::abs(quotient - exact);
    if (exact > 0x1p-150 && !(error <= bound)) FAIL("e^" << d[i] << " is off by " << error);
  }
  SUCCEED("all of them");
}
