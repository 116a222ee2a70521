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

// The 128 bits that belong to a counter, {low to high}, and a key of 64 bits.
ROWFOLD_DEVICE random_bits<4> philox_4x32_10(random_bits<4> counter, unsigned long long key) {
  // The multipliers and the Weyl sequence of the key: golden ratio and sqrt(3) - 1, as the paper gives them.
  constexpr unsigned multiplier_0 = 0xd2511f53u, multiplier_1 = 0xcd9e8d57u;
  constexpr unsigned key_step_0 = 0x9e3779b9u, key_step_1 = 0xbb67ae85u;
  unsigned key_0 = static_cast<unsigned>(key);
  unsigned key_1 = static_cast<unsigned>(key >> 32);
  ROWFOLD_UNROLL
  for (int round = 0; round < 10; ++round) {
    const unsigned long long product_0 = static_cast<unsigned long long>(multiplier_0) * counter.word[0];
    const unsigned long long product_1 = static_cast<unsigned long long>(multiplier_1) * counter.word[2];
    counter = {{static_cast<unsigned>(product_1 >> 32) ^ counter.word[1] ^ key_0, static_cast<unsigned>(product_1),
                static_cast<unsigned>(product_0 >> 32) ^ counter.word[3] ^ key_1, static_cast<unsigned>(product_0)}};
    key_0 += key_step_0;
    key_1 += key_step_1;
  }
  return counter;
}

// Which random bits a call draws from.
struct philox_stream {
  unsigned long long seed;
  unsigned long long offset;

  // The bits of elements 4 * index to 4 * index + 3.
  ROWFOLD_DEVICE random_bits<4> block(unsigned long long index) const {
    return philox_4x32_10({{static_cast<unsigned>(index), static_cast<unsigned>(index >> 32),
                            static_cast<unsigned>(offset), static_cast<unsigned>(offset >> 32)}},
                          seed);
  }
};

// The bits of elements first to first + N - 1: one block per four elements, and one more where `first` is not a
// multiple of 4 and the last of them reaches into it.
template <int N>
ROWFOLD_DEVICE random_bits<N> random_words(const philox_stream& stream, unsigned long long first) {
  constexpr int blocks = (N + 6) / 4;  // that N elements starting anywhere can touch
  const unsigned shift = static_cast<unsigned>(first) & 3u;
  unsigned drawn[4 * blocks] = {};
  ROWFOLD_UNROLL
  for (int b = 0; b < blocks; ++b) {
    if (static_cast<unsigned>(4 * b) < shift + static_cast<unsigned>(N)) {
      const random_bits<4> block = stream.block((first >> 2) + static_cast<unsigned long long>(b));
      ROWFOLD_UNROLL
      for (int i = 0; i < 4; ++i) drawn[4 * b + i] = block.word[i];
    }
  }
  // Down by `shift` words, in two steps with indices known at compile time.
  random_bits<N> result;
  ROWFOLD_UNROLL
  for (int i = 0; i < N + 1; ++i) drawn[i] = (shift & 2u) != 0 ? drawn[i + 2] : drawn[i];
  ROWFOLD_UNROLL
  for (int i = 0; i < N; ++i) result.word[i] = (shift & 1u) != 0 ? drawn[i + 1] : drawn[i];
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
    threshold_ = scaled >= 0x1p24 ? 1u << 24 : scaled > 0 ? static_cast<unsigned>(scaled) : 0u;
    if (scaled > static_cast<double>(threshold_) && threshold_ < 1u << 24) ++threshold_;
  }
  ROWFOLD_DEVICE bool operator()(unsigned bits) const { return (bits >> 8) < threshold_; }

 private:
  unsigned threshold_;
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
