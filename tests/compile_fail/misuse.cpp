// SPDX-License-Identifier: MIT
// Uses of the library that must not compile, one per value of MISUSE; 0 is a correct use, which must.
// tests/compile_fail/CMakeLists.txt holds the sentence that each error has to show.
#include "rowfold/block/block_reduce.cuh"
#include "rowfold/folds/sum.cuh"
#include "rowfold/layer_norm.cuh"
#include "rowfold/memory/vec.cuh"
#include "rowfold/numeric/convert.cuh"
#include "rowfold/rms_norm.cuh"
#include "rowfold/row/row_kernel.cuh"
#include "rowfold/row/source.cuh"
#include "rowfold/warp/warp_reduce.cuh"

namespace {

struct not_bytes {
  not_bytes(const not_bytes& other) : value(other.value) {}
  int value;
};

[[maybe_unused]] void use(float x, unsigned count, rowfold::block_storage<float, 2>& storage) {
  (void)count;
  (void)storage;
#if MISUSE == 0
  (void)rowfold::warp_all_reduce<8>(x, rowfold::sum{}, rowfold::valid_lanes{5});
  (void)rowfold::block_reduce<float, 64>(storage).all_reduce(x, rowfold::sum{});
#elif MISUSE == 1
  (void)rowfold::warp_all_reduce<3>(x, rowfold::sum{});
#elif MISUSE == 2
  (void)rowfold::warp_reduce<64>(x, rowfold::sum{});
#elif MISUSE == 3
  (void)rowfold::warp_all_reduce<0>(x, rowfold::sum{});
#elif MISUSE == 4
  (void)rowfold::logical_warp_mask<24>();
#elif MISUSE == 5
  (void)rowfold::warp_all_reduce(x, rowfold::sum{}, count);  // a mask, a count, or a width?
#elif MISUSE == 6
  rowfold::block_storage<float, 33> large{};
  (void)large;
#elif MISUSE == 7
  rowfold::vec<float, 3> three{};
  (void)three;
#elif MISUSE == 8
  (void)rowfold::convert<__half>(static_cast<int>(x));
#elif MISUSE == 9
  (void)rowfold::warp_all_reduce(not_bytes(reinterpret_cast<const not_bytes&>(x)),
                                 [](const not_bytes& a, const not_bytes&) { return a; });
#elif MISUSE == 10
  (void)rowfold::block_reduce<float, 1025>::TempStorage{};
#elif MISUSE == 11
  using early_row = rowfold::held_row<rowfold::granule_access::whole, 2, rowfold::plain_source<float>, 1,
                                      rowfold::parameter_loads::early>;
  rowfold::row_group<rowfold::group_kind::block> group(64, nullptr);
  const auto layout = rowfold::row_layout::strided(4);
  rowfold::fold_row<early_row>(group, 0, 4, rowfold::plain_source<float>{&x, layout}, rowfold::stages(),
                               rowfold::identity_map{}, rowfold::plain_sink<float>{nullptr, layout});
#elif MISUSE == 12
  (void)rowfold::layer_norm<rowfold::only_columns<768> >(&x, &x, &x, &x, 1, 768, 1e-5);
#elif MISUSE == 13
  (void)rowfold::rms_norm<rowfold::weight_rounding::none, rowfold::only_columns<768> >(&x, &x, &x, 1, 768, 1e-5);
#elif MISUSE == 14
  (void)rowfold::layer_norm<rowfold::accurate_math, float>(&x, &x, &x, &x, 1, 768, 1e-5);
#elif MISUSE == 15
  (void)rowfold::layer_norm<rowfold::accurate_math, rowfold::only_columns<768, -8> >(&x, &x, &x, &x, 1, 768, 1e-5);
#endif
}

}  // namespace
