// SPDX-License-Identifier: MIT
// Shuffles and votes give each lane what CUDA's definition says: every form, width and size of value, sub-masks, and
// several operations in a row.
#include "rowfold/simt/warp.cuh"

#include <vector>

#include "support/run.cuh"

namespace simt = rowfold::simt;
using rowfold_test::buffer;

namespace {

enum class form { index, xor_mask, up, down };

// What the lane reads, written down from the definition of the instruction and not from the implementation.
unsigned expected_source(form how, unsigned lane, unsigned operand, unsigned width) {
  const unsigned first = lane / width * width;
  const unsigned last = first + width - 1;
  switch (how) {
    case form::index:
      return first + operand % width;
    case form::xor_mask:
      return (lane ^ operand) <= last ? lane ^ operand : lane;
    case form::up:
      return lane >= first + operand ? lane - operand : lane;
    default:
      return lane + operand <= last ? lane + operand : lane;
  }
}

template <class T>
ROWFOLD_DEVICE T any_shuffle(form how, T value, unsigned operand, unsigned width) {
  if (how == form::index) return simt::shuffle(value, operand, width);
  if (how == form::xor_mask) return simt::shuffle_xor(value, operand, width);
  if (how == form::up) return simt::shuffle_up(value, operand, width);
  return simt::shuffle_down(value, operand, width);
}

struct read_lanes {
  form how;
  unsigned operand, width;
  unsigned* sources;
  ROWFOLD_DEVICE void operator()() const { sources[simt::lane()] = any_shuffle(how, simt::lane(), operand, width); }
};

struct three_words {
  int a, b, c;
};
struct four_words {
  double a;
  float b;
  int c;
};

template <class T>
ROWFOLD_DEVICE T numbered(unsigned lane);
template <>
ROWFOLD_DEVICE unsigned char numbered(unsigned lane) {
  return static_cast<unsigned char>(lane + 200);
}
template <>
ROWFOLD_DEVICE short numbered(unsigned lane) {
  return static_cast<short>(-1000 * static_cast<int>(lane));
}
template <>
ROWFOLD_DEVICE float numbered(unsigned lane) {
  return static_cast<float>(lane) + 0.25f;
}
template <>
ROWFOLD_DEVICE double numbered(unsigned lane) {
  return static_cast<double>(lane) * 1e100;
}
template <>
ROWFOLD_DEVICE three_words numbered(unsigned lane) {
  const int i = static_cast<int>(lane);
  return three_words{i, -i, i * 1000};
}
template <>
ROWFOLD_DEVICE four_words numbered(unsigned lane) {
  return four_words{-1.0 * lane, static_cast<float>(lane), static_cast<int>(lane) << 20};
}

// Counts the lanes that received, bit for bit, the value of lane (own + 1) % 32.
template <class T>
struct rotate {
  unsigned* good;
  ROWFOLD_DEVICE void operator()() const {
    const unsigned source = (simt::lane() + 1) % 32;
    const T received = simt::shuffle(numbered<T>(simt::lane()), source);
    const T wanted = numbered<T>(source);
    const unsigned char* a = reinterpret_cast<const unsigned char*>(&received);
    const unsigned char* b = reinterpret_cast<const unsigned char*>(&wanted);
    bool same = true;
    for (unsigned i = 0; i < sizeof(T); ++i) same = same && a[i] == b[i];
    good[simt::lane()] = same ? 1 : 0;
  }
};

struct vote_results {
  unsigned ballot, any, all, any_of_none, all_of_all;
};
struct cast_votes {
  vote_results* results;
  ROWFOLD_DEVICE void operator()() const {
    const bool third = simt::lane() % 3 == 0;
    results[simt::thread_rank()] =
        vote_results{simt::ballot(third), simt::any(simt::lane() == 17) ? 1u : 0u, simt::all(third) ? 1u : 0u,
                     simt::any(false) ? 1u : 0u, simt::all(true) ? 1u : 0u};
  }
};

// Both halves of a warp go their own way, with masks of their own, many times.
struct halves_apart {
  unsigned* sums;
  ROWFOLD_DEVICE void operator()() const {
    const unsigned lane = simt::lane();
    unsigned sum = lane;
    if (lane < 16) {
      for (unsigned m = 8; m > 0; m /= 2) sum += simt::shuffle_xor(sum, m, 16, 0x0000ffffu);
    } else {
      for (unsigned turn = 0; turn < 3; ++turn) sum = simt::shuffle(sum + 1, lane + 1, 16, 0xffff0000u);
    }
    sums[lane] = sum + simt::shuffle(0u, 0);
  }
};

struct prefix_sum {
  int* sums;
  ROWFOLD_DEVICE void operator()() const {
    int sum = static_cast<int>(simt::thread_rank());
    for (unsigned delta = 1; delta < 32; delta *= 2) {
      const int below = simt::shuffle_up(sum, delta);
      if (simt::lane() >= delta) sum += below;
    }
    sums[simt::thread_rank()] = sum;
  }
};

// Lanes write to shared places that other lanes read: right only if sync_warp orders memory.
struct pass_on_through_memory {
  int* places;
  int* results;
  ROWFOLD_DEVICE void operator()() const {
    const unsigned lane = simt::lane();
    int value = static_cast<int>(lane);
    for (int turn = 0; turn < 4; ++turn) {
      places[lane] = value;
      simt::sync_warp();  // orders the write above before the neighbour's read below
      value = places[(lane + 1) % 32] + 1;
      simt::sync_warp();  // orders the read above before the next turn's write
    }
    results[lane] = value;
  }
};

}  // namespace

