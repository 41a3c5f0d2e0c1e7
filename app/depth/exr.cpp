// Reads the depth channel of an OpenEXR file.
#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfInputPart.h>
#include <ImfMultiPartInputFile.h>
#include <ImfPartType.h>
#include <ImfTileDescription.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <string_view>

#include "app/depth/raw.h"
#include "app/io/codecs/exr_stream.h"
#include "core/error.h"

namespace scanlens {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Returns how well a channel's name says that it holds distances or disparities, 0 for not at all.
/// Renderers write Z, depth.Z, ViewLayer.Depth.Z (Blender), depth.V (Gaffer, Houdini).
int fitness(std::string_view channel) {
  const std::string name = lower(channel);
  if (name == "z") return 4;
  if (name.ends_with("depth.z") || name.ends_with("depth.v") || name == "depth") return 3;
  if (name.starts_with("disparity") || name.ends_with(".disparity")) return 2;
  return name.ends_with(".z") && name.find("normal") == std::string::npos &&
                 name.find("position") == std::string::npos
             ? 1
             : 0;
}

struct Place {
  int part = -1;
  std::string channel;
  int fitness = 0;
};

Place find_depth(const Imf::MultiPartInputFile& file, const std::string& name) {
  Place best, only;
  std::vector<std::string> all;
  bool deep = false;
  for (int part = 0; part < file.parts(); ++part) {
    const Imf::Header& header = file.header(part);
    if (header.hasType() && !Imf::isImage(header.type())) {
      deep = true;
      continue;
    }
    for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel) {
      all.emplace_back(channel.name());
      only = {part, channel.name()};
      if (const int fit = fitness(channel.name()); fit > best.fitness) best = {part, channel.name(), fit};
    }
  }
  if (best.fitness > 0) return best;
  if (all.size() == 1) return only;
  throw Error(fmt::format("{}: none of its channels is depth (Z, depth.Z, disparity, or one channel alone): {}", name,
                          all.empty() && deep ? "it holds deep data" : fmt::format("{}", fmt::join(all, ", "))));
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

Image<float> read_channel(const Source& source, Imf::MultiPartInputFile& file, const Place& place) {
  const Imf::Header& header = file.header(place.part);
  const Imath::Box2i data = header.dataWindow(), display = header.displayWindow();
  const auto side = [](int least, int most) { return std::int64_t{most} - least + 1; };
  const std::int64_t data_width = side(data.min.x, data.max.x), data_height = side(data.min.y, data.max.y);
  const std::int64_t width = side(display.min.x, display.max.x), height = side(display.min.y, display.max.y);
  check_gate(source, data_width, data_height, 1, sizeof(float), kMostModernExpansion);
  check_gate(source, width, height, 1, sizeof(float), kMostModernExpansion);
  check_buffers(source, header, data_width, data_height);
  const Imf::Channel& channel = header.channels()[place.channel.c_str()];
  if (channel.xSampling != 1 || channel.ySampling != 1)
    throw Error(fmt::format("{}: its channel {} is subsampled", source.name, place.channel));

  Image<float> stored(data_width, data_height);
  const View<float> from = stored.view();
  Imf::FrameBuffer buffer;
  buffer.insert(place.channel, Imf::Slice::Make(Imf::FLOAT, from.data, data, sizeof(float),
                                                static_cast<std::size_t>(data_width) * sizeof(float)));
  Imf::InputPart part(file, place.part);
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

}  // namespace

RawDepth read_exr(const Source& source) {
  return reading_exr(source, [&] {
    ExrStream stream(source);
    Imf::MultiPartInputFile file(stream, 0, false);
    const Place place = find_depth(file, source.name);
    RawDepth raw{read_channel(source, file, place), 0, fmt::format("EXR channel {}", place.channel)};
    const bool disparity = lower(place.channel).find("disparity") != std::string::npos;
    if (place.fitness > 0) {
      // What this program writes as disparity spans 0 .. 1, and 0 is the farthest, not unknown.
      raw.kind = disparity ? DepthKind::inverse : DepthKind::depth;
      raw.reason = "so its channel is named";
    }
    return raw;
  });
}

}  // namespace scanlens
