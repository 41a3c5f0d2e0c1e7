#include "app/io/codecs/heif_items.h"

#include <algorithm>

namespace scanlens {

std::uint64_t BitReader::bits(unsigned count) {
  std::uint64_t value = 0;
  for (; count > 0; --count, ++bit_) {
    if (bit_ / 8 >= bytes_.size()) throw End();
    value = value << 1 | (std::to_integer<unsigned>(bytes_[bit_ / 8]) >> (7 - bit_ % 8) & 1);
  }
  return value;
}

void BitReader::skip(std::uint64_t count) {
  if (count > bytes_.size() * 8 - bit_) throw End();
  bit_ += count;
}

std::uint64_t BitReader::golomb() {
  unsigned zeros = 0;
  while (bits(1) == 0)
    if (++zeros > 32) throw End();
  return (std::uint64_t{1} << zeros) - 1 + bits(zeros);
}

Bytes BitReader::take(std::uint64_t count) {
  const std::size_t at = bit_ / 8;
  if (count > bytes_.size() - at) throw End();
  bit_ += count * 8;
  return bytes_.subspan(at, count);
}

std::vector<std::byte> HeifItem::joined() const {
  std::vector<std::byte> all;
  for (const Bytes part : data) all.insert(all.end(), part.begin(), part.end());
  return all;
}

namespace {

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void read_entries(Bytes entries, Bytes file, HeifItems& found) {
  const bool wide = BitReader(entries).number(1) != 0;
  each_box(entries.subspan(wide ? 8 : 6), [&](std::string_view type, Bytes box) {
    if (type != "infe") return;
    until_end([&] {
      BitReader reader(box);
      const auto version = reader.number(1);
      if (version < 2) return;  // which name no type
      reader.skip(24);
      const auto id = reader.number(version == 2 ? 2 : 4);
      reader.skip(16);
      HeifItem& item = found.items[id];
      if (!item.type.empty()) return;  // the first counts
      item.type = text_of(reader.take(4));
      item.is_hidden_at = static_cast<std::size_t>(box.data() - file.data()) + 3;
    });
  });
}

/// libheif reads one reference after the other, whatever sizes their boxes announce.
void read_references(Bytes references, HeifItems& found) {
  BitReader reader(references);
  const unsigned bytes = reader.number(1) != 0 ? 4 : 2;
  reader.skip(24);
  while (reader.left() > 0) {
    const auto size = reader.number(4);
    const std::string_view type = text_of(reader.take(4));
    if (size == 1) reader.skip(64);
    const auto from = reader.number(bytes);
    for (auto count = reader.number(2); count > 0; --count)
      found.references.push_back({type, from, reader.number(bytes)});
  }
}

void read_places(Bytes locations, Bytes data, Bytes file, HeifItems& found) {
  BitReader reader(locations);
  const auto version = reader.number(1);
  reader.skip(24);
  const auto offset_bytes = static_cast<unsigned>(reader.bits(4)),
             length_bytes = static_cast<unsigned>(reader.bits(4)),
             base_bytes = static_cast<unsigned>(reader.bits(4)),
             index_bytes = static_cast<unsigned>(reader.bits(4));
  std::size_t total = 0;  // of all items
  for (auto items = reader.number(version < 2 ? 2 : 4); items > 0; --items) {
    HeifItem& item = found.items[reader.number(version < 2 ? 2 : 4)];
    const auto method = version == 0 ? 0 : reader.number(2) & 15;
    reader.skip(16);
    const auto base = reader.number(base_bytes);
    const Bytes from = method == 1 ? data : file;
    auto extents = reader.number(2);
    if (offset_bytes + length_bytes == 0) extents = std::min<std::uint64_t>(extents, 1);
    for (; extents > 0; --extents) {
      if (version > 0) reader.skip(index_bytes * 8);
      const auto offset = reader.number(offset_bytes) + base, length = reader.number(length_bytes);
      if (offset >= from.size()) continue;
      const std::uint64_t rest = from.size() - offset;
      item.data.push_back(from.subspan(offset, length == 0 ? rest : std::min(length, rest)));
      total += item.data.back().size();
      found.overlap = total > 4 * file.size();
      if (found.overlap) throw End();
    }
  }
}

void read_meta(Bytes meta, Bytes file, HeifItems& found) {
  Bytes locations, data;
  each_box(meta, [&](std::string_view type, Bytes box) {
    if (type == "iloc") locations = box;
    if (type == "idat") data = box;
    if (type == "iinf" && box.size() > 8) until_end([&] { read_entries(box, file, found); });
    if (type == "iref" && box.size() > 4) until_end([&] { read_references(box, found); });
    if (type != "iprp") return;
    each_box(box, [&](std::string_view list, Bytes properties) {
      if (list != "ipco") return;
      each_box(properties, [&](std::string_view kind, Bytes property) {
        if (kind == "hvcC") found.hevc.push_back(property);
        if (kind == "av1C") found.av1.push_back(property);
      });
    });
  });
  until_end([&] { read_places(locations, data, file, found); });
}

}  // namespace

HeifItems heif_items(Bytes file) {
  HeifItems found;
  each_box(file, [&](std::string_view type, Bytes box) {
    if (type == "meta" && box.size() > 4) read_meta(box.subspan(4), file, found);
  });
  return found;
}

}  // namespace scanlens
