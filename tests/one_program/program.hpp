// SPDX-License-Identifier: MIT
// What the translation units of the program offer each other: plain functions and host values.
#pragma once

#include <cuda_runtime_api.h>

#include "rowfold/layer_norm.hpp"

// A small problem, the same for every file.
constexpr int test_rows = 5;
constexpr int test_cols = 40;

using float_args = rowfold::layer_norm_args<float>;

float_args make_args(const float* x, float* y);                                           // plan.cpp
rowfold::row_plan make_plan(const float_args& args, const rowfold::device_info& device);  // plan.cpp: no device code
cudaError_t launch_on_cpu(const float_args& args);                 // cpu.cpp: g++, the CPU executor
cudaError_t launch_first(const float_args& args);                  // first.cu
cudaError_t launch_second(const float_args& args);                 // second.cu: the same instantiation as first.cu
cudaError_t device_of_this_machine(rowfold::device_info& device);  // first.cu
