// SPDX-License-Identifier: MIT
// Runs one transpose and looks at everything: the result, every byte around it, the input, and the bytes that the
// kernel moved against what its plan says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "rowfold/launch/transpose_plan_string.hpp"
#include "rowfold/transpose.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/either_priority.hpp"

#if !defined(__CUDACC__)
#include "rowfold/cpu/traffic.hpp"
#endif

namespace rowfold_test {

// An element type that is no number.
struct pair_of_floats {
  float first, second;
};

// `batch` matrices of [rows, cols] in memory of their own; strides and offset in elements.
template <class T>
class matrices {
 public:
  matrices(std::int64_t batch, std::int64_t rows, std::int64_t cols, std::int64_t row_stride, std::int64_t batch_stride,
           std::size_t offset)
      : cols_(cols), row_stride_(row_stride), batch_stride_(batch_stride) {
    std::int64_t high = 0;
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t r = 0; r < rows; ++r) {
        starts_.push_back(b * batch_stride + r * row_stride);
        origin_ = std::max(origin_, -starts_.back());
        high = std::max(high, starts_.back() + cols);
      }
    }
    image_.resize(static_cast<std::size_t>(high + origin_));
    if (!image_.empty()) std::memset(static_cast<void*>(image_.data()), 0xFF, bytes());
    // The first element of the first row lies `offset` elements behind a boundary, wherever the lowest then lies.
    const std::size_t vector = 256 / sizeof(T);
    const std::size_t shift = (offset + vector - static_cast<std::size_t>(origin_) % vector) % vector;
    memory_ = std::make_unique<buffer<T>>(image_.size(), shift);
  }

  T& at(std::int64_t b, std::int64_t r, std::int64_t c) {
    return image_[static_cast<std::size_t>(origin_ + b * batch_stride_ + r * row_stride_ + c)];
  }

  // To memory; between the rows nothing may be read or written from here on (AddressSanitizer).
  void upload() {
    memory_->upload(image_);
    std::sort(starts_.begin(), starts_.end());
    std::int64_t end = -origin_;
    for (const std::int64_t start : starts_) {
      if (start > end) memory_->forbid(static_cast<std::size_t>(end + origin_), static_cast<std::size_t>(start - end));
      end = start + cols_;
    }
  }

  // True where memory is what the image is, and nothing has changed around it.
  bool holds_image() const {
    if (!memory_->canaries_intact()) return false;
    const std::vector<T> found = memory_->download();
    return found.empty() || std::memcmp(found.data(), image_.data(), found.size() * sizeof(T)) == 0;
  }

  T* data() { return memory_->data() + origin_; }
  const void* begin() const { return memory_->data(); }
  std::size_t bytes() const { return image_.size() * sizeof(T); }

 private:
  std::int64_t cols_, row_stride_, batch_stride_;
  std::int64_t origin_ = 0;  // elements in front of the first element of the first row
  std::vector<std::int64_t> starts_;
  std::vector<T> image_;
  std::unique_ptr<buffer<T>> memory_;
};

// What differs from packed matrices at aligned addresses.
struct transpose_placement {
  std::size_t x_offset = 0;  // elements
  std::size_t y_offset = 0;
  std::int64_t x_padding = 0;  // elements between rows, and between matrices
  std::int64_t y_padding = 0;
  bool reversed = false;  // rows and matrices lie in descending order
  rowfold::transpose_request request{};
};

// Element (b, r, c) of the test's input: bytes that look random and differ from their neighbours'.
template <class T>
T element_at(std::int64_t b, std::int64_t r, std::int64_t c) {
  std::uint64_t bits = seed() + static_cast<std::uint64_t>(b) * 0x9e3779b97f4a7c15u +
                       static_cast<std::uint64_t>(r) * 0xbf58476d1ce4e5b9u +
                       static_cast<std::uint64_t>(c) * 0x94d049bb133111ebu;
  bits = (bits ^ (bits >> 31)) * 0xd6e8feb86659fd93u;
  bits ^= bits >> 32;
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

// Small matrices in large tiles.
template <class T>
struct large_tiles : rowfold::transpose_tiles<sizeof(T)> {
  using skewed = typename rowfold::transpose_tiles<sizeof(T)>::large_skewed;
};

// Transposes and checks; returns the plan.
template <class T, class Tiles = rowfold::transpose_tiles<sizeof(T)>>
rowfold::transpose_plan check_transpose(std::int64_t batch, std::int64_t rows, std::int64_t cols,
                                        const transpose_placement& where = {}) {
  INFO(batch << " x " << rows << " x " << cols << " of " << sizeof(T) << " bytes, offsets " << where.x_offset << " "
             << where.y_offset << ", padding " << where.x_padding << " " << where.y_padding << ", reversed "
             << where.reversed << ", band " << where.request.band);
  const std::int64_t sign = where.reversed ? -1 : 1;
  rowfold::transpose_args<T> args;
  args.batch = batch;
  args.rows = rows;
  args.cols = cols;
  args.x_row_stride = sign * (cols + where.x_padding);
  args.x_batch_stride = rows * args.x_row_stride + sign * where.x_padding;
  args.y_row_stride = sign * (rows + where.y_padding);
  args.y_batch_stride = cols * args.y_row_stride + sign * where.y_padding;
  args.request = where.request;
  matrices<T> x(batch, rows, cols, args.x_row_stride, args.x_batch_stride, where.x_offset);
  matrices<T> y(batch, cols, rows, args.y_row_stride, args.y_batch_stride, where.y_offset);
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) x.at(b, r, c) = element_at<T>(b, r, c);
    }
  }
  x.upload();
  y.upload();
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) y.at(b, c, r) = x.at(b, r, c);
    }
  }
  args.x = x.data();
  args.y = y.data();
  rowfold::device_info device;
  require_success(rowfold::current_device_info(device));
  const rowfold::transpose_plan made =
      rowfold::make_transpose_plan<Tiles>(rowfold::make_transpose_problem(args), device, args.request);
  const rowfold::transpose_plan plan = plan_with_either_priority(made, args);
#if !defined(__CUDACC__)
  const auto whole = [](const matrices<T>& m) { return static_cast<const unsigned char*>(m.begin()) - 256; };
  rowfold::cpu::watched_range x_traffic(whole(x), x.bytes() + 512);  // with the canaries
  rowfold::cpu::watched_range y_traffic(whole(y), y.bytes() + 512);
#endif
  if constexpr (std::is_same_v<Tiles, rowfold::transpose_tiles<sizeof(T)>>) {
    require_success(rowfold::transpose(args));
  } else {
    require_success(rowfold::launch_transpose_tiles<Tiles>(args, plan));
  }
  rowfold_test::sync();
#if !defined(__CUDACC__)
  CHECK(x_traffic.loaded_bytes() + y_traffic.stored_bytes() == static_cast<std::uint64_t>(plan.issued_bytes));
  CHECK(2 * y_traffic.stored_bytes() == static_cast<std::uint64_t>(plan.minimal_bytes));
  CHECK(x_traffic.stored_bytes() + y_traffic.loaded_bytes() == 0);
#endif
  CHECK(y.holds_image());
  CHECK(x.holds_image());
  return plan;
}

}  // namespace rowfold_test
