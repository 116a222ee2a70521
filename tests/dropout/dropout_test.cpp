// SPDX-License-Identifier: MIT
// Dropout against the same mask on the host, element by element, whichever kernel serves the rows and wherever they
// lie.
#include "rowfold/dropout.cuh"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "dropout/mask.hpp"
#include "support/accuracy_table.hpp"
#include "support/buffer.cuh"
#include "support/byte_counter.hpp"
#include "support/check.hpp"
#include "support/row_memory.hpp"
#include "support/subnormals.hpp"
#include "support/values.hpp"

using namespace rowfold_test;
using rowfold::plan_request;
using rowfold::random_state;
using rowfold::row_layout;

namespace {

struct placement {
  std::size_t x_offset = 0, y_offset = 0;
  row_layout x_layout{}, y_layout{};
  bool in_place = false;
  plan_request request{};
};

template <class T>
constexpr element element_of() {
  return sizeof(T) == 4 ? element::float32 : element::bfloat16;
}

// y of one call. Requires that no other byte has changed and that the kernel moved the bytes that its plan names.
template <class T>
std::vector<double> run(const std::vector<double>& x, std::int64_t rows, int cols, double p, const random_state& random,
                        const placement& where = {}) {
  row_memory in(element_of<T>(), rows, cols, where.x_layout, where.x_offset);
  in.set(x);
  in.upload();
  std::unique_ptr<row_memory> apart;
  if (!where.in_place) {
    apart = std::make_unique<row_memory>(element_of<T>(), rows, cols, where.y_layout, where.y_offset);
    apart->upload();
  }
  row_memory& out = where.in_place ? in : *apart;
  rowfold::dropout_args<T> args;
  args.x = static_cast<const T*>(in.data());
  args.y = static_cast<T*>(out.data());
  args.rows = rows;
  args.cols = cols;
  args.p = p;
  args.random = random;
  args.x_layout = where.x_layout;
  args.y_layout = where.in_place ? where.x_layout : where.y_layout;
  args.request = where.request;
  rowfold::device_info device;
  require_success(rowfold::current_device_info(device));
  const rowfold::row_plan plan = rowfold::plan_dropout(args, device);
  byte_counter counter;
  counter.watch({&in, apart.get()});
  require_success(rowfold::dropout(args));
  rowfold_test::sync();
  const std::int64_t moved = counter.moved();
  if (on_cpu) CHECK(moved == plan.issued_bytes);
  if (!where.in_place) CHECK(in.unchanged());
  return out.values();
}

template <class T>
std::vector<double> values_of(std::int64_t rows, int cols) {
  return to_double(random_values<T>(1, static_cast<std::size_t>(rows * cols), distribution::normal, 5));
}

template <class T>
std::vector<double> expected(const std::vector<double>& x, double p, std::uint64_t seed, std::uint64_t offset) {
  std::vector<double> y;
  for (const double value : x) y.push_back(round_to(element_of<T>(), dropped_float(value, p, seed, offset, y.size())));
  return y;
}

constexpr std::uint64_t some_seed = 0x123456789ABCDEF0, some_offset = 0x1122334455667788;

random_state some_state() {
  random_state random;
  random.seed = some_seed;
  random.offset = some_offset;
  return random;
}

template <class T>
void check_every_kernel() {
  const int granule = 16 / static_cast<int>(sizeof(T));
  std::vector<int> widths = {1, 7, 33, 101};
  for (const int granules : {8, 6, 96, 128, 160, 192, 256, 320}) {
    if (!sanitized || granules < 100) widths.push_back(granules * granule);
  }
  for (const int cols : widths) {
    const std::int64_t rows = cols < 1000 ? 3 : 2;
    const std::vector<double> x = values_of<T>(rows, cols);
    const std::vector<double> y = expected<T>(x, 0.3, some_seed, some_offset);
    for (int request = 0; request < 6; ++request) {
      placement where;
      where.request.any_access = request % 2 != 0;
      where.request.staged = request / 2 == 1;
      where.request.reread = request / 2 == 2;
      for (const std::size_t shift : {0, 1}) {
        where.x_offset = shift;
        where.y_offset = 3 * shift;
        where.x_layout = shift == 0 ? row_layout{} : row_layout::strided(cols + 3);
        where.in_place = request == 4;
        CAPTURE(sizeof(T), cols, request, shift);
        CHECK(same_bits(run<T>(x, rows, cols, 0.3, some_state(), where), y));
      }
    }
  }
}

// Rows of one kind: y of each element that is kept against x / (1 - p).
template <class T>
void check_accuracy(accuracy_table& table, double factor, double special) {
  const double p = 0.37;
  const bool two_bytes = sizeof(T) == 2;
  for (const int cols : {33, 1000, 5000, 20000}) {
    if (sanitized && cols > 1000) continue;
    std::vector<double> x = values_of<T>(1, cols);
    for (double& value : x) value = round_to(element_of<T>(), value * factor);
    x[7] = special;
    const std::vector<double> y = run<T>(x, 1, cols, p, some_state());
    double worst = 0;
    std::int64_t not_nearest = 0, kept = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (is_dropped(p, some_seed, some_offset, i)) {
        CHECK(y[i] == 0);
        continue;
      }
      const double exact = x[i] / (1 - p);
      const double error = ulp_error<T>(y[i], exact);
      ++kept;
      not_nearest += two_bytes && error > 0.5;
      if (!(error <= worst)) worst = error;
    }
    CHECK(worst <= (two_bytes ? 0.51 : 1.5));
    table.add(element_of<T>() == element::float32 ? "float" : "bfloat16", cols, worst, not_nearest,
              two_bytes ? kept : 0);
  }
}

