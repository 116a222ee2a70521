// SPDX-License-Identifier: MIT
// What the schedules and the NaN filling of shared memory are for: kernels that lack a barrier give different results
// under different schedules, and their repaired versions the same one under all.
#include <cmath>
#include <cstring>
#include <vector>

#include "cpu/broken.hpp"

using namespace rowfold_test;

namespace {

constexpr unsigned threads = 128;
struct floats {
  float slot[threads];
};

// The sum over the block through shared memory, twice through the same storage, with both barriers, or one left out.
struct two_block_sums {
  bool write_before_read, read_before_write;
  std::vector<float>* results;

  void operator()() const {
    floats& shared = simt::shared<floats>();
    const unsigned rank = simt::thread_rank();
    float sum = static_cast<float>(rank);
    for (int turn = 0; turn < 2; ++turn) {
      shared.slot[rank] = sum;
      if (write_before_read) simt::sync_block();  // orders the writes before the reads
      sum = 0;
      for (unsigned i = 0; i < threads; ++i) sum += shared.slot[i] / threads;
      if (read_before_write) simt::sync_block();  // orders the reads before the next turn's writes
    }
    (*results)[rank] = sum;
  }
};

// Each lane takes over its neighbour's value, twice, with a shuffle between that orders no memory.
struct pass_on {
  int step;  // 1: from the lane above, 31: from the one below
  bool synchronised;
  std::vector<float>* results;

  void operator()() const {
    floats& shared = simt::shared<floats>();
    const unsigned lane = simt::lane();
    float value = static_cast<float>(lane);
    for (int turn = 0; turn < 2; ++turn) {
      if (synchronised) simt::sync_warp();  // orders the last turn's reads before the writes
      shared.slot[lane] = value;
      if (synchronised) simt::sync_warp();  // orders the writes before the reads
      value = shared.slot[(lane + static_cast<unsigned>(step)) % 32];
    }
    (*results)[lane] = value;
  }
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// In how many of the schedules the result is not `right`, and how many NaN the forward schedule gives.
struct outcome {
  unsigned wrong = 0;
  unsigned forward_nans = 0;
};
template <class MakeBody>
outcome run_under_every_schedule(const shape& size, const std::vector<float>& right, const MakeBody& make_body) {
  outcome found;
  for (const named_schedule& each : all_schedules()) {
    const under schedule(each.order);
    std::vector<float> results(size.threads);
    REQUIRE(run_kernel(size, make_body(&results)) == cudaSuccess);
    if (!same_bits(results, right)) ++found.wrong;
    if (std::string(each.name) != "forward") continue;
    for (const float result : results) found.forward_nans += std::isnan(result) ? 1 : 0;
  }
  return found;
}

const shape block_shape{threads, 1, sizeof(floats)};
const shape warp_shape{32, 1, sizeof(floats)};
const std::vector<float> block_sum(threads, (threads - 1) / 2.0f);

std::vector<float> passed_on(unsigned step) {
  std::vector<float> values(32);
  for (unsigned lane = 0; lane < 32; ++lane) values[lane] = static_cast<float>((lane + 2 * step) % 32);
  return values;
}

}  // namespace

TEST_CASE("a missing barrier between write and read shows as NaN, and in every schedule") {
  const auto broken = [](std::vector<float>* results) { return two_block_sums{false, true, results}; };
  const outcome found = run_under_every_schedule(block_shape, block_sum, broken);
  CHECK(found.wrong == all_schedules().size());
  CHECK(found.forward_nans > 0);
}

TEST_CASE("storage used again without a barrier shows in most schedules") {
  const auto broken = [](std::vector<float>* results) { return two_block_sums{true, false, results}; };
  const outcome found = run_under_every_schedule(block_shape, block_sum, broken);
  CHECK(found.wrong >= all_schedules().size() / 2);
  CHECK(found.forward_nans == 0);  // wrong values, but none that gives itself away
}

TEST_CASE("a missing sync_warp shows in some schedule, whichever way the lanes read") {
  for (const int step : {1, 31}) {
    CAPTURE(step);
    const auto broken = [&](std::vector<float>* results) { return pass_on{step, false, results}; };
    CHECK(run_under_every_schedule(warp_shape, passed_on(static_cast<unsigned>(step)), broken).wrong > 0);
  }
}

TEST_CASE("with their barriers the same kernels are right under every schedule") {
  const auto sums = [](std::vector<float>* results) { return two_block_sums{true, true, results}; };
  const outcome of_sums = run_under_every_schedule(block_shape, block_sum, sums);
  CHECK(of_sums.wrong == 0);
  CHECK(of_sums.forward_nans == 0);
  for (const int step : {1, 31}) {
    const auto passing = [&](std::vector<float>* results) { return pass_on{step, true, results}; };
    CHECK(run_under_every_schedule(warp_shape, passed_on(static_cast<unsigned>(step)), passing).wrong == 0);
  }
}

TEST_CASE("shared memory starts as NaN in every block") {
  unsigned nans = 0;
  CHECK(run_kernel({threads, 3, sizeof(floats)}, [&] {
          floats& shared = simt::shared<floats>();
          nans += std::isnan(shared.slot[simt::thread_rank()]) ? 1 : 0;
          shared.slot[simt::thread_rank()] = 1;
        }) == cudaSuccess);
  CHECK(nans == 3 * threads);
}
