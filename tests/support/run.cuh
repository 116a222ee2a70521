// SPDX-License-Identifier: MIT
// run: executes a body (a struct with a device operator()) in a kernel and waits for it, on either back end. Tests of
// device functions are such bodies, so that none of them needs a kernel of its own.
#pragma once

#include <cstddef>
#include <vector>

#include "rowfold/config.hpp"
#include "rowfold/launch/launch.cuh"
#include "rowfold/simt/thread.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"

namespace rowfold_test {

template <class Body>
__global__ void body_kernel(Body body) {
  body();
}

// Runs `body` in every thread of `blocks` blocks; requires that the launch and the run succeed.
template <class Body>
void run(const Body& body, int block_threads = 1, std::size_t shared_bytes = 0, int blocks = 1) {
  rowfold::launch_config config;
  config.grid_blocks = static_cast<unsigned>(blocks);
  config.block_threads = static_cast<unsigned>(block_threads);
  config.shared_bytes = static_cast<unsigned>(shared_bytes);
  require_success(rowfold::launch(body_kernel<Body>, config, body));
  sync();
}

template <class Function, class In, class Out>
struct map_body {
  Function function;
  const In* in;
  Out* out;
  std::size_t count;
  ROWFOLD_DEVICE void operator()() const {
    const std::size_t threads = rowfold::simt::block_threads();
    for (std::size_t i = rowfold::simt::thread_rank(); i < count; i += threads) out[i] = function(in[i]);
  }
};

// function(in[i]) for every i, computed on the device by one block.
template <class Out, class Function, class In>
std::vector<Out> map_on_device(Function function, const std::vector<In>& in) {
  buffer<In> input(in.size());
  buffer<Out> output(in.size());
  input.upload(in);
  // The CPU executor gains nothing from more threads.
  run(map_body<Function, In, Out>{function, input.data(), output.data(), in.size()}, on_cpu ? 1 : 1024);
  REQUIRE(output.canaries_intact());
  return output.download();
}

}  // namespace rowfold_test
