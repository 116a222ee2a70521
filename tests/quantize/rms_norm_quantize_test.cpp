// SPDX-License-Identifier: MIT
// rms_norm_quantize: the checks of every quantising op, for its types.
#include "rowfold/rms_norm_quantize.cuh"

#include <cstring>

#include "quantize/checks.hpp"
#include "quantize/op_types.hpp"
#include "quantize/run.hpp"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/values.hpp"

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

TEST_CASE("rms_norm_quantize of a stored sum gives the codes of add_rms_norm_quantize") {
  for (const int cols : {1, 33, 64, 768, 1024, 1280, 1283, 2048, 4096, 8192, 20480}) {
    const input sum_and_norm = normal_rows(add_bfloat16_per_row, 3, cols);
    const output expected = run(sum_and_norm);
    input norm = sum_and_norm;
    norm.types = &rms_bfloat16_per_row;
    norm.x = expected.sum;
    norm.residual.clear();
    const output found = run(norm);
    CAPTURE(cols);
    CHECK(rowfold_test::same_bits(expected.q, found.q));
    CHECK(rowfold_test::same_bits(expected.scale, found.scale));
    CHECK(rowfold_test::same_bits(expected.rstd, found.rstd));
  }
}

TEST_CASE("rms_norm_quantize without a weight: rows in registers give the codes of staged ones") {
  using namespace rowfold_test;
  for (const int cols : {1280, 1288, 1528, 2056, 2296}) {
    const auto size = static_cast<std::size_t>(3 * cols);
    buffer<__nv_bfloat16> x(size);
    x.upload(random_values<__nv_bfloat16>(1, size, distribution::normal, 1));
    buffer<__nv_fp8_e4m3> held(size), staged(size);
    buffer<float> held_scale(3), staged_scale(3);
    rowfold::rms_norm_quantize_args<__nv_bfloat16, __nv_fp8_e4m3, rowfold::quantize_scale::per_row, rowfold::absent>
        args;
    args.x = x.data();
    args.rows = 3;
    args.cols = cols;
    args.eps = 1e-6;
    for (const bool in_registers : {true, false}) {
      args.q = in_registers ? held.data() : staged.data();
      args.scale = in_registers ? held_scale.data() : staged_scale.data();
      args.request.staged = !in_registers;
      require_success(rowfold::rms_norm_quantize(args));
      rowfold_test::sync();
    }
    CAPTURE(cols);
    CHECK(held_scale.download() == staged_scale.download());
    const auto expected = staged.download();
    const auto found = held.download();
    CHECK(std::memcmp(expected.data(), found.data(), size) == 0);
    CHECK((held.canaries_intact() && staged.canaries_intact()));
  }
}
