// Reads OpenEXR through its library: half and float, scan lines and tiles, layers, parts, any data window.
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfChromaticitiesAttribute.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputPart.h>
#include <OpenEXR/ImfMultiPartInputFile.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfRgbaFile.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfStringAttribute.h>
#include <OpenEXR/ImfTileDescription.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <stdexcept>

#include "app/color/profile.h"
#include "app/io/codecs/codec.h"
#include "app/io/codecs/exr_stream.h"
#include "app/io/text.h"
#include "core/error.h"

namespace scanlens {
namespace {

using Imath::Box2i;

/// Says which channels of a part make the picture.
struct Choice {
  int part = -1;
  std::string layer;                  ///< before the channels' names, with its full stop
  std::vector<std::string> channels;  ///< full names, as Picture orders them
  bool luminance = false;             ///< Y with RY and BY
  std::vector<std::string> others;    ///< layers with colours that are left out
  bool is_lone = false;               ///< one channel of any name, which is taken for grey
};

bool is_among(const auto& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool has(const Imf::ChannelList& channels, const std::string& name) {
  return channels.findChannel(name.c_str()) != nullptr;
}

std::int64_t side(int low, int high) {
  return std::int64_t{high} - low + 1;
}

constexpr std::string_view kColours = "RGB", kSmallColours = "rgb";

/// Returns the layers that have red, green and blue, with their full stop; "" is the one without a name.
std::vector<std::string> color_layers(const Imf::ChannelList& channels, std::string_view colours) {
  std::vector<std::string> layers;
  for (auto i = channels.begin(); i != channels.end(); ++i) {
    const std::string name = i.name();
    if (name.back() != colours[0] || (name.size() > 1 && name[name.size() - 2] != '.')) continue;
    const std::string layer = name.substr(0, name.size() - 1);
    if (has(channels, layer + colours[1]) && has(channels, layer + colours[2])) layers.push_back(layer);
  }
  return layers;
}

/// Prefers the layer without a name, then the one that renderers write the whole picture to.
std::string best_of(const std::vector<std::string>& layers) {
  const auto rank = [](std::string layer) {
    std::transform(layer.begin(), layer.end(), layer.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    for (const char* whole : {"combined.", "beauty.", "rgba.", "rgb.", "color."})
      if (layer.ends_with(whole)) return 1;
    return layer.empty() ? 0 : 2;
  };
  return *std::min_element(layers.begin(), layers.end(), [&](const std::string& a, const std::string& b) {
    return std::pair(rank(a), a) < std::pair(rank(b), b);
  });
}

bool is_alpha(std::string_view name) {
  return name == "A" || name == "a" || name.ends_with(".A") || name.ends_with(".a");
}

/// Returns the one channel beside alpha; empty for no channel or several.
std::string only_channel(const Imf::ChannelList& channels) {
  std::string only;
  for (auto i = channels.begin(); i != channels.end(); ++i) {
    const std::string name = i.name();
    if (is_alpha(name)) continue;
    if (!only.empty()) return "";
    only = name;
  }
  return only;
}

/// Names the channels that are neither read nor a distance.
std::string other_channels(const Imf::ChannelList& channels, const Choice& choice) {
  constexpr int kMostNamed = 3;
  std::string names;
  int count = 0;
  for (auto i = channels.begin(); i != channels.end(); ++i) {
    const std::string_view name = i.name();
    const std::string_view last = name.substr(name.rfind('.') + 1);
    const bool is_read = is_among(choice.channels, name) ||
                         (choice.luminance && (last == "RY" || last == "BY")) ||
                         (choice.is_lone && is_alpha(name));
    if (is_read || last == "Z" || last == "z" || last.starts_with("depth")) continue;
    if (++count <= kMostNamed) names += (names.empty() ? "" : ", ") + printable(name);
  }
  if (count == 0) return "";
  const std::string more = count > kMostNamed ? fmt::format(" and {} more", count - kMostNamed) : "";
  return fmt::format("the channel{} {}{}", count == 1 ? "" : "s", names, more);
}

Choice choose(const Imf::MultiPartInputFile& file, const std::string& name) {
  std::string there;
  Choice lone;  // for want of colours
  for (int part = 0; part < file.parts(); ++part) {
    const Imf::Header& header = file.header(part);
    if (header.hasType() && Imf::isDeepData(header.type())) continue;
    const Imf::ChannelList& channels = header.channels();
    Choice choice;
    choice.part = part;
    std::string_view colours = kColours;
    std::vector<std::string> layers = color_layers(channels, colours);
    if (layers.empty()) layers = color_layers(channels, colours = kSmallColours);
    if (!layers.empty()) {
      choice.layer = best_of(layers);
      for (const char colour : colours) choice.channels.push_back(choice.layer + colour);
      for (const std::string& layer : layers)
        if (layer != choice.layer) choice.others.push_back(layer);
    } else if (has(channels, "Y")) {
      choice.luminance = has(channels, "RY") && has(channels, "BY");
      choice.channels = {"Y"};
    } else {
      if (const std::string only = only_channel(channels); lone.part < 0 && !only.empty()) {
        lone.part = part;
        lone.channels = {only};
        lone.is_lone = true;
      }
      for (auto i = channels.begin(); i != channels.end(); ++i)
        if (there.size() < 100) there += (there.empty() ? "" : ", ") + std::string(i.name());
      continue;
    }
    for (const char* alpha : {"A", "a"})
      if (has(channels, choice.layer + alpha)) {
        choice.channels.push_back(choice.layer + alpha);
        break;
      }
    return choice;
  }
  if (lone.part >= 0) return lone;
  throw Error(fmt::format("{}: it has no colour channels (R, G and B, or Y), but {}", name,
                          there.empty() ? "deep data only" : there));
}

/// Gates what the library allocates for a part: lines that are compressed together, or tiles, of all its
/// channels.
void check_part(const Source& source, const Imf::Header& header) {
  constexpr std::int64_t kMostLines = 256;  // of the compression that takes the most at once
  std::int64_t pixel_bytes = 0;
  for (auto i = header.channels().begin(); i != header.channels().end(); ++i)
    pixel_bytes += i.channel().type == Imf::HALF ? 2 : 4;
  const Box2i& data = header.dataWindow();
  const std::int64_t width = side(data.min.x, data.max.x), height = side(data.min.y, data.max.y);
  check_gate(source, width, height, 1, 2, kMostModernExpansion);
  const int channel_bytes = static_cast<int>(std::min<std::int64_t>(pixel_bytes, 1 << 20));
  if (header.hasTileDescription()) {
    const Imf::TileDescription& tile = header.tileDescription();
    check_gate(source, std::max<std::int64_t>(width, tile.xSize), tile.ySize, channel_bytes, 1,
               kMostModernExpansion);
  } else {
    check_gate(source, width, std::min(height, kMostLines), channel_bytes, 1, kMostModernExpansion);
  }
}

/// Reads lines of the data window one by one into the display window.
void read_channels(Imf::InputPart& part, const Choice& choice, const Box2i& data, const Box2i& display,
                   View<float> view) {
  const auto count = static_cast<std::size_t>(view.channels);
  const bool spreads = choice.channels.size() == 2;  // grey with alpha becomes RGBA
  const std::size_t width = static_cast<std::size_t>(side(data.min.x, data.max.x));
  std::vector<float> line(width * count);
  const std::int64_t left = std::max(data.min.x, display.min.x), right = std::min(data.max.x, display.max.x);
  const std::int64_t top = std::max(data.min.y, display.min.y), bottom = std::min(data.max.y, display.max.y);
  for (std::int64_t y = top; y <= bottom && left <= right; ++y) {
    Imf::FrameBuffer buffer;
    for (std::size_t c = 0; c < choice.channels.size(); ++c)
      buffer.insert(
          choice.channels[c],
          Imf::Slice::Make(Imf::FLOAT, line.data() + (spreads && c == 1 ? 3 : c),
                           Imath::V2i(data.min.x, static_cast<int>(y)), static_cast<std::int64_t>(width), 1,
                           count * sizeof(float), width * count * sizeof(float)));
    part.setFrameBuffer(buffer);
    part.readPixels(static_cast<int>(y));
    if (spreads)
      for (std::size_t x = 0; x < width; ++x) line[4 * x + 1] = line[4 * x + 2] = line[4 * x];
    const auto first = static_cast<std::size_t>(left - data.min.x) * count;
    std::copy_n(line.data() + first, static_cast<std::size_t>(right - left + 1) * count,
                &view(left - display.min.x, y - display.min.y));
  }
}

/// Reads luminance and colour differences, which the library turns into RGB of half precision.
void read_luminance(const Source& source, const Choice& choice, const Box2i& data, const Box2i& display,
                    View<float> view) {
  if (choice.part > 0)
    throw Error(fmt::format("{}: its luminance and colour differences are in part {}; only part 1 is read so",
                            source.name, choice.part + 1));
  ExrStream stream(source);
  Imf::RgbaInputFile file(stream, 0);
  const std::size_t width = static_cast<std::size_t>(side(data.min.x, data.max.x));
  std::vector<Imf::Rgba> line(width);
  const std::int64_t left = std::max(data.min.x, display.min.x), right = std::min(data.max.x, display.max.x);
  const std::int64_t top = std::max(data.min.y, display.min.y), bottom = std::min(data.max.y, display.max.y);
  for (std::int64_t y = top; y <= bottom && left <= right; ++y) {
    // The library wants the address of the pixel (0, 0).
    Imf::Rgba* origin =
        reinterpret_cast<Imf::Rgba*>(reinterpret_cast<std::intptr_t>(line.data()) -
                                     data.min.x * static_cast<std::intptr_t>(sizeof(Imf::Rgba)));
    file.setFrameBuffer(origin, 1, 0);
    file.readPixels(static_cast<int>(y));
    for (std::int64_t x = left; x <= right; ++x) {
      const Imf::Rgba& pixel = line[static_cast<std::size_t>(x - data.min.x)];
      float* out = &view(x - display.min.x, y - display.min.y);
      out[0] = pixel.r;
      out[1] = pixel.g;
      out[2] = pixel.b;
      if (view.channels == 4) out[3] = pixel.a;
    }
  }
}

std::string without_stop(const std::string& layer) {
  return layer.empty() ? "without a name" : fmt::format("'{}'", layer.substr(0, layer.size() - 1));
}

/// Takes texts and resolution, and names other attributes that are not of every file.
void read_words(const Imf::Header& header, Metadata& metadata) {
  constexpr std::string_view kOfPixels[] = {"channels",
                                            "chromaticities",
                                            "chunkCount",
                                            "compression",
                                            "dataWindow",
                                            "lineOrder",
                                            "displayWindow",
                                            "pixelAspectRatio",
                                            "screenWindowWidth",
                                            "screenWindowCenter",
                                            "tiles",
                                            "type",
                                            "name",
                                            "view",
                                            "dwaCompressionLevel",
                                            "multiView",
                                            "preview",
                                            "maxSamplesPerPixel",
                                            "version"};
  for (auto i = header.begin(); i != header.end(); ++i) {
    const std::string name = i.name();
    const bool words = std::string_view(i.attribute().typeName()) == Imf::StringAttribute::staticTypeName();
    if (name == "xDensity" && Imf::hasXDensity(header)) {
      const double density = Imf::xDensity(header);
      metadata.resolution = resolution(density, density * header.pixelAspectRatio(), 1);
    } else if (words && !is_among(kOfPixels, name)) {
      metadata.texts.push_back({name, dynamic_cast<const Imf::StringAttribute&>(i.attribute()).value()});
    } else if (!is_among(kOfPixels, name)) {
      metadata.lost.push_back("the attribute " + printable(name));
    }
  }
}

Picture read(const Source& source) {
  ExrStream stream(source);
  // Without the table of chunks rebuilt, a file that ends too early is known by its table.
  Imf::MultiPartInputFile file(stream, 0, false);
  const Choice choice = choose(file, source.name);
  const Imf::Header& header = file.header(choice.part);
  const Box2i data = header.dataWindow(), display = header.displayWindow();
  const std::int64_t width = side(display.min.x, display.max.x), height = side(display.min.y, display.max.y);
  const bool alpha = !choice.is_lone && is_alpha(choice.channels.back());
  const int channels = alpha ? 4 : choice.luminance || choice.channels.size() == 3 ? 3 : 1;
  check_gate(source, width, height, channels, sizeof(float), kMostModernExpansion);
  check_part(source, header);
  if (!file.partComplete(choice.part)) throw std::runtime_error("not all of its lines or tiles are there");

  Picture picture;
  Image<float> image(width, height, channels);
  std::fill_n(image.view().data, image.view().extent(), 0.0f);
  if (choice.luminance) {
    read_luminance(source, choice, data, display, image.view());
  } else {
    Imf::InputPart part(file, choice.part);
    read_channels(part, choice, data, display, image.view());
  }
  if (alpha) unpremultiply(image.view());
  picture.samples = std::move(image);

  if (const std::string rest = other_channels(header.channels(), choice); !rest.empty())
    picture.metadata.lost.push_back(rest);

  const auto remark = [&](bool warning, std::string text) {
    picture.remarks.push_back({warning, std::move(text)});
  };
  if (choice.is_lone) {
    auto second = header.channels().begin();
    ++second;
    const bool has_alpha = second != header.channels().end();
    remark(has_alpha, fmt::format("its one channel, {}, is read as grey{}", choice.channels[0],
                                  has_alpha ? ", its alpha left out" : ""));
  } else if (!choice.others.empty() || file.parts() > 1) {
    const std::string part =
        file.parts() > 1 ? fmt::format(" of part {} of {}", choice.part + 1, file.parts()) : "";
    remark(file.parts() > 1, fmt::format("the layer {}{} is read", without_stop(choice.layer), part));
  } else if (!choice.layer.empty()) {
    remark(false, fmt::format("the layer {} is read", without_stop(choice.layer)));
  }
  if (data.min.x > display.min.x || data.min.y > display.min.y || data.max.x < display.max.x ||
      data.max.y < display.max.y)
    remark(false, "its data window does not fill its display window; the rest is 0");
  if (data.min.x < display.min.x || data.min.y < display.min.y || data.max.x > display.max.x ||
      data.max.y > display.max.y)
    remark(true, "pixels of its data window outside of its display window are left out");
  if (header.pixelAspectRatio() != 1)
    remark(true, fmt::format("its pixels are not square (ratio {}) and are taken for square",
                             header.pixelAspectRatio()));
  if (Imf::hasChromaticities(header)) {
    const Imf::Chromaticities& c = Imf::chromaticities(header);
    picture.metadata.chromaticities = {c.red.x,  c.red.y,  c.green.x, c.green.y,
                                       c.blue.x, c.blue.y, c.white.x, c.white.y};
  }
  read_words(header, picture.metadata);
  return picture;
}

}  // namespace

constinit const Codec codecs::exr = {
    .traits = {.name = "OpenEXR",
               .extensions = ".exr",
               .media_types = "image/x-exr",
               .read = "half and float; layers, parts, tiles, data windows",
               .written = "float; half from 8-bit pictures",
               .channels = kAnyChannels,
               .samples = kHoldsFloat,
               .extras = kHoldsTexts | kHoldsResolution,
               .compression = true,
               .only_primaries = true,
               .work_bytes = 4,
               .map_rank = 1},
    .recognises = [](std::string_view text, const auto&) { return begins(text, "\x76\x2f\x31\x01"); },
    .decode = [](const Source& source) { return reading_exr(source, [&] { return read(source); }); },
    .encode =
        [](const Prepared& picture, const WriteOptions& options, const std::string& name, const Remarks&) {
          const View<const float> view = std::get<Image<float>>(picture.samples()).view();
          std::optional<Chromaticities> chromaticities;
          if (!picture.metadata.icc.empty() && view.channels > 1)
            chromaticities = Profile(picture.metadata.icc, view.channels).primaries();
          // Eight bits of light fit the eleven of half; everything else stays float.
          const bool half = std::holds_alternative<Image<std::uint8_t>>(picture.original->samples);
          return encode_exr(view, chromaticities, half, options.compression, name, picture.metadata);
        }};

}  // namespace scanlens
