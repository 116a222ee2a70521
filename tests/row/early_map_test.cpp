// SPDX-License-Identifier: MIT
// Maps of a user's own that fetch their parameters: a block asks for them before or behind the fold, with the same bits
// and the bytes of the plan; chained, beside a map that has nothing to fetch; and maps whose parameters cannot be
// fetched.
#include "rowfold/row/early_map.cuh"

#include <cstdint>
#include <cstring>
#include <vector>

#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/row/normalize.cuh"
#include "rowfold/row/rms_normalize.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"
#include "support/buffer.cuh"
#include "support/byte_counter.hpp"
#include "support/check.hpp"
#include "support/values.hpp"

using namespace rowfold_test;
using rowfold::plan_request;

namespace {

using element_type = __nv_bfloat16;

// values + p, p being [cols].
struct add_map {
  const element_type* p;

  static constexpr bool fetches = true;

  template <int N, class Position>
  ROWFOLD_DEVICE rowfold::packed<element_type, N> fetch(const Position& position) const {
    return rowfold::fetch_parameter<N>(p, position);
  }
  template <class Accumulate, int N, class Position, class Result>
  ROWFOLD_DEVICE rowfold::vec<Accumulate, N> operator()(const rowfold::vec<Accumulate, N>& values,
                                                        const Position& position, const Result& result) const {
    return (*this)(values, position, result, fetch<N>(position));
  }
  template <class Accumulate, int N, class Position, class Result>
  ROWFOLD_DEVICE rowfold::vec<Accumulate, N> operator()(const rowfold::vec<Accumulate, N>& values, const Position&,
                                                        const Result&,
                                                        const rowfold::packed<element_type, N>& fetched) const {
    const auto added = rowfold::widen(fetched);
    rowfold::vec<Accumulate, N> y;
    for (int i = 0; i < N; ++i) y[i] = rowfold::math::add_rn(values[i], added[i]);
    return y;
  }

  add_map held() const { return *this; }
  void describe(rowfold::row_problem& problem) const { problem.add_parameter("p", p); }
};

// The same without fetch.
struct plain_add_map {
  const element_type* p;

  template <class Accumulate, int N, class Position, class Result>
  ROWFOLD_DEVICE rowfold::vec<Accumulate, N> operator()(const rowfold::vec<Accumulate, N>& values,
                                                        const Position& position, const Result&) const {
    const auto added = rowfold::load_parameter<Accumulate, N>(p, position);
    rowfold::vec<Accumulate, N> y;
    for (int i = 0; i < N; ++i) y[i] = rowfold::math::add_rn(values[i], added[i]);
    return y;
  }

  plain_add_map held() const { return *this; }
  void describe(rowfold::row_problem& problem) const { problem.add_parameter("p", p); }
};

// values + by: a map with an option and without parameters.
struct shift_map {
  float by;

  template <class Accumulate, int N, class Position, class Result>
  ROWFOLD_DEVICE rowfold::vec<Accumulate, N> operator()(const rowfold::vec<Accumulate, N>& values, const Position&,
                                                        const Result&) const {
    rowfold::vec<Accumulate, N> y;
    for (int i = 0; i < N; ++i) y[i] = rowfold::math::add_rn(values[i], by);
    return y;
  }

  shift_map held() const { return *this; }
  void describe(rowfold::row_problem&) const {}
};

struct twice_map : rowfold::plain_map<twice_map> {
  template <class Accumulate, int N, class Position, class Result>
  ROWFOLD_DEVICE rowfold::vec<Accumulate, N> operator()(const rowfold::vec<Accumulate, N>& values, const Position&,
                                                        const Result&) const {
    rowfold::vec<Accumulate, N> y;
    for (int i = 0; i < N; ++i) y[i] = rowfold::math::add_rn(values[i], values[i]);
    return y;
  }
};

}  // namespace

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
template <>
inline constexpr int fetched_bytes<add_map> = 2;
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

namespace {

struct outcome {
  std::vector<element_type> y;
  rowfold::row_plan plan;
};

// y = map(rms_normalize(x)) of random rows.
template <class MakeMap>
outcome run_op(std::int64_t rows, int cols, const plan_request& request, const MakeMap& make_map) {
  const auto size = static_cast<std::size_t>(rows * cols);
  buffer<element_type> x(size), y(size), first(static_cast<std::size_t>(cols)), second(static_cast<std::size_t>(cols));
  x.upload(random_values<element_type>(1, size, distribution::normal, 1));
  first.upload(random_values<element_type>(1, first.size(), distribution::normal, 2));
  second.upload(random_values<element_type>(1, second.size(), distribution::normal, 3));
  y.fill_bytes(0xFF);
  const rowfold::plain_source<element_type> source{x.data(), rowfold::row_layout{}.resolved(cols)};
  const auto stages = rowfold::stages(rowfold::rms_stage<float>{1.0f / static_cast<float>(cols), 1e-5f});
  const auto map = rowfold::chain(rowfold::rms_map{}, make_map(first.data(), second.data()));
  const rowfold::plain_sink<element_type> sink{y.data(), rowfold::row_layout{}.resolved(cols)};
  rowfold::device_info device;
  require_success(rowfold::current_device_info(device));
  outcome out;
  out.plan = rowfold::plan_rows({rows, cols}, source, stages, map, sink, device, request);
  byte_counter bytes;
  for (const buffer<element_type>* tensor : {&x, &y, &first, &second}) {
    bytes.watch(tensor->data(), tensor->size() * sizeof(element_type));
  }
  require_success(rowfold::launch_row_plan(out.plan, source, stages, map, sink, false, nullptr));
  rowfold_test::sync();
  CHECK(y.canaries_intact());
  if (on_cpu) CHECK(bytes.moved() == out.plan.issued_bytes);
  out.y = y.download();
  return out;
}

bool same_bits(const outcome& a, const outcome& b) {
  return a.y.size() == b.y.size() && std::memcmp(a.y.data(), b.y.data(), a.y.size() * sizeof(element_type)) == 0;
}

// In part of a warp; in a block with two granules of a lane missing, with one, and with none.
constexpr int widths[] = {64, 640, 1288, 1536, 2048, 2560, 4096};

}  // namespace

