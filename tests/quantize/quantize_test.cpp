// SPDX-License-Identifier: MIT
// quantize: the checks of every quantising op, for its types.
#include "quantize/checks.hpp"
#include "support/check.hpp"

using namespace rowfold_test::quantize;

TEST_CASE("quantize gives the right codes in every kernel", "[race][sanitize]") { check_every_kernel(quantize_ops()); }
TEST_CASE("quantize at any address and stride") { check_addresses_and_strides(quantize_ops()); }
TEST_CASE("quantize does not depend on the rows beside a row") { check_neighbours(quantize_ops()); }
TEST_CASE("quantize with other outputs", "[race][sanitize]") { check_other_outputs(quantize_ops()); }
TEST_CASE("quantize moves the bytes of its plan") { check_bytes(quantize_ops()); }
TEST_CASE("quantize of zeros, NaN, infinities and subnormals") { check_hard_rows(quantize_ops()); }
TEST_CASE("quantize of midpoints between codes") { check_ties(quantize_ops()); }
TEST_CASE("quantize is as exact as its codes") { check_accuracy("quantize", quantize_ops()); }
TEST_CASE("quantize with powers of two as scales") { check_powers_of_two(quantize_ops()); }
TEST_CASE("quantize refuses what cannot be done") { check_refusals(quantize_ops()); }
TEST_CASE("quantize of no rows or columns") { check_nothing_to_do(quantize_ops()); }
TEST_CASE("quantize: its plans") { check_plans(quantize_ops()); }
