// Arithmetic with the same bits in C++, CUDA and GLSL, for formulas where a float decides an integer.
#ifndef SCANLENS_CORE_EXACT_FORMULA_H
#define SCANLENS_CORE_EXACT_FORMULA_H

#include "core/held/shared_formula.h"

/// SCANLENS_EXACT stands before a float whose last bit matters: its operations are neither fused nor
/// reordered. C++ and CUDA have compiler options for that. SCANLENS_CONSTANT stands before a constant of a
/// header.
#ifdef __cplusplus
#include <cstdint>
#define SCANLENS_EXACT
#define SCANLENS_CONSTANT inline constexpr
#else
#define SCANLENS_EXACT precise
#define SCANLENS_CONSTANT const
#endif

#ifdef __cplusplus
namespace scanlens {

using uint = std::uint32_t;

/// a / b, rounded as IEEE 754 says.
SCANLENS_SHARED float quotient(float a, float b) {
  return a / b;
}

/// (a * b + c) >> 32.
SCANLENS_SHARED uint product_sum_high(uint a, uint b, uint c) {
  return static_cast<uint>((std::uint64_t{a} * b + c) >> 32);
}
/// (a * b + (c >> bits)) >> (32 - bits), for results of 32 bits.
SCANLENS_SHARED uint product_sum_shifted(uint a, uint b, uint c, int bits) {
  return static_cast<uint>((std::uint64_t{a} * b + (c >> bits)) >> (32 - bits));
}

}  // namespace scanlens
#else
// GLSL's own division may be off by 2.5 units in the last place. A quotient of floats is never halfway
// between two, so that rounding twice does no harm.
float quotient(float a, float b) {
  return float(double(a) / double(b));
}

uint product_sum_high(uint a, uint b, uint c) {
  uint high, low, carry;
  umulExtended(a, b, high, low);
  uaddCarry(low, c, carry);
  return high + carry;
}
uint product_sum_shifted(uint a, uint b, uint c, int bits) {
  uint high, low, carry;
  umulExtended(a, b, high, low);
  low = uaddCarry(low, c >> bits, carry);
  return bits == 0 ? high + carry : high + carry << bits | low >> 32 - bits;
}
#endif

#ifdef __cplusplus
namespace scanlens {
#endif

/// (a * b) >> bits as if the product had 64 bits, for b up to 2^bits, and bits up to 16.
SCANLENS_SHARED uint product_shifted(uint a, uint b, int bits) {
  uint low = a & ((1u << bits) - 1u);
  return (a >> bits) * b + (low * b >> bits);
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
