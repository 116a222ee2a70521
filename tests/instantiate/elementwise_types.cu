// SPDX-License-Identifier: MIT
// Elementwise ops over 1 to 4 inputs and 1 or 2 outputs of all types and some mixtures: every kernel must compile
// without spills and local memory.
// Kernels: 18
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/elementwise.cuh"

namespace {

// Adds what it is given, in the type in which it is given.
struct add {
  template <class First, class... Rest>
  __device__ First operator()(First first, Rest... rest) const {
    return (first + ... + rest);
  }
};

struct sum_and_difference {
  template <class T>
  __device__ rowfold::vec<T, 2> operator()(T a, T b) const {
    return {{a + b, a - b}};
  }
};

template <class... Elements>
using read = rowfold::tensor_list<const Elements...>;
template <class... Elements>
using written = rowfold::tensor_list<Elements...>;

}  // namespace

template <class Function, class Inputs, class Outputs>
cudaError_t instantiate() {
  return rowfold::elementwise(Function{}, rowfold::elementwise_args<Inputs, Outputs>{});
}

template cudaError_t instantiate<add, read<float, float>, written<float>>();
template cudaError_t instantiate<add, read<__half, __half>, written<__half>>();
template cudaError_t instantiate<add, read<double, double>, written<double>>();
template cudaError_t instantiate<add, read<__nv_bfloat16>, written<float>>();
template cudaError_t instantiate<add, read<float, __half, __nv_bfloat16>, written<__half>>();
template cudaError_t instantiate<add, read<__half, double, float, __nv_bfloat16>, written<__nv_bfloat16>>();
template cudaError_t instantiate<add, read<float, float, float, float>, written<float>>();
template cudaError_t instantiate<sum_and_difference, read<__nv_bfloat16, float>, written<float, __nv_bfloat16>>();
template cudaError_t instantiate<sum_and_difference, read<float, float>, written<float, float>>();
