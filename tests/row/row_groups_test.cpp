// SPDX-License-Identifier: MIT
// Groups of rows in a composed op: those without rows are refused before anything divides by their size, whichever of
// the map's parameters are there, and nothing is written.
#include "rowfold/row/row_groups.hpp"

#include <limits>
#include <vector>

#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/row/modulate_map.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"

using namespace rowfold_test;
using rowfold::absent;

namespace {

constexpr int rows = 4;
constexpr int cols = 8;

template <class Scale, class Shift>
void check_groups(const Scale* scale, const Shift* shift) {
  buffer<float> x(rows * cols), y(rows * cols);
  x.upload(std::vector<float>(x.size(), 3.0f));
  const rowfold::row_layout layout = rowfold::row_layout::strided(cols);
  const rowfold::plain_source<float> source{x.data(), layout};
  const rowfold::plain_sink<float> sink{y.data(), layout};
  const auto run = [&](long long rows_per_group) {
    const rowfold::modulate_map<Scale, Shift> map{scale, shift, {rows_per_group, 0, 0}};
    const rowfold::row_plan plan = rowfold::plan_rows({rows, cols}, source, rowfold::stages(), map, sink, {});
    const bool good = rows_per_group > 0;
    CAPTURE(rows_per_group);
    CHECK(plan.reason == (good ? plan.reason : rowfold::plan_reason::refused_option));
    CHECK(plan.status == (good ? rowfold::plan_status::ready : rowfold::plan_status::refused));
    CHECK(rowfold::fold_rows({rows, cols}, source, rowfold::stages(), map, sink) ==
          (good ? cudaSuccess : cudaErrorInvalidValue));
    rowfold_test::sync();
  };
  for (const long long bad : {0LL, -1LL, -rows - 1LL, std::numeric_limits<long long>::min()}) run(bad);
  for (const float value : y.download()) CHECK(value != value);  // as it was
  for (const long long good : {1LL, 2LL, 3LL, 100LL}) {
    y.fill_bytes(0xFF);
    run(good);
    for (const float value : y.download()) CHECK(value == 3.0f);
  }
}

}  // namespace

TEST_CASE("groups without rows are refused") {
  buffer<float> zeros(cols);
  zeros.upload(std::vector<float>(cols, 0.0f));
  const float* const none = nullptr;
  const absent* const never = nullptr;
  check_groups<float, float>(zeros.data(), zeros.data());
  check_groups<float, float>(zeros.data(), none);
  check_groups<float, float>(none, none);
  check_groups<absent, float>(never, zeros.data());
  check_groups<float, absent>(none, never);
  check_groups<absent, absent>(never, never);
}

TEST_CASE("a row's group is the quotient of its number by the size of a group") {
  for (const long long size : {1LL, 2LL, 3LL, 7LL, 64LL, 1000LL, (1LL << 31) + 1}) {
    const rowfold::row_groups groups(size, 5, 6);
    CAPTURE(size);
    CHECK(groups.first_stride == 5);
    CHECK(groups.second_stride == 6);
    for (const long long multiple : {0LL, 1LL, 2LL, 12345LL}) {
      for (const long long row : {multiple * size, multiple * size + size - 1}) {
        if (row >= rowfold::row_layout::max_rows / size) continue;  // what the planner refuses
        CAPTURE(row);
        CHECK(groups.of(row) == row / size);
      }
    }
  }
}
