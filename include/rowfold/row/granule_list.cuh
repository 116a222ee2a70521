// SPDX-License-Identifier: MIT
// A granule of each of a source's tensors, packed as they lie in memory: what a thread keeps of a row. Any thread may
// call these on its own values.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/packed.cuh"
#include "rowfold/memory/staging.cuh"
#include "rowfold/numeric/bits.cuh"
#include "rowfold/ptx/opaque.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// packed<T, N> of each tensor, in order.
template <class... Packed>
struct granule_list;

template <>
struct granule_list<> {
  static constexpr int count = 0;
  static constexpr int bytes = 0;
};

template <class First, class... Rest>
struct granule_list<First, Rest...> {
  static constexpr int count = 1 + granule_list<Rest...>::count;
  static constexpr int bytes = First::bytes + granule_list<Rest...>::bytes;  // of one granule in all tensors

  First first;
  granule_list<Rest...> rest;
};

inline namespace ROWFOLD_BACKEND {
namespace detail {

// The element type and the number of elements of a packed granule.
template <class Packed>
struct packed_shape;
template <class T, int N>
struct packed_shape<packed<T, N>> {
  using element = T;
  static constexpr int elements = N;
};

// Loads the granule at `column` from each of the source's tensors. Policy: an l2_policy, or none.
template <granule_access Access, int I = 0, class Source, class Row, class First, class... Rest, class... Policy>
ROWFOLD_DEVICE void load_list(granule_list<First, Rest...>& list, const Source& source, const Row& row, int column,
                              bool sure = false, Policy... policy) {
  constexpr int elements = packed_shape<First>::elements;
  constexpr int scale = elements / Source::granule;
  list.first = load_granule<Access, load_hint::coherent, elements>(source.template input<I>(row), row.cols * scale,
                                                                   column * scale, sure, policy...);
  if constexpr (sizeof...(Rest) > 0) load_list<Access, I + 1>(list.rest, source, row, column, sure, policy...);
}

// Bytes of the first tensor's stage for `columns` columns.
template <class List, int Granule>
ROWFOLD_HOST_DEVICE constexpr long long next_stage(int columns) {
  using shape = packed_shape<decltype(List::first)>;
  return stage_bytes(static_cast<long long>(columns) * (shape::elements / Granule),
                     static_cast<int>(sizeof(typename shape::element)));
}

// The stages of the source's tensors lie one after the other: all their bytes.
template <class List, int Granule>
ROWFOLD_HOST_DEVICE constexpr long long list_stage_bytes(int columns) {
  if constexpr (List::count == 0) {
    return 0;
  } else {
    return next_stage<List, Granule>(columns) + list_stage_bytes<decltype(List::rest), Granule>(columns);
  }
}

// Starts to copy columns [start, start + count) of the row in each tensor into its stage. All lanes of the group.
template <granule_access Access, class List, int I = 0, class Source, class Row>
ROWFOLD_DEVICE void fill_stages(unsigned char* stage, const Source& source, const Row& row, int start, int count,
                                int columns, int rank, int lanes) {
  using shape = packed_shape<decltype(List::first)>;
  constexpr int scale = shape::elements / Source::granule;
  // Granules of less than 16 bytes are aligned to less, and may make rows that are no multiple of it.
  if constexpr (Access == granule_access::any || decltype(List::first)::bytes < 16) {
    fill_stage(stage, source.template input<I>(row) + start * scale, count * scale, rank, lanes);
  } else {
    fill_aligned_stage(stage, source.template input<I>(row) + start * scale, count * scale, rank, lanes);
  }
  if constexpr (List::count > 1) {
    fill_stages<Access, decltype(List::rest), I + 1>(stage + next_stage<List, Source::granule>(columns), source, row,
                                                     start, count, columns, rank, lanes);
  }
}

// The granule that starts at column `start + column` from each stage.
template <granule_access Access, int I = 0, class Source, class Row, class First, class... Rest>
ROWFOLD_DEVICE void read_list(granule_list<First, Rest...>& list, const unsigned char* stage, const Source& source,
                              const Row& row, int start, int column, int columns) {
  using shape = packed_shape<First>;
  constexpr int scale = shape::elements / Source::granule;
  list.first =
      read_stage<Access, shape::elements>(stage, source.template input<I>(row) + start * scale, column * scale);
  if constexpr (sizeof...(Rest) > 0) {
    read_list<Access, I + 1>(list.rest, stage + next_stage<granule_list<First, Rest...>, Source::granule>(columns),
                             source, row, start, column, columns);
  }
}

// source.unpack(row, position, granules of the list...).
template <class Source, class Row, class Position, class... Packed>
ROWFOLD_DEVICE auto unpack_list(const Source& source, const Row& row, const Position& position, const granule_list<>&,
                                const Packed&... granules) {
  return source.unpack(row, position, granules...);
}
template <class Source, class Row, class Position, class First, class... Rest, class... Packed>
ROWFOLD_DEVICE auto unpack_list(const Source& source, const Row& row, const Position& position,
                                const granule_list<First, Rest...>& list, const Packed&... granules) {
  return unpack_list(source, row, position, list.rest, granules..., list.first);
}

// What a thread keeps of a granule that it has read: the packed inputs, or what source.keep(row, position, packed
// inputs...) makes of them, a granule_list<...> of its type Source::kept, where the source has that.
template <class... Types>
using void_t = void;
template <class Source, class = void>
struct kept_granules {
  using type = typename Source::inputs;
  static constexpr bool are_inputs = true;
};
template <class Source>
struct kept_granules<Source, void_t<typename Source::kept>> {
  using type = typename Source::kept;
  static constexpr bool are_inputs = false;
};
template <class Source>
using kept_t = typename kept_granules<Source>::type;

template <class Source, class Row, class Position, class... Packed>
ROWFOLD_DEVICE kept_t<Source> keep_list(const Source& source, const Row& row, const Position& position,
                                        const granule_list<>&, const Packed&... granules) {
  return source.keep(row, position, granules...);
}
template <class Source, class Row, class Position, class First, class... Rest, class... Packed>
ROWFOLD_DEVICE kept_t<Source> keep_list(const Source& source, const Row& row, const Position& position,
                                        const granule_list<First, Rest...>& list, const Packed&... granules) {
  return keep_list(source, row, position, list.rest, granules..., list.first);
}

// The values of a granule as it was read.
template <class Source, class Row, class Position>
ROWFOLD_DEVICE auto unpack_inputs(const Source& source, const Row& row, const Position& position,
                                  const typename Source::inputs& list) {
  if constexpr (kept_granules<Source>::are_inputs) {
    return unpack_list(source, row, position, list);
  } else {
    return unpack_list(source, row, position, keep_list(source, row, position, list));
  }
}

// The compiler then knows nothing of the granule's bits.
template <class T, int N>
ROWFOLD_DEVICE void hide_bits(packed<T, N>& granule) {
  ROWFOLD_UNROLL
  for (int i = 0; i < packed<T, N>::words; ++i) ptx::hide_from_compiler(granule.word[i]);
}

// The same granules, of whose bits the compiler then knows nothing: it unpacks them again.
ROWFOLD_DEVICE granule_list<> hidden_list(const granule_list<>&) { return {}; }
template <class First, class... Rest>
ROWFOLD_DEVICE granule_list<First, Rest...> hidden_list(const granule_list<First, Rest...>& list) {
  First first = list.first;
  hide_bits(first);
  return {first, hidden_list(list.rest)};
}

}  // namespace detail
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
