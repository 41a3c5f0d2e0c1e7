#include "app/depth/depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "app/depth/fill.h"
#include "app/io/codecs/codecs.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

// Holds a map as its file has it.
struct Raw {
  Image<float> values;
  double full = 0;  // the largest value of the format; 0: floating point
  const char* format = "";

  bool floating() const { return full == 0; }
};

template <class T>
Image<float> grey_values(const Image<T>& image, const std::string& name) {
  Image<float> values(image.width(), image.height());
  const int channels = image.channels();
  const T* in = image.view().data;
  float* out = values.view().data;
  const std::int64_t pixels = image.width() * image.height();
  for (std::int64_t i = 0; i < pixels; ++i, in += channels) {
    if (channels >= 3 && (in[0] != in[1] || in[0] != in[2]))
      throw Error(fmt::format(
          "{}: this is a colour-mapped picture, not a depth map; export the depth as grey values", name));
    out[i] = static_cast<float>(in[0]);
  }
  return values;
}

Raw read_raw(const Source& source, const fs::path& path) {
  const Format format = sniff(source.bytes, path);
  if (format == Format::pfm) return {decode_pfm(source), 0, "PFM"};
  if (format != Format::png)
    throw Error(fmt::format("{}: depth maps are read from 8- and 16-bit PNG and from PFM", source.name));
  const Picture picture = decode(source, format);
  if (const auto* wide = std::get_if<Image<std::uint16_t>>(&picture.samples))
    return {grey_values(*wide, source.name), 65535, "16-bit PNG"};
  return {grey_values(std::get<Image<std::uint8_t>>(picture.samples), source.name), 255, "8-bit PNG"};
}

// Holds what the options and the format's defaults amount to.
struct Meaning {
  DepthKind kind;
  std::optional<double> scale;
  bool metric;
};

Meaning understand(const Raw& raw, const DepthOptions& options, const std::string& name) {
  const auto refuse = [&](const char* why) {
    throw Error(ErrorKind::usage, fmt::format("{}: {}", name, why));
  };
  Meaning meaning;
  meaning.kind = options.kind.value_or(raw.full == 65535 ? DepthKind::depth : DepthKind::inverse);
  meaning.scale = options.scale;
  if (meaning.kind == DepthKind::depth && !meaning.scale) {
    if (raw.full == 255) refuse("8-bit depth has no usual unit, give --depth-scale (metres per step)");
    meaning.scale = raw.floating() ? 1 : 0.001;
  }
  meaning.metric =
      meaning.kind == DepthKind::depth || (meaning.kind == DepthKind::disparity && meaning.scale.has_value());
  if (meaning.scale && !(*meaning.scale > 0 && std::isfinite(*meaning.scale)))
    refuse("--depth-scale has to be a positive number");
  if (options.offset != 0 && !(meaning.kind == DepthKind::disparity && meaning.metric))
    refuse("--depth-offset only applies to disparity with --depth-scale");
  if (!std::isfinite(options.offset)) refuse("--depth-offset has to be a number");
  if (options.invert && meaning.metric)
    refuse("--invert only applies to relative maps, and this one is metric");
  return meaning;
}

// Brings relative values to 0..1: by the format's full scale, not by the frame's own extremes, so that the
// frames of a film agree. A PFM has no full scale; values within 0..1 speak for themselves, others are
// spread between the extremes.
struct Range {
  double least = 0, most = 1;
  bool spread = false;
};

Range find_range(const Raw& raw, const auto& is_known) {
  if (!raw.floating()) return {0, raw.full, false};
  double least = std::numeric_limits<double>::infinity(), most = -least;
  const View<const float> values = std::as_const(raw.values).view();
  for (std::int64_t i = 0; i < values.extent(); ++i) {
    if (!is_known(values.data[i])) continue;
    least = std::min<double>(least, values.data[i]);
    most = std::max<double>(most, values.data[i]);
  }
  if (least >= 0 && most <= 1) return {};
  return {least, most, true};
}

// Replaces the file's values by disparity, NaN where unknown. Says how it understood them.
std::string convert(Raw& raw, const Meaning& meaning, const DepthOptions& options) {
  const bool inverse = meaning.kind == DepthKind::inverse;
  const auto is_known = [&](float value) { return std::isfinite(value) && (inverse || value > 0); };
  const auto replace = [&](const auto& disparity_of) {
    const View<float> values = raw.values.view();
    for (std::int64_t i = 0; i < values.extent(); ++i) {
      float& value = values.data[i];
      const float disparity = is_known(value) ? static_cast<float>(disparity_of(double{value})) : kUnknown;
      value = std::isfinite(disparity) ? disparity : kUnknown;
    }
  };

  if (meaning.kind == DepthKind::depth) {
    const double scale = *meaning.scale;
    replace([&](double value) { return value >= kInfinitelyFar ? 0.0 : 1 / (value * scale); });
    return fmt::format("{} read as distance in {} (depth, scale {})", raw.format,
                       scale == 0.001 ? "millimetres"
                       : scale == 1   ? "metres"
                                      : fmt::format("steps of {} m", scale),
                       scale);
  }
  if (meaning.metric) {
    replace([&](double value) { return std::max(0.0, (value + options.offset) * *meaning.scale); });
    return fmt::format("{} read as disparity in 1/metre (disparity, offset {}, scale {})", raw.format,
                       options.offset, *meaning.scale);
  }

  const auto directed = [&](double share) { return options.invert ? 1 - share : share; };
  std::string how;
  if (meaning.scale) {
    replace([&](double value) { return directed(std::clamp(value * *meaning.scale, 0.0, 1.0)); });
    how = fmt::format("scale {}", *meaning.scale);
  } else {
    const Range range = find_range(raw, is_known);
    const double width = range.most > range.least ? range.most - range.least : 1;
    replace([&](double value) { return directed((value - range.least) / width); });
    how = range.spread
              ? fmt::format("normalised from its own range {:.6g} .. {:.6g}", range.least, range.most)
          : raw.floating() ? "values within 0 .. 1 taken as they are"
                           : fmt::format("divided by {}", raw.full);
  }
  return fmt::format("{} read as relative {} ({}, {}){}", raw.format, inverse ? "inverse depth" : "disparity",
                     inverse ? "inverse" : "disparity", how,
                     options.invert ? ", inverted: larger values are farther" : "");
}

}  // namespace

void find_extremes(Depth& depth) {
  const View<const float> view = std::as_const(depth.disparity).view();
  const auto [least, most] = std::minmax_element(view.data, view.data + view.extent());
  depth.least = *least;
  depth.most = *most;
}

Depth read_depth(const fs::path& path, const DepthOptions& options, const Limits& limits) {
  const Memory memory = read_file(path, most_file_bytes(limits));
  const Source source{input_name(path), {memory.data(), memory.bytes()}, limits};
  Raw raw = read_raw(source, path);
  const Meaning meaning = understand(raw, options, source.name);

  Depth depth;
  depth.metric = meaning.metric;
  depth.convention = convert(raw, meaning, options);
  depth.unknown = fill_unknown(raw.values.view());
  if (depth.unknown == raw.values.width() * raw.values.height())
    throw Error(fmt::format("{}: the depth map has no known pixel ({})", source.name, depth.convention));
  if (depth.unknown > 0)
    depth.convention +=
        fmt::format("; {} unknown pixel{} filled", depth.unknown, depth.unknown == 1 ? "" : "s");
  depth.disparity = std::move(raw.values);
  find_extremes(depth);
  return depth;
}

}  // namespace scanlens
