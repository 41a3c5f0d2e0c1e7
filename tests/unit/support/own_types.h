// Types and operators of a user's own, for the tests of core/scan.h and core/compact.h. The
// operators take few instructions, because kernels hold hundreds of copies of them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/operators.h"
#include "tests/unit/support/support.h"

namespace scanlens::test {

/// x -> a x + b modulo 2^32. The product, by the name of a number's operator, applies its first operand
/// first. Not commutative.
struct Affine {
  std::uint32_t a, b;
  Affine() = default;
  SCANLENS_HOST_DEVICE constexpr Affine(std::uint32_t a, std::uint32_t b = 0) : a(a), b(b) {}
  bool operator==(const Affine&) const = default;
  SCANLENS_HOST_DEVICE friend constexpr Affine operator*(const Affine& f, const Affine& g) {
    return {g.a * f.a, g.a * f.b + g.b};
  }
};

/// The integers words[0] … words[1] - 1, joined where they follow each other: any pair out of order, left out
/// or taken twice shows as a break. kWords words; it uses two.
template <int kWords>
struct Stretch {
  std::uint32_t words[kWords];
  bool operator==(const Stretch&) const = default;

  SCANLENS_HOST_DEVICE static constexpr Stretch of(std::uint32_t first, std::uint32_t end) {
    Stretch stretch{};
    stretch.words[0] = first;
    stretch.words[1] = end;
    return stretch;
  }
};
struct Join {
  static constexpr std::uint32_t kBroken = 0xFFFFFFFF;

  template <int kWords>
  SCANLENS_HOST_DEVICE Stretch<kWords> operator()(const Stretch<kWords>& x, const Stretch<kWords>& y) const {
    const std::uint32_t first = x.words[0], middle = x.words[1], again = y.words[0], end = y.words[1];
    if (middle == 0) return y;
    if (end == 0) return x;
    return Stretch<kWords>::of(first, middle == again ? end : kBroken);
  }
  template <class T>
  SCANLENS_HOST_DEVICE static T identity() {
    return T::of(0, 0);
  }
};

/// Sums of numbers below a modulus that the operator holds.
struct AddModulo {
  std::uint32_t modulus;
  SCANLENS_HOST_DEVICE std::uint32_t operator()(std::uint32_t x, std::uint32_t y) const {
    const std::uint32_t sum = x + y;
    return sum < modulus ? sum : sum - modulus;
  }
  template <class T>
  SCANLENS_HOST_DEVICE static T identity() {
    return 0;
  }
};

inline std::uint32_t random_word() {
  return static_cast<std::uint32_t>(generator()());
}

template <class T>
std::vector<T> generated(std::int64_t n, const std::function<T(std::int64_t)>& value) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(value(i));
  return values;
}

inline std::vector<Affine> affine_maps(std::int64_t n) {
  return generated<Affine>(n, [](std::int64_t) { return Affine{random_word() | 1, random_word()}; });
}
template <int kWords>
std::vector<Stretch<kWords>> stretches(std::int64_t n) {
  std::uint32_t at = 0;
  return generated<Stretch<kWords>>(n, [&](std::int64_t) {
    const std::uint32_t first = at;
    at += 1 + random_word() % 9;
    return Stretch<kWords>::of(first, at);
  });
}

inline const std::vector<std::int64_t>& with_lengths() {
  static const std::vector<std::int64_t> all = {0,    1,    2,    31,   32,    33,    127,
                                                1023, 1025, 4096, 8191, 16385, 70001, 300007};
  return all;
}

}  // namespace scanlens::test
