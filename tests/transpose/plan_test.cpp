// SPDX-License-Identifier: MIT
// The planner of transposes as a function of values: no kernel runs here. Every reason that a plan can give is met.
#include <cstdint>
#include <limits>
#include <string>

#include "rowfold/launch/transpose_plan_string.hpp"
#include "rowfold/transpose.hpp"
#include "support/check.hpp"

using namespace rowfold;

namespace {

constexpr device_info no_device{};

// Pointers that are never used: only their values count.
template <class T>
T* address(std::uintptr_t value) {
  return reinterpret_cast<T*>(value);
}

template <class T = float>
transpose_args<T> make_args(std::int64_t batch, std::int64_t rows, std::int64_t cols) {
  transpose_args<T> args;
  args.x = address<const T>(0x10000);
  args.y = address<T>(0x20000);
  args.batch = batch;
  args.rows = rows;
  args.cols = cols;
  return args;
}

template <class T>
transpose_plan plan_of(const transpose_args<T>& args) {
  return plan_transpose(args, no_device);
}

template <class T>
void expect_refused(const transpose_args<T>& args, transpose_reason reason, const std::string& operand = "") {
  const transpose_plan plan = plan_of(args);
  INFO(to_string(plan));
  CHECK(plan.status == plan_status::refused);
  CHECK(plan.reason == reason);
  CHECK(plan.operand == operand);
  CHECK(to_label(plan) == std::string("refused: ") + to_text(reason));
  const std::string named = operand.empty() ? "" : operand + ": ";
  CHECK(to_string(plan).find("  refused: " + named + to_text(reason) + "\n") != std::string::npos);
}

// Skewed tiles, because of x, for this reason; asked to vectorise, the plan is refused for it.
template <class T>
void expect_skewed(transpose_args<T> args, transpose_reason reason) {
  const transpose_plan plan = plan_of(args);
  INFO(to_string(plan));
  CHECK(plan.status == plan_status::ready);
  CHECK(plan.variant == transpose_variant::skewed);
  CHECK(plan.x_reason == reason);
  CHECK(plan.y_reason == transpose_reason::none);
  CHECK(plan.rows_above == 0);
  CHECK(to_string(plan).find(std::string("  x: rows of any kind: ") + to_text(reason)) != std::string::npos);
  args.request.require_vectorized = true;
  expect_refused(args, reason, "x");
}

}  // namespace

TEST_CASE("a plan says what will be launched") {
  const transpose_plan plan = plan_of(make_args<float>(3, 132, 256));
  CHECK(plan.status == plan_status::ready);
  CHECK(plan.variant == transpose_variant::aligned);
  CHECK(plan.tile_rows == 64);
  CHECK(plan.tile_cols == 64);
  CHECK(plan.rows_above == 0);
  CHECK(plan.grid_blocks == 3 * 3 * 4);
  CHECK(plan.band == 3);
  CHECK(plan.block_threads == 256);
  CHECK(plan.shared_bytes == 64 * 64 * 4);
  CHECK(plan.minimal_bytes == 2ll * 3 * 132 * 256 * 4);
  CHECK(to_label(plan) == "aligned tiles of 64 x 64, 256 threads, 36 blocks");
  CHECK(to_string(plan) ==
        "transpose of 3 matrices of 132 rows x 256 columns of 4 bytes\n"
        "  x: rows of whole vectors\n"
        "  y: rows of whole vectors\n"
        "  aligned tiles: 64 x 64 elements, in bands of 3\n"
        "  launch: 36 blocks of 256 threads, 16384 bytes of shared memory\n"
        "  bytes: 811008 at least, 811008 issued\n");
  CHECK(plan == plan_of(make_args<float>(3, 132, 256)));
  CHECK(plan != plan_of(make_args<float>(3, 132, 260)));
  CHECK(to_label(transpose_plan{}) == "unset");
}

TEST_CASE("a plan says why its tiles are skewed, and what they load twice") {
  using tile = transpose_tiles<4>::skewed;
  static_assert(tile::rows == 64 && tile::cols == 60 && tile::above == 8);
  transpose_args<float> args = make_args<float>(1, 130, 121);
  args.x_row_stride = 125;
  const transpose_plan plan = plan_of(args);
  CHECK(plan.variant == transpose_variant::skewed);
  CHECK(plan.rows_above == 6);  // rows of y are multiples of 8 bytes
  CHECK(!plan.joined_rows);
  CHECK(plan.grid_blocks == 3 * 3);
  CHECK(to_label(plan) == "skewed tiles of 64 x 60, 256 threads, 9 blocks");
  // Twice: 12 rows. In a row, where it starts behind a vector (three of four do): 4 columns at the first border, and at
  // the second what the row has of the vector there: 2, 3 or 4 columns. Of 142 rows, 35 have none of that, 35 start 1
  // element behind a vector, 36 start 2 and 36 start 3.
  const std::int64_t loaded = 142 * 121 + 35 * (4 + 2) + 36 * (4 + 3) + 36 * (4 + 4);
  CHECK(plan.minimal_bytes == 2ll * 130 * 121 * 4);
  CHECK(plan.issued_bytes == (130 * 121 + loaded) * 4);
  CHECK(to_string(plan) ==
        "transpose of 1 matrices of 130 rows x 121 columns of 4 bytes\n"
        "  x: rows of any kind: its row stride is not a multiple of 16 bytes\n"
        "  y: rows of any kind: its row stride is not a multiple of 16 bytes\n"
        "  skewed tiles: 64 x 60 elements, in bands of 3, each loading 6 rows of the tile above\n"
        "  launch: 9 blocks of 256 threads, 18432 bytes of shared memory\n"
        "  bytes: " +
            std::to_string(plan.minimal_bytes) + " at least, " + std::to_string(plan.issued_bytes) + " issued\n");
}

