// SPDX-License-Identifier: MIT
//
// Owners of CUDA objects for benchmarks: device memory, a stream, an event, a graph. Every failure throws
// std::runtime_error with the name of the call; a benchmark turns it into SkipWithError. Host only.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace rowfold_bench {

/// Throws when a CUDA call did not succeed. `what` names the call.
inline void require(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
}

/// Device memory, freed at the end of its scope.
class device_memory {
 public:
  explicit device_memory(std::size_t bytes) : bytes_(bytes) { require(cudaMalloc(&data_, bytes), "cudaMalloc"); }
  ~device_memory() { static_cast<void>(cudaFree(data_)); }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  /// The memory as an array of T.
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A stream that does not synchronise with the default stream.
class device_stream {
 public:
  device_stream() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
  ~device_stream() { static_cast<void>(cudaStreamDestroy(stream_)); }
  device_stream(const device_stream&) = delete;
  device_stream& operator=(const device_stream&) = delete;

  cudaStream_t get() const { return stream_; }
  void synchronize() const { require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A timing event.
class device_event {
 public:
  device_event() { require(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~device_event() { static_cast<void>(cudaEventDestroy(event_)); }
  device_event(const device_event&) = delete;
  device_event& operator=(const device_event&) = delete;

  cudaEvent_t get() const { return event_; }
  void record(cudaStream_t stream) { require(cudaEventRecord(event_, stream), "cudaEventRecord"); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// The launches that `enqueue(stream)` makes, captured once and ready to be replayed.
class device_graph {
 public:
  template <class Enqueue>
  device_graph(cudaStream_t stream, const Enqueue& enqueue) {
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    cudaGraph_t graph = nullptr;
    try {
      enqueue(stream);
    } catch (...) {
      static_cast<void>(cudaStreamEndCapture(stream, &graph));  // leave the stream usable for the next benchmark
      if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
      throw;
    }
    require(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    const cudaError_t status = cudaGraphInstantiate(&executable_, graph, 0);
    static_cast<void>(cudaGraphDestroy(graph));
    require(status, "cudaGraphInstantiate");
  }
  ~device_graph() { static_cast<void>(cudaGraphExecDestroy(executable_)); }
  device_graph(const device_graph&) = delete;
  device_graph& operator=(const device_graph&) = delete;

  void launch(cudaStream_t stream) const { require(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch"); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace rowfold_bench
