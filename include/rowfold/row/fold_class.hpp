// SPDX-License-Identifier: MIT
// Classes of folds by what they cost per column: the fold shape and the kernels of a row op depend on it.
#pragma once

#include "rowfold/config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// launch/row_kernels.hpp and launch/row_tuning.hpp have what follows from each.
enum class fold_class {
  sum,      // one fold of a few instructions per column: several granules per lane keep the memory busy
  norm,     // two such folds, or more
  softmax,  // an exponential per column: two granules per lane and many threads in part of a warp, four in a block
};

// The class of an op of so many folds. dearest: softmax if any of them is of that class, else norm.
ROWFOLD_HOST_DEVICE constexpr fold_class class_of_folds(fold_class dearest, int folds) {
  return dearest == fold_class::softmax ? dearest : folds <= 1 ? fold_class::sum : fold_class::norm;
}

namespace detail {

template <class Stage, class = void>
struct fold_class_of {
  static constexpr fold_class value = fold_class::norm;
};
template <class Stage>
struct fold_class_of<Stage, decltype(static_cast<void>(Stage::shape_class))> {
  static constexpr fold_class value = Stage::shape_class;
};

}  // namespace detail

}  // namespace ROWFOLD_ABI
}  // namespace rowfold
