// SPDX-License-Identifier: MIT
// Kernels of a user's own, as a program that compiles at run time would hold them: no include, the headers come before.
// They instantiate the device functions, since a template that is never used is hardly compiled at all.
extern "C" __global__ void user_collectives(float* values, __half* halves) {
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

// A block copies 512 bytes through its shared memory, and sends itself 16, waiting on an mbarrier.
extern "C" __global__ void user_copies(const float4* in, float4* out) {
  namespace ptx = rowfold::ptx;
  struct layout {
    float4 values[32];
    float4 last;
    ptx::mbarrier barrier;
  };
  auto& shared = rowfold::simt::shared<layout>();
  if (rowfold::simt::thread_rank() == 0) {
    shared.barrier.init(1);
    ptx::fence_mbarrier_init();
    shared.barrier.arrive_expect_bytes(512 + sizeof(float4));
    ptx::bulk_load(shared.values, in, 512, shared.barrier);
    ptx::store_async(&shared.last, in[31], shared.barrier, 0);
  }
  rowfold::simt::sync_block();  // orders init before the wait below
  shared.barrier.wait<ptx::wait_scope::cluster>(0);
  if (rowfold::simt::thread_rank() != 0) return;
  ptx::bulk_store(out, shared.values, 512);
  ptx::commit_bulk_stores();
  ptx::wait_bulk_stores_read<0>();
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
  const auto map =
      rowfold::chain(rowfold::normalize_map{}, twice_map{}, rowfold::affine_map<float, __nv_bfloat16>{gamma, nullptr});
  const auto sink = rowfold::both(rowfold::plain_sink<__nv_bfloat16>{y, layout},
                                  rowfold::normalize_statistics_sink<float>{mean, rstd});
  rowfold::fold_row<row_data>(group, row, cols, source_type{x, layout}, folds, map, sink);
}

// A warp normalises its row in place, then makes a unit vector of it, and then RMSNorm with a modulation from parts.
extern "C" __global__ void user_norms(__half* x, const float* gamma, __half* y, int cols) {
  rowfold::row_group<rowfold::group_kind::warp> group(32, nullptr);
  const long long row = rowfold::simt::block_rank();
  rowfold::rms_norm_row(group, x + row * cols, gamma, x + row * cols, cols, 1e-6f);
  rowfold::l2_normalize_row(group, x + row * cols, x + row * cols, cols, 1e-12f);

  using source_type = rowfold::plain_source<__half>;
  const auto layout = rowfold::row_layout{}.resolved(cols);
  rowfold::rms_norm_row<rowfold::reread_row<rowfold::granule_access::any, 1, source_type>>(
      group, row, cols, 1e-6f, source_type{x, layout},
      rowfold::modulate_map<float, float>{gamma, nullptr, {16, cols, cols}}, rowfold::plain_sink<__half>{y, layout});
}

// The kernel of cross-entropy, of rows that are read once.
template __global__ void
    rowfold::row_kernel<rowfold::reread_tile<rowfold::group_kind::block, rowfold::granule_access::whole, 4, 48>,
                        rowfold::capped_source<__half>, rowfold::stage_list<rowfold::cross_entropy_stage<float, true>>,
                        rowfold::identity_map, rowfold::cross_entropy_sink<rowfold::capped_source<__half>>>(
        rowfold::row_tiling, rowfold::capped_source<__half>,
        rowfold::stage_list<rowfold::cross_entropy_stage<float, true>>, rowfold::identity_map,
        rowfold::cross_entropy_sink<rowfold::capped_source<__half>>);

// Several statistics of a row in one pass, in a kernel of the user's own: a warp for each row.
extern "C" __global__ void user_statistics(const __half* x, float* mean, float* variance, int* place, float* norm,
                                           int cols) {
  namespace statistic = rowfold::statistic;
  const auto list = rowfold::statistics(statistic::mean(mean), statistic::variance(variance, 1),
                                        statistic::arg_max(place), statistic::l2_norm(norm));
  rowfold::row_group<rowfold::group_kind::warp> group(32, nullptr);
  const rowfold::plain_source<__half> source{x, rowfold::row_layout::strided(cols)};
  const auto folds = rowfold::statistic_stages<float>(list, cols, source.granule, group.lanes());
  rowfold::fold_row<rowfold::reread_row<rowfold::granule_access::any, 1, rowfold::plain_source<__half>>>(
      group, rowfold::simt::block_rank(), cols, source, folds, rowfold::identity_map{},
      rowfold::statistic_sink<float, rowfold::row_statistic<rowfold::statistic_kind::mean, float>,
                              rowfold::row_statistic<rowfold::statistic_kind::variance, float>,
                              rowfold::row_statistic<rowfold::statistic_kind::arg_max, int>,
                              rowfold::row_statistic<rowfold::statistic_kind::l2_norm, float>>{list});
}

// A block normalises its row and quantises it to fp8 with a scale of the row's own.
extern "C" __global__ void user_codes(const __half* x, const float* gamma, __nv_fp8_e4m3* q, float* scale, int cols) {
  auto& storage = rowfold::simt::shared<rowfold::row_group_storage>();
  rowfold::row_group<> group(static_cast<int>(rowfold::simt::block_threads()), &storage);
  using source_type = rowfold::plain_source<__half>;
  using row_data = rowfold::reread_row<rowfold::granule_access::any, 1, source_type>;
  rowfold::quantized_output<__nv_fp8_e4m3, rowfold::quantize_scale::per_row> out;
  out.q = q;
  out.scale = scale;
  const auto map = rowfold::chain(rowfold::rms_map{}, rowfold::affine_map<float, rowfold::absent>{gamma, nullptr});
  const auto folds =
      rowfold::append(rowfold::rms_stages<float>(cols, 1e-6f), rowfold::row_scale<__nv_fp8_e4m3>(map, true));
  const rowfold::quantize_sink<__nv_fp8_e4m3, rowfold::quantize_scale::per_row> sink{out.resolved(cols)};
  rowfold::fold_row<row_data>(group, static_cast<long long>(rowfold::simt::block_rank()), cols,
                              source_type{x, rowfold::row_layout{}.resolved(cols)}, folds, map, sink);
}

// The kernels of transpose, for elements of two bytes.
template __global__ void rowfold::transpose_kernel<rowfold::transpose_tiles<2>::aligned>(rowfold::transpose_tiling,
                                                                                         const unsigned char*,
                                                                                         unsigned char*);
template __global__ void rowfold::skewed_transpose_kernel<rowfold::transpose_tiles<2>::large_skewed>(
    rowfold::transpose_tiling, const unsigned char*, unsigned char*);

// An elementwise op's kernel, for a function of the user's own.
struct scaled_sum {
  float scale;
  __device__ float operator()(float a, float b) const { return scale * (a + b); }
};
template __global__ void
    rowfold::elementwise_kernel<rowfold::elementwise_tile<8, 2, 256, rowfold::store_hint::write_back>>(
        rowfold::elementwise_span,
        rowfold::elementwise_work<scaled_sum, rowfold::tensor_list<const __half, const float>,
                                  rowfold::tensor_list<__half>>);
