// Reads the depth channel of an OpenEXR file.
#include <ImfChannelList.h>
#include <ImfCompression.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfInputPart.h>
#include <ImfMultiPartInputFile.h>
#include <ImfPartType.h>
#include <ImfTileDescription.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "app/depth/files/exr_channels.h"
#include "app/depth/files/raw.h"
#include "app/io/codecs/exr_stream.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Returns the channels of the parts that hold images.
std::vector<ExrChannel> channels_of(const Imf::MultiPartInputFile& file) {
  std::vector<ExrChannel> channels;
  for (int part = 0; part < file.parts(); ++part) {
    const Imf::Header& header = file.header(part);
    if (header.hasType() && !Imf::isImage(header.type())) continue;
    const std::string part_name = file.parts() > 1 && header.hasName() ? header.name() : "";
    for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel)
      channels.push_back({part, part_name, channel.name()});
  }
  return channels;
}

/// Holds the buffers of lines and tiles, which OpenEXR allocates for all channels, to the limits.
void check_buffers(const Source& source, const Imf::Header& header, std::int64_t width, std::int64_t height) {
  constexpr std::int64_t kMostLines = 256;  // of a block, whatever the compression
  constexpr std::uint64_t kSmallTile = 1 << 20;
  int channels = 0;
  for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel) ++channels;
  check_gate(source, width, std::min(height, kMostLines), channels, sizeof(float), kMostModernExpansion);
  if (!header.hasTileDescription()) return;
  const Imf::TileDescription& tile = header.tileDescription();
  if (std::uint64_t{tile.xSize} * tile.ySize > kSmallTile)
    check_gate(source, tile.xSize, tile.ySize, channels, sizeof(float), kMostModernExpansion);
}

Image<float> read_channel(const Source& source, Imf::MultiPartInputFile& file, int number,
                          const std::string& name) {
  const Imf::Header& header = file.header(number);
  const Imath::Box2i data = header.dataWindow(), display = header.displayWindow();
  const auto side = [](int least, int most) { return std::int64_t{most} - least + 1; };
  const std::int64_t data_width = side(data.min.x, data.max.x), data_height = side(data.min.y, data.max.y);
  const std::int64_t width = side(display.min.x, display.max.x), height = side(display.min.y, display.max.y);
  check_gate(source, data_width, data_height, 1, sizeof(float), kMostModernExpansion);
  check_gate(source, width, height, 1, sizeof(float), kMostModernExpansion);
  check_buffers(source, header, data_width, data_height);
  const Imf::Channel& channel = header.channels()[name.c_str()];
  if (channel.xSampling != 1 || channel.ySampling != 1)
    throw Error(fmt::format("{}: its channel {} is subsampled", source.name, name));

  Image<float> stored(data_width, data_height);
  const View<float> from = stored.view();
  Imf::FrameBuffer buffer;
  buffer.insert(name, Imf::Slice::Make(Imf::FLOAT, from.data, data, sizeof(float),
                                       static_cast<std::size_t>(data_width) * sizeof(float)));
  Imf::InputPart part(file, number);
  part.setFrameBuffer(buffer);
  part.readPixels(data.min.y, data.max.y);
  if (data == display) return stored;

  Image<float> shown(width, height);
  const View<float> to = shown.view();
  std::fill_n(to.data, to.extent(), std::numeric_limits<float>::quiet_NaN());
  const std::int64_t left = std::max(data.min.x, display.min.x), right = std::min(data.max.x, display.max.x);
  for (std::int64_t y = std::max(data.min.y, display.min.y); y <= std::min(data.max.y, display.max.y); ++y)
    if (left <= right)
      std::copy_n(from.row(y - data.min.y) + (left - data.min.x), right - left + 1,
                  to.row(y - display.min.y) + (left - display.min.x));
  return shown;
}

/// Returns whether the values are of different channels of a colour. Lossy compression parts equal ones a
/// little.
bool differ(const Image<float>& a, const Image<float>& b, double tolerance) {
  const View<const float> left = a.view(), right = b.view();
  for (std::int64_t i = 0; i < left.extent(); ++i) {
    const float one = left.data[i], other = right.data[i];
    if (one == other || (std::isnan(one) && std::isnan(other))) continue;
    if (!(std::abs(one - other) <= tolerance * std::max(std::abs(one), std::abs(other)))) return true;
  }
  return false;
}

