// SPDX-License-Identifier: MIT
// Dropout + residual addition + LayerNorm: the bits of add_layer_norm on an x in float from which the host has dropped
// the same elements, whichever kernel serves the rows and wherever they lie.
#include "rowfold/dropout_add_layer_norm.cuh"

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "add_layer_norm/add_layer_norm_types.hpp"
#include "add_norm/checks.hpp"
#include "add_norm/run.hpp"
#include "dropout/mask.hpp"
#include "support/buffer.cuh"
#include "support/check.hpp"

using namespace rowfold_test;
using namespace rowfold_test::add_norm;
using rowfold::row_layout;

namespace {

// What the arguments of an addition + norm do not hold: the dropout of the calls that follow.
struct dropout_options {
  double p = 0.25;
  rowfold::random_state random{};
};
dropout_options& current() {
  static dropout_options options;
  return options;
}

// All of type T, the bias too.
template <class T>
rowfold::dropout_add_layer_norm_args<T, T, T, T, T, T, T> typed(const call& c) {
  rowfold::dropout_add_layer_norm_args<T, T, T, T, T, T, T> args;
  args.x = static_cast<const T*>(c.x);
  args.residual = static_cast<const T*>(c.residual);
  args.bias = static_cast<const T*>(c.bias);
  args.gamma = static_cast<const T*>(c.gamma);
  args.beta = static_cast<const T*>(c.beta);
  args.y = static_cast<T*>(c.y);
  args.sum = static_cast<T*>(c.sum);
  args.rows = c.rows;
  args.cols = c.cols;
  args.eps = c.eps;
  args.x_layout = c.x_layout;
  args.residual_layout = c.residual_layout;
  args.y_layout = c.y_layout;
  args.sum_layout = c.sum_layout;
  args.mean = static_cast<float*>(c.mean);
  args.rstd = static_cast<float*>(c.rstd);
  args.request = c.request;
  args.p = current().p;
  args.random = current().random;
  return args;
}

template <class T>
op_types types_of(const char* name, element type) {
  op_types types{};
  types.name = name;
  types.x = types.residual = types.bias = types.parameter = types.y = types.sum = type;
  types.has_mean = true;
  types.run = [](const call& c) { return rowfold::dropout_add_layer_norm(typed<T>(c), c.stream); };
  types.plan = [](const call& c) {
    rowfold::device_info device;
    require_success(rowfold::current_device_info(device));
    return rowfold::plan_dropout_add_layer_norm(typed<T>(c), device);
  };
  return types;
}

// The op, and the addition + LayerNorm that takes its x in float.
struct pair_of_types {
  op_types op;
  const op_types* reference;
};

// Those for which this build has a reference: under a sanitizer float alone.
std::vector<pair_of_types> pairs() {
  std::vector<pair_of_types> list;
  for (const op_types* types : add_layer_norm_ops()) {
    if (types->name == std::string("float")) list.push_back({types_of<float>("float", element::float32), types});
    if (types->name == std::string("float with a half residual")) {
      list.push_back({types_of<__half>("half", element::float16), types});
    }
  }
  REQUIRE(list.size() == (rowfold_test::sanitized ? 1 : 2));
  return list;
}

// The same without dropout and bias: x is dropout(x + bias), exact in float.
input dropped(const input& in, const op_types& reference, std::uint64_t seed, std::uint64_t offset) {
  input result = in;
  result.types = &reference;
  result.bias.clear();
  for (std::size_t i = 0; i < in.x.size(); ++i) {
    double x = round_to(in.types->x, in.x[i]);
    if (!in.bias.empty()) {
      const double bias = round_to(in.types->bias, in.bias[i % static_cast<std::size_t>(in.cols)]);
      x = round_to(element::float32, x + bias);
    }
    result.x[i] = dropped_float(x, current().p, seed, offset, i);
  }
  return result;
}

void check_same(const output& expected, const output& found) {
  CHECK(same_bits(expected.y, found.y));
  if (!found.sum.empty()) CHECK(same_bits(expected.sum, found.sum));
  if (!found.mean.empty()) CHECK(same_bits(expected.mean, found.mean));
  if (!found.rstd.empty()) CHECK(same_bits(expected.rstd, found.rstd));
}

constexpr std::uint64_t some_seed = 0xFEDCBA9876543210, some_offset = 0x100000002;

void set_options(double p) {
  current() = {};
  current().p = p;
  current().random.seed = some_seed;
  current().random.offset = some_offset;
}

}  // namespace

TEST_CASE("dropout_add_layer_norm gives the bits of add_layer_norm behind the dropout", "[race][sanitize]") {
  for (const pair_of_types& types : pairs()) {
    const int granule = types.op.granule();
    std::vector<int> widths = {1, 7, 33, 1283};
    for (const int granules : {8, 6, 96, 128, 160, 192, 256, 320}) {
      if (!rowfold_test::sanitized || granules < 100) widths.push_back(granules * granule);
    }
    for (const int cols : widths) {
      for (const double p : {0.25, 0.0, 1.0}) {
        if (p != 0.25 && cols > 1000) continue;
        set_options(p);
        const input in = normal_rows(types.op, cols < 1000 ? 3 : 1, cols, cols % 2 == 0);
        const output expected = run(dropped(in, *types.reference, some_seed, some_offset));
        for (int request = 0; request < 6; ++request) {
          placement where;
          where.count_bytes = true;
          where.request.any_access = request % 2 != 0;
          where.request.staged = request / 2 == 1;
          where.request.reread = request / 2 == 2;
          INFO(types.op.name << ", " << cols << " columns, p " << p << ", request " << request);
          const output found = run(in, where);
          check_same(expected, found);
          if (on_cpu) CHECK(found.issued_bytes == found.plan.issued_bytes);
        }
      }
    }
  }
}

