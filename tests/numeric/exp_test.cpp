// SPDX-License-Identifier: MIT
// The exponential against the host library's in a wider type, its special values, and the same bits on both back ends.
#include "rowfold/numeric/exp.cuh"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "support/check.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using rowfold_test::map_on_device;

namespace {

struct exponential {
  template <class T>
  ROWFOLD_DEVICE T operator()(T x) const {
    return rowfold::math::exp(x);
  }
};
struct fast_exponential {
  ROWFOLD_DEVICE float operator()(float x) const { return rowfold::math::fast::exp(x); }
};

float from_bits(unsigned bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

// Floats of both signs, spread over all exponents up to where exp overflows or vanishes.
std::vector<float> float_inputs() {
  std::vector<float> inputs;
  constexpr unsigned stride = 4099;                              // a prime: about 270 thousand values of each sign
  for (unsigned bits = 0; bits < 0x42d20000u; bits += stride) {  // |x| < 105
    inputs.push_back(from_bits(bits));
    inputs.push_back(from_bits(bits | 0x80000000u));
  }
  return inputs;
}

// Whether the device turns subnormal results into zero (-ftz=true, a part of --use_fast_math).
bool flushes_subnormals() { return map_on_device<float>(exponential{}, std::vector<float>{-90.0f})[0] == 0.0f; }

}  // namespace

TEST_CASE("exp of a float is within 1 ulp") {
  const auto inputs = float_inputs();
  const auto outputs = map_on_device<float>(exponential{}, inputs);
  const bool flushed = flushes_subnormals();
  double worst = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double exact = std::exp(static_cast<double>(inputs[i]));
    if (exact > static_cast<double>(std::numeric_limits<float>::max())) {
      CHECK(outputs[i] == HUGE_VALF);
    } else if (flushed && exact < static_cast<double>(std::numeric_limits<float>::min())) {
      CHECK(static_cast<double>(outputs[i]) <= static_cast<double>(std::numeric_limits<float>::min()));
    } else {
      worst = std::max(worst, rowfold_test::ulp_error<float>(static_cast<double>(outputs[i]), exact));
    }
  }
  CHECK(worst > 0.5);  // exactly rounded it is not
  CHECK(worst < 1.0);
}

TEST_CASE("exp of a double is within 1 ulp") {
  std::mt19937_64 engine(rowfold_test::seed());
  std::uniform_real_distribution<double> wide(-745, 709), narrow(-2, 2);
  std::vector<double> inputs;
  for (int i = 0; i < 50000; ++i) {
    inputs.push_back(wide(engine));
    inputs.push_back(narrow(engine));
  }
  const auto outputs = map_on_device<double>(exponential{}, inputs);
  double worst = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const long double exact = std::exp(static_cast<long double>(inputs[i]));
    const long double error = std::abs(static_cast<long double>(outputs[i]) - exact);
    worst = std::max(worst, static_cast<double>(error / rowfold_test::ulp<double>(static_cast<double>(exact))));
  }
  CHECK(worst > 0.5);
  CHECK(worst < 1.0);
}

TEMPLATE_TEST_CASE("special arguments of exp", "", float, double) {
  using T = TestType;
  const T infinity = std::numeric_limits<T>::infinity();
  const auto y = map_on_device<T>(exponential{}, std::vector<T>{T(0), -T(0), infinity, -infinity, T(1000), T(-1000),
                                                                std::numeric_limits<T>::quiet_NaN()});
  CHECK(y[0] == T(1));
  CHECK(y[1] == T(1));
  CHECK(y[2] == infinity);
  CHECK((y[3] == T(0) && !std::signbit(y[3])));
  CHECK(y[4] == infinity);
  CHECK((y[5] == T(0) && !std::signbit(y[5])));
  CHECK(std::isnan(y[6]));
}

TEST_CASE("exp has the same bits on both back ends") {
  // A checksum of all results (FNV-1a), as the CPU back end computes it: a GPU that differs in one bit fails here.
  const auto outputs = map_on_device<float>(exponential{}, float_inputs());
  std::uint64_t checksum = 0xcbf29ce484222325u;
  for (const float y : outputs) {
    unsigned bits;
    std::memcpy(&bits, &y, sizeof(bits));
    if (bits < 0x00800000u) bits = 0;  // subnormal results, which -ftz=true flushes
    checksum = (checksum ^ bits) * 0x100000001b3u;
  }
  CHECK(checksum == 0xc4186a65225b30feu);
}

TEST_CASE("fast exp keeps its stated error") {
  std::vector<float> inputs;
  for (int i = -20000; i <= 20000; ++i) inputs.push_back(static_cast<float>(i) * 0.001f);
  const auto outputs = map_on_device<float>(fast_exponential{}, inputs);
  double worst = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double exact = std::exp(static_cast<double>(inputs[i]));
    const double bound = 0x1p-22 + std::abs(static_cast<double>(inputs[i])) * 0x1p-24;
    worst = std::max(worst, std::abs(static_cast<double>(outputs[i]) - exact) / exact / bound);
  }
  CHECK(worst > 0);
  CHECK(worst <= 1.0);
}
