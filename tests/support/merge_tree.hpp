// SPDX-License-Identifier: MIT
// The library's merge tree, written down once more for tests, by its definition: the values split at the largest power
// of two below their number, both parts merge the same way, and the left part's result is the first operand.
#pragma once

#include <cstddef>
#include <vector>

namespace rowfold_test {

template <class T, class Op>
T merge_tree(const T* values, std::size_t count, const Op& op) {
  if (count == 1) return values[0];
  std::size_t left = 1;
  while (2 * left < count) left *= 2;
  return op(merge_tree(values, left, op), merge_tree(values + left, count - left, op));
}

template <class T, class Op>
T merge_tree(const std::vector<T>& values, const Op& op) {
  return merge_tree(values.data(), values.size(), op);
}

}  // namespace rowfold_test