bool is_lossy(Imf::Compression compression) {
  switch (compression) {
    case Imf::PXR24_COMPRESSION:
    case Imf::B44_COMPRESSION:
    case Imf::B44A_COMPRESSION:
    case Imf::DWAA_COMPRESSION:
    case Imf::DWAB_COMPRESSION:
      return true;
    default:
      return false;
  }
}

RawDepth read_depth(const Source& source, Imf::MultiPartInputFile& file, const ExrDepth& depth) {
  constexpr double kLossyShare = 0.02;
  const bool lossy = is_lossy(file.header(depth.part).compression());
  const bool three = depth.channels.size() == 3;
  RawDepth raw{read_channel(source, file, depth.part, depth.channels[0]), 0,
               fmt::format("EXR {} {}", three ? "layer" : "channel", depth.name)};
  for (std::size_t i = 1; i < depth.channels.size(); ++i)
    if (differ(raw.values, read_channel(source, file, depth.part, depth.channels[i]),
               lossy ? kLossyShare : 0))
      throw Error(fmt::format(
          "{}: its channels {} differ, so they are colours and no depth; --depth-channel NAME chooses "
          "one channel",
          source.name, fmt::join(depth.channels, ", ")));
  raw.remarks = depth.remarks;
  raw.exact = true;  // who writes EXR renders
  raw.reason = "so its channel is named";
  switch (depth.meaning) {
    case ExrMeaning::unnamed:
      break;
    case ExrMeaning::distance:
      raw.kind = DepthKind::depth;
      if (depth.of_unreal)
        raw.doubts.emplace_back(
            "Unreal writes centimetres under such a name; taken for metres, for centimetres say "
            "--depth-scale 0.01");
      break;
    case ExrMeaning::inverse:
      // Disparity that this program wrote spans 0 .. 1, and 0 is the farthest, not unknown.
      raw.kind = DepthKind::inverse;
      break;
    case ExrMeaning::mist:
      raw.stated = Stated{DepthKind::inverse, false, 1, -1, 0, 1, "a mist pass, 0 (near) .. 1 (far)"};
      raw.doubts.emplace_back(
          "a mist pass holds no distances, and is read as relative depth; a pass of depth (Z) is "
          "more exact");
      break;
  }
  return raw;
}

/// Returns whether there are colours beside the depth.
bool has_colours(const std::vector<ExrChannel>& channels, const ExrDepth& depth) {
  return std::any_of(channels.begin(), channels.end(), [&](const ExrChannel& channel) {
    const std::string& name = channel.name;
    const bool color = name == "R" || name == "Y" || name.ends_with(".R") || name.ends_with(".r");
    return color && std::find(depth.channels.begin(), depth.channels.end(), name) == depth.channels.end();
  });
}

std::optional<RawDepth> read(const Source& source, const std::string& wanted, ExrUse use) {
  return reading_exr(source, [&]() -> std::optional<RawDepth> {
    ExrStream stream(source);
    Imf::MultiPartInputFile file(stream, 0, false);
    const std::vector<ExrChannel> channels = channels_of(file);
    const std::optional<ExrDepth> depth = find_exr_depth(channels, wanted, use, source.name);
    if (!depth && use == ExrUse::map)
      throw Error(
          fmt::format("{}: none of its channels is depth (Z, depth.Z, disparity, or one channel alone): {}; "
                      "--depth-channel NAME chooses one",
                      source.name, channels.empty() ? "it holds deep data" : names_of(channels)));
    if (!depth || (use == ExrUse::photo && !has_colours(channels, *depth))) return std::nullopt;
    return read_depth(source, file, *depth);
  });
}

}  // namespace

RawDepth read_exr(const Source& source, const std::string& channel) {
  return std::move(*read(source, channel, ExrUse::map));
}

std::optional<RawDepth> read_exr_photo(const Source& source, const std::string& channel) {
  return read(source, channel, ExrUse::photo);
}

}  // namespace scanlens
