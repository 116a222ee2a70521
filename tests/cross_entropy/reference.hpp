// SPDX-License-Identifier: MIT
// Cross-entropy by its definition in double, and the bounds that results are held to.
#pragma once

#include <cstdint>
#include <string>

#include "cross_entropy/cross_entropy_run.hpp"

namespace cross_entropy_test {

// What a comparison with the reference found. Errors are in units in the last place of float at max(|result|, |largest
// logit|, 1); not finite results must be those of the definition.
struct accuracy {
  std::int64_t rows = 0;
  double worst_loss = 0;
  double worst_lse = 0;
  std::string fault;  // the first value that is more than 8 units off; empty if there is none

  void add(const accuracy& other);
};

accuracy compare(const cross_entropy_input& input, const cross_entropy_output& output);

}  // namespace cross_entropy_test
