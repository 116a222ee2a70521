// SPDX-License-Identifier: MIT
// Activations over tensors: every element is the function of numeric/activation.cuh of its own element, rounded once,
// whatever the types, addresses and counts; what is refused. The functions' accuracy:
// tests/numeric/activation_test.cpp.
#include "rowfold/activation.cuh"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "rowfold/launch/elementwise_plan_string.hpp"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/element.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using namespace rowfold_test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class X, class Y, class Function>
void check_function(Function function, double (*exact)(double)) {
  for (const std::int64_t count : {1, 7, 64, 1000}) {
    for (const std::size_t offset : {0, 1}) {
      CAPTURE(count, offset);
      const auto n = static_cast<std::size_t>(count);
      buffer<X> x(n, offset);
      buffer<Y> y(n, count == 64 ? 2 : offset);  // out of phase, too
      std::vector<X> values = random_values<X>(1, n, distribution::normal);
      const double special[] = {0.0, -0.0, 30.0, -30.0, infinity, -infinity, std::nan("")};
      for (std::size_t i = 0; i < n && i < 7; ++i) values[i] = from_double<X>(special[i]);
      x.upload(values);
      const auto args = rowfold::make_activation_args(x.data(), y.data(), count);
      INFO(rowfold::to_string(rowfold::plan_activation(args, rowfold::device_info{})));
      require_success(count == 7 ? rowfold::activation(function, args)
                                 : rowfold::activation(function, x.data(), y.data(), count));
      rowfold_test::sync();
      CHECK(y.canaries_intact());
      const std::vector<Y> first = y.download();
      require_success(count == 7 ? rowfold::activation(function, x.data(), y.data(), count)
                                 : rowfold::activation(function, args));
      rowfold_test::sync();
      CHECK(same_bits(to_double(first), to_double(y.download())));
      const std::vector<double> found = to_double(y.download());
      for (std::size_t i = 0; i < n; ++i) {
        const double in = to_double(values[i]);
        const double wanted = to_double(from_double<Y>(exact(in)));
        const double allowed = ulp<Y>(wanted) + 4 * ulp<float>(std::max(std::abs(wanted), std::abs(in) * 0x1p-10));
        const bool good = std::isnan(wanted)   ? std::isnan(found[i])
                          : std::isinf(wanted) ? found[i] == wanted
                          : std::isinf(in)     ? found[i] == wanted
                                               : std::abs(found[i] - wanted) <= allowed;
        if (!good) FAIL("f(" << in << ") = " << found[i] << ", not " << wanted);
      }
    }
  }
}

double exact_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double exact_silu(double x) { return x == -infinity ? 0 : x * exact_sigmoid(x); }
double exact_gelu(double x) { return x == -infinity ? 0 : x / 2 * std::erfc(-x / std::sqrt(2.0)); }

}  // namespace

TEST_CASE("activations of tensors", "[sanitize]") {
  check_function<float, float>(rowfold::gelu{}, exact_gelu);
  check_function<__nv_bfloat16, __nv_bfloat16>(rowfold::silu{}, exact_silu);
  check_function<__half, float>(rowfold::tanh{}, [](double x) { return std::tanh(x); });
  // Of 16 bits on both sides: by the approximations.
  check_function<__nv_bfloat16, __nv_bfloat16>(rowfold::gelu{}, exact_gelu);
  check_function<__half, __half>(rowfold::tanh{}, [](double x) { return std::tanh(x); });
}

TEST_CASE("activations in place, of nothing, and refused") {
  buffer<float> x(100);
  const auto values = random_values<float>(1, 100, distribution::normal);
  x.upload(values);
  require_success(rowfold::activation(rowfold::gelu{}, x.data(), x.data(), 100));
  rowfold_test::sync();
  CHECK(x.download() == map_on_device<float>(rowfold::gelu{}, values));

  require_success(rowfold::activation(rowfold::gelu{}, static_cast<const float*>(nullptr), x.data(), 0));
  const auto refused = [](const float* from, float* to, std::int64_t count) {
    return static_cast<int>(rowfold::activation(rowfold::gelu{}, from, to, count)) ==
           static_cast<int>(cudaErrorInvalidValue);
  };
  CHECK(refused(nullptr, x.data(), 10));
  CHECK(refused(x.data(), nullptr, 10));
  CHECK(refused(x.data(), x.data() + 1, 10));  // overlaps its input
  CHECK(refused(x.data(), x.data(), -1));
}
