// SPDX-License-Identifier: MIT
// Counting the bytes that kernels move per tensor.
#include "rowfold/cpu/traffic.hpp"

#include <vector>

#include "cpu/broken.hpp"
#include "rowfold/ptx/global_memory.cuh"

using namespace rowfold_test;

namespace {

struct alignas(16) words {
  float values[64];
};

template <int Bytes>
void copy(const float* from, float* to) {
  const auto value = rowfold::load_global<Bytes, rowfold::load_hint::coherent>(from);
  rowfold::store_global<Bytes, rowfold::store_hint::write_back>(to, value);
}

}  // namespace

TEST_CASE("loads and stores are counted for the range that they touch") {
  words x{}, y{};
  for (int i = 0; i < 64; ++i) x.values[i] = static_cast<float>(i);
  const cpu::watched_range watched_x(&x, sizeof(x));
  const cpu::watched_range watched_y(&y, sizeof(y));
  // 16 threads copy 16 bytes each; then each reads the first four bytes of x once more.
  CHECK(run_kernel({16}, [&] {
          const unsigned i = 4 * simt::thread_rank();
          copy<16>(x.values + i, y.values + i);
          (void)rowfold::load_global<4, rowfold::load_hint::read_only>(x.values);
        }) == cudaSuccess);
  CHECK(watched_x.loaded_bytes() == 16 * 16 + 16 * 4);
  CHECK(watched_x.stored_bytes() == 0);
  CHECK(watched_y.loaded_bytes() == 0);
  CHECK(watched_y.stored_bytes() == 16 * 16);
  CHECK(std::vector<float>(y.values, y.values + 64) == std::vector<float>(x.values, x.values + 64));
}

TEST_CASE("only the bytes within the range count, and only while it lives") {
  words x{}, y{};
  {
    const cpu::watched_range part(x.values + 2, 8);
    cpu::watched_range whole(&x, sizeof(x));
    CHECK(run_kernel({1}, [&] { copy<16>(x.values, y.values); }) == cudaSuccess);
    CHECK(part.loaded_bytes() == 8);
    CHECK(whole.loaded_bytes() == 16);
    whole.reset();
    CHECK(run_kernel({1}, [&] { copy<8>(x.values + 4, x.values); }) == cudaSuccess);
    CHECK(part.loaded_bytes() == 8);
    CHECK(part.stored_bytes() == 0);
    CHECK(whole.loaded_bytes() == 8);
    CHECK(whole.stored_bytes() == 8);
  }
  CHECK_FALSE(cpu::watched_range::any());
  CHECK(run_kernel({1}, [&] { copy<16>(x.values, y.values); }) == cudaSuccess);
}

TEST_CASE("a refused access is not counted") {
  words x{};
  const cpu::watched_range watched(&x, sizeof(x));
  CHECK(contains(failure_of({1}, [&] { copy<8>(x.values + 1, x.values); }), "misaligned 8-byte load"));
  CHECK(watched.loaded_bytes() == 0);
}
