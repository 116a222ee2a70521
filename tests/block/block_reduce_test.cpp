// SPDX-License-Identifier: MIT
// Block reductions: block sizes that are and are not multiples of 32, every count of valid threads that meets a border,
// the static and the run-time form; every thread the same bits, and exactly the bits of the merge tree.
#include "rowfold/block/block_reduce.cuh"

#include <cstring>
#include <limits>
#include <vector>

#include "rowfold/folds/indexed.cuh"
#include "rowfold/folds/max_sum.cuh"
#include "rowfold/folds/maximum.cuh"
#include "rowfold/folds/sum.cuh"
#include "rowfold/simt/shared.cuh"
#include "support/check.hpp"
#include "support/merge_tree.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using rowfold::block_reduce;
using rowfold_test::buffer;
using rowfold_test::merge_tree;

namespace {

// Neither commutative nor associative: any other tree or order of operands shows.
struct scramble {
  ROWFOLD_HOST_DEVICE unsigned operator()(unsigned a, unsigned b) const { return 3u * a + 5u * b + (a ^ (b >> 3)); }
};
// Exact in unsigned arithmetic, so that the merge order does not matter.
struct add {
  ROWFOLD_HOST_DEVICE unsigned operator()(unsigned a, unsigned b) const { return a + b; }
};

enum class form { all_reduce, reduce, valid_all_reduce, valid_reduce, runtime, compact };

template <int BlockThreads, form Form, class T, class Op>
struct reduce_body {
  Op op;
  int valid;
  const T* in;
  T* out;
  ROWFOLD_DEVICE void operator()() const {
    using reduction = block_reduce<T, BlockThreads>;
    auto& storage = rowfold::simt::shared<typename reduction::TempStorage>();
    const T mine = in[rowfold::simt::thread_rank()];
    T result = mine;
    if constexpr (Form == form::all_reduce) {
      result = reduction(storage).all_reduce(mine, op);
    } else if constexpr (Form == form::reduce) {
      result = reduction(storage).reduce(mine, op);
    } else if constexpr (Form == form::valid_all_reduce) {
      result = reduction(storage).all_reduce(mine, op, valid);
    } else if constexpr (Form == form::valid_reduce) {
      result = reduction(storage).reduce(mine, op, valid);
    } else if constexpr (Form == form::compact) {
      result = rowfold::detail::group_all_reduce_compact(mine, op, storage.partials, BlockThreads);
    } else {
      const int threads = static_cast<int>(rowfold::simt::block_threads());
      if constexpr (BlockThreads % 32 == 0) {
        result = rowfold::block_all_reduce<true>(mine, op, storage.partials, threads);
      } else {
        result = rowfold::block_all_reduce(mine, op, storage, threads);
      }
    }
    out[rowfold::simt::thread_rank()] = result;
  }
};

template <int BlockThreads, form Form, class T, class Op>
std::vector<T> reduce(const std::vector<T>& values, const Op& op, int valid = BlockThreads) {
  buffer<T> in(values.size()), out(values.size());
  in.upload(values);
  const std::size_t shared_bytes = sizeof(typename block_reduce<T, BlockThreads>::TempStorage);
  rowfold_test::run(reduce_body<BlockThreads, Form, T, Op>{op, valid, in.data(), out.data()}, BlockThreads,
                    shared_bytes);
  CHECK(out.canaries_intact());
  return out.download();
}

std::vector<unsigned> random_words(int count) {
  std::mt19937_64 engine(rowfold_test::seed());
  std::vector<unsigned> words;
  for (int i = 0; i < count; ++i) words.push_back(static_cast<unsigned>(engine()));
  return words;
}

// A check per block size: TEMPLATE_TEST_CASE over sizes as types.
template <int BlockThreads>
struct threads {
  static constexpr int count = BlockThreads;
};

}  // namespace

