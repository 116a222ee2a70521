// SPDX-License-Identifier: MIT
// Rows and matrices more than 2^31 elements apart, where an index of 32 bits would wrap around. On the CPU alone:
// address space is reserved there without memory behind it. huge_test.cu does the same on a GPU with as much memory.
#include <sys/mman.h>

#include <cstdint>

#include "transpose/transpose_case.cuh"

using namespace rowfold_test;

namespace {

// So many bytes of zeros; only pages that are written get memory.
class reserved_memory {
 public:
  explicit reserved_memory(std::size_t bytes)
      : bytes_(bytes),
        memory_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    REQUIRE(memory_ != MAP_FAILED);
  }
  reserved_memory(const reserved_memory&) = delete;
  reserved_memory& operator=(const reserved_memory&) = delete;
  ~reserved_memory() { munmap(memory_, bytes_); }

  std::uint8_t* data() { return static_cast<std::uint8_t*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

}  // namespace

TEST_CASE("rows and matrices more than 2^31 elements apart") {
  constexpr std::int64_t rows = 20;  // more than one thread has
  constexpr std::int64_t row_stride = (std::int64_t{1} << 31) + 5;
  constexpr std::int64_t batch_stride = rows * row_stride + 3;
  reserved_memory x(static_cast<std::size_t>(2 * rows * row_stride + 100));
  reserved_memory y(static_cast<std::size_t>(3 * row_stride + 100));
  rowfold::transpose_args<std::uint8_t> args;
  args.x = x.data();
  args.y = y.data();
  args.batch = 2;
  args.rows = rows;
  args.cols = 3;
  args.x_row_stride = row_stride;
  args.x_batch_stride = batch_stride;
  args.y_row_stride = row_stride;
  args.y_batch_stride = 33;  // matrices of y lie within each other's rows
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < 3; ++c) {
        x.data()[b * batch_stride + r * row_stride + c] = element_at<std::uint8_t>(b, r, c);
      }
    }
  }
  require_success(rowfold::transpose(args));
  bool right = true;
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < 3; ++c) {
        right = right && y.data()[b * 33 + c * row_stride + r] == element_at<std::uint8_t>(b, r, c);
      }
    }
  }
  CHECK(right);
}
