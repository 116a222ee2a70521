// SPDX-License-Identifier: MIT
// Transpose for every size of element: compiled for every supported architecture, its kernels counted, its compile time
// measured.
// Kernels: 4
// Compile time: at most 2.5
// One for each size, whatever the type, the shape and the alignment.
#include "rowfold/transpose.cuh"

struct pair_of_halves {
  short first, second;
};

template cudaError_t rowfold::transpose(const rowfold::transpose_args<signed char>&, cudaStream_t);
template cudaError_t rowfold::transpose(const rowfold::transpose_args<short>&, cudaStream_t);
template cudaError_t rowfold::transpose(const rowfold::transpose_args<float>&, cudaStream_t);
template cudaError_t rowfold::transpose(const rowfold::transpose_args<pair_of_halves>&, cudaStream_t);
template cudaError_t rowfold::transpose(const rowfold::transpose_args<double>&, cudaStream_t);
