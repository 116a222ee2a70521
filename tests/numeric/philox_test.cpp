// SPDX-License-Identifier: MIT
// Philox against the known answers that its authors publish (Random123, kat_vectors), the place of every element in the
// stream, and that its uniform numbers are uniform.
#include "rowfold/numeric/philox.cuh"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "support/check.hpp"
#include "support/run.cuh"

using rowfold::philox_stream;
using rowfold::random_bits;
using rowfold_test::map_on_device;

namespace {

struct counter_and_key {
  random_bits<4> counter;
  unsigned long long key;
};
struct generate {
  ROWFOLD_DEVICE random_bits<4> operator()(const counter_and_key& in) const {
    random_bits<4> counter = in.counter;
    rowfold::philox_4x32_10<1>(&counter, in.key);
    return counter;
  }
};
template <int N>
struct draw {
  philox_stream stream;
  ROWFOLD_DEVICE random_bits<N> operator()(unsigned long long first) const {
    return rowfold::random_words<N>(stream, first);
  }
};
struct to_uniform {
  ROWFOLD_DEVICE float operator()(unsigned bits) const { return rowfold::uniform_float(bits); }
};
struct happens {
  rowfold::random_event event;
  ROWFOLD_DEVICE int operator()(unsigned bits) const { return event(bits) ? 1 : 0; }
};

template <int N>
void check_width(const philox_stream& stream, unsigned long long base, const std::vector<unsigned>& expected) {
  CAPTURE(N, base);
  std::vector<unsigned long long> starts;
  for (unsigned long long start = 0; start + N <= expected.size(); ++start) starts.push_back(base + start);
  const auto drawn = map_on_device<random_bits<N>>(draw<N>{stream}, starts);
  int wrong = 0;
  for (std::size_t start = 0; start < starts.size(); ++start) {
    for (std::size_t i = 0; i < N; ++i) wrong += drawn[start].word[i] != expected[start + i] ? 1 : 0;
  }
  CHECK(wrong == 0);
}

// The bits of a million elements.
std::vector<unsigned> many_bits() {
  std::vector<unsigned long long> starts;
  for (unsigned long long start = 0; start < 1u << 20; start += 4) starts.push_back(start);
  std::vector<unsigned> bits;
  for (const auto& block : map_on_device<random_bits<4>>(draw<4>{{42, 7}}, starts)) {
    for (const unsigned word : block.word) bits.push_back(word);
  }
  return bits;
}

}  // namespace

