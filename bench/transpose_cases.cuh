// SPDX-License-Identifier: MIT
//
// Data and check for transpose benchmarks: one pair of large tensors that every type and shape reinterprets, and a
// kernel that compares every element of a result, bit for bit. Host functions, but for the two kernels, which every
// thread of a 1-D grid calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "rowfold/launch/transpose_plan_string.hpp"
#include "rowfold/transpose.cuh"
#include "support/device.hpp"
#include "support/dtype_name.hpp"
#include "support/random_fill.cuh"
#include "support/session.hpp"

namespace rowfold_bench {

/// Random bits: a transpose does not care what they mean. Word: std::uint64_t.
template <class Word>
__global__ void fill_bits_kernel(Word* data, std::size_t count) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    data[i] = mix_bits(i);
  }
}

/// Counts the elements of y, packed [batch, cols, rows], that differ from x, packed [batch, rows, cols].
template <class Bits>
__global__ void count_wrong_kernel(const Bits* x, const Bits* y, std::int64_t batch, std::int64_t rows,
                                   std::int64_t cols, unsigned long long* wrong) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t count = batch * rows * cols;
  unsigned long long own = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const std::int64_t row = i % rows;
    const std::int64_t col = i / rows % cols;
    const std::int64_t matrix = i / rows / cols;
    own += y[i] != x[(matrix * rows + row) * cols + col];
  }
  if (own != 0) atomicAdd(wrong, own);
}

template <std::size_t Bytes>
struct bits_of;
template <>
struct bits_of<1> {
  using type = std::uint8_t;
};
template <>
struct bits_of<2> {
  using type = std::uint16_t;
};
template <>
struct bits_of<4> {
  using type = std::uint32_t;
};
template <>
struct bits_of<8> {
  using type = std::uint64_t;
};

/// x and y, large enough for elements of 8 bytes and pointers one element further; allocated by the first case that
/// runs.
class transpose_data {
 public:
  explicit transpose_data(std::size_t elements) : words_(elements + 2) {}

  template <class T>
  const T* x() {
    allocate();
    return x_->as<T>();
  }
  template <class T>
  T* y() {
    allocate();
    return y_->as<T>();
  }

 private:
  void allocate() {
    if (x_) return;
    x_ = std::make_unique<device_memory>(words_ * sizeof(std::uint64_t));
    y_ = std::make_unique<device_memory>(words_ * sizeof(std::uint64_t));
    fill_bits_kernel<<<helper_blocks, helper_threads>>>(x_->as<std::uint64_t>(), words_);
    require(cudaGetLastError(), "fill_bits_kernel");
    require(cudaDeviceSynchronize(), "fill_bits");
  }

  std::size_t words_;
  std::unique_ptr<device_memory> x_, y_;
};

/// Runs a transpose of packed matrices once on poisoned output and compares every element. Empty when all are right.
template <class T, class Run>
std::string check_transpose(const rowfold::transpose_args<T>& args, const Run& run) {
  using bits = typename bits_of<sizeof(T)>::type;
  const std::size_t count = static_cast<std::size_t>(args.batch * args.rows * args.cols);
  require(cudaMemset(args.y, 0xff, count * sizeof(T)), "cudaMemset");
  require(cudaDeviceSynchronize(), "poison");
  run(nullptr);
  require(cudaDeviceSynchronize(), "transpose");
  device_memory wrong(sizeof(unsigned long long));
  require(cudaMemset(wrong.data(), 0, wrong.bytes()), "cudaMemset");
  count_wrong_kernel<bits><<<helper_blocks, helper_threads>>>(reinterpret_cast<const bits*>(args.x),
                                                              reinterpret_cast<const bits*>(args.y), args.batch,
                                                              args.rows, args.cols, wrong.as<unsigned long long>());
  require(cudaGetLastError(), "count_wrong_kernel");
  unsigned long long found = 0;
  require(cudaMemcpy(&found, wrong.data(), sizeof found, cudaMemcpyDeviceToHost), "count_wrong");
  return found == 0 ? std::string() : "wrong result: " + std::to_string(found) + " elements";
}

/// Registers the transpose of [batch, rows, cols] in tiles of Tiles; `offset` elements behind a 16-byte boundary on
/// both sides. batch * rows * cols is at most the number of elements of `data`.
template <class T, class Tiles = rowfold::transpose_tiles<static_cast<int>(sizeof(T))>>
void register_transpose(session& run, transpose_data& data, const std::string& op, std::int64_t batch,
                        std::int64_t rows, std::int64_t cols, int offset = 0, int band = 0) {
  if (batch < 1 || rows < 1) return;  // a run with few elements
  const std::string name = op + "/" + dtype_name<T>::text + "/" + std::to_string(rows) + "/" + std::to_string(cols);
  run.register_case(name, [=, &data] {
    rowfold::transpose_args<T> args;
    args.x = data.x<T>() + offset;
    args.y = data.y<T>() + offset;
    args.batch = batch;
    args.rows = rows;
    args.cols = cols;
    args.request.band = band;
    rowfold::device_info device;
    require(rowfold::current_device_info(device), "current_device_info");
    const rowfold::transpose_plan plan =
        rowfold::make_transpose_plan<Tiles>(rowfold::make_transpose_problem(args), device, args.request);
    device_case work;
    work.bytes = static_cast<double>(plan.minimal_bytes);
    work.label = rowfold::to_label(plan) + ", bands of " + std::to_string(plan.band);
    work.enqueue = [=](cudaStream_t stream) {
      require(rowfold::launch_transpose_tiles<Tiles>(args, plan, stream), "transpose");
    };
    work.check = [=, once = work.enqueue] { return check_transpose(args, once); };
    return work;
  });
}

}  // namespace rowfold_bench
