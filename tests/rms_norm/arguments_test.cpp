// SPDX-License-Identifier: MIT
// What RMSNorm does with arguments that ask for nothing, or for what cannot be done.
#include "norms/norm_checks.hpp"
#include "support/check.hpp"

using namespace rowfold_test;

TEST_CASE("RMSNorm refuses bad arguments, with the reason, and writes nothing") { check_arguments(rms_norm_sets()); }
