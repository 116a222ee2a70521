// SPDX-License-Identifier: MIT
#include "row_reduce/row_reduce_run.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "support/byte_counter.hpp"
#include "support/check.hpp"
#include "support/row_memory.hpp"
#include "support/seed.hpp"
#include "support/subnormals.hpp"

namespace rowfold_test {

row_reduce_result reduce_by(row_reduce_result (*function)(const row_reduce_call&), const rows_input& input,
                            const rows_placement& where) {
  INFO(input.types->name << ", " << input.rows << " x " << input.cols << ", " << where.name);
  row_memory x(input.types->x, input.rows, input.cols, where.x_layout, where.x_offset);
  x.set(input.x);
  x.upload();
  row_reduce_call call;
  call.x = x.data();
  call.rows = input.rows;
  call.cols = input.cols;
  call.x_layout = where.x_layout;
  call.correction = input.correction;
  call.out_offset = where.out_offset;
  call.request = where.request;
  byte_counter counter(where.count_bytes);
  counter.watch({&x});
  row_reduce_result result = function(call);
  require_success(result.status);
  const std::int64_t moved = counter.moved() + result.stored_bytes;
  if (on_cpu && where.count_bytes) REQUIRE(moved == result.plan.issued_bytes);
  REQUIRE(x.unchanged());
  return result;
}

row_reduce_result reduce_all(const rows_input& input, const rows_placement& where) {
  return reduce_by(input.types->all, input, where);
}

row_reduce_result reduce_once(const rows_input& input, const rows_placement& where) {
  return reduce_by(input.types->once, input, where);
}

bool same_results(const row_reduce_result& a, const row_reduce_result& b) {
  bool same = true;
  int compared = 0;
  for (std::size_t i = 0; i < statistic_count; ++i) {
    if (a.value[i].empty() || b.value[i].empty()) continue;
    same = same && same_bits(a.value[i], b.value[i]);
    ++compared;
  }
  return same && compared > 0;
}

rows_input rows_input::only(std::int64_t first, std::int64_t count) const {
  rows_input result = *this;
  result.rows = count;
  result.x.assign(x.begin() + first * cols, x.begin() + (first + count) * cols);
  return result;
}

std::vector<double> make_hard_row(const reduce_types& types, hard_row kind, int cols, std::uint64_t stream) {
  std::mt19937_64 engine(seed() * 0x9E3779B97F4A7C15u + stream * 64 + static_cast<std::uint64_t>(kind));
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const double infinity = std::numeric_limits<double>::infinity();
  const int max_exponent = types.x == element::float64 ? 1023 : types.x == element::float16 ? 15 : 127;
  const int min_exponent = types.x == element::float64   ? -1074
                           : types.x == element::float16 ? -24
                           : subnormals_are_zero         ? -100  // so that no mean is subnormal
                                                         : -133;
  const double largest = std::ldexp(1.0, max_exponent);
  const auto count = static_cast<std::size_t>(cols);
  std::vector<double> row(count);
  for (std::size_t i = 0; i < count; ++i) {
    double& x = row[i];
    x = normal(engine);
    switch (kind) {
      case hard_row::large_mean:
        x = 1e4 + x;
        break;
      case hard_row::tiny:
        x = std::ldexp(x, types.x == element::float16 ? -12 : -100);
        break;
      case hard_row::huge:
        x = largest * uniform(engine);
        break;
      case hard_row::mixed_size:
        x = std::ldexp(uniform(engine),
                       static_cast<int>(engine() % static_cast<unsigned>(max_exponent - min_exponent)) + min_exponent);
        break;
      case hard_row::subnormal:
        x = std::ldexp(std::floor(uniform(engine) * 8), min_exponent);
        break;
      case hard_row::cancelling:
        if (i % 2 == 1) x = -row[i - 1];
        break;
      case hard_row::integers:
        x = std::floor(4 * uniform(engine));
        break;
      case hard_row::constant:
        x = 0.7;
        break;
      case hard_row::all_minus_infinity:
        x = -infinity;
        break;
      case hard_row::some_minus_infinity:
        if (engine() % 2 == 0) x = -infinity;
        break;
      default:
        break;
    }
  }
  if (cols == 0) return row;
  const auto somewhere = [&] { return static_cast<std::size_t>(engine() % count); };
  if (kind == hard_row::outlier) row[somewhere()] = 1e3;
  if (kind == hard_row::plus_infinity) row[somewhere()] = infinity;
  if (kind == hard_row::not_a_number) {
    row[somewhere()] = std::numeric_limits<double>::quiet_NaN();
    row[somewhere()] = std::numeric_limits<double>::quiet_NaN();
  }
  return row;
}

rows_input all_hard_rows(const reduce_types& types, int cols, std::uint64_t stream) {
  rows_input input;
  input.types = &types;
  input.cols = cols;
  input.rows = static_cast<std::int64_t>(hard_row::count);
  for (int kind = 0; kind < static_cast<int>(hard_row::count); ++kind) {
    const std::vector<double> row = make_hard_row(types, static_cast<hard_row>(kind), cols, stream);
    input.x.insert(input.x.end(), row.begin(), row.end());
  }
  return input;
}

rows_input normal_rows(const reduce_types& types, std::int64_t rows, int cols, std::uint64_t stream) {
  rows_input input;
  input.types = &types;
  input.cols = cols;
  input.rows = rows;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::vector<double> values =
        make_hard_row(types, hard_row::normal, cols, stream * 1000 + static_cast<std::uint64_t>(row));
    input.x.insert(input.x.end(), values.begin(), values.end());
  }
  return input;
}

}  // namespace rowfold_test
