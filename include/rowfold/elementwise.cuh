// SPDX-License-Identifier: MIT
// Elementwise ops: outputs = function(inputs), element by element, over 1 to 4 inputs and 1 or 2 outputs.
//
//   struct add {
//     ROWFOLD_DEVICE float operator()(float a, float b) const { return a + b; }
//   };
//   rowfold::elementwise(add{}, rowfold::inputs(a, b), rowfold::outputs(y), count, stream);
//
//   rowfold::elementwise_args args{rowfold::inputs(a, b), rowfold::outputs(y), count};   // plan requests, a plan made
//   rowfold::elementwise(add{}, args, stream);                                           // earlier
//
// Each input and output is `count` elements of float, __half, __nv_bfloat16 or double, each of a type of its own, or of
// an 8-bit type whose header (numeric/float8.cuh, ...) is included. The function is a value that is copied to the GPU:
// it may have members, and is called once for each element, in no order that it could rely on. It gets its arguments in
// one type (double where any input is double, else float) and returns float or double, or, for two outputs,
// rowfold::vec<float, 2> or vec<double, 2> with one element for each. Results are rounded once to their output's type,
// to nearest even.
//
// An output may be one of the inputs: same pointer, elements of the same size. An output that overlaps another tensor
// in any other way is refused. Every address and count works, 64-bit counts included. Tensors of one type that all
// reach a multiple of 16 bytes after the same number of elements move 16 bytes at a time, whatever that number is; of
// several types, 16 bytes of the widest and as many elements of the others at a time. Tensors that do not fit together
// so move element by element. An element's result does not depend on that.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_elementwise refuses (nothing is written; the plan says why), or
// the error of the device query or of the launch. count == 0 is success, and nothing is launched. Called from the host,
// with the stream's device current; nothing is allocated or synchronised, and the call may be captured in a graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/memory/packed.cuh"
#include "rowfold/memory/tensor_list.hpp"
#include "rowfold/memory/vec.cuh"
#include "rowfold/ptx/l2_policy.cuh"
#include "rowfold/simt/simt.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// How elements lie on granules: what the kernel needs of a plan.
struct elementwise_span {
  long long granules;
  long long whole_blocks;  // blocks whose threads do several granules each
  int head;                // elements before the first granule
  int tail;                // elements after the last one
  l2_priority priority;    // of what is read in granules
};

