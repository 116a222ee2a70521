// SPDX-License-Identifier: MIT
// The constants of ptx/l2_policy.cuh are what PTX's createpolicy makes on this GPU.
#include "rowfold/ptx/l2_policy.cuh"

#include <vector>

#include "rowfold/launch/current_device.cuh"
#include "support/check.hpp"
#include "support/run.cuh"

namespace {

struct created_policies {
  unsigned long long normal, last;
};

struct create_policies {
  ROWFOLD_DEVICE created_policies operator()(int) const {
    created_policies made{};
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(made.normal));
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(made.last));
#endif
    return made;
  }
};

}  // namespace

TEST_CASE("L2 policies are those of createpolicy") {
  const created_policies made =
      rowfold_test::map_on_device<created_policies>(create_policies{}, std::vector<int>{0})[0];
  rowfold::device_info device;
  REQUIRE(rowfold::current_device_info(device) == cudaSuccess);
  const bool has_policies = device.compute_major >= 8;
  CHECK(made.normal == (has_policies ? rowfold::l2_evict_normal : 0));
  CHECK(made.last == (has_policies ? rowfold::l2_evict_last : 0));
}
