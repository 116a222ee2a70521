// SPDX-License-Identifier: MIT
// Running LayerNorm over channels on rows of given values that lie in channels-first tensors, and getting the results
// back as rows: inputs and outputs are those of layer_norm's own tests, whose reference judges them.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layer_norm/layer_norm_run.hpp"
#include "rowfold/layer_norm_channels_first.hpp"

namespace rowfold_test {

// The arguments of layer_norm_channels_first_args, untyped.
struct channels_first_call {
  const void* x = nullptr;
  const void* gamma = nullptr;
  const void* beta = nullptr;
  void* y = nullptr;
  std::int64_t batch = 0;
  int channels = 0;
  std::int64_t spatial = 0;
  double eps = 1e-5;
  rowfold::channel_layout x_layout{}, y_layout{};
  void* mean = nullptr;
  void* rstd = nullptr;
  rowfold::plan_request request{};
  rowfold::row_plan plan{};
};

struct channels_first_types {
  const type_set* rows;  // the same types of layer_norm
  cudaError_t (*run)(const channels_first_call&);
  cudaError_t (*run_short)(
      const channels_first_call&);  // without args; literal nullptr for null, null where not compiled
  rowfold::row_plan (*plan)(const channels_first_call&);
};

// The types that this build holds: under a sanitizer bfloat16 alone, one row and two in a thread.
const std::vector<channels_first_types>& channels_first_type_sets();

// Where rows lie: `batch` images of input.rows / batch positions. Offsets as in layer_norm's placement; gaps in
// elements.
struct image_placement {
  const char* name = "packed";
  std::int64_t batch = 1;
  std::size_t x_offset = 0, y_offset = 0, gamma_offset = 0, beta_offset = 0;
  int x_channel_gap = 0, x_batch_gap = 0, y_channel_gap = 0, y_batch_gap = 0;
  bool backwards = false;  // strides of x are negative
  bool in_place = false;
  bool statistics = true;
  bool short_call = false;
  bool count_bytes = false;  // CPU
  rowfold::plan_request request{};
};

// Runs it, and requires that the launch succeeds, that no byte but y, mean and rstd has changed, and, on the CPU with
// count_bytes, that no byte outside the tensors was read.
layer_norm_output run(const channels_first_types& types, const layer_norm_input& input,
                      const image_placement& where = {});

}  // namespace rowfold_test
