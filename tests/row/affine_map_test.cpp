// SPDX-License-Identifier: MIT
// x * gamma + beta with parameters that may be null: what is not there changes nothing, not even the sign of a zero.
#include "rowfold/row/affine_map.cuh"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/subnormals.hpp"

using namespace rowfold_test;
using rowfold::absent;
using rowfold::affine_map;

namespace {

std::vector<float> special_values() {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values{0.0f, -0.0f, 1.0f, -1.0f, 0x1.8p-126f, 0x1.fffffep127f, infinity, -infinity, std::nanf("")};
  if (!subnormals_are_zero) values.insert(values.end(), {0x1p-149f, -0x1p-140f});
  return values;
}

// A column for each pair of a value and a value of gamma, and all of beta in turn.
struct table {
  std::vector<float> x, gamma, beta;
  table() {
    const auto values = special_values();
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t k = 0; k < values.size(); ++k) {
        x.push_back(values[i]);
        gamma.push_back(values[k]);
        beta.push_back(values[(i + 3 * k) % values.size()]);
      }
    }
  }
};

// Equal bits, or NaN and NaN.
int count_wrong(const std::vector<float>& got, const std::vector<float>& wanted) {
  int wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool same = std::memcmp(&got[i], &wanted[i], sizeof(float)) == 0;
    wrong += !same && !(std::isnan(got[i]) && std::isnan(wanted[i]));
  }
  return wrong;
}

template <class Map>
std::vector<float> run(const std::vector<float>& x, const Map& map) {
  buffer<float> in(x.size()), out(x.size());
  in.upload(x);
  const int cols = static_cast<int>(x.size());
  const auto layout = rowfold::row_layout::strided(cols);
  require_success(rowfold::fold_rows({1, cols}, rowfold::plain_source<float>{in.data(), layout}, rowfold::stages(), map,
                                     rowfold::plain_sink<float>{out.data(), layout}));
  rowfold_test::sync();
  CHECK(out.canaries_intact());
  return out.download();
}

// What a result that is no normal number counts as where subnormal numbers count as zero.
float flushed(float value) {
  return subnormals_are_zero && std::abs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value;
}

}  // namespace

TEST_CASE("a parameter that is null, or of no type, is one that changes nothing") {
  const table t;
  buffer<float> gamma(t.x.size()), beta(t.x.size());
  gamma.upload(t.gamma);
  beta.upload(t.beta);
  for (const bool with_gamma : {false, true}) {
    for (const bool with_beta : {false, true}) {
      CAPTURE(with_gamma, with_beta);
      std::vector<float> wanted = t.x;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (with_gamma && with_beta) {
          wanted[i] = flushed(std::fmaf(t.x[i], t.gamma[i], t.beta[i]));
        } else if (with_gamma) {
          wanted[i] = flushed(t.x[i] * t.gamma[i]);
        } else if (with_beta) {
          wanted[i] = flushed(t.x[i] + t.beta[i]);
        }
      }
      const float* const gamma_data = with_gamma ? gamma.data() : nullptr;
      const float* const beta_data = with_beta ? beta.data() : nullptr;
      CHECK(count_wrong(run(t.x, affine_map<float, float>{gamma_data, beta_data}), wanted) == 0);
      if (!with_beta) CHECK(count_wrong(run(t.x, affine_map<float, absent>{gamma_data, nullptr}), wanted) == 0);
      if (!with_gamma) CHECK(count_wrong(run(t.x, affine_map<absent, float>{nullptr, beta_data}), wanted) == 0);
      if (!with_gamma) {  // an offset is added to a gamma, and there is none
        const affine_map<float, float, true, float> map{nullptr, beta_data, 1.0f};
        CHECK(count_wrong(run(t.x, map), wanted) == 0);
      }
    }
  }
}