template <class T>
cudaError_t status_of(double p) {
  T value{};
  rowfold::dropout_args<T> args;
  args.x = args.y = &value;
  args.rows = args.cols = 1;
  args.p = p;
  const rowfold::row_plan plan = rowfold::plan_dropout(args, rowfold::device_info{});
  CHECK(plan.reason == rowfold::plan_reason::refused_option);
  return rowfold::dropout(args);
}

}  // namespace

TEST_CASE("dropout drops what the host drops, in every kernel, at any address", "[race][sanitize]") {
  check_every_kernel<float>();
  check_every_kernel<__nv_bfloat16>();
}

TEST_CASE("dropout is as exact as its one product") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  accuracy_table table("dropout",
                       "normal, tiny, huge and denormal values, infinities and NaN (no element depends on another)",
                       "y in ulp of its type at x / (1 - p), for bfloat16 also the share that is not the nearest "
                       "value. Bound: float 1.5, "
                       "bfloat16 0.51; what is dropped is 0");
  for (const double factor : {1.0, 0x1p-50, 0x1p120, 0x1p-140}) {
    if (rowfold_test::subnormals_are_zero && factor == 0x1p-140) continue;
    check_accuracy<float>(table, factor, inf);
    check_accuracy<__nv_bfloat16>(table, factor, std::numeric_limits<double>::quiet_NaN());
  }
  table.write();
}

TEST_CASE("dropout keeps the share that it should, and other offsets and seeds keep others") {
  const int cols = 4096;
  const std::int64_t rows = on_cpu ? 8 : 256;
  const std::vector<double> ones(static_cast<std::size_t>(rows * cols), 1.0);
  const auto count = static_cast<double>(ones.size());
  std::vector<std::vector<double>> results;
  for (const double p : {0.1, 0.5, 0.9}) {
    for (std::uint64_t i = 0; i < 3; ++i) {
      random_state random = some_state();
      random.seed += i == 2;
      random.offset += i == 1;
      const std::vector<double> y = run<float>(ones, rows, cols, p, random);
      double kept = 0;
      for (const double value : y) kept += value != 0;
      // Five standard deviations.
      CHECK(std::fabs(kept - count * (1 - p)) < 5 * std::sqrt(count * p * (1 - p)));
      results.push_back(y);
    }
    const std::size_t last = results.size() - 1;
    for (const std::size_t other : {last - 1, last - 2}) {
      double both = 0;
      for (std::size_t i = 0; i < ones.size(); ++i) both += results[last][i] != 0 && results[other][i] != 0;
      const double q = (1 - p) * (1 - p);  // independent masks
      CHECK(std::fabs(both - count * q) < 5 * std::sqrt(count * q * (1 - q)));
    }
  }
}

TEST_CASE("dropout with p = 0 stores x, with p = 1 zeros, and what is dropped is 0 whatever it was") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::vector<double> x = {0.0, -0.0, inf, -inf, 0x1p-149, -0x1p-149, 0x1p127, 1.0 / 3};
  for (double& value : x) value = round_to(element::float32, value);
  CHECK(same_bits(run<float>(x, 1, 8, 0.0, some_state()), x));
  CHECK(same_bits(run<float>(x, 1, 8, -0.0, some_state()), x));
  for (const double value : {1.0, inf, -inf, std::numeric_limits<double>::quiet_NaN()}) {
    const std::vector<double> row(64, value);
    CHECK(same_bits(run<float>(row, 1, 64, 1.0, some_state()), std::vector<double>(64, 0.0)));
    const std::vector<double> y = run<float>(row, 1, 64, 0.5, some_state());
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (is_dropped(0.5, some_seed, some_offset, i)) {
        CHECK(same_bits({y[i]}, {0.0}));
      } else {
        CHECK((value == 1.0 ? y[i] == 2.0 : std::isnan(value) ? std::isnan(y[i]) : y[i] == value));
      }
    }
  }
}

TEST_CASE("dropout reads a seed and an offset from device memory when it runs") {
  buffer<std::uint64_t> state(2);
  const std::vector<double> x = values_of<float>(3, 100);
  random_state random;
  random.seed = 99;  // not used
  random.offset = 7;
  random.device_seed = state.data();
  random.device_offset = state.data() + 1;
  for (const std::uint64_t offset : {std::uint64_t{0}, some_offset}) {
    state.upload({some_seed, offset});
    CHECK(same_bits(run<float>(x, 3, 100, 0.4, random), expected<float>(x, 0.4, some_seed, offset + 7)));
  }
  random.device_offset = nullptr;
  CHECK(same_bits(run<float>(x, 3, 100, 0.4, random), expected<float>(x, 0.4, some_seed, 7)));
}

TEST_CASE("dropout refuses a p that is no probability") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const double p : {-0.1, 1.0 + 0x1p-52, inf, -inf, std::numeric_limits<double>::quiet_NaN()}) {
    CAPTURE(p);
    CHECK(static_cast<int>(status_of<float>(p)) == static_cast<int>(cudaErrorInvalidValue));
  }
}
