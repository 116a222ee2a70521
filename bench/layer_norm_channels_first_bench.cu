// SPDX-License-Identifier: MIT
//
// LayerNorm over the channels of channels-first tensors of 2^28 elements, with gamma and beta, all of one type, on one
// GPU, cold, and beside it what it takes the place of. Each op's bytes are those of one reading and one writing. The
// names:
//   layer_norm_channels_first_<spatial>/<dtype>/<rows>/<channels>     the op; rows = batch * spatial
//   layer_norm_between_transposes_<spatial>/...                       transpose, layer_norm, transpose: the same result
//   layer_norm_behind_transpose_<spatial>/...                         transpose, layer_norm: rows of channels
// Every case is checked against float64 before it is timed. Flags: support/session.hpp, and Google Benchmark's.
// --block_threads=N asks the op for blocks of so many threads.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "rowfold/layer_norm.cuh"
#include "rowfold/layer_norm_channels_first.cuh"
#include "rowfold/transpose.cuh"
#include "support/plan_label.cuh"
#include "support/row_cases.cuh"

namespace rowfold_bench {
namespace {

enum class way { channels_first, between_transposes, behind_transpose };

struct image_shape {
  int channels;
  std::int64_t spatial;
};

// Stages of image models, and wider ones; 49 and 196 positions make channels that are not aligned to 16 bytes.
constexpr image_shape shapes[] = {{64, 3136}, {96, 3136}, {128, 784}, {192, 784},  {256, 3136}, {256, 1024},
                                  {384, 196}, {512, 784}, {512, 196}, {768, 1024}, {768, 49},   {1024, 196}};

/// The channels of one position of a packed tensor.
template <class T>
std::vector<T> download_position(const T* data, const image_shape& shape, std::int64_t row) {
  std::vector<T> values(static_cast<std::size_t>(shape.channels));
  const T* first = data + row / shape.spatial * shape.channels * shape.spatial + row % shape.spatial;
  require(cudaMemcpy2D(values.data(), sizeof(T), first, static_cast<std::size_t>(shape.spatial) * sizeof(T), sizeof(T),
                       values.size(), cudaMemcpyDeviceToHost),
          "cudaMemcpy2D");
  return values;
}

template <class T>
class channels_op {
 public:
  channels_op(row_tensors& tensors, const image_shape& shape, std::int64_t batch, way how, int block_threads)
      : how_(how), shape_(shape), rows_scratch_(tensors.output<T>(1)), rows_normalised_(tensors.output<T>(2)) {
    args_.x = tensors.input<T>(0);
    args_.gamma = tensors.parameter<T>(0, 1.0f);
    args_.beta = tensors.parameter<T>(1, 0.0f);
    args_.y = tensors.output<T>(0);
    args_.batch = batch;
    args_.channels = shape.channels;
    args_.spatial = shape.spatial;
    args_.request.block_threads = block_threads;
  }

  void enqueue(cudaStream_t stream) const {
    const std::int64_t batch = args_.batch;
    if (how_ == way::channels_first) {
      require(rowfold::layer_norm_channels_first(args_, stream), "layer_norm_channels_first");
      return;
    }
    require(rowfold::transpose(args_.x, rows_scratch_, batch, shape_.channels, shape_.spatial, stream), "transpose");
    require(rowfold::layer_norm(rows_scratch_, args_.gamma, args_.beta, rows_normalised_, rows(), shape_.channels,
                                args_.eps, stream),
            "layer_norm");
    if (how_ == way::behind_transpose) return;
    require(rowfold::transpose(rows_normalised_, args_.y, batch, shape_.spatial, shape_.channels, stream), "transpose");
  }

  std::string plan() const {
    const std::string label = plan_label(rowfold::plan_layer_norm_channels_first(args_, this_device()));
    return how_ == way::channels_first       ? label
           : how_ == way::between_transposes ? "transpose, layer_norm, transpose"
                                             : "transpose, layer_norm";
  }

