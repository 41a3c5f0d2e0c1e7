// The device makes inputs that the host can make again, element by element, to verify what came of them.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "core/context.h"
#include "core/view.h"

namespace scanlens::bench {

/// Mixes bits as SplitMix64 does (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators",
/// 2014).
SCANLENS_HOST_DEVICE inline std::uint64_t hash(std::uint64_t i) {
  i = (i + 1) * 0x9e3779b97f4a7c15u;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
  return i ^ (i >> 31);
}

/// States a rule for the i-th element of an array.
struct Input {
  enum class Kind : std::uint8_t { random, runs, flags, positions };
  Kind kind;
  std::uint64_t salt;
  std::uint64_t below = 0;  ///< flags: 1 where the hash is less

  /// Gives every value of an integer type alike; floats from 0 to below 1.
  static Input random(std::uint64_t salt = 0) { return {Kind::random, salt}; }
  /// Gives random values; each stands twice.
  static Input runs() { return {Kind::runs, 1}; }
  /// Gives 1 for about this share of the elements (0 … 1), else 0.
  static Input flags(double share) {
    return {Kind::flags, 2, share < 1 ? static_cast<std::uint64_t>(share * 0x1p64) : ~std::uint64_t{0}};
  }
  /// Gives i itself.
  static Input positions() { return {Kind::positions, 0}; }

  template <class T>
  SCANLENS_HOST_DEVICE T at(std::uint64_t i) const {
    if (kind == Kind::positions) return static_cast<T>(i);
    const std::uint64_t bits = hash((kind == Kind::runs ? i / 2 : i) + (salt << 40));
    if (kind == Kind::flags) return static_cast<T>(bits < below);
    if constexpr (std::is_same_v<T, float>) return static_cast<float>(bits >> 40) * 0x1p-24f;
    if constexpr (std::is_same_v<T, double>) return static_cast<double>(bits >> 11) * 0x1p-53;
    return static_cast<T>(bits);
  }
};

/// Sets out[i] = input.at<T>(i), on the context's device. T: uint8_t, uint16_t, uint32_t, uint64_t, float,
/// double.
template <class T>
void fill(Context& context, std::span<T> out, Input input);

}  // namespace scanlens::bench
