// SPDX-License-Identifier: MIT
// Elements of a type known at run time: to and from double, and their neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "support/values.hpp"

namespace rowfold_test {

// byte: an 8-bit code, whose value is its bits.
enum class element { float32, float64, float16, bfloat16, byte };

constexpr std::size_t bytes_of(element type) {
  return type == element::float64 ? 8 : type == element::float32 ? 4 : type == element::byte ? 1 : 2;
}

// Calls f with a value of the element's type: f(float()), f(__half()), ...
template <class F>
auto with_type(element type, F&& f) {
  switch (type) {
    case element::float32:
      return f(float{});
    case element::float64:
      return f(double{});
    case element::float16:
      return f(__half{});
    case element::byte:
      return f(std::uint8_t{});
    case element::bfloat16:
      break;
  }
  return f(__nv_bfloat16{});
}

// Rounds once and writes the element's bytes.
inline void encode(element type, double value, unsigned char* to) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    const T rounded = from_double<T>(value);
    std::memcpy(to, &rounded, sizeof(T));
  });
}

// The value of an element: exact.
inline double decode(element type, const unsigned char* from) {
  return with_type(type, [&](auto value) {
    std::memcpy(&value, from, sizeof(value));
    return to_double(value);
  });
}

// `value` rounded once to the type.
inline double round_to(element type, double value) {
  return with_type(type, [&](auto zero) { return to_double(from_double<decltype(zero)>(value)); });
}

// The unit in the last place of the type at |value|.
inline double ulp(element type, double value) {
  return with_type(type, [&](auto zero) { return ulp<decltype(zero)>(value); });
}

// How many values of a 16-bit type lie between two of them: 1 for neighbours. +0 and -0 are the same value; infinity is
// the neighbour of the largest finite number.
inline int steps_between(element type, double a, double b) {
  const auto place = [&](double value) {
    unsigned char bytes[8] = {};  // room for any type, for the compiler's sake
    encode(type, value, bytes);
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes, sizeof(bits));
    const int size = bits & 0x7fff;
    return (bits & 0x8000) != 0 ? -size : size;
  };
  const int distance = place(a) - place(b);
  return distance < 0 ? -distance : distance;
}

// The same bits: also of zeros and NaN.
inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

}  // namespace rowfold_test
