// SPDX-License-Identifier: MIT
//
// Activations y = f(x) on one GPU, cold, x and y of one type. All names end in /<dtype>/1/<elements>, 2^28 by default:
//   relu, gelu, gelu_tanh, silu, quick_gelu, sigmoid, tanh
//   copy                      the yardstick again at the end: shows drift during the run
// Every case is checked against float64 before it is timed. The program's own flags: support/session.hpp.

#include <cmath>

#include "elementwise_cases.cuh"
#include "rowfold/activation.cuh"
#include "support/reporting.hpp"
#include "support/session.hpp"

namespace rowfold_bench {
namespace {

double exact_sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

template <class T, class Function, class Reference>
void register_activation(session& run, lazy_vectors& data, const char* op, Function function, Reference reference) {
  run.register_case(vector_name<T>(op, run.elements()), [=, &run, &data] {
    const vector_data& all = data.get<T>();
    const T* x = all.a<T>();
    T* y = all.y<T>();
    const auto args = rowfold::make_activation_args(x, y, static_cast<std::int64_t>(run.elements()));
    device_case work;
    work.bytes = 2.0 * sizeof(T) * static_cast<double>(args.count);
    work.label = rowfold::to_label(rowfold::plan_activation(args, this_device()));
    work.enqueue = [=](cudaStream_t stream) { require(rowfold::activation(function, args, stream), "activation"); };
    work.check = [=, run_once = work.enqueue] {
      return check_elementwise(x, static_cast<const T*>(nullptr), y, args.count, run_once,
                               [=](double value, double) { return reference(value); });
    };
    return work;
  });
}

template <class T>
void register_type(session& run, lazy_vectors& data) {
  register_activation<T>(run, data, "relu", rowfold::relu{}, [](double x) { return std::max(x, 0.0); });
  register_activation<T>(run, data, "gelu", rowfold::gelu{},
                         [](double x) { return x / 2.0 * std::erfc(-x / std::sqrt(2.0)); });
  register_activation<T>(run, data, "gelu_tanh", rowfold::gelu_tanh{}, [](double x) {
    return x * exact_sigmoid(std::sqrt(8.0 / 3.14159265358979323846) * (x + 0.044715 * x * x * x));
  });
  register_activation<T>(run, data, "silu", rowfold::silu{}, [](double x) { return x * exact_sigmoid(x); });
  register_activation<T>(run, data, "quick_gelu", rowfold::quick_gelu{},
                         [](double x) { return x * exact_sigmoid(1.702 * x); });
  register_activation<T>(run, data, "sigmoid", rowfold::sigmoid{}, exact_sigmoid);
  register_activation<T>(run, data, "tanh", rowfold::tanh{}, [](double x) { return std::tanh(x); });
}

}  // namespace
}  // namespace rowfold_bench

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  session run(argc, argv);
  const bool names_output = has_flag(argc, argv, "benchmark_out");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  run.open();
  lazy_vectors data(run.elements());
  register_type<__nv_bfloat16>(run, data);
  register_type<__half>(run, data);
  register_type<float>(run, data);
  run.register_copy();
  return run_benchmarks(names_output);
}
