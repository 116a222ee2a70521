// SPDX-License-Identifier: MIT
// Residual addition + RMSNorm: the checks of every addition + norm, for its types.
#include "add_norm/checks.hpp"
#include "add_rms_norm/add_rms_norm_types.hpp"
#include "support/check.hpp"

using namespace rowfold_test::add_norm;

TEST_CASE("add_rms_norm gives the bits of an addition and rms_norm", "[race][sanitize]") {
  check_norm_of_stored_sums(add_rms_norm_ops());
}
TEST_CASE("add_rms_norm in place", "[race][sanitize]") { check_in_place(add_rms_norm_ops()); }
TEST_CASE("add_rms_norm at any address and stride") { check_addresses_and_strides(add_rms_norm_ops()); }
TEST_CASE("add_rms_norm does not depend on the rows beside a row") { check_neighbours(add_rms_norm_ops()); }
TEST_CASE("add_rms_norm of sums that are not rounded") { check_full_sums(add_rms_norm_ops()); }
TEST_CASE("add_rms_norm is within the bounds of RMSNorm") { check_accuracy("add_rms_norm", add_rms_norm_ops()); }
TEST_CASE("add_rms_norm of sums that are all equal") { check_constant_sums(add_rms_norm_ops()); }
TEST_CASE("add_rms_norm of NaN and infinities") { check_special_values(add_rms_norm_ops()); }
TEST_CASE("add_rms_norm with null pointers") { check_null_pointers(add_rms_norm_ops()); }
TEST_CASE("add_rms_norm refuses what cannot be done") { check_refusals(add_rms_norm_ops()); }
TEST_CASE("add_rms_norm of no rows or columns") { check_nothing_to_do(add_rms_norm_ops()); }
