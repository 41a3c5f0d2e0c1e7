// The benchmark has an operator of its own: the composition of affine maps, which is associative and not
// commutative. Its scan solves the recurrence x[i] = a[i] x[i - 1] + b[i] (Blelloch, "Prefix Sums and Their
// Applications", 1.4).
#pragma once

#include <cstdint>
#include <span>

#include "core/context.h"
#include "core/view.h"

namespace scanlens::bench {

/// Maps x to scale x + offset, modulo 2^32.
struct alignas(8) Affine {
  std::uint32_t scale, offset;

  friend bool operator==(const Affine&, const Affine&) = default;
};

/// Applies `a` first, then `b`.
struct Compose {
  template <class T = Affine>
  SCANLENS_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return {a.scale * b.scale, a.offset * b.scale + b.offset};
  }
  template <class T>
  SCANLENS_HOST_DEVICE static constexpr T identity() {
    return {1, 0};
  }
};

void scan_affine(Context& context, std::span<const Affine> in, std::span<Affine> out);

}  // namespace scanlens::bench
