// SPDX-License-Identifier: MIT
// Logits of more than 2^31 and more than 2^32 elements: where an index of 32 bits wraps around, back rows read front
// ones. GPU alone; skipped, and said so, where memory is short.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cross_entropy/cross_entropy_run.hpp"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/element.hpp"

using namespace cross_entropy_test;
using namespace rowfold_test;

namespace {

// The last rows of `rows` rows of half logits, all zero but those: as if they were alone.
void check_last_rows(std::int64_t rows, int cols) {
  constexpr std::int64_t few = 8;
  const std::size_t bytes = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) * 2;
  std::size_t available = 0;
  std::size_t total = 0;
  require_success(cudaMemGetInfo(&available, &total));
  if (available < bytes + (std::size_t{2} << 30)) {
    WARN("skipped: " << (bytes >> 20) << " MiB needed, " << (available >> 20) << " MiB of device memory free");
    return;
  }
  cross_entropy_input last = normal_logits(half_logits, few, cols);
  void* x = nullptr;
  require_success(cudaMalloc(&x, bytes));
  require_success(cudaMemset(x, 0, bytes));
  std::vector<unsigned char> image(last.x.size() * 2);
  for (std::size_t i = 0; i < last.x.size(); ++i) encode(element::float16, last.x[i], &image[2 * i]);
  require_success(cudaMemcpy(static_cast<unsigned char*>(x) + bytes - image.size(), image.data(), image.size(),
                             cudaMemcpyHostToDevice));
  buffer<std::int64_t> labels(static_cast<std::size_t>(rows));
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows), 0);
  std::copy(last.labels.begin(), last.labels.end(), all.end() - few);
  labels.upload(all);
  buffer<float> loss(static_cast<std::size_t>(rows)), lse(static_cast<std::size_t>(rows));
  cross_entropy_call call;
  call.logits = x;
  call.labels = labels.data();
  call.loss = loss.data();
  call.lse = lse.data();
  call.rows = rows;
  call.cols = cols;
  require_success(half_logits.run(call));
  rowfold_test::sync();
  const std::vector<double> losses = to_double(loss.download()), sums = to_double(lse.download());
  const cross_entropy_output alone = run(last);
  CHECK(same_bits({losses.end() - few, losses.end()}, alone.loss));
  CHECK(same_bits({sums.end() - few, sums.end()}, alone.lse));
  int wrong = 0;
  for (std::int64_t row = 0; row < rows - few; ++row) wrong += losses[static_cast<std::size_t>(row)] != losses[0];
  CHECK(wrong == 0);
  require_success(cudaFree(x));
}

}  // namespace

TEST_CASE("cross-entropy: tensors beyond 2^31 and 2^32 elements") {
  check_last_rows(524296, 4096);
  check_last_rows((std::int64_t{1} << 31) / 267 + 9, 267);
  check_last_rows(1048584, 4096);
}
