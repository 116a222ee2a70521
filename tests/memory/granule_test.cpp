// SPDX-License-Identifier: MIT
// load_granule and store_granule, fill_stage, read_stage and store_through_tile: every address, every number of columns
// around the granules' ends, every size of element and granule, every width of a segment. No byte outside the row is
// read or written.
//
// Reads outside a row are counted byte by byte on the CPU executor; under AddressSanitizer the bytes around the rows
// are poisoned as well. Writes are found on both back ends by comparing all of the memory around the rows.
#include "rowfold/memory/granule.cuh"
#include "rowfold/memory/staging.cuh"

#include <cstddef>
#include <memory>
#include <vector>

#include "support/run.cuh"
#if !defined(__CUDACC__)
#include "rowfold/cpu/traffic.hpp"
#endif

namespace simt = rowfold::simt;
using rowfold::granule_access;
using rowfold::load_hint;
using rowfold::packed;
using rowfold_test::buffer;

namespace {

template <class Element, int Columns>
struct granule_type {
  using element = Element;
  static constexpr int columns = Columns;
};

// The bits of column `column` in row `row`: no byte is 0 (what is not there) or 0xFF (what nobody wrote).
template <class T>
ROWFOLD_HOST_DEVICE constexpr T pattern(int row, int column) {
  T bits = 0;
  for (unsigned i = 0; i < sizeof(T); ++i) {
    const unsigned byte = 1u + (static_cast<unsigned>(row) * 31u + static_cast<unsigned>(column) * 7u + i * 3u) % 251u;
    bits = static_cast<T>(bits | static_cast<T>(static_cast<T>(byte) << (8 * i)));
  }
  return bits;
}

// Rows in one buffer, an odd number of elements apart, so that as many of them as there are alignments meet each one.
struct rows_at_every_address {
  int rows;
  int cols;
  ROWFOLD_HOST_DEVICE constexpr int start(int row) const { return row * ((cols + 32) | 1) + 1; }
};

// Rows that all start at a multiple of 16 bytes.
struct aligned_rows {
  int rows;
  int cols;
  ROWFOLD_HOST_DEVICE constexpr int start(int row) const { return (row + 1) * ((cols + 63) / 32 * 32); }
};

template <class Rows>
constexpr std::size_t elements_of(const Rows& where) {
  return static_cast<std::size_t>(where.start(where.rows));
}

// Block r loads row r, thread t its granule t, and stores what came as it is.
template <class T, int N, granule_access Access, load_hint Hint, class Rows>
struct load_body {
  const T* in;
  packed<T, N>* out;
  Rows where;
  int cols;
  ROWFOLD_DEVICE void operator()() const {
    const int row = static_cast<int>(simt::block_rank());
    const unsigned thread = simt::thread_rank();
    out[simt::block_rank() * simt::block_threads() + thread] =
        rowfold::load_granule<Access, Hint, N>(in + where.start(row), cols, static_cast<int>(thread) * N);
  }
};

// The same by way of a stage: all threads of block r fill it with row r.
template <class T, int N, granule_access Access, class Rows>
struct stage_body {
  const T* in;
  packed<T, N>* out;
  Rows where;
  int cols;
  ROWFOLD_DEVICE void operator()() const {
    unsigned char* const stage = &simt::shared<unsigned char>();
    const T* const row = in + where.start(static_cast<int>(simt::block_rank()));
    const int thread = static_cast<int>(simt::thread_rank());
    const int threads = static_cast<int>(simt::block_threads());
    if (Access == granule_access::any) {
      rowfold::fill_stage(stage, row, cols, thread, threads);
    } else {
      rowfold::fill_aligned_stage(stage, row, cols, thread, threads);
    }
    rowfold::ptx::commit_copies();
    rowfold::ptx::wait_copies<0>();
    simt::sync_block();  // orders every thread's copies before the reads of all
    packed<T, N>& mine = out[simt::block_rank() * simt::block_threads() + simt::thread_rank()];
    if (thread * N < cols) {
      mine = rowfold::read_stage<Access, N>(stage, row, thread * N);
    } else {
      mine = packed<T, N>{};
    }
  }
};

// In every third row nothing exists, for segments that have no row.
ROWFOLD_HOST_DEVICE constexpr bool is_empty(int row) { return row % 3 == 1; }

// One warp a block: `width` lanes share a row and store its pattern, each by itself or through tiles.
template <class T, int N, granule_access Access, bool Tile, class Rows>
struct store_body {
  T* out;
  Rows where;
  int cols;
  int width;
  ROWFOLD_DEVICE void operator()() const {
    const int thread = static_cast<int>(simt::thread_rank());
    const int rank = thread % width;
    const int row = static_cast<int>(simt::block_rank()) * (32 / width) + thread / width;
    const int existing = is_empty(row) ? 0 : cols;
    for (int first = 0; first < cols; first += width * N) {
      const int column = first + rank * N;
      packed<T, N> values{};
      for (int i = 0; i < N; ++i) {
        const T bits = column + i < existing ? pattern<T>(row, column + i) : T(0);
        rowfold::put_element(values, i, rowfold::bit_copy<rowfold::raw_bytes<sizeof(T)>>(bits));
      }
      T* const start = out + where.start(row);
      if constexpr (Tile) {
        unsigned char* const tile = &simt::shared<unsigned char>() + (thread - rank) * N * static_cast<int>(sizeof(T));
        rowfold::store_through_tile<rowfold::store_hint::write_back>(tile, start, existing, column, values,
                                                                     rowfold::lane_segment{rank, width});
      } else {
        rowfold::store_granule<Access, rowfold::store_hint::write_back>(start, existing, column, values);
      }
    }
  }
};

#if !defined(__CUDACC__)
// Watches everything between the rows; what is loaded there should not be.
template <class T, class Rows>
class watched_gaps {
 public:
  watched_gaps(buffer<T>& b, const Rows& where) {
    std::size_t from = 0;
    for (int row = 0; row <= where.rows; ++row) {
      const std::size_t to = row == where.rows ? b.size() : static_cast<std::size_t>(where.start(row));
      gaps_.push_back(std::make_unique<rowfold::cpu::watched_range>(b.data() + from, (to - from) * sizeof(T)));
      b.forbid(from, to - from);
      from = to + static_cast<std::size_t>(where.cols);
    }
  }
  ~watched_gaps() {
    while (!gaps_.empty()) gaps_.pop_back();  // watched ranges end in reverse order
  }
  std::size_t loaded_bytes() const {
    std::size_t bytes = 0;
    for (const auto& gap : gaps_) bytes += gap->loaded_bytes();
    return bytes;
  }

