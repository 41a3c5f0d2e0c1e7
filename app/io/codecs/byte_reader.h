// A file's contents from front to back, for the formats that are parsed here, and text in their headers.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "app/io/codecs/codecs.h"
#include "core/error.h"

namespace scanlens {

inline bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Returns the text without white space at either end.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Cuts a number off the beginning, which may have white space and a plus sign before it. Returns false
/// without a number.
template <class T>
bool take_number(std::string_view& text, T& value) {
  std::string_view rest = text;
  while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
  if (rest.size() > 1 && rest[0] == '+' && rest[1] != '-') rest.remove_prefix(1);
  const auto [next, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc()) return false;
  text = rest.substr(static_cast<std::size_t>(next - rest.data()));
  return true;
}

/// Reads little-endian numbers. Throws Error "NAME: the FORMAT data is ..." for whatever is not there.
class ByteReader {
 public:
  ByteReader(const Source& source, Format format)
      : name_(source.name), format_(traits_of(format).name), bytes_(source.bytes) {}

  std::size_t position() const { return position_; }
  std::size_t left() const { return bytes_.size() - position_; }

  void seek(std::size_t position) {
    if (position > bytes_.size()) truncated();
    position_ = position;
  }

  Bytes take(std::size_t count) {
    if (count > left()) truncated();
    const Bytes taken = bytes_.subspan(position_, count);
    position_ += count;
    return taken;
  }

  unsigned byte() {
    if (left() == 0) truncated();
    return std::to_integer<unsigned>(bytes_[position_++]);
  }
  unsigned u16() {
    const unsigned low = byte();
    return low | byte() << 8;
  }
  std::uint32_t u32() {
    const std::uint32_t low = u16();
    return low | static_cast<std::uint32_t>(u16()) << 16;
  }
  std::int32_t i32() { return static_cast<std::int32_t>(u32()); }

  /// Takes a line of text without its end.
  std::string_view line() {
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + position_, left());
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) truncated();
    position_ += end + 1;
    const std::string_view text = rest.substr(0, end);
    return text.ends_with('\r') ? text.substr(0, end - 1) : text;
  }

  [[noreturn]] void truncated() const {
    throw Error(fmt::format("{}: the {} data is truncated", name_, format_));
  }
  [[noreturn]] void corrupt(const std::string& cause) const {
    throw Error(fmt::format("{}: the {} data is corrupt ({})", name_, format_, cause));
  }
  /// Refuses what is valid but not read here.
  [[noreturn]] void unsupported(const std::string& what) const {
    throw Error(fmt::format("{}: {}", name_, what));
  }

 private:
  std::string name_;
  std::string_view format_;
  Bytes bytes_;
  std::size_t position_ = 0;
};

}  // namespace scanlens
