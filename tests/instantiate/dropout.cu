// SPDX-License-Identifier: MIT
// Dropout for one set of types, as a user's file would instantiate it: compiled for every supported architecture, its
// kernels counted, its compile time measured.
// Kernels: 2
// Compile time: at most 2
// Rows of whole granules, in parts; any address, in shared memory.
#include <cuda_bf16.h>

#include "rowfold/dropout.cuh"

cudaError_t dropout_bfloat16(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t rows, int cols, double p,
                             const rowfold::random_state& random, cudaStream_t stream) {
  return rowfold::dropout(x, y, rows, cols, p, random, stream);
}
