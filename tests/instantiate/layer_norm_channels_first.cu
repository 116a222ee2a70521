// SPDX-License-Identifier: MIT
// LayerNorm over channels for one set of types, as a user's file would instantiate it: compiled for every supported
// architecture, its kernels counted, its compile time measured.
// Kernels: 9
// Compile time: at most 4
// Rows in registers: 2, 3, 4 or 5 granules a lane; the same with two rows in a thread. Rows read again in each pass, of
// any width.
#include <cuda_bf16.h>

#include "rowfold/layer_norm_channels_first.cuh"

cudaError_t layer_norm_channels_first_bfloat16(const __nv_bfloat16* x, const __nv_bfloat16* gamma,
                                               const __nv_bfloat16* beta, __nv_bfloat16* y, std::int64_t batch,
                                               int channels, std::int64_t spatial, cudaStream_t stream) {
  return rowfold::layer_norm_channels_first(x, gamma, beta, y, batch, channels, spatial, 1e-5, stream);
}
