// SPDX-License-Identifier: MIT
// How many registers a thread of a row op's kernels has: row_tuning.hpp's numbers for the parts of the op.
#pragma once

#if !defined(__CUDACC_RTC__)

#include "rowfold/config.hpp"
#include "rowfold/launch/row_tuning.hpp"
#include "rowfold/row/granule_list.cuh"
#include "rowfold/row/held_row.cuh"
#include "rowfold/row/map.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace detail {

// True where __half is among the types of a list of granules.
template <class List>
inline constexpr bool lists_half = false;
template <int N, class... Rest>
inline constexpr bool lists_half<granule_list<packed<__half, N>, Rest...>> = true;
template <class First, class... Rest>
inline constexpr bool lists_half<granule_list<First, Rest...>> = lists_half<granule_list<Rest...>>;

// Of the kernels of an op of such parts.
template <class Source, class Stages, class Map, class Sink>
struct op_registers {
  static constexpr fold_class fold = Stages::shape_class;
  static constexpr bool reads_half = lists_half<typename Source::inputs>;
  static constexpr bool wide = has_wide_elements(Source::granule);

  // Parameters and results that are wider than the source's elements.
  static constexpr bool widens =
      widest_element<Map> > 16 / Source::granule || widest_element<Sink> > 16 / Source::granule;

  static constexpr int limited(int registers) {
    return registers < row_tuning::register_limit ? registers : row_tuning::register_limit;
  }

  // Whether a thread that keeps what the map makes (row/kept_results.cuh) has room for it where the values were: the
  // row is one tensor, nothing but codes of 8 bits is made of it, and no parameter is wider than the source's elements.
  static constexpr bool keeps_results_alone = Stages::maps && !is_same<Map, identity_map> &&
                                              kept_granules<Source>::are_inputs && Sink::output_count == 1 &&
                                              Sink::widest_column == 1 && !widens;

  // Of a kernel that holds rows, where a plain source needs `registers`.
  static constexpr int held_registers(int registers, int vectors, bool block) {
    using kept = kept_granules<Source>;
    const int of_map = map_registers<Map>.held - (wide ? map_registers<Map>.fewer_if_wide : 0);
    const int needed = registers + Stages::more_registers + source_registers<Source> + of_map +
                       sink_registers<Sink>.held + row_tuning::more_registers(kept::type::bytes, vectors, widens);
    if (kept::are_inputs) return limited(needed);
    const int keeping = needed + row_tuning::keeping_registers(vectors, block, wide);
    const int loading = row_tuning::loading_registers(Source::inputs::bytes, vectors);
    const int most = keeping > loading ? keeping : loading;
    const int limit = vectors <= row_tuning::max_vectors ? held_register_limit<Source> : 0;
    return limited(limit != 0 && limit < most ? limit : most);
  }

  // On top, of a block that asks for parameters early, or for all of them at once.
  static constexpr int early_registers(parameter_loads loads) {
    const int bytes = fetched_bytes<Map> * Source::granule;
    const bool none = loads == parameter_loads::early && kept_granules<Source>::are_inputs &&
                      row_tuning::needs_no_early_registers(fold, bytes, wide);
    return (none ? 0 : row_tuning::early_registers(bytes)) + map_registers<Map>.early +
           (wide ? map_registers<Map>.fewer_if_wide : 0) +
           (kept_granules<Source>::are_inputs
                ? 0
                : row_tuning::early_keeping_registers(wide, source_registers<Source> != 0)) +
           (reads_half && fold == fold_class::norm ? row_tuning::early_half_registers : 0);
  }
};

}  // namespace detail
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

#endif
