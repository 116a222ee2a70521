// SPDX-License-Identifier: MIT
// The arguments of an elementwise op and its plan: host values only, so that a .cpp file can make a plan that a .cu
// file launches. elementwise.cuh has the op.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/device_info.hpp"
#include "rowfold/launch/elementwise_plan.hpp"
#include "rowfold/memory/tensor_list.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// The numbers that are compiled into the kernels. A struct of the same form may be given to the op and its plan
// instead.
struct elementwise_tuning {
  // A multiple of 32 up to 512. An H200 starts a block in about 1.2 ns, whatever the block does: with 128 threads that
  // move few bytes each, that limits speed, and not memory. 512 were slightly slower.
  static constexpr int block_threads = 256;
  // Granules of a thread where a granule takes `loads` loads: two loads of 16 bytes on their way at once, from one
  // input or from two, were faster than four.
  static constexpr int vectors(int loads) { return loads >= 2 ? 1 : 2; }
  // Elements of a thread where each moves by itself: for elements of 2 bytes, 4 were slightly faster than 8 and 16, and
  // 2 much slower.
  static constexpr int elements = 4;
  // Fewer granules than that go one to a thread: an H200 runs that many threads at a time.
  static constexpr std::int64_t min_granules = 132 * 2048;
  // Loads use the first level of cache; stores may then be either, it is the same. What costs speed is loads that pass
  // by it or leave it first (L1::no_allocate, ld.global.cs) together with plain stores: 5 to 10 % on an H200,
  // of a kernel of a dozen lines in which nothing else is wrong (vector_add_plain in bench/elementwise_sweep.cu).
  static constexpr bool streaming_stores = false;
};

// outputs = function(inputs) for `count` elements. Pointers are to memory of the device that runs the op.
template <class Inputs, class Outputs>
struct elementwise_args {
  Inputs in{};    // inputs(a, b, ...): 1 to 4 arrays of `count` elements
  Outputs out{};  // outputs(y): 1 or 2 arrays; each may be one of the inputs (same pointer and element size)
  std::int64_t count = 0;
  elementwise_request request{};
  elementwise_plan plan{};  // made by plan_elementwise for these arguments, or unset: the launcher makes one
};

template <class Inputs, class Outputs>
elementwise_args(Inputs, Outputs, std::int64_t) -> elementwise_args<Inputs, Outputs>;

namespace detail {

// Loads, of 16 bytes at most, that one granule of all inputs takes.
template <class Inputs>
struct granule_loads;
template <class... Elements>
struct granule_loads<tensor_list<Elements...>> {
  static constexpr int of(int granule) {
    return (larger(granule * static_cast<int>(sizeof(Elements)) / 16, 1) + ... + 0);
  }
};

// Where the tensors lie: known while the problem is made, no part of it.
struct elementwise_places {
  std::uintptr_t address[elementwise_problem::max_tensors] = {};
};

inline void add_tensors(elementwise_problem&, elementwise_places&, const tensor_list<>&, const char* const*) {}
template <class First, class... Rest>
void add_tensors(elementwise_problem& problem, elementwise_places& places, const tensor_list<First, Rest...>& list,
                 const char* const* names) {
  const auto address = reinterpret_cast<std::uintptr_t>(list.first);
  places.address[problem.tensor_count] = address;
  elementwise_tensor& t = problem.tensors[problem.tensor_count++];
  t.name = *names;
  t.element_bytes = static_cast<int>(sizeof(First));
  t.misalignment = static_cast<unsigned>(address & 15u);
  add_tensors(problem, places, list.rest, names + 1);
}

// What is wrong with tensor i, an output from `first_output` on.
inline elementwise_reason tensor_fault(const elementwise_problem& problem, const elementwise_places& places, int i,
                                       int first_output) {
  const auto bytes = [&](int k) {
    return static_cast<std::uintptr_t>(problem.count * problem.tensors[k].element_bytes);
  };
  const elementwise_tensor& t = problem.tensors[i];
  if (places.address[i] == 0) return elementwise_reason::refused_null_pointer;
  if (t.misalignment % static_cast<unsigned>(t.element_bytes) != 0) {
    return elementwise_reason::refused_misaligned_element;
  }
  for (int k = 0; i >= first_output && k < i; ++k) {
    const bool same = k < first_output && places.address[k] == places.address[i] &&
                      problem.tensors[k].element_bytes == t.element_bytes;
    const bool apart =
        places.address[k] + bytes(k) <= places.address[i] || places.address[i] + bytes(i) <= places.address[k];
    if (!same && !apart) return elementwise_reason::refused_overlap;
  }
  return elementwise_reason::none;
}

}  // namespace detail

// What an elementwise op asks for, without its pointers.
template <class Tuning = elementwise_tuning, class Inputs, class Outputs>
elementwise_problem describe_elementwise(const elementwise_args<Inputs, Outputs>& args) {
  static_assert(Inputs::size >= 1 && Inputs::size <= 4, "an elementwise op has 1 to 4 inputs");
  static_assert(Outputs::size >= 1 && Outputs::size <= 2, "an elementwise op has 1 or 2 outputs");
  static constexpr const char* input_names[] = {"first input", "second input", "third input", "fourth input"};
  static constexpr const char* output_names[] = {"first output", "second output"};
  elementwise_problem problem;
  problem.count = args.count;
  problem.granule = elementwise_granule<Inputs, Outputs>;
  problem.vectors = Tuning::vectors(detail::granule_loads<Inputs>::of(problem.granule));
  problem.elements = Tuning::elements;
  problem.block_threads = Tuning::block_threads;
  problem.min_granules = Tuning::min_granules;
  detail::elementwise_places places;
  detail::add_tensors(problem, places, args.in, input_names);
  detail::add_tensors(problem, places, args.out, output_names);
  if (args.count <= 0 || args.count > elementwise_problem::max_count) return problem;
  for (int i = 0; i < problem.tensor_count && problem.fault == elementwise_reason::none; ++i) {
    problem.fault = detail::tensor_fault(problem, places, i, Inputs::size);
    if (problem.fault != elementwise_reason::none) problem.fault_tensor = problem.tensors[i].name;
  }
  return problem;
}

// The plan of an elementwise op: pure, needs no GPU. `device` decides whether a call fits into L2. The launcher does
// exactly what it says.
template <class Tuning = elementwise_tuning, class Inputs, class Outputs>
elementwise_plan plan_elementwise(const elementwise_args<Inputs, Outputs>& args, const device_info& device) {
  return make_elementwise_plan(describe_elementwise<Tuning>(args), device, args.request);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold
