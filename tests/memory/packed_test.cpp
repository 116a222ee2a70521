// SPDX-License-Identifier: MIT
// packed: elements as words. Every element lies where it would lie in memory; widen is exact, narrow rounds once.
#include "rowfold/memory/packed.cuh"

#include <cmath>
#include <cstring>
#include <vector>

#include "rowfold/numeric/float8.cuh"
#include "rowfold/numeric/int8.cuh"
#include "support/run.cuh"
#include "support/values.hpp"

using rowfold::packed;
using rowfold::vec;
using rowfold_test::map_on_device;

namespace {

using rowfold_test::to_double;

template <class Element, int Columns>
struct granule_type {
  using element = Element;
  static constexpr int columns = Columns;
};

double to_double(__nv_fp8_e4m3 x) { return static_cast<double>(static_cast<float>(x)); }
double to_double(__nv_fp8_e5m2 x) { return static_cast<double>(static_cast<float>(x)); }

struct widen_packed {
  template <class T, int N>
  ROWFOLD_DEVICE vec<rowfold::accumulate_t<T>, N> operator()(const packed<T, N>& p) const {
    return rowfold::widen(p);
  }
};

template <class T>
struct narrow_values {
  template <class From, int N>
  ROWFOLD_DEVICE packed<T, N> operator()(const vec<From, N>& values) const {
    return rowfold::narrow<T>(values);
  }
};

// Takes every element out and puts it into an empty packed, in reverse order.
struct move_elements {
  template <class T, int N>
  ROWFOLD_DEVICE packed<T, N> operator()(const packed<T, N>& p) const {
    packed<T, N> moved{};
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) rowfold::put_element(moved, N - 1 - i, rowfold::element_bits(p, i));
    return moved;
  }
};

template <class T, int N>
T element_in_memory(const packed<T, N>& p, int i) {
  T element;
  std::memcpy(static_cast<void*>(&element),
              reinterpret_cast<const unsigned char*>(&p) + i * static_cast<int>(sizeof(T)), sizeof(T));
  return element;
}

// Every bit pattern of 8-bit and 16-bit types, 65536 of the wider ones, N to a packed.
template <class T, int N>
std::vector<packed<T, N>> many_packed() {
  constexpr unsigned count = 65536;
  std::vector<T> elements(count);
  for (unsigned i = 0; i < count; ++i) {
    unsigned long long bits = i;
    if (sizeof(T) > 2) bits = (i * 0x9E3779B97F4A7C15ull) >> (sizeof(T) == 4 ? 32 : 0);
    std::memcpy(static_cast<void*>(&elements[i]), &bits, sizeof(T));
  }
  std::vector<packed<T, N>> granules(count / N, packed<T, N>{});
  for (unsigned i = 0; i < granules.size(); ++i)
    std::memcpy(&granules[i], static_cast<void*>(&elements[i * N]), N * sizeof(T));
  return granules;
}

}  // namespace

TEMPLATE_TEST_CASE("elements lie as in memory and widen exactly, and narrow gives them back", "",
                   (granule_type<__half, 1>), (granule_type<__half, 8>), (granule_type<__nv_bfloat16, 2>),
                   (granule_type<__nv_bfloat16, 8>), (granule_type<float, 4>), (granule_type<double, 2>),
                   (granule_type<__nv_fp8_e4m3, 1>), (granule_type<__nv_fp8_e4m3, 2>), (granule_type<__nv_fp8_e4m3, 8>),
                   (granule_type<__nv_fp8_e5m2, 4>), (granule_type<signed char, 2>), (granule_type<signed char, 16>)) {
  using T = typename TestType::element;
  constexpr int n = TestType::columns;
  const auto granules = many_packed<T, n>();
  const auto wide = map_on_device<vec<rowfold::accumulate_t<T>, n>>(widen_packed{}, granules);
  const auto back = map_on_device<packed<T, n>>(narrow_values<T>{}, wide);
  const auto reversed = map_on_device<packed<T, n>>(move_elements{}, granules);
  int wrong_wide = 0, wrong_back = 0, wrong_place = 0, numbers = 0;
  for (std::size_t g = 0; g < granules.size(); ++g) {
    for (int i = 0; i < n; ++i) {
      const T element = element_in_memory(granules[g], i);
      const T returned = element_in_memory(back[g], i);
      const T moved = element_in_memory(reversed[g], n - 1 - i);
      if (std::memcmp(&moved, &element, sizeof(T)) != 0) ++wrong_place;
      const double value = to_double(element);
      if (std::isnan(value)) {
        if (!std::isnan(static_cast<double>(wide[g][i])) || !std::isnan(to_double(returned))) ++wrong_wide;
        continue;
      }
      ++numbers;
      if (static_cast<double>(wide[g][i]) != value || std::signbit(wide[g][i]) != std::signbit(value)) ++wrong_wide;
      if (sizeof(T) == 1 && std::isinf(value)) continue;  // narrow saturates: float8_test
      if (std::memcmp(&returned, &element, sizeof(T)) != 0) ++wrong_back;
    }
  }
  CHECK(numbers > 60000);
  CHECK(wrong_wide == 0);
  CHECK(wrong_back == 0);
  CHECK(wrong_place == 0);
}

TEST_CASE("narrow rounds once, to nearest even, also from double") {
  // 1 + 2^-11 + 2^-30 lies above the middle between two halves; rounded to float first, it would be the middle, and go
  // down to even.
  const double above = 1.0 + 0x1p-11 + 0x1p-30;
  const std::vector<vec<double, 2>> doubles = {{{above, -above}}};
  const auto halves = map_on_device<packed<__half, 2>>(narrow_values<__half>{}, doubles);
  CHECK(to_double(element_in_memory(halves[0], 0)) == 1.0 + 0x1p-10);
  CHECK(to_double(element_in_memory(halves[0], 1)) == -1.0 - 0x1p-10);
  // Exact middles of float go to even, in both places of a pair.
  const std::vector<vec<float, 2>> floats = {{{1.0f + 0x1p-8f, 1.0f + 0x1.8p-7f}}};
  const auto bfloats = map_on_device<packed<__nv_bfloat16, 2>>(narrow_values<__nv_bfloat16>{}, floats);
  CHECK(to_double(element_in_memory(bfloats[0], 0)) == 1.0);
  CHECK(to_double(element_in_memory(bfloats[0], 1)) == 1.0 + 0x1p-6);
}
