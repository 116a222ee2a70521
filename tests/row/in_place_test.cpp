// SPDX-License-Identifier: MIT
// Rows normalised in place: every access and variant, groups without a row in the last block. Under the race detector
// no thread stores what another one still has to load.
#include <cstdint>
#include <vector>

#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/row/normalize.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/values.hpp"

using namespace rowfold_test;

namespace {

using element = __nv_bfloat16;

std::size_t count(long long n) { return static_cast<std::size_t>(n); }

// Normalises `rows` packed rows at x into y.
void normalize(const element* x, element* y, int rows, int cols, const rowfold::plan_request& request) {
  using source_type = rowfold::plain_source<element>;
  const auto layout = rowfold::row_layout{}.resolved(cols);
  const int lanes = request.lanes != 0 ? request.lanes : rowfold::default_lanes(cols, source_type::granule);
  require_success(rowfold::fold_rows({rows, cols}, source_type{x, layout},
                                     rowfold::normalize_stages<float>(cols, 1e-5f, source_type::granule, lanes),
                                     rowfold::normalize_map{}, rowfold::plain_sink<element>{y, layout}, request));
  rowfold_test::sync();
}

std::vector<unsigned short> bits(const std::vector<element>& values) {
  std::vector<unsigned short> result;
  for (const element value : values) result.push_back(__bfloat16_as_ushort(value));
  return result;
}

void check(int rows, int cols, std::size_t offset, const rowfold::plan_request& request) {
  CAPTURE(rows, cols, offset, request.lanes, request.reread, request.any_access);
  REQUIRE(cols > 0);
  const auto values = random_values<element>(count(rows), count(cols), distribution::normal, 1);
  buffer<element> x(values.size(), offset), apart(values.size(), offset), y(values.size());
  x.upload(values);
  apart.upload(values);
  normalize(apart.data(), y.data(), rows, cols, request);
  normalize(x.data(), x.data(), rows, cols, request);
  CHECK(bits(x.download()) == bits(y.download()));
  CHECK(bits(apart.download()) == bits(values));
  CHECK(x.canaries_intact());
}

}  // namespace

TEST_CASE("in place, without a race", "[race][sanitize]") {
  // Parts of a warp (the last block has groups without a row), and blocks of two warps, over several granules a lane.
  for (const int lanes : {4, 64}) {
    for (const int granules : {2, 3, 9}) {
      for (const int missing : {0, 5, 6}) {
        for (const std::size_t offset : {0, 1, 2}) {
          rowfold::plan_request request;
          request.lanes = lanes;
          const int cols = lanes * 8 * granules - missing;
          check(3, cols, offset, request);
          request.reread = true;
          check(3, cols, offset, request);
        }
      }
    }
  }
}

TEST_CASE("in place at any address") {
  for (const int lanes : {1, 8, 32, 96}) {
    for (const int cols : {1, 7, lanes * 8, lanes * 21 + 1, lanes * 8 * 11 + 5}) {
      for (std::size_t offset = 0; offset < 8; ++offset) {
        rowfold::plan_request request;
        request.lanes = lanes;
        request.reread = offset % 3 == 1;
        request.any_access = offset % 2 == 0;
        check(2, cols, offset, request);
      }
    }
  }
}