 private:
  std::vector<std::unique_ptr<rowfold::cpu::watched_range>> gaps_;
};
#endif

// Loads rows, by load_granule or by way of a stage, and compares every element. What is past the end of a granule
// that comes from a stage is unspecified.
template <class T, int N, granule_access Access, load_hint Hint, bool Stage = false, class Rows>
void check_load(const Rows& where) {
  const int cols = where.cols;
  const int threads = cols / N + (Access == granule_access::full ? 0 : 3);  // two granules and more behind the end
  std::vector<T> values(elements_of(where), T(~T(0)));
  for (int row = 0; row < where.rows; ++row) {
    for (int c = 0; c < cols; ++c) values[static_cast<std::size_t>(where.start(row) + c)] = pattern<T>(row, c);
  }
  buffer<T> in(elements_of(where));
  buffer<packed<T, N>> out(static_cast<std::size_t>(where.rows) * static_cast<std::size_t>(threads));
  in.upload(values);
#if !defined(__CUDACC__)
  const watched_gaps<T, Rows> gaps(in, where);
#endif
  if constexpr (Stage) {
    rowfold_test::run(stage_body<T, N, Access, Rows>{in.data(), out.data(), where, cols}, threads,
                      static_cast<int>(rowfold::stage_bytes((cols + N - 1) / N * N, static_cast<int>(sizeof(T)))),
                      where.rows);
  } else {
    rowfold_test::run(load_body<T, N, Access, Hint, Rows>{in.data(), out.data(), where, cols}, threads, 0, where.rows);
  }
#if !defined(__CUDACC__)
  CHECK(gaps.loaded_bytes() == 0);
#endif
  const std::vector<packed<T, N>> loaded = out.download();
  int wrong = 0;
  for (int row = 0; row < where.rows; ++row) {
    for (int c = 0; c < threads * N; ++c) {
      // The bytes of a packed are those of its elements in memory: both machines are little-endian.
      T element;
      const auto& granule = loaded[static_cast<std::size_t>(row * threads + c / N)];
      std::memcpy(&element, reinterpret_cast<const unsigned char*>(&granule) + c % N * static_cast<int>(sizeof(T)),
                  sizeof(T));
      const bool promised = c < cols || (Access == granule_access::any && !Stage);
      if (promised && element != (c < cols ? pattern<T>(row, c) : T(0))) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

template <class T, int N, granule_access Access, bool Tile = false, class Rows>
void check_store(const Rows& where, int width) {
  const int cols = where.cols;
  std::vector<T> expected(elements_of(where), T(~T(0)));
  int stored_rows = 0;
  for (int row = 0; row < where.rows; ++row) {
    if (is_empty(row)) continue;
    ++stored_rows;
    for (int c = 0; c < cols; ++c) expected[static_cast<std::size_t>(where.start(row) + c)] = pattern<T>(row, c);
  }
  buffer<T> out(elements_of(where));
#if !defined(__CUDACC__)
  const watched_gaps<T, Rows> gaps(out, where);
  const rowfold::cpu::watched_range watched(out.data(), out.size() * sizeof(T));
#endif
  rowfold_test::run(store_body<T, N, Access, Tile, Rows>{out.data(), where, cols, width}, 32,
                    Tile ? 32 * N * static_cast<int>(sizeof(T)) : 0, where.rows * width / 32);
#if !defined(__CUDACC__)
  // Every element once.
  CHECK(watched.stored_bytes() == sizeof(T) * static_cast<std::size_t>(stored_rows) * static_cast<std::size_t>(cols));
  CHECK(watched.loaded_bytes() == 0);
#endif
  CHECK(out.download() == expected);
  CHECK(out.canaries_intact());
}

// Numbers of columns where something changes for a segment of `width` lanes.
template <int N>
std::vector<int> interesting_columns(int width) {
  std::vector<int> columns;
  const int last = width == 1 ? 3 * N + 2 : N + 2;
  for (int c = 0; c <= last; ++c) columns.push_back(c);
  for (const int c : {width * N - 1, width * N, width * N + 1, width * N + N + 1, 2 * width * N - 1}) {
    if (c > last) columns.push_back(c);
  }
  return columns;
}

}  // namespace

// One, two, four and eight bytes an element; granules of less than one word, of one chunk, and of several.
TEMPLATE_TEST_CASE("a granule is loaded from any address, itself or in a stage, and nothing around the row is read", "",
                   (granule_type<unsigned char, 2>), (granule_type<unsigned char, 4>),
                   (granule_type<unsigned char, 16>), (granule_type<unsigned short, 2>),
                   (granule_type<unsigned short, 4>), (granule_type<unsigned short, 8>),
                   (granule_type<unsigned short, 16>), (granule_type<unsigned, 2>), (granule_type<unsigned, 4>),
                   (granule_type<unsigned long long, 2>), (granule_type<unsigned long long, 4>)) {
  using T = typename TestType::element;
  constexpr int n = TestType::columns;
  constexpr int alignments = 16 / static_cast<int>(sizeof(T));
  for (int cols = 0; cols <= 3 * n + 2; ++cols) {
    CAPTURE(sizeof(T), n, cols);
    check_load<T, n, granule_access::any, load_hint::coherent>(rows_at_every_address{alignments, cols});
    check_load<T, n, granule_access::any, load_hint::coherent, true>(rows_at_every_address{alignments, cols});
    if (cols % 5 == 0)
      check_load<T, n, granule_access::any, load_hint::read_only>(rows_at_every_address{alignments, cols});
  }
}

TEMPLATE_TEST_CASE(
    "a granule is stored to any address, itself or through a tile, and nothing around the row is written", "",
    (granule_type<unsigned char, 2>), (granule_type<unsigned char, 4>), (granule_type<unsigned char, 16>),
    (granule_type<unsigned short, 2>), (granule_type<unsigned short, 4>), (granule_type<unsigned short, 8>),
    (granule_type<unsigned short, 16>), (granule_type<unsigned, 2>), (granule_type<unsigned, 4>),
    (granule_type<unsigned long long, 2>), (granule_type<unsigned long long, 4>)) {
  using T = typename TestType::element;
  constexpr int n = TestType::columns;
  for (const int width : {1, 2, 4, 8, 16, 32}) {
    const int rows = (3 * 16 / static_cast<int>(sizeof(T)) + 31) / 32 * 32;  // every alignment, in whole warps
    for (const int cols : interesting_columns<n>(width)) {
      CAPTURE(sizeof(T), n, width, cols);
      if (width == 8) check_store<T, n, granule_access::any>(rows_at_every_address{rows, cols}, width);
      check_store<T, n, granule_access::any, true>(rows_at_every_address{rows, cols}, width);
    }
  }
}

TEMPLATE_TEST_CASE("aligned granules move whole, and those past the end of the row not at all", "",
                   (granule_type<unsigned char, 4>), (granule_type<unsigned short, 8>),
                   (granule_type<unsigned short, 16>)) {
  using T = typename TestType::element;
  constexpr int n = TestType::columns;
  for (int granules = 0; granules <= 9; ++granules) {
    CAPTURE(sizeof(T), n, granules);
    const aligned_rows where{6, granules * n};
    check_load<T, n, granule_access::whole, load_hint::coherent>(where);
    check_load<T, n, granule_access::whole, load_hint::read_only>(where);
    if (n * sizeof(T) % 16 == 0) check_load<T, n, granule_access::whole, load_hint::coherent, true>(where);
    if (granules > 0) check_load<T, n, granule_access::full, load_hint::coherent>(where);
    for (const int width : {1, 4, 32}) check_store<T, n, granule_access::whole>(aligned_rows{32, granules * n}, width);
  }
}
