// Finds the sizes of coded frames by the headers of ITU-T H.265 (7.3.2.2) and AV1 (5.5). It leaves to the
// library all that it does not understand.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "app/io/codecs/heif_file.h"
#include "app/io/codecs/heif_items.h"
#include "core/error.h"

namespace scanlens {
namespace {

class Frames {
 public:
  Frames(const Source& source, std::int64_t most_pixels)
      : source_(source), most_pixels_(most_pixels), all_(heif_items(source.bytes)) {}

  void check() {
    for (const Bytes configuration : all_.hevc) until_end([&] { check_hevc_configuration(configuration); });
    for (const Bytes configuration : all_.av1)
      if (configuration.size() > 4) until_end([&] { check_av1(configuration.subspan(4)); });
    check_references();
    check_items();
  }

 private:
  /// True for items that libheif knows as pictures.
  bool is_picture(std::uint64_t item) const {
    constexpr std::string_view kPictures[] = {"hvc1", "av01", "vvc1", "grid", "iden", "iovl"};
    const auto found = all_.items.find(item);
    return found != all_.items.end() &&
           std::find(std::begin(kPictures), std::end(kPictures), found->second.type) != std::end(kPictures);
  }

  /// Looks at what each item is made of: the tiles of a grid, and the alpha that belongs to a picture.
  /// Refuses a picture that is derived from an item that does not exist: libheif 1.15 would end the program.
  void check_references() {
    for (const HeifReference& reference : all_.references) {
      if (reference.type == "dimg") parts_[reference.from].push_back(reference.to);
      if (reference.type == "auxl") parts_[reference.to].push_back(reference.from);
    }
    for (const auto& [item, parts] : parts_) {
      std::size_t visits = 0;
      visit_parts(item, 0, visits);
    }
    for (const HeifReference& reference : all_.references)
      if (reference.type == "dimg" && is_picture(reference.from) && !is_picture(reference.to))
        refuse(fmt::format("it refers to item {}, which does not exist", reference.to));
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

  void check_items() {
    if (all_.overlap) refuse("its items overlap");
    for (const auto& [id, item] : all_.items) {
      const std::vector<std::byte> data = item.joined();
      if (!all_.av1.empty()) until_end([&] { check_av1(data); });
      if (length_size_ > 0)
        until_end([&] {
          BitReader units(data);
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
    until_end([&] {
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
      if (type == kSequence) until_end([&] { check_av1_sequence(unit); });
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
  HeifItems all_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> parts_;
  unsigned length_size_ = 0;  ///< of HEVC's units; 0 without units
};

}  // namespace

void check_heif_frames(const Source& source, std::int64_t most_pixels) {
  Frames(source, most_pixels).check();
}

}  // namespace scanlens
