// SPDX-License-Identifier: MIT
// How LayerNorm behaves towards its host program: any thread may call it at any time, work goes to the given stream
// alone, calls can be captured in a graph, the current device stays.
#include <memory>
#include <thread>
#include <vector>

#include "layer_norm/hard_rows.hpp"
#include "layer_norm/layer_norm_run.hpp"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/element.hpp"

using namespace rowfold_test;

namespace {

// Rows of float in memory, as a call without parameters.
class float_rows {
 public:
  explicit float_rows(const layer_norm_input& input) : x_(input.x.size()), y_(input.x.size()) {
    set(input);
    call.x = x_.data();
    call.y = y_.data();
    call.rows = input.rows;
    call.cols = input.cols;
  }

  void set(const layer_norm_input& input) {
    std::vector<float> values;
    for (const double value : input.x) values.push_back(static_cast<float>(value));
    x_.upload(values);
  }
  std::vector<double> y() const { return to_double(y_.download()); }
  void clear() { y_.fill_bytes(0xFF); }
  buffer<float>& x() { return x_; }

  layer_norm_call call;

 private:
  buffer<float> x_, y_;
};

layer_norm_input plain_rows(std::int64_t rows, int cols, std::uint64_t stream = 0) {
  layer_norm_input input = normal_rows(float_types, rows, cols, stream);
  input.gamma.clear();
  input.beta.clear();
  return input;
}

}  // namespace

TEST_CASE("several host threads may call it at the same time", "[race]") {
  constexpr int threads = 4;
  std::vector<std::unique_ptr<float_rows>> rows;
  std::vector<std::vector<double>> expected;
  for (int t = 0; t < threads; ++t) {
    const layer_norm_input input = plain_rows(3, 100 + 200 * t, static_cast<std::uint64_t>(t));
    expected.push_back(run(input).y);
    rows.push_back(std::make_unique<float_rows>(input));
  }
  int failures[threads] = {};
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i)
        failures[t] += float_types.run(rows[static_cast<std::size_t>(t)]->call) != cudaSuccess;
    });
  }
  for (std::thread& worker : workers) worker.join();
  rowfold_test::sync();
  for (int t = 0; t < threads; ++t) {
    CHECK(failures[t] == 0);
    CHECK(same_bits(rows[static_cast<std::size_t>(t)]->y(), expected[static_cast<std::size_t>(t)]));
  }
}

#if defined(__CUDACC__)

namespace {

// A producer that takes its time: what does not wait for it sees the old values.
__global__ void slow_copy_kernel(const float* in, float* out, int count, long long clocks) {
  const long long start = clock64();
  while (clock64() - start < clocks) {
  }
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) out[i] = in[i];
}

class side_stream {
 public:
  side_stream() { require_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  ~side_stream() { (void)cudaStreamDestroy(stream); }
  side_stream(const side_stream&) = delete;
  side_stream& operator=(const side_stream&) = delete;
  cudaStream_t stream = nullptr;
};

}  // namespace

TEST_CASE("work waits for what is before it in its stream, also when it may start early") {
  const layer_norm_input input = plain_rows(3, 1000);
  const std::vector<double> expected = run(input).y;
  float_rows produced(input);
  for (const bool programmatic : {false, true}) {
    float_rows rows(plain_rows(3, 1000, 99));  // other values, until the producer has run
    rowfold_test::sync();                      // their upload may still be under way in the default stream
    side_stream side;
    slow_copy_kernel<<<1, 256, 0, side.stream>>>(produced.x().data(), rows.x().data(), 3000, 50000000);
    require_success(cudaGetLastError());
    rows.call.stream = side.stream;
    rows.call.request.programmatic = programmatic;
    require_success(float_types.run(rows.call));
    CHECK(cudaStreamQuery(nullptr) == cudaSuccess);            // nothing went to the default stream
    CHECK(cudaStreamQuery(side.stream) == cudaErrorNotReady);  // and nothing waited for the producer
    require_success(cudaStreamSynchronize(side.stream));
    CHECK(same_bits(rows.y(), expected));
  }
}

TEST_CASE("a call can be captured in a graph and replayed on new values") {
  for (const int cols : {64, 1000, 20000}) {
    const layer_norm_input first = plain_rows(2, cols), second = plain_rows(2, cols, 5);
    float_rows rows(first);
    side_stream side;
    rows.call.stream = side.stream;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    require_success(cudaStreamBeginCapture(side.stream, cudaStreamCaptureModeGlobal));
    const cudaError_t launched = float_types.run(rows.call);
    require_success(cudaStreamEndCapture(side.stream, &graph));
    require_success(launched);
    require_success(cudaGraphInstantiate(&executable, graph, 0));
    for (const layer_norm_input* input : {&first, &second}) {
      rows.clear();
      rows.set(*input);
      require_success(cudaGraphLaunch(executable, side.stream));
      require_success(cudaStreamSynchronize(side.stream));
      CHECK(same_bits(rows.y(), run(*input).y));
    }
    require_success(cudaGraphExecDestroy(executable));
    require_success(cudaGraphDestroy(graph));
  }
}

TEST_CASE("rows on another device than the first, which stays current") {
  int devices = 0;
  require_success(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    WARN("skipped: one device only");
    return;
  }
  const layer_norm_input input = plain_rows(3, 1000);
  const std::vector<double> expected = run(input).y;
  require_success(cudaSetDevice(1));
  CHECK(same_bits(run(input).y, expected));
  int current = -1;
  require_success(cudaGetDevice(&current));
  CHECK(current == 1);
  require_success(cudaSetDevice(0));
}

#endif
