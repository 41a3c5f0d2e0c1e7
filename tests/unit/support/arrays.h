// What the tests of one-dimensional primitives share: arrays where the backend can reach them, with margins
// that must stay as they are, and input to fill them with.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "support/support.h"

namespace scanlens::test {

/// `contents` in the memory of the context's backend, `shift` elements past a 256-byte boundary, between
/// margins of `margin` elements that must stay as they are. Without a margin the array ends where its memory
/// ends.
template <class T>
class GuardedArray {
 public:
  GuardedArray(Context& context, const std::vector<T>& contents, std::int64_t shift = 0,
               std::int64_t margin = kMargin)
      : context_(&context),
        before_(static_cast<std::size_t>(margin + shift) * sizeof(T)),
        size_(contents.size()),
        after_(static_cast<std::size_t>(margin) * sizeof(T)) {
    Image<unsigned char> host(static_cast<std::int64_t>(before_ + size_ * sizeof(T) + after_), 1);
    std::fill_n(host.view().data, host.width(), kPattern);
    if (size_ > 0) std::memcpy(host.view().data + before_, contents.data(), size_ * sizeof(T));
    all_ = upload(context, std::move(host));
    data_ = reinterpret_cast<T*>(all_.view().data + before_);
  }

  T* data() const { return data_; }
  std::span<T> span() const { return {data_, size_}; }
  std::span<const T> in() const { return {data_, size_}; }
  operator std::span<T>() const { return span(); }
  operator std::span<const T>() const { return in(); }

  void set(const std::vector<T>& contents) {
    copy_bytes(*context_, contents.data(), 0, data_, 0, static_cast<std::int64_t>(size_ * sizeof(T)), 1);
    context_->synchronize();
  }

  /// What it holds now; fails when something beside it was written to.
  std::vector<T> contents(const std::string& what = {}) const {
    Image<unsigned char> host(all_.width(), 1);
    copy(*context_, all_.view(), host.view());
    context_->synchronize();
    const unsigned char *bytes = host.view().data, *end = bytes + host.width();
    const auto written = [](unsigned char byte) { return byte != kPattern; };
    EXPECT_EQ(std::count_if(bytes, bytes + before_, written), 0) << what << " written before the array";
    EXPECT_EQ(std::count_if(end - after_, end, written), 0) << what << " written behind the array";
    std::vector<T> values(size_);
    if (size_ > 0) std::memcpy(values.data(), bytes + before_, size_ * sizeof(T));
    return values;
  }

 private:
  static constexpr std::int64_t kMargin = 256;
  static constexpr unsigned char kPattern = 0x5A;

  Context* context_;
  std::size_t before_, size_, after_;  // bytes, elements, bytes
  Image<unsigned char> all_;
  T* data_ = nullptr;
};

/// Any value of an integer type; of a float type any multiple of 2^-20 in -1 … 1.
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

/// 0 or any other value, the latter with the probability given.
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
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(actual[i], expected[i]) << what << ": element " << i << " of " << expected.size();
}

/// Around the sizes that vectors, warps, pieces and tiles have.
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
