// SPDX-License-Identifier: MIT
// Activations: y = f(x) for every element of a tensor, f being one of numeric/activation.cuh (relu, gelu, gelu_tanh,
// silu, quick_gelu, sigmoid, tanh) or a function of the user's own.
//
//   rowfold::activation(rowfold::gelu{}, x, y, count, stream);
//
//   auto args = rowfold::make_activation_args(x, y, count);     // plan requests, a plan made earlier
//   rowfold::activation(rowfold::silu{}, args, stream);
//
// x and y are `count` elements of float, __half, __nv_bfloat16 or double, each of a type of its own; y may be x itself
// (elements of the same size). It is an elementwise op (elementwise.cuh), which says what addresses, counts and
// overlaps it takes and what it returns. Arithmetic is in float (double if x is double), and y is rounded once.
//
// Accuracy, held by the tests against a float64 reference where the result is normal in float: 4 ulp of
// max(|y|, |x| * 2^-10). From 16 bits to 16 bits, functions with an exponential are computed with the GPU's
// approximations (activation_for), whose error is stated there and whose last float bits differ between back ends. A
// 16-bit y is the correctly rounded value or its neighbour, or 0 where |y| is below |x| * 2^-125.
//
// Behind a norm, in one pass over memory, the same functions are maps: row/activation_map.cuh. Rows with strides go
// through fold_rows with such a map and no stages.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/elementwise.cuh"
#include "rowfold/numeric/activation.cuh"

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/activation.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// y = function(x) as `args` describes: plan_activation for the current device (or args.plan), then the launch.
template <class Function, class X, class Y>
[[nodiscard]] cudaError_t activation(const Function& function,
                                     const elementwise_args<tensor_list<const X>, tensor_list<Y>>& args,
                                     cudaStream_t stream = nullptr) {
  return elementwise(activation_for<X, Y>(function), args, stream);
}

// The same for `count` elements and no special wishes.
template <class Function, class X, class Y>
[[nodiscard]] cudaError_t activation(const Function& function, const X* x, Y* y, std::int64_t count,
                                     cudaStream_t stream = nullptr) {
  return activation(function, make_activation_args(x, y, count), stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif
