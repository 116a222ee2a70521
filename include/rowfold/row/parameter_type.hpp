// SPDX-License-Identifier: MIT
// From the pointer that a caller passes for a parameter to the parameter's type.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/traits.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// What a parameter pointer points to: `absent` for a literal nullptr.
template <class Pointer>
struct parameter_pointee {
  static_assert(is_same<Pointer, decltype(nullptr)>, "a parameter is a pointer or nullptr");
  using type = absent;
};
template <class T>
struct parameter_pointee<T*> {
  using type = T;
};
template <class T>
struct parameter_pointee<const T*> {
  using type = T;
};
template <class Pointer>
using parameter_type = typename parameter_pointee<Pointer>::type;

}  // namespace ROWFOLD_ABI
}  // namespace rowfold