TEST_CASE("Philox 4x32-10 gives the published answers") {
  const std::vector<counter_and_key> inputs = {
      {{{0, 0, 0, 0}}, 0},
      {{{0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu}}, 0xffffffffffffffffull},
      {{{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}}, 0x299f31d0a4093822ull},
  };
  const std::vector<random_bits<4>> answers = {
      {{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
      {{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
      {{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}},
  };
  const auto outputs = map_on_device<random_bits<4>>(generate{}, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (int word = 0; word < 4; ++word) {
      CAPTURE(i, word);
      CHECK(outputs[i].word[word] == answers[i].word[word]);
    }
  }
}

TEST_CASE("an element's bits are word i % 4 of the block (i / 4, offset) under the seed, at any width and start") {
  // Bases where the low word of the counter block is about to overflow, and above 2^32 elements.
  for (const unsigned long long base : {0ull, 0x3fffffff0ull, 0xfffffffff0ull}) {
    const philox_stream stream{0x0123456789abcdefull, 0xfedcba9876543210ull};
    std::vector<counter_and_key> blocks;
    for (unsigned long long block = base / 4; block < base / 4 + 12; ++block) {
      blocks.push_back({{{static_cast<unsigned>(block), static_cast<unsigned>(block >> 32), 0x76543210u, 0xfedcba98u}},
                        stream.seed});
    }
    std::vector<unsigned> expected;
    for (const auto& words : map_on_device<random_bits<4>>(generate{}, blocks)) {
      expected.insert(expected.end(), words.word, words.word + 4);
    }
    check_width<1>(stream, base, expected);
    check_width<2>(stream, base, expected);
    check_width<4>(stream, base, expected);
    check_width<8>(stream, base, expected);
    check_width<16>(stream, base, expected);
  }
}

TEST_CASE("after one offset step no element has the same counter") {
  // 2000 words each of two neighbouring offsets and of two neighbouring seeds: 6000 distinct values of 2^32 (that two
  // of them agree by chance has probability 0.4 %; with these seeds none do).
  std::vector<unsigned long long> starts;
  for (unsigned long long start = 0; start < 2000; start += 4) starts.push_back(start);
  std::set<unsigned> seen;
  for (const philox_stream stream :
       {philox_stream{3, 10}, philox_stream{3, 10 + rowfold::philox_offset_step}, philox_stream{4, 10}}) {
    for (const auto& block : map_on_device<random_bits<4>>(draw<4>{stream}, starts)) {
      seen.insert(block.word, block.word + 4);
    }
  }
  CHECK(seen.size() == 6000);
}

TEST_CASE("uniform numbers lie in [0, 1), evenly") {
  const auto edges = map_on_device<float>(to_uniform{}, std::vector<unsigned>{0, 255, 256, 0x80000000u, 0xffffffffu});
  CHECK(edges[0] == 0.0f);
  CHECK(edges[1] == 0.0f);
  CHECK(edges[2] == 0x1p-24f);
  CHECK(edges[3] == 0.5f);
  CHECK(edges[4] == 1.0f - 0x1p-24f);
  const auto numbers = map_on_device<float>(to_uniform{}, many_bits());
  const double count = static_cast<double>(numbers.size());
  double sum = 0, chi_square = 0;
  std::vector<double> bins(256);
  for (const float x : numbers) {
    sum += static_cast<double>(x);
    bins[static_cast<std::size_t>(x * 256.0f)] += 1;
  }
  for (const double found : bins) chi_square += (found - count / 256) * (found - count / 256) / (count / 256);
  // Five standard deviations of the mean of uniform numbers; of chi square with 255 degrees of freedom.
  CHECK(std::abs(sum / count - 0.5) < 5 * std::sqrt(1.0 / 12 / count));
  CHECK(std::abs(chi_square - 255) < 5 * std::sqrt(2 * 255.0));
}

TEST_CASE("events happen as often as they are likely, 0 never and 1 always, and as uniform_float says") {
  const std::vector<double> probabilities = {0.0, 1e-9, 0.1, 0.5, 0.9, 1.0, -1.0, 2.0, std::nan("")};
  auto bits = many_bits();
  const double count = static_cast<double>(bits.size());
  for (const double p : probabilities) {  // and what lies just beside the limits of each
    for (int step = -3; step <= 3; ++step) {
      const double limit = std::ceil(p * 0x1p24) + step;
      if (limit >= 0 && limit < 0x1p24) bits.push_back(static_cast<unsigned>(limit) << 8);
    }
  }
  const auto numbers = map_on_device<float>(to_uniform{}, bits);
  for (const double p : probabilities) {
    CAPTURE(p);
    const auto happened = map_on_device<int>(happens{rowfold::random_event(p)}, bits);
    double sum = 0;
    int disagreements = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if (static_cast<double>(i) < count) sum += happened[i];
      disagreements += (happened[i] == 1) != (static_cast<double>(numbers[i]) < p) ? 1 : 0;
    }
    CHECK(disagreements == 0);
    const double likely = p > 0 ? std::min(p, 1.0) : 0.0;
    CHECK(std::abs(sum / count - likely) <= 5 * std::sqrt(likely * (1 - likely) / count) + 0x1p-24);
  }
  // The largest and the smallest bits, which a million draws need not hold.
  const std::vector<unsigned> ends = {0, 0xffffffffu};
  CHECK(map_on_device<int>(happens{rowfold::random_event(0)}, ends) == std::vector<int>{0, 0});
  CHECK(map_on_device<int>(happens{rowfold::random_event(1e-9)}, ends) == std::vector<int>{1, 0});
  CHECK(map_on_device<int>(happens{rowfold::random_event(1)}, ends) == std::vector<int>{1, 1});
}