TEST_CASE("a shuffle reads the lane that its form, operand and width name") {
  for (const form how : {form::index, form::xor_mask, form::up, form::down}) {
    for (const unsigned width : {1u, 2u, 4u, 8u, 16u, 32u}) {
      for (const unsigned operand : {0u, 1u, 3u, 8u, 16u, 31u}) {
        CAPTURE(static_cast<int>(how), width, operand);
        buffer<unsigned> sources(32);
        rowfold_test::run(read_lanes{how, operand, width, sources.data()}, 32);
        std::vector<unsigned> expected(32);
        for (unsigned lane = 0; lane < 32; ++lane) expected[lane] = expected_source(how, lane, operand, width);
        CHECK(sources.download() == expected);
      }
    }
  }
}

TEMPLATE_TEST_CASE("a shuffle moves values of 1 to 16 bytes whole", "", unsigned char, short, float, double,
                   three_words, four_words) {
  buffer<unsigned> good(32);
  rowfold_test::run(rotate<TestType>{good.data()}, 32);
  CHECK(good.download() == std::vector<unsigned>(32, 1));
}

TEST_CASE("votes count the lanes of the warp that exist") {
  // 70 threads: the third warp has 6 lanes, so bits 6 to 31 of its ballot are 0 and any() sees no lane 17.
  buffer<vote_results> results(70);
  rowfold_test::run(cast_votes{results.data()}, 70);
  const std::vector<vote_results> all = results.download();
  for (unsigned i = 0; i < 70; ++i) {
    CAPTURE(i);
    unsigned thirds = 0;
    for (unsigned lane = 0; lane < (i < 64 ? 32u : 6u); lane += 3) thirds |= 1u << lane;
    CHECK(all[i].ballot == thirds);
    CHECK(all[i].any == (i < 64 ? 1u : 0u));
    CHECK(all[i].all == 0);
    CHECK(all[i].any_of_none == 0);
    CHECK(all[i].all_of_all == 1);
  }
}

TEST_CASE("groups with masks of their own do not meet") {
  buffer<unsigned> sums(32);
  rowfold_test::run(halves_apart{sums.data()}, 32);
  const std::vector<unsigned> result = sums.download();
  for (unsigned lane = 0; lane < 32; ++lane) {
    CAPTURE(lane);
    CHECK(result[lane] == (lane < 16 ? 120 : 16 + (lane + 3) % 16 + 3));
  }
}

TEST_CASE("shuffles in a row keep each operation's values apart") {
  buffer<int> sums(96);
  rowfold_test::run(prefix_sum{sums.data()}, 96);
  const std::vector<int> result = sums.download();
  for (int i = 0; i < 96; ++i) {
    const int first = i / 32 * 32;
    CHECK(result[static_cast<std::size_t>(i)] == (i * (i + 1) - first * (first - 1)) / 2);
  }
}

TEST_CASE("sync_warp orders memory among the lanes", "[race]") {
  buffer<int> places(32), results(32);
  rowfold_test::run(pass_on_through_memory{places.data(), results.data()}, 32);
  const std::vector<int> result = results.download();
  for (int lane = 0; lane < 32; ++lane) CHECK(result[static_cast<std::size_t>(lane)] == (lane + 4) % 32 + 4);
}
