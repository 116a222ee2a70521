// SPDX-License-Identifier: MIT
// swiglu_quantize: the checks of every quantising op, for its types.
#include "quantize/checks.hpp"
#include "support/check.hpp"

using namespace rowfold_test::quantize;

TEST_CASE("swiglu_quantize gives the right codes in every kernel", "[race][sanitize]") {
  check_every_kernel(swiglu_quantize_ops());
}
TEST_CASE("swiglu_quantize at any address and stride") { check_addresses_and_strides(swiglu_quantize_ops()); }
TEST_CASE("swiglu_quantize does not depend on the rows beside a row") { check_neighbours(swiglu_quantize_ops()); }
TEST_CASE("swiglu_quantize with other outputs", "[race][sanitize]") { check_other_outputs(swiglu_quantize_ops()); }
TEST_CASE("swiglu_quantize moves the bytes of its plan") { check_bytes(swiglu_quantize_ops()); }
TEST_CASE("swiglu_quantize of zeros, NaN, infinities and subnormals") { check_hard_rows(swiglu_quantize_ops()); }
TEST_CASE("swiglu_quantize is as exact as its codes") { check_accuracy("swiglu_quantize", swiglu_quantize_ops()); }
TEST_CASE("swiglu_quantize with powers of two as scales") { check_powers_of_two(swiglu_quantize_ops()); }
TEST_CASE("swiglu_quantize refuses what cannot be done") { check_refusals(swiglu_quantize_ops()); }
TEST_CASE("swiglu_quantize of no rows or columns") { check_nothing_to_do(swiglu_quantize_ops()); }
TEST_CASE("swiglu_quantize: its plans") { check_plans(swiglu_quantize_ops()); }
