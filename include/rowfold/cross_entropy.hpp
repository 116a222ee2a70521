// SPDX-License-Identifier: MIT
// The arguments of cross-entropy and its plan: host values only, so that a .cpp file can make a plan that a .cu file
// launches. cross_entropy.cuh has the op.
#pragma once

#include <cmath>
#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/row/granule_size.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Cross-entropy of `rows` rows of `cols` logits. Pointers are to memory of the device that runs the op.
template <class X, class Label = std::int64_t>
struct cross_entropy_args {
  static_assert(is_same<X, float> || is_half_type<X>, "logits are float, __half or __nv_bfloat16");
  static_assert(is_same<Label, int> || is_same<Label, long> || is_same<Label, long long>, "labels are int32 or int64");

  const X* logits = nullptr;      // [rows, cols]
  const Label* labels = nullptr;  // [rows]: columns
  float* loss = nullptr;          // [rows]
  float* lse = nullptr;           // [rows], or null: each row's log(sum of exp(x))
  std::int64_t rows = 0;
  int cols = 0;
  std::int64_t ignore_index = -100;  // rows with this label have the loss 0; looked for before a label is judged
  double label_smoothing = 0;        // 0 to 1: this share of the target is spread evenly over all columns
  double z_loss = 0;                 // finite, not negative: z_loss * lse^2 is added to the loss
  double soft_cap = 0;               // finite, not negative; unless 0, logits x count as soft_cap * tanh(x / soft_cap)
  row_layout logits_layout{};
  plan_request request{};
  row_plan plan{};  // a plan made by plan_cross_entropy for these arguments, or unset: the launcher makes one
};

// What a cross-entropy asks for, without its pointers.
template <class X, class Label>
row_problem cross_entropy_problem(const cross_entropy_args<X, Label>& args) {
  row_problem problem;
  problem.op = "cross_entropy";
  problem.rows = args.rows;
  problem.cols = args.cols;
  problem.granule = granule_of<X>;
  problem.accumulate_bytes = static_cast<int>(sizeof(accumulate_t<X>));
  problem.fold_passes = 1;
  problem.stores_rows = false;
  problem.writes_empty_rows = true;
  problem.picks = 1;
  problem.add(make_operand("logits", operand_kind::input, args.logits, args.logits_layout.resolved(args.cols)));
  problem.add(make_operand("labels", operand_kind::row_value, args.labels));
  problem.add(make_operand("loss", operand_kind::statistic, args.loss));
  if (args.lse != nullptr) problem.add(make_operand("lse", operand_kind::statistic, args.lse));
  problem.require(args.logits);
  if (args.rows > 0 && (args.labels == nullptr || args.loss == nullptr)) problem.blame(problem_fault::null_pointer);
  const bool good = args.label_smoothing >= 0 && args.label_smoothing <= 1 && std::isfinite(args.z_loss) &&
                    args.z_loss >= 0 && std::isfinite(args.soft_cap) && args.soft_cap >= 0;
  if (!good) problem.blame(problem_fault::bad_option);
  return problem;
}

// The plan of a cross-entropy: pure, needs no GPU. The launcher does exactly what it says.
template <class X, class Label>
row_plan plan_cross_entropy(const cross_entropy_args<X, Label>& args, const device_info& device) {
  return make_row_plan(cross_entropy_problem(args), device, args.request);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold
