// SPDX-License-Identifier: MIT
// granule_of: the columns that a thread loads at a time, which sources and problems have to agree on.
#include "rowfold/row/granule_size.hpp"

#include "rowfold/dropout.hpp"
#include "rowfold/gated_activation.hpp"
#include "rowfold/numeric/activation.cuh"
#include "rowfold/row/gated_source.cuh"
#include "rowfold/row/logit_source.cuh"
#include "rowfold/row/source.cuh"
#include "rowfold/softmax.hpp"
#include "support/check.hpp"

using rowfold::absent;
using rowfold::granule_of;

namespace {

template <class X, class Mask>
void check_logits() {
  rowfold::softmax_args<X, X, absent, Mask> args;
  CHECK(rowfold::softmax_problem(args).granule == rowfold::logit_source<X, false, Mask, absent>::granule);
}

}  // namespace

TEST_CASE("a granule has 16 bytes of the narrowest element type that is there") {
  CHECK(granule_of<double> == 2);
  CHECK(granule_of<float> == 4);
  CHECK(granule_of<__half> == 8);
  CHECK(granule_of<signed char> == 16);
  CHECK(granule_of<float, __half> == 8);
  CHECK(granule_of<__half, float> == 8);
  CHECK(granule_of<double, float, signed char> == 16);
  CHECK(granule_of<float, absent> == 4);
  CHECK(granule_of<absent, __nv_bfloat16> == 8);
}

TEST_CASE("problems and sources have the same granules") {
  check_logits<float, absent>();
  check_logits<__half, absent>();
  check_logits<float, __half>();
  check_logits<__half, float>();
  check_logits<double, float>();
  CHECK(rowfold::gated_problem(rowfold::gated_args<float, __half>{}).granule ==
        rowfold::gated_source<rowfold::silu, float, __half>::granule);
  CHECK(rowfold::dropout_problem(rowfold::dropout_args<double>{}).granule == rowfold::plain_source<double>::granule);
}
