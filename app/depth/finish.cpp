#include "app/depth/finish.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/depth/meaning/understand.h"
#include "core/error.h"
#include "filters/depth/fill.h"

namespace scanlens {
namespace {

Image<std::uint8_t> unknown_pixels(View<const float> values) {
  Image<std::uint8_t> unknown(values.width, values.height);
  std::transform(values.data, values.data + values.extent(), unknown.view().data,
                 [](float value) -> std::uint8_t { return std::isnan(value) ? 1 : 0; });
  return unknown;
}

}  // namespace

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

void require_no_meaning(const DepthOptions& options, const std::string& name, const char* why) {
  const auto refuse = [&](const char* option) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: {} cannot be used with {}; leave it out", name, option, why));
  };
  if (options.kind && *options.kind != DepthKind::inverse) refuse("--depth-kind");
  if (options.scale) refuse("--depth-scale");
  if (options.offset != 0) refuse("--depth-offset");
  if (!options.channel.empty()) refuse("--depth-channel");
  if (options.orientation) refuse("--depth-orientation");
}

}  // namespace scanlens