TEST_CASE("large matrices have large tiles where shared memory has room") {
  using tile = transpose_tiles<4>::large_skewed;
  constexpr std::int64_t rows = 16 * tile::rows + 1;
  constexpr std::int64_t cols = 16 * tile::cols + 1;
  device_info device;
  device.shared_bytes_per_block = tile::shared_bytes;
  const transpose_plan plan = plan_transpose(make_args<float>(2, rows, cols), device);
  CHECK(plan.variant == transpose_variant::large_skewed);
  CHECK(plan.grid_blocks == 2 * 17 * 17);
  CHECK(plan.shared_bytes == tile::shared_bytes);
  CHECK(to_label(plan) == "large skewed tiles of 128 x 124, 512 threads, 578 blocks");
  CHECK(to_string(plan).find("large skewed tiles: 128 x 124 elements, in bands of 17, each") != std::string::npos);
  CHECK(plan_transpose(make_args<float>(1, 200 * tile::rows, cols), device).band == transpose_tuning::large_band);
  CHECK(plan_transpose(make_args<float>(1, rows - 2, cols), device).variant == transpose_variant::skewed);
  CHECK(plan_transpose(make_args<float>(1, rows, cols - 2), device).variant == transpose_variant::skewed);
  CHECK(plan_transpose(make_args<float>(1, rows + 3, cols + 3), device).variant == transpose_variant::aligned);
  device.shared_bytes_per_block -= 1;
  CHECK(plan_transpose(make_args<float>(2, rows, cols), device).variant == transpose_variant::skewed);
  device.shared_bytes_per_block = 0;  // not known
  CHECK(plan_transpose(make_args<float>(2, rows, cols), device).variant == transpose_variant::skewed);
}

TEST_CASE("vectors reach across the ends of packed rows") {
  // 4 vectors and 1 element in a row: rows that start 0, 1, 2, 3 elements behind a vector touch 5, 5, 5 and 5 of them.
  transpose_args<float> args = make_args<float>(1, 64, 17);
  const transpose_plan packed = plan_of(args);
  CHECK(packed.joined_rows);
  CHECK(to_string(packed).find("bytes; loaded in whole vectors across their ends\n") != std::string::npos);
  CHECK(packed.rows_above == 0);
  CHECK(packed.issued_bytes ==
        packed.minimal_bytes + (64 - 2 * 4) * (5 * 16 - 17 * 4));  // but for 4 rows at either end
  args.x_row_stride = 18;
  const transpose_plan apart = plan_of(args);
  CHECK(!apart.joined_rows);
  CHECK(apart.issued_bytes == apart.minimal_bytes);
  CHECK(apart != packed);
  args.x_row_stride = packed_stride;
  args.cols = 16;
  CHECK(!plan_of(args).joined_rows);  // aligned
}

TEST_CASE("each size of element has its tile") {
  CHECK(plan_of(make_args<std::uint8_t>(1, 1024, 1024)).grid_blocks == 64);
  CHECK(plan_of(make_args<std::uint16_t>(1, 1024, 1024)).grid_blocks == 64);
  CHECK(plan_of(make_args<float>(1, 1024, 1024)).grid_blocks == 256);
  CHECK(plan_of(make_args<double>(1, 1024, 1024)).grid_blocks == 1024);
}

TEST_CASE("nothing to do is success") {
  const auto expect_nothing = [](std::int64_t batch, std::int64_t rows, std::int64_t cols, transpose_reason reason) {
    transpose_args<float> args = make_args(batch, rows, cols);
    args.x = nullptr;
    args.y = nullptr;
    const transpose_plan plan = plan_of(args);
    CHECK(plan.status == plan_status::nothing);
    CHECK(plan.reason == reason);
    CHECK(to_label(plan) == std::string("nothing: ") + to_text(reason));
    CHECK(to_string(plan).find("nothing to launch: ") != std::string::npos);
  };
  expect_nothing(0, 4, 4, transpose_reason::no_matrices);
  expect_nothing(4, 0, 4, transpose_reason::no_rows);
  expect_nothing(4, 4, 0, transpose_reason::no_columns);
}

