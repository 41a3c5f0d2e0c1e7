// Names the types of the benchmark.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

namespace scanlens::bench {

/// Returns "u32", "f64", …
template <class T>
std::string type_name() {
  const char* kind = std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u";
  return kind + std::to_string(8 * sizeof(T));
}

/// Returns "u32", "u8 -> u32", …
template <class In, class Out>
std::string type_name() {
  return std::is_same_v<In, Out> ? type_name<In>() : type_name<In>() + " -> " + type_name<Out>();
}

}  // namespace scanlens::bench
