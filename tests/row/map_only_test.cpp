// SPDX-License-Identifier: MIT
// Ops that fold nothing, y = x * gamma + beta: the engine without stages. Every element exact, every tensor of a type
// and a layout of its own, and for each tensor exactly the bytes that issued_bytes says, whatever the kernel and the
// addresses. On the GPU also how such calls follow one another in a stream and in a graph.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/row/affine_map.cuh"
#include "rowfold/row/map.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/values.hpp"
#if !defined(__CUDACC__)
#include "rowfold/cpu/traffic.hpp"
#endif

using namespace rowfold_test;
using rowfold::plan_request;
using rowfold::row_layout;

namespace {

using x_type = __nv_bfloat16;
using gamma_type = __half;
using beta_type = __nv_bfloat16;
using y_type = __half;

std::size_t count(long long n) { return static_cast<std::size_t>(n); }

// The op's tensors, each `offsets` elements behind an aligned address; layouts start at element 0 and never go below
// it.
class scale_and_shift {
 public:
  scale_and_shift(int rows, int cols, const row_layout& x_layout, const row_layout& y_layout,
                  const std::size_t (&offsets)[4])
      : shape{rows, cols},
        x_layout_(x_layout.resolved(cols)),
        y_layout_(y_layout.resolved(cols)),
        x(extent(x_layout_), offsets[0]),
        gamma(count(cols), offsets[1]),
        beta(count(cols), offsets[2]),
        y(extent(y_layout_), offsets[3]) {
    x.upload(random_values<x_type>(1, x.size(), distribution::normal, 1));
    gamma.upload(random_values<gamma_type>(1, gamma.size(), distribution::positive, 2));
    beta.upload(random_values<beta_type>(1, beta.size(), distribution::normal, 3));
  }

  rowfold::row_plan plan(const plan_request& request) const {
    rowfold::device_info device;
    require_success(rowfold::current_device_info(device));
    return rowfold::plan_rows(shape, source(), rowfold::stages(), map(), sink(), device, request);
  }

  cudaError_t run(const plan_request& request, cudaStream_t stream = nullptr) {
    return rowfold::fold_rows(shape, source(), rowfold::stages(), map(), sink(), request, stream);
  }

  // What y must hold: the results, and 0xFF where no row is.
  std::vector<y_type> expected() const {
    std::vector<unsigned short> bits(y.size(), 0xFFFF);
    const auto x_values = x.download();
    const auto gamma_values = gamma.download();
    const auto beta_values = beta.download();
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      for (int c = 0; c < shape.cols; ++c) {
        const float value = std::fmaf(__bfloat162float(x_values[count(x_layout_.offset(row) + c)]),
                                      __half2float(gamma_values[count(c)]), __bfloat162float(beta_values[count(c)]));
        bits[count(y_layout_.offset(row) + c)] = __half_as_ushort(__float2half_rn(value));
      }
    }
    std::vector<y_type> values(bits.size());
    for (std::size_t i = 0; i < bits.size(); ++i) values[i] = __ushort_as_half(bits[i]);
    return values;
  }

  bool is_right() const {
    const auto got = y.download();
    const auto wanted = expected();
    return std::memcmp(got.data(), wanted.data(), got.size() * sizeof(y_type)) == 0 && y.canaries_intact();
  }

  rowfold::row_shape shape;

 private:
  std::size_t extent(const row_layout& layout) const {
    long long end = 0;
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      if (layout.offset(row) + shape.cols > end) end = layout.offset(row) + shape.cols;
    }
    return count(end);
  }
  rowfold::plain_source<x_type> source() const { return {x.data(), x_layout_}; }
  rowfold::affine_map<gamma_type, beta_type> map() const { return {gamma.data(), beta.data()}; }
  rowfold::plain_sink<y_type> sink() const { return {const_cast<y_type*>(y.data()), y_layout_}; }

  row_layout x_layout_, y_layout_;

 public:
  buffer<x_type> x;
  buffer<gamma_type> gamma;
  buffer<beta_type> beta;
  buffer<y_type> y;
};

void check(scale_and_shift& op, const plan_request& request) {
  const rowfold::row_plan plan = op.plan(request);
  INFO(rowfold::to_string(plan));
  op.y.fill_bytes(0xFF);
#if !defined(__CUDACC__)
  const rowfold::cpu::watched_range watched[] = {{op.x.data(), op.x.size() * sizeof(x_type)},
                                                 {op.gamma.data(), op.gamma.size() * sizeof(gamma_type)},
                                                 {op.beta.data(), op.beta.size() * sizeof(beta_type)},
                                                 {op.y.data(), op.y.size() * sizeof(y_type)}};
#endif
  require_success(op.run(request));
  rowfold_test::sync();
#if !defined(__CUDACC__)
  const char* const names[] = {"x", "gamma", "beta", "y"};
  REQUIRE(plan.problem.operand_count == 4);
  std::int64_t all = 0;
  for (int i = 0; i < 4; ++i) {
    const rowfold::operand& o = plan.problem.operands[i];
    INFO(o.name);
    CHECK(o.name == std::string(names[i]));
    const auto moved = static_cast<std::int64_t>(i < 3 ? watched[i].loaded_bytes() : watched[i].stored_bytes());
    CHECK(moved == rowfold::issued_bytes(plan.problem, plan, o));
    CHECK((i < 3 ? watched[i].stored_bytes() : watched[i].loaded_bytes()) == 0);
    all += moved;
  }
  CHECK(all == plan.issued_bytes);
  CHECK(all >= plan.minimal_bytes);
#endif
  CHECK(op.is_right());
}

