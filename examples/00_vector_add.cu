// SPDX-License-Identifier: MIT
// 0. Adding two vectors: a function of your own over arrays of any length and type, element by element. Everything
//    narrower than float arrives as float; the result is rounded once to the output's type. The plan says how memory is
//    reached: here all three arrays start in the middle of 16 bytes, which costs nothing as long as they do so alike.
#include "memory.hpp"
#include "rowfold/elementwise.cuh"
#include "rowfold/launch/elementwise_plan_string.hpp"

struct add {
  ROWFOLD_DEVICE float operator()(float a, float b) const { return a + b; }
};

int main() {
  constexpr int count = 1000;
  std::vector<float> a_values, b_values, expected;
  for (int i = 0; i < count; ++i) {
    a_values.push_back(static_cast<float>(i));
    b_values.push_back(0.5f);
    expected.push_back(static_cast<float>(i) + 0.5f);
  }
  const device_array<float> a(a_values), b(b_values), y(count);

  check(rowfold::elementwise(add{}, rowfold::inputs(a.data(), b.data()), rowfold::outputs(y.data()), count));
  bool right = y.values() == expected;

  // All but the first three elements, in place: a becomes 2 a.
  rowfold::elementwise_args args{rowfold::inputs(a.data() + 3, a.data() + 3), rowfold::outputs(a.data() + 3),
                                 count - 3};
  rowfold::device_info device;
  check(rowfold::current_device_info(device));
  std::printf("%s", rowfold::to_string(rowfold::plan_elementwise(args, device)).c_str());
  check(rowfold::elementwise(add{}, args));
  for (std::size_t i = 0; i < count; ++i) expected[i] = i < 3 ? a_values[i] : 2 * a_values[i];
  right = right && a.values() == expected;

  std::printf("%s\n", right ? "right" : "not what was expected");
  return right ? 0 : 1;
}
