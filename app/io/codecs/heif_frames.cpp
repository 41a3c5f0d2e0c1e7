// Finds coded frames in the boxes of ISO/IEC 14496-12 and 23008-12, and their sizes by the headers of ITU-T
// H.265 (7.3.2.2) and AV1 (5.5). It leaves to the library all that it does not understand.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "app/io/codecs/heif_file.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Thrown where data end.
struct End {};

/// Reads numbers of whole bytes, or of bits, the highest first.
class BitReader {
 public:
  explicit BitReader(Bytes bytes) : bytes_(bytes) {}

  std::uint64_t bits(unsigned count) {
    std::uint64_t value = 0;
    for (; count > 0; --count, ++bit_) {
      if (bit_ / 8 >= bytes_.size()) throw End();
      value = value << 1 | (std::to_integer<unsigned>(bytes_[bit_ / 8]) >> (7 - bit_ % 8) & 1);
    }
    return value;
  }
  std::uint64_t number(unsigned bytes) { return bits(bytes * 8); }
  void skip(std::uint64_t count) {
    if (count > bytes_.size() * 8 - bit_) throw End();
    bit_ += count;
  }
  /// Reads an exponential Golomb code.
  std::uint64_t golomb() {
    unsigned zeros = 0;
    while (bits(1) == 0)
      if (++zeros > 32) throw End();
    return (std::uint64_t{1} << zeros) - 1 + bits(zeros);
  }
  Bytes take(std::uint64_t count) {
    const std::size_t at = bit_ / 8;
    if (count > bytes_.size() - at) throw End();
    bit_ += count * 8;
    return bytes_.subspan(at, count);
  }
  std::size_t left() const { return bytes_.size() - bit_ / 8; }

 private:
  Bytes bytes_;
  std::uint64_t bit_ = 0;
};

class Frames {
 public:
  Frames(const Source& source, std::int64_t most_pixels) : source_(source), most_pixels_(most_pixels) {}

  void check() {
    each_box(source_.bytes, [&](std::string_view type, Bytes box) {
      if (type == "meta" && box.size() > 4) check_meta(box.subspan(4));
    });
  }

