// SPDX-License-Identifier: MIT
// Elementwise calls that ask for nothing or for what cannot be done write nothing; plans serve the arguments that they
// were made for; and how the op behaves towards its host program.
#include <cstdint>
#include <vector>

#include "elementwise/ops_under_test.cuh"
#include "support/check.hpp"

using namespace rowfold_test;
using rowfold::elementwise_plan;
using rowfold::elementwise_reason;
using rowfold::plan_status;

namespace {

constexpr std::size_t count = 100;

// a + b, whose output has not been written yet.
class small_add {
 public:
  small_add() : a_(count), b_(count), y_(count) {
    a_.upload(std::vector<float>(count, 1.0f));
    b_.upload(std::vector<float>(count, 2.0f));
  }
  auto arguments() {
    return rowfold::elementwise_args{rowfold::inputs(a_.data(), b_.data()), rowfold::outputs(y_.data()),
                                     static_cast<std::int64_t>(count)};
  }
  template <class Args>
  cudaError_t run(const Args& args, cudaStream_t stream = nullptr) {
    return rowfold::elementwise<small_tuning>(add_function{}, args, stream);
  }
  void expect_untouched() const {
    rowfold_test::sync();
    const auto bytes = bytes_of(y_.download());
    CHECK(bytes == std::vector<unsigned char>(bytes.size(), 0xFF));
    CHECK(a_.download() == std::vector<float>(count, 1.0f));
    CHECK(b_.download() == std::vector<float>(count, 2.0f));
  }
  void expect_sums() const {
    rowfold_test::sync();
    CHECK(y_.download() == std::vector<float>(count, 3.0f));
  }
  void clear() { y_.fill_bytes(0xFF); }

 private:
  buffer<float> a_, b_, y_;
};

template <class Args>
void expect_refused(small_add& call, const Args& args, elementwise_reason reason) {
  const elementwise_plan plan = rowfold::plan_elementwise<small_tuning>(args, rowfold::device_info{});
  CHECK(plan.status == plan_status::refused);
  CHECK(plan.reason == reason);
  CHECK(static_cast<int>(call.run(args)) == static_cast<int>(cudaErrorInvalidValue));
  CHECK(static_cast<int>(rowfold::launch_elementwise<small_tuning>(add_function{}, args, plan)) ==
        static_cast<int>(cudaErrorInvalidValue));
  call.expect_untouched();
}

}  // namespace

TEST_CASE("bad arguments are refused and nothing is written") {
  small_add call;
  const auto good = call.arguments();
  auto args = good;
  args.count = -1;
  expect_refused(call, args, elementwise_reason::refused_count);
  args.count = std::int64_t{1} << 60;
  expect_refused(call, args, elementwise_reason::refused_too_many_elements);
  args = good;
  args.in.first = nullptr;
  expect_refused(call, args, elementwise_reason::refused_null_pointer);
  args = good;
  args.out.first = nullptr;
  expect_refused(call, args, elementwise_reason::refused_null_pointer);
  args = good;
  args.in.first = reinterpret_cast<const float*>(reinterpret_cast<const char*>(good.in.first) + 2);
  args.count = 10;
  expect_refused(call, args, elementwise_reason::refused_misaligned_element);
  args = good;
  args.in.first = good.out.first + 1;
  args.count = 10;
  expect_refused(call, args, elementwise_reason::refused_overlap);
  args = good;
  args.in.first = good.in.first + 1;
  args.count = 10;
  args.request.require_vectorized = true;
  expect_refused(call, args, elementwise_reason::refused_out_of_phase);

  require_success(call.run(good));  // and good ones are not
  call.expect_sums();
}

TEST_CASE("no elements: success, and nothing is launched") {
  small_add call;
  auto args = call.arguments();
  args.count = 0;
  require_success(call.run(args));
  args.in.first = nullptr;
  args.out.first = nullptr;
  require_success(call.run(args));
  require_success(rowfold::elementwise(add_function{}, args.in, args.out, 0));
  call.expect_untouched();
#if defined(__CUDACC__)
  CHECK(static_cast<int>(cudaGetLastError()) == static_cast<int>(cudaSuccess));
#endif
}

TEST_CASE("elementwise: a plan serves the arguments that it was made for, and no others") {
  small_add call;
  auto args = call.arguments();
  args.plan = rowfold::plan_elementwise<small_tuning>(args, rowfold::device_info{});
  require_success(call.run(args));
  call.expect_sums();
  call.clear();

  const auto refuses = [&](const auto& other) {
    CHECK(static_cast<int>(call.run(other)) == static_cast<int>(cudaErrorInvalidValue));
    call.expect_untouched();
  };
  auto other = args;
  other.count -= 1;
  refuses(other);
  other = args;
  other.in.first += 1;
  other.count = 10;
  other.plan.problem.count = 10;
  refuses(other);
  other = args;
  other.plan = rowfold::plan_elementwise(args, rowfold::device_info{});  // with another tuning: other kernels
  refuses(other);
}

TEST_CASE("programmatic dependent launch: the same results") {
  small_add call;
  auto args = call.arguments();
  args.request.programmatic = true;
  for (int i = 0; i < 3; ++i) require_success(call.run(args));
  call.expect_sums();
}

#if defined(__CUDACC__)
TEST_CASE("a call can be captured in a graph and replayed") {
  small_add call;
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  require_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  require_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const cudaError_t launched = call.run(call.arguments(), stream);
  require_success(cudaStreamEndCapture(stream, &graph));
  require_success(launched);
  call.expect_untouched();  // nothing has run yet
  require_success(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 2; ++i) {
    call.clear();
    require_success(cudaGraphLaunch(executable, stream));
    require_success(cudaStreamSynchronize(stream));
    call.expect_sums();
  }
  require_success(cudaGraphExecDestroy(executable));
  require_success(cudaGraphDestroy(graph));
  require_success(cudaStreamDestroy(stream));
}
#endif
