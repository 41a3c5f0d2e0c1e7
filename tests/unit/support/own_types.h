// Types and operators of a user's own, for the tests of core/scan_with.h and core/compact_with.h.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/operators.h"
#include "tests/unit/support/support.h"

namespace scanlens::test {

/// x -> a x + b modulo 2^32; the first operand is applied first. Not commutative.
struct Affine {
  std::uint32_t a, b;
  bool operator==(const Affine&) const = default;
};
struct Compose {
  SCANLENS_HOST_DEVICE Affine operator()(const Affine& f, const Affine& g) const {
    return {g.a * f.a, g.a * f.b + g.b};
  }
  template <class T>
  SCANLENS_HOST_DEVICE static T identity() {
    return {1, 0};
  }
};

/// 2 x 2 matrices modulo 2^32, which multiply by the name of a number's operator. Not commutative.
struct Matrix {
  std::uint32_t m[4];
  Matrix() = default;
  SCANLENS_HOST_DEVICE constexpr Matrix(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d)
      : m{a, b, c, d} {}
  SCANLENS_HOST_DEVICE constexpr explicit Matrix(int scale) : m{unsigned(scale), 0, 0, unsigned(scale)} {}
  bool operator==(const Matrix&) const = default;
  SCANLENS_HOST_DEVICE friend constexpr Matrix operator*(const Matrix& x, const Matrix& y) {
    return {x.m[0] * y.m[0] + x.m[1] * y.m[2], x.m[0] * y.m[1] + x.m[1] * y.m[3],
            x.m[2] * y.m[0] + x.m[3] * y.m[2], x.m[2] * y.m[1] + x.m[3] * y.m[3]};
  }
};

/// The ends and the length of a string, joined end to end where they fit: 12 bytes, and any pair out of
/// order, left out or taken twice shows as a break.
struct Ends {
  std::uint32_t first, last, length;
  bool operator==(const Ends&) const = default;
};
struct Join {
  static constexpr std::uint32_t kBroken = 0xFFFFFFFF;
  SCANLENS_HOST_DEVICE Ends operator()(const Ends& x, const Ends& y) const {
    if (x.length == 0) return y;
    if (y.length == 0) return x;
    if (x.length == kBroken || y.length == kBroken || x.last + 1 != y.first) return {0, 0, kBroken};
    return {x.first, y.last, x.length + y.length};
  }
  template <class T>
  SCANLENS_HOST_DEVICE static T identity() {
    return {0, 0, 0};
  }
};

inline std::uint32_t random_word() {
  return static_cast<std::uint32_t>(generator()());
}

template <class T>
inline std::vector<T> generated(std::int64_t n, const std::function<T(std::int64_t)>& value) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(value(i));
  return values;
}

inline std::vector<Affine> affine_maps(std::int64_t n) {
  return generated<Affine>(n, [](std::int64_t) { return Affine{random_word() | 1, random_word()}; });
}
inline std::vector<Matrix> matrices(std::int64_t n) {
  return generated<Matrix>(n, [](std::int64_t) {
    // A determinant of 1 keeps products from fading to 0.
    const std::uint32_t x = random_word(), y = random_word();
    return Matrix(1 + x * y, x, y, 1);
  });
}
inline std::vector<Ends> strings(std::int64_t n) {
  std::uint32_t at = 0;
  return generated<Ends>(n, [&](std::int64_t) {
    const std::uint32_t length = 1 + random_word() % 9, first = at;
    at += length;
    return Ends{first, at - 1, length};
  });
}

inline const std::vector<std::int64_t>& with_lengths() {
  static const std::vector<std::int64_t> all = {0,    1,    2,    31,   32,    33,    127,
                                                1023, 1025, 4096, 8191, 16385, 70001, 300007};
  return all;
}

}  // namespace scanlens::test
