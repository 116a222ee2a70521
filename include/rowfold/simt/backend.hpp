// SPDX-License-Identifier: MIT
// Included first by everything with device code: makes sure that there is a back end to compile for.
//
// Under a CUDA compiler that is the GPU. Under a host compiler it is the CPU executor, and only where ROWFOLD_CPU asks
// for it, so that nobody gets an emulation by accident.
#pragma once

#include "rowfold/config.hpp"

#if !defined(__CUDACC__)
#if defined(ROWFOLD_CPU)
// First of the CUDA headers: it empties __global__, __device__ and their kin for a host compiler.
#include <cuda_runtime.h>
#else
#error "rowfold: device code needs nvcc; to run kernels on the CPU executor, link rowfold::cpu (it defines ROWFOLD_CPU)"
#endif
#endif
