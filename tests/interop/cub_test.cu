// SPDX-License-Identifier: MIT
// The library's operators inside cub::WarpReduce and cub::BlockReduce, and both libraries' reductions of the same
// values: equal for integers, maximum, minimum and arg_max; within the bound for float sums, moments and the online
// softmax, which CUB merges in another order.
#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>

#include <cmath>
#include <limits>
#include <vector>

#include "rowfold/block/block_reduce.cuh"
#include "rowfold/folds/indexed.cuh"
#include "rowfold/folds/max_sum.cuh"
#include "rowfold/folds/maximum.cuh"
#include "rowfold/folds/moments.cuh"
#include "rowfold/folds/sum.cuh"
#include "rowfold/simt/shared.cuh"
#include "rowfold/warp/warp_reduce.cuh"
#include "support/check.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using rowfold_test::buffer;
using rowfold_test::distribution;
using rowfold_test::random_values;
using rowfold_test::to_double;

namespace {

namespace simt = rowfold::simt;

template <class T>
struct pair_of_results {
  T ours, cubs;
};

// Both libraries' reduction over one warp.
template <int Width, class T, class Op>
struct warp_body {
  Op op;
  const T* in;
  pair_of_results<T>* out;
  __device__ void operator()() const {
    using cub_reduce = cub::WarpReduce<T, Width>;
    auto& storage = simt::shared<typename cub_reduce::TempStorage>();
    const T mine = in[simt::thread_rank()];
    const T cubs = cub_reduce(storage).Reduce(mine, op);
    const T ours = rowfold::warp_reduce<Width>(mine, op, rowfold::logical_warp_mask<Width>());
    if (simt::thread_rank() == 0) *out = {ours, cubs};
  }
};

// Both libraries' reduction over one block.
template <int Threads, class T, class Op>
struct block_body {
  using cub_reduce = cub::BlockReduce<T, Threads>;
  using our_reduce = rowfold::block_reduce<T, Threads>;
  struct layout {
    typename cub_reduce::TempStorage cubs;
    typename our_reduce::TempStorage ours;
  };
  Op op;
  const T* in;
  pair_of_results<T>* out;
  __device__ void operator()() const {
    auto& storage = simt::shared<layout>();
    const T mine = in[simt::thread_rank()];
    const T cubs = cub_reduce(storage.cubs).Reduce(mine, op);
    const T ours = our_reduce(storage.ours).all_reduce(mine, op);
    if (simt::thread_rank() == 0) *out = {ours, cubs};
  }
};

template <class Body, class T>
pair_of_results<T> run_both(const std::vector<T>& values, std::size_t shared_bytes, Body body) {
  buffer<T> in(values.size());
  buffer<pair_of_results<T>> out(1);
  in.upload(values);
  body.in = in.data();
  body.out = out.data();
  rowfold_test::run(body, static_cast<int>(values.size()), shared_bytes);
  return out.download()[0];
}

template <int Width, class T, class Op>
pair_of_results<T> warp(const std::vector<T>& values, const Op& op) {
  return run_both<warp_body<Width, T, Op>, T>({values.begin(), values.begin() + Width},
                                              sizeof(typename cub::WarpReduce<T, Width>::TempStorage),
                                              warp_body<Width, T, Op>{op, nullptr, nullptr});
}
template <int Threads, class T, class Op>
pair_of_results<T> block(const std::vector<T>& values, const Op& op) {
  return run_both<block_body<Threads, T, Op>, T>({values.begin(), values.begin() + Threads},
                                                 sizeof(typename block_body<Threads, T, Op>::layout),
                                                 block_body<Threads, T, Op>{op, nullptr, nullptr});
}

// `check(results, number of values)` on results of a warp's part, a warp, and blocks with and without a full last warp.
template <class T, class Op, class Check>
void for_each_scope(const std::vector<T>& values, const Op& op, const Check& check) {
  check(warp<8>(values, op), 8);
  check(warp<32>(values, op), 32);
  check(block<33>(values, op), 33);
  check(block<180>(values, op), 180);
  check(block<256>(values, op), 256);
  check(block<1024>(values, op), 1024);
}

constexpr std::size_t most = 1024;  // values

}  // namespace

