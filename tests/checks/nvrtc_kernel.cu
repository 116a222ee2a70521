// SPDX-License-Identifier: MIT
// A kernel of a user's own as a program that compiles at run time would hold it: no include (the headers come before it),
// LayerNorm of one row per block. rowfold_nvrtc_check compiles it.
extern "C" __global__ void user_kernel(const __half* x, const float* gamma, const float* beta, __half* y, int cols) {
  rowfold::row_group<> group(static_cast<int>(rowfold::simt::block_threads()),
                             &rowfold::simt::shared<rowfold::row_group_storage>());
  const long long first = static_cast<long long>(rowfold::simt::block_rank()) * cols;
  rowfold::layer_norm_row(group, x + first, gamma, beta, y + first, cols, 1e-5f);
}

// A map of the user's own: twice the value.
struct twice_map : rowfold::plain_map<twice_map> {
  template <int N, class Position, class Result>
  __device__ rowfold::vec<float, N> operator()(const rowfold::vec<float, N>& values, const Position&,
                                               const Result&) const {
    rowfold::vec<float, N> doubled;
    for (int i = 0; i < N; ++i) doubled[i] = 2.0f * values[i];
    return doubled;
  }
};

// The row engine: a block normalises its row in place, and then once more from parts, with the user's map behind them.
extern "C" __global__ void user_rows(__half* x, const float* gamma, __nv_bfloat16* y, float* mean, float* rstd,
                                     int cols) {
  auto& storage = rowfold::simt::shared<rowfold::row_group_storage>();
  rowfold::row_group<> group(static_cast<int>(rowfold::simt::block_threads()), &storage);
  const long long row = rowfold::simt::block_rank();
  rowfold::layer_norm_row(group, x + row * cols, gamma, gamma, x + row * cols, cols, 1e-5f);

  using source_type = rowfold::plain_source<__half>;
  using row_data = rowfold::held_row<rowfold::granule_access::any, 4, source_type>;
  const auto layout = rowfold::row_layout{}.resolved(cols);
  const auto folds = rowfold::normalize_stages<float>(cols, 1e-5f, source_type::granule, group.lanes());
  const auto map = rowfold::chain(rowfold::normalize_map{}, twice_map{},
                                  rowfold::affine_map<float, __nv_bfloat16>{gamma, nullptr});
  const auto sink = rowfold::both(rowfold::plain_sink<__nv_bfloat16>{y, layout},
                                  rowfold::normalize_statistics_sink<float>{mean, rstd});
  rowfold::fold_row<row_data>(group, row, cols, source_type{x, layout}, folds, map, sink);
}
