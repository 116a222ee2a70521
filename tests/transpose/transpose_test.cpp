// SPDX-License-Identifier: MIT
// Transpose of matrices of every kind of shape, place and stride: the elements bit for bit, each moved once, and
// nothing touched beside them.
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "transpose/transpose_case.cuh"

using namespace rowfold_test;
using rowfold::plan_status;
using rowfold::transpose_reason;
using rowfold::transpose_variant;

// One type for each size of element.
using all_sizes = std::tuple<std::uint8_t, std::uint16_t, float, pair_of_floats>;

TEMPLATE_LIST_TEST_CASE("matrices around the sizes of vectors and tiles", "", all_sizes) {
  for (const std::int64_t rows : {1, 2, 3, 7, 16, 31, 32, 33, 64, 65, 127, 128, 129}) {
    for (const std::int64_t cols : {1, 3, 8, 17, 31, 32, 33, 63, 64, 97, 128, 131}) {
      const auto plan = check_transpose<TestType>(1, rows, cols);
      CHECK(plan.status == plan_status::ready);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("each side may lie at any element", "", all_sizes) {
  constexpr std::int64_t rows = 144;
  constexpr std::int64_t cols = 80;
  constexpr std::size_t vector = 16 / sizeof(TestType);
  for (std::size_t offset = 0; offset <= 2 * vector; ++offset) {
    const auto expected = offset % vector == 0 ? transpose_reason::none : transpose_reason::misaligned_address;
    const auto variant = offset % vector == 0 ? transpose_variant::aligned : transpose_variant::skewed;
    transpose_placement x_moved;
    x_moved.x_offset = offset;
    const auto x_plan = check_transpose<TestType>(1, rows, cols, x_moved);
    CHECK(x_plan.variant == variant);
    CHECK(x_plan.x_reason == expected);
    CHECK(x_plan.y_reason == transpose_reason::none);
    transpose_placement y_moved;
    y_moved.y_offset = offset;
    const auto y_plan = check_transpose<TestType>(1, rows, cols, y_moved);
    CHECK(y_plan.variant == variant);
    CHECK(y_plan.y_reason == expected);
    CHECK(y_plan.x_reason == transpose_reason::none);
    transpose_placement both_moved;
    both_moved.x_offset = offset;
    both_moved.y_offset = 2 * vector - offset;
    check_transpose<TestType>(1, rows, cols, both_moved);
  }
}

namespace {

// Rows of every length around two tiles, at every shift of a row against its neighbour: ends of tiles fall everywhere
// in vectors and sectors.
template <class T, class Tiles>
void check_all_shifts() {
  using tile = typename Tiles::skewed;
  constexpr std::int64_t sector = tile::above;
  for (std::int64_t i = 0; i <= sector; ++i) {
    transpose_placement where;
    where.x_offset = static_cast<std::size_t>(i * 5 % sector);
    where.y_offset = static_cast<std::size_t>(i * 3 % sector);
    where.x_padding = i * 7 % sector;
    where.y_padding = i;
    where.request.band = 1;
    check_transpose<T, Tiles>(1, tile::rows + i, 2 * tile::cols - i, where);
    where.reversed = true;
    check_transpose<T, Tiles>(2, tile::rows - i, tile::cols + i, where);
    check_transpose<T, Tiles>(1, 2 * tile::rows + 1 - i, 3, where);
    where.x_padding = where.y_padding = 0;
    check_transpose<T, Tiles>(2, 2 * tile::rows + 1 - i, tile::cols - 1, where);
    where.reversed = false;
    check_transpose<T, Tiles>(2, tile::rows + 1 + i, tile::cols + 1, where);
    check_transpose<T, Tiles>(3, i + 1, sector - i, where);
  }
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("rows start and end anywhere in vectors and sectors", "", all_sizes) {
  check_all_shifts<TestType, rowfold::transpose_tiles<sizeof(TestType)>>();
}

TEMPLATE_LIST_TEST_CASE("the same in large tiles", "[sanitize]", all_sizes) {
  check_all_shifts<TestType, large_tiles<TestType>>();
}

TEST_CASE("large matrices have large tiles") {
  const auto plan = check_transpose<float>(1, 2051, 1989);
  CHECK(plan.variant == transpose_variant::large_skewed);
}

TEMPLATE_LIST_TEST_CASE("rows and matrices may lie apart, and in descending order", "", all_sizes) {
  constexpr std::int64_t vector = 16 / sizeof(TestType);
  for (const bool reversed : {false, true}) {
    for (const std::int64_t padding : {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, vector / 2, vector}) {
      transpose_placement where;
      where.reversed = reversed;
      where.x_padding = padding;
      check_transpose<TestType>(3, 48, 32, where);
      where.y_padding = padding;
      check_transpose<TestType>(3, 48, 32, where);
      check_transpose<TestType>(2, 33, 67, where);
      where.x_padding = 0;
      const auto plan = check_transpose<TestType>(3, 48, 32, where);
      CHECK(plan.x_reason == transpose_reason::none);
      CHECK((plan.variant == transpose_variant::aligned) == (padding % vector == 0));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("blocks find their tiles in bands of every height", "", all_sizes) {
  constexpr int size = static_cast<int>(sizeof(TestType));
  using aligned = typename rowfold::transpose_tiles<size>::aligned;
  using skewed = typename rowfold::transpose_tiles<size>::skewed;
  for (int band = 0; band <= 6; ++band) {
    transpose_placement where;
    where.request.band = band;
    const auto check_plan = [&](std::int64_t rows, std::int64_t cols, transpose_variant variant) {  // 5 x 2 tiles
      const auto plan = check_transpose<TestType>(2, rows, cols, where);
      CHECK(plan.variant == variant);
      CHECK(plan.band == (band == 0 || band > 5 ? 5 : band));
      CHECK(plan.grid_blocks == 2 * 5 * 2);
    };
    check_plan(4 * aligned::rows + aligned::vector, aligned::cols + aligned::vector, transpose_variant::aligned);
    check_plan(4 * skewed::rows + 1, skewed::cols + 1, transpose_variant::skewed);
  }
}

TEST_CASE("many small matrices") {
  check_transpose<std::uint16_t>(37, 3, 5);
  check_transpose<float>(41, 1, 4);
  check_transpose<std::uint8_t>(19, 16, 16);
}

TEMPLATE_LIST_TEST_CASE("a size of 0 is success, and nothing is touched", "", all_sizes) {
  CHECK(check_transpose<TestType>(0, 3, 5).reason == transpose_reason::no_matrices);
  CHECK(check_transpose<TestType>(2, 0, 5).reason == transpose_reason::no_rows);
  CHECK(check_transpose<TestType>(2, 3, 0).reason == transpose_reason::no_columns);
  CHECK(rowfold::transpose<TestType>(nullptr, nullptr, 0, 0, 0) == cudaSuccess);
}

// A tile or two of each size, aligned and skewed.
TEST_CASE("threads exchange tiles without a race", "[race]") {
  check_transpose<std::uint8_t>(1, 128, 144);
  check_transpose<std::uint8_t>(1, 128, 130);
  check_transpose<std::uint16_t>(1, 40, 24);
  check_transpose<std::uint16_t>(1, 41, 23);
  check_transpose<float>(1, 36, 20);
  check_transpose<float>(1, 33, 20);
  check_transpose<pair_of_floats>(2, 8, 30);
  check_transpose<pair_of_floats>(2, 7, 31);
}

namespace {

// Exactly so many elements of memory: memcheck (GPU) and AddressSanitizer (CPU) see the first byte behind them.
template <class T>
std::vector<T> transpose_in_exact_memory(const std::vector<T>& x, std::int64_t rows, std::int64_t cols) {
  std::vector<T> y(x.size());
  const std::size_t bytes = x.size() * sizeof(T);
#if defined(__CUDACC__)
  void* memory[2] = {};
  require_success(cudaMalloc(&memory[0], bytes));
  require_success(cudaMalloc(&memory[1], bytes));
  require_success(cudaMemcpy(memory[0], x.data(), bytes, cudaMemcpyHostToDevice));
  require_success(rowfold::transpose(static_cast<const T*>(memory[0]), static_cast<T*>(memory[1]), 1, rows, cols));
  require_success(cudaMemcpy(y.data(), memory[1], bytes, cudaMemcpyDeviceToHost));
  for (void* each : memory) require_success(cudaFree(each));
#else
  const std::unique_ptr<T[]> exact_x(new T[x.size()]), exact_y(new T[x.size()]);
  std::memcpy(static_cast<void*>(exact_x.get()), x.data(), bytes);
  require_success(rowfold::transpose<T>(exact_x.get(), exact_y.get(), 1, rows, cols));
  std::memcpy(static_cast<void*>(y.data()), exact_y.get(), bytes);
#endif
  return y;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("the last row may end where its allocation ends", "[sanitize]", all_sizes) {
  for (const std::int64_t rows : {1, 7, 16, 129}) {
    for (const std::int64_t cols : {1, 5, 48, 67}) {
      INFO(rows << " x " << cols << " of " << sizeof(TestType) << " bytes");
      std::vector<TestType> x, expected;
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < cols; ++c) x.push_back(element_at<TestType>(0, r, c));
      }
      for (std::int64_t c = 0; c < cols; ++c) {
        for (std::int64_t r = 0; r < rows; ++r) expected.push_back(element_at<TestType>(0, r, c));
      }
      const std::vector<TestType> y = transpose_in_exact_memory(x, rows, cols);
      CHECK(std::memcmp(y.data(), expected.data(), y.size() * sizeof(TestType)) == 0);
    }
  }
}

TEST_CASE("a refused transpose writes nothing") {
  matrices<float> x(1, 5, 6, 6, 30, 0), y(1, 6, 5, 5, 30, 0);
  x.upload();
  y.upload();
  rowfold::transpose_args<float> args;
  args.x = x.data();
  args.y = y.data();
  args.rows = 5;
  args.cols = 6;
  args.request.require_vectorized = true;  // rows of 24 and 20 bytes
  CHECK(rowfold::transpose(args) == cudaErrorInvalidValue);
  CHECK(rowfold::transpose(x.data(), y.data(), 1, -5, 6) == cudaErrorInvalidValue);
  CHECK(rowfold::transpose<float>(x.data(), nullptr, 1, 5, 6) == cudaErrorInvalidValue);
  CHECK(rowfold::transpose<float>(nullptr, y.data(), 1, 5, 6) == cudaErrorInvalidValue);
  CHECK(rowfold::transpose(y.data(), y.data(), 1, 5, 6) == cudaErrorInvalidValue);
  rowfold_test::sync();
  CHECK(x.holds_image());
  CHECK(y.holds_image());
}

TEST_CASE("a caller's plan is launched for its own arguments alone") {
  matrices<float> x(1, 5, 6, 6, 30, 0), y(1, 6, 5, 5, 30, 0);
  for (std::int64_t r = 0; r < 5; ++r) {
    for (std::int64_t c = 0; c < 6; ++c) x.at(0, r, c) = element_at<float>(0, r, c);
  }
  x.upload();
  y.upload();
  rowfold::transpose_args<float> args;
  args.x = x.data();
  args.y = y.data();
  args.rows = 5;
  args.cols = 6;
  args.plan = rowfold::plan_transpose(args, rowfold::device_info{});
  args.rows = 6;
  args.cols = 5;
  CHECK(rowfold::transpose(args) == cudaErrorInvalidValue);
  rowfold_test::sync();
  CHECK(y.holds_image());
  args.rows = 5;
  args.cols = 6;
  require_success(rowfold::transpose(args));
  rowfold_test::sync();
  for (std::int64_t r = 0; r < 5; ++r) {
    for (std::int64_t c = 0; c < 6; ++c) y.at(0, c, r) = x.at(0, r, c);
  }
  CHECK(y.holds_image());
}
