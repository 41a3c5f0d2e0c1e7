#include "app/depth/depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/depth/files/raw.h"
#include "app/depth/fill.h"
#include "app/depth/meaning/understand.h"
#include "app/depth/strokes/spread.h"
#include "app/depth/strokes/strokes.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

Image<std::uint8_t> unknown_pixels(View<const float> values) {
  Image<std::uint8_t> unknown(values.width, values.height);
  std::transform(values.data, values.data + values.extent(), unknown.view().data,
                 [](float value) -> std::uint8_t { return std::isnan(value) ? 1 : 0; });
  return unknown;
}

Depth finished(RawDepth raw, const DepthOptions& options, const std::string& name) {
  Depth depth = understood(std::move(raw), options, name);
  if (options.orientation) depth = turned(std::move(depth), *options.orientation);
  const View<float> values = depth.disparity.view();
  if (options.is_measured) depth.unknown_at = unknown_pixels(values);
  depth.unknown = fill_unknown(values);
  if (depth.unknown == 0) depth.unknown_at = {};
  if (depth.unknown == values.extent())
    throw Error(fmt::format("{}: the depth map has no known pixel ({})", name, depth.convention));
  if (!depth.decided_by.starts_with("--")) depth.convention += ": " + depth.decided_by;
  if (depth.unknown > 0)
    depth.convention += fmt::format("; {} unknown pixel{}{}", depth.unknown, depth.unknown == 1 ? "" : "s",
                                    options.is_measured ? "" : " filled");
  find_extremes(depth);
  return depth;
}

Source source_of(const fs::path& path, const Memory& memory, const Limits& limits) {
  return {input_name(path), {memory.data(), memory.bytes()}, limits};
}

[[noreturn]] void refuse_without_photo(const std::string& name) {
  throw Error(
      ErrorKind::usage,
      fmt::format("{}: strokes cannot be read without their photo; name it (in `depth`: --of PHOTO)", name));
}

/// Throws Error (usage) for options that say what the values of a map mean, which strokes say themselves.
void require_no_meaning(const DepthOptions& options, const std::string& name) {
  const auto refuse = [&name](const char* option) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: {} cannot be used with strokes, which state depth themselves; leave it out",
                            name, option));
  };
  if (options.kind && *options.kind != DepthKind::inverse) refuse("--depth-kind");
  if (options.scale) refuse("--depth-scale");
  if (options.offset != 0) refuse("--depth-offset");
  if (options.invert) refuse("--invert");
  if (!options.channel.empty()) refuse("--depth-channel");
  if (options.orientation) refuse("--depth-orientation");
}

Strokes strokes_in(const Source& source, const DepthOptions& options) {
  require_no_meaning(options, source.name);
  return parse_strokes({reinterpret_cast<const char*>(source.bytes.data()), source.bytes.size()},
                       source.name);
}

}  // namespace

void find_extremes(Depth& depth) {
  const View<const float> view = std::as_const(depth.disparity).view();
  const auto [least, most] = std::minmax_element(view.data, view.data + view.extent());
  depth.least = *least;
  depth.most = *most;
}

void unfill(Depth& depth) {
  const View<const std::uint8_t> unknown = std::as_const(depth.unknown_at).view();
  const View<float> values = depth.disparity.view();
  for (std::int64_t i = 0; i < unknown.extent(); ++i)
    if (unknown.data[i]) values.data[i] = std::numeric_limits<float>::quiet_NaN();
}

Depth read_depth(const fs::path& path, const DepthOptions& options, const Limits& limits) {
  const Memory memory = read_file(path, most_file_bytes(limits));
  const Source source = source_of(path, memory, limits);
  if (are_strokes(source.bytes)) refuse_without_photo(source.name);
  return finished(read_raw(source, path, options.channel), options, source.name);
}

Depth read_depth(const fs::path& path, const DepthOptions& options, const Limits& limits,
                 const PhotoRows& photo) {
  const Memory memory = read_file(path, most_file_bytes(limits));
  const Source source = source_of(path, memory, limits);
  if (are_strokes(source.bytes)) return spread(strokes_in(source, options), photo, source.name);
  return finished(read_raw(source, path, options.channel), options, source.name);
}

Depth depth_of(const Picture& picture, const DepthOptions& options, const std::string& name,
               const std::string& format) {
  return finished(grey_values(picture, name, format, kLossyTolerance, options.channel), options, name);
}

std::optional<DepthMeaning> depth_meaning(const fs::path& path, bool inside, const DepthOptions& options,
                                          const Limits& limits) {
  const Memory memory = read_file(path, most_file_bytes(limits));
  const Source source = source_of(path, memory, limits);
  if (!inside && are_strokes(source.bytes))
    return DepthMeaning{strokes_in(source, options).metric, "strokes", DepthRange{}};
  std::optional<RawDepth> raw =
      inside ? read_embedded_raw(source, path, options.channel) : read_raw(source, path, options.channel);
  if (!raw) return std::nullopt;
  return meaning_of(std::move(*raw), options, source.name);
}

PhotoFile::PhotoFile(const fs::path& path, const Limits& limits)
    : path_(path), limits_(limits), memory_(read_file(path, most_file_bytes(limits))) {}

Picture PhotoFile::picture(FloatSamples floats) const {
  const Source source = source_of(path_, memory_, limits_);
  return decode(source, sniff(source.bytes, path_), floats);
}

std::optional<Depth> PhotoFile::depth(const DepthOptions& options) const {
  const Source source = source_of(path_, memory_, limits_);
  std::optional<RawDepth> raw = read_embedded_raw(source, path_, options.channel);
  if (!raw) return std::nullopt;
  return finished(std::move(*raw), options, source.name);
}

std::string PhotoFile::unread_form() const {
  return scanlens::unread_form({memory_.data(), memory_.bytes()});
}

}  // namespace scanlens
