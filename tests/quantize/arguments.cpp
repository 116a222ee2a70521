// SPDX-License-Identifier: MIT
// What quantising ops refuse, and why; calls with nothing to do; their plans.
#include <limits>
#include <vector>

#include "quantize/checks.hpp"
#include "quantize/run.hpp"
#include "support/check.hpp"

namespace rowfold_test {
namespace quantize {
namespace {

using rowfold::plan_reason;
using rowfold::plan_status;

// A call on memory that nothing may touch: its addresses are not those of any memory.
call untouchable(int cols) {
  const auto address = [](std::uintptr_t i) { return reinterpret_cast<void*>(i << 12); };
  call c;
  c.x = address(1);
  c.residual = address(2);
  c.gamma = address(3);
  c.q = address(4);
  c.scale = address(5);
  c.rows = 4;
  c.cols = cols;
  return c;
}

void check_refused(const op_types& types, const call& c, plan_reason reason) {
  const rowfold::row_plan plan = types.plan(c);
  INFO(types.name);
  CHECK(plan.status == plan_status::refused);
  CHECK(plan.reason == reason);
  CHECK(static_cast<int>(types.run(c)) == static_cast<int>(cudaErrorInvalidValue));
}

}  // namespace

void check_refusals(const op_list& ops) {
  for (const op_types* types : ops) {
    const call good = untouchable(64);
    for (const void* call::*pointer : {&call::x, &call::residual}) {
      if (pointer == &call::residual && !types->has_second()) continue;
      call c = good;
      c.*pointer = nullptr;
      check_refused(*types, c, plan_reason::refused_null_pointer);
    }
    for (void* call::*pointer : {&call::q, &call::scale}) {
      call c = good;
      c.*pointer = nullptr;
      check_refused(*types, c, plan_reason::refused_null_pointer);
    }
    call c = good;
    c.rows = -1;
    check_refused(*types, c, plan_reason::refused_rows);
    c = good;
    c.cols = -1;
    check_refused(*types, c, plan_reason::refused_cols);
    if (types->has_norm()) {
      for (const double eps : {-1e-6, std::numeric_limits<double>::quiet_NaN()}) {
        c = good;
        c.eps = eps;
        check_refused(*types, c, plan_reason::refused_eps);
      }
    }
    c = good;
    c.request.lanes = 3;
    check_refused(*types, c, plan_reason::refused_request);
    // Half of the lanes that a group of columns takes.
    c.request.lanes = 128 / types->granule() / 2;
    if (types->mode == quantize_scale::per_group) {
      check_refused(*types, c, plan_reason::refused_request);
    } else {
      CHECK(types->plan(c).status == plan_status::ready);
    }
    c = good;
    c.q = static_cast<unsigned char*>(c.q) + 1;
    c.request.require_vectorized = true;
    check_refused(*types, c, plan_reason::refused_misaligned_pointer);
    const rowfold::row_plan other = types->plan(untouchable(72));
    CHECK(other.status == plan_status::ready);
    CHECK(static_cast<int>(types->run_plan(good, other)) == static_cast<int>(cudaErrorInvalidValue));
  }
}

void check_nothing_to_do(const op_list& ops) {
  for (const op_types* types : ops) {
    INFO(types->name);
    call c = untouchable(64);
    c.rows = 0;
    CHECK(types->plan(c).status == plan_status::nothing);
    require_success(types->run(c));
    c = untouchable(0);
    CHECK(types->plan(c).status == plan_status::nothing);
    require_success(types->run(c));
    c = call{};
    require_success(types->run(c));
  }
}

void check_plans(const op_list& ops) {
  for (const op_types* types : ops) {
    const int granule = types->granule();
    for (const int cols : {1, 40, 128, 1024, 8192}) {
      const rowfold::row_plan plan = types->plan(untouchable(cols));
      INFO(types->name << ", " << cols << " columns");
      CHECK(plan.status == plan_status::ready);
      if (types->mode == quantize_scale::per_group) CHECK(plan.shape.lanes % (128 / granule) == 0);
      using rowfold::row_variant;
      if (cols == 1024) CHECK(plan.variant == (types->folds() ? row_variant::held : row_variant::streamed));
      // Each tensor once: x and the residual, gamma, codes and scales.
      std::int64_t bytes = 4 * cols * (1 + static_cast<std::int64_t>(bytes_of(types->x)));
      if (types->has_second()) bytes += 4 * cols * static_cast<std::int64_t>(bytes_of(types->residual));
      if (types->has_norm()) bytes += cols * static_cast<std::int64_t>(bytes_of(types->gamma));
      bytes += types->mode == quantize_scale::given ? 4 : 4 * 4 * types->scales(cols);
      CHECK(plan.minimal_bytes == bytes);
    }
  }
}

}  // namespace quantize
}  // namespace rowfold_test
