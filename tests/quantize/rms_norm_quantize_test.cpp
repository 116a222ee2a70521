// SPDX-License-Identifier: MIT
// rms_norm_quantize: the checks of every quantising op, for its types.
#include "quantize/checks.hpp"
#include "support/check.hpp"

using namespace rowfold_test::quantize;

TEST_CASE("rms_norm_quantize gives the right codes in every kernel", "[race][sanitize]") {
  check_every_kernel(rms_norm_quantize_ops());
}
TEST_CASE("rms_norm_quantize at any address and stride") { check_addresses_and_strides(rms_norm_quantize_ops()); }
TEST_CASE("rms_norm_quantize does not depend on the rows beside a row") { check_neighbours(rms_norm_quantize_ops()); }
TEST_CASE("rms_norm_quantize with other outputs", "[race][sanitize]") { check_other_outputs(rms_norm_quantize_ops()); }
TEST_CASE("rms_norm_quantize moves the bytes of its plan") { check_bytes(rms_norm_quantize_ops()); }
TEST_CASE("rms_norm_quantize of zeros, NaN, infinities and subnormals") { check_hard_rows(rms_norm_quantize_ops()); }
TEST_CASE("rms_norm_quantize is as exact as its codes") {
  check_accuracy("rms_norm_quantize", rms_norm_quantize_ops());
}
TEST_CASE("rms_norm_quantize with powers of two as scales") { check_powers_of_two(rms_norm_quantize_ops()); }
TEST_CASE("rms_norm_quantize refuses what cannot be done") { check_refusals(rms_norm_quantize_ops()); }
TEST_CASE("rms_norm_quantize of no rows or columns") { check_nothing_to_do(rms_norm_quantize_ops()); }
TEST_CASE("rms_norm_quantize: its plans") { check_plans(rms_norm_quantize_ops()); }
