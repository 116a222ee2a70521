// SPDX-License-Identifier: MIT
// Where LayerNorm reads and writes: nothing but the rows, for any width, address and stride. run() looks after canaries
// and gaps in every test; here are the shapes that are known to break them.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "layer_norm/hard_rows.hpp"
#include "layer_norm/layer_norm_run.hpp"
#include "layer_norm/reference.hpp"
#include "support/check.hpp"
#include "support/element.hpp"

using namespace rowfold_test;
using rowfold::row_layout;

namespace {

// Exactly so many bytes of memory: memcheck (GPU) and AddressSanitizer (CPU) see the first byte behind them.
class exact_memory {
 public:
  exact_memory(element type, const std::vector<double>& values) : type_(type), bytes_(values.size() * bytes_of(type)) {
    std::vector<unsigned char> image(bytes_);
    for (std::size_t i = 0; i < values.size(); ++i) encode(type, values[i], &image[i * bytes_of(type)]);
#if defined(__CUDACC__)
    require_success(cudaMalloc(&memory_, bytes_));
    require_success(cudaMemcpy(memory_, image.data(), bytes_, cudaMemcpyHostToDevice));
#else
    memory_ = std::malloc(bytes_);
    REQUIRE(memory_ != nullptr);
    std::memcpy(memory_, image.data(), bytes_);
#endif
  }
  exact_memory(const exact_memory&) = delete;
  exact_memory& operator=(const exact_memory&) = delete;
  ~exact_memory() {
#if defined(__CUDACC__)
    (void)cudaFree(memory_);
#else
    std::free(memory_);
#endif
  }

  unsigned char* data() { return static_cast<unsigned char*>(memory_); }

  std::vector<double> values() const {
    std::vector<unsigned char> image(bytes_);
#if defined(__CUDACC__)
    require_success(cudaMemcpy(image.data(), memory_, bytes_, cudaMemcpyDeviceToHost));
#else
    std::memcpy(image.data(), memory_, bytes_);
#endif
    std::vector<double> result;
    for (std::size_t i = 0; i < bytes_; i += bytes_of(type_)) result.push_back(decode(type_, &image[i]));
    return result;
  }

 private:
  element type_;
  std::size_t bytes_;
  void* memory_ = nullptr;
};

void check_right(const layer_norm_input& input, const placement& where = {}) {
  CHECK(compare(input, run(input, where)).fault == "");
}

}  // namespace

TEST_CASE("odd rows behind one another do not touch their neighbours", "[sanitize]") {
  for (const type_set* types : type_sets()) {
    for (int cols = 1; cols <= 40; ++cols) {
      const layer_norm_input input = normal_rows(*types, 7, cols);
      const layer_norm_output first = run(input);
      CHECK(compare(input, first).fault == "");
      CHECK(same_bits(first.y, run(input).y));
    }
    check_right(normal_rows(*types, 7, 769));
  }
}

TEST_CASE("each tensor may lie at any element") {
  for (const type_set* types : type_sets()) {
    const layer_norm_input input = normal_rows(*types, 4, 1024);
    for (std::size_t placement::*offset : {&placement::x_offset, &placement::y_offset, &placement::gamma_offset,
                                           &placement::beta_offset, &placement::mean_offset, &placement::rstd_offset}) {
      for (const std::size_t elements : {1, 2, 4}) {
        placement where;
        where.*offset = elements;
        where.count_bytes = true;
        const layer_norm_output output = run(input, where);
        CHECK(compare(input, output).fault == "");
        if (on_cpu) CHECK(output.issued_bytes == output.plan.issued_bytes);
      }
    }
  }
}

TEST_CASE("rows may be heads of a packed projection or slices of a batch") {
  for (const type_set* types : type_sets()) {
    // The 64 query heads of 128 columns among 64 + 16 heads of each of 4 tokens.
    const layer_norm_input heads = normal_rows(*types, 4 * 64, 128);
    const layer_norm_output expected = run(heads);
    CHECK(compare(heads, expected).fault == "");
    placement where;
    where.name = "query heads";
    where.x_layout = row_layout::nested(64, 128, 80 * 128);
    CHECK(same_bits(run(heads, where).y, expected.y));
    where.y_layout = where.x_layout;
    CHECK(same_bits(run(heads, where).y, expected.y));
    where.x_offset = 3;
    CHECK(same_bits(run(heads, where).y, expected.y));
    if (types->x == types->y) {
      where.in_place = true;
      CHECK(same_bits(run(heads, where).y, expected.y));
    }
    // The first third of every row of a wider matrix.
    const layer_norm_input slices = normal_rows(*types, 16, 128);
    where = {};
    where.name = "slices";
    where.x_layout = row_layout::strided(384);
    where.y_layout = row_layout::strided(384);
    check_right(slices, where);
  }
}

TEST_CASE("rows that are one and the same in memory are read as often as there are rows") {
  for (const type_set* types : type_sets()) {
    layer_norm_input input = normal_rows(*types, 3, 100);
    for (std::size_t i = 100; i < input.x.size(); ++i) input.x[i] = input.x[i - 100];
    placement where;
    where.name = "stride 0";
    where.x_layout = row_layout::strided(0);
    check_right(input, where);
  }
}

TEST_CASE("the last row may end where its allocation ends, and the first begin where it begins", "[sanitize]") {
  for (const type_set* types : type_sets()) {
    for (const int cols : {1, 7, 8, 33, 64, 250, 771, 1024}) {
      for (const std::int64_t rows : {1, 3}) {
        for (const bool reread : {false, true}) {
          INFO(types->name << ", " << rows << " x " << cols << ", reread " << reread);
          const layer_norm_input input = normal_rows(*types, rows, cols);
          exact_memory x(types->x, input.x), gamma(types->parameter, input.gamma), beta(types->parameter, input.beta);
          exact_memory y(types->y, std::vector<double>(input.x.size(), 0.0));
          exact_memory mean(types->statistic(), std::vector<double>(static_cast<std::size_t>(rows), 0.0));
          exact_memory rstd(types->statistic(), std::vector<double>(static_cast<std::size_t>(rows), 0.0));
          layer_norm_call call;
          call.x = x.data();
          call.gamma = gamma.data();
          call.beta = beta.data();
          call.y = y.data();
          call.rows = rows;
          call.cols = cols;
          call.mean = mean.data();
          call.rstd = rstd.data();
          call.request.reread = reread;
          require_success(types->run(call));
          rowfold_test::sync();
          layer_norm_output output;
          output.y = y.values();
          output.mean = mean.values();
          output.rstd = rstd.values();
          CHECK(compare(input, output).fault == "");
        }
      }
    }
  }
}