TEST_CASE("tiles are skewed for a reason") {
  transpose_args<float> args = make_args(2, 64, 64);
  args.x = address<const float>(0x10004);
  expect_skewed(args, transpose_reason::misaligned_address);
  args.x = address<const float>(0x10008);
  expect_skewed(args, transpose_reason::misaligned_address);
  args = make_args(2, 64, 64);
  args.x_row_stride = 66;
  expect_skewed(args, transpose_reason::misaligned_row_stride);
  args = make_args(2, 64, 64);
  args.x_batch_stride = 64 * 64 + 1;
  expect_skewed(args, transpose_reason::misaligned_batch_stride);
  args.x_batch_stride = -64 * 64 - 2;
  expect_skewed(args, transpose_reason::misaligned_batch_stride);
  args = make_args(2, 64, 62);
  args.x_row_stride = 64;
  expect_skewed(args, transpose_reason::partial_vector);
}

TEST_CASE("strides that nothing uses do not count") {
  transpose_args<float> args = make_args(1, 1, 64);
  args.x_row_stride = std::numeric_limits<std::int64_t>::max();
  args.x_batch_stride = -3;
  const transpose_plan plan = plan_of(args);
  CHECK(plan.x_reason == transpose_reason::none);
  CHECK(plan == plan_of(make_args(1, 1, 64)));
}

TEST_CASE("what is impossible is refused, with its reason") {
  expect_refused(make_args(-1, 4, 4), transpose_reason::refused_sizes);
  expect_refused(make_args(1, -4, 4), transpose_reason::refused_sizes);
  expect_refused(make_args(1, 4, std::numeric_limits<std::int64_t>::min()), transpose_reason::refused_sizes);
  expect_refused(make_args(1, std::int64_t{1} << 40, std::int64_t{1} << 40), transpose_reason::refused_sizes);
  expect_refused(make_args(std::int64_t{1} << 33, 3, 3), transpose_reason::refused_too_many_tiles);
  expect_refused(make_args(1, std::int64_t{1} << 48, 3), transpose_reason::refused_too_many_tiles);
  transpose_args<float> args = make_args(1, 4, 4);
  args.x = nullptr;
  expect_refused(args, transpose_reason::refused_null_pointer);
  args = make_args(1, 4, 4);
  args.y = nullptr;
  expect_refused(args, transpose_reason::refused_null_pointer);
  args.y = const_cast<float*>(args.x);
  expect_refused(args, transpose_reason::refused_same_memory);
  args = make_args(1, 4, 4);
  args.request.band = -1;
  expect_refused(args, transpose_reason::refused_request);
  args = make_args(1, 4, 4);
  args.x = address<const float>(0x10002);
  expect_refused(args, transpose_reason::refused_element_address, "x");
  args = make_args(1, 4, 4);
  args.y = address<float>(0x20001);
  expect_refused(args, transpose_reason::refused_element_address, "y");
  args = make_args(1, 62, 64);
  args.request.require_vectorized = true;
  expect_refused(args, transpose_reason::misaligned_row_stride, "y");
}

TEST_CASE("more than 2^31 rows, and more than 2^31 elements") {
  const transpose_plan tall = plan_of(make_args<std::uint8_t>(1, (std::int64_t{1} << 33) + 1, 1));
  CHECK(tall.status == plan_status::ready);
  CHECK(tall.grid_blocks == (1u << 26) + 1);
  const transpose_plan wide = plan_of(make_args<std::uint8_t>(1, 1, (std::int64_t{1} << 33) + 1));
  CHECK(wide.grid_blocks == (std::int64_t{1} << 33) / transpose_tiles<1>::skewed::cols + 1);
  const transpose_plan deep = plan_of(make_args<std::uint8_t>(0x7fffffff, 2, 2));
  CHECK(deep.status == plan_status::ready);
  CHECK(deep.grid_blocks == 0x7fffffffu);
}

TEST_CASE("what is read leaves L2 last where L2 cannot hold the call") {
  device_info device;
  device.compute_major = 8;
  const auto priority = [&device](const transpose_args<float>& args, int l2_bytes) {
    device.l2_bytes = l2_bytes;
    const transpose_plan plan = plan_transpose(args, device);
    CHECK(plan.status == plan_status::ready);
    const bool last = plan.input_priority == l2_priority::evict_last;
    CHECK((to_string(plan).find("L2: lines of what is read leave last") != std::string::npos) == last);
    CHECK((to_label(plan).find(", evict_last") != std::string::npos) == last);
    return plan.input_priority;
  };
  CHECK(priority(make_args(1, 64, 64), 2 * 64 * 64 * 4) == l2_priority::normal);
  CHECK(priority(make_args(1, 64, 64), 2 * 64 * 64 * 4 - 1) == l2_priority::evict_last);
  CHECK(priority(make_args(1, 64, 64), 0) == l2_priority::normal);  // not known
  CHECK(priority(make_args(1, 64, 63), 1) == l2_priority::evict_last);
  transpose_args<float> args = make_args(1, 64, 64);
  args.request.normal_priority = true;
  CHECK(priority(args, 1) == l2_priority::normal);
  device.compute_major = 7;
  CHECK(priority(make_args(1, 64, 64), 1) == l2_priority::normal);
}