TEST_CASE("one fetched parameter is always asked for before the fold, and gives the bits of one that is not") {
  for (const int cols : widths) {
    const auto fetching = [](const element_type* first, const element_type*) { return add_map{first}; };
    const auto plain = [](const element_type* first, const element_type*) { return plain_add_map{first}; };
    plan_request late;
    late.late_parameters = true;
    const outcome expected = run_op(3, cols, {}, plain);
    CAPTURE(cols, rowfold::to_label(expected.plan));
    for (const plan_request& request : {plan_request{}, late}) {
      const outcome found = run_op(3, cols, request, fetching);
      CHECK(found.plan.early_parameters == (found.plan.shape.lanes > 32));
      CHECK(same_bits(expected, found));
    }
  }
}

TEST_CASE("a chain fetches what its maps fetch: before the fold in small calls, or as it is used") {
  for (const int cols : widths) {
    const auto fetching = [](const element_type* first, const element_type* second) {
      return rowfold::chain(add_map{first}, twice_map{}, add_map{second});
    };
    const auto plain = [](const element_type* first, const element_type* second) {
      return rowfold::chain(plain_add_map{first}, twice_map{}, plain_add_map{second});
    };
    plan_request late;
    late.late_parameters = true;
    const outcome expected = run_op(2, cols, late, plain);
    CAPTURE(cols, rowfold::to_label(expected.plan));
    CHECK_FALSE(expected.plan.early_parameters);
    const outcome early = run_op(2, cols, {}, fetching);
    CHECK(early.plan.early_parameters == (early.plan.shape.lanes > 32));
    CHECK(same_bits(expected, early));
    CHECK(same_bits(expected, run_op(2, cols, late, fetching)));
    CHECK(same_bits(expected, run_op(2, cols, {}, plain)));  // all at once behind the fold
  }
}

TEST_CASE("two folds and a map without parameters: every width has a kernel that holds it") {
  for (const int cols : {1280, 1288, 1528, 1536, 2056, 2296, 2304, 4096}) {
    const auto size = static_cast<std::size_t>(3 * cols);
    buffer<element_type> x(size), staged(size), held(size);
    x.upload(random_values<element_type>(1, size, distribution::normal, 1));
    const rowfold::plain_source<element_type> source{x.data(), rowfold::row_layout{}.resolved(cols)};
    const int lanes = rowfold::default_lanes(cols, source.granule);
    const auto stages = rowfold::normalize_stages<float>(cols, 1e-5f, source.granule, lanes);
    const auto map = rowfold::chain(rowfold::normalize_map{}, shift_map{0.5f});
    plan_request request;
    for (buffer<element_type>* y : {&held, &staged}) {
      request.staged = y == &staged;
      const rowfold::plain_sink<element_type> sink{y->data(), rowfold::row_layout{}.resolved(cols)};
      y->fill_bytes(0xFF);
      require_success(rowfold::fold_rows({3, cols}, source, stages, map, sink, request));
      rowfold_test::sync();
      CHECK(y->canaries_intact());
    }
    const auto expected = staged.download();
    const auto found = held.download();
    CAPTURE(cols);
    CHECK(std::memcmp(expected.data(), found.data(), size * sizeof(element_type)) == 0);
  }
}

TEST_CASE("a plan for another class of folds is refused by the launcher") {
  buffer<element_type> x(2048), y(2048);
  x.upload(random_values<element_type>(1, 2048, distribution::normal));
  y.fill_bytes(0x7F);
  const rowfold::plain_source<element_type> source{x.data(), rowfold::row_layout{}.resolved(2048)};
  const auto stages = rowfold::stages(rowfold::rms_stage<float>{1.0f / 2048, 1e-5f});
  const rowfold::plain_sink<element_type> sink{y.data(), rowfold::row_layout{}.resolved(2048)};
  const auto before = y.download();
  rowfold::device_info device;
  require_success(rowfold::current_device_info(device));
  rowfold::row_plan plan = rowfold::plan_rows({1, 2048}, source, stages, rowfold::rms_map{}, sink, device);
  plan.problem.fold_passes = 2;
  CHECK(rowfold::launch_row_plan(plan, source, stages, rowfold::rms_map{}, sink, false, nullptr) ==
        cudaErrorInvalidValue);
  rowfold_test::sync();
  const auto after = y.download();
  CHECK(std::memcmp(before.data(), after.data(), before.size() * sizeof(element_type)) == 0);
}
