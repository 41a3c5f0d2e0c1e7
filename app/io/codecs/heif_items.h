// Boxes of HEIC and AVIF files (ISO/IEC 14496-12 and 23008-12): their items, as libheif reads them too.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "app/io/file.h"

namespace scanlens {

/// Thrown where data end.
struct End {};

/// Calls work, which ends where its data do.
void until_end(const auto& work) {
  try {
    work();
  } catch (const End&) {
  }
}

/// Reads numbers of whole bytes, or of bits, the highest first.
class BitReader {
 public:
  explicit BitReader(Bytes bytes) : bytes_(bytes) {}

  std::uint64_t bits(unsigned count);
  std::uint64_t number(unsigned bytes) { return bits(bytes * 8); }
  void skip(std::uint64_t count);
  /// Reads an exponential Golomb code.
  std::uint64_t golomb();
  Bytes take(std::uint64_t count);
  std::size_t left() const { return bytes_.size() - bit_ / 8; }

 private:
  Bytes bytes_;
  std::uint64_t bit_ = 0;
};

/// Calls visit(type, content) for each box, and stops where they make no sense.
void each_box(Bytes bytes, const auto& visit) {
  while (bytes.size() >= 8) {
    BitReader reader(bytes);
    std::uint64_t size = reader.number(4), head = 8;
    const Bytes type = reader.take(4);
    if (size == 1 && bytes.size() >= 16) {
      size = reader.number(8);
      head = 16;
    }
    if (size == 0) size = bytes.size();
    if (size < head || size > bytes.size()) return;
    visit(std::string_view(reinterpret_cast<const char*>(type.data()), 4), bytes.subspan(head, size - head));
    bytes = bytes.subspan(size);
  }
}

/// Holds what a file says of one of its items.
struct HeifItem {
  std::string_view type;         ///< empty where the file names none
  std::vector<Bytes> data;       ///< one behind the other
  std::size_t is_hidden_at = 0;  ///< the byte of the file whose lowest bit hides it; 0 where none does

  std::vector<std::byte> joined() const;
};

struct HeifReference {
  std::string_view type;
  std::uint64_t from, to;
};

struct HeifItems {
  std::map<std::uint64_t, HeifItem> items;
  std::vector<HeifReference> references;  ///< in the file's order
  std::vector<Bytes> hevc, av1;           ///< configurations of codecs, among all properties
  bool overlap = false;                   ///< the items hold far more than the file; the rest is not listed
};

/// Lists the items of a file, which has to stay. Skips what it does not understand.
HeifItems heif_items(Bytes file);

}  // namespace scanlens
