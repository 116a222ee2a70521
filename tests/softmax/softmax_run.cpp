// SPDX-License-Identifier: MIT
#include "softmax/softmax_run.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "support/buffer.cuh"
#include "support/byte_counter.hpp"
#include "support/check.hpp"
#include "support/either_priority.hpp"
#include "support/row_memory.hpp"

namespace rowfold_test {
namespace {

// Integers of 4 or 8 bytes as bytes in memory.
std::vector<unsigned char> bytes_of_lengths(const std::vector<long long>& lengths, int size) {
  std::vector<unsigned char> bytes;
  for (const long long length : lengths) {
    unsigned char element[8];
    const int narrow = static_cast<int>(length);
    if (size == 4) {
      std::memcpy(element, &narrow, 4);
    } else {
      std::memcpy(element, &length, 8);
    }
    bytes.insert(bytes.end(), element, element + size);
  }
  return bytes;
}

}  // namespace

softmax_output run(const softmax_input& input, const softmax_placement& where) {
  const softmax_set& set = *input.set;
  INFO(set.name << ", " << input.rows << " x " << input.cols << ", " << where.name);
  row_memory x(set.x, input.rows, input.cols, where.x_layout, where.x_offset);
  x.set(input.x);
  x.upload();
  std::unique_ptr<row_memory> separate_y;
  if (!where.in_place) {
    separate_y = std::make_unique<row_memory>(set.y, input.rows, input.cols, where.y_layout, where.y_offset);
    separate_y->upload();
  }
  row_memory& y = where.in_place ? x : *separate_y;
  std::unique_ptr<row_memory> mask;
  if (set.masked) {
    mask = std::make_unique<row_memory>(set.mask, input.rows, input.cols, where.mask_layout, where.mask_offset);
    mask->set(input.mask);
    mask->upload();
  }
  std::unique_ptr<buffer<unsigned char>> lengths;
  std::vector<unsigned char> length_bytes;
  if (set.length_bytes != 0) {
    REQUIRE(input.lengths.size() == static_cast<std::size_t>(input.rows));
    length_bytes = bytes_of_lengths(input.lengths, set.length_bytes);
    lengths = std::make_unique<buffer<unsigned char>>(
        length_bytes.size(), where.lengths_offset * static_cast<std::size_t>(set.length_bytes));
    lengths->upload(length_bytes);
  }
  const auto log_sum_exp =
      where.log_sum_exp ? make_unwritten(set.statistic(), input.rows, where.log_sum_exp_offset) : nullptr;

  softmax_call call;
  call.x = x.data();
  call.mask = mask ? mask->data() : nullptr;
  call.lengths = lengths ? lengths->data() : nullptr;
  call.y = y.data();
  call.log_sum_exp = log_sum_exp ? log_sum_exp->data() : nullptr;
  call.rows = input.rows;
  call.cols = input.cols;
  call.scale = input.scale;
  call.queries = input.queries;
  call.offset = input.offset;
  call.x_layout = where.x_layout;
  call.y_layout = where.in_place ? where.x_layout : where.y_layout;
  call.mask_layout = where.mask_layout;
  call.masked = input.masked;
  call.request = where.request;

  softmax_output output;
  output.plan = plan_with_either_priority(set.plan(call), call);
  const auto launch = where.short_call ? set.run_short : set.run;
  REQUIRE(launch != nullptr);
  byte_counter counter(where.count_bytes);
  counter.watch({&x, separate_y.get(), mask.get(), log_sum_exp.get()});
  if (lengths) counter.watch(lengths->data(), lengths->size());
  require_success(launch(call));
  sync();
  output.issued_bytes = counter.moved();
  output.y = y.values();
  if (log_sum_exp) output.log_sum_exp = log_sum_exp->values();
  if (!where.in_place) REQUIRE(x.unchanged());
  if (mask) REQUIRE(mask->unchanged());
  if (lengths) REQUIRE((lengths->canaries_intact() && lengths->download() == length_bytes));
  return output;
}

softmax_input softmax_input::rounded() const {
  softmax_input result = *this;
  for (double& value : result.x) value = round_to(set->x, value);
  for (double& value : result.mask) value = round_to(set->mask, value);
  result.scale = set->scaled ? round_to(set->statistic(), scale) : 1.0;
  return result;
}

softmax_input softmax_input::only(std::int64_t first, std::int64_t count) const {
  softmax_input result = *this;
  result.rows = count;
  result.x.assign(x.begin() + first * cols, x.begin() + (first + count) * cols);
  if (set->masked) result.mask.assign(mask.begin() + first * cols, mask.begin() + (first + count) * cols);
  if (set->length_bytes != 0) result.lengths.assign(lengths.begin() + first, lengths.begin() + first + count);
  return result;
}

int softmax_input::visible(std::int64_t row) const {
  long long limit = cols;
  if (set->causal) limit = std::min(limit, row % queries + offset + 1);
  if (set->length_bytes != 0) limit = std::min(limit, lengths[static_cast<std::size_t>(row)]);
  return static_cast<int>(std::max(limit, 0ll));
}

}  // namespace rowfold_test
