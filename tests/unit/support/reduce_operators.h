// Operators of a user's own, for the tests of core/reduce.h.
#pragma once

#include <cstdint>

#include "core/operators.h"

namespace scanlens::test {

/// Sum modulo a number that the operator holds.
struct SumModulo {
  std::uint32_t modulus;

  template <class T>
  SCANLENS_HOST_DEVICE T operator()(T a, T b) const {
    return static_cast<T>((static_cast<std::uint64_t>(a) + b) % modulus);
  }
  template <class T>
  SCANLENS_HOST_DEVICE static T identity() {
    return 0;
  }
};

/// An odd-sized type, whose vectors cannot be loaded 16 bytes at a time.
struct Box {
  float least[3] = {1e30f, 1e30f, 1e30f};
  float greatest[3] = {-1e30f, -1e30f, -1e30f};
};

struct Point {
  float x[3];

  SCANLENS_HOST_DEVICE explicit operator Box() const {
    Box box;
    for (int i = 0; i < 3; ++i) box.least[i] = box.greatest[i] = x[i];
    return box;
  }
};

struct Union {
  SCANLENS_HOST_DEVICE Box operator()(const Box& a, const Box& b) const {
    Box both;
    for (int i = 0; i < 3; ++i) {
      both.least[i] = a.least[i] < b.least[i] ? a.least[i] : b.least[i];
      both.greatest[i] = a.greatest[i] > b.greatest[i] ? a.greatest[i] : b.greatest[i];
    }
    return both;
  }
  template <class T>
  SCANLENS_HOST_DEVICE static T identity() {
    return {};
  }
};

}  // namespace scanlens::test
