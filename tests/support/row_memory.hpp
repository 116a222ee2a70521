// SPDX-License-Identifier: MIT
// Rows in memory as kernels see them: of any element type and layout, at any address, with all that lies between them
// watched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "rowfold/row/row_layout.hpp"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/element.hpp"

namespace rowfold_test {

// Row `row` of a layout starts at this element: row_layout's definition, written down once more.
inline std::int64_t first_element(const rowfold::row_layout& layout, int cols, std::int64_t row) {
  const std::int64_t stride = layout.inner_stride == rowfold::row_layout::packed ? cols : layout.inner_stride;
  if (layout.inner == 0) return row * stride;
  return row / layout.inner * layout.outer_stride + row % layout.inner * stride;
}

// Rows in memory: an image of the memory on the host, and the memory.
class row_memory {
 public:
  row_memory(element type, std::int64_t rows, int cols, const rowfold::row_layout& layout, std::size_t offset)
      : type_(type), rows_(rows), cols_(cols), layout_(layout), size_(bytes_of(type)) {
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      low = std::min(low, first_element(layout, cols, row));
      high = std::max(high, first_element(layout, cols, row) + cols);
    }
    origin_ = static_cast<std::size_t>(-low);
    image_.assign(static_cast<std::size_t>(high - low) * size_, untouched);
    find_gaps();
    // Row 0 lies `offset` elements behind a boundary, wherever the lowest element then lies.
    const std::size_t shift = (offset * size_ + (low == 0 ? 0 : 256 - origin_ * size_ % 256)) % 256;
    memory_ = std::make_unique<buffer<unsigned char>>(image_.size(), shift);
  }

  void set(const std::vector<double>& values) {
    REQUIRE(values.size() == static_cast<std::size_t>(rows_) * static_cast<std::size_t>(cols_));
    std::size_t i = 0;
    for (std::int64_t row = 0; row < rows_; ++row) {
      for (int col = 0; col < cols_; ++col) encode(type_, values[i++], &image_[byte_of(row, col)]);
    }
  }

  void upload() {
    memory_->upload(image_);
    // Between the rows nothing may be read (AddressSanitizer) or written.
    for (const auto& [begin, end] : gaps_) memory_->forbid(begin, end - begin);
  }

  // The values of all rows. Requires that nothing outside the rows has changed.
  std::vector<double> values() const {
    REQUIRE(memory_->canaries_intact());
    const std::vector<unsigned char> bytes = memory_->download();
    bool gaps_intact = true;
    for (const auto& [begin, end] : gaps_) {
      for (std::size_t i = begin; i < end; ++i) gaps_intact = gaps_intact && bytes[i] == untouched;
    }
    REQUIRE(gaps_intact);
    std::vector<double> result;
    result.reserve(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(cols_));
    for (std::int64_t row = 0; row < rows_; ++row) {
      for (int col = 0; col < cols_; ++col) result.push_back(decode(type_, &bytes[byte_of(row, col)]));
    }
    return result;
  }

  bool unchanged() const { return memory_->canaries_intact() && memory_->download() == image_; }

  void* data() { return address(0); }
  unsigned char* address(std::int64_t row) { return memory_->data() + byte_of(row, 0); }
  unsigned char* begin() { return memory_->data(); }
  std::size_t bytes() const { return image_.size(); }
  std::size_t row_bytes() const { return static_cast<std::size_t>(cols_) * size_; }
  std::int64_t rows() const { return rows_; }

 private:
  static constexpr unsigned char untouched = 0xFF;  // NaN in every type

  void find_gaps() {
    std::vector<std::size_t> begins;
    for (std::int64_t row = 0; row < rows_; ++row) begins.push_back(byte_of(row, 0));
    begins.push_back(image_.size());
    std::sort(begins.begin(), begins.end());
    std::size_t end = 0;  // of the rows so far
    for (const std::size_t begin : begins) {
      if (begin > end) gaps_.emplace_back(end, begin);
      end = begin + row_bytes();
    }
  }

  std::size_t byte_of(std::int64_t row, int col) const {
    return static_cast<std::size_t>(first_element(layout_, cols_, row) + col + static_cast<std::int64_t>(origin_)) *
           size_;
  }

  element type_;
  std::int64_t rows_;
  int cols_;
  rowfold::row_layout layout_;
  std::size_t size_;
  std::size_t origin_ = 0;
  std::vector<unsigned char> image_;
  std::vector<std::pair<std::size_t, std::size_t>> gaps_;  // bytes [first, second) that belong to no row
  std::unique_ptr<buffer<unsigned char>> memory_;
};

// A vector in memory, `offset` elements behind a boundary; null for no values.
inline std::unique_ptr<row_memory> make_vector(element type, const std::vector<double>& values, std::size_t offset) {
  if (values.empty()) return nullptr;
  auto memory = std::make_unique<row_memory>(type, 1, static_cast<int>(values.size()), rowfold::row_layout{}, offset);
  memory->set(values);
  memory->upload();
  return memory;
}

// The same, of `count` elements that nobody has written yet.
inline std::unique_ptr<row_memory> make_unwritten(element type, std::int64_t count, std::size_t offset) {
  auto memory = std::make_unique<row_memory>(type, 1, static_cast<int>(count), rowfold::row_layout{}, offset);
  memory->upload();
  return memory;
}

}  // namespace rowfold_test
