// SPDX-License-Identifier: MIT
// Plans of elementwise ops: which tensors are in phase, how elements are split, 64-bit counts, refusals, and their
// words. No memory is touched: the addresses are made up.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "rowfold/elementwise.hpp"
#include "rowfold/launch/elementwise_plan_string.hpp"
#include "support/check.hpp"

using namespace rowfold;

namespace {

// Tensor number `tensor` at `bytes` behind a multiple of 16; tensors are 2^58 bytes apart.
template <class T>
T* made_up(int tensor, unsigned bytes = 0) {
  return reinterpret_cast<T*>((static_cast<std::uintptr_t>(tensor + 1) << 58) + bytes);
}

// a + b, each pointer so many bytes off.
template <class A, class B, class Y>
auto add_args(std::int64_t count, unsigned a, unsigned b, unsigned y) {
  return elementwise_args{inputs(made_up<A>(0, a), made_up<B>(1, b)), outputs(made_up<Y>(2, y)), count};
}

template <class Args>
elementwise_plan plan_of(const Args& args) {
  return plan_elementwise(args, device_info{});
}

// Head, granules and tail are all the elements, and blocks cover the granules exactly once.
void check_split(const elementwise_plan& plan) {
  INFO(to_string(plan));
  CHECK(plan.head + plan.granules * plan.granule + plan.tail == plan.problem.count);
  CHECK(plan.head >= 0);
  CHECK(plan.tail >= 0);
  CHECK(plan.head < plan.problem.granule);
  CHECK(plan.tail < plan.granule);
  const std::int64_t threads = plan.block_threads;
  const std::int64_t whole = static_cast<std::int64_t>(plan.whole_blocks) * threads * plan.vectors;
  const std::int64_t capacity = whole + static_cast<std::int64_t>(plan.grid_blocks - plan.whole_blocks) * threads;
  CHECK(whole <= plan.granules);
  CHECK(capacity >= plan.granules);
  CHECK(capacity - plan.granules < (plan.granules == 0 ? threads + 1 : threads));
}

}  // namespace

TEST_CASE("tensors are in phase where all reach 16 bytes after the same number of elements") {
  for (unsigned a = 0; a < 16; a += 2) {
    for (unsigned y = 0; y < 16; y += 2) {
      const elementwise_plan plan = plan_of(add_args<__half, __half, __half>(1000, a, a, y));
      check_split(plan);
      CHECK((plan.access == elementwise_access::vectors) == (a == y));
      if (a == y) {
        CHECK(plan.reason == elementwise_reason::in_phase);
        CHECK(plan.head == static_cast<int>((16 - a) % 16 / 2));
        CHECK(plan.granule == 8);
      } else {
        CHECK(plan.reason == elementwise_reason::out_of_phase);
        CHECK(std::string(plan.tensor) == "first output");
        CHECK(plan.granule == 1);
      }
    }
  }
}

TEST_CASE("tensors of several types are in phase where one head suits each of them") {
  // Granules of two elements of 2, 4 and 8 bytes, which are accesses of 4, 8 and 16 bytes.
  for (unsigned narrow = 0; narrow < 16; narrow += 2) {
    for (unsigned single = 0; single < 16; single += 4) {
      for (unsigned wide = 0; wide < 16; wide += 8) {
        const elementwise_plan plan = plan_of(add_args<__half, float, double>(1000, narrow, single, wide));
        const unsigned head = wide / 8;
        const bool in_phase = (narrow + 2 * head) % 4 == 0 && (single + 4 * head) % 8 == 0;
        INFO(narrow << ", " << single << " and " << wide << " bytes off");
        check_split(plan);
        CHECK((plan.access == elementwise_access::vectors) == in_phase);
        if (in_phase) {
          CHECK(plan.head == static_cast<int>(head));
          CHECK(plan.granule == 2);
        }
      }
    }
  }
  // Elements of 8 bytes alone: granules of two.
  CHECK(plan_of(add_args<double, double, double>(9, 8, 8, 8)).head == 1);
  CHECK(plan_of(add_args<double, double, double>(9, 8, 8, 8)).granules == 4);
  CHECK(plan_of(add_args<double, double, double>(9, 0, 8, 8)).access == elementwise_access::elements);
  CHECK(std::string(plan_of(add_args<double, double, double>(9, 0, 8, 8)).tensor) == "second input");
}

TEST_CASE("few elements are head and tail alone") {
  for (std::int64_t count = 1; count < 20; ++count) {
    for (unsigned bytes = 0; bytes < 16; bytes += 2) {
      const elementwise_plan plan = plan_of(add_args<__half, __half, __half>(count, bytes, bytes, bytes));
      check_split(plan);
      CHECK(plan.status == plan_status::ready);
      CHECK(plan.grid_blocks == 1);
    }
  }
}

TEST_CASE("threads get several granules from a number of granules on") {
  using tuning = elementwise_tuning;
  const std::int64_t border = tuning::min_granules * 4;  // elements of float
  const auto copy_of = [](std::int64_t count) {
    return plan_of(elementwise_args{inputs(made_up<float>(0)), outputs(made_up<float>(1)), count});
  };
  for (const std::int64_t more : {-5, -4, -1, 0, 1, 4, 1000, 4097}) check_split(copy_of(border + more));
  CHECK(copy_of(border - 1).whole_blocks == 0);
  CHECK(copy_of(border - 1).grid_blocks == (tuning::min_granules - 1) / tuning::block_threads + 1);
  CHECK(copy_of(border).vectors == 2);
  CHECK(copy_of(border).whole_blocks == tuning::min_granules / (tuning::block_threads * 2));
  // Several loads for one granule are enough for a thread.
  CHECK(plan_of(add_args<float, float, float>(border, 0, 0, 0)).vectors == 1);
  CHECK(plan_of(add_args<__half, double, float>(border, 0, 0, 0)).vectors == 1);
}

TEST_CASE("counts of 64 bits") {
  const std::int64_t two_to_32 = std::int64_t{1} << 32;
  for (const std::int64_t count : {two_to_32 - 1, two_to_32, two_to_32 + 1, 5 * two_to_32 + 3}) {
    for (const unsigned y : {0u, 2u}) {
      const elementwise_plan plan = plan_of(add_args<__half, __half, __half>(count, 0, 0, y));
      check_split(plan);
      CHECK(plan.minimal_bytes == 6 * count);
      CHECK(plan.issued_bytes == plan.minimal_bytes);
    }
  }
  // The border of the grid: 2^31 - 1 blocks.
  const auto blocks_of = [](std::int64_t blocks, std::int64_t more) {
    const auto base = plan_of(add_args<float, float, float>(1000000000, 0, 0, 4));
    return add_args<float, float, float>(blocks * base.block_threads * base.vectors + more, 0, 0, 4);
  };
  const elementwise_plan last = plan_of(blocks_of(0x7fffffff, 0));
  CHECK(last.status == plan_status::ready);
  CHECK(last.grid_blocks == 0x7fffffffu);
  check_split(last);
  const elementwise_plan beyond = plan_of(blocks_of(0x7fffffff, 1));
  CHECK(beyond.status == plan_status::refused);
  CHECK(beyond.reason == elementwise_reason::refused_too_many_elements);
  for (const std::int64_t count : {(std::int64_t{1} << 52) + 1, std::numeric_limits<std::int64_t>::max()}) {
    CHECK(plan_of(add_args<float, float, float>(count, 0, 0, 0)).reason ==
          elementwise_reason::refused_too_many_elements);
  }
}

TEST_CASE("requests") {
  auto args = add_args<float, float, float>(1000, 4, 4, 4);
  args.request.require_vectorized = true;
  CHECK(plan_of(args).status == plan_status::ready);
  args.out.first = made_up<float>(2, 8);
  const elementwise_plan refused = plan_of(args);
  CHECK(refused.status == plan_status::refused);
  CHECK(refused.reason == elementwise_reason::refused_out_of_phase);
  CHECK(to_string(refused).find("refused: first output: it is aligned after another") != std::string::npos);

  args = add_args<float, float, float>(1000, 4, 4, 4);
  args.request.elements = true;
  const elementwise_plan elements = plan_of(args);
  CHECK(elements.access == elementwise_access::elements);
  CHECK(elements.reason == elementwise_reason::asked_for);
  check_split(elements);
  args.request.require_vectorized = true;  // both cannot be had
  CHECK(plan_of(args).status == plan_status::refused);
}

TEST_CASE("what cannot be done is refused, with the tensor and the reason") {
  const auto expect = [](const auto& args, elementwise_reason reason, const std::string& words) {
    const elementwise_plan plan = plan_of(args);
    INFO(to_string(plan));
    CHECK(plan.status == plan_status::refused);
    CHECK(plan.reason == reason);
    CHECK(to_string(plan).find("refused: " + words) != std::string::npos);
    CHECK(to_label(plan).find(words) != std::string::npos);
  };
  for (const std::int64_t count : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
    expect(add_args<float, float, float>(count, 0, 0, 0), elementwise_reason::refused_count, "the number");
  }
  auto args = add_args<float, float, float>(1000, 0, 0, 0);
  args.in.first = nullptr;
  expect(args, elementwise_reason::refused_null_pointer, "first input: it is a null pointer");
  args = add_args<float, float, float>(1000, 0, 0, 0);
  args.in.rest.first = nullptr;
  expect(args, elementwise_reason::refused_null_pointer, "second input: it is a null pointer");
  args = add_args<float, float, float>(1000, 0, 0, 0);
  args.out.first = nullptr;
  expect(args, elementwise_reason::refused_null_pointer, "first output: it is a null pointer");
  expect(add_args<float, float, float>(1000, 0, 2, 0), elementwise_reason::refused_misaligned_element,
         "second input: its address");
  expect(add_args<float, double, float>(1000, 0, 4, 0), elementwise_reason::refused_misaligned_element,
         "second input: its address");
}

TEST_CASE("an output may be an input, and overlap nothing else") {
  float* const x = made_up<float>(0, 4096);
  const auto sum_of = [&](const float* a, const float* b, float* y) {
    return plan_of(elementwise_args{inputs(a, b), outputs(y), 1000});
  };
  CHECK(sum_of(x, made_up<float>(1), x).status == plan_status::ready);
  CHECK(sum_of(x, x, x).status == plan_status::ready);
  CHECK(sum_of(x, x + 1, x + 1001).status == plan_status::ready);  // inputs may overlap
  CHECK(sum_of(x, made_up<float>(1), x + 1000).status == plan_status::ready);
  CHECK(sum_of(x + 1000, made_up<float>(1), x).status == plan_status::ready);
  for (const int distance : {-999, -1, 1, 999}) {
    const elementwise_plan plan = sum_of(made_up<float>(1), x, x + distance);
    CHECK(plan.reason == elementwise_reason::refused_overlap);
    CHECK(std::string(plan.tensor) == "first output");
  }
  // The same place with elements of another size, and two outputs in one place.
  CHECK(plan_of(elementwise_args{inputs(made_up<const float>(0)), outputs(made_up<double>(0)), 10}).reason ==
        elementwise_reason::refused_overlap);
  const elementwise_plan twice = plan_of(elementwise_args{inputs(made_up<const float>(1)), outputs(x, x), 10});
  CHECK(twice.reason == elementwise_reason::refused_overlap);
  CHECK(std::string(twice.tensor) == "second output");
  // Of the same size, the types do not matter.
  CHECK(plan_of(elementwise_args{inputs(made_up<const __half>(0)), outputs(made_up<__nv_bfloat16>(0)), 10}).status ==
        plan_status::ready);
}

TEST_CASE("no elements: nothing to launch, whatever the pointers") {
  elementwise_args<tensor_list<const float>, tensor_list<float>> args;
  const elementwise_plan plan = plan_of(args);
  CHECK(plan.status == plan_status::nothing);
  CHECK(plan.reason == elementwise_reason::no_elements);
  CHECK(to_string(plan).find("nothing to launch: there are no elements") != std::string::npos);
  CHECK(to_label(plan) == "nothing: there are no elements");
}

TEST_CASE("plans print what will happen") {
  const std::string vectors = to_string(plan_of(add_args<__half, float, __half>(1000, 2, 4, 2)));
  CHECK(vectors.find("elementwise over 1000 elements of 3 tensors") == 0);
  CHECK(vectors.find("vectors of up to 16 bytes: all tensors are aligned after") != std::string::npos);
  CHECK(vectors.find("249 granules of 4, 3 elements before them and 1 behind") != std::string::npos);
  CHECK(vectors.find("launch: 1 blocks of ") != std::string::npos);
  CHECK(vectors.find("bytes: 8000 at least, 8000 issued") != std::string::npos);
  const std::string elements = to_string(plan_of(add_args<__half, float, __half>(1000, 2, 0, 2)));
  CHECK(elements.find("one element at a time: second input: it is aligned after another") != std::string::npos);
  CHECK(to_label(plan_of(add_args<float, float, float>(std::int64_t{1} << 28, 0, 0, 0)))
            .find("vectors of 4 elements x ") == 0);
}

TEST_CASE("plans of equal problems are equal, and of others are not") {
  const auto made = [](std::int64_t count, unsigned bytes) {
    return plan_of(add_args<float, float, float>(count, bytes, bytes, bytes));
  };
  CHECK(made(1000, 4) == made(1000, 4));
  CHECK(made(1000, 4) != made(1001, 4));
  CHECK(made(1000, 4) != made(1000, 8));
  CHECK(made(1000, 4).problem == made(1000, 4).problem);
  CHECK(made(1000, 4).problem != made(1000, 8).problem);
}

TEST_CASE("what is read in granules leaves L2 last where L2 cannot hold the call") {
  device_info device;
  device.compute_major = 8;
  const auto priority = [&device](const auto& args, int l2_bytes) {
    device.l2_bytes = l2_bytes;
    const elementwise_plan plan = plan_elementwise(args, device);
    CHECK(plan.status == plan_status::ready);
    const bool last = plan.input_priority == l2_priority::evict_last;
    CHECK((to_string(plan).find("L2: lines of what is read leave last") != std::string::npos) == last);
    CHECK((to_label(plan).find(", evict_last") != std::string::npos) == last);
    return plan.input_priority;
  };
  auto in_phase = add_args<float, float, float>(1000, 0, 0, 0);
  CHECK(priority(in_phase, 12000) == l2_priority::normal);
  CHECK(priority(in_phase, 11999) == l2_priority::evict_last);
  CHECK(priority(add_args<__half, float, float>(1000, 0, 0, 0), 1) == l2_priority::evict_last);
  CHECK(priority(in_phase, 0) == l2_priority::normal);  // not known
  CHECK(priority(add_args<float, float, float>(1000, 0, 4, 0), 1) == l2_priority::normal);
  in_phase.request.normal_priority = true;
  CHECK(priority(in_phase, 1) == l2_priority::normal);
  in_phase.request.normal_priority = false;
  device.compute_major = 7;
  CHECK(priority(in_phase, 1) == l2_priority::normal);
}
