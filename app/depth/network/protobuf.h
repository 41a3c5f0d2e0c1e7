// Fields of protobuf messages, read in place: what is not asked for is passed over unread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace scanlens {

/// Part of a file: a message, a text or numbers.
struct ProtoSpan {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

struct ProtoField {
  std::uint32_t number = 0;
  std::uint64_t value = 0;         ///< of a whole number
  std::optional<ProtoSpan> bytes;  ///< of all that has a length
};

/// Bytes that are read where they are needed, a few at a time. Throws Error "NAME: cause" for fields that run
/// beyond their message and for kinds of fields that ONNX has not.
class ProtoFile {
 public:
  using Read = std::function<void(std::size_t at, std::span<std::byte> bytes)>;
  ProtoFile(std::string name, std::size_t size, Read read)
      : name_(std::move(name)), size_(size), read_(std::move(read)) {}

  ProtoSpan whole() const { return {0, size_}; }
  const std::string& name() const { return name_; }

  /// Takes the next field off the front of a message; nothing at its end.
  std::optional<ProtoField> next(ProtoSpan& message) const;

  /// Returns the bytes as text. Throws Error where there are more than `most`.
  std::string text(const ProtoSpan& span, std::size_t most = 4096) const;

  std::uint64_t varint(ProtoSpan& span) const;

  [[noreturn]] void refuse(const std::string& why) const;

 private:
  std::uint8_t byte(std::size_t at) const;

  const std::string name_;
  const std::size_t size_;
  const Read read_;
  mutable std::array<std::byte, 4096> window_{};
  mutable std::size_t window_begin_ = 0, window_end_ = 0;
};

}  // namespace scanlens