TEST_CASE("integers, maximum, minimum and arg_max: equal to CUB's result") {
  const auto floats = random_values<float>(1, most, distribution::normal);
  const auto integers = random_values<int>(1, most, distribution::integers);
  std::vector<rowfold::indexed<float, int>> pairs;
  for (std::size_t i = 0; i < most; ++i) pairs.push_back({static_cast<float>(integers[i]), static_cast<int>(i)});
  const auto equal = [](const auto& results, int count) {
    CAPTURE(count);
    CHECK(results.ours == results.cubs);
  };
  for_each_scope(integers, rowfold::sum{}, equal);
  for_each_scope(floats, rowfold::maximum{}, equal);
  for_each_scope(floats, rowfold::minimum{}, equal);
  for_each_scope(pairs, rowfold::arg_max{}, [](const auto& results, int count) {
    CAPTURE(count);
    CHECK(results.ours.value == results.cubs.value);
    CHECK(results.ours.index == results.cubs.index);
  });
}

TEST_CASE("float sums: both within the bound") {
  const auto values = random_values<float>(1, most, distribution::outlier);
  for_each_scope(values, rowfold::sum{}, [&](const auto& results, int count) {
    CAPTURE(count);
    double total = 0, magnitude = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      total += to_double(values[i]);
      magnitude += std::abs(to_double(values[i]));
    }
    // ceil(log2 lanes) + cols / lanes + 2 roundings, one column to a lane. CUB, too, merges in log2 steps in a warp,
    // and one warp after the other.
    const double ours = (std::ceil(std::log2(count)) + 3) * 0x1p-24 * magnitude;
    const double cubs = (5.0 + (count + 31) / 32 + 3) * 0x1p-24 * magnitude;
    CHECK(std::abs(to_double(results.ours) - total) <= ours);
    CHECK(std::abs(to_double(results.cubs) - total) <= cubs);
  });
}

TEST_CASE("moments and online softmax: both within the bound") {
  const auto values = random_values<float>(1, most, distribution::normal);
  std::vector<rowfold::moments<float>> counted;
  std::vector<rowfold::max_sum<float>> exponentials;
  for (const float x : values) {
    counted.push_back({x, 0.0f, 1});
    exponentials.push_back({x, 1.0f});
  }
  for_each_scope(counted, rowfold::merge_moments{}, [&](const auto& results, int count) {
    CAPTURE(count);
    double mean = 0, m2 = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) mean += to_double(values[i]) / count;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      m2 += (to_double(values[i]) - mean) * (to_double(values[i]) - mean);
    }
    for (const auto& result : std::vector<rowfold::moments<float>>{results.ours, results.cubs}) {
      CHECK(result.count == count);
      CHECK(std::abs(to_double(result.mean) - mean) <= 16 * 0x1p-24);  // of values around 1
      CHECK(std::abs(to_double(result.m2) - m2) <= 1e-5 * m2);
    }
  });
  for_each_scope(exponentials, rowfold::merge_max_sum{}, [&](const auto& results, int count) {
    CAPTURE(count);
    double largest = to_double(values[0]), sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) largest = std::max(largest, to_double(values[i]));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) sum += std::exp(to_double(values[i]) - largest);
    for (const auto& result : std::vector<rowfold::max_sum<float>>{results.ours, results.cubs}) {
      CHECK(to_double(result.max) == largest);
      // A rounding and an exponential per merge on the way up, each within 1 ulp; 32 warps one after the other in CUB.
      CHECK(std::abs(to_double(result.sum) - sum) <= (5 + 32) * 2 * 0x1p-23 * sum);
    }
  });
}