  double bytes() const { return sizeof(T) * (2.0 * static_cast<double>(elements()) + 2.0 * shape_.channels); }

  std::string check() const {
    T* const y = how_ == way::behind_transpose ? rows_normalised_ : args_.y;
    poison(y, elements());
    enqueue(nullptr);
    require(cudaDeviceSynchronize(), "the op");
    const unsigned long long unwritten = count_nan(y, elements());
    if (unwritten != 0) return "wrong result: " + std::to_string(unwritten) + " elements unwritten or NaN";
    for (const std::int64_t row : sample_rows(rows(), 16, 20261)) {
      const std::vector<T> found =
          how_ == way::behind_transpose ? download_row(y, row, shape_.channels) : download_position(y, shape_, row);
      const std::string fault = check_row(row, found);
      if (!fault.empty()) return fault;
    }
    return {};
  }

 private:
  std::int64_t rows() const { return args_.batch * shape_.spatial; }
  std::size_t elements() const { return static_cast<std::size_t>(rows()) * static_cast<std::size_t>(shape_.channels); }

  std::string check_row(std::int64_t row, const std::vector<T>& found) const {
    const std::vector<T> x = download_position(args_.x, shape_, row);
    const std::vector<double> gamma = download_row_as_double(args_.gamma, 0, shape_.channels);
    const std::vector<double> beta = download_row_as_double(args_.beta, 0, shape_.channels);
    double mean = 0;
    for (const T value : x) mean += to_double(value) / shape_.channels;
    double variance = 0;
    for (const T value : x) variance += (to_double(value) - mean) * (to_double(value) - mean) / shape_.channels;
    const double inverse = 1.0 / std::sqrt(variance + args_.eps);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = (to_double(x[i]) - mean) * inverse * gamma[i] + beta[i];
      const double scale = std::max({std::fabs(expected), std::fabs(gamma[i]), std::fabs(beta[i])});
      if (close_enough(found[i], expected, scale)) continue;
      return "wrong result: row " + std::to_string(row) + ", channel " + std::to_string(i) + ": " +
             std::to_string(to_double(found[i])) + " instead of " + std::to_string(expected);
    }
    return {};
  }

  way how_;
  image_shape shape_;
  T* rows_scratch_;
  T* rows_normalised_;
  rowfold::layer_norm_channels_first_args<T> args_;
};

template <class T>
void register_type(session& run, row_tensors& tensors, int block_threads) {
  for (const image_shape& shape : shapes) {
    const std::int64_t batch = static_cast<std::int64_t>(run.elements()) / shape.channels / shape.spatial;
    if (batch < 1) continue;  // a run with few elements
    const auto add = [&](const char* op, way how) {
      const std::string name = op + std::string("_") + std::to_string(shape.spatial);
      run.register_case(case_name(name, dtype_name<T>::text, batch * shape.spatial, shape.channels), [=, &tensors] {
        const channels_op<T> made(tensors, shape, batch, how, block_threads);
        device_case work;
        work.bytes = made.bytes();
        work.label = made.plan();
        work.enqueue = [made](cudaStream_t stream) { made.enqueue(stream); };
        work.check = [made] { return made.check(); };
        return work;
      });
    };
    add("layer_norm_channels_first", way::channels_first);
    add("layer_norm_between_transposes", way::between_transposes);
    add("layer_norm_behind_transpose", way::behind_transpose);
  }
}

}  // namespace
}  // namespace rowfold_bench

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  const int block_threads = std::atoi(take_flag(argc, argv, "block_threads").c_str());
  return run_row_benchmarks(argc, argv, [=](session& run, row_tensors& tensors) {
    register_type<__nv_bfloat16>(run, tensors, block_threads);
    register_type<__half>(run, tensors, block_threads);
    register_type<float>(run, tensors, block_threads);
  });
}
