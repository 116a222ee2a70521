// SPDX-License-Identifier: MIT
// launch: arguments arrive converted, a refused configuration is an error and touches nothing, large shared memory is
// opted in to, and an earlier error of the caller's stays where it is.
#include "rowfold/launch/launch.cuh"

#include <cstdint>
#include <vector>

#include "rowfold/launch/current_device.cuh"
#include "rowfold/simt/block.cuh"
#include "rowfold/simt/shared.cuh"
#include "support/buffer.cuh"

namespace simt = rowfold::simt;
using rowfold_test::buffer;

namespace {

struct large_argument {
  std::int64_t values[32];
};

template <class T>
__global__ void arguments_kernel(const T* in, T* out, std::int64_t wide, double factor, large_argument more,
                                 bool flag) {
  const unsigned i = simt::thread_rank();
  const double sum = static_cast<double>(wide + more.values[i % 32]) * factor;
  out[i] = (in == nullptr ? T(0) : in[i]) + static_cast<T>(sum) + T(flag ? 1 : 0);
}

// A thread may change its copy of an argument; no other thread sees it.
__global__ void own_copy_kernel(int* out, int value) {
  value += static_cast<int>(simt::thread_rank());
  simt::sync_block();
  out[simt::thread_rank()] = value;
}

__global__ void mark_kernel(int* out) { out[0] = 1; }

template <unsigned Bytes>
struct bytes_layout {
  unsigned char bytes[Bytes];
};

template <unsigned Bytes>
__global__ void use_last_byte_kernel(int* out) {
  bytes_layout<Bytes>& layout = simt::shared<bytes_layout<Bytes>>();
  if (simt::thread_rank() == 1) layout.bytes[Bytes - 1] = 77;
  simt::sync_block();  // orders the write above before the read below
  if (simt::thread_rank() == 0) out[0] = layout.bytes[Bytes - 1];
}

template <unsigned Bytes>
int last_byte() {
  buffer<int> out(1);
  rowfold::launch_config config;
  config.block_threads = 64;
  config.shared_bytes = Bytes;
  rowfold_test::require_success(rowfold::launch(use_last_byte_kernel<Bytes>, config, out.data()));
  rowfold_test::sync();
  return out.download()[0];
}

}  // namespace

TEST_CASE("arguments are converted to the kernel's parameter types") {
  constexpr unsigned threads = 40;
  buffer<float> in(threads), out(threads);
  in.upload(std::vector<float>(threads, 0.5f));
  large_argument more;
  for (int i = 0; i < 32; ++i) more.values[i] = i;
  rowfold::launch_config config;
  config.block_threads = threads;
  for (const bool with_input : {true, false}) {
    const cudaError_t status =
        with_input ? rowfold::launch(arguments_kernel<float>, config, in.data(), out.data(), 7, 2.0f, more, true)
                   : rowfold::launch(arguments_kernel<float>, config, nullptr, out.data(), 7, 2.0f, more, false);
    rowfold_test::require_success(status);
    rowfold_test::sync();
    for (unsigned i = 0; i < threads; ++i) {
      CHECK(out.download()[i] == 2.0f * static_cast<float>(7 + i % 32) + (with_input ? 1.5f : 0.0f));
    }
  }
}

TEST_CASE("every thread has its own copy of the arguments") {
  buffer<int> out(64);
  rowfold::launch_config config;
  config.block_threads = 64;
  rowfold_test::require_success(rowfold::launch(own_copy_kernel, config, out.data(), 100));
  rowfold_test::sync();
  for (int i = 0; i < 64; ++i) CHECK(out.download()[static_cast<std::size_t>(i)] == 100 + i);
}

TEST_CASE("an impossible configuration is refused and nothing runs") {
  buffer<int> out(1);
  out.fill_bytes(0);
  rowfold::launch_config good;
  rowfold::launch_config configs[] = {good, good, good, good, good};
  configs[0].grid_blocks = 0;
  configs[1].block_threads = 0;
  configs[2].block_threads = 1025;
  configs[3].shared_bytes = 228 * 1024;  // more than any block may have
  configs[4].grid_blocks = 3;
  configs[4].cluster_blocks = 2;
  for (const rowfold::launch_config& config : configs) {
    CAPTURE(config.grid_blocks, config.block_threads, config.shared_bytes, config.cluster_blocks);
    CHECK(rowfold::launch(mark_kernel, config, out.data()) != cudaSuccess);
#if defined(__CUDACC__)
    (void)cudaGetLastError();  // the test's to clear: launch leaves it
#endif
  }
  rowfold_test::sync();
  CHECK(out.download()[0] == 0);
  rowfold_test::require_success(rowfold::launch(mark_kernel, good, out.data()));
  rowfold_test::sync();
  CHECK(out.download()[0] == 1);
}

TEST_CASE("shared memory beyond 48 KB is opted in to") {
  CHECK(last_byte<48 * 1024>() == 77);
  CHECK(last_byte<48 * 1024 + 16>() == 77);
  rowfold::device_info device;
  rowfold_test::require_success(rowfold::current_device_info(device));
  if (device.shared_bytes_per_block >= 99 * 1024) CHECK(last_byte<99 * 1024>() == 77);
  if (device.shared_bytes_per_block >= 227 * 1024) CHECK(last_byte<227 * 1024>() == 77);
}

TEST_CASE("the current device's properties make sense") {
  rowfold::device_info device;
  rowfold_test::require_success(rowfold::current_device_info(device));
  CHECK(device.compute_major * 10 + device.compute_minor >= 75);
  CHECK(device.multiprocessors > 0);
  CHECK(device.max_threads_per_multiprocessor >= 1024);
  CHECK(device.shared_bytes_per_block > 48 * 1024);
  CHECK(device.shared_bytes_per_multiprocessor >= device.shared_bytes_per_block);
  CHECK(device.l2_bytes > 1024 * 1024);
  CHECK(device == device);
  CHECK(device != rowfold::device_info{});
}

#if defined(__CUDACC__)
TEST_CASE("a launch neither reads nor clears the caller's last error") {
  (void)cudaGetLastError();
  CHECK(cudaSetDevice(-1) != cudaSuccess);  // leaves its error behind
  const cudaError_t before = cudaPeekAtLastError();
  CHECK(before != cudaSuccess);
  buffer<int> out(1);
  rowfold::launch_config config;
  CHECK(rowfold::launch(mark_kernel, config, out.data()) == cudaSuccess);
  CHECK(cudaGetLastError() == before);
  rowfold_test::sync();
}

TEST_CASE("launches go to their stream and can be captured and replayed") {
  cudaStream_t stream = nullptr;
  rowfold_test::require_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  buffer<int> out(1);
  out.fill_bytes(0);
  rowfold::launch_config config;
  config.block_threads = 64;
  config.shared_bytes = 64 * 1024;
  config.stream = stream;
  config.programmatic = true;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  rowfold_test::require_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const cudaError_t launched = rowfold::launch(use_last_byte_kernel<64 * 1024>, config, out.data());
  rowfold_test::require_success(cudaStreamEndCapture(stream, &graph));
  rowfold_test::require_success(launched);
  rowfold_test::require_success(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(out.download()[0] == 0);
  rowfold_test::require_success(cudaGraphLaunch(executable, stream));
  rowfold_test::require_success(cudaStreamSynchronize(stream));
  CHECK(out.download()[0] == 77);
  rowfold_test::require_success(cudaGraphExecDestroy(executable));
  rowfold_test::require_success(cudaGraphDestroy(graph));
  rowfold_test::require_success(cudaStreamDestroy(stream));
}
#endif