inline namespace ROWFOLD_BACKEND {

namespace detail {

// N neighbouring elements: one, or a granule, aligned to what one access moves. Coherent: an output may be an input.
template <int N, class T>
ROWFOLD_DEVICE packed<T, N> load_packed(const T* address, l2_policy policy) {
  if constexpr (N == 1) {
    packed<T, 1> value{};
    put_element(value, 0, load_global<static_cast<int>(sizeof(T)), load_hint::coherent>(address));
    return value;
  } else {
    return load_chunks<load_hint::coherent, N>(address, policy);
  }
}

// N elements of each tensor of a list, as they lie in memory.
template <int N, class List>
struct loaded_elements {};
template <int N, class T, class... Rest>
struct loaded_elements<N, tensor_list<const T, Rest...>> {
  packed<T, N> first;
  loaded_elements<N, tensor_list<Rest...>> rest;
};

template <int N>
ROWFOLD_DEVICE void load_each(loaded_elements<N, tensor_list<>>&, const tensor_list<>&, long long, l2_policy) {}
template <int N, class T, class... Rest>
ROWFOLD_DEVICE void load_each(loaded_elements<N, tensor_list<const T, Rest...>>& to,
                              const tensor_list<const T, Rest...>& from, long long at, l2_policy policy) {
  to.first = load_packed<N>(from.first + at, policy);
  load_each(to.rest, from.rest, at, policy);
}

// N values for each of Count tensors.
template <class Compute, int N, int Count>
struct computed_elements {
  using value_type = Compute;
  static constexpr int elements = N;
  vec<Compute, N> of[Count];
};

template <int Index, int N, class Values>
ROWFOLD_DEVICE void widen_each(Values&, const loaded_elements<N, tensor_list<>>&) {}
template <int Index, int N, class Values, class T, class... Rest>
ROWFOLD_DEVICE void widen_each(Values& to, const loaded_elements<N, tensor_list<const T, Rest...>>& from) {
  to.of[Index] = convert_values<typename Values::value_type>(widen(from.first));
  widen_each<Index + 1>(to, from.rest);
}

template <int Index, store_hint Hint, class Values>
ROWFOLD_DEVICE void store_each(const tensor_list<>&, long long, const Values&) {}
template <int Index, store_hint Hint, class Values, class T, class... Rest>
ROWFOLD_DEVICE void store_each(const tensor_list<T, Rest...>& to, long long at, const Values& from) {
  constexpr int n = Values::elements;
  store_granule<granule_access::full, Hint, n>(to.first + at, n, 0, narrow<T>(from.of[Index]));
  store_each<Index + 1, Hint>(to.rest, at, from);
}

}  // namespace detail

// The op as the kernel receives it: what to load, what to call, where to store. A thread does its elements alone.
template <class Function, class Inputs, class Outputs>
struct elementwise_work {
  using compute = compute_type<Inputs>;
  template <int N>
  using loaded = detail::loaded_elements<N, Inputs>;

  Function function;
  Inputs in;
  Outputs out;

  // Elements [at, at + N) of each input. Where N is not 1, they are a granule: element `at` of each tensor is at a
  // multiple of N elements' bytes or of 16, whichever is less.
  template <int N>
  ROWFOLD_DEVICE loaded<N> load(long long at, l2_policy policy) const {
    loaded<N> values;
    detail::load_each(values, in, at, policy);
    return values;
  }

  // The function of each of them, stored.
  template <store_hint Hint, int N>
  ROWFOLD_DEVICE void store(long long at, const loaded<N>& from) const {
    detail::computed_elements<compute, N, Inputs::size> values;
    detail::widen_each<0>(values, from);
    using result = decltype(call(values, 0));
    if constexpr (Outputs::size == 1) {
      static_assert(is_accumulate_type<result>, "for one output, the function returns float or double");
      detail::computed_elements<result, N, 1> results;
      ROWFOLD_UNROLL
      for (int i = 0; i < N; ++i) results.of[0][i] = call(values, i);
      detail::store_each<0, Hint>(out, at, results);
    } else {
      static_assert(is_same<result, vec<float, 2>> || is_same<result, vec<double, 2>>,
                    "for two outputs, the function returns vec<float, 2> or vec<double, 2>");
      detail::computed_elements<typename result::value_type, N, 2> results;
      ROWFOLD_UNROLL
      for (int i = 0; i < N; ++i) {
        const result both = call(values, i);
        results.of[0][i] = both[0];
        results.of[1][i] = both[1];
      }
      detail::store_each<0, Hint>(out, at, results);
    }
  }

 private:
  template <class Values>
  ROWFOLD_DEVICE auto call(const Values& v, int i) const {
    if constexpr (Inputs::size == 1) {
      return function(v.of[0][i]);
    } else if constexpr (Inputs::size == 2) {
      return function(v.of[0][i], v.of[1][i]);
    } else if constexpr (Inputs::size == 3) {
      return function(v.of[0][i], v.of[1][i], v.of[2][i]);
    } else {
      return function(v.of[0][i], v.of[1][i], v.of[2][i], v.of[3][i]);
    }
  }
};

// What is compiled into a kernel: elements of a granule, granules of a thread, threads of a block.
template <int Granule, int Vectors, int BlockThreads, store_hint Hint>
struct elementwise_tile {
  static_assert(BlockThreads % 32 == 0 && BlockThreads >= 32 && BlockThreads <= 512,
                "whole warps, at most 512 threads");
  static constexpr int granule = Granule;
  static constexpr int vectors = Vectors;
  static constexpr int block_threads = BlockThreads;
  static constexpr store_hint hint = Hint;
  // What the 65536 registers of a multiprocessor leave each thread of one block: a limit for functions that need many.
  static constexpr int max_registers = 65536 / BlockThreads < 255 ? 65536 / BlockThreads : 255;
};

// A one-shot grid: first blocks whose threads each do Tile::vectors granules, all of them loaded before the first is
// used, then blocks whose threads do one granule each, or none. The first block also does the elements of head and
// tail.
template <class Tile, class Work>
__global__ void ROWFOLD_MAX_REGISTERS(Tile::max_registers) elementwise_kernel(elementwise_span span, Work work) {
  simt::wait_for_previous_grid();  // orders the previous grid's writes before all loads below
  simt::allow_next_grid();         // the next grid waits at its own top, so it may start at any time
  const l2_policy policy = make_l2_policy(span.priority);
  constexpr int granule = Tile::granule;
  const int thread = static_cast<int>(simt::thread_rank());
  const long long block = simt::block_rank();
  if (block < span.whole_blocks) {
    constexpr int step = Tile::block_threads * granule;  // a thread's granules lie a block's threads apart
    const long long at = span.head + block * (step * Tile::vectors) + thread * granule;
    typename Work::template loaded<granule> waiting[Tile::vectors];
    ROWFOLD_UNROLL
    for (int v = 0; v < Tile::vectors; ++v) waiting[v] = work.template load<granule>(at + v * step, policy);
    ROWFOLD_UNROLL
    for (int v = 0; v < Tile::vectors; ++v) work.template store<Tile::hint, granule>(at + v * step, waiting[v]);
  } else {
    const long long blocks_before =
        block + span.whole_blocks * (Tile::vectors - 1);  // in blocks of one granule a thread
    const long long index = blocks_before * Tile::block_threads + thread;
    const long long at = span.head + index * granule;
    if (index < span.granules) work.template store<Tile::hint, granule>(at, work.template load<granule>(at, policy));
  }
  if (granule > 1 && block == 0 && thread < span.head + span.tail) {
    const long long at = thread < span.head ? thread : thread + span.granules * granule;
    work.template store<Tile::hint, 1>(at, work.template load<1>(at, policy));
  }
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/elementwise.hpp"
#include "rowfold/launch/current_device.cuh"
#include "rowfold/launch/launch.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Launches an elementwise op as `plan` says, which must have been made for these arguments and this tuning.
template <class Tuning = elementwise_tuning, class Function, class Inputs, class Outputs>
[[nodiscard]] cudaError_t launch_elementwise(const Function& function, const elementwise_args<Inputs, Outputs>& args,
                                             const elementwise_plan& plan, cudaStream_t stream = nullptr) {
  constexpr int granule = elementwise_granule<Inputs, Outputs>;
  constexpr int vectors = Tuning::vectors(detail::granule_loads<Inputs>::of(granule));
  constexpr store_hint hint = Tuning::streaming_stores ? store_hint::streaming : store_hint::write_back;
  static_assert(2 * granule <= Tuning::block_threads, "one block has a thread for each element of head and tail");
  using work_type = elementwise_work<Function, Inputs, Outputs>;
  using vector_tile = elementwise_tile<granule, vectors, Tuning::block_threads, hint>;
  using element_tile = elementwise_tile<1, Tuning::elements, Tuning::block_threads, hint>;

  const elementwise_plan checked = check_elementwise_plan(plan, describe_elementwise<Tuning>(args));
  if (checked.status == plan_status::nothing) return cudaSuccess;
  if (checked.status != plan_status::ready) return cudaErrorInvalidValue;
  launch_config config;
  config.grid_blocks = checked.grid_blocks;
  config.block_threads = checked.block_threads;
  config.stream = stream;
  config.programmatic = args.request.programmatic;
  const elementwise_span span{checked.granules, checked.whole_blocks, checked.head, checked.tail,
                              checked.input_priority};
  const work_type work{function, args.in, args.out};
  return checked.access == elementwise_access::vectors
             ? launch(elementwise_kernel<vector_tile, work_type>, config, span, work)
             : launch(elementwise_kernel<element_tile, work_type>, config, span, work);
}

// outputs = function(inputs) as `args` describes: plan_elementwise for the current device (or args.plan), then the
// launch.
template <class Tuning = elementwise_tuning, class Function, class Inputs, class Outputs>
[[nodiscard]] cudaError_t elementwise(const Function& function, const elementwise_args<Inputs, Outputs>& args,
                                      cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_elementwise<Tuning>(function, args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_elementwise<Tuning>(function, args, plan_elementwise<Tuning>(args, device), stream);
}

// The same for `count` elements and no special wishes: elementwise(add{}, inputs(a, b), outputs(y), count, stream).
template <class Tuning = elementwise_tuning, class Function, class Inputs, class Outputs>
[[nodiscard]] cudaError_t elementwise(const Function& function, const Inputs& in, const Outputs& out,
                                      std::int64_t count, cudaStream_t stream = nullptr) {
  elementwise_args<Inputs, Outputs> args;
  args.in = in;
  args.out = out;
  args.count = count;
  return elementwise<Tuning>(function, args, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif
