// SPDX-License-Identifier: MIT
// Warp reductions: every width, every count of valid lanes, commuting, non-commuting and non-associative operators,
// types from 1 to 24 bytes; all lanes the same bits, and exactly the bits of the merge tree.
#include "rowfold/warp/warp_reduce.cuh"

#include <cstring>
#include <limits>
#include <vector>

#include "rowfold/folds/indexed.cuh"
#include "rowfold/folds/max_sum.cuh"
#include "rowfold/folds/maximum.cuh"
#include "rowfold/folds/moments.cuh"
#include "rowfold/folds/sum.cuh"
#include "support/check.hpp"
#include "support/merge_tree.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using rowfold::valid_lanes;
using rowfold_test::buffer;
using rowfold_test::merge_tree;

namespace {

// Neither commutative nor associative: any other tree or order of operands shows.
struct scramble {
  ROWFOLD_HOST_DEVICE unsigned operator()(unsigned a, unsigned b) const { return 3u * a + 5u * b + (a ^ (b >> 3)); }
};

enum class form { reduce, all_reduce, valid_reduce, valid_all_reduce, runtime, rolled };

template <int Width, form Form, class T, class Op>
struct reduce_body {
  Op op;
  int valid;
  const T* in;
  T* out;
  ROWFOLD_DEVICE void operator()() const {
    const T mine = in[rowfold::simt::thread_rank()];
    T result = mine;
    if constexpr (Form == form::reduce) {
      result = rowfold::warp_reduce<Width>(mine, op);
    } else if constexpr (Form == form::all_reduce) {
      result = rowfold::warp_all_reduce<Width>(mine, op);
    } else if constexpr (Form == form::valid_reduce) {
      result = rowfold::warp_reduce<Width>(mine, op, valid_lanes{valid});
    } else if constexpr (Form == form::valid_all_reduce) {
      result = rowfold::warp_all_reduce<Width>(mine, op, valid_lanes{valid});
    } else if constexpr (Form == form::runtime) {
      result = rowfold::warp_all_reduce_runtime(mine, op, Width);
    } else {
      result = rowfold::warp_all_reduce_runtime<1>(mine, op, Width);
    }
    out[rowfold::simt::thread_rank()] = result;
  }
};

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

// What each lane of a block of two warps gets.
template <int Width, form Form, class T, class Op>
std::vector<T> reduce(const std::vector<T>& lanes, const Op& op, int valid = Width) {
  buffer<T> in(lanes.size()), out(lanes.size());
  in.upload(lanes);
  rowfold_test::run(reduce_body<Width, Form, T, Op>{op, valid, in.data(), out.data()}, static_cast<int>(lanes.size()));
  CHECK(out.canaries_intact());
  return out.download();
}

// The tree computed on the device by one thread with the device's own operator, for operators that only exist there.
template <class T, class Op>
struct tree_body {
  Op op;
  const T* in;
  int count;
  T* out;
  ROWFOLD_DEVICE void operator()() const {
    T level[32] = {};
    for (int i = 0; i < count; ++i) level[i] = in[i];
    for (int n = count; n > 1; n = (n + 1) / 2) {
      for (int i = 0; i < n / 2; ++i) level[i] = op(level[2 * i], level[2 * i + 1]);
      if (n % 2 == 1) level[n / 2] = level[n - 1];
    }
    *out = level[0];
  }
};
template <class T, class Op>
T device_tree(const T* values, int count, const Op& op) {
  buffer<T> in(static_cast<std::size_t>(count)), out(1);
  in.upload({values, values + count});
  rowfold_test::run(tree_body<T, Op>{op, in.data(), count, out.data()});
  return out.download()[0];
}

constexpr int threads = 64;

template <int Width, class T, class Op>
void check_width(const std::vector<T>& lanes, const Op& op) {
  CAPTURE(Width);
  const auto reduced = reduce<Width, form::reduce>(lanes, op);
  const auto everywhere = reduce<Width, form::all_reduce>(lanes, op);
  const auto runtime = reduce<Width, form::runtime>(lanes, op);
  const auto rolled = reduce<Width, form::rolled>(lanes, op);
  for (int first = 0; first < threads; first += Width) {
    const T expected = device_tree(lanes.data() + first, Width, op);
    CAPTURE(first);
    CHECK(same_bits(reduced[static_cast<std::size_t>(first)], expected));
    for (int lane = first; lane < first + Width; ++lane) {
      const auto i = static_cast<std::size_t>(lane);
      if (!same_bits(everywhere[i], expected) || !same_bits(runtime[i], expected) || !same_bits(rolled[i], expected)) {
        CAPTURE(lane);
        REQUIRE(same_bits(everywhere[i], expected));
        REQUIRE(same_bits(runtime[i], expected));
      }
    }
  }
}

// A part of a warp and all of it: every width runs with `scramble` already.
template <class T, class Op>
void check_two_widths(const std::vector<T>& lanes, const Op& op) {
  check_width<8>(lanes, op);
  check_width<32>(lanes, op);
}

std::vector<unsigned> random_words() {
  std::mt19937_64 engine(rowfold_test::seed());
  std::vector<unsigned> words;
  for (int i = 0; i < threads; ++i) words.push_back(static_cast<unsigned>(engine()));
  return words;
}
template <class T>
std::vector<T> random_lanes() {
  return rowfold_test::random_values<T>(1, threads, rowfold_test::distribution::normal);
}

}  // namespace

