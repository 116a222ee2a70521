// SPDX-License-Identifier: MIT
// Rows without columns in ops that fold nothing: a sink that finishes such rows does so, whatever the kernel; others
// have nothing to do.
#include <cstdint>
#include <vector>

#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/row/activation_map.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"
#include "rowfold/row/spaced_parts.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"

using namespace rowfold_test;
using rowfold::plan_request;
using rowfold::row_layout;

namespace {

struct negate {
  ROWFOLD_DEVICE float operator()(float x) const { return -x; }
};

// Writes rows as a plain sink does, or as one of columns that lie apart, and the number of each row.
template <class Sink>
struct numbering_sink : Sink {
  static constexpr bool finishes_empty_rows = true;
  struct row_type : Sink::row_type {
    long long number;
  };

  int* numbers;

  ROWFOLD_DEVICE row_type row(long long row, int cols) const { return {Sink::row(row, cols), row}; }

  template <class Result>
  ROWFOLD_DEVICE void finish(const row_type& row, const Result&) const {
    rowfold::store_element<rowfold::store_hint::write_back>(numbers + row.number, static_cast<int>(row.number));
  }

  void describe(rowfold::row_problem& problem) const {
    Sink::describe(problem);
    problem.writes_empty_rows = true;
    problem.add(rowfold::make_operand("numbers", rowfold::operand_kind::statistic, numbers));
  }
};

// The same that finishes rows with columns alone.
struct leaving_sink : numbering_sink<rowfold::plain_sink<float>> {
  static constexpr bool finishes_empty_rows = false;
};
static_assert(!leaving_sink::finishes_empty_rows, "what its base says does not count");

template <class Source, class Sink>
void check(std::int64_t rows, int cols, const Source& source, const Sink& rows_sink, const plan_request& request) {
  buffer<int> numbers(static_cast<std::size_t>(rows));
  const numbering_sink<Sink> sink{rows_sink, numbers.data()};
  const rowfold::activation_map<negate> map{};
  rowfold::device_info device;
  require_success(rowfold::current_device_info(device));
  const rowfold::row_plan plan =
      rowfold::plan_rows({rows, cols}, source, rowfold::stages(), map, sink, device, request);
  INFO(rowfold::to_string(plan));
  CHECK(plan.status == rowfold::plan_status::ready);
  CHECK(plan.parts >= 1);
  require_success(rowfold::fold_rows({rows, cols}, source, rowfold::stages(), map, sink, request));
  rowfold_test::sync();
  const std::vector<int> found = numbers.download();
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == static_cast<int>(i));
  CHECK(numbers.canaries_intact());
}

// Both kinds of tensors, of some element type.
template <class T>
void check_rows(std::int64_t rows, int cols, const plan_request& request) {
  CAPTURE(rows, cols, sizeof(T));
  const auto size = static_cast<std::size_t>(rows * cols);
  buffer<T> x(size), y(size);
  x.fill_bytes(0);
  const row_layout layout = row_layout::strided(cols);
  check(rows, cols, rowfold::plain_source<T>{x.data(), layout}, rowfold::plain_sink<T>{y.data(), layout}, request);
  if (cols == 0) CHECK(y.canaries_intact());
  const row_layout spaced = row_layout::strided(1);
  if (!request.staged) {  // where columns lie apart, rows are never staged
    check(rows, cols, rowfold::spaced_source<T>{{x.data(), spaced}, rows},
          rowfold::spaced_sink<T>{{y.data(), spaced}, rows}, request);
  }
  CHECK(y.canaries_intact());
}

}  // namespace

TEST_CASE("a sink finishes rows without columns where nothing is folded") {
  for (const std::int64_t rows : {1, 5, 131}) {
    for (const int cols : {0, 1, 8}) {
      for (int number = 0; number < 7; ++number) {
        plan_request request;
        if (number == 1) request.reread = true;
        if (number == 2) request.any_access = true;
        if (number == 3) request.staged = true;
        if (number == 4) request.lanes = 64;
        if (number == 5) request.lanes = 2;
        if (number == 6) request.programmatic = true;
        CAPTURE(number);
        check_rows<float>(rows, cols, request);
        check_rows<__half>(rows, cols, request);
      }
    }
  }
}

TEST_CASE("of two sinks, the one that finishes rows without columns does so, and the other one does not") {
  constexpr int rows = 3;
  buffer<int> numbers(rows), others(rows);
  buffer<float> y(rows);
  for (const int cols : {0, 1}) {
    numbers.fill_bytes(0xAB);
    others.fill_bytes(0xAB);
    const row_layout layout = row_layout::strided(cols);
    const rowfold::plain_sink<float> plain{y.data(), layout};
    const numbering_sink<rowfold::plain_sink<float>> finishing{plain, numbers.data()};
    const leaving_sink leaving{{plain, others.data()}};
    for (const bool first : {true, false}) {
      CAPTURE(cols, first);
      const rowfold::plain_source<float> source{y.data(), layout};
      const rowfold::activation_map<negate> map{};
      require_success(first
                          ? rowfold::fold_rows({rows, cols}, source, rowfold::stages(), map, both(finishing, leaving))
                          : rowfold::fold_rows({rows, cols}, source, rowfold::stages(), map, both(leaving, finishing)));
      rowfold_test::sync();
      CHECK(numbers.download() == std::vector<int>{0, 1, 2});
      CHECK((others.download() == std::vector<int>{0, 1, 2}) == (cols > 0));
    }
  }
}

TEST_CASE("a sink that does not finish rows without columns has nothing to do there") {
  float value = 0;
  const rowfold::row_plan plan = rowfold::plan_rows(
      {3, 0}, rowfold::plain_source<float>{&value, row_layout::strided(0)}, rowfold::stages(),
      rowfold::activation_map<negate>{}, rowfold::plain_sink<float>{&value, row_layout::strided(0)}, {});
  CHECK(plan.status == rowfold::plan_status::nothing);
  CHECK(plan.reason == rowfold::plan_reason::no_columns);
}
