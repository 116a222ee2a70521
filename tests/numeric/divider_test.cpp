// SPDX-License-Identifier: MIT
// divider against the processor's own division: all small pairs, and the numbers around every multiple of a divisor,
// where a quotient goes wrong first.
#include "rowfold/numeric/divider.hpp"

#include <cstdint>
#include <initializer_list>
#include <random>

#include "support/check.hpp"

namespace {

bool divides(unsigned number, unsigned divisor) {
  const rowfold::divider by(divisor);
  return by.quotient(number) == number / divisor && by.remainder(number) == number % divisor;
}

constexpr unsigned largest = 0x7fffffffu;

}  // namespace

TEST_CASE("small numbers by small divisors") {
  bool good = true;
  for (unsigned divisor = 1; divisor <= 300; ++divisor) {
    for (unsigned number = 0; number <= 3000; ++number) good = good && divides(number, divisor);
  }
  CHECK(good);
}

TEST_CASE("numbers around multiples, up to the largest") {
  std::mt19937 random(static_cast<unsigned>(rowfold_test::seed()));
  bool good = true;
  const auto check = [&](unsigned divisor) {
    const unsigned last = largest / divisor;
    for (const unsigned multiple : {1u, last / 2, last - 1, last, static_cast<unsigned>(random() % last) + 1}) {
      for (const unsigned around : {0u, 1u, divisor - 1}) {
        const std::uint64_t number = std::uint64_t{multiple} * divisor + around;
        if (number <= largest) good = good && divides(static_cast<unsigned>(number), divisor);
        if (number > 0 && number - 1 <= largest) good = good && divides(static_cast<unsigned>(number - 1), divisor);
      }
    }
    good = good && divides(0, divisor) && divides(largest, divisor);
  };
  for (unsigned divisor = 1; divisor <= 20000; ++divisor) check(divisor);
  for (int bit = 1; bit <= 30; ++bit) {
    for (const unsigned divisor : {(1u << bit) - 1, 1u << bit, (1u << bit) + 1}) check(divisor);
  }
  for (int i = 0; i < 20000; ++i) check(static_cast<unsigned>(random()) % largest + 1);
  check(largest);
  CHECK(good);
}

TEST_CASE("a divider is one unless it is told") { CHECK(rowfold::divider().quotient(12345u) == 12345u); }

TEST_CASE("numbers of 64 bits by an inverse: around multiples, up to the largest that it is exact for") {
  std::mt19937_64 random(static_cast<std::uint64_t>(rowfold_test::seed()));
  int wrong = 0, checked = 0;
  const auto check = [&](long long divisor) {
    const unsigned long long inverse = rowfold::inverse_of(divisor);
    // Numbers below 2^64 / divisor that are row numbers, too.
    const unsigned long long end = ~0ull / static_cast<unsigned long long>(divisor);
    const long long most = static_cast<long long>(end < 0x7fffffffffffffffull ? end : 0x7fffffffffffffffull);
    const long long last = most / divisor;
    for (const long long multiple : {0ll, 1ll, last / 2, last - 1, last, static_cast<long long>(random() % 1000000)}) {
      for (const long long around : {-1ll, 0ll, 1ll, divisor - 1}) {
        if (multiple < 0 || multiple > last) continue;
        const long long number = multiple * divisor + around;
        if (number < 0 || number > most) continue;
        ++checked;
        wrong += rowfold::quotient_by_inverse(number, inverse) != number / divisor;
      }
    }
  };
  for (long long divisor = 2; divisor <= 5000; ++divisor) check(divisor);
  for (int bit = 2; bit <= 40; ++bit) {
    for (const long long divisor : {(1ll << bit) - 1, 1ll << bit, (1ll << bit) + 1}) check(divisor);
  }
  for (int i = 0; i < 20000; ++i) check(static_cast<long long>(random() >> (24 + random() % 38)) + 2);
  CHECK(wrong == 0);
  CHECK(checked > 300000);
}