// One warp and less, its borders, two warps, warps in numbers that are no power of two, and last warps with fewer lanes
// than the block has warps (33, 65, 97, 993).
TEMPLATE_TEST_CASE("any operator, any block size: the merge tree's bits in every thread", "", threads<1>, threads<2>,
                   threads<31>, threads<32>, threads<33>, threads<63>, threads<64>, threads<65>, threads<96>,
                   threads<97>, threads<128>, threads<180>, threads<192>, threads<256>, threads<993>, threads<1023>,
                   threads<1024>) {
  constexpr int count = TestType::count;
  const auto words = random_words(count);
  const std::vector<unsigned> expected(words.size(), merge_tree(words, scramble{}));
  CHECK(reduce<count, form::all_reduce>(words, scramble{}) == expected);
  CHECK(reduce<count, form::runtime>(words, scramble{}) == expected);
  if constexpr (count % 32 == 0) CHECK(reduce<count, form::compact>(words, scramble{}) == expected);
  CHECK(reduce<count, form::reduce>(words, scramble{})[0] == expected[0]);
}

TEMPLATE_TEST_CASE("the sum of ones is the number of threads", "", threads<33>, threads<63>, threads<65>, threads<97>,
                   threads<180>, threads<192>, threads<1023>) {
  constexpr int count = TestType::count;
  const std::vector<float> ones(count, 1.0f);
  CHECK(reduce<count, form::all_reduce>(ones, rowfold::sum{}) == std::vector<float>(count, static_cast<float>(count)));
  // No identity creeps in: the maximum of negative numbers is negative.
  const std::vector<float> negative(count, -2.0f);
  CHECK(reduce<count, form::all_reduce>(negative, rowfold::maximum{}) == negative);
  CHECK(reduce<count, form::runtime>(negative, rowfold::maximum{}) == negative);
}

TEMPLATE_TEST_CASE("threads beyond the valid count are never looked at", "", threads<31>, threads<33>, threads<65>,
                   threads<128>, threads<180>, threads<192>) {
  constexpr int count = TestType::count;
  for (const int valid : {1, 2, 31, 32, 33, 63, 64, 65, 97, 127, 160, 161, 179, count - 1, count}) {
    if (valid > count) continue;
    CAPTURE(valid);
    auto words = random_words(count);
    const unsigned expected = merge_tree(words.data(), static_cast<std::size_t>(valid), scramble{});
    CHECK(reduce<count, form::valid_all_reduce>(words, scramble{}, valid) == std::vector<unsigned>(count, expected));
    CHECK(reduce<count, form::valid_reduce>(words, scramble{}, valid)[0] == expected);
    std::vector<float> floats(count, 1.0f);
    for (int i = valid; i < count; ++i) floats[static_cast<std::size_t>(i)] = std::numeric_limits<float>::quiet_NaN();
    CHECK(reduce<count, form::valid_all_reduce>(floats, rowfold::sum{}, valid) ==
          std::vector<float>(count, static_cast<float>(valid)));
  }
}

TEST_CASE("a block of 2^k threads merges like a logical warp of 2^k lanes: the same bits for float sums") {
  const auto values = rowfold_test::random_values<float>(1, 256, rowfold_test::distribution::outlier);
  const auto rounded_sum = [](float a, float b) {
    return static_cast<float>(static_cast<double>(a) + static_cast<double>(b));
  };
  CHECK(reduce<256, form::all_reduce>(values, rowfold::sum{}) ==
        std::vector<float>(256, merge_tree(values, rounded_sum)));
}

namespace {

template <class T, class Op>
struct reduce_warps_body {
  Op op;
  const T* in;
  T* out;
  ROWFOLD_DEVICE void operator()() const {
    T* const partials = rowfold::simt::shared<rowfold::block_storage<T, 16>>().partials;
    const unsigned thread = rowfold::simt::thread_rank();
    const int warps = static_cast<int>(rowfold::simt::block_threads()) / 32;
    out[thread] = rowfold::detail::block_all_reduce_warps(in[thread], op, partials, warps);
  }
};

template <class T, class Op>
std::vector<T> reduce_warps(const std::vector<T>& values, const Op& op) {
  buffer<T> in(values.size()), out(values.size());
  in.upload(values);
  rowfold_test::run(reduce_warps_body<T, Op>{op, in.data(), out.data()}, static_cast<unsigned>(values.size()),
                    sizeof(rowfold::block_storage<T, 16>));
  CHECK(out.canaries_intact());
  return out.download();
}

// Three words, which threads exchange instead of reading them all.
struct three_words {
  unsigned a, b, c;
};
struct scramble_three {
  ROWFOLD_HOST_DEVICE three_words operator()(const three_words& x, const three_words& y) const {
    const scramble op;
    return {op(x.a, y.a), op(x.b, y.b), op(x.c, y.c)};
  }
};

}  // namespace

