// SPDX-License-Identifier: MIT
// 7. Rows that are not packed. A projection of tokens to queries, keys and values lies as [tokens, 3, heads,
//    head_size]; here RMSNorm of each query head and of each key head, where it lies, with a weight for queries and one
//    for keys. Values are not touched, and nothing is copied. A tensor's rows may have one stride or two nested ones:
//    row_layout says which.
#include "memory.hpp"
#include "rowfold/rms_norm.cuh"

int main() {
  constexpr int tokens = 2, heads = 3, head_size = 4;
  constexpr int width = 3 * heads * head_size;  // of a token
  constexpr double eps = 1e-6;
  std::vector<float> projection;
  for (int i = 0; i < tokens * width; ++i) projection.push_back(static_cast<float>(i % 7 - 3));
  const std::vector<float> weights[2] = {{1, 2, 3, 4}, {-1, 1, -1, 1}};  // queries', keys'
  const device_array<float> qkv(projection), query_weight(weights[0]), key_weight(weights[1]);

  rowfold::rms_norm_args<float> args;
  args.rows = tokens * heads;
  args.cols = head_size;
  args.eps = eps;
  args.x_layout = args.y_layout = rowfold::row_layout::nested(heads, head_size, width);  // heads, then tokens
  args.x = args.y = qkv.data();
  args.gamma = query_weight.data();
  check(rowfold::rms_norm(args));
  args.x = args.y = qkv.data() + heads * head_size;
  args.gamma = key_weight.data();
  check(rowfold::rms_norm(args));

  std::vector<float> expected = projection;
  for (int token = 0; token < tokens; ++token) {
    for (int part = 0; part < 2; ++part) {
      for (int head = 0; head < heads; ++head) {
        float* const row = expected.data() + token * width + (part * heads + head) * head_size;
        double squares = 0;
        for (int c = 0; c < head_size; ++c) squares += static_cast<double>(row[c]) * static_cast<double>(row[c]);
        const double rms = std::sqrt(squares / head_size + eps);
        for (std::size_t c = 0; c < head_size; ++c) {
          row[c] = static_cast<float>(static_cast<double>(row[c]) / rms * static_cast<double>(weights[part][c]));
        }
      }
    }
  }
  return print_and_compare(qkv.values(), expected, width, 1e-5f) ? 0 : 1;
}
