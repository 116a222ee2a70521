// SPDX-License-Identifier: MIT
// The arguments of activations and their plans: host values only, so that a .cpp file can make a plan that a .cu file
// launches. activation.cuh has the op.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/elementwise.hpp"
#include "rowfold/memory/tensor_list.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// An activation is an elementwise op with one input and one output; so are its arguments and its plan.
template <class X, class Y = X>
using activation_args = elementwise_args<tensor_list<const X>, tensor_list<Y>>;

// y = f(x) for `count` elements; y may be x itself (elements of the same size). Members `request` and `plan`: see
// elementwise_args.
template <class X, class Y>
activation_args<X, Y> make_activation_args(const X* x, Y* y, std::int64_t count) {
  return {inputs(x), outputs(y), count};
}

// The plan of an activation: plan_elementwise, whatever the function.
template <class X, class Y>
elementwise_plan plan_activation(const activation_args<X, Y>& args, const device_info& device) {
  return plan_elementwise(args, device);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold
