// SPDX-License-Identifier: MIT
// How cross-entropy behaves towards its host program: any thread may call it at any time, work goes to the given stream
// alone, calls can be captured in a graph and may start early.
#include <memory>
#include <thread>
#include <vector>

#include "cross_entropy/cross_entropy_run.hpp"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/element.hpp"

using namespace cross_entropy_test;
using namespace rowfold_test;

namespace {

// Float logits in memory, as a call.
class float_rows {
 public:
  explicit float_rows(const cross_entropy_input& input)
      : x_(input.x.size()), labels_(input.labels.size()), loss_(input.labels.size()) {
    set(input);
    call.logits = x_.data();
    call.labels = labels_.data();
    call.loss = loss_.data();
    call.rows = input.rows;
    call.cols = input.cols;
  }

  void set(const cross_entropy_input& input) {
    std::vector<float> values;
    for (const double value : input.x) values.push_back(static_cast<float>(value));
    x_.upload(values);
    labels_.upload(input.labels);
  }
  std::vector<double> loss() const { return to_double(loss_.download()); }
  void clear() { loss_.fill_bytes(0xFF); }
  buffer<float>& x() { return x_; }

  cross_entropy_call call;

 private:
  buffer<float> x_;
  buffer<std::int64_t> labels_;
  buffer<float> loss_;
};

}  // namespace

TEST_CASE("cross-entropy: several host threads may call it at the same time", "[race]") {
  constexpr int threads = 4;
  std::vector<std::unique_ptr<float_rows>> rows;
  std::vector<std::vector<double>> expected;
  for (int t = 0; t < threads; ++t) {
    const cross_entropy_input input = normal_logits(float_logits, 3, 100 + 400 * t, static_cast<std::uint64_t>(t));
    expected.push_back(run(input).loss);
    rows.push_back(std::make_unique<float_rows>(input));
  }
  int failures[threads] = {};
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        failures[t] += float_logits.run(rows[static_cast<std::size_t>(t)]->call) != cudaSuccess;
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  rowfold_test::sync();
  for (int t = 0; t < threads; ++t) {
    CHECK(failures[t] == 0);
    CHECK(same_bits(rows[static_cast<std::size_t>(t)]->loss(), expected[static_cast<std::size_t>(t)]));
  }
}

#if defined(__CUDACC__)

namespace {

// A producer that takes its time: what does not wait for it sees the old values.
__global__ void slow_logits_kernel(const float* in, float* out, int count, long long clocks) {
  const long long start = clock64();
  while (clock64() - start < clocks) {
  }
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) out[i] = in[i];
}

}  // namespace

TEST_CASE("cross-entropy: work waits for what is before it in its stream, also when it may start early") {
  const cross_entropy_input input = normal_logits(float_logits, 3, 1000);
  const std::vector<double> expected = run(input).loss;
  float_rows produced(input);
  for (const bool programmatic : {false, true}) {
    cross_entropy_input old = normal_logits(float_logits, 3, 1000, 99);
    old.labels = input.labels;
    float_rows rows(old);  // other values, until the producer has run
    rowfold_test::sync();  // their upload may still be under way in the default stream
    cudaStream_t stream = nullptr;
    require_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    slow_logits_kernel<<<1, 256, 0, stream>>>(produced.x().data(), rows.x().data(), 3000, 50000000);
    require_success(cudaGetLastError());
    rows.call.stream = stream;
    rows.call.request.programmatic = programmatic;
    require_success(float_logits.run(rows.call));
    CHECK(cudaStreamQuery(nullptr) == cudaSuccess);       // nothing went to the default stream
    CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);  // and nothing waited for the producer
    require_success(cudaStreamSynchronize(stream));
    CHECK(same_bits(rows.loss(), expected));
    require_success(cudaStreamDestroy(stream));
  }
}

TEST_CASE("cross-entropy: a call can be captured in a graph and replayed on new values") {
  for (const int cols : {64, 1000, 20000}) {
    const cross_entropy_input first = normal_logits(float_logits, 2, cols);
    const cross_entropy_input second = normal_logits(float_logits, 2, cols, 5);
    float_rows rows(first);
    cudaStream_t stream = nullptr;
    require_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    rows.call.stream = stream;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    require_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    const cudaError_t launched = float_logits.run(rows.call);
    require_success(cudaStreamEndCapture(stream, &graph));
    require_success(launched);
    require_success(cudaGraphInstantiate(&executable, graph, 0));
    for (const cross_entropy_input* input : {&first, &second}) {
      rows.clear();
      rows.set(*input);
      require_success(cudaGraphLaunch(executable, stream));
      require_success(cudaStreamSynchronize(stream));
      CHECK(same_bits(rows.loss(), run(*input).loss));
    }
    require_success(cudaGraphExecDestroy(executable));
    require_success(cudaGraphDestroy(graph));
    require_success(cudaStreamDestroy(stream));
  }
}

#endif
