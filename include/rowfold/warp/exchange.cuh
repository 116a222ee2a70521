// SPDX-License-Identifier: MIT
// What the warp collectives are made of: which lanes take part, how a lane gets another lane's value of any size, and
// how two values meet under an operator. Every lane named in the mask must call the exchanges, with the same mask.
#pragma once

#include "rowfold/folds/fold.cuh"
#include "rowfold/memory/vec.cuh"
#include "rowfold/simt/thread.cuh"
#include "rowfold/simt/warp.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// The lanes that take part in a warp collective: by default all 32. This and the count below are types of their own, so
// that a mask, a count and a width cannot be mistaken for one another.
struct lane_mask {
  unsigned bits = simt::full_mask;
};

// How many lanes of each logical warp, from its lane 0 on, hold a value: 1 to the width.
struct valid_lanes {
  int count;
};

// A logical warp: an aligned group of Width lanes of a warp.
template <int Width>
struct logical_warp {
  static_assert(Width >= 1 && Width <= 32 && (Width & (Width - 1)) == 0,
                "a logical warp has 1, 2, 4, 8, 16 or 32 lanes");
  static constexpr int lanes = Width;
};

// The lanes of the calling lane's logical warp of Width lanes. A collective called with this mask needs only these
// lanes, so that the logical warps of one warp may go different ways:
//   if (row < rows) total = rowfold::warp_all_reduce<8>(x, rowfold::sum{}, rowfold::logical_warp_mask<8>());
template <int Width>
ROWFOLD_DEVICE lane_mask logical_warp_mask() {
  constexpr int lanes = logical_warp<Width>::lanes;
  if constexpr (lanes == 32) {
    return lane_mask{};
  } else {
    return lane_mask{((1u << lanes) - 1u) << (simt::lane() & ~static_cast<unsigned>(lanes - 1))};
  }
}

namespace detail {

// A shuffle moves at most 16 bytes; larger values go in pieces.
template <class T, class Shuffle>
ROWFOLD_DEVICE T exchange(const T& value, const Shuffle& shuffle) {
  static_assert(__is_trivially_copyable(T),
                "a collective moves values between threads as bytes: T must be trivially copyable");
  if constexpr (sizeof(T) <= 16) {
    return shuffle(value);
  } else {
    static_assert(sizeof(T) % 4 == 0, "values of more than 16 bytes are exchanged in words of 4 bytes");
    struct words {
      unsigned word[sizeof(T) / 4];
    };
    words moved = bit_copy<words>(value);
    ROWFOLD_UNROLL
    for (unsigned& word : moved.word) {
      word = shuffle(word);
    }
    return bit_copy<T>(moved);
  }
}

// The three shuffles as function objects: NVRTC takes a generic lambda for a host function.
struct xor_shuffle {
  unsigned lane_distance;
  lane_mask mask;
  simt::site where;
  template <class Piece>
  ROWFOLD_DEVICE Piece operator()(const Piece& piece) const {
    return simt::shuffle_xor(piece, lane_distance, 32u, mask.bits, where);
  }
};
struct down_shuffle {
  unsigned delta;
  unsigned width;
  lane_mask mask;
  simt::site where;
  template <class Piece>
  ROWFOLD_DEVICE Piece operator()(const Piece& piece) const {
    return simt::shuffle_down(piece, delta, width, mask.bits, where);
  }
};
struct indexed_shuffle {
  unsigned lane;
  unsigned width;
  lane_mask mask;
  simt::site where;
  template <class Piece>
  ROWFOLD_DEVICE Piece operator()(const Piece& piece) const {
    return simt::shuffle(piece, lane, width, mask.bits, where);
  }
};

template <class T>
ROWFOLD_DEVICE T exchange_xor(const T& value, unsigned lane_distance, lane_mask mask, simt::site where) {
  return exchange(value, xor_shuffle{lane_distance, mask, where});
}
template <class T>
ROWFOLD_DEVICE T exchange_down(const T& value, unsigned delta, unsigned width, lane_mask mask, simt::site where) {
  return exchange(value, down_shuffle{delta, width, mask, where});
}
template <class T>
ROWFOLD_DEVICE T exchange_from(const T& value, unsigned lane, unsigned width, lane_mask mask, simt::site where) {
  return exchange(value, indexed_shuffle{lane, width, mask, where});
}

// op(a, b); a vec holds independent values, so that the operator meets one pair of elements at a time.
template <class T, class Op>
ROWFOLD_DEVICE T apply(const Op& op, const T& a, const T& b) {
  return op(a, b);
}
template <class T, int N, class Op>
ROWFOLD_DEVICE vec<T, N> apply(const Op& op, const vec<T, N>& a, const vec<T, N>& b) {
  vec<T, N> result;
  ROWFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    result[i] = op(a[i], b[i]);
  }
  return result;
}

template <class Op, class T>
inline constexpr bool needs_order = !is_commutative<Op, T>;
template <class Op, class T, int N>
inline constexpr bool needs_order<Op, vec<T, N>> = !is_commutative<Op, T>;

// Merges the value of two partners so that both compute the same bits: the value of the earlier one stands first.
template <class T, class Op>
ROWFOLD_DEVICE T merge_with_partner(const Op& op, const T& mine, const T& other, bool mine_is_later) {
  if constexpr (needs_order<Op, T>) {
    const T first = mine_is_later ? other : mine;
    const T second = mine_is_later ? mine : other;
    return apply(op, first, second);
  } else {
    return apply(op, mine, other);
  }
}

}  // namespace detail

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
