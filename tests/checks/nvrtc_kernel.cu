// SPDX-License-Identifier: MIT
// A kernel of a user's own, as a program that compiles at run time would hold it: no include, the headers come before.
// It instantiates the device functions, since a template that is never used is hardly compiled at all.
extern "C" __global__ void user_kernel(float* values, __half* halves) {
  using reduction = rowfold::block_reduce<rowfold::moments<float>, 180>;
  struct layout {
    reduction::TempStorage moments;
    rowfold::cluster_storage<double> cluster;
  };
  auto& shared = rowfold::simt::shared<layout>();
  const int thread = static_cast<int>(rowfold::simt::thread_rank());
  const rowfold::vec<float, 4> x = rowfold::load_vec<4, rowfold::load_hint::read_only>(values + 4 * thread);

  const auto moments = reduction(shared.moments).all_reduce({x[0], 0.0f, 1}, rowfold::merge_moments{});
  const auto best = rowfold::warp_all_reduce(rowfold::indexed<float, int>{x[1], thread}, rowfold::arg_max{});
  const auto pair = rowfold::warp_reduce<8>(rowfold::make_max_sum(x[2]), rowfold::merge_max_sum{});
  rowfold::moments_fold<double> fold;
  auto state = fold.identity();
  fold.add(state, 2.0, 0);
  const double total = rowfold::cluster_all_reduce(state.mean, rowfold::sum{}, shared.cluster, 180);

  rowfold::store_vec(values + 4 * thread,
                     rowfold::vec<float, 4>{{moments.mean, best.value, pair.sum, static_cast<float>(total)}});
  halves[thread] = rowfold::from_accumulate<__half>(rowfold::to_accumulate(halves[thread]) + pair.max);
}
