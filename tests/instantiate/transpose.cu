// SPDX-License-Identifier: MIT
// Transpose for every size of element: compiled for every supported architecture, its kernels counted, its compile time
// measured.
// Kernels: 11
// Compile time: at most 2.5
// Three for each size, whatever the type: one for rows of whole vectors, two for all others; bytes have one of these.
#include "rowfold/transpose.cuh"

struct pair_of_halves {
  short first, second;
};

template cudaError_t rowfold::transpose(const rowfold::transpose_args<signed char>&, cudaStream_t);
template cudaError_t rowfold::transpose(const rowfold::transpose_args<short>&, cudaStream_t);
template cudaError_t rowfold::transpose(const rowfold::transpose_args<float>&, cudaStream_t);
template cudaError_t rowfold::transpose(const rowfold::transpose_args<pair_of_halves>&, cudaStream_t);
template cudaError_t rowfold::transpose(const rowfold::transpose_args<double>&, cudaStream_t);
