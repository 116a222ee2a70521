// SPDX-License-Identifier: MIT
// Plans at the edges of what an op may be: rows of which nothing is folded and that have no columns, problems without a
// tensor to read.
#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/row/map.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/softmax_parts.cuh"
#include "rowfold/row/source.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"

using namespace rowfold;
using rowfold_test::buffer;

namespace {

operand tensor(const char* name, operand_kind kind, int element_bytes) {
  operand o;
  o.name = name;
  o.kind = kind;
  o.element_bytes = element_bytes;
  o.layout = row_layout::strided(0);
  return o;
}

// Reads x, but does not say so.
template <class T>
struct silent_source : plain_source<T> {
  void describe(row_problem&) const {}
};

}  // namespace

TEST_CASE("rows without columns of which nothing is folded have one part, which finishes them") {
  for (const int element_bytes : {1, 2, 4}) {
    for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{1} << 37}) {
      for (const int lanes : {0, 1, 32, 64}) {
        row_problem problem;
        problem.op = "test_op";
        problem.rows = rows;
        problem.granule = 16 / element_bytes;
        problem.fold_passes = 0;
        problem.writes_empty_rows = true;
        problem.add(tensor("x", operand_kind::input, element_bytes));
        problem.add(tensor("number", operand_kind::statistic, 4));
        plan_request request;
        request.lanes = lanes;
        const row_plan plan = make_row_plan(problem, {}, request);
        CAPTURE(element_bytes, rows, lanes, to_label(plan));
        if (rows > row_tuning::max_grid_blocks * (lanes == 0 ? 128 : 128 / lanes)) {
          CHECK(plan.status == plan_status::refused);
          continue;
        }
        CHECK(plan.status == plan_status::ready);
        CHECK(plan.reason == plan_reason::no_columns);
        CHECK(plan.parts == 1);
        CHECK(plan.issued_bytes == rows * 4);
        if (lanes == 0) CHECK(plan.shape.lanes == 1);
        CHECK(static_cast<std::int64_t>(plan.grid_blocks) * plan.rows_per_block >= rows);
        problem.writes_empty_rows = false;
        CHECK(make_row_plan(problem, {}, request).status == plan_status::nothing);
      }
    }
  }
}

TEST_CASE("a problem without a tensor of rows to read is refused, whichever the variant") {
  for (const int fold_passes : {0, 1, 2}) {
    for (const bool stores_rows : {false, true}) {
      for (const bool spaced : {false, true}) {
        for (const int cols : {0, 8, 100, 100000}) {
          for (int number = 0; number < 8; ++number) {
            row_problem problem;
            problem.op = "test_op";
            problem.rows = 3;
            problem.cols = cols;
            problem.granule = 4;
            problem.fold_passes = fold_passes;
            problem.stores_rows = stores_rows;
            problem.spaced_columns = spaced;
            problem.writes_empty_rows = true;
            problem.add(tensor("gamma", operand_kind::parameter, 4));
            problem.add(tensor("y", operand_kind::output, 4));
            plan_request request;
            request.reread = (number & 1) != 0;
            request.staged = (number & 2) != 0;
            request.any_access = (number & 4) != 0;
            const row_plan plan =
                spaced ? make_row_plan<true>(problem, {}, request) : make_row_plan(problem, {}, request);
            CHECK(plan.status == plan_status::refused);
            CHECK(plan.reason == plan_reason::refused_no_inputs);
            CHECK(to_label(plan) == "refused: the op has no tensor of rows that it reads");
          }
        }
      }
    }
  }
}

TEST_CASE("a composed op whose source describes no tensor is refused, and nothing is written") {
  constexpr int rows = 3;
  constexpr int cols = 256;
  buffer<float> x(rows * cols), y(rows * cols);
  const row_layout layout = row_layout::strided(cols);
  const silent_source<float> source{{x.data(), layout}};
  const plain_sink<float> sink{y.data(), layout};
  using statistics = softmax_statistics<softmax_weight<float, float>>;
  const auto folds = softmax_stages<statistics>(1.0, masked_row::nan);
  for (const bool reread : {false, true}) {
    plan_request request;
    request.reread = reread;
    CHECK(fold_rows({rows, cols}, source, stages(), identity_map{}, sink, request) == cudaErrorInvalidValue);
    CHECK(fold_rows({rows, cols}, source, folds, softmax_map{}, sink, request) == cudaErrorInvalidValue);
  }
  rowfold_test::sync();
  for (const float value : y.download()) CHECK(value != value);  // as it was
}