// Request 0: none; 1: read again; 2: any access; 3: both.
plan_request request_of(int number) {
  plan_request request;
  request.reread = (number & 1) != 0;
  request.any_access = (number & 2) != 0;
  return request;
}

}  // namespace

#if defined(__CUDACC__)
// First in its file: the GPU suite runs each file's cases in a process of their own, so that nothing was launched
// before.
TEST_CASE("the very first call of a program may be captured in a graph") {
  scale_and_shift op(3, 100, {}, {}, {0, 0, 0, 0});
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  require_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  require_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const cudaError_t launched = op.run({}, stream);
  require_success(cudaStreamEndCapture(stream, &graph));
  require_success(launched);
  require_success(cudaGraphInstantiate(&executable, graph, 0));
  require_success(cudaGraphLaunch(executable, stream));
  require_success(cudaStreamSynchronize(stream));
  CHECK(op.is_right());
  require_success(cudaGraphExecDestroy(executable));
  require_success(cudaGraphDestroy(graph));
  require_success(cudaStreamDestroy(stream));
}
#endif

TEST_CASE("each tensor has a layout of its own; every address", "[sanitize]") {
  const row_layout x_layouts[] = {
      {}, row_layout::strided(131), row_layout::nested(2, 204, 1001), row_layout::nested(3, 0, 160)};
  const row_layout y_layouts[] = {
      row_layout::strided(144), {}, row_layout::nested(3, 401, 133), row_layout::strided(129)};
  for (int layout = 0; layout < 4; ++layout) {
    for (const int cols : {1, 8, 9, 23, 64, 128}) {
      for (std::size_t offset = 0; offset < 8; ++offset) {
        scale_and_shift op(7, cols, x_layouts[layout], y_layouts[layout],
                           {offset, offset / 2, (offset * 3) % 8, (offset * 5) % 8});
        CAPTURE(layout, cols, offset);
        check(op, request_of(static_cast<int>(offset) % 4));
      }
    }
  }
}

TEST_CASE("every kernel") {
  for (const int cols : {7, 56, 64, 96, 128, 157, 160, 1344, 2048, 2560, 20484}) {
    for (const std::size_t offset : {0, 1}) {
      scale_and_shift op(cols < 1000 ? 3 : 1, cols, {}, {}, {offset, offset, offset, offset});
      CAPTURE(cols, offset);
      for (int request = 0; request < 4; ++request) check(op, request_of(request));
    }
  }
}

TEST_CASE("parts without their tensors are refused, and nothing is launched") {
  const rowfold::affine_map<float, float> map{nullptr, nullptr};
  float value = 0;
  const row_layout layout = row_layout::strided(4);
  const rowfold::plain_source<float> source{&value, layout}, no_source{nullptr, layout};
  const rowfold::plain_sink<float> sink{&value, layout}, no_sink{nullptr, layout};
  const auto status = [&](auto s, auto t, rowfold::row_shape shape) {
    return static_cast<int>(rowfold::fold_rows(shape, s, rowfold::stages(), map, t));
  };
  CHECK(status(no_source, sink, {1, 4}) == static_cast<int>(cudaErrorInvalidValue));
  CHECK(status(source, no_sink, {1, 4}) == static_cast<int>(cudaErrorInvalidValue));
  CHECK(status(source, sink, {-1, 4}) == static_cast<int>(cudaErrorInvalidValue));
  CHECK(status(source, sink, {1, -4}) == static_cast<int>(cudaErrorInvalidValue));
  CHECK(status(no_source, no_sink, {0, 4}) == static_cast<int>(cudaSuccess));
  CHECK(status(no_source, no_sink, {1, 0}) == static_cast<int>(cudaSuccess));
}

TEST_CASE("calls that may start early still see what the call before them wrote") {
  // x -> y, again and again, each call reading what the one before it wrote.
  constexpr int rows = 2000;
  constexpr int cols = 256;
  using rowfold::fold_rows;
  buffer<float> memory(count(rows) * cols * 2);
  buffer<float> ones(cols);
  ones.upload(std::vector<float>(cols, 1.0f));
  memory.upload(std::vector<float>(memory.size(), 0.0f));
  const auto layout = row_layout::strided(cols);
  float* const halves[] = {memory.data(), memory.data() + count(rows) * cols};
  plan_request request;
  request.programmatic = true;
  constexpr int calls = on_cpu ? 3 : 100;
  for (int i = 0; i < calls; ++i) {
    const rowfold::affine_map<float, float> add_one{nullptr, ones.data()};
    require_success(fold_rows({rows, cols}, rowfold::plain_source<float>{halves[i % 2], layout}, rowfold::stages(),
                              add_one, rowfold::plain_sink<float>{halves[(i + 1) % 2], layout}, request));
  }
  rowfold_test::sync();
  const auto values = memory.download();
  const std::size_t last = calls % 2 == 0 ? 0 : count(rows) * cols;
  int wrong = 0;
  for (std::size_t i = 0; i < count(rows) * cols; ++i) wrong += values[last + i] != static_cast<float>(calls);
  CHECK(wrong == 0);
}
