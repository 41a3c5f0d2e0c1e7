// One-dimensional arrays for tests: in the memory of a context's backend, on any alignment, with nothing or a
// guarded margin around them.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "support.h"

namespace scanlens::test {

/// `content` in memory of the context's backend, `shift` elements behind its start and right up to its end,
/// so that a memory checker sees every access outside. With a margin, content() sees those that write.
template <class T>
class ArrayOn {
 public:
  ArrayOn(Context& context, const std::vector<T>& content, int shift = 0, int margin = 0)
      : count_(content.size()),
        before_((static_cast<std::size_t>(shift) + margin) * sizeof(T)),
        after_(static_cast<std::size_t>(margin) * sizeof(T)) {
    Image<unsigned char> host(static_cast<std::int64_t>(before_ + count_ * sizeof(T) + after_), 1);
    std::fill_n(host.view().data, host.width(), kGuard);
    if (count_ > 0) std::memcpy(host.view().data + before_, content.data(), count_ * sizeof(T));
    memory_ = upload(context, std::move(host));
  }

  T* data() { return reinterpret_cast<T*>(memory_.view().data + before_); }
  std::span<T> span() { return {data(), count_}; }
  std::span<const T> in() { return {data(), count_}; }

  /// The values as they are now; fails when the margin was written to.
  std::vector<T> content(Context& context) {
    Image<unsigned char> host(memory_.width(), 1);
    copy(context, std::as_const(memory_).view(), host.view());
    context.synchronize();
    const unsigned char* bytes = host.view().data;
    const auto untouched = [](unsigned char byte) { return byte == kGuard; };
    EXPECT_TRUE(std::all_of(bytes, bytes + before_, untouched)) << "written to before the array";
    EXPECT_TRUE(std::all_of(bytes + host.width() - after_, bytes + host.width(), untouched))
        << "written to behind the array";
    std::vector<T> values(count_);
    if (count_ > 0) std::memcpy(values.data(), bytes + before_, count_ * sizeof(T));
    return values;
  }

 private:
  static constexpr unsigned char kGuard = 0x5A;
  std::size_t count_, before_, after_;
  Image<unsigned char> memory_;
};

/// Runs `call` with a pointer to one T in the backend's memory and returns what it left there.
template <class T, class Call>
T result_of(Context& context, Call call) {
  ArrayOn<T> result(context, std::vector<T>(1), 0, 2);
  call(result.data());
  return result.content(context)[0];
}

/// `count` values: integers of all sizes, floats in [-1, 1].
template <class T>
std::vector<T> random_values(std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    if constexpr (std::is_floating_point_v<T>)
      value = std::uniform_real_distribution<T>(-1, 1)(generator());
    else
      value = static_cast<T>(generator()());
  }
  return values;
}

/// Around vectors, warps, batches, blocks, grids and chunks; primes.
inline const std::vector<std::int64_t>& lengths() {
  static const std::vector<std::int64_t> all = {0,    1,    2,    3,    5,    15,    16,    17,    31,   32,
                                                33,   63,   64,   65,   127,  509,   511,   512,   513,  1021,
                                                2047, 2048, 2049, 8191, 8193, 65521, 65535, 65536, 65537};
  return all;
}

/// Needs several blocks or chunks, and several rounds a thread; a prime.
constexpr std::int64_t kLong = 2500009;

}  // namespace scanlens::test
