// SPDX-License-Identifier: MIT
#include "layer_norm/layer_norm_run.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "layer_norm/elements.hpp"
#include "support/buffer.cuh"
#include "support/check.hpp"

#if !defined(__CUDACC__)
#include "rowfold/cpu/traffic.hpp"
#endif

namespace rowfold_test {
namespace {

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

std::unique_ptr<row_memory> make_vector(element type, const std::vector<double>& values, std::size_t offset) {
  if (values.empty()) return nullptr;
  auto memory = std::make_unique<row_memory>(type, 1, static_cast<int>(values.size()), rowfold::row_layout{}, offset);
  memory->set(values);
  memory->upload();
  return memory;
}

std::unique_ptr<row_memory> make_statistic(const type_set& types, std::int64_t rows, std::size_t offset) {
  auto memory =
      std::make_unique<row_memory>(types.statistic(), 1, static_cast<int>(rows), rowfold::row_layout{}, offset);
  memory->upload();
  return memory;
}

#if !defined(__CUDACC__)
// Counts the bytes that kernels move in some tensors, and those of them that lie outside the tensors' rows.
class byte_counter {
 public:
  ~byte_counter() {
    while (!ranges_.empty()) ranges_.pop_back();  // in reverse order of making
  }

  void watch(row_memory* memory) {
    if (memory == nullptr) return;
    constexpr std::size_t around = 256;  // the canaries
    whole_.push_back(ranges_.size());
    add(memory->begin() - around, memory->bytes() + 2 * around);
    for (std::int64_t row = 0; row < memory->rows(); ++row) add(memory->address(row), memory->row_bytes());
  }

  std::int64_t moved_in_rows() const { return total(false); }
  std::int64_t moved_outside_rows() const { return total(true) - total(false); }

 private:
  void add(const unsigned char* begin, std::size_t bytes) {
    ranges_.push_back(std::make_unique<rowfold::cpu::watched_range>(begin, bytes));
  }
  std::int64_t total(bool whole) const {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      const bool is_whole = std::find(whole_.begin(), whole_.end(), i) != whole_.end();
      if (is_whole == whole) bytes += ranges_[i]->loaded_bytes() + ranges_[i]->stored_bytes();
    }
    return static_cast<std::int64_t>(bytes);
  }

  std::vector<std::unique_ptr<rowfold::cpu::watched_range>> ranges_;
  std::vector<std::size_t> whole_;
};
#endif

}  // namespace

layer_norm_output run(const layer_norm_input& input, const placement& where) {
  const type_set& types = *input.types;
  INFO(types.name << ", " << input.rows << " x " << input.cols << ", " << where.name);
  row_memory x(types.x, input.rows, input.cols, where.x_layout, where.x_offset);
  x.set(input.x);
  x.upload();
  std::unique_ptr<row_memory> separate_y;
  if (!where.in_place) {
    separate_y = std::make_unique<row_memory>(types.y, input.rows, input.cols, where.y_layout, where.y_offset);
    separate_y->upload();
  }
  row_memory& y = where.in_place ? x : *separate_y;
  const auto gamma = make_vector(types.parameter, input.gamma, where.gamma_offset);
  const auto beta = make_vector(types.parameter, input.beta, where.beta_offset);
  const auto mean = where.statistics ? make_statistic(types, input.rows, where.mean_offset) : nullptr;
  const auto rstd = where.statistics ? make_statistic(types, input.rows, where.rstd_offset) : nullptr;

  layer_norm_call call;
  call.x = x.data();
  call.gamma = gamma ? gamma->data() : nullptr;
  call.beta = beta ? beta->data() : nullptr;
  call.y = y.data();
  call.rows = input.rows;
  call.cols = input.cols;
  call.eps = input.eps;
  call.x_layout = where.x_layout;
  call.y_layout = where.in_place ? where.x_layout : where.y_layout;
  call.mean = mean ? mean->data() : nullptr;
  call.rstd = rstd ? rstd->data() : nullptr;
  call.request = where.request;

  layer_norm_output output;
  output.plan = types.plan(call);
  const auto launch = where.fast ? types.run_fast : where.short_call ? types.run_short : types.run;
  REQUIRE(launch != nullptr);
#if !defined(__CUDACC__)
  byte_counter counter;
  if (where.count_bytes) {
    row_memory* const memories[] = {&x, separate_y.get(), gamma.get(), beta.get(), mean.get(), rstd.get()};
    for (row_memory* memory : memories) counter.watch(memory);
  }
#endif
  require_success(launch(call));
  sync();
#if !defined(__CUDACC__)
  if (where.count_bytes) {
    output.issued_bytes = counter.moved_in_rows();
    REQUIRE(counter.moved_outside_rows() == 0);
  }
#endif
  output.y = y.values();
  if (mean) output.mean = mean->values();
  if (rstd) output.rstd = rstd->values();
  if (!where.in_place) REQUIRE(x.unchanged());
  if (gamma) REQUIRE(gamma->unchanged());
  if (beta) REQUIRE(beta->unchanged());
  return output;
}

layer_norm_input layer_norm_input::rounded() const {
  layer_norm_input result = *this;
  for (double& value : result.x) value = round_to(types->x, value);
  for (double& value : result.gamma) value = round_to(types->parameter, value);
  for (double& value : result.beta) value = round_to(types->parameter, value);
  result.eps = round_to(types->statistic(), eps);
  return result;
}

layer_norm_input layer_norm_input::only(std::int64_t first, std::int64_t count) const {
  layer_norm_input result = *this;
  result.rows = count;
  result.x.assign(x.begin() + first * cols, x.begin() + (first + count) * cols);
  return result;
}

std::int64_t first_element(const rowfold::row_layout& layout, int cols, std::int64_t row) {
  const std::int64_t stride = layout.inner_stride == rowfold::row_layout::packed ? cols : layout.inner_stride;
  if (layout.inner == 0) return row * stride;
  return row / layout.inner * layout.outer_stride + row % layout.inner * stride;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

}  // namespace rowfold_test
