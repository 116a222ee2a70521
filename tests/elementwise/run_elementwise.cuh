// SPDX-License-Identifier: MIT
// Running elementwise ops on tensors that lie in memory in a given way. An op under test is a struct:
//
//   using in = types<float, __half>;                     // of its inputs
//   using out = types<float>;                            // of its outputs
//   struct function { ... operator()(...) const; };      // what the library is given
//   static std::vector<double> expected(const std::vector<double>& x);    // x: one value of each input
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "rowfold/elementwise.cuh"
#include "rowfold/launch/elementwise_plan_string.hpp"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/either_priority.hpp"
#include "support/values.hpp"
#if !defined(__CUDACC__)
#include "rowfold/cpu/traffic.hpp"
#endif

namespace rowfold_test {

template <class... T>
struct types {
  static constexpr int size = sizeof...(T);
  template <class F>
  static void for_each(F&& f) {
    (f(T{}), ...);
  }
  using buffers = std::tuple<std::unique_ptr<buffer<T>>...>;
};

// Blocks small enough that a few thousand elements have whole blocks, single granules, head and tail.
struct small_tuning : rowfold::elementwise_tuning {
  static constexpr int block_threads = 64;
  static constexpr int vectors(int) { return 2; }
  static constexpr int elements = 3;
  static constexpr std::int64_t min_granules = 130;
};

// Where the tensors lie: elements from a 256-byte boundary, inputs first. One value alone counts for all.
struct tensor_places {
  std::vector<std::size_t> offsets = {0};
  bool in_place = false;  // output k is input k: same address
  rowfold::elementwise_request request{};

  std::size_t offset(std::size_t tensor) const { return offsets.size() == 1 ? offsets[0] : offsets[tensor]; }
};

// Bytes of a tensor's elements, to compare bits.
template <class T>
std::vector<unsigned char> bytes_of(const std::vector<T>& values) {
  std::vector<unsigned char> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// The memory of one call, and the call.
template <class Op, class Tuning = small_tuning>
class elementwise_call {
 public:
  using input_values = std::vector<std::vector<double>>;  // [inputs][count]

  elementwise_call(std::int64_t count, const tensor_places& places) : count_(count), places_(places) {
    allocate(in_, 0);
    allocate(out_, static_cast<std::size_t>(Op::in::size));
  }

  void upload(const input_values& values) {
    uploaded_.clear();
    std::size_t k = 0;
    std::apply([&](auto&... each) { (upload_one(*each, values[k++]), ...); }, in_);
  }

  auto arguments() {
    auto in = std::apply([](auto&... each) { return rowfold::inputs(each->data()...); }, in_);
    auto out = std::apply([](auto&... each) { return rowfold::outputs(each->data()...); }, out_);
    if (places_.in_place) {
      out.first = reinterpret_cast<decltype(out.first)>(std::get<0>(in_)->data());
      if constexpr (Op::out::size == 2) {
        out.rest.first = reinterpret_cast<decltype(out.rest.first)>(std::get<1>(in_)->data());
      }
    }
    rowfold::elementwise_args args{in, out, count_};
    args.request = places_.request;
    return args;
  }

  // Runs it; the bytes of each output. Requires success, that no other byte has changed, and on the CPU that exactly
  // the bytes that the plan speaks of are loaded and stored.
  std::vector<std::vector<unsigned char>> run(const typename Op::function& function = {}) {
    auto args = arguments();
    rowfold::device_info device;
    require_success(rowfold::current_device_info(device));
    const rowfold::elementwise_plan plan =
        plan_with_either_priority(rowfold::plan_elementwise<Tuning>(args, device), args);
    INFO(rowfold::to_string(plan));
#if !defined(__CUDACC__)
    const std::unique_ptr<rowfold::cpu::watched_range> everything =
        std::make_unique<rowfold::cpu::watched_range>(nullptr, ~std::size_t{0} >> 1);
#endif
    require_success(rowfold::elementwise<Tuning>(function, args));
#if !defined(__CUDACC__)
    CHECK(everything->loaded_bytes() + everything->stored_bytes() == static_cast<std::uint64_t>(plan.issued_bytes));
#endif
    sync();
    std::vector<std::vector<unsigned char>> results;
    std::size_t k = 0;
    std::apply([&](auto&... each) { (check_input(*each, k++, results), ...); }, in_);
    std::apply([&](auto&... each) { (check_output(*each, results), ...); }, out_);
    return results;
  }

 private:
  template <class Buffers>
  void allocate(Buffers& buffers, std::size_t first) {
    std::size_t k = first;
    std::apply(
        [&](auto&... each) {
          ((each = std::make_unique<typename std::decay_t<decltype(each)>::element_type>(
                static_cast<std::size_t>(count_), places_.offset(k++))),
           ...);
        },
        buffers);
  }

  template <class T>
  void upload_one(buffer<T>& to, const std::vector<double>& values) {
    std::vector<T> rounded;
    for (const double value : values) rounded.push_back(from_double<T>(value));
    to.upload(rounded);
    uploaded_.push_back(bytes_of(rounded));
  }

  template <class T>
  void check_input(const buffer<T>& input, std::size_t k, std::vector<std::vector<unsigned char>>& results) const {
    CHECK(input.canaries_intact());
    const std::vector<unsigned char> now = bytes_of(input.download());
    if (places_.in_place && k < static_cast<std::size_t>(Op::out::size)) {
      results.push_back(now);
    } else {
      CHECK(now == uploaded_[k]);
    }
  }

  template <class T>
  void check_output(const buffer<T>& output, std::vector<std::vector<unsigned char>>& results) const {
    CHECK(output.canaries_intact());
    const std::vector<unsigned char> now = bytes_of(output.download());
    if (places_.in_place) {
      CHECK(now == std::vector<unsigned char>(now.size(), 0xFF));
    } else {
      results.push_back(now);
    }
  }

  std::int64_t count_;
  tensor_places places_;
  typename Op::in::buffers in_;
  typename Op::out::buffers out_;
  std::vector<std::vector<unsigned char>> uploaded_;
};

// One list of values for each input of Op: `kind` for all.
template <class Op>
std::vector<std::vector<double>> random_inputs(std::int64_t count, distribution kind) {
  std::vector<std::vector<double>> values;
  Op::in::for_each([&](auto zero) {
    using T = decltype(zero);
    values.push_back(to_double(random_values<T>(1, static_cast<std::size_t>(count), kind, values.size())));
  });
  return values;
}

// The bytes of each output, from Op::expected, rounded once to the output's type.
template <class Op>
std::vector<std::vector<unsigned char>> expected_bytes(const std::vector<std::vector<double>>& inputs) {
  std::vector<std::vector<double>> results(static_cast<std::size_t>(Op::out::size));
  for (std::size_t i = 0; i < inputs[0].size(); ++i) {
    std::vector<double> x;
    for (const std::vector<double>& input : inputs) x.push_back(input[i]);
    const std::vector<double> y = Op::expected(x);
    for (std::size_t k = 0; k < results.size(); ++k) results[k].push_back(y[k]);
  }
  std::vector<std::vector<unsigned char>> bytes;
  Op::out::for_each([&](auto zero) {
    using T = decltype(zero);
    std::vector<T> rounded;
    for (const double value : results[bytes.size()]) rounded.push_back(from_double<T>(value));
    bytes.push_back(bytes_of(rounded));
  });
  return bytes;
}

}  // namespace rowfold_test
