// SPDX-License-Identifier: MIT
// Cross-entropy of one type of logits, as a user's file would instantiate it: compiled for every supported
// architecture, its kernels counted, its compile time measured.
// Kernels: 3
// Compile time: at most 2
// Whole granules in part of a warp and in a block, read once; any address, through shared memory.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/cross_entropy.cuh"

cudaError_t cross_entropy_bfloat16(const __nv_bfloat16* logits, const std::int64_t* labels, float* loss, float* lse,
                                   std::int64_t rows, int cols, cudaStream_t stream) {
  return rowfold::cross_entropy(logits, labels, loss, lse, rows, cols, -100, stream);
}
