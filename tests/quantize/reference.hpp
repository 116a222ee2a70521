// SPDX-License-Identifier: MIT
// Quantising as it is defined, in double on the host.
#pragma once

#include <vector>

#include "quantize/types.hpp"

namespace rowfold_test {
namespace quantize {

// The code of a value and a scale: the quotient rounded to float, then to the format, each time to nearest even.
double code_of(code format, double value, double scale);

// The value that a code stands for, and the distance from |value| to the next larger one.
double value_of(code format, double bits);
double step_at(code format, double value);

// The scale of values whose largest absolute value is `largest`, a float.
double scale_of(code format, double largest, bool power_of_two);

// |largest| of the values, NaN if one of them is.
double largest_of(const double* values, int count);

struct quantized {
  std::vector<double> q;      // [rows, cols], the codes' bits
  std::vector<double> scale;  // [rows, scales]; of a given scale: that one
};

// The codes and scales of rows of float values. given: the scale, where the mode has one.
quantized quantize_rows(const op_types& types, const std::vector<double>& values, int cols, double given,
                        bool power_of_two);

}  // namespace quantize
}  // namespace rowfold_test