TEST_CASE("the merge tree of the test and of the device agree") {
  const auto words = random_words();
  for (int count = 1; count <= 32; ++count) {
    CHECK(device_tree(words.data(), count, scramble{}) ==
          merge_tree(words.data(), static_cast<std::size_t>(count), scramble{}));
  }
}

TEST_CASE("any operator, every width: the merge tree's bits in every lane", "[race]") {
  const auto words = random_words();
  check_width<1>(words, scramble{});
  check_width<2>(words, scramble{});
  check_width<4>(words, scramble{});
  check_width<8>(words, scramble{});
  check_width<16>(words, scramble{});
  check_width<32>(words, scramble{});
}

TEST_CASE("sums, extrema and products of scalars of 1 to 8 bytes") {
  check_two_widths(random_lanes<float>(), rowfold::sum{});
  check_two_widths(random_lanes<double>(), rowfold::sum{});
  check_two_widths(random_lanes<__half>(), rowfold::sum{});
  check_two_widths(random_lanes<__nv_bfloat16>(), rowfold::maximum{});
  check_two_widths(random_lanes<float>(), rowfold::product{});
  std::vector<unsigned char> bytes;
  for (int i = 0; i < threads; ++i) bytes.push_back(static_cast<unsigned char>(i * 37 % 251));
  check_two_widths(bytes, rowfold::minimum{});
}

TEST_CASE("folds over structs of 8 to 24 bytes") {
  const auto x = random_lanes<float>();
  const auto wide = random_lanes<double>();
  std::vector<rowfold::indexed<float, int>> pairs;
  std::vector<rowfold::max_sum<float>> exponentials;
  std::vector<rowfold::moments<float>> counted;
  std::vector<rowfold::moments<double>> large(threads);  // 24 bytes: more than one shuffle moves
  std::memset(static_cast<void*>(large.data()), 0, large.size() * sizeof(large[0]));
  for (std::size_t i = 0; i < threads; ++i) {
    pairs.push_back({x[i / 2], static_cast<int>(i)});  // every value twice
    exponentials.push_back({x[i], 1.0f});
    counted.push_back({x[i], 0.25f, static_cast<int>(i % 3)});  // equal, unequal and empty counts meet
    large[i].mean = wide[i];
    large[i].count = static_cast<int>(1 + i % 5);
  }
  check_two_widths(pairs, rowfold::arg_max{});
  check_two_widths(pairs, rowfold::arg_min{});
  check_two_widths(exponentials, rowfold::merge_max_sum{});
  check_two_widths(counted, rowfold::merge_moments{});
  const auto merged = reduce<32, form::all_reduce>(large, rowfold::merge_moments{});
  const auto expected = device_tree(large.data(), 32, rowfold::merge_moments{});
  for (std::size_t i = 0; i < 32; ++i) {
    CHECK(merged[i].mean == expected.mean);
    CHECK(merged[i].m2 == expected.m2);
    CHECK(merged[i].count == expected.count);
  }
}

