// An array anywhere in a larger buffer of random bytes. So every alignment and pitch can be tried, and every
// byte that should not have changed is checked.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tests/unit/support/support.h"

namespace scanlens::test {

/// Rows of elements in the memory of the context's backend. Margins before and behind them, and gaps in
/// between, must stay as they are.
template <class T>
class GuardedArray {
 public:
  /// One row: `contents`, `offset` elements past a 256-byte boundary, between margins of `margin` elements.
  /// Without a margin the array ends where its memory ends, so that a memory checker sees each access beyond.
  GuardedArray(Context& context, const std::vector<T>& contents, std::int64_t offset = 0,
               std::int64_t margin = kMargin)
      : GuardedArray(context, View<T>(nullptr, static_cast<std::int64_t>(contents.size()), 1), offset, margin,
                     0) {
    std::copy(contents.begin(), contents.end(), expected().data);
    upload();
  }

  /// A copy of the samples at `contents`, with a pitch of its own.
  template <class U>
  GuardedArray(Context& context, const View<U>& contents)
      : GuardedArray(context,
                     View<T>(nullptr, contents.width, contents.height, contents.channels,
                             (contents.width + 7) * contents.channels),
                     3 * contents.channels, kMargin, 0) {
    for (std::int64_t y = 0; y < contents.height; ++y)
      std::copy_n(contents.row(y), contents.row_samples(), expected().row(y));
    upload();
  }

  /// Random bytes, `gap` elements between the rows.
  GuardedArray(Context& context, std::int64_t width, std::int64_t height, std::int64_t offset = 0,
               std::int64_t gap = 0)
      : GuardedArray(context, View<T>(nullptr, width, height, 1, width + gap), offset, kMargin,
                     generator()()) {
    upload();
  }

  /// The array on the device.
  View<T> view() const { return shaped(device()); }
  T* data() const { return device() + first_; }
  T* begin() const { return data(); }
  T* end() const { return data() + shape_.extent(); }
  std::span<T> span() const { return {data(), static_cast<std::size_t>(shape_.extent())}; }
  std::span<const T> in() const { return span(); }
  operator std::span<T>() const { return span(); }
  operator std::span<const T>() const { return span(); }

  /// The expected content; upload() makes it so.
  View<T> expected() { return shaped(expected_.data()); }
  void upload() {
    copy(*context_, View<const std::uint8_t>(bytes_of(expected_)), buffer_.view());
    context_->synchronize();
  }
  /// Takes the buffer's content as the expected one from now on.
  void expect_as_is() { expected_ = download(); }

  /// Puts other contents into an array of one row.
  void set(const std::vector<T>& contents) {
    copy_bytes(*context_, contents.data(), 0, data(), 0,
               static_cast<std::int64_t>(contents.size() * sizeof(T)), 1);
    context_->synchronize();
  }

  /// The content now; fails when something beside it was written to.
  Image<T> image(const std::string& what = {}) const {
    std::vector<T> now = download();
    expect_untouched(now, what);
    Image<T> image(shape_.width, shape_.height, shape_.channels);
    for (std::int64_t y = 0; y < shape_.height; ++y)
      std::copy_n(shaped(now.data()).row(y), shape_.row_samples(), image.view().row(y));
    return image;
  }
  std::vector<T> contents(const std::string& what = {}) const {
    const Image<T> image = this->image(what);
    return {image.view().data, image.view().data + image.view().extent()};
  }

  /// Every byte is as expected, those outside the array too.
  void check(const std::string& what) const {
    const std::vector<T> now = download();
    if (std::memcmp(now.data(), expected_.data(), now.size() * sizeof(T)) == 0) return;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const std::int64_t at = static_cast<std::int64_t>(i) - first_;
      ASSERT_EQ(std::memcmp(&now[i], &expected_[i], sizeof(T)), 0)
          << what << ": element " << at << ", x " << at % shape_.pitch << " y " << at / shape_.pitch << " of "
          << shape_.width << " x " << shape_.height;
    }
  }

 private:
  static constexpr std::int64_t kMargin = 256;

  /// Random bytes everywhere: `seed` gives others in every run, its absence others in every array.
  GuardedArray(Context& context, const View<T>& shape, std::int64_t offset, std::int64_t margin,
               std::uint64_t seed)
      : context_(&context),
        shape_(shape),
        first_(margin + offset),
        expected_(static_cast<std::size_t>(first_ + shape.extent() + margin)),
        buffer_(context, static_cast<std::int64_t>(expected_.size() * sizeof(T)), 1) {
    std::uint64_t word = seed ? seed : reinterpret_cast<std::uintptr_t>(device());
    const View<std::uint8_t> bytes = bytes_of(expected_);
    for (std::int64_t i = 0; i < bytes.width; i += 4) {
      word = word * 6364136223846793005u + 1442695040888963407u;
      const auto high = static_cast<std::uint32_t>(word >> 32);
      std::memcpy(bytes.data + i, &high,
                  static_cast<std::size_t>(std::min<std::int64_t>(4, bytes.width - i)));
    }
  }

  T* device() const { return reinterpret_cast<T*>(const_cast<std::uint8_t*>(buffer_.view().data)); }
  View<T> shaped(T* buffer) const {
    return View<T>(buffer + first_, shape_.width, shape_.height, shape_.channels, shape_.pitch);
  }
  static View<std::uint8_t> bytes_of(std::vector<T>& elements) {
    return View<std::uint8_t>(reinterpret_cast<std::uint8_t*>(elements.data()),
                              static_cast<std::int64_t>(elements.size() * sizeof(T)), 1);
  }

  /// The buffer as it is.
  std::vector<T> download() const {
    std::vector<T> now(expected_.size());
    copy(*context_, buffer_.view(), bytes_of(now));
    context_->synchronize();
    return now;
  }

  void expect_untouched(const std::vector<T>& now, const std::string& what) const {
    const auto touched = [&](std::int64_t from, std::int64_t to) {
      const auto count = static_cast<std::size_t>(to - from);
      return count > 0 && std::memcmp(now.data() + from, expected_.data() + from, count * sizeof(T)) != 0;
    };
    EXPECT_FALSE(touched(0, first_)) << what << " written before the array";
    EXPECT_FALSE(touched(first_ + shape_.extent(), static_cast<std::int64_t>(now.size())))
        << what << " written behind the array";
    if (shape_.empty()) return;
    for (std::int64_t y = 1; y < shape_.height; ++y)
      EXPECT_FALSE(touched(first_ + (y - 1) * shape_.pitch + shape_.row_samples(), first_ + y * shape_.pitch))
          << what << " written before row " << y;
  }

  Context* context_;
  View<T> shape_;
  std::int64_t first_;  ///< element of the buffer
  std::vector<T> expected_;
  Image<std::uint8_t> buffer_;
};

}  // namespace scanlens::test
