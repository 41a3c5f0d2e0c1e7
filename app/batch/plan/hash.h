// A hash that is the same on every machine and in every version.
#pragma once

#include <cstdint>
#include <string_view>

namespace scanlens {

/// Returns the 64-bit FNV-1a hash of the bytes. Its bits are mixed once more, so that the low bits serve as
/// well as the high ones. Sources: Fowler, Noll and Vo, "The FNV Non-Cryptographic Hash Algorithm", IETF
/// draft; splitmix64 for the mixing (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators",
/// 2014).
constexpr std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
  return hash ^ hash >> 31;
}

}  // namespace scanlens
