// SPDX-License-Identifier: MIT
// Functions of one float compared with a reference over floats of every exponent: the largest error, where it is, and a
// checksum of all results, by which the back ends are compared.
#pragma once

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

namespace rowfold_test {

inline float float_of_bits(unsigned bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}
inline unsigned bits_of_float(float x) {
  unsigned bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

// Finite floats of both signs: every 16411th (a prime) of all, about 130 thousand of each sign, every 397th of [1/64,
// 16), where functions bend, and the powers of two with their neighbours.
inline std::vector<float> float_sweep() {
  std::vector<float> values;
  const auto add = [&](unsigned magnitude) {
    if (magnitude >= 0x7f800000u) return;
    values.push_back(float_of_bits(magnitude));
    values.push_back(float_of_bits(magnitude | 0x80000000u));
  };
  for (unsigned bits = 0; bits < 0x7f800000u; bits += 16411) add(bits);
  for (unsigned bits = bits_of_float(0x1p-6f); bits < bits_of_float(16.0f); bits += 397) add(bits);
  for (unsigned exponent = 0; exponent < 255; ++exponent) {
    for (const unsigned step : {0u, 1u, 2u}) add((exponent << 23) + step);
    add((exponent << 23) + 0x7fffffu);
  }
  return values;
}

// Whether the device turns subnormal results into zero (-ftz=true, a part of --use_fast_math).
struct halve {
  ROWFOLD_DEVICE float operator()(float x) const { return rowfold::math::mul_rn(x, 0.5f); }
};
inline bool flushes_subnormals() {
  static const bool flushes = map_on_device<float>(halve{}, std::vector<float>{0x1p-126f})[0] == 0.0f;
  return flushes;
}

struct sweep_result {
  double worst = 0;  // ulp
  double at = 0;
  std::uint64_t checksum = 0xcbf29ce484222325u;  // FNV-1a of the results' bits
};

// Compares function(x) on the device with reference(double) in units of the last place of scale(x, reference(x)), for
// every x that `takes` accepts. Subnormal numbers, as arguments or results, are neither measured where the device
// flushes them nor part of the checksum.
template <class Function, class Reference, class Scale, class Takes>
sweep_result sweep(Function function, Reference reference, Scale scale, Takes takes) {
  std::vector<float> inputs;
  for (const float x : float_sweep()) {
    if (takes(x)) inputs.push_back(x);
  }
  const auto outputs = map_on_device<float>(function, inputs);
  constexpr double smallest = std::numeric_limits<float>::min();
  const bool flushed = flushes_subnormals();
  sweep_result result;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double x = static_cast<double>(inputs[i]);
    const double exact = reference(x);
    const bool tiny = std::abs(x) < smallest || std::abs(static_cast<double>(outputs[i])) <= smallest;
    if (!tiny) result.checksum = (result.checksum ^ bits_of_float(outputs[i])) * 0x100000001b3u;
    if (flushed && (tiny || std::abs(exact) <= smallest)) {
      if (!(std::abs(static_cast<double>(outputs[i])) <= std::abs(exact) + smallest)) result.worst = HUGE_VAL;
      continue;
    }
    const double error = ulp_error<float>(static_cast<double>(outputs[i]), exact, scale(x, exact));
    if (!(error <= result.worst)) {
      result.worst = error;
      result.at = x;
    }
  }
  return result;
}

inline bool take_all(float) { return true; }
inline double own_scale(double, double exact) { return exact; }

// Doubles spread over (-limit, limit), half of them evenly, half of them over the exponents from 2^-60 on.
inline std::vector<double> double_sample(double limit) {
  std::mt19937_64 engine(seed());
  std::uniform_real_distribution<double> even(-limit, limit), exponent(-60, std::log2(limit));
  std::vector<double> values;
  for (int i = 0; i < 20000; ++i) {
    values.push_back(even(engine));
    values.push_back(std::exp2(exponent(engine)) * (i % 2 == 0 ? 1 : -1));
  }
  return values;
}

// The largest error of a function of double against a reference in long double, in ulp of scale(x, reference(x)).
template <class Function, class Reference, class Scale>
sweep_result sweep_double(Function function, Reference reference, Scale scale, const std::vector<double>& inputs) {
  const auto outputs = map_on_device<double>(function, inputs);
  sweep_result result;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const long double exact = reference(static_cast<long double>(inputs[i]));
    const double unit = ulp<double>(scale(inputs[i], static_cast<double>(exact)));
    const double error = static_cast<double>(std::abs(static_cast<long double>(outputs[i]) - exact)) / unit;
    if (!(error <= result.worst)) {
      result.worst = error;
      result.at = inputs[i];
    }
  }
  return result;
}

}  // namespace rowfold_test
