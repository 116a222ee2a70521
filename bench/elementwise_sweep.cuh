// SPDX-License-Identifier: MIT
//
// The search for elementwise_tuning: vector addition with other numbers compiled into the library's kernel, and by a
// plain kernel with other cache hints. The names:
//   vector_add_v<granules>_t<threads>_<store>/...              granules per thread, threads per block; store wb or cs
//   vector_add_unaligned_e<elements>_t<threads>_<store>/...    the same out of phase: elements per thread
//   vector_add_plain_v<vectors>_t<threads>_<load>_<store>/...  a kernel of a dozen lines; load is ld (plain), nc
//                                                              (read-only), na (read-only, not into L1) or cs
//                                                              (streaming)
#pragma once

#include "elementwise_cases.cuh"

namespace rowfold_bench {

/// Registers all of them. `data` must live until the benchmarks have run.
void register_sweep(session& run, lazy_vectors& data);

}  // namespace rowfold_bench
