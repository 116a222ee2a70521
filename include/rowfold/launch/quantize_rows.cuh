// SPDX-License-Identifier: MIT
// Launching an op whose mapped values are quantised, from its source, folds and map: what every quantising op does.
// Called from the host.
#pragma once

#if !defined(__CUDACC_RTC__)

#include "rowfold/config.hpp"
#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/row/mapped_stage.cuh"
#include "rowfold/row/quantize_sink.cuh"
#include "rowfold/row/quantized.hpp"
#include "rowfold/row/stages.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// As launch_row_plan, with the codes of `out` beside what `others` (a sink) stores.
template <class Q, quantize_scale Mode, class Source, class Folds, class Map, class Others>
[[nodiscard]] cudaError_t launch_quantized(const row_plan& plan, const Source& source, const Folds& folds,
                                           const Map& map, const quantized_output<Q, Mode>& out, const Others& others,
                                           bool programmatic, cudaStream_t stream) {
  static_assert(is_same<typename Source::value_type, float>, "8-bit values are made of floats, not of doubles");
  const auto sink = both(quantize_sink<Q, Mode>{out.resolved(plan.problem.cols)}, others);
  if constexpr (Mode == quantize_scale::per_row) {
    return launch_row_plan(plan, source, append(folds, row_scale<Q>(map, out.power_of_two)), map, sink, programmatic,
                           stream);
  } else {
    return launch_row_plan(plan, source, folds, map, sink, programmatic, stream);
  }
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

#endif
