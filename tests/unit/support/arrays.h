// Common parts of the tests of one-dimensional primitives: input to fill arrays with, and what to expect of
// them.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "tests/unit/support/guarded.h"

namespace scanlens::test {

/// Any values of an integer type; of a float type multiples of 2^-20 in -1 … 1.
template <class T>
std::vector<T> random_values(std::int64_t n) {
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& value : values) {
    const std::uint64_t bits = generator()();
    if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>(static_cast<std::int64_t>(bits >> 43) - (1 << 20)) / static_cast<T>(1 << 20);
    else
      value = static_cast<T>(bits >> 8);
  }
  return values;
}

/// Flags that are 0 or, with the probability given, any other value.
inline std::vector<std::uint8_t> random_flags(std::int64_t n, double probability) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(n));
  const auto limit = static_cast<std::uint64_t>(probability * 0x1p32);
  for (auto& flag : flags) {
    const std::uint64_t bits = generator()();
    flag = (bits >> 32) < limit ? static_cast<std::uint8_t>(1 + bits % 255) : 0;
  }
  return flags;
}

/// Fails at the first element that differs.
template <class T>
void expect_same(const std::vector<T>& actual, const std::vector<T>& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  if (actual == expected) return;
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(actual[i], expected[i]) << what << ": element " << i << " of " << expected.size();
}

/// Lengths around those of vectors, warps, pieces and tiles.
inline const std::vector<std::int64_t>& lengths() {
  static const std::vector<std::int64_t> all = {0,     1,     2,     3,     15,     16,    17,   31,    32,
                                                33,    63,    65,    127,   129,    255,   257,  511,   513,
                                                1023,  1025,  2047,  2049,  4096,   8191,  8193, 16383, 16384,
                                                16385, 32767, 32769, 65537, 100003, 131073};
  return all;
}

/// Any length up to 2^most_bits, short ones as likely as long ones.
inline std::int64_t random_length(int most_bits) {
  const int bits = static_cast<int>(generator()() % static_cast<std::uint64_t>(most_bits)) + 1;
  return static_cast<std::int64_t>(generator()() >> (64 - bits));
}

/// The call is refused as a wrong one, and the message names `call` and `argument`.
template <class Call>
void expect_usage_error(const Call& call, const std::string& name, const std::string& argument) {
  try {
    call();
    ADD_FAILURE() << name << " accepted a wrong `" << argument << "`";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("`" + argument + "`"), std::string::npos) << error.what();
  }
}

}  // namespace scanlens::test
