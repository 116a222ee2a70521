// SPDX-License-Identifier: MIT
// Plans that somebody has changed: whatever the planner makes is launched, and a plan whose parts do not fit together
// is refused, with nothing written.
#include "rowfold/launch/plan_fits.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "rowfold/cross_entropy.hpp"
#include "rowfold/dropout.hpp"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/layer_norm.cuh"
#include "rowfold/layer_norm_channels_first.hpp"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/seed.hpp"

using namespace rowfold;

namespace {

plan_request random_request(std::mt19937_64& engine) {
  const auto pick = [&](std::uint64_t n) { return static_cast<int>(engine() % n); };
  plan_request request;
  if (pick(3) == 0) request.lanes = 1 << pick(10);
  if (pick(3) == 0) request.block_threads = 32 * (1 + pick(16));
  request.staged = pick(6) == 0;
  request.reread = pick(6) == 0;
  request.any_access = pick(6) == 0;
  request.late_parameters = pick(2) == 0;
  return request;
}

// Plans of ops with every number of folds, of rows of neighbouring and of spaced columns.
std::vector<row_plan> random_plans(int count) {
  std::mt19937_64 engine(rowfold_test::seed());
  const auto address = [&] { return reinterpret_cast<const float*>(std::uintptr_t{4096} + 4 * (engine() % 5 / 4)); };
  std::vector<row_plan> plans;
  for (int i = 0; i < count; ++i) {
    const std::int64_t rows = 1 + static_cast<std::int64_t>(engine() % 5000);
    const int cols = 1 + static_cast<int>(engine() % (engine() % 2 == 0 ? 700 : 40000));
    layer_norm_args<float> norm;
    norm.x = norm.gamma = norm.beta = address();
    norm.y = const_cast<float*>(norm.x);
    layer_norm_channels_first_args<float> spaced;
    spaced.x = spaced.gamma = spaced.beta = norm.x;
    spaced.y = norm.y;
    spaced.batch = 3;
    spaced.channels = cols;
    spaced.spatial = rows;
    norm.rows = rows;
    norm.cols = engine() % 2 == 0 ? cols : (cols + 3) / 4 * 4;
    cross_entropy_args<float, int> once;
    once.logits = norm.x;
    once.labels = reinterpret_cast<const int*>(norm.x);
    once.loss = norm.y;
    dropout_args<float> nothing;
    nothing.x = norm.x;
    nothing.y = norm.y;
    once.rows = nothing.rows = rows;
    once.cols = nothing.cols = norm.cols;
    norm.request = spaced.request = once.request = nothing.request = random_request(engine);
    plans.push_back(plan_layer_norm(norm, device_info{}));
    plans.push_back(plan_layer_norm_channels_first(spaced, device_info{}));
    plans.push_back(plan_cross_entropy(once, device_info{}));
    plans.push_back(plan_dropout(nothing, device_info{}));
  }
  return plans;
}

bool fits_together(const row_plan& plan) {
  return plan.problem.spaced_columns ? detail::fits_together<true>(plan) : detail::fits_together<false>(plan);
}

}  // namespace

TEST_CASE("what the planner makes fits together") {
  int ready = 0;
  for (const row_plan& plan : random_plans(3000)) {
    if (plan.status != plan_status::ready) continue;
    ++ready;
    CAPTURE(to_string(plan));
    REQUIRE(fits_together(plan));
    const bool fits_others =
        plan.problem.spaced_columns ? detail::fits_together<false>(plan) : detail::fits_together<true>(plan);
    REQUIRE_FALSE(fits_others);
  }
  CHECK(ready > 6000);
}

