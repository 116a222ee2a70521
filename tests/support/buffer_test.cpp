// SPDX-License-Identifier: MIT
// buffer keeps its alignment, its canaries and its elements.
#include "support/buffer.cuh"

#include "support/check.hpp"

using rowfold_test::buffer;

TEST_CASE("a buffer gives back what was uploaded, at the alignment asked for") {
  for (const std::size_t offset : {0u, 1u, 3u, 4u}) {
    buffer<float> memory(5, offset);
    CAPTURE(offset);
    CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % 256 == offset * sizeof(float));
    memory.upload({1, 2, 3, 4, 5});
    CHECK(memory.download() == std::vector<float>{1, 2, 3, 4, 5});
    memory.fill_bytes(0);
    CHECK(memory.download() == std::vector<float>(5, 0.0f));
    CHECK(memory.canaries_intact());
  }
  CHECK(buffer<int>(0).canaries_intact());
}

TEST_CASE("a byte changed on either side breaks the canaries") {
  for (const int where : {-1, 3}) {
    CAPTURE(where);
    buffer<unsigned char> memory(3, 1);
    memory.upload({7, 8, 9});
    REQUIRE(memory.canaries_intact());
    const unsigned char other = 0;
#if defined(__CUDACC__)
    rowfold_test::require_success(cudaMemcpy(memory.data() + where, &other, 1, cudaMemcpyHostToDevice));
#else
    memory.allow_all();
    memory.data()[where] = other;
#endif
    CHECK_FALSE(memory.canaries_intact());
    CHECK(memory.download() == std::vector<unsigned char>{7, 8, 9});
  }
}