TEST_CASE("blocks whose warps are a power of two or the sum of two: the merge tree's bits in every thread") {
  for (const int warps : {2, 3, 4, 5, 6, 8, 9, 10, 12, 16}) {
    CAPTURE(warps);
    const std::vector<unsigned> values = random_words(32 * warps);
    const unsigned expected = merge_tree(values, scramble{});
    CHECK(reduce_warps(values, scramble{}) == std::vector<unsigned>(values.size(), expected));
    std::vector<three_words> threes;
    for (const unsigned value : values) threes.push_back({value, value + 1, ~value});
    const three_words wanted = merge_tree(threes, scramble_three{});
    CHECK(wanted.a == expected);
    int wrong = 0;
    for (const three_words& found : reduce_warps(threes, scramble_three{})) {
      wrong += found.a != wanted.a || found.b != wanted.b || found.c != wanted.c ? 1 : 0;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("structs and several values at once") {
  constexpr int count = 180;
  std::vector<rowfold::indexed<float, int>> pairs;
  std::vector<rowfold::vec<unsigned, 2>> twos(count);
  for (int i = 0; i < count; ++i) {
    pairs.push_back({static_cast<float>(i * 37 % 45), 1000 + i});  // every value four times
    twos[static_cast<std::size_t>(i)] = {{static_cast<unsigned>(i), 2u}};
  }
  for (const auto& best : reduce<count, form::all_reduce>(pairs, rowfold::arg_max{})) {
    CHECK(best.value == 44.0f);
    CHECK(best.index == 1017);  // 17 * 37 % 45 == 44, the first such i
  }
  for (const auto& total : reduce<count, form::runtime>(twos, add{})) {
    CHECK(total[0] == 180u * 179u / 2);
    CHECK(total[1] == 360u);
  }
}

namespace {
// One row folded by a block: thread t takes the columns t, t + threads, ...; threads without one hold the identity.
struct softmax_body {
  const float* row;
  int cols;
  rowfold::max_sum<float>* out;
  ROWFOLD_DEVICE void operator()() const {
    using reduction = block_reduce<rowfold::max_sum<float>, 128>;
    auto& storage = rowfold::simt::shared<reduction::TempStorage>();
    const rowfold::max_sum_fold<float> fold;
    auto mine = fold.identity();
    for (int c = static_cast<int>(rowfold::simt::thread_rank()); c < cols; c += 128) fold.add(mine, row[c], c);
    out[rowfold::simt::thread_rank()] = reduction(storage).all_reduce(mine, fold);
  }
};
}  // namespace

TEST_CASE("online softmax of a block: idle threads and threads that hold only -inf add nothing") {
  const float masked = -std::numeric_limits<float>::infinity();
  std::vector<float> last_finite(1024, masked), one_finite(128256, masked);
  for (std::size_t i = 992; i < 1024; ++i) last_finite[i] = 2.0f;
  one_finite[77777] = -3.0f;
  const std::vector<float> short_row = {1.0f, masked, 1.0f, 1.0f, masked};
  struct expectation {
    const std::vector<float>& row;
    float max, sum;
  };
  const std::vector<float> all_masked(200, masked);
  for (const auto& [row, max, sum] : {expectation{last_finite, 2.0f, 32.0f}, expectation{one_finite, -3.0f, 1.0f},
                                      expectation{short_row, 1.0f, 3.0f}, expectation{all_masked, masked, 0.0f}}) {
    CAPTURE(row.size());
    buffer<float> in(row.size());
    buffer<rowfold::max_sum<float>> out(128);
    in.upload(row);
    rowfold_test::run(softmax_body{in.data(), static_cast<int>(row.size()), out.data()}, 128,
                      sizeof(block_reduce<rowfold::max_sum<float>, 128>::TempStorage));
    std::size_t wrong = 0;
    for (const auto& result : out.download()) wrong += result.max == max && result.sum == sum ? 0 : 1;
    CHECK(wrong == 0);
  }
}
