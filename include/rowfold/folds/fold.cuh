// SPDX-License-Identifier: MIT
// What a fold is. The folds of this folder come in two forms:
//
// An operator is an empty functor `T operator()(T a, T b) const` over two partial results, where `a` stands for the
// earlier columns. It needs no identity. warp_all_reduce, block_all_reduce and the reductions of CUB take it:
//   float total = rowfold::warp_all_reduce(x, rowfold::sum{});
//
// A fold knows besides how single elements enter. It is what the row engine takes: a small value type F with
//   using state;                                     // trivially copyable, at most 16 bytes
//   state identity() const;                          // of no element at all
//   void add(state& s, Acc x, int column) const;     // one element in its accumulate type; columns never decrease
//   state merge(state a, state b) const;             // a: the earlier columns
//   state operator()(state a, state b) const;        // = merge, so that a fold is an operator, too
//
// An operator or fold may promise `template <class T> static constexpr bool commutative = ...`: that exchanging the
// operands changes no bit. Collectives then save the work of ordering them. Without the promise they order them.
#pragma once

#include "rowfold/numeric/convert.cuh"
#include "rowfold/numeric/math.cuh"
#include "rowfold/simt/backend.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

namespace detail {

template <class Op, class T, class = void>
inline constexpr bool promises_commutative = false;
template <class Op, class T>
inline constexpr bool promises_commutative<Op, T, enable_if_t<Op::template commutative<T>>> = true;

}  // namespace detail

// True where Op promises that op(a, b) and op(b, a) are the same bits for values of type T.
template <class Op, class T>
inline constexpr bool is_commutative = detail::promises_commutative<Op, T>;

namespace detail {

// Float arithmetic returns one and the same NaN whatever the operands were (numeric/bits.cuh), so that the order of the
// operands never shows; double arithmetic may pass on the bits of one of them. Everything else here is integers.
template <class T>
inline constexpr bool arithmetic_commutes = !is_same<T, double>;

// Applies a function of two accumulate-type values to any element type: half types are widened and the result is
// rounded once (innocuously: float has more than twice their digits, plus two).
template <class T, class Function>
ROWFOLD_DEVICE T in_accumulate_type(T a, T b, Function function) {
  return from_accumulate<T>(function(to_accumulate(a), to_accumulate(b)));
}

}  // namespace detail

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