TEST_CASE("several values at once are reduced one by one") {
  using values = rowfold::vec<float, 4>;
  std::vector<values> lanes(threads);
  std::vector<float> columns[4];
  for (std::size_t i = 0; i < threads; ++i) {
    for (int k = 0; k < 4; ++k) {
      lanes[i][k] = static_cast<float>(i * 7 % 13) * (static_cast<float>(k) + 0.1f);
      columns[k].push_back(lanes[i][k]);
    }
  }
  const auto together = reduce<16, form::all_reduce>(lanes, rowfold::sum{});
  const auto partly = reduce<16, form::valid_all_reduce>(lanes, rowfold::sum{}, 5);
  for (int k = 0; k < 4; ++k) {
    const auto alone = reduce<16, form::all_reduce>(columns[k], rowfold::sum{});
    const auto alone_partly = reduce<16, form::valid_all_reduce>(columns[k], rowfold::sum{}, 5);
    for (std::size_t i = 0; i < threads; ++i) {
      CHECK(together[i][k] == alone[i]);
      CHECK(partly[i][k] == alone_partly[i]);
    }
  }
}

namespace {

// Only the first `valid` lanes count; the others hold values that would show.
template <int Width>
void check_valid_counts() {
  for (int valid = 1; valid <= Width; ++valid) {
    CAPTURE(Width, valid);
    const auto words = random_words();
    auto floats = random_lanes<float>();
    for (int lane = 0; lane < threads; ++lane) {
      if (lane % Width >= valid) floats[static_cast<std::size_t>(lane)] = std::numeric_limits<float>::quiet_NaN();
    }
    const auto reduced = reduce<Width, form::valid_reduce>(words, scramble{}, valid);
    const auto everywhere = reduce<Width, form::valid_all_reduce>(words, scramble{}, valid);
    const auto sums = reduce<Width, form::valid_all_reduce>(floats, rowfold::sum{}, valid);
    for (int first = 0; first < threads; first += Width) {
      const auto i = static_cast<std::size_t>(first);
      const unsigned expected = merge_tree(&words[i], static_cast<std::size_t>(valid), scramble{});
      CHECK(reduced[i] == expected);
      CHECK(std::vector<unsigned>(&everywhere[i], &everywhere[i] + Width) == std::vector<unsigned>(Width, expected));
      const float sum = device_tree(&floats[i], valid, rowfold::sum{});
      CHECK(std::vector<float>(&sums[i], &sums[i] + Width) == std::vector<float>(Width, sum));
    }
  }
}

}  // namespace

TEST_CASE("lanes beyond the valid count are never looked at") {
  check_valid_counts<1>();
  check_valid_counts<2>();
  check_valid_counts<4>();
  check_valid_counts<8>();
  check_valid_counts<16>();
  check_valid_counts<32>();
}

namespace {
// Logical warps that part: those of odd rank do not call at all.
struct parted_body {
  const unsigned* in;
  unsigned* out;
  ROWFOLD_DEVICE void operator()() const {
    const unsigned thread = rowfold::simt::thread_rank();
    unsigned result = 0;
    if (thread / 8 % 2 == 0) {
      result = rowfold::warp_all_reduce<8>(in[thread], scramble{}, rowfold::logical_warp_mask<8>());
    }
    out[thread] = result;
  }
};
// A warp of 20 threads, named in the mask.
struct short_warp_body {
  const unsigned* in;
  unsigned* out;
  ROWFOLD_DEVICE void operator()() const {
    const unsigned thread = rowfold::simt::thread_rank();
    const rowfold::lane_mask mask{(1u << 20) - 1u};
    out[thread] = rowfold::warp_all_reduce(in[thread], scramble{}, valid_lanes{20}, mask);
  }
};
}  // namespace

TEST_CASE("logical warps that are named in their own mask need no other lanes") {
  const auto words = random_words();
  buffer<unsigned> in(words.size()), out(words.size());
  in.upload(words);
  rowfold_test::run(parted_body{in.data(), out.data()}, threads);
  const auto results = out.download();
  for (std::size_t i = 0; i < threads; ++i) {
    CHECK(results[i] == (i / 8 % 2 == 0 ? merge_tree(&words[i / 8 * 8], 8, scramble{}) : 0u));
  }
}

TEST_CASE("a warp with fewer than 32 threads reduces those it has") {
  auto words = random_words();
  words.resize(20);
  buffer<unsigned> in(words.size()), out(words.size());
  in.upload(words);
  rowfold_test::run(short_warp_body{in.data(), out.data()}, 20);
  CHECK(out.download() == std::vector<unsigned>(20, merge_tree(words, scramble{})));
}
