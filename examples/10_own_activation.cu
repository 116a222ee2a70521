// SPDX-License-Identifier: MIT
// 10. An activation of your own behind RMSNorm, in one pass over memory: a functor with a member, put into the
//     library's activation_map, chained behind the norm and its weight. The same functor gates one half of a row by the
//     other in the second call, and is a gated activation like SwiGLU.
#include "memory.hpp"
#include "rowfold/gated_activation.cuh"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/rms_norm.cuh"
#include "rowfold/row/activation_map.cuh"

// y = x sigmoid(beta x), Swish with a parameter. One float in, one float out; members travel to the GPU with it.
struct swish {
  float beta;

  ROWFOLD_DEVICE float operator()(float x) const { return x * rowfold::math::sigmoid(beta * x); }
};

double expected_swish(double beta, double x) { return x / (1 + std::exp(-beta * x)); }

int main() {
  constexpr int rows = 2, cols = 8;
  constexpr float beta = 1.5f;
  constexpr float eps = 1e-6f;
  const std::vector<float> x_values = {1,  2,    3, 4, -5, 6, 7,  8,  //
                                       -8, 0.5f, 0, 2, 0,  8, -1, 1};
  const std::vector<float> gamma_values = {1, 1, 2, 2, 0.5f, 0.5f, 1, 1};
  const device_array<float> x(x_values), gamma(gamma_values), y(rows * cols);

  // RMSNorm, then the weight, then the activation.
  const rowfold::row_layout packed = rowfold::row_layout::strided(cols);
  const rowfold::plain_source<float> source{x.data(), packed};
  const auto folds = rowfold::rms_stages<float>(cols, eps);
  const auto map =
      rowfold::chain(rowfold::rms_map{}, rowfold::affine_map<float, rowfold::absent>{gamma.data(), nullptr},
                     rowfold::activation_map<swish>{swish{beta}});
  const rowfold::plain_sink<float> sink{y.data(), packed};
  check(rowfold::fold_rows({rows, cols}, source, folds, map, sink));

  std::vector<float> expected;
  for (std::size_t row = 0; row < rows; ++row) {
    const float* values = x_values.data() + row * cols;
    double squares = 0;
    for (int c = 0; c < cols; ++c) squares += static_cast<double>(values[c]) * values[c];
    for (std::size_t c = 0; c < cols; ++c) {
      const double z = values[c] / std::sqrt(squares / cols + static_cast<double>(eps)) * gamma_values[c];
      expected.push_back(static_cast<float>(expected_swish(beta, z)));
    }
  }
  bool good = print_and_compare(y.values(), expected, cols, 1e-5f);

  // The first half of each row gates the second: 4 columns.
  constexpr int y_cols = cols / 2;
  const device_array<float> gated(rows * y_cols);
  const auto args = rowfold::gated_halves_args(x.data(), gated.data(), rows, y_cols);
  rowfold::device_info device;
  check(rowfold::current_device_info(device));
  std::printf("\n%s\n", rowfold::to_string(rowfold::plan_gated_activation(args, device)).c_str());
  check(rowfold::gated_activation(swish{beta}, args));
  expected.clear();
  for (std::size_t row = 0; row < rows; ++row) {
    const float* values = x_values.data() + row * cols;
    for (int c = 0; c < y_cols; ++c) {
      expected.push_back(static_cast<float>(expected_swish(beta, values[c]) * values[c + y_cols]));
    }
  }
  good = print_and_compare(gated.values(), expected, y_cols, 1e-4f) && good;
  return good ? 0 : 1;
}
