#include "app/depth/network/protobuf.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace scanlens {
namespace {

enum Wire : std::uint32_t { kVarint = 0, kEightBytes = 1, kLength = 2, kFourBytes = 5 };

}  // namespace

void ProtoFile::refuse(const std::string& why) const {
  throw Error(fmt::format("{}: {}", name_, why));
}

std::uint8_t ProtoFile::byte(std::size_t at) const {
  if (at < window_begin_ || at >= window_end_) {
    window_begin_ = at;
    window_end_ = std::min(size_, at + window_.size());
    read_(at, std::span(window_).first(window_end_ - window_begin_));
  }
  return static_cast<std::uint8_t>(window_[at - window_begin_]);
}

std::uint64_t ProtoFile::varint(ProtoSpan& span) const {
  constexpr int kBits = 7, kMostBits = 64;
  std::uint64_t value = 0;
  for (int shift = 0; shift < kMostBits; shift += kBits) {
    if (span.begin >= span.end) refuse("damaged ONNX model: a number runs beyond its end");
    const std::uint8_t next = byte(span.begin++);
    value |= std::uint64_t{next & 0x7Fu} << shift;
    if (next < 0x80) return value;
  }
  refuse("damaged ONNX model: a number of more than 64 bits");
}

std::optional<ProtoField> ProtoFile::next(ProtoSpan& message) const {
  if (message.begin >= message.end) return std::nullopt;
  const std::uint64_t tag = varint(message);
  ProtoField field{static_cast<std::uint32_t>(tag >> 3), 0, {}};
  std::uint64_t length = 0;
  switch (tag & 7) {
    case kVarint:
      field.value = varint(message);
      return field;
    case kEightBytes:
      length = 8;
      break;
    case kFourBytes:
      length = 4;
      break;
    case kLength:
      length = varint(message);
      break;
    default:
      refuse("damaged ONNX model: it has a field of no known kind");
  }
  if (length > message.size())
    refuse(message.end == size_ ? "damaged ONNX model: the file is cut off"
                                : "damaged ONNX model: a part runs beyond the one around it");
  field.bytes = {message.begin, message.begin + static_cast<std::size_t>(length)};
  message.begin = field.bytes->end;
  return field;
}

std::string ProtoFile::text(const ProtoSpan& span, std::size_t most) const {
  if (span.size() > most) refuse("damaged ONNX model: a name is too long");
  std::string text(span.size(), '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(byte(span.begin + i));
  return text;
}

}  // namespace scanlens
