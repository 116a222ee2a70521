// SPDX-License-Identifier: MIT
// Random bits by position: the counter-based generator Philox 4x32 with 10 rounds (Salmon, Moraes, Dror and Shaw 2011,
// "Parallel random numbers: as easy as 1, 2, 3"). It has no state: the bits of an element are a function of seed,
// offset and element index alone, so that they do not depend on who computes them, in which order or how many at a
// time. Any thread may call these.
//
// Element i of a tensor gets word i % 4 of the block whose counter is (i / 4, offset), 64 bits each, low words first;
// the key is the seed, low word first. Two calls with the same seed and different offsets share no counter, whatever
// the sizes of their tensors: after a call the caller adds philox_offset_step to the offset.
//   const rowfold::philox_stream stream{seed, offset};
//   const auto bits = rowfold::random_words<8>(stream, row * cols + column);
//   y[j] = drop(bits.word[j]) ? 0.0f : x[j] * scale;      // drop: a rowfold::random_event
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/simt/backend.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// What a call must add to the offset so that the next one with the same seed draws other bits: 1 for any number of
// elements, since the element index has 64 bits of the counter to itself. Larger steps do no harm.
inline constexpr unsigned long long philox_offset_step = 1;

// N words of 32 random bits.
template <int N>
struct random_bits {
  unsigned word[N];
};

// What a 64-bit key makes of each of Count counters of 128 bits, {low to high}, in place. The rounds go side by side,
// so that the key is stepped once for all of them.
template <int Count>
ROWFOLD_DEVICE void philox_4x32_10(random_bits<4>* counters, unsigned long long key) {
  // The multipliers and the Weyl sequence of the key: golden ratio and sqrt(3) - 1, as the paper gives them.
  constexpr unsigned multiplier_0 = 0xd2511f53u, multiplier_1 = 0xcd9e8d57u;
  constexpr unsigned key_step_0 = 0x9e3779b9u, key_step_1 = 0xbb67ae85u;
  unsigned key_0 = static_cast<unsigned>(key);
  unsigned key_1 = static_cast<unsigned>(key >> 32);
  ROWFOLD_UNROLL
  for (int round = 0; round < 10; ++round) {
    ROWFOLD_UNROLL
    for (int i = 0; i < Count; ++i) {
      unsigned(&c)[4] = counters[i].word;
      const unsigned long long product_0 = static_cast<unsigned long long>(multiplier_0) * c[0];
      const unsigned long long product_1 = static_cast<unsigned long long>(multiplier_1) * c[2];
      c[0] = static_cast<unsigned>(product_1 >> 32) ^ c[1] ^ key_0;
      c[1] = static_cast<unsigned>(product_1);
      c[2] = static_cast<unsigned>(product_0 >> 32) ^ c[3] ^ key_1;
      c[3] = static_cast<unsigned>(product_0);
    }
    key_0 += key_step_0;
    key_1 += key_step_1;
  }
}

// Which random bits a call draws from.
struct philox_stream {
  unsigned long long seed;
  unsigned long long offset;

  // The bits of elements 4 * index to 4 * (index + Count) - 1 into blocks[0 .. Count - 1].
  template <int Count>
  ROWFOLD_DEVICE void draw(unsigned long long index, random_bits<4>* blocks) const {
    ROWFOLD_UNROLL
    for (int b = 0; b < Count; ++b) {
      const unsigned long long block = index + static_cast<unsigned long long>(b);
      blocks[b] = {{static_cast<unsigned>(block), static_cast<unsigned>(block >> 32), static_cast<unsigned>(offset),
                    static_cast<unsigned>(offset >> 32)}};
    }
    philox_4x32_10<Count>(blocks, seed);
  }
};

// The bits of elements first to first + N - 1: one block per four elements, and one more where `first` is not a
// multiple of 4 and the last of them reaches into it.
template <int N>
ROWFOLD_DEVICE random_bits<N> random_words(const philox_stream& stream, unsigned long long first) {
  constexpr int blocks = (N + 3) / 4;
  const unsigned shift = static_cast<unsigned>(first) & 3u;
  random_bits<4> drawn[blocks + 1] = {};
  stream.template draw<blocks>(first >> 2, drawn);
  if (shift != 0) {
    if (4 * blocks < static_cast<int>(shift) + N) stream.template draw<1>((first >> 2) + blocks, drawn + blocks);
    // Down by `shift` words, in two steps with indices known at compile time.
    ROWFOLD_UNROLL
    for (int i = 0; i < N + 1; ++i) {
      if ((shift & 2u) != 0) drawn[i / 4].word[i % 4] = drawn[(i + 2) / 4].word[(i + 2) % 4];
    }
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) {
      if ((shift & 1u) != 0) drawn[i / 4].word[i % 4] = drawn[(i + 1) / 4].word[(i + 1) % 4];
    }
  }
  random_bits<N> result;
  ROWFOLD_UNROLL
  for (int i = 0; i < N; ++i) result.word[i] = drawn[i / 4].word[i % 4];
  return result;
}

// Random bits as a number of [0, 1): a multiple of 2^-24, each of them equally likely; exact.
ROWFOLD_DEVICE float uniform_float(unsigned bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }

// An event that happens with a given probability, rounded up to a multiple of 2^-24: 0 never happens, 1 always does. A
// negative probability or a NaN counts as 0, one above 1 as 1. It happens exactly where uniform_float(bits) <
// probability. Made on the host or on the device.
class random_event {
 public:
  ROWFOLD_HOST_DEVICE explicit random_event(double probability) {
    const double scaled = probability * 0x1p24;
    unsigned threshold = scaled >= 0x1p24 ? 1u << 24 : scaled > 0 ? static_cast<unsigned>(scaled) : 0u;
    if (scaled > static_cast<double>(threshold) && threshold < 1u << 24) ++threshold;
    happens_ = threshold > 0;
    last_ = (threshold << 8) - 1u;
  }
  ROWFOLD_DEVICE bool operator()(unsigned bits) const { return happens_ && bits <= last_; }

 private:
  bool happens_;   // ever
  unsigned last_;  // bits with which it does: the low 8 do not count
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