TEST_CASE("a plan with one part changed does not fit together") {
  std::vector<row_plan> changed;
  for (const row_plan& plan : random_plans(300)) {
    if (plan.status != plan_status::ready) continue;
    const auto with = [&](auto change) {
      row_plan other = plan;
      change(other);
      changed.push_back(other);
    };
    with([](row_plan& p) { p.shape.lanes *= 2; });
    with([](row_plan& p) { p.shape.lanes = 7; });
    with([](row_plan& p) { p.shape.granule *= 2; });
    with([](row_plan& p) { p.block_threads *= 2; });
    with([](row_plan& p) { p.rows_per_block += 1; });
    with([](row_plan& p) { p.rows_per_thread = 3; });
    with([](row_plan& p) { p.grid_blocks += 1; });
    with([](row_plan& p) { p.parts = 0; });
    with([](row_plan& p) { p.parts *= 3, p.grid_blocks *= 3; });
    with([](row_plan& p) { p.problem.joined_granules = 2 * p.shape.lanes; });
    with([](row_plan& p) { p.problem.joined_granules = 0; });
    if (plan.variant == row_variant::streamed && plan.problem.folds_nothing() && plan.problem.cols > 0) {
      // Lanes of several warps, everything else as they would have it.
      for (const int lanes : {64, 96}) {
        with([lanes](row_plan& p) {
          p.shape.lanes = lanes;
          p.block_threads = static_cast<unsigned>(lanes);
          p.rows_per_block = 1;
          p.shared_bytes = row_tuning::group_shared_bytes;
          p.parts = row_parts(p.problem.cols / p.problem.granule, lanes, p.vectors);
          p.grid_blocks = static_cast<unsigned>(p.problem.rows * p.parts);
        });
      }
    }
    if (!plan.problem.spaced_columns) {
      const bool in_registers = plan.variant == row_variant::held || plan.variant == row_variant::streamed;
      if (!in_registers) with([](row_plan& p) { p.stage_columns = 0; });
      if (!in_registers) with([](row_plan& p) { p.stage_columns = -p.shape.lanes * p.shape.granule; });
      if (!in_registers) with([](row_plan& p) { p.stage_columns += 1; });
      if (in_registers && plan.shape.lanes > 32) with([](row_plan& p) { p.shared_bytes = 0; });
      if (!in_registers && plan.problem.passes() == 1) with([](row_plan& p) { p.access = row_access::whole; });
    } else if (plan.variant == row_variant::reread) {
      with([](row_plan& p) { p.rows_per_thread = 2, p.rows_per_block *= 2, p.grid_blocks = (p.grid_blocks + 1) / 2; });
    }
    if (plan.variant == row_variant::held) with([](row_plan& p) { p.vectors -= 1; });
    if (plan.variant == row_variant::held) with([](row_plan& p) { p.vectors += 1; });
    if (plan.variant != row_variant::held) with([](row_plan& p) { p.variant = row_variant::held; });
    if (plan.access_reason == plan_reason::refused_partial_granule ||
        plan.access_reason == plan_reason::refused_misaligned_pointer) {
      with([](row_plan& p) { p.access = row_access::whole; });
    }
  }
  REQUIRE(changed.size() > 5000);
  for (const row_plan& plan : changed) {
    CAPTURE(to_string(plan));
    REQUIRE_FALSE(fits_together(plan));
  }
}

TEST_CASE("a changed plan is refused by the op, and nothing is written") {
  constexpr int cols = 1024;
  rowfold_test::buffer<float> x(4 * cols), y(4 * cols);
  x.upload(std::vector<float>(4 * cols, 1.0f));
  y.fill_bytes(0xAB);
  layer_norm_args<float, absent, absent> args;
  args.x = x.data();
  args.y = y.data();
  args.rows = 4;
  args.cols = cols;
  device_info device;
  rowfold_test::require_success(current_device_info(device));
  const row_plan good = plan_layer_norm(args, device);
  REQUIRE(good.variant == row_variant::held);
  const auto before = y.download();
  args.plan = good;
  args.plan.vectors = 1;
  CHECK(static_cast<int>(layer_norm(args)) == static_cast<int>(cudaErrorInvalidValue));
  args.plan = good;
  args.plan.block_threads /= 2;
  CHECK(static_cast<int>(layer_norm(args)) == static_cast<int>(cudaErrorInvalidValue));
  args.plan = good;
  args.plan.grid_blocks = 1;
  CHECK(static_cast<int>(layer_norm(args)) == static_cast<int>(cudaErrorInvalidValue));
  rowfold_test::sync();
  CHECK(y.download() == before);
  args.plan = good;
  rowfold_test::require_success(layer_norm(args));
  rowfold_test::sync();
  CHECK(y.download() != before);
}
