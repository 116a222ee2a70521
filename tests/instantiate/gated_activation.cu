// SPDX-License-Identifier: MIT
// SwiGLU for one set of types and one form, as a user's file would instantiate it: compiled for every supported
// architecture, its kernels counted, its compile time measured.
// Kernels: 2
// Compile time: at most 2
// Rows of whole granules, in parts; any address, in shared memory.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/gated_activation.cuh"

cudaError_t swiglu_bfloat16(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t rows, int cols,
                            cudaStream_t stream) {
  return rowfold::swiglu(x, y, rows, cols, stream);
}
