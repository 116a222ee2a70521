// SPDX-License-Identifier: MIT
// Folds values on the device, on one thread, for the tests of folds: all of them added to a state each, or in two parts
// that are merged.
#pragma once

#include <cstring>
#include <type_traits>
#include <vector>

#include "rowfold/folds/indexed.cuh"
#include "rowfold/folds/moments.cuh"
#include "support/check.hpp"
#include "support/run.cuh"

namespace rowfold_test {

// Equal bits, member by member: padding between members means nothing.
template <class T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}
template <class T, class I>
bool same(const rowfold::indexed<T, I>& a, const rowfold::indexed<T, I>& b) {
  return same(a.value, b.value) && a.index == b.index;
}
template <class T>
bool same(const rowfold::moments<T>& a, const rowfold::moments<T>& b) {
  return same(a.mean, b.mean) && same(a.m2, b.m2) && a.count == b.count;
}

// Folds x[0 .. split) and x[split .. count) into a state each, and merges the two.
template <class Fold, class Acc>
struct fold_body {
  const Acc* x;
  int count;
  int split;
  typename Fold::state* out;
  ROWFOLD_DEVICE void operator()() const {
    const Fold fold{};
    auto left = fold.identity();
    auto right = fold.identity();
    for (int i = 0; i < split; ++i) fold.add(left, x[i], i);
    for (int i = split; i < count; ++i) fold.add(right, x[i], i);
    out[0] = fold.merge(left, right);
    out[1] = fold(left, right);  // a fold is an operator, too
  }
};

template <class Fold, class Acc>
typename Fold::state fold(const std::vector<Acc>& x, int split) {
  static_assert(std::is_trivially_copyable<typename Fold::state>::value, "states travel as bytes");
  buffer<Acc> in(x.size());
  buffer<typename Fold::state> out(2);
  in.upload(x);
  rowfold_test::run(fold_body<Fold, Acc>{in.data(), static_cast<int>(x.size()), split, out.data()});
  const auto results = out.download();
  CHECK(same(results[0], results[1]));
  CHECK(out.canaries_intact());
  return results[0];
}

template <class Acc>
std::vector<Acc> values(const std::vector<double>& x) {
  return {x.begin(), x.end()};
}

}  // namespace rowfold_test
