// SPDX-License-Identifier: MIT
// vec: its layout, loads and stores of every width with every hint, and the legal width from pointer, stride and
// columns.
#include "rowfold/memory/vec.cuh"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "rowfold/numeric/traits.hpp"
#include "support/check.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using rowfold::load_hint;
using rowfold::store_hint;
using rowfold::vec;
using rowfold_test::buffer;

TEST_CASE("a vec is as large as its elements and aligned for the widest access") {
  STATIC_REQUIRE(sizeof(vec<float, 4>) == 16);
  STATIC_REQUIRE(alignof(vec<float, 4>) == 16);
  STATIC_REQUIRE(sizeof(vec<float, 16>) == 64);
  STATIC_REQUIRE(alignof(vec<float, 16>) == 16);
  STATIC_REQUIRE(alignof(vec<double, 1>) == 8);
  STATIC_REQUIRE(sizeof(vec<__half, 2>) == 4);
  STATIC_REQUIRE(alignof(vec<__half, 2>) == 4);
  STATIC_REQUIRE(alignof(vec<unsigned char, 1>) == 1);
  STATIC_REQUIRE(vec<float, 8>::size == 8);
}

namespace {

template <class T, int N, load_hint Load, store_hint Store>
struct copy_body {
  const T* from;
  T* to;
  int vecs;
  ROWFOLD_DEVICE void operator()() const {
    const int threads = static_cast<int>(rowfold::simt::block_threads());
    for (int i = static_cast<int>(rowfold::simt::thread_rank()); i < vecs; i += threads) {
      rowfold::store_vec<Store>(to + N * i, rowfold::load_vec<N, Load>(from + N * i));
    }
  }
};

template <class T, int N, load_hint Load, store_hint Store>
void check_copy() {
  CAPTURE(sizeof(T), N, static_cast<int>(Load), static_cast<int>(Store));
  constexpr int vecs = 37;
  const auto values =
      rowfold_test::random_values<T>(1, static_cast<std::size_t>(N) * vecs, rowfold_test::distribution::normal, N);
  // The smallest alignment that the vec allows: one vec (or 16 bytes) past a larger boundary.
  const std::size_t offset = alignof(vec<T, N>) / sizeof(T);
  buffer<T> from(values.size(), offset), to(values.size(), offset);
  from.upload(values);
  rowfold_test::run(copy_body<T, N, Load, Store>{from.data(), to.data(), vecs}, 32);
  CHECK(std::memcmp(to.download().data(), values.data(), values.size() * sizeof(T)) == 0);
  CHECK(to.canaries_intact());
  CHECK(from.canaries_intact());
}

template <class T, int N>
void check_hints() {
  check_copy<T, N, load_hint::coherent, store_hint::write_back>();
  check_copy<T, N, load_hint::coherent, store_hint::streaming>();
  check_copy<T, N, load_hint::read_only, store_hint::write_back>();
}

}  // namespace

TEMPLATE_TEST_CASE("load_vec and store_vec move every bit at every width", "", float, double, __half, __nv_bfloat16) {
  check_hints<TestType, 1>();
  check_hints<TestType, 2>();
  check_hints<TestType, 4>();
  check_hints<TestType, 8>();
  check_hints<TestType, 16>();
}

namespace {

// The definition, tried out: the largest power of two of at most 16 bytes at which every vec of every row is aligned.
template <class T>
int largest_legal_size(std::uintptr_t address, long long row_stride, int cols) {
  int best = 1;
  for (int n = 2; n * static_cast<int>(sizeof(T)) <= 16; n *= 2) {
    bool legal = cols % n == 0;
    for (long long row = 0; row < 3; ++row) {
      for (int col = 0; col + n <= cols && col < 3 * n; col += n) {
        const auto element = static_cast<std::uintptr_t>(row * row_stride + col);
        legal = legal && (address + element * sizeof(T)) % (static_cast<unsigned>(n) * sizeof(T)) == 0;
      }
    }
    if (legal) best = n;
  }
  return best;
}

}  // namespace

TEMPLATE_TEST_CASE("the legal vec size follows from pointer, row stride and columns", "", float, double, __half,
                   unsigned char) {
  int largest = 0;
  for (std::uintptr_t element = 0; element <= 16; ++element) {
    for (long long row_stride : {0ll, 1ll, 2ll, 12ll, 24ll, 48ll, 100ll, 768ll, (1ll << 33) + 4}) {
      for (int cols : {1, 2, 3, 4, 6, 8, 12, 16, 24, 31, 32, 48, 768}) {
        const std::uintptr_t address = 4096 + element * sizeof(TestType);
        const int size = rowfold::max_vec_size(reinterpret_cast<const TestType*>(address), row_stride, cols);
        const int expected = largest_legal_size<TestType>(address, row_stride, cols);
        largest = expected > largest ? expected : largest;
        if (size != expected) {
          CAPTURE(element, row_stride, cols);
          REQUIRE(size == expected);
        }
      }
    }
  }
  CHECK(largest == 16 / static_cast<int>(sizeof(TestType)));
}