 private:
  /// Calls `visit` with the type and the content of each box, and stops where they make no sense.
  static void each_box(Bytes bytes, const auto& visit) {
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
      visit(std::string_view(reinterpret_cast<const char*>(type.data()), 4),
            bytes.subspan(head, size - head));
      bytes = bytes.subspan(size);
    }
  }

  static void guarded(const auto& work) {
    try {
      work();
    } catch (const End&) {
    }
  }

  void check_meta(Bytes meta) {
    Bytes locations, data;
    each_box(meta, [&](std::string_view type, Bytes box) {
      if (type == "iloc") locations = box;
      if (type == "idat") data = box;
      if (type == "iinf" && box.size() > 8) guarded([&] { read_entries(box); });
      if (type == "iref" && box.size() > 4) guarded([&] { read_references(box); });
      if (type == "iprp")
        each_box(box, [&](std::string_view list, Bytes properties) {
          if (list == "ipco")
            each_box(properties, [&](std::string_view kind, Bytes property) {
              if (kind == "hvcC") guarded([&] { check_hevc_configuration(property); });
              if (kind != "av1C") return;
              has_av1_ = true;
              if (property.size() > 4) guarded([&] { check_av1(property.subspan(4)); });
            });
        });
    });
    for (const auto& [item, parts] : parts_) {
      std::size_t visits = 0;
      visit_parts(item, 0, visits);
    }
    check_derived();
    guarded([&] { check_items(locations, data); });
  }

  /// Reads which items are pictures that libheif knows.
  void read_entries(Bytes entries) {
    constexpr std::string_view kPictures[] = {"hvc1", "av01", "vvc1", "grid", "iden", "iovl"};
    const bool wide = BitReader(entries).number(1) != 0;
    each_box(entries.subspan(wide ? 8 : 6), [&](std::string_view type, Bytes box) {
      if (type != "infe") return;
      guarded([&] {
        BitReader reader(box);
        const auto version = reader.number(1);
        if (version < 2) return;  // which name no type
        reader.skip(24);
        const auto item = reader.number(version == 2 ? 2 : 4);
        reader.skip(16);
        const Bytes kind = reader.take(4);
        const std::string_view name(reinterpret_cast<const char*>(kind.data()), 4);
        if (std::find(std::begin(kPictures), std::end(kPictures), name) != std::end(kPictures))
          pictures_.insert(item);
      });
    });
  }

  /// Refuses a picture that is derived from an item that does not exist: libheif 1.15 would end the program.
  void check_derived() const {
    for (const auto& [item, from] : derived_)
      if (pictures_.contains(item) && !pictures_.contains(from))
        refuse(fmt::format("it refers to item {}, which does not exist", from));
  }

  /// Reads what each item is made of: the tiles of a grid, and the alpha that belongs to a picture.
  /// libheif reads one reference after the other, whatever sizes their boxes announce.
  void read_references(Bytes references) {
    BitReader reader(references);
    const bool wide = reader.number(1) != 0;
    reader.skip(24);
    while (reader.left() > 0) {
      const auto size = reader.number(4);
      const Bytes kind = reader.take(4);
      const std::string_view type(reinterpret_cast<const char*>(kind.data()), 4);
      if (size == 1) reader.skip(64);
      const auto from = reader.number(wide ? 4 : 2);
      for (auto count = reader.number(2); count > 0; --count) {
        const auto to = reader.number(wide ? 4 : 2);
        if (type == "dimg") {
          parts_[from].push_back(to);
          derived_.emplace_back(from, to);
        }
        if (type == "auxl") parts_[to].push_back(from);
      }
    }
  }

  /// Follows the parts of an item as the library decodes them. The library goes on for ever when one of them
  /// is the item itself, in a new thread each time.
  void visit_parts(std::uint64_t item, int depth, std::size_t& visits) const {
    constexpr int kMostDepth = 8;  // the library decodes all of them at once
    constexpr std::size_t kMostVisits = 100000;
    if (depth > kMostDepth || ++visits > kMostVisits) refuse("a picture in it refers to itself");
    const auto found = parts_.find(item);
    if (found == parts_.end()) return;
    for (const std::uint64_t part : found->second) visit_parts(part, depth + 1, visits);
  }

  void check_items(Bytes locations, Bytes data) {
    BitReader reader(locations);
    const auto version = reader.number(1);
    reader.skip(24);
    const auto offset_bytes = static_cast<unsigned>(reader.bits(4)),
               length_bytes = static_cast<unsigned>(reader.bits(4)),
               base_bytes = static_cast<unsigned>(reader.bits(4)),
               index_bytes = static_cast<unsigned>(reader.bits(4));
    std::size_t total = 0;
    for (auto items = reader.number(version < 2 ? 2 : 4); items > 0; --items) {
      reader.skip(version < 2 ? 16 : 32);
      const auto method = version == 0 ? 0 : reader.number(2) & 15;
      reader.skip(16);
      const auto base = reader.number(base_bytes);
      std::vector<std::byte> item;
      const Bytes from = method == 1 ? data : source_.bytes;
      for (auto extents = reader.number(2); extents > 0; --extents) {
        if (version > 0) reader.skip(index_bytes * 8);
        const auto offset = reader.number(offset_bytes) + base, length = reader.number(length_bytes);
        if (offset > from.size()) continue;
        const Bytes part =
            from.subspan(offset, length == 0 ? from.size() - offset
                                             : std::min<std::uint64_t>(length, from.size() - offset));
        total += part.size();
        if (total > 4 * source_.bytes.size()) refuse("its items overlap");
        item.insert(item.end(), part.begin(), part.end());
      }
      if (has_av1_) guarded([&] { check_av1(item); });
      if (length_size_ > 0)
        guarded([&] {
          BitReader units(item);
          while (units.left() > length_size_) check_hevc_unit(units.take(units.number(length_size_)));
        });
    }
  }

  void check_hevc_configuration(Bytes configuration) {
    BitReader reader(configuration);
    reader.skip(21 * 8);
    length_size_ = static_cast<unsigned>(reader.number(1) & 3) + 1;
    for (auto arrays = reader.number(1); arrays > 0; --arrays) {
      reader.skip(8);
      for (auto units = reader.number(2); units > 0; --units) check_hevc_unit(reader.take(reader.number(2)));
    }
  }

  void check_hevc_unit(Bytes unit) {
    constexpr unsigned kSequence = 33;
    if (unit.size() < 3 || (std::to_integer<unsigned>(unit[0]) >> 1 & 63) != kSequence) return;
    std::vector<std::byte> payload;  // without the 3 that stands after two zeros
    for (std::size_t i = 2, zeros = 0; i < unit.size() && payload.size() < 512; ++i) {
      const bool guard = zeros >= 2 && unit[i] == std::byte{3};
      zeros = unit[i] == std::byte{0} ? zeros + 1 : 0;
      if (!guard) payload.push_back(unit[i]);
    }
    guarded([&] {
      BitReader reader(payload);
      reader.skip(4);
      const auto layers = reader.bits(3);
      reader.skip(1 + 96);
      std::uint64_t skipped = 0;
      for (std::uint64_t i = 0; i < layers; ++i) {
        if (reader.bits(1) != 0) skipped += 88;
        if (reader.bits(1) != 0) skipped += 8;
      }
      if (layers > 0) reader.skip((8 - layers) * 2);
      reader.skip(skipped);
      reader.golomb();
      if (reader.golomb() == 3) reader.skip(1);
      const auto width = reader.golomb(), height = reader.golomb();
      check_size(width, height);
    });
  }

  void check_av1(Bytes data) {
    constexpr unsigned kSequence = 1;
    BitReader units(data);
    while (units.left() > 1) {
      units.skip(1);
      const auto type = units.bits(4), extended = units.bits(1), sized = units.bits(1);
      units.skip(1 + (extended != 0 ? 8 : 0));
      std::uint64_t size = 0;
      for (unsigned i = 0, more = sized != 0; more != 0 && i < 8; ++i) {
        const auto byte = units.number(1);
        size |= (byte & 127) << 7 * i;
        more = byte >> 7;
      }
      const Bytes unit = units.take(sized != 0 ? size : units.left());
      if (type == kSequence) guarded([&] { check_av1_sequence(unit); });
    }
  }

  void check_av1_sequence(Bytes unit) {
    BitReader reader(unit);
    reader.skip(4);
    if (reader.bits(1) != 0) {  // the short header of a still picture
      reader.skip(5);
    } else {
      bool model = false;
      std::uint64_t delay_bits = 0;
      if (reader.bits(1) != 0) {
        reader.skip(64);
        if (reader.bits(1) != 0) reader.golomb();
        model = reader.bits(1) != 0;
        if (model) {
          delay_bits = reader.bits(5) + 1;
          reader.skip(32 + 5 + 5);
        }
      }
      const bool delay = reader.bits(1) != 0;
      for (auto points = reader.bits(5) + 1; points > 0; --points) {
        reader.skip(12);
        if (reader.bits(5) > 7) reader.skip(1);
        if (model && reader.bits(1) != 0) reader.skip(2 * delay_bits + 1);
        if (delay && reader.bits(1) != 0) reader.skip(4);
      }
    }
    const auto width_bits = static_cast<unsigned>(reader.bits(4)) + 1,
               height_bits = static_cast<unsigned>(reader.bits(4)) + 1;
    const auto width = reader.bits(width_bits) + 1, height = reader.bits(height_bits) + 1;
    check_size(width, height);
  }

  void check_size(std::uint64_t width, std::uint64_t height) const {
    if (width == 0 || height > static_cast<std::uint64_t>(most_pixels_) / width)
      refuse(fmt::format("a frame in it has {} x {} pixels", width, height));
  }

  [[noreturn]] void refuse(const std::string& cause) const {
    throw Error(fmt::format("{}: the HEIC or AVIF data is corrupt ({})", source_.name, cause));
  }

  const Source& source_;
  std::int64_t most_pixels_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> parts_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> derived_;  ///< items, and those that they are made of
  std::set<std::uint64_t> pictures_;
  unsigned length_size_ = 0;  ///< of HEVC's units; 0 without units
  bool has_av1_ = false;
};

}  // namespace

void check_heif_frames(const Source& source, std::int64_t most_pixels) {
  Frames(source, most_pixels).check();
}

}  // namespace scanlens
