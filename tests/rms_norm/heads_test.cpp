// SPDX-License-Identifier: MIT
// The heads of a packed projection, [tokens, 3 * heads * head_size], normalised where they lie: queries and keys each
// with a weight of their own, values untouched. And rms_norm_row, in a kernel of one's own.
#include <cstdint>
#include <vector>

#include "rowfold/rms_norm.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/element.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using namespace rowfold_test;

namespace {

constexpr int tokens = 5;
constexpr int heads = 6;

template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t stream) {
  std::mt19937_64 engine(seed() + stream);
  std::normal_distribution<double> normal;
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(from_double<T>(normal(engine)));
  return values;
}

template <class T>
rowfold::rms_norm_args<T> heads_of(buffer<T>& qkv, const buffer<T>& gamma, int head_size, int part) {
  rowfold::rms_norm_args<T> args;
  args.x = args.y = qkv.data() + part * heads * head_size;
  args.gamma = gamma.data();
  args.rows = tokens * heads;
  args.cols = head_size;
  args.x_layout = args.y_layout = rowfold::row_layout::nested(heads, head_size, 3 * heads * head_size);
  return args;
}

// The heads of one part, copied out of the projection, normalised as packed rows.
template <class T>
std::vector<T> normalised_copy(const std::vector<T>& qkv, const buffer<T>& gamma, int head_size, int part) {
  std::vector<T> packed;
  for (int token = 0; token < tokens; ++token) {
    const auto first = qkv.begin() + (token * 3 + part) * heads * head_size;
    packed.insert(packed.end(), first, first + heads * head_size);
  }
  buffer<T> x(packed.size()), y(packed.size());
  x.upload(packed);
  require_success(rowfold::rms_norm(x.data(), gamma.data(), y.data(), tokens * heads, head_size, 1e-6));
  rowfold_test::sync();
  return y.download();
}

template <class T>
void check_heads(int head_size, std::size_t offset) {
  INFO("heads of " << head_size << ", offset " << offset);
  const std::size_t width = static_cast<std::size_t>(3 * heads * head_size);
  const std::vector<T> before = random_values<T>(tokens * width, 1);
  buffer<T> qkv(before.size(), offset);
  qkv.upload(before);
  buffer<T> gammas[2] = {buffer<T>(static_cast<std::size_t>(head_size)),
                         buffer<T>(static_cast<std::size_t>(head_size))};
  for (int part = 0; part < 2; ++part) {
    gammas[part].upload(random_values<T>(static_cast<std::size_t>(head_size), 2 + static_cast<std::uint64_t>(part)));
    const auto args = heads_of(qkv, gammas[part], head_size, part);
    rowfold::device_info device;
    require_success(rowfold::current_device_info(device));
    const rowfold::row_plan plan = rowfold::plan_rms_norm(args, device);
    CHECK(plan.variant == (offset == 0 ? rowfold::row_variant::held : rowfold::row_variant::staged));
    require_success(rowfold::rms_norm(args));
    rowfold_test::sync();
  }
  CHECK(qkv.canaries_intact());
  const std::vector<T> after = qkv.download();
  for (int part = 0; part < 3; ++part) {
    const std::vector<T> expected =
        part < 2 ? normalised_copy(before, gammas[part], head_size, part) : std::vector<T>{};
    bool same = true;
    for (int token = 0; token < tokens; ++token) {
      for (int i = 0; i < heads * head_size; ++i) {
        const auto at = static_cast<std::size_t>((token * 3 + part) * heads * head_size + i);
        const T wanted = part < 2 ? expected[static_cast<std::size_t>(token * heads * head_size + i)] : before[at];
        same = same && to_double(after[at]) == to_double(wanted);
      }
    }
    INFO("part " << part);
    CHECK(same);
  }
}

// One warp a row, as a user would write it: the row, then twice its normalised values.
struct own_kernel {
  const float* x;
  const float* gamma;
  float* y;
  int cols;

  ROWFOLD_DEVICE void operator()() const {
    rowfold::row_group<rowfold::group_kind::warp> group(32, nullptr);
    const long long row = rowfold::simt::block_rank();
    rowfold::rms_norm_row(group, x + row * cols, gamma, y + row * cols, cols, 1e-6f);
  }
};

}  // namespace

TEST_CASE("heads of a packed projection are normalised in place", "[sanitize]") {
  for (const std::size_t offset : {0, 1}) {
    for (const int head_size : {64, 128}) {
      check_heads<float>(head_size, offset);
      check_heads<__nv_bfloat16>(head_size, offset);
    }
  }
}

TEST_CASE("a kernel of one's own normalises a row with rms_norm_row") {
  for (const int cols : {1, 33, 300}) {
    const std::vector<float> values = random_values<float>(static_cast<std::size_t>(3 * cols), 9);
    const std::vector<float> weights = random_values<float>(static_cast<std::size_t>(cols), 10);
    buffer<float> x(values.size()), y(values.size()), expected(values.size()), gamma(weights.size());
    x.upload(values);
    gamma.upload(weights);
    rowfold_test::run(own_kernel{x.data(), gamma.data(), y.data(), cols}, 32, 0, 3);
    rowfold::rms_norm_args<float> args;
    args.x = x.data();
    args.gamma = gamma.data();
    args.y = expected.data();
    args.rows = 3;
    args.cols = cols;
    args.request.lanes = 32;  // the fold shape of the kernel above
    require_success(rowfold::rms_norm(args));
    rowfold_test::sync();
    CHECK(y.download() == expected.download());
    CHECK(y.canaries_intact());
  }
}