TEST_CASE("dropout_add_layer_norm is within the bounds of LayerNorm") {
  set_options(0.25);
  rowfold_test::accuracy_table table = table_of("dropout_add_layer_norm");
  for (const pair_of_types& types : pairs()) {
    std::mt19937_64 engine(seed());
    for (int i = 0; i < 40; ++i) {
      const int limit = rowfold_test::sanitized || i % 2 == 0 ? 64 : i % 4 == 3 ? 6000 : 1000;
      const int widest = i % 20 == 19 && !rowfold_test::sanitized ? 17000 : 0;
      const int cols = 2 + widest + static_cast<int>(engine() % static_cast<unsigned>(limit));
      const input in = random_input(engine, types.op, cols);
      const input behind = dropped(in, *types.reference, some_seed, some_offset);
      INFO(types.op.name << ", " << cols << " columns, " << in.rows << " rows");
      const judgement judged = types.reference->judge(behind, sums_of(behind, true), types.reference->sum, run(in));
      CHECK(judged.fault == "");
      table.add(types.op.name, cols, judged.worst_y);
    }
  }
  table.write();
}

TEST_CASE("dropout_add_layer_norm in place, at any address and stride") {
  set_options(0.5);
  for (const pair_of_types& types : pairs()) {
    for (const int cols : {33, 64, 1000}) {
      const input in = normal_rows(types.op, 4, cols, true);
      const output expected = run(dropped(in, *types.reference, some_seed, some_offset));
      for (const bool reread : {false, true}) {
        for (const place y : {place::apart, place::over_x, place::over_residual}) {
          placement where;
          where.name = "y somewhere";
          where.y = y;
          where.sum = y == place::over_residual ? place::over_x : place::over_residual;
          where.x_offset = 1;
          where.residual_offset = 3;
          where.gamma_offset = 1;
          where.x_layout = row_layout::strided(cols + 3);
          where.residual_layout = row_layout::nested(2, -cols - 1, 3 * cols + 8);
          where.request.reread = reread;
          check_same(expected, run(in, where));
          where.sum = place::nowhere;
          check_same(expected, run(in, where));
        }
      }
    }
  }
}

TEST_CASE("dropout_add_layer_norm drops NaN, and reads seeds from device memory") {
  const std::vector<pair_of_types> list = pairs();
  const pair_of_types& types = list.front();
  buffer<std::uint64_t> state(2);
  state.upload({3, 4});
  set_options(0.5);
  current().random.offset = 1;
  current().random.device_seed = state.data();
  current().random.device_offset = state.data() + 1;
  input in = normal_rows(types.op, 2, 100, false);
  for (std::size_t i = 0; i < in.x.size(); ++i) {
    if (is_dropped(0.5, 3, 5, i)) in.x[i] = std::numeric_limits<double>::quiet_NaN();
  }
  check_same(run(dropped(in, *types.reference, 3, 5)), run(in));
  current() = {};
}

// The norm recognises such rows by their first sum.
TEST_CASE("dropout_add_layer_norm of sums that are all equal gives beta") {
  set_options(0.5);
  current().random.seed = 3;
  current().random.offset = 5;
  REQUIRE(is_dropped(0.5, 3, 5, 0));
  for (const pair_of_types& types : pairs()) {
    for (const int cols : {7, 100, 1000}) {
      input in = normal_rows(types.op, 1, cols, false);
      const double sum = round_to(types.op.sum, 4.3);
      for (std::size_t i = 0; i < in.x.size(); ++i) {
        in.x[i] = 0.5;  // becomes 1 or 0; from 3.3 to 4.3 both types are exact
        in.residual[i] = is_dropped(0.5, 3, 5, i) ? sum : sum - 1;
      }
      std::vector<double> beta = in.beta;
      for (double& value : beta) value = round_to(types.op.y, value);
      CHECK(same_bits(run(in).y, beta));
    }
  }
  current() = {};
}

TEST_CASE("dropout_add_layer_norm refuses a p that is no probability, and what add_layer_norm refuses") {
  call c;
  float values[3] = {};
  c.x = c.residual = values;
  c.y = values + 1;
  c.sum = values + 2;
  c.rows = c.cols = 1;
  const op_types types = types_of<float>("float", element::float32);
  const auto reason = [&](double p) {
    set_options(p);
    CHECK(static_cast<int>(types.run(c)) == static_cast<int>(cudaErrorInvalidValue));
    return types.plan(c).reason;
  };
  for (const double p : {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(reason(p) == rowfold::plan_reason::refused_option);
  }
  c.eps = -1;
  CHECK(reason(0.5) == rowfold::plan_reason::refused_eps);
  c.eps = 1e-5;
  c.residual = nullptr;
  CHECK(reason(0.5) == rowfold::plan_reason::refused_null_pointer);
  current() = {};
}
