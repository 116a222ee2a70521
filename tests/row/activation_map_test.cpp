// SPDX-License-Identifier: MIT
// activation_map: every column gets what the functor gives, a library's and a user's with a member, one behind the
// other.
#include "rowfold/row/activation_map.cuh"

#include <cstring>
#include <vector>

#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using namespace rowfold_test;

namespace {

struct multiply {
  float factor;
  ROWFOLD_DEVICE float operator()(float x) const { return rowfold::math::mul_rn(x, factor); }
};
struct silu_then_multiply {
  float factor;
  ROWFOLD_DEVICE float operator()(float x) const { return rowfold::math::mul_rn(rowfold::silu{}(x), factor); }
};

}  // namespace

TEST_CASE("an activation map applies its functor to every column") {
  for (const int cols : {1, 33, 200}) {
    CAPTURE(cols);
    const std::size_t elements = 3 * static_cast<std::size_t>(cols);
    auto values = random_values<float>(3, static_cast<std::size_t>(cols), distribution::normal);
    values.back() = -HUGE_VALF;
    buffer<float> x(elements), y(elements, 1);
    x.upload(values);
    const rowfold::plain_source<float> source{x.data(), rowfold::row_layout{}.resolved(cols)};
    const rowfold::plain_sink<float> sink{y.data(), rowfold::row_layout{}.resolved(cols)};
    const auto map =
        rowfold::chain(rowfold::activation_map<rowfold::silu>(), rowfold::activation_map<multiply>(multiply{-3.0f}));
    require_success(rowfold::fold_rows(rowfold::row_shape{3, cols}, source, rowfold::stages(), map, sink,
                                       rowfold::plan_request{}, nullptr));
    rowfold_test::sync();
    const auto expected = map_on_device<float>(silu_then_multiply{-3.0f}, values);
    const auto found = y.download();
    CHECK(std::memcmp(found.data(), expected.data(), elements * sizeof(float)) == 0);
    CHECK(y.canaries_intact());
    CHECK(expected.front() != 0);
  }
}
