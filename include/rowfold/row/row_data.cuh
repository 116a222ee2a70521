// SPDX-License-Identifier: MIT
// A thread's part of one row, as stages and maps walk over it: kept packed in registers, or read again each time.
//
// Both kinds have for_each(f), which calls f(values, position) for the thread's granules in increasing column, in the
// same order and with the same values; every lane of a group makes the same number of calls, also for granules behind
// the end of the row, so that f may use warp operations.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/ptx/opaque.cuh"
#include "rowfold/row/row_group.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Where a granule lies in its row.
template <granule_access Access>
struct granule_position {
  static constexpr granule_access access = Access;
  long long row;
  int column;  // the first of the granule
  int cols;    // of the row; 0 if the group has no row

  // Calls f(i) for each of the granule's N columns that exists, in order.
  template <int N, class F>
  ROWFOLD_DEVICE void for_each_column(F&& f) const {
    const int valid = cols - column;
    if (Access == granule_access::full || valid >= N) {
      ROWFOLD_UNROLL
      for (int i = 0; i < N; ++i) f(i);
    } else if (Access == granule_access::any && valid > 0) {
      ROWFOLD_UNROLL
      for (int i = 0; i < N; ++i) {
        if (i < valid) f(i);
      }
    }
  }
};

namespace detail {

// Vectors up to which a thread unpacks its granules once and keeps the values. With more, those registers cost more
// threads than unpacking them again in each pass costs time (bfloat16 LayerNorm on an H200, 4 and 5 vectors).
inline constexpr int max_unpacked_vectors = 4;

// A source's packed granule, whose bits the compiler then knows nothing about: it unpacks it again.
template <class Packed>
ROWFOLD_DEVICE void hide_granule(Packed& packed) {
  static_assert(sizeof(Packed) % 4 == 0, "a packed granule consists of 32-bit words");
  struct words {
    unsigned word[sizeof(Packed) / 4];
  };
  words all = bit_copy<words>(packed);
  ROWFOLD_UNROLL
  for (unsigned& word : all.word) ptx::hide_from_compiler(word);
  packed = bit_copy<Packed>(all);
}

// `Vectors` granules of a row, `step` columns apart, loaded together so that as many loads are in flight. The first Full
// of them exist in every lane.
template <granule_access Access, int Vectors, int Full, class Source>
struct granule_batch {
  typename Source::packed_type packed[Vectors];

  template <int K>
  static constexpr granule_access access_of = Access == granule_access::whole && (K < Full) ? granule_access::full
                                                                                            : Access;
  // What is known of a granule whose row may not exist.
  static constexpr granule_access checked = Access == granule_access::any ? Access : granule_access::whole;

  // RowExists promises that the group has a row: then full granules need no question.
  template <bool RowExists>
  ROWFOLD_DEVICE void load(const Source& source, const typename Source::row_type& row, int column, int step) {
    typename Source::template fetched_type<Access == granule_access::any> fetched[Vectors];
    fetch<RowExists, 0>(fetched, source, row, column, step);
    finish<RowExists, 0>(fetched, source, row, column, step);
  }

  template <int K = 0, class F>
  ROWFOLD_DEVICE void for_each(const typename Source::row_type& row, int column, int step, F&& f) {
    if constexpr (Vectors > max_unpacked_vectors) hide_granule(packed[K]);
    f(Source::unpack(packed[K]), granule_position<access_of<K>>{row.index, column + K * step, row.cols});
    if constexpr (K + 1 < Vectors) for_each<K + 1>(row, column, step, f);
  }

 private:
  template <bool RowExists, int K, class Fetched>
  ROWFOLD_DEVICE void fetch(Fetched& fetched, const Source& source, const typename Source::row_type& row, int column,
                            int step) {
    fetched[K] = source.template fetch<(RowExists ? access_of<K> : checked)>(row, column + K * step);
    if constexpr (K + 1 < Vectors) fetch<RowExists, K + 1>(fetched, source, row, column, step);
  }

  template <bool RowExists, int K, class Fetched>
  ROWFOLD_DEVICE void finish(const Fetched& fetched, const Source& source, const typename Source::row_type& row,
                             int column, int step) {
    packed[K] = source.template finish<(RowExists ? access_of<K> : checked)>(fetched[K], row, column + K * step);
    if constexpr (K + 1 < Vectors) finish<RowExists, K + 1>(fetched, source, row, column, step);
  }
};

}  // namespace detail

// A row of at most Vectors granules per lane, read once. With access `full`, every lane has Vectors granules; with `whole`,
// every lane has Vectors - 1, and some have one more.
template <granule_access Access, int Vectors, class Source>
class held_row {
 public:
  template <class Group>
  ROWFOLD_DEVICE held_row(const Source& source, const typename Source::row_type& row, const Group& group)
      : row_(row), column_(group.rank() * Source::granule), step_(group.lanes() * Source::granule) {
    batch_.template load<Group::kind == group_kind::block>(source, row_, column_, step_);
  }

  template <class F>
  ROWFOLD_DEVICE void for_each(F&& f) {
    batch_.for_each(row_, column_, step_, f);
  }

 private:
  typename Source::row_type row_;
  int column_;
  int step_;
  detail::granule_batch<Access, Vectors, Vectors - 1, Source> batch_;
};

// A row of any width, read in each pass, Vectors granules at a time.
template <granule_access Access, int Vectors, class Source>
class reread_row {
 public:
  template <class Group>
  ROWFOLD_DEVICE reread_row(const Source& source, const typename Source::row_type& row, const Group& group)
      : source_(source), row_(row), rank_(group.rank()), lanes_(group.lanes()) {}

  template <class F>
  ROWFOLD_DEVICE void for_each(F&& f) {
    const int step = lanes_ * Source::granule;
    const int batch_columns = Vectors * step;
    int start = 0;
    if constexpr (Access == granule_access::whole) {
      // Batches that every lane has completely ask no questions.
      for (; row_.cols - start >= batch_columns; start += batch_columns)
        fold_batch<granule_access::full>(start, step, f);
      if (start < row_.cols) fold_batch<Access>(start, step, f);
    } else {
      // The planner keeps cols so far below the largest int that no column here overflows.
      for (; start < row_.cols; start += batch_columns) fold_batch<Access>(start, step, f);
    }
  }

 private:
  template <granule_access BatchAccess, class F>
  ROWFOLD_DEVICE void fold_batch(int start, int step, F& f) {
    detail::granule_batch<BatchAccess, Vectors, 0, Source> batch;
    const int column = start + rank_ * Source::granule;
    batch.template load<BatchAccess == granule_access::full>(source_, row_, column, step);
    batch.for_each(row_, column, step, f);
  }

  Source source_;
  typename Source::row_type row_;
  int rank_;
  int lanes_;
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
