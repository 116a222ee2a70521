// SPDX-License-Identifier: MIT
// Reductions over the lanes of a logical warp: a warp's 32 lanes, or each aligned group of 1, 2, 4, 8 or 16 of them.
// Every lane named in the mask must call (by default the whole warp: all its logical warps reduce at the same time).
//
// All forms merge in one fixed tree, the library's merge tree: neighbours first, then neighbouring pairs, and so on,
// the lower lane's value always the first operand. warp_all_reduce runs it as a butterfly whose two partners both put
// the lower lane first, so that every lane ends with the same bits also where the operator rounds or does not commute;
// warp_reduce shifts values down and leaves the result in lane 0. The operator needs no identity: with a count of valid
// lanes, the lanes beyond it are never looked at.
//
// Values: any trivially copyable type. A vec<T, N> is N independent values reduced together, element by element.
// Operators: the functors of folds/, or any `T operator()(T, T) const`. warp_reduce also applies them in lanes whose
// result is dropped, to values of valid lanes.
#pragma once

#include "rowfold/simt/site.hpp"
#include "rowfold/simt/thread.cuh"
#include "rowfold/warp/exchange.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// The reduction of `value` over the logical warp, in its lane 0; in the other lanes the result is unspecified.
//   float total = rowfold::warp_reduce<16>(x, rowfold::sum{});
template <int Width = 32, class T, class Op>
ROWFOLD_DEVICE T warp_reduce(T value, Op op, lane_mask mask = {}, simt::site where = simt::site::here()) {
  constexpr int lanes = logical_warp<Width>::lanes;
  ROWFOLD_UNROLL
  for (unsigned distance = 1; distance < lanes; distance *= 2) {
    value = detail::apply(op, value, detail::exchange_down(value, distance, lanes, mask, where));
  }
  return value;
}

// The same over the first valid.count lanes of each logical warp (1 to Width, equal in all lanes of it).
//   float total = rowfold::warp_reduce(x, rowfold::sum{}, rowfold::valid_lanes{cols});   // a column per lane
template <int Width = 32, class T, class Op>
ROWFOLD_DEVICE T warp_reduce(T value, Op op, valid_lanes valid, lane_mask mask = {},
                             simt::site where = simt::site::here()) {
  constexpr int lanes = logical_warp<Width>::lanes;
  const int position = static_cast<int>(simt::lane()) & (lanes - 1);
  ROWFOLD_UNROLL
  for (int distance = 1; distance < lanes; distance *= 2) {
    // Where it counts (in lanes whose group continues), the partner leads a group of up to `distance` valid lanes. A
    // lane with no valid partner reads itself, since the partner may not even exist.
    const bool has_partner = position + distance < valid.count;
    const int source = has_partner ? position + distance : position;
    const T other = detail::exchange_from(value, static_cast<unsigned>(source), lanes, mask, where);
    if (has_partner) {
      value = detail::apply(op, value, other);
    }
  }
  return value;
}

// The reduction of `value` over the logical warp, in every lane of it, the same bits in each.
//   float total = rowfold::warp_all_reduce(x, rowfold::sum{});
//   auto best = rowfold::warp_all_reduce<8>(rowfold::indexed<float, int>{x, column}, rowfold::arg_max{});
template <int Width = 32, class T, class Op>
ROWFOLD_DEVICE T warp_all_reduce(T value, Op op, lane_mask mask = {}, simt::site where = simt::site::here()) {
  constexpr int lanes = logical_warp<Width>::lanes;
  ROWFOLD_UNROLL
  for (unsigned distance = 1; distance < lanes; distance *= 2) {
    const T other = detail::exchange_xor(value, distance, mask, where);
    value = detail::merge_with_partner(op, value, other, (simt::lane() & distance) != 0);
  }
  return value;
}

// The same over the first valid.count lanes of each logical warp (1 to Width, equal in all lanes of it). The lanes
// beyond, where they exist and are named in the mask, receive the result, too.
template <int Width = 32, class T, class Op>
ROWFOLD_DEVICE T warp_all_reduce(T value, Op op, valid_lanes valid, lane_mask mask = {},
                                 simt::site where = simt::site::here()) {
  return detail::exchange_from(warp_reduce<Width>(value, op, valid, mask, where), 0u, Width, mask, where);
}

// warp_all_reduce for a width known at run time only: 1, 2, 4, 8, 16 or 32, equal in all lanes named in the mask. The
// same tree, and so the same bits, as warp_all_reduce<width>. Unroll: how many of its five steps are written out; 1
// makes the code small.
template <int Unroll = 5, class T, class Op>
ROWFOLD_DEVICE T warp_all_reduce_runtime(T value, Op op, int width, lane_mask mask = {},
                                         simt::site where = simt::site::here()) {
  ROWFOLD_UNROLL_BY_PARAMETER
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    if (distance < static_cast<unsigned>(width)) {
      const T other = detail::exchange_xor(value, distance, mask, where);
      value = detail::merge_with_partner(op, value, other, (simt::lane() & distance) != 0);
    }
  }
  return value;
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
