// A two-dimensional array anywhere in a larger buffer of random bytes, so that every alignment and pitch can
// be tried, and every byte that should not have changed is checked.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "support/support.h"

namespace scanlens::test {

template <class T>
class Guarded {
 public:
  /// `offset` elements and `gap` elements between rows move the array away from aligned addresses.
  Guarded(Context& context, std::int64_t width, std::int64_t height, std::int64_t offset = 0,
          std::int64_t gap = 0)
      : context_(context),
        first_(kMargin + offset),
        width_(width),
        height_(height),
        pitch_(width + gap),
        expected_(static_cast<std::size_t>(first_ + pitch_ * height + kMargin)),
        buffer_(context, static_cast<std::int64_t>(expected_.size() * sizeof(T)), 1) {
    std::uint64_t word = generator()();
    auto* bytes = reinterpret_cast<unsigned char*>(expected_.data());
    for (std::size_t i = 0; i < expected_.size() * sizeof(T); ++i)
      bytes[i] =
          static_cast<unsigned char>((word = word * 6364136223846793005u + 1442695040888963407u) >> 56);
    upload();
  }

  /// The array on the device.
  View<T> view() {
    return View<T>(reinterpret_cast<T*>(buffer_.view().data) + first_, width_, height_, 1, pitch_);
  }
  /// What it should hold; upload() makes it so.
  View<T> expected() { return View<T>(expected_.data() + first_, width_, height_, 1, pitch_); }
  void upload() { copy(context_, View<const std::uint8_t>(bytes_of(expected_)), buffer_.view()); }

  /// What the buffer holds now is what it should hold from now on.
  void expect_as_is() { expected_ = download(); }

  /// The buffer as it is.
  std::vector<T> download() {
    std::vector<T> now(expected_.size());
    copy(context_, buffer_.view(), bytes_of(now));
    context_.synchronize();
    return now;
  }

  /// Every byte is as expected, those outside the array too.
  void check(const std::string& what) {
    const std::vector<T> now = download();
    for (std::size_t i = 0; i < now.size(); ++i) {
      const std::int64_t at = static_cast<std::int64_t>(i) - first_;
      ASSERT_EQ(std::memcmp(&now[i], &expected_[i], sizeof(T)), 0)
          << what << ": element " << at << ", x " << at % pitch_ << " y " << at / pitch_ << " of " << width_
          << " x " << height_;
    }
  }

 private:
  static constexpr std::int64_t kMargin = 64;

  static View<std::uint8_t> bytes_of(std::vector<T>& elements) {
    return View<std::uint8_t>(reinterpret_cast<std::uint8_t*>(elements.data()),
                              static_cast<std::int64_t>(elements.size() * sizeof(T)), 1);
  }

  Context& context_;
  std::int64_t first_, width_, height_, pitch_;
  std::vector<T> expected_;
  Image<std::uint8_t> buffer_;
};

}  // namespace scanlens::test
