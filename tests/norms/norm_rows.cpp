// SPDX-License-Identifier: MIT
#include "norms/norm_rows.hpp"

#include <algorithm>
#include <limits>

#include "support/seed.hpp"
#include "support/subnormals.hpp"
#include "support/values.hpp"

namespace rowfold_test {
namespace {

std::mt19937_64 make_engine(std::uint64_t stream) {
  return std::mt19937_64(seed() * 0x9E3779B97F4A7C15u + stream);  // an odd multiplier: near seeds start far apart
}

std::vector<double> normal_values(std::size_t count, std::uint64_t stream) {
  std::mt19937_64 engine = make_engine(stream);
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double& value : values) value = normal(engine);
  return values;
}

double smallest(element type) {
  return with_type(type, [](auto zero) { return ulp<decltype(zero)>(0.0); });
}

}  // namespace

std::vector<double> make_norm_row(const norm_set& set, norm_row kind, int cols, std::uint64_t stream) {
  std::vector<double> x = normal_values(static_cast<std::size_t>(cols), stream * 64 + static_cast<std::uint64_t>(kind));
  double scale = 1;
  switch (kind) {
    case norm_row::large_mean:
      for (double& value : x) value += 100;
      break;
    case norm_row::outlier_first:
      x.front() = 1000;
      break;
    case norm_row::outlier_last:
      x.back() = 1000;
      break;
    case norm_row::tiny:
      scale = set.x == element::float16 ? 0x1p-12 : 0x1p-50;
      break;
    case norm_row::huge:
      scale = set.x == element::float16 ? 1e4 : set.x == element::float64 ? 1e150 : 1e15;
      break;
    case norm_row::denormal:
      scale = counts_as_zero_below_normal(set.x) ? 0x1p-80 : 4 * smallest(set.x);
      break;
    case norm_row::constant:
      std::fill(x.begin(), x.end(), x.front());
      break;
    case norm_row::zero:
      scale = 0;
      break;
    case norm_row::with_nan:
      x[x.size() / 2] = std::numeric_limits<double>::quiet_NaN();
      break;
    case norm_row::with_infinity:
      x[x.size() / 3] = -std::numeric_limits<double>::infinity();
      break;
    case norm_row::normal:
    case norm_row::count:
      break;
  }
  for (double& value : x) value *= scale;
  return x;
}

norm_input normal_norm_rows(const norm_set& set, std::int64_t rows, int cols, std::uint64_t stream,
                            std::int64_t rows_per_group) {
  norm_input input;
  input.set = &set;
  input.rows = rows;
  input.cols = cols;
  input.rows_per_group = rows_per_group;
  input.x = normal_values(static_cast<std::size_t>(rows * cols), 3 * stream);
  if (set.has_parameters()) {
    const auto count = static_cast<std::size_t>(input.groups() * cols);
    input.first = normal_values(count, 3 * stream + 1);
    input.second = normal_values(count, 3 * stream + 2);
  }
  return input;
}

norm_input all_norm_rows(const norm_set& set, int cols, std::uint64_t stream) {
  constexpr int kinds = static_cast<int>(norm_row::count);
  norm_input input = normal_norm_rows(set, kinds, cols, stream);
  input.x.clear();
  for (int kind = 0; kind < kinds; ++kind) {
    const std::vector<double> values = make_norm_row(set, static_cast<norm_row>(kind), cols, stream);
    input.x.insert(input.x.end(), values.begin(), values.end());
  }
  return input;
}

norm_input random_norm_input(std::mt19937_64& engine, const norm_set& set, int cols) {
  static const double eps[] = {1e-5, 1e-6, 1e-12, 0.1};
  const std::int64_t rows = cols > 4096 ? 2 : 1 + static_cast<std::int64_t>(engine() % 5);
  const auto rows_per_group = 1 + static_cast<std::int64_t>(engine() % 3);
  norm_input input = normal_norm_rows(set, rows, cols, engine() % 1000, rows_per_group);
  input.eps = eps[engine() % 4];
  input.x.clear();
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto kind = static_cast<norm_row>(engine() % static_cast<unsigned>(norm_row::count));
    const std::vector<double> values = make_norm_row(set, kind, cols, engine() % 1000);
    input.x.insert(input.x.end(), values.begin(), values.end());
  }
  if (engine() % 4 == 0) input.first.clear();
  if (engine() % 4 == 0) input.second.clear();
  if (set.op == norm_op::rms_norm && engine() % 2 == 0) input.weight_offset = 1;
  return input;
}

norm_placement random_norm_placement(std::mt19937_64& engine, const norm_set& set, int cols) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(engine() % n); };
  norm_placement where;
  where.name = "random placement";
  where.count_bytes = true;
  if (below(3) != 0) {
    for (std::size_t* offset :
         {&where.x_offset, &where.y_offset, &where.first_offset, &where.second_offset, &where.statistic_offset}) {
      *offset = below(9);
    }
  }
  if (below(3) == 0) where.x_layout = rowfold::row_layout::strided(cols + static_cast<int>(below(9)));
  if (below(3) == 0) where.y_layout = rowfold::row_layout::strided(-cols - static_cast<int>(below(9)));
  if (set.modulates() && below(2) == 0) {
    where.first_gap = below(20);
    where.second_gap = below(20);
  }
  where.request.any_access = below(4) == 0;
  where.request.staged = below(4) == 0;
  where.request.reread = below(4) == 0;
  if (below(4) == 0) where.request.block_threads = 32 << below(4);
  where.in_place = set.x == set.y && below(4) == 0;
  return where;
}

std::vector<int> norm_borders(const norm_set& set, int limit) {
  const auto plan_for = [&](int granules) {
    norm_call call;
    alignas(16) static double aligned[2];  // never read: a plan needs addresses only
    call.x = call.y = aligned;
    call.first = call.second = aligned;
    call.rows = 1;
    call.cols = granules * set.granule();
    return set.plan(call);
  };
  std::vector<int> borders;
  for (int granules = 1; (granules + 1) * set.granule() <= limit; ++granules) {
    const rowfold::row_plan here = plan_for(granules);
    const rowfold::row_plan next = plan_for(granules + 1);
    if (here.variant != next.variant || here.access != next.access || here.shape != next.shape ||
        here.vectors != next.vectors) {
      borders.push_back(granules * set.granule());
    }
  }
  return borders;
}

}  // namespace rowfold_test
